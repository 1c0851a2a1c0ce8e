/* SPDX-License-Identifier: Apache-2.0 */
/* links: imap */
#include "ask.h"
#include "guard.h"
#include "imap_p.h"
#include "names.h"

#include <testing.h>

#include <stdlib.h>
#include <string.h>

static void folders_have_their_name_on_the_wire(void **state)
{
    static const struct {
        const char *name;
        char delimiter;
        const char *prefix;
        const char *others;
        const char *wire;
    } rows[] = {
        {"INBOX", '/', "", "", "INBOX"},
        {"inbox", '.', "INBOX.", "INBOX.\n", "INBOX"},
        {"Processed", '/', "", "", "Processed"},
        {"Processed", '.', "INBOX.", "INBOX.\n", "INBOX.Processed"},
        {"INBOX/Processed", '.', "INBOX.", "INBOX.\n", "INBOX.Processed"},
        {"inbox/Processed", '.', "INBOX.", "INBOX.\n", "INBOX.Processed"},
        {"INBOX/Processed", '/', "", "", "INBOX/Processed"},
        {"Inboxes", '.', "INBOX.", "INBOX.\n", "INBOX.Inboxes"},
        {"shared/help", '.', "INBOX.", "INBOX.\nshared.\n", "shared.help"},
        {"a/b", '\0', "", "", "a/b"},
        {"a.b/c", '.', "", "", "a.b.c"},
        {"R&D", '/', "", "", "R&-D"},
        {"Gel\xC3\xB6scht", '/', "", "", "Gel&APY-scht"},
        {"\xE2\x82\xAC\xE2\x82\xAC", '/', "", "", "&IKwgrA-"},
        {"\xC3\xA4/\xC3\xB6", '.', "", "", "&AOQ-.&APY-"},
        {"\xF0\x9F\x93\xA8", '/', "", "", "&2D3c6A-"},
        {"a~b \"c\"", '/', "", "", "a~b \"c\""},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(name_space_clear) struct name_space ns = {.delimiter = row->delimiter};
        CLEANUP(str_clear) struct str wire = STR_INIT;
        struct err err = ERR_INIT;

        str_addz(&ns.prefix, row->prefix);
        str_addz(&ns.others, row->others);
        assert_int_equal(name_to_wire(&ns, row->name, &wire, &err), RC_OK);
        assert_string_equal(str_z(&wire), row->wire);
    }
}

static void names_on_the_wire_are_read_by_people(void **state)
{
    static const struct {
        const char *name; /* on the wire */
        char delimiter;
        const char *prefix;
        const char *shown;
    } rows[] = {
        {"INBOX", '.', "INBOX.", "INBOX"},
        {"INBOX.Gel&APY-scht.a", '.', "INBOX.", "Gel\xC3\xB6scht/a"},
        {"R&-D", '/', "", "R&D"},
        {"&IKwgrA-", '/', "", "\xE2\x82\xAC\xE2\x82\xAC"},
        {"&2D3c6A-!", '/', "", "\xF0\x9F\x93\xA8!"},
        {"&3Og-&2D0-", '/', "", ""},      /* halves of a pair */
        {"a&AAo-b\r\nc", '/', "", "abc"}, /* control characters */
        {"cut&APY", '/', "", "cut&APY"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(name_space_clear) struct name_space ns = {.delimiter = row->delimiter};
        CLEANUP(str_clear) struct str shown = STR_INIT;

        str_addz(&ns.prefix, row->prefix);
        name_from_wire(&ns, slice_z(row->name), &shown);
        assert_string_equal(str_z(&shown), row->shown);
    }
}

static void a_namespace_is_read(void **state)
{
    static const struct {
        const char *name;
        const char *prefix;
        const char *others;
        char delimiter;
    } rows[] = {
        {"((\"\" \"/\")) NIL NIL", "", "", '/'},
        {"((\"INBOX.\" \".\")) NIL NIL", "INBOX.", "INBOX.\n", '.'},
        {"((\"\" \"/\")(\"mine/\" \"/\")) ((\"~\" \"/\")) ((\"#a/\" \"/\")(\"#b/\" \"/\"))", "",
         "mine/\n~\n#a/\n#b/\n", '/'},
        {"((\"\" \"/\" \"X-PARAM\" (\"a)\" \"b\"))) NIL ((\"s/\" \"/\"))", "", "s/\n", '/'},
        {"NIL NIL ((\"s.\" \".\"))", "", "s.\n", '\0'},
        {"((\"a\\\"b\" \"\\\\\")) NIL NIL", "a\"b", "a\"b\n", '\\'},
        {"((\"\" NIL)) NIL NIL", "", "", '\0'},
        {"((\"INBOX", "", "", '\0'},
        {"((", "", "", '\0'},
        {"", "", "", '\0'},
        {"what?", "", "", '\0'},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(name_space_clear) struct name_space ns = {.delimiter = '\0'};

        read_namespace(slice_z(row->name), &ns);
        assert_string_equal(str_z(&ns.prefix), row->prefix);
        assert_string_equal(str_z(&ns.others), row->others);
        assert_int_equal(ns.delimiter, row->delimiter);
    }
}

static void names_that_are_none_are_refused(void **state)
{
    static const struct {
        const char *name;
    } rows[] = {{""},     {"a\nb"},     {"\x7F"},         {"\xC2\x85"},        {"\xFF"},
                {"\xC3"}, {"\xC0\xAF"}, {"\xED\xA0\x80"}, {"\xF4\x90\x80\x80"}};
    struct name_space ns = {.delimiter = '/'};

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str wire = STR_INIT;

        assert_int_equal(name_to_wire(&ns, row->name, &wire, NULL), RC_REFUSED);
        assert_int_equal(wire.len, 0);
    }
}

