/* SPDX-License-Identifier: Apache-2.0
 *
 * store_testing - a ledger for tests: in memory or in a folder of its own, and rows written by hand.
 */
#pragma once

#include "ledger_place.h"
#include "store_p.h"

#include <testing.h>

#include <onecase/store.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEST_RUN  "0123456789abcdef0123456789abcdef"
#define OTHER_RUN "fedcba9876543210fedcba9876543210"
#define NOW_MS    INT64_C(1767225600000)

static inline struct instant at_ms(int64_t after_ms)
{
    return (struct instant){NOW_MS + after_ms, 1000000 + after_ms};
}

/* Prints the text of a failure, then fails the test. */
#define assert_rc(call, expected)                                                                  \
    do {                                                                                           \
        enum rc rc_ = (call);                                                                      \
        if (rc_ != (expected))                                                                     \
            print_error("%s, not %s: %s\n", rc_text(rc_), rc_text(expected), err.text);            \
        assert_int_equal(rc_, (expected));                                                         \
    } while (0)
#define assert_ok(call)    assert_rc((call), RC_OK)
#define assert_says(words) assert_non_null(strstr(err.text, (words)))

/* ---- places -------------------------------------------------------------------------------- */

struct place {
    char folder[32];
    char path[64];
};

static inline void place_make(struct place *p)
{
    snprintf(p->folder, sizeof p->folder, "/tmp/store-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->path, sizeof p->path, "%s/ledger.db", p->folder);
}

static inline void place_remove(struct place *p)
{
    static const char *const suffixes[] = {"",      "-wal",      "-shm",     "-journal",
                                           ".copy", ".copy-wal", ".copy-shm"};
    char path[80];

    for (size_t i = 0; i < LENGTH(suffixes); i++) {
        snprintf(path, sizeof path, "%s%s", p->path, suffixes[i]);
        unlink(path);
    }
    rmdir(p->folder);
}

static inline struct store_options options_for(const char *path)
{
    return (struct store_options){.path = ledger_place(path),
                                  .create = true,
                                  .secret_seed = {{1, 2, 3}},
                                  .now_ms = NOW_MS,
                                  .host_clock = true};
}

/* ---- a store, its run and its mailbox ------------------------------------------------------ */

static inline struct run_facts run_named(const char *id)
{
    struct run_facts run = {.host = "host",
                            .boot_id = "boot",
                            .pid = 7,
                            .version = "0.1",
                            .name = "help-desk",
                            .environment = "test",
                            .owner = "nobody"};

    snprintf(run.id, sizeof run.id, "%s", id);
    return run;
}

static inline struct store *store_at(const char *path)
{
    struct store_options options = options_for(path);
    struct store *store = NULL;
    struct err err = ERR_INIT;

    assert_ok(store_open(&options, &store, &err));
    return store;
}

/* In memory, with TEST_RUN entered and a mailbox "help". */
static inline struct store *store_with_run(void)
{
    struct store *store = store_at(":memory:");
    struct ledger ledger = store_ledger(store);
    struct run_facts run = run_named(TEST_RUN);
    struct mailbox_record record;
    struct err err = ERR_INIT;

    assert_ok(ledger.runs->enter(store, &run, at_ms(0), &err));
    assert_ok(ledger.mailboxes->load(store, "help", &record, &err));
    return store;
}

/* ---- by hand ------------------------------------------------------------------------------- */

static inline void by_hand(struct store *store, const char *sql)
{
    struct err err = ERR_INIT;

    assert_ok(db_run(store->db, sql, &err));
    ledger_count_on(store->db);
}

/* The one number that `sql` gives as `n`. */
static inline int64_t number_of(struct store *store, const char *sql)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct err err = ERR_INIT;

    assert_ok(stmt_open(store->db, sql, &s, &err));
    assert_ok(stmt_row(s, &err));
    return col_int(s, "n");
}

/* The one text that `sql` gives as `t`, against what is expected. */
static inline void assert_text(struct store *store, const char *sql, const char *expected)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct err err = ERR_INIT;

    assert_ok(stmt_open(store->db, sql, &s, &err));
    assert_ok(stmt_row(s, &err));
    assert_string_equal(col_text(s, "t"), expected);
}

#define KEY_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define KEY_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

/* An item in_progress of disposition case with its case, delivery 1, effects 1 (acknowledgement,
 * planned) and 2 (move, planned). */
static inline void item_by_hand(struct store *store)
{
    by_hand(
        store,
        "INSERT INTO item (key, mailbox, key_source, message_id, disposition, arrived_as, state,"
        " octets, size, source_digest, payload_digest, payload_version, fingerprint, signs,"
        " sender, recipient, subject, text, internal_ms, case_key, next_due, generation,"
        " created_at) VALUES ('" KEY_A
        "', 'help', 'message-id', CAST('<a>' AS BLOB), 'case', 'case',"
        " 'in_progress', '', 10, '', '', 0, '', 0, 'x@y', 'x@y', 's', 't', 1767225600000, '" KEY_A
        "', 1767225600000, 1, 1767225600000);"
        "INSERT INTO case_record (key, reference, mailbox, state, created_at)"
        " VALUES ('" KEY_A "', 'HD-AAAAAAAA', 'help', 'open', 1);"
        "INSERT INTO delivery (id, key, mailbox, folder, uidvalidity, uid, internal_ms, size,"
        " octets, class, won, move_to, run, seen_at) VALUES (1, '" KEY_A "', 'help', 'INBOX', 1,"
        " 1, 1767225600000, 10, '', 'first', 1, 'Processed', '" TEST_RUN "', 1);"
        "INSERT INTO effect (id, key, kind, target, status) VALUES"
        " (1, '" KEY_A "', 'acknowledgement', '', 'planned'), (2, '" KEY_A
        "', 'move', '1', 'planned');");
}
