/* SPDX-License-Identifier: Apache-2.0
 *
 * operations - everything that a front (the terminal, the console) can make the program do.
 *
 * One struct for both fronts, so that they cannot differ. What only reads goes through views.h, what a
 * person decides through ledger.h's people; here stands what needs the outside world: running, trying
 * the installation, looking at a file. Filled in by app, which alone knows the adapters.
 */
#pragma once

#include <onecase/accounts.h>
#include <onecase/config.h>
#include <onecase/ledger.h>
#include <onecase/views.h>

/* What a run would do with a message of the inbox; the program's own words. */
struct would_be {
    const char *mailbox, *class, *disposition, *reference, *reason;
    uint32_t uid;
    bool copy;        /* of a mail that has its item: nothing is made of it */
    const char *skip; /* why no acknowledgement is sent; "" one is, NULL: it is no question */
};

struct run_request {
    bool once;             /* ticks until nothing can move, then a summary */
    bool dry_run;          /* says what would be done with each message now in the inbox */
    const char *only;      /* one mailbox; NULL is all */
    const char *take_over; /* the deployment whose deed is removed; NULL is none */
    /* Long work tells how far it is; may be NULL. `total` 0: not known. */
    void (*progress)(void *ctx, const char *what, int64_t done, int64_t total);
    /* With dry_run: what would be done with each message. */
    void (*would)(void *ctx, const struct would_be *message);
    void *ctx;
};

/* What `run --once` prints (contract section 8). */
struct run_summary {
    int64_t deliveries, new_items, duplicates, conflicts, completed, deferred;
    int64_t needs_reconciliation, awaiting_choice;
    bool mailbox_failed;   /* an IMAP server could not be reached: 69 */
    bool disk_failed;      /* 74 */
    char other_owner[160]; /* another deployment owns a mailbox: 77 */
};

enum finding { FINDING_GOOD, FINDING_WARNING, FINDING_BAD };

/* One thing that doctor tried. */
struct check_result {
    enum finding finding;
    const char *what; /* "help: sign-in to imap.example.org:993" */
    const char *mend; /* what is wrong and how to mend it; "" where good */
};

/* What is known of the machine that a command runs on. */
struct installation {
    const char *version;
    int64_t disk_free; /* octets on the disk of data_dir; -1: it cannot be asked */
};

/* What verify has looked at. */
struct verified {
    int64_t items_wrong, files, messages;
    bool mailbox_failed; /* a mailbox could not be compared */
};

/* One key rule, in the order of the configuration, and how it fits. */
struct rule_tried {
    char name[NAME_SIZE]; /* its namespace, or "use: digest" */
    enum rule_fit fit;
};

struct identified {
    struct identity identity;
    struct str immutable_id, message_id;
    struct digest source_digest, payload_digest, fingerprint;
    char reference[REFERENCE_SIZE];
    char rule[NAME_SIZE];     /* namespace of the key rule that applied; "" is none */
    struct rule_tried *tried; /* those up to it, or all */
    size_t tried_count;
    struct message message; /* as it was read */
    bool readable;
    enum dmarc dmarc; /* as the servers of `authentication` say */
    enum skip skip;   /* would it be answered? */
};

void identified_clear(struct identified *id);

/* `template test`: what would the sender of this file be told? */
struct letter_question {
    const char *path, *mailbox; /* `mailbox` NULL: the first of the configuration */
    enum completion completion; /* COMPLETION_NONE: as it would be */
    const char *language;       /* NULL: as it would be */
};

struct letter_shown {
    char mailbox[NAME_SIZE], reference[REFERENCE_SIZE], recipient[ADDRESS_MAX + 1];
    enum completion completion;
    enum skip skip;                 /* why nobody is told; without a template the rest is empty */
    char languages[LANGUAGES_SIZE]; /* that were wished */
    char language[LANGUAGE_SIZE];   /* of the template taken; "" is not said */
    struct str octets; /* as they would leave, but for the proof, which is a secret's */
    struct str subject, text, html; /* the same to read; without HTML empty */
};

void letter_shown_clear(struct letter_shown *shown);

#define BACKUP_NAME_SIZE 24 /* "20260302T183000Z" */

struct backup_request {
    const char *folder;
    int64_t keep;  /* so many of the newest stay; 0: all */
    bool read_all; /* reads what earlier backups wrote, too, and copies anew what is damaged */
};

/* One backup, as it was made or as it lies there. */
struct backup_facts {
    char name[BACKUP_NAME_SIZE];
    char version[32]; /* of the program that made it */
    int64_t taken_ms, event, mails, files, octets;
    bool sealed;
};

struct backup_made {
    struct backup_facts facts;
    int64_t new_files, new_octets;
    int64_t backups_removed, files_removed;
    struct str missing; /* files that the ledger counts on and that cannot be had, one a line */
};

struct restore_request {
    const char *folder;
    const char *backup; /* its name; NULL: the newest */
    const char *key;    /* of one that is sealed: a file; NULL: there is none */
    void *ctx;
    enum rc (*passphrase)(void *ctx,
                          struct str *out,
                          struct err *err); /* of the key, if it has any */
};

struct restored {
    struct backup_facts facts;
    int64_t generation; /* of the ledger from now on */
};

struct files_moved;

/* Files from one place of `blobs` to another; `from` NULL: from where they are. */
struct files_move {
    const char *from, *to;
    void (*begins)(void *ctx, const struct files_moved *plan); /* what will be done; may be NULL */
    void (*progress)(void *ctx, int64_t done, int64_t total);  /* may be NULL */
    void *ctx;
};

