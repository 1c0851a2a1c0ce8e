/* SPDX-License-Identifier: Apache-2.0
 *
 * service_p - what the files of src/service share: the service, a batch of work, its changes.
 *
 * A turn works on a batch of items under one lease. Each stage adds guarded changes to the batch and
 * batch_commit writes them in one transaction; where that conflicts or fails, it writes them item by
 * item, and an item whose changes do not hold is lost to this run (somebody else has it). Only what
 * was written is applied to the batch in memory, so a later stage never acts on an intent that is
 * not durable.
 */
#pragma once

#include <onecase/log.h>
#include <onecase/service.h>
#include <onecase/source.h>

/* A deed or a mark in the claim folder. */
struct claim_note {
    uint32_t uid;
    bool mark;
    char ledger[RUN_ID_SIZE], mailbox[NAME_SIZE], inbox[256];
    char name[65], environment[65], owner[129];
    int64_t generation, event;
    /* Of that event: a ledger that was restored soon has lines of its own under the same numbers. */
    char hash[DIGEST_HEX_SIZE];
};

/* What the last whole look left behind where it left nothing to do: as long as it holds, a poll asks the server
 * whether there is news, and does no more. */
struct quiet {
    bool known;
    int64_t looked_boot_ms;
    int64_t event, generation; /* of the ledger, and */
    int64_t version;           /* of the mailbox's row, as it left them */
};

/* Decoded files of mails that were reserved in this turn and not yet kept. */
struct shelf {
    struct shelved {
        struct digest octets;
        int64_t size;
        struct message message; /* its parts alone */
    } * at;
    size_t count;
    int64_t size;  /* of those mails */
    size_t coming; /* mails that were decoded, and are not recorded yet */
    int64_t coming_size;
};

/* A folder that messages are filed to. What comes to it later has its UIDNEXT or more, under that UIDVALIDITY. */
struct target_folder {
    char name[256]; /* "" before the first look */
    struct folder_state state;
};

struct service {
    const struct service_ports *port;
    const struct service_settings *set;
    struct run_facts run;
    struct ledger_facts ledger;
    struct mailbox_record record;
    int64_t renewed_boot_ms;   /* when leases were last renewed */
    int64_t sure_from_boot_ms; /* since then they were always renewed before they were over */
    bool entered;
    _Atomic bool stopping; /* set from a signal handler */
    bool careful;          /* a run died without explanation: one by one, marking each */
    /* When the claim folder was last read since this run began, the mailbox was ours: and the ledger is as
     * it was left. */
    bool claim_read;
    bool stands_by;    /* a run elsewhere works on its mailbox */
    bool told_failure; /* the log has said what is wrong with the mailbox's server */
    bool record_changed;
    bool
        left_over; /* of this turn: a message stays in the inbox that could not be kept or recorded */
    char looked_late_at[KEY_SIZE]; /* the last doubt that was looked at; "" begins with the first */
    int64_t late_rests_boot_ms; /* until when no doubt is looked at that a person is asked about */
    uint32_t claim_uidvalidity; /* of the claim folder, for the notes */
    struct claim_note *note;    /* what stands in it; read once a UID */
    size_t notes;
    int64_t marked_boot_ms;      /* when the last mark was written */
    struct target_folder target; /* of this turn */
    struct quiet quiet;
    struct shelf shelf;
    bool told_success;          /* the ledger has it from this run that the mailbox was looked at */
    int64_t asked_boot_ms;      /* until when what was asked of the destination uses up its rate */
    struct tick_result *result; /* of the turn under way */
};

/* What is known of an attachment before it is stored. */
enum scanned { NOT_SCANNED, SCANNED_CLEAN, ACCEPTED_UNSCANNED };

struct job {
    struct work_item item;
    enum scanned *scanned; /* one an attachment; owned */
    bool lost;             /* another run has it, or its changes could not be written */
    bool waits;            /* only a person can decide; `reason` says why */
    enum reason reason;
    bool accepted; /* the conditions were stored as held */
    struct acceptance acceptance;
    bool read; /* `message` was read again from its original */
    struct message message;
    int64_t due_ms; /* earliest wall time at which it may move; NOT_DUE */
};

struct planned_change {
    struct change change;
    struct job *job;            /* NULL: of no item (a circuit) */
    struct work_effect *effect; /* stepped in memory once written; NULL for other changes */
    char text[NOTE_SIZE];       /* what the change points to: place, note, external id */
};

