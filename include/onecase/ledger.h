/* SPDX-License-Identifier: Apache-2.0
 *
 * ledger (port) - what was intended, what happened, and who decided. No ledger, no effect.
 *
 * One function is one transaction. RC_OK means it is durable. RC_CONFLICT means a guard did not
 * hold (a fence, a state, a plan) and nothing was written. RC_DEFERRED means nothing was written and
 * later may work: no room on the disk, or another process held the lock too long. RC_BROKEN means
 * the ledger cannot be used as it is. A COMMIT that failed is read back inside, so RC_UNKNOWN only
 * comes out where even that could not be done; the caller then ends its tick and looks again.
 *
 * Every change of state goes through the tables of item.h, effect.h and outcome.h, as a compare-and-
 * set on the state it comes from, and leaves a line in the event chain in the same transaction.
 *
 * Small vtables by intent: runs, mailboxes, intake, work, people, operators, notices, webhooks,
 * keeping. What they hand out is owned by the caller and cleared by the function named beside it.
 */
#pragma once

#include <onecase/acceptance.h>
#include <onecase/backoff.h>
#include <onecase/clock.h>
#include <onecase/decision.h>
#include <onecase/listed.h>
#include <onecase/policy.h>
#include <onecase/processes.h>
#include <onecase/quota.h>
#include <onecase/retention.h>
#include <onecase/webhook.h>

#define NO_FENCE  INT64_C(-1)
#define NOT_DUE   INT64_C(-1) /* in place of an instant: not by itself */
#define NOTE_SIZE 256

/* ---- runs: one process life, its leases and its death ------------------------------------- */

struct ledger_facts {
    char id[RUN_ID_SIZE];            /* of this ledger; made with it */
    int64_t generation;              /* rises whenever the ledger may have gone back in time */
    int64_t last_event;              /* number of the last line of the event chain */
    char last_hash[DIGEST_HEX_SIZE]; /* its hash; "" where there is none */
    struct digest secret;            /* for X-Onecase-Proof; never logged */
};

struct ledger_runs {
    enum rc (*facts)(void *self, struct ledger_facts *out, struct err *err);
    enum rc (*enter)(void *self, const struct run_facts *run, struct instant now, struct err *err);
    /* Runs that entered and neither left nor were found dead, the asking one excepted. Free(). */
    enum rc (*others)(
        void *self, const char *run, struct run_facts **out, size_t *count, struct err *err);
    /* Records the proof that a run is dead. Its leases are void from here on. Idempotent. */
    enum rc (*bury)(
        void *self, const char *dead, const char *by, struct instant now, struct err *err);
    /* Renews every lease that the run still holds, to now + lease. */
    enum rc (*renew)(
        void *self, const char *run, struct instant now, int64_t lease_ms, struct err *err);
    /* The orderly end: its leases are given back; refused while it has something armed. */
    enum rc (*leave)(void *self, const char *run, struct instant now, struct err *err);
    /* Is that line, with that hash, in the event chain? RC_NOT_FOUND: this ledger is older than
     * whoever wrote it down, or has gone another way since. */
    enum rc (*knows)(void *self, int64_t event, const char *hash, struct err *err);
    /* Is the mailbox this run's to work on, among those of several machines? Asked at the beginning of a
     * turn, when it has nothing under way; taken, renewed, given up to even out what each machine has. Where
     * the ledger has no clock that machines could share, all runs are on this one, and work side by side. */
    enum rc (*share)(void *self,
                     const char *run,
                     const char *mailbox,
                     int64_t lease_ms,
                     bool *ours,
                     struct err *err);
};

/* ---- mailboxes: what is remembered of a source -------------------------------------------- */

/* The services of a mailbox that have a circuit of their own. */
/* clang-format off */
#define CIRCUIT_OF_LIST(X) \
    X(CIRCUIT_IMAP,        "imap",        "IMAP server")   \
    X(CIRCUIT_SMTP,        "smtp",        "SMTP server")   \
    X(CIRCUIT_DESTINATION, "destination", "destination")   \
    X(CIRCUIT_SCANNER,     "scanner",     "virus scanner")
/* clang-format on */

enum circuit_of { CIRCUIT_OF_LIST(NAMED_ENUM) CIRCUIT_OF_COUNT };

/* For arrays in the order of the enum: its word, and what people call it. */
#define CIRCUIT_WORD(name, text, label)  text,
#define CIRCUIT_LABEL(name, text, label) label,

