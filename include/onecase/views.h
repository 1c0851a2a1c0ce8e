/* SPDX-License-Identifier: Apache-2.0
 *
 * views (port) - reading the ledger for people: the rows behind every table, page and report.
 *
 * Nothing here writes. A view is a list of rows whose texts live in the view; view_clear frees it all.
 * Rows of a paged view come in the order said beside it, `limit` 0 is all.
 */
#pragma once

#include <onecase/ledger.h>

struct view_memory; /* owns every text of a view */

struct view_effect {
    const char *kind, *target, *status, *external_id, *reason, *error;
    int64_t attempts, due_ms;
};

struct view_attempt {
    const char *kind, *target, *run, *phase, *outcome, *stage;
    int64_t number, code, started_ms, armed_ms, ended_ms;
};

struct view_evidence {
    const char *kind, *target, *evidence, *place;
    bool found;
    int64_t seen_ms;
};

/* What came back about an acknowledgement: a delivery report's action, or "answered". */
struct view_report {
    const char *action, *key; /* the item that says so */
    int64_t seen_ms;
};

struct view_reports {
    const struct view_report *at;
    size_t count;
};

struct view_approval {
    const char *decision, *by, *second, *why;
    int64_t decided_ms, undone_ms;
};

/* What a person said of it without deciding, or the help desk that refused it. */
struct view_note {
    const char *text; /* with who said it */
    int64_t noted_ms;
};

/* What a person said of all later mail of a sender. */
struct view_sender_rule {
    int64_t id, made_ms;
    const char *mailbox, *sender, *key, *reference, *by, *why; /* key: the mail it was said of */
};

/* A replay of many: as it was chosen, and how far it is. */
struct view_bulk {
    int64_t id, begun_ms, ended_ms; /* NOT_DUE: it is not ended */
    int64_t all, done;
    const char *selection, *by, *second, *why;
};

/* What one person has proposed and another is to approve. */
struct view_proposal {
    int64_t id, proposed_ms;
    const char *subject, *key, *reference, *by, *account, *why; /* key: "" is no one mail */
};

struct view_condition {
    const char *name, *value;
    bool holds;
};

struct view_delivery {
    int64_t id;
    const char *key, *mailbox, *folder, *class, *state, *reference, *run;
    uint32_t uidvalidity, uid;
    int64_t seen_ms, internal_ms, size;
};

struct view_item {
    const char *key, *key_source, *mailbox, *digest, *state, *disposition, *reason, *reference;
    const char *completion_state, *sender, *subject;
    struct slice message_id; /* octets */
    int64_t first_seen_ms, completed_ms, next_due_ms, attempts, deliveries, duplicates;
    int64_t flood; /* how many mails of its sender wait with it as one flood, itself included */
    bool let_go;   /* contents of it were, by retention: nothing is decided about it any more */
    bool not_told; /* its acknowledgement was refused, given up, or came back */
    const struct view_effect *effect;
    size_t effects;
    /* only in a view of one item */
    const struct view_delivery *delivery;
    size_t delivery_count;
    const struct view_attempt *attempt;
    size_t attempt_count;
    const struct view_evidence *evidence;
    size_t evidence_count;
    struct view_reports reports;
    const struct view_approval *approval;
    size_t approval_count;
    const struct view_condition *condition;
    size_t condition_count;
    const struct view_note *note;
    size_t note_count;
    const char *text;      /* of the mail; "" where it could not be read */
    const char *first_key; /* of a conflict */
    int64_t sent_ms, size; /* sent: its Date; NOT_DUE is none */
    /* From when `not-sent` may be decided; NOT_DUE where it is no question, INT64_MAX: once its run has
     * ended, or a person says that it has. */
    int64_t not_sent_from_ms;
};

struct view_attachment {
    const char *name, *path, *type, *sha256, *status, *reason;
    int64_t size;
};

struct view_message {
    const char *key, *from, *reply_to, *subject, *text, *direction;
    int64_t date_ms; /* NOT_DUE where it has none */
    uint32_t signs;  /* of enum message_sign, where it came in */
};

struct view_case {
    const char *reference, *key, *mailbox, *from, *subject, *state;
    const char *merged_into; /* another case's reference; "" is none */
    int64_t created_ms, messages;
    const struct view_attachment *attachment;
    size_t attachments;
    const struct view_message *message; /* only in a view of one case */
    size_t message_count;
    struct view_reports reports;
};

