/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
#include "migrate.h"
#include "store_testing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static enum rc open_at(const struct store_options *options, struct err *err)
{
    CLEANUP(store_close) struct store *store = NULL;

    return store_open(options, &store, err);
}

static struct ledger_facts facts_of(struct store *store)
{
    struct ledger_facts facts;
    struct err err = ERR_INIT;

    assert_ok(store_ledger(store).runs->facts(store, &facts, &err));
    return facts;
}

/* ---- new ledgers --------------------------------------------------------------------------- */

static void a_new_ledger_has_an_id_a_secret_and_a_first_generation(void **state)
{
    CLEANUP(store_close) struct store *store = store_at(":memory:");
    struct ledger_facts facts = facts_of(store);

    (void)state;
    assert_int_equal(strlen(facts.id), RUN_ID_SIZE - 1);
    assert_int_equal(facts.generation, 1);
    assert_int_equal(facts.last_event, 0);
    assert_false(digest_is_zero(&facts.secret));
}

static void its_secret_is_neither_its_seed_nor_told_by_its_id(void **state)
{
    struct store_options options = options_for(":memory:");
    CLEANUP(store_close) struct store *store = store_at(":memory:");
    struct ledger_facts facts = facts_of(store);
    char secret[DIGEST_HEX_SIZE];

    (void)state;
    digest_hex(&facts.secret, secret);
    assert_false(digest_eq(&facts.secret, &options.secret_seed));
    assert_int_not_equal(strncmp(secret, facts.id, RUN_ID_SIZE - 1), 0);
}

static void two_seeds_make_two_ledgers(void **state)
{
    struct store_options options = options_for(":memory:");
    CLEANUP(store_close) struct store *one = store_at(":memory:");
    CLEANUP(store_close) struct store *two = NULL;
    struct err err = ERR_INIT;

    (void)state;
    options.secret_seed.octet[31] = 1;
    assert_ok(store_open(&options, &two, &err));
    struct ledger_facts a = facts_of(one);
    struct ledger_facts b = facts_of(two);

    assert_string_not_equal(a.id, b.id);
    assert_false(digest_eq(&a.secret, &b.secret));
}

static void without_a_seed_there_is_no_ledger(void **state)
{
    struct store_options options = options_for(":memory:");
    struct err err = ERR_INIT;

    (void)state;
    options.secret_seed = (struct digest){{0}};
    assert_rc(open_at(&options, &err), RC_USAGE);
}

static void opening_again_finds_the_same_ledger(void **state)
{
    struct place p;
    struct ledger_facts first;
    struct err err = ERR_INIT;

    (void)state;
    place_make(&p);
    {
        CLEANUP(store_close) struct store *store = store_at(p.path);

        first = facts_of(store);
    }
    {
        struct store_options options = options_for(p.path);
        CLEANUP(store_close) struct store *store = NULL;

        options.create = false;
        options.secret_seed = (struct digest){{9}};
        assert_ok(store_open(&options, &store, &err));
        struct ledger_facts again = facts_of(store);

        assert_string_equal(again.id, first.id);
        assert_true(digest_eq(&again.secret, &first.secret));
        assert_ok(store_check(store, &err));
    }
    place_remove(&p);
}

static void a_copied_schema_is_a_ledger_of_its_own(void **state)
{
    CLEANUP(store_close) struct store *like = store_at(":memory:");
    CLEANUP(store_close) struct store *store = NULL;
    struct store_options options = options_for("file:/test_store_open?vfs=memdb");
    struct err err = ERR_INIT;

    (void)state;
    options.like = like;
    options.skip_check = true;
    options.secret_seed.octet[5] = 5;
    assert_ok(store_open(&options, &store, &err));
    assert_string_not_equal(facts_of(store).id, facts_of(like).id);
    assert_ok(store_check(store, &err));
    {
        CLEANUP(store_close) struct store *again = NULL;

        assert_ok(store_open(&options, &again, &err));
        assert_string_equal(facts_of(again).id, facts_of(store).id);
    }
}

static void one_that_has_events_is_not_copied(void **state)
{
    CLEANUP(store_close) struct store *like = store_with_run();
    struct store_options options = options_for(":memory:");
    struct err err = ERR_INIT;

    (void)state;
    options.like = like;
    assert_rc(open_at(&options, &err), RC_USAGE);
}