struct mailbox_record {
    char id[NAME_SIZE];
    int64_t version;               /* of the row; save is a compare-and-set on it */
    uint32_t uidvalidity, uidnext; /* of the inbox; 0 before the first look */
    int64_t numbering;             /* counts how often its UIDs came to mean other messages */
    uint32_t processed_uidvalidity, processed_uidnext; /* what of Processed is accounted for */
    enum import_choice import;
    uint32_t import_uidvalidity, import_uidnext; /* mail below is from before the first start */
    int64_t import_before_ms;                    /* INTERNALDATE before it waits for the choice */
    int64_t awaiting;                            /* messages that wait for the choice */
    int64_t backlog;                             /* messages seen and not yet recorded */
    int64_t difference; /* messages to be filed that the inbox has no more */
    bool paused;
    unsigned paused_effects; /* KIND()s; 0 with paused: all */
    char hold_folder[256];   /* while paused new mail is moved there, then back; "" is none */
    int64_t generation;      /* of the ledger when this mailbox last agreed with it */
    struct rewind {
        uint32_t uidvalidity, uidnext; /* inbox mail below is from before the ledger went back */
        int64_t at_ms;                 /* and so is, under other UIDs, what came before this */
    } rewind;                          /* zeros: it never did */
    bool scanning;         /* Processed is still to be read for what the ledger forgot */
    bool claimed;          /* our deed was read back */
    char claim_owner[160]; /* another deployment that owns it; "" is nobody */
    char taken_from[65]; /* of this turn: the deployment whose deed we removed; rewind records it */
    int64_t marked_event; /* number in the last mark we wrote */
    struct circuit circuit[CIRCUIT_OF_COUNT];
    struct streak streak;
    int64_t last_success_ms;
    char last_error[NOTE_SIZE]; /* text of ours, without addresses */
};

/* May a ledger that went back in time have forgotten what became of that message of the inbox? Under the
 * UIDs that were seen then, those below UIDNEXT; after a new UIDVALIDITY what came before, by INTERNALDATE
 * in wall time, some minutes more for clocks that differ. */
bool rewind_covers(const struct rewind *rewind,
                   uint32_t uidvalidity,
                   uint32_t uid,
                   int64_t internal_ms);

struct ledger_mailboxes {
    /* Makes the row where it is missing. */
    enum rc (*load)(void *self, const char *mailbox, struct mailbox_record *out, struct err *err);
    /* Writes the row (all but circuits and streak, `import` and `paused`, which have ways of their
     * own) if its version is still the record's, and counts the version up in both; RC_CONFLICT: load
     * it again. */
    enum rc (*save)(void *self, struct mailbox_record *record, struct instant now, struct err *err);
    /* The ledger may have gone back in time: the generation rises (once per `noticed` generation),
     * every acknowledgement of this mailbox that is not settled becomes unknown, armed now. Writes
     * the row too. */
    enum rc (*rewind)(void *self,
                      struct mailbox_record *record,
                      struct instant now,
                      struct err *err);
    /* The inbox's UIDs mean other messages now (another UIDVALIDITY, or UIDNEXT fell back): from
     * this commit on every delivery of that folder is stale, and its UID is never used again. Writes
     * `uidvalidity` and `uidnext` of the record, and counts `numbering` up in both; RC_CONFLICT:
     * another run noticed it first. */
    enum rc (*renumber)(void *self,
                        struct mailbox_record *record,
                        const char *folder,
                        struct instant now,
                        struct err *err);
    enum rc (*choose_import)(void *self,
                             const char *mailbox,
                             enum import_choice choice,
                             const char *by,
                             struct instant now,
                             struct err *err);
    /* What the server said of it just now. Views forget it after a day. The record's version stays. */
    enum rc (*note_quota)(void *self,
                          const char *mailbox,
                          const struct quota *quota,
                          struct instant now,
                          struct err *err);
};

/* ---- intake: observed messages become items ----------------------------------------------- */

/* Where the arrival's item stands. `held` by another is never taken for settled: nothing is moved on it. */
enum reserved { RESERVED_MINE, RESERVED_HELD, RESERVED_SETTLED };

struct reservation {
    enum reserved reserved;
    bool new_item;
    bool new_delivery; /* false: this very delivery was recorded before */
    int64_t delivery;  /* its id */
    enum delivery_class class;
    enum disposition disposition;
    enum item_state state;          /* of the item */
    char key[KEY_SIZE];             /* of the item that the delivery belongs to */
    char reference[REFERENCE_SIZE]; /* of its case; "" is none */
    bool octets_wanted;             /* its original is still to be made of these very octets */
};