struct view_count {
    const char *name;
    int64_t count;
};

struct view_mailbox {
    const char *id;
    const char *mode; /* NULL: the ledger does not know; the configuration does */
    int64_t imap_secret_ms, smtp_secret_ms; /* when they expire, likewise; 0: nobody has said */
    int64_t state[ITEM_STATE_COUNT], duplicates;
    const struct view_count *waiting; /* by reason */
    size_t waiting_count;
    int64_t not_told, backlog, oldest_incomplete_ms, awaiting_choice;
    const struct circuit *circuit; /* CIRCUIT_OF_COUNT of them */
    bool paused, claimed;
    const char *claim_owner; /* another deployment; "" is nobody */
    const char *import_choice, *last_error;
    int64_t last_success_ms;
    int64_t difference; /* messages to be filed that the inbox had no more */
    struct quota quota; /* as the server said it within the last day; else all 0 */
};

struct view_key {
    const char *key, *reference, *classes; /* classes: joined by a comma */
    int64_t deliveries, first_seen_ms, last_seen_ms;
};

/* One decision, or one replay. */
struct view_decision {
    int64_t id;
    const char *key, *reference, *mailbox, *decision, *by, *second, *why;
    const char *state, *reason; /* of the item, when it was taken */
    const char *plan;           /* of a replay: the plan's digest */
    int64_t decided_ms;
    int64_t undone_ms; /* NOT_DUE: it stands */
    int64_t asked_ms;  /* since when the item waited for it; NOT_DUE: it did not */
};

/* Copies of one day, of the zone in which people read (TZ). */
struct view_day {
    const char *date; /* "2026-03-02" */
    int64_t count[DELIVERY_CLASS_COUNT], sum;
};

/* Contract section 8, report duplicates, as it stood at the end of the period: it must add up. */
struct view_duplicates {
    int64_t since_ms, until_ms;
    int64_t deliveries;
    int64_t class[DELIVERY_CLASS_COUNT];
    int64_t arrived_as[DISPOSITION_COUNT]; /* of `first`, by disposition at arrival */
    int64_t decided_new_case, decided_append, decided_dismissed, decided_waiting;
    int64_t cases_prevented, acknowledgements_withheld, doubles, found_at_destination;
    int64_t by_delivery, by_concurrent_run, by_retry, by_replay, by_other_deployment;
    const struct view_day *day;                /* those with copies, in order */
    const struct view_count *mailbox, *domain; /* copies by each */
    size_t days, mailboxes, domains;
    const struct view_key *key;
    size_t keys;
    const struct view_decision *late; /* of after the period, about mail of it; in no number */
    size_t late_count;
};

/* The rows of one number of that report: which, of which period, and how many of those below an id. */
struct view_figure {
    const char
        *number; /* by its name in JSON: "redelivered", "decided.waiting", "boundaries.retry",
                         * "day:2026-03-02", "day:2026-03-02/list_copy", ... */
    int64_t since_ms, until_ms, below; /* below: 0 is from the newest on */
    size_t limit;                      /* 0: all */
};

struct view_report_row {
    const char *key, *reference, *mailbox;
    const char *what; /* the arrival's class, or acknowledgement-unknown, -doubled */
    int64_t at_ms, id;
};

/* One process life. */
struct view_run {
    const char *id, *host, *version, *name, *environment, *owner;
    const char *mailboxes; /* joined by a comma */
    const char *ended;     /* "left", "dead"; "" while it is not known to have ended */
    int64_t pid, entered_ms, beat_ms, ended_ms;
};

/* A case that has the same words as another one under another identifier. */
struct view_suspect {
    const char *key, *reference, *mailbox, *from, *subject, *fingerprint, *state;
    int64_t created_ms;
};

/* A file that must stand on the disk. */
struct view_file {
    const char *key, *path, *sha256;
};

/* What is left of a mail that may be let go. */
struct view_retained {
    const char *key, *reference, *mailbox;
    const char *kept_by; /* "" nothing, "held", "incomplete" */
    int64_t ended_ms;
    unsigned contents; /* CONTENT()s */
};

