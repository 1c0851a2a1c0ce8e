/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store blobs */
/* What a statement about all items that a run has in hand takes of memory: not so much a mail. */
#include "store_fixture.h"

#include <sqlite3.h>

#define MAILS 400
#define TEXT  3000 /* a page an item, or nearly */
#define MOST  INT64_C(300000)

/* What SQLite has of memory, and the most that it had since `most` was set. */
static sqlite3_mem_methods plain;
static int64_t now, most;

static void had(int64_t octets)
{
    now += octets;
    most = now > most ? now : most;
}

static void *take(int octets)
{
    void *at = plain.xMalloc(octets);

    had(at != NULL ? plain.xSize(at) : 0);
    return at;
}

static void give(void *at)
{
    had(-(int64_t)plain.xSize(at));
    plain.xFree(at);
}

static void *grow(void *at, int octets)
{
    int64_t before = plain.xSize(at);
    void *grown = plain.xRealloc(at, octets);

    had(grown != NULL ? plain.xSize(grown) - before : 0);
    return grown;
}

static void count_memory(void)
{
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain);

    sqlite3_mem_methods counting = plain;

    counting.xMalloc = take;
    counting.xFree = give;
    counting.xRealloc = grow;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &counting), SQLITE_OK);
}

/* A ledger in a file: one in memory keeps all that a transaction changes, whatever the statement. */
static void open_file(struct desk *d, const char *path)
{
    struct mailbox_record record;
    struct store_options options = {.path = path,
                                    .create = true,
                                    .secret_seed = sha256_of(SLICE("seed")),
                                    .now_ms = NOON,
                                    .host_clock = true};

    d->now = (struct instant){NOON, HOURS(1)};
    fill_policy(&d->policy);
    d->policy.per_sender = (struct limit){0, HOURS(1)};
    must(d, store_open(&options, &d->store, &d->err));
    d->l = store_ledger(d->store);
    must(d, d->l.mailboxes->load(d->store, "help", &record, &d->err));
    enter(d, RUN_A, "desk", BOOT);
}

static void take_in(struct desk *d)
{
    static struct mail mail[BATCH_MAX];
    static char id[BATCH_MAX][32];
    static char text[TEXT + 1];
    struct reservation out[BATCH_MAX];

    memset(text, 'x', TEXT);
    for (uint32_t uid = 1; uid <= MAILS; uid += BATCH_MAX) {
        for (uint32_t i = 0; i < BATCH_MAX; i++) {
            snprintf(id[i], sizeof id[i], "<%u@x>", (unsigned)(uid + i));
            mail[i] = (struct mail){.id = id[i], .uid = uid + i, .text = text, .later_ms = uid + i};
        }
        must(d, try_batch(d, RUN_A, mail, BATCH_MAX, out));
    }
    assert_int_equal(COUNT(d, "item WHERE lease_run = $1", RUN_A), MAILS);
}

static void leases_of_any_number_are_renewed_and_given_back_in_the_same_memory(void **state)
{
    char folder[] = "/tmp/test_store_memory.XXXXXX";
    CLEANUP(str_clear) struct str path = STR_INIT;
    struct desk d = {0};

    (void)state;
    assert_non_null(mkdtemp(folder));
    str_addf(&path, "%s/ledger.db", folder);
    open_file(&d, str_z(&path));
    take_in(&d);

    int64_t before = most = now;

    pass(&d, LEASE / 2);
    must(&d, d.l.runs->renew(d.store, RUN_A, d.now, LEASE, &d.err));
    assert_true(most - before < MOST);
    before = most = now;
    must(&d, d.l.runs->leave(d.store, RUN_A, d.now, &d.err));
    assert_int_equal(COUNT(&d, "item WHERE lease_run IS NOT NULL", NULL), 0);
    assert_true(most - before < 5 * MOST);
    store_close(&d.store);
    (void)unlink(str_z(&path));
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leases_of_any_number_are_renewed_and_given_back_in_the_same_memory),
    };

    count_memory();
    return RUN_TESTS(tests);
}