struct filed_fact { /* a delivery that has left its folder, or is about to */
    int64_t delivery;
    struct digest octets;
};

/* One UID of a folder as it was listed, and what is known of it. */
struct sighting {
    uint32_t uid;
    int64_t internal_ms;
    bool unseen; /* no delivery has it yet */
    bool
        otherwise; /* a delivery has it, of another INTERNALDATE or that left the folder: see `reused` */
};

struct ledger_intake {
    /* Fills in what is known of each. */
    enum rc (*unseen)(void *self,
                      const char *mailbox,
                      const char *folder,
                      uint32_t uidvalidity,
                      struct sighting *at,
                      size_t count,
                      struct err *err);
    /* What stands under a UID seen `otherwise`, by the octets that were read there now. Other octets, or
     * those of a message that had left: the folder was restored from an old copy, and that UID is to be seen
     * anew; from this commit on its delivery is stale. The same octets of one that stayed: the server has
     * changed its INTERNALDATE, which is taken over. What has come back once under its UID is left at that. */
    enum rc (*reused)(void *self,
                      const char *mailbox,
                      const char *folder,
                      uint32_t uidvalidity,
                      const struct sighting *at,
                      const struct digest *octets,
                      struct instant now,
                      bool *out,
                      struct err *err);
    /* How many messages that are still to be filed the ledger takes to be in that folder, and that are
     * none of these UIDs, which ascend. */
    enum rc (*missing)(void *self,
                       const char *mailbox,
                       const char *folder,
                       uint32_t uidvalidity,
                       const uint32_t *uid,
                       size_t count,
                       int64_t *out,
                       struct err *err);
    /* One transaction for the batch: gathers what is known of each arrival, judges it by `policy`,
     * makes its plan, and inserts delivery, item with a lease of `run`, case record, plan. A row that
     * cannot be written fails the whole batch; the caller repeats it one by one. RC_CONFLICT: the
     * inbox was renumbered since these messages were listed; nothing was written. What is recorded
     * counts for the mailbox's `uidnext` at once. */
    enum rc (*reserve)(void *self,
                       const char *run,
                       struct instant now,
                       int64_t lease_ms,
                       const struct policy *policy,
                       const struct arrival *arrival,
                       size_t count,
                       struct reservation *out,
                       struct err *err);
    /* Is there a delivery of these octets of that mailbox, whatever its folder? (Processed after a
     * restore, a move whose outcome is looked for.) RC_NOT_FOUND: none. */
    enum rc (*octets_known)(void *self,
                            const char *mailbox,
                            const struct digest *octets,
                            int64_t *delivery,
                            struct err *err);
    /* Marks that a worker began on these octets, and counts how often one died of them; they are
     * taken one by one from the first death on, and held after the second. */
    enum rc (*begin_reading)(void *self,
                             const char *mailbox,
                             const struct digest *octets,
                             unsigned *deaths,
                             struct err *err);
    enum rc (*end_reading)(void *self,
                           const char *mailbox,
                           const struct digest *octets,
                           struct err *err);
    /* Did a person say that mail of this sender is told apart by what it says (decision_request.always)? */
    enum rc (*told_apart)(
        void *self, const char *mailbox, struct slice sender, bool *out, struct err *err);
};

/* ---- work: items under a lease ------------------------------------------------------------ */

struct work_effect {
    int64_t id;
    enum effect_kind kind;
    enum effect_status status;
    char target[EFFECT_TARGET_SIZE];
    char external_id[130];
    char reason[32];
    unsigned attempts;
    int64_t due_ms;         /* wall time; NOT_DUE where it waits for something else */
    int64_t first_try_ms;   /* wall time of the first try by the item's fault, or NOT_DUE */
    unsigned server_faults; /* in a row, while others passed */
    int64_t first_doubt_ms; /* wall time of the first try of unknown outcome, or NOT_DUE */
    struct str letter;      /* as it was first armed, for another try; owned */
    /* of the attempt that is open or was lost, where the status is attempting or unknown */
    int64_t attempt;
    char attempt_run[RUN_ID_SIZE];
    int64_t armed_ms;                                  /* wall time */
    uint32_t processed_uidvalidity, processed_uidnext; /* a move's: recorded with its intent */
};

struct work_delivery {
    int64_t id;
    char folder[256];
    uint32_t uidvalidity, uid;
    struct digest octets;
    int64_t internal_ms;
    bool won;          /* it won the item; else it is a copy */
    char move_to[256]; /* where it is filed; "" stays */
    bool stale;        /* its UID is no longer to be used: the folder was renumbered */
};