/* A file that no row counts on any more. */
struct view_leaving_file {
    const char *key, *path;
    const char *name; /* of an attachment; "" is the original */
};

/* That somebody's data was erased; `subject` is the address under the ledger's secret. */
struct view_erasure {
    const char *subject, *by, *why;
    int64_t mails, erased_ms;
};

/* A message that is recorded as gone from a folder. */
struct view_left {
    const char *key;
    uint32_t uid;
};

/* What the ledger says against itself. */
struct view_contradiction {
    const char *key, *says;
};

/* One line of the event chain. */
struct view_event {
    const char *run, *mailbox, *key, *subject, *what, *from, *to, *actor, *previous, *hash;
    int64_t number, at_ms;
};

/* So many of one word in one mailbox; "" is none of them. */
struct view_number {
    const char *mailbox, *word, *other; /* other: the second word, where there are two */
    int64_t count;
    int64_t oldest_ms; /* of what waits: since when the longest does; NOT_DUE: it is no question */
};

struct view_numbers_list {
    const struct view_number *at;
    size_t count;
};

/* How notices by one channel have gone. */
struct view_channel {
    const char *channel, *why; /* why: of the last that failed; "" where the last went well */
    int64_t last_done_ms, failing_since_ms; /* NOT_DUE: never; it does not fail */
};

/* How the posts of one webhook have gone. */
struct view_webhook {
    const char *name, *why; /* why: of the last failure */
    bool enlisted;          /* it is configured */
    int64_t waiting, dead, done;
    int64_t oldest_ms;        /* of what waits; NOT_DUE: nothing does */
    int64_t due_ms;           /* nothing is tried before; NOT_DUE: nothing holds it up */
    int64_t failing_since_ms; /* NOT_DUE: the last was taken */
    int64_t last_done_ms;     /* NOT_DUE: never */
};

/* A post that nobody tries any more. */
struct view_dead_letter {
    const char *id, *webhook, *event, *mailbox, *key, *reference, *why;
    int64_t code, attempts, created_ms, ended_ms;
};

/* What monitoring counts, of the whole ledger. */
struct view_numbers {
    struct view_numbers_list deliveries; /* by mailbox and class */
    struct view_numbers_list waiting;    /* by mailbox and reason */
    struct view_numbers_list steps;      /* by mailbox, kind and status */
    struct view_numbers_list attempts;   /* by kind and outcome */
    struct view_numbers_list decisions;  /* by decision; a replay is `replay` */
    struct view_numbers_list runs;       /* by how they ended; "" has not */
    struct view_numbers_list notices;    /* by channel and outcome */
    const struct view_webhook *webhook;
    size_t webhooks;
    /* Arrival (INTERNALDATE) to accepted by the mail server: how many within each bound, and of all. */
    const int64_t *latency_bound_ms;
    const int64_t *latency;
    size_t latency_bounds;
    int64_t latency_count, latency_sum_ms;
    int64_t events;
    int64_t died_ms;   /* the last run that died; NOT_DUE: none */
    int64_t backup_ms; /* the last backup; NOT_DUE: there was none */
};

/* Of one mailbox, in one hour. */
struct view_hour {
    int64_t start_ms, arrivals, told;
};

/* An item, by its names only. */
struct view_named {
    const char *key, *reference;
};

/* What is still to be done at a destination, by its name and, behind a slash, the step. */
struct view_awaited {
    const char *target;
    int64_t steps;
};

struct view {
    struct view_memory *memory;
    void *row; /* view_item, view_delivery, … as the function says */
    size_t count;
};

void view_clear(struct view *view); /* for CLEANUP */

struct view_filter {
    const char *state;     /* NULL: any; of items, or `duplicate` for deliveries */
    const char *mailbox;   /* NULL: any */
    int64_t older_than_ms; /* first seen before this instant; NOT_DUE: any */
    bool not_told;
    bool fold_floods; /* of each sender's flood that waits, only the first mail */
    int64_t below;    /* of deliveries: only those with a smaller id; 0: any */
    size_t limit;
};

