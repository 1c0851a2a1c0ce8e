/* SPDX-License-Identifier: Apache-2.0
 *
 * service - the intake of one mailbox: observe, reserve, perform, accept, file, in turns.
 *
 * A service is one run (one process life) working on one mailbox over ports that somebody else
 * wired. service_tick is one turn; it blocks only inside ports and returns when to wake it. It may be
 * stopped between any two port calls: what it had armed is found by the next run.
 *
 * Ports and settings are borrowed for the service's life.
 */
#pragma once

#include <onecase/blobs.h>
#include <onecase/clock.h>
#include <onecase/composer.h>
#include <onecase/courier.h>
#include <onecase/destination.h>
#include <onecase/files.h>
#include <onecase/ledger.h>
#include <onecase/mailbox.h>
#include <onecase/processes.h>
#include <onecase/reader.h>
#include <onecase/scanner.h>

struct service_ports {
    const struct ledger *ledger;
    const struct mailbox *mailbox;
    const struct courier *courier;         /* NULL where no acknowledgements are configured */
    const struct destination *destination; /* NULL where the ledger is the only one */
    const struct blobs *blobs;
    const struct files *files; /* for the free room on the disk */
    const struct reader *reader;
    const struct scanner *scanner; /* NULL where attachments are not scanned */
    const struct composer *composer;
    const struct clock *clock;
    const struct processes *processes;
};

struct service_settings {
    struct policy policy;
    const char *inbox, *claim_folder;       /* folders.inbox, folders.claim */
    const char *name, *environment, *owner; /* of the deployment */
    const char *version;
    const char
        *node; /* whose runs share out their mailboxes with those of other machines; "": it works
                         on its mailbox whoever else does */
    const char *sender;          /* reverse path of acknowledgements, "" is null */
    const char *domain;          /* of `from`: the right side of their Message-IDs */
    const char *copy_to;         /* blind copy as evidence, "" is none */
    const char *evidence_folder; /* "" is no search */
    const char *take_over;       /* the deployment whose deed is removed; "" is none */
    int64_t first_import_recent_ms;
    int64_t max_message_size;
    int64_t lease_ms;
    int64_t final_timeout_ms, evidence_wait_ms;
    int64_t give_up_after_ms;
    int64_t poll_ms;
    int64_t disk_reserve;
    bool accept_unscanned;     /* an attachment that is too large for the scanner is stored */
    int64_t settle_ms;         /* how long a negative look-up is repeated (destinations) */
    unsigned destination_rate; /* requests a minute; 0 is no limit */
    struct backoff retry;
    size_t batch; /* messages in one turn of fetch, claim and move */
    /* While many messages are taken in, after each set of them; NULL: nobody wants to know. */
    void (*taken_in)(void *ctx, int64_t done, int64_t total);
    void *taken_in_ctx;
};

struct tick_result {
    int64_t wake_ms; /* wall time; NOT_DUE: only news from the mailbox wakes it */
    unsigned deliveries, new_items, duplicates, conflicts, completed, deferred, asked;
    int64_t awaiting_choice;
    bool moved;            /* something was recorded; call again at once */
    bool another_has_it;   /* a run elsewhere works on this mailbox; this one stands by */
    bool mailbox_failed;   /* the IMAP server could not be used; last_error says why */
    bool disk_full;        /* no new intake until there is room */
    char other_owner[160]; /* another deployment owns the mailbox; "" is nobody */
};

struct service;

/* Enters the run in the ledger. RC_DEFERRED, RC_BROKEN as the ledger says. */
enum rc service_new(const struct service_ports *ports,
                    const struct service_settings *settings,
                    struct service **out,
                    struct err *err) MUST_CHECK;
/* One turn. RC_OK also where servers failed (see tick_result); RC_DEFERRED: the ledger cannot be
 * written now; RC_BROKEN: it cannot be used. */
enum rc service_tick(struct service *service, struct tick_result *out, struct err *err) MUST_CHECK;
/* From now on nothing new is armed; ticks end what is in flight. May be called by a signal handler, also
 * in the middle of a tick. */
void service_stop(struct service *service);
/* The orderly end: leases are given back, the run leaves. For CLEANUP; after a failure it only frees. */
void service_free(struct service **service);
/* The run's id, borrowed; for tests and logs. */
const char *service_run(const struct service *service);