struct work_attachment {
    unsigned number;
    size_t part;
    char stored_name[STORED_NAME_SIZE];
    struct digest sha256;
    int64_t size;
    bool refused;
    char reason[32]; /* of enum exception, where it is refused */
    char *name;      /* decoded; owned */
    char *type;      /* as its sender has it; owned */
};

struct work_item {
    char key[KEY_SIZE];
    int64_t fence; /* of this lease */
    enum item_state state;
    enum disposition disposition;
    enum completion completion;
    enum reason reason;
    char reference[REFERENCE_SIZE]; /* its case's; "" is none */
    char case_key[KEY_SIZE];        /* the item that made that case */
    struct digest octets;           /* of its original; zero where there is none */
    bool original_kept;
    char *message_id, *recipient, *subject, *sender,
        *text;                      /* owned; for letters and destinations */
    char languages[LANGUAGES_SIZE]; /* in which its sender is told, best first */
    int64_t received_ms;            /* INTERNALDATE of the delivery that won */
    int64_t letter_date_ms;         /* Date of its acknowledgement; fixed at the first try */
    unsigned worker_deaths;         /* runs that died without explanation while they held it */
    bool decided; /* a person's decision is recorded, or it arrived as `dismissed` */
    bool
        elsewhere; /* another mailbox's: here are only a copy of it and that one's move; no lease */
    struct work_effect *effect;
    size_t effects;
    struct work_delivery *delivery;
    size_t deliveries;
    struct work_attachment *attachment;
    size_t attachments;
};

void work_item_clear(struct work_item *item);
void work_items_free(struct work_item *item, size_t count);

enum change_what {
    CHANGE_EFFECT,     /* step one effect; writes its attempt */
    CHANGE_ITEM,       /* step the item, or with `keep` give back or keep its lease only */
    CHANGE_ORIGINAL,   /* its original is kept under items/ */
    CHANGE_ACCEPTANCE, /* store the conditions with their values */
    CHANGE_EVIDENCE,   /* what was looked for, where, and whether it was found */
    CHANGE_NOTE,       /* erasable text, such as a server's reply (addresses are masked here) */
    CHANGE_WORDS,      /* the same of a help desk that refused it: shown to whoever decides */
    CHANGE_CIRCUIT, /* a mailbox's circuits and streak, with the results that moved them; last writer wins */
};

struct effect_change {
    int64_t effect;
    enum effect_status from; /* compare-and-set */
    enum effect_event on;
    enum outcome outcome; /* of the attempt this ends; NONE with ON_ARM */
    enum stage stage;
    int code;
    const char *target;      /* NULL: as it is; else fixed now (completion state) */
    const char *external_id; /* NULL: as it is */
    const char *reason;      /* NULL: as it is */
    int64_t due_ms;          /* wall time, or NOT_DUE */
    bool counts;             /* uses the item's time (not a server's fault) */
    bool closed;             /* the attempt's connection is known to be closed */
    int64_t letter_date_ms;  /* with ON_ARM of an acknowledgement; 0: as it is */
    struct slice letter;     /* likewise: its octets, kept once and for all; empty: none */
    uint32_t processed_uidvalidity, processed_uidnext; /* with ON_ARM of a move */
};

struct item_change {
    bool keep; /* no step: only `due_ms` and the lease */
    enum item_state from;
    enum item_event on;
    enum reason reason;
    bool release; /* gives the lease back */
    int64_t due_ms;
};

struct evidence_change {
    int64_t effect;
    const char *kind; /* "evidence-folder", "blind-copy", "delivery-report", "reply",
                                             "late-reply", "read-back", "processed", … */
    bool found;
    const char *where; /* folder and UID, or the like; no addresses */
    bool over;         /* nothing of this run's own lost try is under way any more */
};

struct change {
    enum change_what what;
    const char *key; /* the item; NULL with CHANGE_CIRCUIT */
    int64_t fence;   /* guarded by the lease; NO_FENCE: by the state alone, for what
                                             evidence shows (CHANGE_EFFECT with ON_EVIDENCE, CHANGE_EVIDENCE) and for
                                             the move of a copy `elsewhere` */
    union {
        struct effect_change effect;
        struct item_change item;
        const struct acceptance *acceptance;
        struct evidence_change evidence;
        const char *note;
        const struct mailbox_record *mailbox;
    };
};

struct doubt { /* an acknowledgement whose outcome is unknown */
    char key[KEY_SIZE];
    char effect_id[EFFECT_ID_SIZE]; /* EFFECT; computed from key and completion state */
    int64_t effect;
};