/* Part of a list that is read page by page, from behind the last row of the page before. */
struct view_page {
    enum { PAGE_ALL, PAGE_ASKS, PAGE_NOT_TOLD } of;
    const char *mailbox, *state; /* NULL: any; PAGE_ASKS has its own */
    int64_t after_ms;            /* with `after_key`: the last row of the page before */
    const char *after_key;       /* NULL: from the beginning */
    const char *text;            /* of cases: words that must be found; NULL: any */
    bool attachments;            /* of cases: read these, too */
    size_t limit;
};

/* What persons decided, replays aside, page by page: of [since, until), from behind the last row of the page
 * before. */
struct view_audit {
    int64_t since_ms, until_ms;
    const char *by;             /* NULL: anybody */
    bool asked;                 /* only where a mail waited for it */
    int64_t after_ms, after_id; /* after_id 0: from the newest on */
    size_t limit;
};

enum choice_of {
    CHOICE_ALL,
    CHOICE_FROM,   /* an address, without regard to case */
    CHOICE_DOMAIN, /* of the sender, likewise */
    CHOICE_MAILBOX,
    CHOICE_REASON, /* why it waits */
    CHOICE_CASE,   /* a reference */
    CHOICE_OF_COUNT
};

/* Which mails a replay of many is about. */
struct view_choice {
    const char *state;
    enum choice_of of;
    const char *value; /* not of CHOICE_ALL */
    size_t limit;      /* 0: all of them */
};

/* How often something was looked for, and found, when a confirmation was in doubt. */
struct view_track {
    int64_t looked, found;
};

