/* SPDX-License-Identifier: Apache-2.0
 *
 * The mailbox port: alone against the one in memory; with NAME=VALUE words of an endpoint against a
 * server, whose account should be empty.
 */
/* links: imap tools fakes */
#include <onecase/digest.h>
#include <onecase/imap.h>
#include <testing.h>

#include <fakes/memory_mailbox.h>
#include <stdlib.h>
#include <string.h>
#include <tools/real_clock.h>
#include <tools/settings.h>

#define SMALL "Subject: one\r\nMessage-ID: <a1@example.org>\r\n\r\nhello\r\n"
#define MAILS 5

/* The port under test, another client of the same account, and a folder that no test used before. */
static struct bench {
    struct mailbox port, other;
    bool real;
    char folder[64];
} bench;

static struct folder_state opened(const char *folder)
{
    struct folder_state state;
    struct err err = ERR_INIT;

    if (bench.port.open(bench.port.self, folder, &state, &err) != RC_OK)
        fail_msg("%s", err.text);
    return state;
}

static void append(const struct mailbox *port, struct slice octets)
{
    struct err err = ERR_INIT;

    if (port->append(port->self, bench.folder, octets, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static void append_some(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CLEANUP(str_clear) struct str mail = STR_INIT;

        str_addf(&mail, "Subject: number %zu\r\n\r\nbody %zu\r\n", i, i);
        append(&bench.port, str_slice(&mail));
    }
}

static size_t listed(uint32_t first_uid, struct mail_line **lines)
{
    uint32_t uidvalidity = opened(bench.folder).uidvalidity;
    struct err err = ERR_INIT;
    size_t count = 0;

    if (bench.port.list(bench.port.self, bench.folder, uidvalidity, first_uid, lines, &count,
                        &err) != RC_OK)
        fail_msg("%s", err.text);
    return count;
}

/* What a fetch brought, one after another. */
struct taken {
    uint32_t uid[16];
    struct str octets[16];
    size_t begun, ended;
    size_t refuses_at; /* this message is refused; 0: none */
};

static enum rc take_begin(void *ctx, const struct mail_line *line, struct err *err)
{
    struct taken *t = ctx;

    assert_int_equal(t->begun, t->ended);
    assert_in_range(t->begun, 0, LENGTH(t->uid) - 1);
    t->uid[t->begun++] = line->uid;
    return t->begun == t->refuses_at ? FAIL(err, RC_BROKEN, "sink: no more") : RC_OK;
}

static enum rc take_add(void *ctx, struct slice octets, struct err *err)
{
    struct taken *t = ctx;

    (void)err;
    str_add(&t->octets[t->begun - 1], octets);
    return RC_OK;
}

static enum rc take_end(void *ctx, struct err *err)
{
    struct taken *t = ctx;

    (void)err;
    t->ended++;
    return RC_OK;
}

static void taken_clear(struct taken *t)
{
    for (size_t i = 0; i < LENGTH(t->octets); i++)
        str_clear(&t->octets[i]);
}

static enum rc fetch(struct taken *t, const uint32_t *uid, size_t count, bool header_only)
{
    struct fetch_sink sink = {t, take_begin, take_add, take_end};
    struct err err = ERR_INIT;

    return bench.port.fetch(bench.port.self, bench.folder, opened(bench.folder).uidvalidity, uid,
                            count, header_only, &sink, &err);
}

/* Cases */

static void a_missing_folder_is_not_found(void **state)
{
    struct folder_state out;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(bench.port.open(bench.port.self, bench.folder, &out, &err), RC_NOT_FOUND);
    assert_non_null(strstr(err.text, bench.folder));
}

static void the_inbox_is_there(void **state)
{
    (void)state;
    assert_int_not_equal(opened("INBOX").uidvalidity, 0);
    assert_int_not_equal(opened("INBOX").uidnext, 0);
}

static void adding_makes_the_folder(void **state)
{
    (void)state;
    append(&bench.port, SLICE(SMALL));
    assert_int_equal(opened(bench.folder).exists, 1);
    assert_int_equal(opened(bench.folder).uidnext, 2);
}

static void messages_are_listed_in_order_from_the_first_uid_on(void **state)
{
    CLEANUP(mem_free) struct mail_line *lines = NULL;
    CLEANUP(mem_free) struct mail_line *later = NULL;
    CLEANUP(mem_free) struct mail_line *none = NULL;

    (void)state;
    append_some(MAILS);
    assert_int_equal(listed(1, &lines), MAILS);
    for (size_t i = 0; i < MAILS; i++) {
        assert_int_equal(lines[i].uid, i + 1);
        assert_int_equal(lines[i].size, strlen("Subject: number 0\r\n\r\nbody 0\r\n"));
        assert_true(lines[i].internal_ms > INT64_C(1700000000000));
    }
    assert_int_equal(listed(4, &later), 2);
    assert_int_equal(later[0].uid, 4);
    assert_int_equal(listed(MAILS + 1, &none), 0);
}

static void octets_come_as_they_were_put(void **state)
{
    CLEANUP(taken_clear) struct taken t = {.begun = 0};
    CLEANUP(str_clear) struct str large = STR_INIT;
    const uint32_t uids[] = {1, 2, 3};

    (void)state;
    str_addz(&large, "Subject: large\r\n\r\n");
    for (size_t i = 0; i < 60000; i++)
        str_addf(&large, "%zu \xC3\xA4 ) * BYE\r\n", i);
    append(&bench.port, SLICE(SMALL));
    append(&bench.port, str_slice(&large));
    append(&bench.port, SLICE("x: y\r\n\r\n"));
    assert_int_equal(fetch(&t, uids, 3, false), RC_OK);
    assert_int_equal(t.ended, 3);
    assert_true(slice_eqz(str_slice(&t.octets[0]), SMALL));
    assert_true(slice_eq(str_slice(&t.octets[1]), str_slice(&large)));
    assert_true(slice_eqz(str_slice(&t.octets[2]), "x: y\r\n\r\n"));
    assert_memory_equal(t.uid, uids, sizeof uids);
}

static void of_a_header_only_the_header_comes(void **state)
{
    CLEANUP(taken_clear) struct taken t = {.begun = 0};

    (void)state;
    append(&bench.port, SLICE(SMALL));
    assert_int_equal(fetch(&t, (uint32_t[]){1}, 1, true), RC_OK);
    assert_int_equal(t.ended, 1);
    assert_true(
        slice_eqz(str_slice(&t.octets[0]), "Subject: one\r\nMessage-ID: <a1@example.org>\r\n\r\n"));
}

static void what_is_gone_is_passed_over(void **state)
{
    CLEANUP(taken_clear) struct taken t = {.begun = 0};

    (void)state;
    append_some(3);
    assert_int_equal(bench.other.remove(bench.other.self, bench.folder,
                                        opened(bench.folder).uidvalidity, 2, NULL),
                     RC_OK);
    assert_int_equal(fetch(&t, (uint32_t[]){1, 2, 3, 99}, 4, false), RC_OK);
    assert_int_equal(t.ended, 2);
    assert_int_equal(t.uid[0], 1);
    assert_int_equal(t.uid[1], 3);
}

static void a_sink_may_end_a_fetch(void **state)
{
    CLEANUP(taken_clear) struct taken t = {.refuses_at = 2};
    CLEANUP(mem_free) struct mail_line *lines = NULL;

    (void)state;
    append_some(3);
    assert_int_equal(fetch(&t, (uint32_t[]){1, 2, 3}, 3, false), RC_BROKEN);
    assert_int_equal(t.ended, 1);
    assert_int_equal(t.begun, 2);
    assert_int_equal(listed(1, &lines), 3);
}

static void uids_of_another_uidvalidity_are_a_conflict(void **state)
{
    struct mailbox *p = &bench.port;
    struct move_result set[] = {{.uid = 1}};
    struct fetch_sink sink = {NULL, take_begin, take_add, take_end};
    CLEANUP(mem_free) struct mail_line *lines = NULL;
    const uint32_t uid = 1;
    uint32_t wrong;
    size_t count;

    (void)state;
    append_some(1);
    wrong = opened(bench.folder).uidvalidity + 1;
    assert_int_equal(p->list(p->self, bench.folder, wrong, 1, &lines, &count, NULL), RC_CONFLICT);
    assert_int_equal(p->fetch(p->self, bench.folder, wrong, &uid, 1, false, &sink, NULL),
                     RC_CONFLICT);
    assert_int_equal(p->move(p->self, bench.folder, wrong, set, 1, "Elsewhere", NULL), RC_CONFLICT);
    assert_int_equal(set[0].moved, MOVED_NOT);
    assert_int_equal(p->remove(p->self, bench.folder, wrong, 1, NULL), RC_CONFLICT);
    assert_int_equal(listed(1, &lines), 1);
}

static void what_is_moved_stands_in_the_target(void **state)
{
    struct mailbox *p = &bench.port;
    struct move_result set[] = {{.uid = 1}, {.uid = 3}, {.uid = 77}};
    CLEANUP(taken_clear) struct taken t = {.begun = 0};
    CLEANUP(mem_free) struct mail_line *lines = NULL;
    CLEANUP(str_clear) struct str target = STR_INIT;
    struct err err = ERR_INIT;

    (void)state;
    append_some(3);
    str_addf(&target, "%s Done/Gr\xC3\xBCn", bench.folder);
    if (p->move(p->self, bench.folder, opened(bench.folder).uidvalidity, set, 3, str_z(&target),
                &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(set[0].moved, MOVED_YES);
    assert_int_equal(set[1].moved, MOVED_YES);
    assert_int_equal(set[2].moved, MOVED_ABSENT);
    assert_int_equal(set[2].new_uid, 0);
    assert_int_equal(listed(1, &lines), 1);
    assert_int_equal(lines[0].uid, 2);
    snprintf(bench.folder, sizeof bench.folder, "%s", str_z(&target));
    assert_int_equal(opened(bench.folder).uidvalidity, set[1].new_uidvalidity);
    assert_int_equal(fetch(&t, &set[1].new_uid, 1, false), RC_OK);
    assert_true(slice_eqz(str_slice(&t.octets[0]), "Subject: number 2\r\n\r\nbody 2\r\n"));
}

static void a_uid_is_never_given_twice(void **state)
{
    CLEANUP(mem_free) struct mail_line *lines = NULL;

    (void)state;
    append_some(2);
    assert_int_equal(
        bench.port.remove(bench.port.self, bench.folder, opened(bench.folder).uidvalidity, 2, NULL),
        RC_OK);
    assert_int_equal(opened(bench.folder).uidnext, 3);
    append_some(1);
    assert_int_equal(listed(1, &lines), 2);
    assert_int_equal(lines[1].uid, 3);
}

static void removing_what_is_gone_is_done(void **state)
{
    uint32_t uidvalidity;

    (void)state;
    append_some(1);
    uidvalidity = opened(bench.folder).uidvalidity;
    for (int i = 0; i < 2; i++)
        assert_int_equal(bench.port.remove(bench.port.self, bench.folder, uidvalidity, 1, NULL),
                         RC_OK);
    assert_int_equal(opened(bench.folder).exists, 0);
}

static void a_header_is_searched(void **state)
{
    static const struct {
        const char *name; /* what is searched for */
        const char *header;
        enum rc rc;
        size_t count;
    } rows[] = {
        {"<a1@example.org>", "Message-ID", RC_OK, 1},
        {"a1@example", "message-id", RC_OK, 1},
        {"<a2@example.org>", "Message-ID", RC_OK, 0},
        {"hello", "Subject", RC_OK, 0},
        {"a\"b", "Subject", RC_USAGE, 0},
        {"a\r\nb", "Subject", RC_USAGE, 0},
    };

    (void)state;
    append_some(1);
    append(&bench.port, SLICE(SMALL));
    FOR_EACH(row, rows) {
        CLEANUP(mem_free) uint32_t *uids = NULL;
        uint32_t uidvalidity = 0;
        size_t count = 0;

        assert_int_equal(bench.port.search(bench.port.self, bench.folder, row->header, row->name,
                                           &uidvalidity, &uids, &count, NULL),
                         row->rc);
        assert_int_equal(count, row->count);
        if (count > 0)
            assert_int_equal(uids[0], 2);
        if (row->rc == RC_OK)
            assert_int_equal(uidvalidity, opened(bench.folder).uidvalidity);
    }
}

static void what_cannot_be_a_message_is_not_added(void **state)
{
    (void)state;
    assert_int_equal(bench.port.append(bench.port.self, bench.folder, SLICE("a: b\r\n\0"), NULL),
                     RC_REFUSED);
    assert_int_equal(bench.port.append(bench.port.self, bench.folder, SLICE_EMPTY, NULL),
                     RC_REFUSED);
}

static void what_another_client_did_is_seen(void **state)
{
    CLEANUP(mem_free) struct mail_line *lines = NULL;
    CLEANUP(mem_free) struct mail_line *fewer = NULL;

    (void)state;
    append(&bench.other, SLICE(SMALL));
    assert_int_equal(listed(1, &lines), 1);
    append(&bench.other, SLICE(SMALL));
    assert_int_equal(bench.other.remove(bench.other.self, bench.folder,
                                        opened(bench.folder).uidvalidity, 1, NULL),
                     RC_OK);
    assert_int_equal(listed(1, &fewer), 1);
    assert_int_equal(fewer[0].uid, 2);
}

static bool unchanged(const char *folder)
{
    struct err err = ERR_INIT;
    bool out = false;

    if (bench.port.unchanged(bench.port.self, folder, &out, &err) != RC_OK)
        fail_msg("%s", err.text);
    return out;
}

static void look_at_all(void)
{
    CLEANUP(mem_free) struct mail_line *lines = NULL;

    (void)listed(1, &lines);
    assert_true(unchanged(bench.folder));
    assert_true(unchanged(bench.folder));
}

static void of_a_folder_that_was_not_listed_whole_nothing_is_known(void **state)
{
    CLEANUP(mem_free) struct mail_line *lines = NULL;

    (void)state;
    append_some(2);
    (void)opened(bench.folder);
    assert_false(unchanged(bench.folder));
    (void)listed(2, &lines);
    assert_false(unchanged(bench.folder));
    look_at_all();
    (void)opened("INBOX");
    assert_false(unchanged(bench.folder));
}

static void what_comes_or_goes_changes_a_folder(void **state)
{
    (void)state;
    append_some(2);
    look_at_all();
    append(&bench.other, SLICE(SMALL));
    assert_false(unchanged(bench.folder));
    look_at_all();
    assert_int_equal(bench.other.remove(bench.other.self, bench.folder,
                                        opened(bench.folder).uidvalidity, 1, NULL),
                     RC_OK);
    look_at_all();
    assert_int_equal(bench.port.wait(bench.port.self, bench.folder, 50, NULL), RC_OK);
    assert_true(unchanged(bench.folder));
    append(&bench.other, SLICE(SMALL));
    assert_int_equal(bench.port.wait(bench.port.self, bench.folder, 2000, NULL), RC_OK);
    assert_false(unchanged(bench.folder));
}

static void waiting_ends_in_time(void **state)
{
    int64_t started = real_ms(CLOCK_BOOTTIME);

    (void)state;
    append_some(1);
    assert_int_equal(bench.port.wait(bench.port.self, bench.folder, 200, NULL), RC_OK);
    assert_in_range(real_ms(CLOCK_BOOTTIME) - started, bench.real ? 190 : 0, 2000);
    assert_int_equal(opened(bench.folder).exists, 1);
}

/* Benches */

static int next_folder(void **state)
{
    static int number;

    (void)state;
    snprintf(bench.folder, sizeof bench.folder, "Folder %d", ++number);
    return 0;
}

#define CASE(name) cmocka_unit_test_setup(name, next_folder)

static int run_cases(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_missing_folder_is_not_found),
        CASE(the_inbox_is_there),
        CASE(adding_makes_the_folder),
        CASE(messages_are_listed_in_order_from_the_first_uid_on),
        CASE(octets_come_as_they_were_put),
        CASE(of_a_header_only_the_header_comes),
        CASE(what_is_gone_is_passed_over),
        CASE(a_sink_may_end_a_fetch),
        CASE(uids_of_another_uidvalidity_are_a_conflict),
        CASE(what_is_moved_stands_in_the_target),
        CASE(a_uid_is_never_given_twice),
        CASE(removing_what_is_gone_is_done),
        CASE(a_header_is_searched),
        CASE(what_cannot_be_a_message_is_not_added),
        CASE(what_another_client_did_is_seen),
        CASE(of_a_folder_that_was_not_listed_whole_nothing_is_known),
        CASE(what_comes_or_goes_changes_a_folder),
        CASE(waiting_ends_in_time),
    };

    return RUN_TESTS(tests);
}

static int run_in_memory(void)
{
    CLEANUP(memory_mailbox_free) struct memory_mailbox *memory = memory_mailbox_new();

    bench.port = memory_mailbox_port(memory);
    bench.other = bench.port;
    return run_cases();
}

static int run_on_a_server(const struct endpoint *endpoint)
{
    struct clock clock_ = real_clock();
    struct imap_mailbox *one = imap_mailbox_new(endpoint, &clock_, -1);
    struct imap_mailbox *two = imap_mailbox_new(endpoint, &clock_, -1);
    int failed;

    bench.port = imap_mailbox_port(one);
    bench.other = imap_mailbox_port(two);
    bench.real = true;
    failed = run_cases();
    imap_mailbox_free(one);
    imap_mailbox_free(two);
    return failed;
}

int main(int argc, char **argv)
{
    struct endpoint endpoint = {.timeout_ms = 20000};

    for (int i = 1; i < argc; i++)
        if (!set_endpoint(&endpoint, argv[i]))
            return 64;
    return argc > 1 ? run_on_a_server(&endpoint) : run_in_memory();
}