struct ledger_work {
    /* Takes items of this mailbox whose next_due has come and whose lease is free, void or ended:
     * fence and lease in one transaction, and what another left `attempting` becomes `unknown` by the
     * table. Items that are received or in_progress are stepped by ITEM_ON_CLAIM; one that is complete
     * (a copy is to be filed) or waits for a person (its original is to be kept) keeps its state.
     * Oldest first; new mail is not starved by old. With them come, `elsewhere` and without a lease,
     * this mailbox's copies of items that are another's and complete. */
    enum rc (*claim)(void *self,
                     const char *run,
                     const char *mailbox,
                     struct instant now,
                     int64_t lease_ms,
                     size_t limit,
                     struct work_item **out,
                     size_t *count,
                     struct err *err);
    /* All of the changes or none. RC_CONFLICT: `failed` (may be NULL) is the first whose guard did
     * not hold. */
    enum rc (*commit)(void *self,
                      const char *run,
                      struct instant now,
                      const struct change *change,
                      size_t count,
                      size_t *failed,
                      struct err *err);
    /* One item as it stands, without taking it. */
    enum rc (*load)(void *self, const char *key, struct work_item *out, struct err *err);
    /* When something of this mailbox is next due (wall time); NOT_DUE: nothing. */
    enum rc (*next_due)(
        void *self, const char *mailbox, struct instant now, int64_t *out, struct err *err);
    /* Acknowledgements of this mailbox in doubt that a person is asked about, in the order of their keys
     * from behind `after` on ("" is the first), at most `limit`. `out` is owned by the caller (free). */
    enum rc (*doubts)(void *self,
                      const char *mailbox,
                      const char *after,
                      size_t limit,
                      struct doubt **out,
                      size_t *count,
                      struct err *err);
    /* Has another delivery's move of this mailbox ended at `external_id` ("UIDVALIDITY:UID" of its
     * target folder)? RC_NOT_FOUND: no. */
    enum rc (*filing_taken)(void *self,
                            const char *mailbox,
                            const char *external_id,
                            struct err *err);
    /* Is the case of this item there, and is its key the item's? The read-back of acceptance. */
    enum rc (*case_stands)(void *self, const char *key, struct err *err);
};

/* ---- people: decisions --------------------------------------------------------------------- */

struct decision_request {
    enum decision decision;
    const char *key;
    const char *by, *why; /* both required: RC_USAGE without */
    const char *second;   /* who approved it, where two persons are asked for; NULL: nobody */
    bool run_gone;        /* the person says that the attempt's run is gone */
    bool
        always; /* with DECIDE_NEW_CASE: from now on mail of this item's sender to its mailbox is told
                  * apart by what it says, and its Message-ID names nothing; RC_USAGE without a sender */
    const char *external_id;       /* with DECIDE_CASE_MADE */
    const struct policy *policy;   /* plans what the decision makes of a held item */
    const struct message *message; /* of the held item's original, where its plan needs one */
    int64_t final_timeout_ms, evidence_wait_ms;
};

struct decision_result {
    enum item_state state;
    enum effect_status status;
    int64_t possible_from_ms; /* with RC_DEFERRED: not yet; from then on */
    char reference[REFERENCE_SIZE];
};

struct replay_request {
    const char *key;
    const char *by, *why, *second;
    const char *plan; /* the plan that was shown; NULL: whatever it is now */
    bool resend;      /* an acknowledgement that was refused, skipped or given up, too */
    bool many;        /* one of many: what lists and programs sent is left alone */
};

struct replay_result {
    unsigned run_again;             /* effects that will be tried again */
    unsigned proven_done, in_doubt; /* left alone */
    unsigned of_programs;       /* of the first: skipped as a list's or a program's mail, of many */
    bool was_complete;          /* read back only */
    char plan[DIGEST_HEX_SIZE]; /* changes with whatever the plan rests on */
};

/* A replay of many items: recorded as a whole before the first, and each with its replay, so that one
 * that was interrupted goes on where it ended. */
struct bulk_request {
    const char *selection; /* what was typed to choose them: finds it again */
    const char *by, *why, *second;
    bool resend;
    const char (*key)[KEY_SIZE];
    size_t keys;
};

struct bulk {
    int64_t id;
    int64_t all, done;
    int64_t begun_ms;
    char by[200];
};

/* A message that is kept aside, or is to be. */
struct held_message {
    int64_t delivery; /* 0: known by its octets only */
    uint32_t uidvalidity, uid;
};