struct views {
    void *self;
    /* view_mailbox, by id. */
    enum rc (*mailboxes)(void *self, int64_t now_ms, struct view *out, struct err *err);
    /* How many items of one mailbox are in each state: kept as they change, and cheap to ask. */
    enum rc (*states)(void *self,
                      const char *mailbox,
                      int64_t out[ITEM_STATE_COUNT],
                      struct err *err);
    /* view_item, newest first. */
    enum rc (*items)(void *self,
                     const struct view_filter *filter,
                     struct view *out,
                     struct err *err);
    /* One view_item, whole: by a unique prefix of its key (8 digits or more) or by its case's
     * reference. RC_NOT_FOUND; RC_CONFLICT where a prefix is not unique. */
    enum rc (*item)(void *self, const char *key, struct view *out, struct err *err);
    /* view_named: the others that wait for the same reason as this one, and whose last try (or arrival)
     * was of the same run or in the same minute; of a flood, those of the same sender; of a help desk that is gone, its. */
    enum rc (*alike)(void *self, const char *key, struct view *out, struct err *err);
    /* view_decision, of [since, until), oldest first: replays, or all else. */
    enum rc (*decisions)(void *self,
                         int64_t since_ms,
                         int64_t until_ms,
                         bool replays,
                         struct view *out,
                         struct err *err);
    /* view_decision, newest first. */
    enum rc (*audit)(void *self, const struct view_audit *page, struct view *out, struct err *err);
    /* view_run, newest first: those behind the run `after`, NULL: from the newest on. RC_NOT_FOUND. */
    enum rc (*runs)(void *self, const char *after, size_t limit, struct view *out, struct err *err);
    /* view_suspect, those alike together: all, or those like the item `key`. */
    enum rc (*suspects)(void *self, const char *key, struct view *out, struct err *err);
    /* view_file: every original and attachment that counts as stored, of mails whose key begins with `keys`;
     * "" is all. */
    enum rc (*files)(void *self, const char *keys, struct view *out, struct err *err);
    /* view_file under incoming/: of every mail whose original is still to be kept. */
    enum rc (*fetched)(void *self, struct view *out, struct err *err);
    /* view_retained: what the rule lets go now, oldest first; nothing that is kept. */
    enum rc (*retained)(void *self,
                        const struct retention_rule *rule,
                        struct view *out,
                        struct err *err);
    /* view_retained: all mails of that sender, or that were answered to it, oldest first. */
    enum rc (*of_person)(void *self, const char *address, struct view *out, struct err *err);
    /* view_leaving_file: those that are still to be removed. */
    enum rc (*leaving)(void *self, struct view *out, struct err *err);
    /* view_erasure, newest first. */
    enum rc (*erasures)(void *self, struct view *out, struct err *err);
    /* view_awaited: of cases at every destination but the ledger, configured or not. */
    enum rc (*awaited)(void *self, struct view *out, struct err *err);
    /* How many items there are. */
    enum rc (*counted)(void *self, int64_t *out, struct err *err);
    /* Of octets, by the hex of their digest: are they recorded, and is an original still to be made of
     * them? */
    enum rc (*incoming)(
        void *self, const char *octets, bool *recorded, bool *wanted, struct err *err);
    /* view_event of one item, in order. */
    enum rc (*events)(void *self, const char *key, struct view *out, struct err *err);
    /* view_left, by UID: the next ones above `after`, some thousands. */
    enum rc (*left)(void *self,
                    const char *mailbox,
                    const char *folder,
                    uint32_t uidvalidity,
                    uint32_t after,
                    struct view *out,
                    struct err *err);
    /* view_contradiction. */
    enum rc (*contradictions)(void *self, struct view *out, struct err *err);
    /* One view_bulk. RC_NOT_FOUND. */
    enum rc (*one_bulk)(void *self, int64_t id, struct view *out, struct err *err);
    /* view_bulk, newest first: those with a smaller id, 0: from the newest on. */
    enum rc (*bulks)(void *self, int64_t below, size_t limit, struct view *out, struct err *err);
    /* view_sender_rule, those that stand; view_proposal, those that are open; oldest first, those with a
     * greater id. */
    enum rc (*sender_rules)(
        void *self, int64_t after, size_t limit, struct view *out, struct err *err);
    enum rc (*proposals)(
        void *self, int64_t after, size_t limit, struct view *out, struct err *err);
    /* How many items wait for a person. */
    enum rc (*asked)(void *self, int64_t *out, struct err *err);
    /* How many PAGE_NOT_TOLD has. */
    enum rc (*untold)(void *self, int64_t *out, struct err *err);
    /* view_item: those that wait oldest first, others newest first. */
    enum rc (*item_page)(void *self,
                         const struct view_page *page,
                         struct view *out,
                         struct err *err);
    /* view_item, newest first. */
    enum rc (*chosen)(void *self,
                      const struct view_choice *choice,
                      struct view *out,
                      struct err *err);
    /* view_case, newest first. */
    enum rc (*case_page)(void *self,
                         const struct view_page *page,
                         struct view *out,
                         struct err *err);
    /* view_hour of a mailbox since then, in order; hours without anything are left out. */
    enum rc (*hours)(
        void *self, const char *mailbox, int64_t since_ms, struct view *out, struct err *err);
    /* Milliseconds from a mail's arrival to its confirmation, of a mailbox since then: of the middle one and
     * of the one that 19 of 20 were not slower than. NOT_DUE: there was none. */
    enum rc (*latency)(void *self,
                       const char *mailbox,
                       int64_t since_ms,
                       int64_t *middle,
                       int64_t *most,
                       struct err *err);
    enum rc (*track)(void *self, const char *mailbox, struct view_track *out, struct err *err);
    /* view_delivery, newest first. */
    enum rc (*deliveries)(void *self,
                          const struct view_filter *filter,
                          struct view *out,
                          struct err *err);
    /* view_case, newest first. */
    enum rc (*cases)(void *self,
                     const struct view_filter *filter,
                     struct view *out,
                     struct err *err);
    /* One view_case with its messages, by reference. */
    enum rc (*one_case)(void *self, const char *reference, struct view *out, struct err *err);
    /* view_webhook, by name. */
    enum rc (*webhooks)(void *self, struct view *out, struct err *err);
    /* view_dead_letter, newest first: those behind the post `after`, by its id, NULL: from the newest on.
     * RC_NOT_FOUND. */
    enum rc (*dead_letters)(
        void *self, const char *after, size_t limit, struct view *out, struct err *err);
    /* view_channel, by name: those by which a notice was ever tried. */
    enum rc (*channels)(void *self, struct view *out, struct err *err);
    /* One view_numbers. */
    enum rc (*numbers)(void *self, struct view *out, struct err *err);
    /* view_report_row, newest first; RC_USAGE names the numbers that there are. */
    enum rc (*duplicate_rows)(void *self,
                              const struct view_figure *asked,
                              struct view *out,
                              struct err *err);
    /* One view_duplicates, of deliveries seen in [since, until). */
    enum rc (*duplicates)(
        void *self, int64_t since_ms, int64_t until_ms, struct view *out, struct err *err);
};