struct batch {
    struct service *s;
    struct job *job;
    size_t count;
    struct planned_change *change;
    size_t changes;
    int64_t armed_boot_ms; /* its moves; then, when one was last answered */
};

/* ---- batch.c */
/* Frees a message and removes the spool files of its parts. */
void message_forget(struct service *s, struct message *m);
void batch_clear(struct batch *b);
struct change *batch_add(struct batch *b, struct job *job, enum change_what what);
/* Adds a step of an effect from its present status; fill in what else it needs. Valid until the next
 * batch_ call. */
struct effect_change *
batch_step(struct batch *b, struct job *job, struct work_effect *effect, enum effect_event on);
/* Gives the step just added its external id (copied). */
void batch_external(struct batch *b, const char *external_id);
void batch_note(struct batch *b, struct job *job, const char *text);
void batch_words(struct batch *b, struct job *job, const char *who, const char *words);
void batch_evidence(struct batch *b,
                    struct job *job,
                    const struct work_effect *effect,
                    const char *kind,
                    bool found,
                    const char *where);
/* RC_OK: what could be written was, the rest is lost. RC_DEFERRED, RC_BROKEN: nothing more can be. */
enum rc batch_commit(struct batch *b, struct err *err) MUST_CHECK;
void job_wait(struct job *job, enum reason reason);
void job_due(struct job *job, int64_t at_ms);
bool job_live(const struct job *job); /* neither lost nor waiting */
struct work_effect *job_effect(struct job *job, enum effect_kind kind);
bool effect_due(const struct work_effect *effect, int64_t now_ms);
bool effects_settled(const struct job *job, enum effect_kind kind);
bool cases_stand(
    const struct job
        *job); /* every one is made that is to be; a refused one is settled, and is not */
/* The completion state that an acknowledgement tells: fixed, or as it would be fixed now. */
const char *answer_target(const struct job *job, const struct work_effect *effect);

/* ---- service.c */
struct instant service_now(const struct service *s);
int64_t service_backoff(struct service *s, unsigned tries);
/* When to look again for what may still show: the longer it has not, the later. */
int64_t service_look_again(const struct service *s, int64_t since_ms);
bool service_may(const struct service *s, enum effect_kind kind); /* not paused */
/* Renews the leases when a third of their length has passed. */
enum rc service_renew(struct service *s, struct err *err) MUST_CHECK;
/* May what was armed at that boot time still leave? Only soon after, and within the lease that this run is sure
 * of: then nobody can have taken it over. */
bool service_in_time(const struct service *s, int64_t armed_boot_ms);
/* A server's fault on the IMAP side: opens its circuit, remembers the reason. */
void service_mailbox_fault(struct service *s, const struct err *why);

/* ---- quiet.c */
/* Whether this turn needs to look no further than the server's word that the inbox is as it was. */
enum rc quiet_check(struct service *s, bool *out, struct err *err) MUST_CHECK;
/* At the end of a turn that has looked at everything: remembers whether something is left to do. */
void quiet_note(struct service *s);

/* ---- shelf.c: what intake decoded, until it is kept */
bool shelf_has_room(const struct service *s, int64_t size);
/* Takes up room from here on: decoded, and not recorded yet. */
void shelf_expect(struct service *s, int64_t size, const struct message *m);
void shelf_expect_none(struct service *s);
/* Takes the files of `m` over, and clears it. */
void shelf_put(struct service *s, const struct digest *octets, int64_t size, struct message *m);
/* Hands them on, once. */
bool shelf_take(struct service *s, const struct digest *octets, struct message *out);
void shelf_clear(struct service *s);

/* ---- observe.c */
/* Is a message from before the first start? */
bool from_before(const struct mailbox_record *r,
                 uint32_t uidvalidity,
                 const struct mail_line *line);

/* ---- the stages, in order */
enum rc recover(struct service *s, struct err *err) MUST_CHECK;     /* recover.c */
enum rc claim_check(struct service *s, struct err *err) MUST_CHECK; /* claim.c */
enum rc claim_mark(struct service *s, struct err *err) MUST_CHECK;
enum rc observe(struct service *s, struct err *err) MUST_CHECK; /* observe.c */
enum rc observe_filed(struct service *s, struct err *err) MUST_CHECK;
enum rc hold_back(struct service *s, struct err *err) MUST_CHECK;     /* hold.c; before observe */
enum rc hold_new(struct service *s, struct err *err) MUST_CHECK;      /* after it */
enum rc evidence_late(struct service *s, struct err *err) MUST_CHECK; /* evidence.c */
enum rc perform(struct service *s, struct err *err) MUST_CHECK;       /* perform.c */