/* In pieces of every length, as reads may cut them. */
static const char *guard_all(struct guard *g, struct slice octets, size_t piece)
{
    const char *wrong = NULL;

    *g = (struct guard){.literal = 0};
    while (octets.len > 0 && wrong == NULL) {
        wrong = guard_take(g, slice_cut(octets, 0, piece));
        octets = slice_cut(octets, piece, octets.len);
    }
    return wrong;
}

static void literals_are_not_looked_at(void **state)
{
    CLEANUP(str_clear) struct str octets = STR_INIT;
    struct guard g;

    (void)state;
    str_addz(&octets, "* OK [UIDVALIDITY 77] hi\r\n* 1 FETCH (UID 1 BODY[] {100000}\r\n");
    for (size_t i = 0; i < 100000; i++)
        str_addc(&octets, '(');
    str_addz(&octets, ")\r\n* OK [UIDVALIDITY 78] hi\r\n* OK {5}");
    for (size_t piece = 1; piece < 70; piece++) {
        assert_null(guard_all(&g, str_slice(&octets), piece));
        assert_int_equal(g.uidvalidity, 78);
        assert_int_equal(g.literal, 0);
    }
}

static void long_and_nested_responses_are_refused(void **state)
{
    static const struct {
        const char *name;
        const char *head;
        char with;
        size_t count;
        bool refused;
    } rows[] = {
        {"a short line", "* OK ", 'x', 1000, false},
        {"a long line", "* OK ", 'x', GUARD_LINE, true},
        {"a SEARCH result may be long", "* SEARCH", '1', GUARD_LINE, false},
        {"but not endless", "* SEARCH", '1', GUARD_SEARCH, true},
        {"a few parentheses", "* 1 FETCH ", '(', 100, false},
        {"many", "* 1 FETCH ", '(', 300, true},
        {"many in a SEARCH", "* SEARCH ", '(', 300, true},
        {"no LF at all", "", 'x', GUARD_LINE + 1, true},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str octets = STR_INIT;
        struct guard g;

        str_addz(&octets, row->head);
        for (size_t i = 0; i < row->count; i++)
            str_addc(&octets, row->with);
        assert_int_equal(guard_all(&g, str_slice(&octets), 8192) != NULL, row->refused);
    }
}

static void a_flood_of_short_lines_is_refused(void **state)
{
    struct guard g = {.literal = 0};
    const char *wrong = NULL;
    size_t lines = 0;

    (void)state;
    while (wrong == NULL && lines < 100000000) {
        wrong = guard_take(&g, SLICE("* 1 EXISTS this one is a little longer than others\r\n"));
        lines++;
    }
    assert_non_null(wrong);
    guard_begin(&g);
    assert_null(guard_take(&g, SLICE("* 1 EXISTS\r\n")));
}