/* Each child creates or finds it, and enters. */
static int open_and_enter(const char *path, int number)
{
    struct store_options options = options_for(path);
    struct run_facts run = run_named(TEST_RUN);
    struct store *store = NULL;

    options.busy_timeout_ms = 20000;
    run.id[0] = (char)('a' + number);
    if (store_open(&options, &store, NULL) != RC_OK)
        return 1;
    enum rc rc = store_ledger(store).runs->enter(store, &run, at_ms(0), NULL);

    store_close(&store);
    return rc == RC_OK ? 0 : 2;
}

static void K01_eight_processes_may_create_it_at_once(void **state)
{
    struct place p;
    int failed = 0;
    int status;

    (void)state;
    place_make(&p);
    for (int i = 0; i < 8; i++)
        if (fork() == 0)
            _exit(open_and_enter(p.path, i));
    for (int i = 0; i < 8; i++) {
        assert_true(wait(&status) > 0);
        failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    assert_int_equal(failed, 0);
    {
        CLEANUP(store_close) struct store *store = store_at(p.path);
        struct err err = ERR_INIT;

        assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM run"), 8);
        assert_ok(store_check_chain(store, &err));
    }
    place_remove(&p);
}

static void make_ledger(const struct place *p)
{
    struct store *store = store_at(p->path);

    store_close(&store);
}

/* ---- what refuses to open ------------------------------------------------------------------ */

static void scribble(const struct place *p, const char *unused)
{
    static const char noise[512] = {'x', 'y', 'z'};
    int file = open(p->path, O_WRONLY);

    (void)unused;
    for (off_t at = 4096; at < 20 * 4096; at += 4096)
        assert_int_equal(pwrite(file, noise, sizeof noise, at), sizeof noise);
    close(file);
}

static void no_database(const struct place *p, const char *unused)
{
    FILE *file = fopen(p->path, "wb");

    (void)unused;
    fputs(
        "From: somebody\n\nThis is no database, and is longer than its header of a hundred octets."
        " It goes on like this.\n",
        file);
    fclose(file);
}

static void cut_short(const struct place *p, const char *unused)
{
    (void)unused;
    assert_int_equal(truncate(p->path, 3 * 4096 + 100), 0);
}

static void emptied(const struct place *p, const char *unused)
{
    (void)unused;
    assert_int_equal(truncate(p->path, 0), 0);
}

static void removed(const struct place *p, const char *unused)
{
    (void)unused;
    unlink(p->path);
}

static void changed(const struct place *p, const char *sql)
{
    CLEANUP(store_close) struct store *store = store_at(p->path);

    by_hand(store, sql);
}

/* clang-format off */
static const struct {
    const char *name;
    void (*harm)(const struct place *, const char *sql);
    const char *sql;
    const char *says;
} harms[] = {
    { "L05 pages overwritten",            scribble,    "", "onecase restore" },
    { "L05 another file in its place",    no_database, "", "onecase restore" },
    { "L05 cut short",                    cut_short,   "", "onecase restore" },
    { "L05 emptied",                      emptied,     "", "restore" },
    { "L04 gone",                         removed,     "", "data_dir must exist" },
    { "L06 a newer schema",               changed, "INSERT INTO meta SELECT 'schema_' || (COUNT(*) + 1), 'x' FROM meta WHERE name LIKE 'schema!_%' ESCAPE '!'",
                                          ", this program knows " },
    { "L06 a much newer one",             changed, "INSERT INTO meta VALUES ('schema_100', 'x')",
                                          "newer version" },
    { "an applied migration is another",  changed, "UPDATE meta SET value = 'x' WHERE name = 'schema_1'",
                                          "is not this program's" },
    { "none is recorded",                 changed, "DELETE FROM meta WHERE name LIKE 'schema_%'",
                                          "no ledger" },
    { "another program's database",       changed, "DROP TABLE meta",
                                          "no ledger" },
};
/* clang-format on */

static void what_cannot_be_used_is_refused_with_what_to_do(void **state)
{
    (void)state;
    FOR_EACH(row, harms) {
        struct place p;
        struct store_options options;
        struct err err = ERR_INIT;

        place_make(&p);
        make_ledger(&p);
        row->harm(&p, row->sql);
        options = options_for(p.path);
        options.create = false;
        assert_rc(open_at(&options, &err), RC_BROKEN);
        assert_says(row->says);
        assert_says(p.path);
        place_remove(&p);
    }
}

/* The root page of an index that only one of the fifty tables has. */
static void L05_damage_is_found_later_where_opening_skips_the_check(void **state)
{
    struct place p;
    struct store_options options;
    struct err err = ERR_INIT;
    int64_t page;

    (void)state;
    place_make(&p);
    {
        CLEANUP(store_close) struct store *store = store_at(p.path);

        page = number_of(store, "SELECT rootpage AS n FROM sqlite_schema WHERE name = 'hold'");
    }
    int file = open(p.path, O_WRONLY);

    assert_int_equal(pwrite(file, "xxxxxxxxxxxxxxxx", 16, (page - 1) * 4096), 16);
    close(file);
    options = options_for(p.path);
    assert_rc(open_at(&options, &err), RC_BROKEN);
    options.skip_check = true;
    {
        CLEANUP(store_close) struct store *store = NULL;

        assert_ok(store_open(&options, &store, &err));
        assert_rc(store_check(store, &err), RC_BROKEN);
        assert_says("onecase restore");
    }
    place_remove(&p);
}

static void L04_a_missing_folder_is_named(void **state)
{
    struct store_options options = options_for("/tmp/there-is-no-such-folder/ledger.db");
    struct err err = ERR_INIT;

    (void)state;
    assert_rc(open_at(&options, &err), RC_BROKEN);
    assert_says("/tmp/there-is-no-such-folder/ledger.db");
    assert_says("must exist");
}

/* As where another user owns the file: SQLite opens it for reading only, and says nothing. */
static void L04_a_ledger_that_cannot_be_written_is_refused(void **state)
{
    struct place p;
    char uri[96];
    struct err err = ERR_INIT;

    (void)state;
    place_make(&p);
    make_ledger(&p);
    snprintf(uri, sizeof uri, "file:%s?mode=ro", p.path);
    struct store_options options = options_for(uri);

    assert_rc(open_at(&options, &err), RC_BROKEN);
    assert_says("must own");
    place_remove(&p);
}

static void a_tool_may_read_what_it_may_not_write(void **state)
{
    struct place p;
    struct err err = ERR_INIT;

    (void)state;
    place_make(&p);
    {
        CLEANUP(store_close) struct store *writer = store_at(p.path);
        CLEANUP(store_close) struct store *reader = NULL;
        struct store_options options = options_for(p.path);
        struct run_facts run = run_named(TEST_RUN);

        options.read_only = true;
        assert_ok(store_open(&options, &reader, &err));
        assert_string_equal(facts_of(reader).id, facts_of(writer).id);
        assert_rc(store_ledger(reader).runs->enter(reader, &run, at_ms(0), &err), RC_BROKEN);
        assert_ok(store_ledger(writer).runs->enter(writer, &run, at_ms(0), &err));
        assert_int_equal(facts_of(reader).last_event, 1);
    }
    place_remove(&p);
}

static void L01_a_ledger_that_finds_no_room_is_tried_again(void **state)
{
    struct place p;
    struct store_options options;
    struct err err = ERR_INIT;

    (void)state;
    place_make(&p);
    {
        struct db *db = NULL;
        struct store_upgrade upgrade = {.from = 0};

        options = options_for(p.path);
        assert_ok(db_open(&options, &db, &err));
        assert_ok(db_run(db, "PRAGMA max_page_count = 10", &err));
        assert_rc(migrate(db, &options, &upgrade, &err), RC_DEFERRED);
        assert_says("make room");
        db_close(&db);
    }
    assert_ok(open_at(&options, &err));
    place_remove(&p);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_ledger_has_an_id_a_secret_and_a_first_generation),
        cmocka_unit_test(its_secret_is_neither_its_seed_nor_told_by_its_id),
        cmocka_unit_test(two_seeds_make_two_ledgers),
        cmocka_unit_test(without_a_seed_there_is_no_ledger),
        cmocka_unit_test(opening_again_finds_the_same_ledger),
        cmocka_unit_test(a_copied_schema_is_a_ledger_of_its_own),
        cmocka_unit_test(one_that_has_events_is_not_copied),
        cmocka_unit_test(K01_eight_processes_may_create_it_at_once),
        cmocka_unit_test(what_cannot_be_used_is_refused_with_what_to_do),
        cmocka_unit_test(L05_damage_is_found_later_where_opening_skips_the_check),
        cmocka_unit_test(L04_a_missing_folder_is_named),
        cmocka_unit_test(L04_a_ledger_that_cannot_be_written_is_refused),
        cmocka_unit_test(a_tool_may_read_what_it_may_not_write),
        cmocka_unit_test(L01_a_ledger_that_finds_no_room_is_tried_again),
    };

    return RUN_TESTS(tests);
}