/* ---- inside perform */
bool attachment_wanted(struct batch *b, const struct job *job, const struct work_effect *e);
/* How much of an attachment's target a log may hold: "01" or "DESTINATION/01", never the name. */
int attachment_shown(const char *target);
struct work_attachment *attachment_planned(struct job *job, const struct work_effect *effect);
/* The spool file of a planned attachment, read again where need be. Its failures are attachment_failed's. */
enum rc attachment_spool(struct batch *b,
                         struct job *job,
                         const struct work_attachment *a,
                         struct str *out,
                         struct err *err) MUST_CHECK;
void attachment_failed(
    struct batch *b, struct job *job, struct work_effect *e, enum rc rc, const struct err *why);
enum rc store_originals(struct batch *b, struct err *err) MUST_CHECK; /* attach.c */
enum rc store_attachments(struct batch *b, struct err *err) MUST_CHECK;
/* Asks the scanner about what is to be stored; what it may be stored as stands in `scanned`. */
enum rc scan_attachments(struct batch *b, struct err *err) MUST_CHECK; /* scan.c */
enum rc place_cases(struct batch *b, struct err *err) MUST_CHECK;      /* place.c */
enum rc place_files(struct batch *b, struct err *err) MUST_CHECK;
enum rc answer(struct batch *b, struct err *err) MUST_CHECK;         /* answer.c */
enum rc evidence_check(struct batch *b, struct err *err) MUST_CHECK; /* evidence.c */
enum rc accept_items(struct batch *b, struct err *err) MUST_CHECK;   /* accept.c */
enum rc file_messages(struct batch *b, struct err *err) MUST_CHECK;  /* file.c */
enum rc filings_check(struct batch *b, struct err *err) MUST_CHECK;
/* Where the folder that messages are filed to ended: looked at once a turn, and moved on by what is filed to it. */
enum rc target_look(struct service *s, const char *folder, struct err *err) MUST_CHECK;
/* The delivery that a move effect is about, or NULL. */
const struct work_delivery *move_delivery(const struct job *job, const struct work_effect *effect);
enum rc close_items(struct batch *b, struct err *err) MUST_CHECK; /* perform.c */

/* ---- fetch.c: octets from the server into incoming/ */

/* A folder, and the UIDVALIDITY under which its UIDs were seen. */
struct place {
    const char *folder;
    uint32_t uidvalidity;
};

struct fetched {
    struct mail_line line;
    bool whole; /* its octets are durable in incoming/ */
    struct digest octets;
    struct source *source; /* owned: what the octets, or the header alone, say */
};

struct fetched_set {
    struct fetched *at;
    size_t count;
    bool taken; /* none came: the name of one has other octets already */
};

/* Streams the messages named by `line` (uid set) into incoming/; `out` has one entry a message that
 * came. Oversize ones come by their header only. */
enum rc fetch_messages(struct service *s,
                       const struct place *place,
                       const struct mail_line *line,
                       size_t count,
                       struct fetched_set *out,
                       struct err *err) MUST_CHECK;
void fetched_clear(struct fetched_set *c); /* for CLEANUP */
/* Only the digests of messages, keeping nothing: of all of them, or RC_DEFERRED. */
enum rc fetch_digests(struct service *s,
                      const struct place *place,
                      const struct mail_line *line,
                      size_t count,
                      struct digest *out,
                      struct err *err) MUST_CHECK;
/* The header block of one message; RC_NOT_FOUND where it did not come, from which nothing follows: a server
 * may list what it does not give a moment later. */
enum rc fetch_header(struct service *s,
                     const struct place *place,
                     uint32_t uid,
                     struct str *out,
                     struct err *err) MUST_CHECK;

/* ---- intake.c */
/* `filed`: found in Processed, where it stays. */
enum rc intake_reserve(struct service *s,
                       const struct place *place,
                       const struct fetched_set *caught,
                       bool filed,
                       struct err *err) MUST_CHECK;
/* incoming/SHA256 of these octets is no longer needed. */
void incoming_forget(struct service *s, const struct digest *octets);