static void sets_are_written_in_ranges(void **state)
{
    const uint32_t uids[] = {1, 2, 3, 7, 9, 10};
    struct mailimap_set *set = uids_set(uids, LENGTH(uids));
    CLEANUP(uids_clear) struct uids back = {NULL, 0, 0};

    (void)state;
    assert_int_equal(clist_count(set->set_list), 3);
    uids_from_set(&back, set);
    mailimap_set_free(set);
    assert_int_equal(back.count, LENGTH(uids));
    assert_memory_equal(back.at, uids, sizeof uids);
}

static void an_absurd_range_is_cut_and_one_may_run_backwards(void **state)
{
    struct mailimap_set *set = mailimap_set_new_interval(1, UINT32_MAX);
    CLEANUP(uids_clear) struct uids cut = {NULL, 0, 0};
    CLEANUP(uids_clear) struct uids back = {NULL, 0, 0};

    (void)state;
    uids_from_set(&cut, set);
    mailimap_set_free(set);
    assert_in_range(cut.count, UIDS_AT_ONCE, 10 * UIDS_AT_ONCE);
    set = mailimap_set_new_interval(5, 3);
    uids_from_set(&back, set);
    mailimap_set_free(set);
    assert_int_equal(back.count, 3);
    assert_int_equal(back.at[0], 5);
    assert_int_equal(back.at[2], 3);
}

static void uids_are_sorted_and_found(void **state)
{
    CLEANUP(uids_clear) struct uids u = {NULL, 0, 0};

    (void)state;
    assert_false(uids_has(&u, 1));
    uids_add(&u, 9);
    uids_add(&u, UINT32_MAX);
    uids_add(&u, 1);
    uids_add(&u, 9);
    uids_sort(&u);
    assert_int_equal(u.count, 3);
    assert_true(uids_has(&u, 1) && uids_has(&u, 9) && uids_has(&u, UINT32_MAX));
    assert_false(uids_has(&u, 2));
}

/* ---- what is known of messages ------------------------------------------------------------------ */

static struct instant at_once(void *self)
{
    (void)self;
    return (struct instant){.boot_ms = 1};
}

/* How many of a folder's first 40 messages are known after it was listed whole, and opened with that UIDNEXT. */
static size_t known_when_opened_with(uint32_t uidnext)
{
    static const struct clock clock = {NULL, at_once};
    CLEANUP(uids_clear) struct uids found = {NULL, 0, 0};
    struct mailimap_selection_info info = {.sel_uidnext = 41};
    mailimap session = {.imap_selection_info = &info};
    struct imap_mailbox m = {.clock = &clock, .session = &session};
    struct lines all = {NULL, 0, 0}, known = {NULL, 0, 0};

    str_addz(&m.selected, "INBOX");
    for (uint32_t uid = 1; uid <= 40; uid++) {
        lines_add(&all, &(struct mail_line){.uid = uid, .internal_ms = 1, .size = 1});
        uids_add(&found, uid);
    }
    listed_keep(&m, 1, &all);
    info.sel_uidnext = uidnext;
    listed_take(&m, 1, &found, &known);

    size_t count = known.count;

    assert_int_equal(count + found.count, 40);
    listed_clear(&m.list);
    str_clear(&m.selected);
    free(all.at);
    free(known.at);
    return count;
}

static void a_folder_whose_uids_are_given_again_is_asked_for_all(void **state)
{
    (void)state;
    assert_int_equal(known_when_opened_with(41), 40);
    assert_int_equal(known_when_opened_with(60), 40);
    assert_int_equal(known_when_opened_with(40), 0);
    assert_int_equal(known_when_opened_with(11), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_have_their_name_on_the_wire),
        cmocka_unit_test(names_on_the_wire_are_read_by_people),
        cmocka_unit_test(a_namespace_is_read),
        cmocka_unit_test(names_that_are_none_are_refused),
        cmocka_unit_test(literals_are_not_looked_at),
        cmocka_unit_test(long_and_nested_responses_are_refused),
        cmocka_unit_test(a_flood_of_short_lines_is_refused),
        cmocka_unit_test(sets_are_written_in_ranges),
        cmocka_unit_test(an_absurd_range_is_cut_and_one_may_run_backwards),
        cmocka_unit_test(uids_are_sorted_and_found),
        cmocka_unit_test(a_folder_whose_uids_are_given_again_is_asked_for_all),
    };

    return RUN_TESTS(tests);
}