/* What was fetched of a mail that had been held for its size. */
struct large_original {
    struct digest octets, source_digest;
    int64_t size;
};

/* What a person does with a case. */
enum case_act {
    CASE_CLOSE,
    CASE_REOPEN,
    CASE_MERGE,
    CASE_UNMERGE,
    CASE_WITHDRAW,      /* it is taken away at its destination; here it stays */
    CASE_AUTHORITATIVE, /* those of the same words are copies of it: they are closed without mail */
    CASE_HOLD,          /* retention leaves it alone */
    CASE_RELEASE,
    CASE_DIFFERENT, /* those of the same words are other cases: never suspected again */
    CASE_ACT_COUNT
};

struct case_request {
    enum case_act act;
    const char *reference;
    const char *into;   /* with CASE_MERGE: the other's reference */
    const char *second; /* who approved it; NULL: nobody */
    bool tells;         /* with CASE_CLOSE: its sender is to be told, once in its life */
    const char *there;  /* the destination that closes cases, or takes them away; NULL: none does */
    const char *by, *why;
};

struct case_result {
    char into[REFERENCE_SIZE];
    bool told;     /* a letter is planned */
    bool there;    /* a request to its destination is planned */
    size_t others; /* suspects that were closed, or told apart */
};

/* Cases that an older system made become known: their mails are remembered, nobody is told. */
struct listed_request {
    const struct listed_case *at;
    size_t count;
    bool dry_run; /* says what would become of each, and writes nothing */
    const char *by, *why;
};

/* What one person has proposed and another is to approve. */
enum proposed { PROPOSED_NOW, PROPOSED_BEFORE, PROPOSED_BY_YOURSELF, PROPOSED_APPROVED };

struct proposal_request {
    const char *subject; /* all that is proposed, as one text */
    const char *key;     /* the item it is about; "" is none */
    const char *by, *account, *why;
    bool approve;
};

struct proposal {
    enum proposed proposed;
    char by[200]; /* who proposed it */
    int64_t at_ms;
};

struct ledger_people {
    /* RC_CONFLICT: the item or effect is not in the state that the decision answers; the text says
     * which it is in. RC_DEFERRED: not yet. RC_NOT_FOUND: no such item. */
    enum rc (*decide)(void *self,
                      const struct decision_request *request,
                      struct instant now,
                      struct decision_result *out,
                      struct err *err);
    /* An operator's replay: what is proven done or in doubt is left alone, the rest is due now. A
     * complete item runs nothing again. Records a delivery of class `replayed`. */
    enum rc (*replay)(void *self,
                      const char *key,
                      const char *by,
                      const char *why,
                      struct instant now,
                      struct replay_result *out,
                      struct err *err);
    enum rc (*pause)(void *self,
                     const char *mailbox,
                     bool paused,
                     unsigned effects,
                     const char *by,
                     const char *why,
                     struct instant now,
                     struct err *err);
};

/* ---- operators: what takes more than one act ------------------------------------------------ */