struct files_moved {
    char from[256], to[256];
    int64_t files; /* that the ledger counts on */
    int64_t copied, octets, already;
    size_t runs;        /* of this ledger, that were alive when it began */
    struct str missing; /* files that cannot be had, one a line */
};

/* The ledger, to the other kind of database; `to` NULL: what was begun is given up. */
struct ledger_move {
    const char *to;
    void (*begins)(void *ctx); /* may be NULL */
    void (*progress)(void *ctx,
                     const char *table,
                     int64_t rows); /* so many more are copied, or compared */
    void *ctx;
};

struct ledger_moved {
    int64_t tables;
    int64_t copied, rows; /* by this call; and compared */
    int64_t followed; /* rows that had changed since they were copied, brought over by this call */
    int64_t last_event;
    int64_t took_ms;
    bool ended;   /* it is where it was moved to now */
    int64_t left; /* not ended: rows that have changed meanwhile */
};

/* What became of contents that were to be let go. */
struct let_gone {
    int64_t mails, files;
    int64_t
        kept; /* mails that came back to work, or that somebody holds, since they were looked for */
};

struct operations {
    void *self;
    const struct config *config; /* NULL where the command needs none */
    const struct ledger *ledger; /* NULL likewise */
    const struct views *views;
    bool no_ledger; /* there is none yet: an empty one is shown, and nothing of it stays */
    const struct accounts *accounts;
    const struct sessions *sessions;
    enum rc (*run)(void *self,
                   const struct run_request *request,
                   struct run_summary *out,
                   struct err *err);
    /* Tries everything; calls `tell` for each. RC_OK: all good; RC_REFUSED: something is not. */
    enum rc (*doctor)(void *self,
                      const char *send_to, /* NULL: nothing is sent */
                      bool since_last,     /* tells what has changed since it was last called */
                      void (*tell)(void *ctx, const struct check_result *result),
                      void *ctx,
                      struct err *err);
    /* Sends a marked case to a destination, from end to end, and takes it away where that can be done;
     * tells and returns as doctor. RC_NOT_FOUND: no such destination. */
    enum rc (*destination_test)(void *self,
                                const char *name,
                                void (*tell)(void *ctx, const struct check_result *result),
                                void *ctx,
                                struct err *err);
    /* Holds the ledger against itself, the files and the mailboxes; calls `tell` for each disagreement,
     * and changes nothing. */
    enum rc (*verify)(void *self,
                      void (*tell)(void *ctx, const char *what),
                      void *ctx,
                      struct verified *out,
                      struct err *err);
    /* Reads a file and says who it would be; touches nothing. */
    enum rc (*identify)(
        void *self, const char *path, const char *mailbox, struct identified *out, struct err *err);
    /* Of this machine, for metrics and `check`. */
    void (*look)(void *self, struct installation *out);
    /* Writes the letter that its sender would get; touches nothing. RC_REFUSED: there is none. */
    enum rc (*letter_test)(void *self,
                           const struct letter_question *question,
                           struct letter_shown *out,
                           struct err *err);
    /* Serves the pages until the process is told to end. */
    enum rc (*console)(void *self, struct err *err);
    /* Records of every run of this ledger that has died on this machine that it did: a decision may rest
     * on it, and no service need be running to see it. */
    enum rc (*prove_runs)(void *self, struct err *err);
    /* Saves ledger and files into a folder, beside a service that goes on. RC_DEFERRED: a backup or
     * retention is under way. */
    enum rc (*backup)(void *self,
                      const struct backup_request *request,
                      struct backup_made *out,
                      struct err *err);
    /* The backups in a folder, oldest first; `out` is owned by the caller (free). */
    enum rc (*backups)(
        void *self, const char *folder, struct backup_facts **out, size_t *count, struct err *err);
    /* Makes data_dir, which must be empty, of a backup. */
    enum rc (*restore)(void *self,
                       const struct restore_request *request,
                       struct restored *out,
                       struct err *err);
    /* Copies what the ledger counts on to another place of `blobs`, and compares it there; `out->missing`
     * is the caller's to clear. RC_DEFERRED: backup, retention or another move is under way. */
    enum rc (*move_files)(void *self,
                          const struct files_move *request,
                          struct files_moved *out,
                          struct err *err);
    /* Copies the ledger into another database and compares each row; while the service runs it is not ended
     * by that. RC_DEFERRED: call it again. RC_NOT_FOUND: there is nothing to give up. */
    enum rc (*move_ledger)(void *self,
                           const struct ledger_move *request,
                           struct ledger_moved *out,
                           struct err *err);
    /* Lets contents go: in the ledger, and then their files. */
    enum rc (*let_go)(void *self,
                      const struct letting_go *what,
                      size_t count,
                      struct let_gone *out,
                      struct err *err);
    /* Fetches the whole of a mail that is held for its size, up to `max_size` octets, and keeps it. */
    enum rc (*fetch_original)(void *self, const char *key, int64_t max_size, struct err *err);
    /* What is kept, wherever that is. A descriptor to read a file by, which the caller closes; how long it
     * is; and where it can be had without us. RC_NOT_FOUND: it is not there. */
    enum rc (*open_stored)(void *self, const char *path, int *fd, struct err *err);
    enum rc (*stored_size)(void *self, const char *path, int64_t *octets, struct err *err);
    void (*stored_place)(void *self, const char *path, struct str *out);
    /* Reads the original of a held item, for a decision that makes a case of it. */
    enum rc (*read_original)(void *self, const char *key, struct message *out, struct err *err);
};