struct ledger_operators {
    /* What a replay would do; changes nothing. `many` as in replay_request. */
    enum rc (*replay_plan)(void *self,
                           const char *key,
                           bool resend,
                           bool many,
                           struct replay_result *out,
                           struct err *err);
    /* The replay of people, with all that may go with it. RC_CONFLICT: the plan is another one by now. */
    enum rc (*replay)(void *self,
                      const struct replay_request *request,
                      struct instant now,
                      struct replay_result *out,
                      struct err *err);
    /* Begins the replay of many; RC_CONFLICT where one of the same selection is not ended. */
    enum rc (*bulk_begin)(void *self,
                          const struct bulk_request *request,
                          struct instant now,
                          struct bulk *out,
                          struct err *err);
    /* The one of this selection that is not ended; RC_NOT_FOUND. */
    enum rc (*bulk_find)(void *self, const char *selection, struct bulk *out, struct err *err);
    /* Replays the next of it, in one transaction with the note that it was; RC_NOT_FOUND: that was the
     * last, and it is ended. */
    enum rc (*bulk_next)(void *self,
                         struct bulk *bulk,
                         struct instant now,
                         struct replay_result *out,
                         struct err *err);
    /* RC_NOT_FOUND: no such case; RC_CONFLICT: it is not so that this can be done; the text says how it
     * is. */
    enum rc (*case_act)(void *self,
                        const struct case_request *request,
                        struct instant now,
                        struct case_result *out,
                        struct err *err);
    /* One transaction for all of them; one fate each, `fate` is the caller's. What is known stays as it is: the
     * same list a second time changes nothing. A dry run reads, and holds nobody up. */
    enum rc (*list_cases)(void *self,
                          const struct listed_request *request,
                          struct instant now,
                          enum listed_fate *fate,
                          struct err *err);
    /* Its original is kept now; RC_CONFLICT: it does not wait for its size any more. */
    enum rc (*original_had)(void *self,
                            const char *key,
                            const struct large_original *original,
                            struct instant now,
                            struct err *err);
    /* New mail of a paused mailbox is kept aside in that folder; RC_CONFLICT: some is in another yet. */
    enum rc (*hold)(void *self,
                    const char *mailbox,
                    const char *folder,
                    const char *by,
                    const char *why,
                    struct instant now,
                    struct err *err);
    /* What lies in that folder as the ledger knows it; of the inbox only what came since the pause,
     * while it is one. `out` is owned by the caller (free). */
    enum rc (*held)(void *self,
                    const char *mailbox,
                    const char *folder,
                    bool since_pause,
                    struct held_message **out,
                    size_t *count,
                    struct err *err);
    /* It lies in that folder now, under that UID: set aside, or `back`. */
    enum rc (*hold_moved)(void *self,
                          const struct held_message *message,
                          const char *folder,
                          bool back,
                          struct instant now,
                          struct err *err);
    /* Everything is back; RC_CONFLICT: the mailbox is paused again. */
    enum rc (*hold_over)(void *self, const char *mailbox, struct instant now, struct err *err);
    /* A disagreement that verify has found, by the digest of what it says: has somebody explained it? */
    enum rc (*explained)(void *self, const char *digest, bool *out, struct err *err);
    enum rc (*explain)(void *self,
                       const char *digest,
                       const char *by,
                       const char *why,
                       struct instant now,
                       struct err *err);
    /* What a person says of a mail and leaves it at; it decides nothing. RC_NOT_FOUND: no such item. */
    enum rc (*note)(void *self,
                    const char *key,
                    const char *by,
                    const char *text,
                    struct instant now,
                    struct err *err);
    /* Ends what `always` of a decision made. RC_NOT_FOUND: there is none, or it was removed. */
    enum rc (*rule_end)(void *self,
                        int64_t id,
                        const char *by,
                        const char *why,
                        struct instant now,
                        struct err *err);
    /* Nothing comes of that proposal. RC_NOT_FOUND: there is none, or it is over. */
    enum rc (*refuse)(void *self,
                      int64_t proposal,
                      const char *by,
                      const char *why,
                      struct instant now,
                      struct err *err);
    /* Records a proposal, or its approval by another account. RC_NOT_FOUND: there is none to approve. */
    enum rc (*propose)(void *self,
                       const struct proposal_request *request,
                       struct instant now,
                       struct proposal *out,
                       struct err *err);
};

/* ---- keeping: what is let go (retention.h) ---------------------------------------------------- */

struct letting_go {
    const char *key;
    unsigned contents; /* CONTENT()s */
    bool erased;       /* on somebody's request: its Message-ID goes, too */
};

struct erasing {
    const char *address; /* in the form of address_canonical; it is not kept */
    const char *by, *why;
    int64_t mails;
};

struct ledger_keeping {
    /* From this commit on the ledger has these contents no more, and their files are listed as leaving.
     * RC_CONFLICT: it is not over, or a person holds it. */
    enum rc (*let_go)(void *self,
                      const struct letting_go *what,
                      struct instant now,
                      struct err *err);
    /* That file was removed; `name` of an attachment, "" the original. */
    enum rc (*left)(
        void *self, const char *key, const char *name, struct instant now, struct err *err);
    /* What was let go leaves the ledger's own files as well, as far as others let it. */
    void (*forget)(void *self);
    /* Forgets the address where it stands beside mails, and records that it was erased. */
    enum rc (*erased)(void *self,
                      const struct erasing *erasing,
                      struct instant now,
                      struct err *err);
};

/* ---- notices: what was told to people outside, so that a restart does not tell it all again ------- */

struct notice_memory {
    char trouble[32], mailbox[NAME_SIZE]; /* mailbox: "" is the installation */
    char told[16];                        /* as bad as it was told last; "" is not yet */
    int64_t since_ms;                     /* first seen */
    int64_t stage;                        /* how often it was told again */
};

/* How a channel has gone lately. */
struct notice_record {
    int64_t sent;                      /* well, since the instant that was asked for */
    int64_t last_done_ms, last_try_ms; /* 0: never */
    int64_t failures;                  /* in a row */
};

/* One try of telling people by a channel. */
struct notice_try {
    const char *channel;
    enum outcome outcome;
    const char *subject;
    const char *why; /* "" where it went well */
    int64_t at_ms;
};

struct ledger_notices {
    /* `out` is owned by the caller (free). */
    enum rc (*recall)(void *self,
                      const char *channel,
                      struct notice_memory **out,
                      size_t *count,
                      struct err *err);
    /* In place of all that was remembered of this channel. */
    enum rc (*remember)(void *self,
                        const char *channel,
                        const struct notice_memory *memory,
                        size_t count,
                        struct err *err);
    enum rc (*record)(void *self,
                      const char *channel,
                      int64_t since_ms,
                      struct notice_record *out,
                      struct err *err);
    /* One try. `subject` is "troubles" or "report 2026-02"; `why` holds no address and no secret. */
    enum rc (*tried)(void *self, const struct notice_try *tried, struct err *err);
    /* Was that subject sent? */
    enum rc (*was_sent)(
        void *self, const char *channel, const char *subject, bool *out, struct err *err);
};

/* ---- webhooks: what other programs are told, made of the event chain ------------------------------- */

/* What one webhook wants to be told. Borrowed. */
struct webhook_wish {
    const char *name;
    unsigned events; /* 1u << WEBHOOK_... */
    const char *const *mailbox;
    size_t mailboxes; /* 0: every mailbox */
};

/* One post that is due. */
struct webhook_post {
    int64_t id;
    char message_id[WEBHOOK_ID_SIZE];
    enum webhook_event event;
    enum effect_status status;
    int64_t attempts;
    int64_t first_try_ms; /* NOT_DUE: it was never tried */
    int64_t failures;     /* of the webhook, in a row */
    int64_t number;       /* of the chain's line */
    int64_t at_ms;        /* when that happened */
    char mailbox[NAME_SIZE], key[KEY_SIZE], reference[REFERENCE_SIZE], what[32], reason[32];
    struct str sender, subject;
};

void webhook_post_clear(struct webhook_post *post); /* for CLEANUP */

/* Who tells it, of all that share the ledger, and for how long at most. */
struct webhook_hold {
    const char *webhook, *by;
    int64_t until_ms;
};

/* What became of a try. */
struct webhook_try {
    const struct webhook_post *post;
    enum post_event on;
    int code; /* HTTP status; 0: there was none */
    const char *why;
    int64_t due_ms;         /* of the post; with POST_ON_LATER */
    int64_t webhook_due_ms; /* until then nothing else of this webhook is tried; NOT_DUE: go on */
};

struct webhook_replay {
    const char *webhook;    /* of this one alone; NULL: of all */
    const char *message_id; /* this post alone; NULL: all */
    const char *by, *why;
};

struct ledger_webhooks {
    /* These are configured now. One that is new is told what happens from here on; what waits of one that
     * is gone becomes dead letters. */
    enum rc (*enlist)(
        void *self, const char *const *name, size_t names, struct instant now, struct err *err);
    /* Makes posts of the next lines of the chain; `more`: there are further lines. Each line is looked at
     * once, in the transaction that writes what comes of it. RC_NOT_FOUND: it is not enlisted. */
    enum rc (*derive)(void *self,
                      const struct webhook_wish *wish,
                      struct instant now,
                      bool *more,
                      struct err *err);
    /* The oldest that is due and before which no other of the same item waits; RC_NOT_FOUND: none is due
     * before `wake_ms` (NOT_DUE: none waits). It is held: nobody else is given it, until it was tried or
     * that time has come. Who holds it may be given it again. */
    enum rc (*next)(void *self,
                    const struct webhook_hold *hold,
                    struct instant now,
                    struct webhook_post *out,
                    int64_t *wake_ms,
                    struct err *err);
    enum rc (*tried)(void *self,
                     const struct webhook_try *tried,
                     struct instant now,
                     struct err *err);
    /* Dead letters are due again, under their ids; RC_NOT_FOUND: there is none such. */
    enum rc (*replay)(void *self,
                      const struct webhook_replay *request,
                      struct instant now,
                      int64_t *count,
                      struct err *err);
};

struct ledger {
    void *self;
    const struct ledger_runs *runs;
    const struct ledger_mailboxes *mailboxes;
    const struct ledger_intake *intake;
    const struct ledger_work *work;
    const struct ledger_people *people;
    const struct ledger_operators *operators;
    const struct ledger_notices *notices;
    const struct ledger_webhooks *webhooks;
    const struct ledger_keeping *keeping;
};
