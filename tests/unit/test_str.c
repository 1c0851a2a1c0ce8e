/* SPDX-License-Identifier: Apache-2.0 */
/* links: base */
#include <onecase/distance.h>
#include <onecase/str.h>
#include <testing.h>

#include <stdlib.h>
#include <string.h>

#define assert_slice(slice, text) assert_true(slice_eqz((slice), (text)))

static void a_new_str_is_an_empty_text(void **state)
{
    struct str s = STR_INIT;

    (void)state;
    assert_string_equal(str_z(&s), "");
    assert_int_equal(str_slice(&s).len, 0);
    str_empty(&s);
    str_clear(&s);
}

static void additions_stand_one_after_another(void **state)
{
    CLEANUP(str_clear) struct str s = STR_INIT;

    (void)state;
    str_add(&s, SLICE("one"));
    str_addc(&s, ',');
    str_addz(&s, "two");
    str_addz(&s, NULL);
    str_add(&s, SLICE_EMPTY);
    str_addf(&s, ",%d%s", 3, "");
    assert_string_equal(str_z(&s), "one,two,3");
    assert_int_equal(s.len, 9);
}

/* Each length twice: where there is room for it, and where there is none yet. */
static void what_is_formatted_may_be_of_any_length(void **state)
{
    (void)state;
    for (int len = 0; len < 300; len++) {
        CLEANUP(str_clear) struct str s = STR_INIT;

        str_addf(&s, "%0*d", len, 7);
        str_addf(&s, "%0*d;", len, 7);
        assert_int_equal(s.len, 2 * (len > 0 ? len : 1) + 1);
        assert_int_equal(strlen(s.at), s.len);
        assert_int_equal(s.at[s.len - 2], '7');
    }
}

static void octets_after_a_nul_are_kept(void **state)
{
    CLEANUP(str_clear) struct str s = STR_INIT;

    (void)state;
    str_add(&s, SLICE("a\0b"));
    str_addc(&s, '\0');
    assert_int_equal(s.len, 4);
    assert_memory_equal(s.at, "a\0b\0", 5);
}

static void growing_keeps_what_is_there(void **state)
{
    CLEANUP(str_clear) struct str s = STR_INIT;

    (void)state;
    for (int i = 0; i < 10000; i++)
        str_addf(&s, "%04d", i);
    assert_int_equal(s.len, 40000);
    assert_int_equal(strlen(s.at), 40000);
    assert_slice(slice_cut(str_slice(&s), 4 * 9999, 4), "9999");
    assert_slice(slice_cut(str_slice(&s), 0, 8), "00000001");
}

static void empty_keeps_the_memory_and_clear_gives_it_back(void **state)
{
    struct str s = STR_INIT;

    (void)state;
    str_addz(&s, "something");

    size_t room = s.room;

    str_empty(&s);
    assert_string_equal(str_z(&s), "");
    assert_int_equal(s.room, room);
    str_clear(&s);
    assert_null(s.at);
    assert_int_equal(s.room, 0);
    str_addz(&s, "again");
    assert_string_equal(str_z(&s), "again");
    str_clear(&s);
}

static void steal_leaves_null_behind(void **state)
{
    CLEANUP(mem_free) char *text = mem_text("kept");
    char *stolen = STEAL(text);

    (void)state;
    assert_null(text);
    assert_string_equal(stolen, "kept");
    mem_free(&stolen);
    assert_null(stolen);
    mem_free(&stolen);
}

static void new_memory_is_zeroed_and_unique(void **state)
{
    CLEANUP(mem_free) int *numbers = mem_new(100, sizeof *numbers);
    CLEANUP(mem_free) void *nothing = mem_new(0, 8);
    CLEANUP(mem_free) void *also_nothing = mem_grow(NULL, 0, 8);

    (void)state;
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(numbers[i], 0);
    assert_ptr_not_equal(nothing, also_nothing);
    assert_null(mem_text(NULL));
}

static void slices_are_cut_within_their_bounds(void **state)
{
    static const struct {
        const char *name;
        size_t from;
        size_t len;
        const char *cut;
    } rows[] = {
        {"inside", 1, 2, "bc"},
        {"the whole", 0, 4, "abcd"},
        {"too long is clamped", 2, 9, "cd"},
        {"as long as can be is clamped", 1, SIZE_MAX, "bcd"},
        {"from the end is empty", 4, 1, ""},
        {"from past the end is empty", SIZE_MAX, SIZE_MAX, ""},
        {"nothing is empty", 2, 0, ""},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_slice(slice_cut(SLICE("abcd"), row->from, row->len), row->cut);
}

static void trimming_takes_mail_blanks_off_both_ends_only(void **state)
{
    static const struct {
        const char *name;
        const char *trimmed;
    } rows[] = {
        {"plain", "plain"}, {"  a b\r\n", "a b"}, {"\t\r\n ", ""}, {"", ""}, {"a\v", "a\v"},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_slice(slice_trim(slice_z(row->name)), row->trimmed);
}

static void only_ascii_letters_ignore_case(void **state)
{
    static const struct {
        const char *name;
        const char *other;
        bool equal;
        bool starts;
    } rows[] = {
        {"Message-ID", "message-id", true, true},
        {"Message-ID", "message", false, true},
        {"message", "message-id", false, false},
        {"@[`{", "`{@[", false, false},
        {"\xC3\x84", "\xC3\xA4", false, false},
        {"", "", true, true},
        {"a", "", false, true},
    };

    (void)state;
    FOR_EACH(row, rows) {
        assert_int_equal(slice_eq_nocase(slice_z(row->name), slice_z(row->other)), row->equal);
        assert_int_equal(slice_starts_nocase(slice_z(row->name), slice_z(row->other)), row->starts);
    }
}

static void a_needle_is_found_wherever_it_stands(void **state)
{
    static const struct {
        const char *name;
        const char *needle;
        bool has;
        bool has_nocase;
    } rows[] = {
        {"abcabd", "abd", true, true}, {"abcabd", "ABD", false, true}, {"aab", "ab", true, true},
        {"aaab", "aab", true, true},   {"abab", "b", true, true},      {"ab", "abc", false, false},
        {"abx", "xa", false, false},   {"ab", "", true, true},         {"", "", true, true},
        {"", "a", false, false},
    };

    (void)state;
    FOR_EACH(row, rows) {
        assert_int_equal(slice_has(slice_z(row->name), slice_z(row->needle)), row->has);
        assert_int_equal(slice_has_nocase(slice_z(row->name), slice_z(row->needle)),
                         row->has_nocase);
    }
}

static void a_needle_with_a_nul_is_a_needle(void **state)
{
    (void)state;
    assert_true(slice_has(SLICE("a\0bc"), SLICE("\0b")));
    assert_false(slice_has(SLICE("a\0bc"), SLICE("\0c")));
    assert_false(slice_eqz(SLICE("a\0b"), "a"));
    assert_int_equal(slice_find(SLICE("a\0b"), 'b', 0), 2);
    assert_int_equal(slice_find(SLICE("aba"), 'a', 1), 2);
    assert_int_equal(slice_find(SLICE("aba"), 'x', 0), 3);
    assert_int_equal(slice_find(SLICE("aba"), 'a', 7), 3);
}

static void comparing_goes_by_octets_then_length(void **state)
{
    static const struct {
        const char *name;
        const char *other;
        int order;
    } rows[] = {
        {"a", "b", -1}, {"b", "a", 1},        {"a", "a", 0}, {"a", "aa", -1},
        {"aa", "a", 1}, {"\x7F", "\x80", -1}, {"", "", 0},   {"", "a", -1},
    };

    (void)state;
    FOR_EACH(row, rows) {
        int order = slice_compare(slice_z(row->name), slice_z(row->other));

        assert_int_equal((order > 0) - (order < 0), row->order);
    }
}

static void splitting_gives_every_piece_between_separators(void **state)
{
    static const struct {
        const char *name;
        const char *pieces[4];
    } rows[] = {
        {"a,,b", {"a", "", "b"}}, {"a", {"a"}}, {"a,", {"a"}}, {",a", {"", "a"}}, {"", {NULL}},
    };

    (void)state;
    FOR_EACH(row, rows) {
        struct slice rest = slice_z(row->name);
        struct slice piece;
        size_t n = 0;

        for (; slice_next(&rest, ',', &piece); n++) {
            assert_non_null(row->pieces[n]);
            assert_slice(piece, row->pieces[n]);
        }
        assert_null(row->pieces[n]);
    }
}

static void an_absent_text_is_an_empty_slice(void **state)
{
    struct slice absent = {NULL, 0};

    (void)state;
    assert_slice(slice_z(NULL), "");
    assert_true(slice_eq(absent, SLICE_EMPTY));
    assert_int_equal(slice_compare(absent, SLICE_EMPTY), 0);
    assert_int_equal(slice_find(absent, 'a', 0), 0);
    assert_true(slice_has(absent, absent));
    assert_false(slice_has(absent, SLICE("a")));
    assert_int_equal(slice_trim(absent).len, 0);
}

static void a_text_is_copied_whole_or_cut_between_characters(void **state)
{
    static const struct {
        const char *name, *copy;
    } rows[] = {{"", ""},
                {"abc", "abc"},
                {"abcdefg", "abcdefg"},
                {"abcdefgh", "abcdefg"},
                {"abcdef\xc3\xa4", "abcdef"},
                {"abcd\xe2\x82\xac", "abcd\xe2\x82\xac"}};

    (void)state;
    FOR_EACH(row, rows) {
        char out[8];
        text_copy(out, sizeof out, row->name);
        assert_string_equal(out, row->copy);
    }
}

static void how_far_two_words_are_apart_is_counted(void **state)
{
    static const struct {
        const char *name;
        const char *other;
        size_t distance;
    } rows[] = {
        {"", "", 0},
        {"a", "", 1},
        {"", "abc", 3},
        {"same", "same", 0},
        {"Procesed", "Processed", 1},
        {"kitten", "sitting", 3},
        {"ab", "ba", 2},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(slice_distance(slice_z(row->name), slice_z(row->other)), row->distance);
}

static void only_the_start_of_long_words_is_compared(void **state)
{
    char a[200];
    char b[200];

    (void)state;
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    b[150] = 'y';
    assert_int_equal(slice_distance((struct slice){a, sizeof a}, (struct slice){b, sizeof b}), 0);
    b[10] = 'y';
    assert_int_equal(slice_distance((struct slice){a, sizeof a}, (struct slice){b, sizeof b}), 1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_far_two_words_are_apart_is_counted),
        cmocka_unit_test(only_the_start_of_long_words_is_compared),
        cmocka_unit_test(a_text_is_copied_whole_or_cut_between_characters),
        cmocka_unit_test(a_new_str_is_an_empty_text),
        cmocka_unit_test(additions_stand_one_after_another),
        cmocka_unit_test(what_is_formatted_may_be_of_any_length),
        cmocka_unit_test(octets_after_a_nul_are_kept),
        cmocka_unit_test(growing_keeps_what_is_there),
        cmocka_unit_test(empty_keeps_the_memory_and_clear_gives_it_back),
        cmocka_unit_test(steal_leaves_null_behind),
        cmocka_unit_test(new_memory_is_zeroed_and_unique),
        cmocka_unit_test(slices_are_cut_within_their_bounds),
        cmocka_unit_test(trimming_takes_mail_blanks_off_both_ends_only),
        cmocka_unit_test(only_ascii_letters_ignore_case),
        cmocka_unit_test(a_needle_is_found_wherever_it_stands),
        cmocka_unit_test(a_needle_with_a_nul_is_a_needle),
        cmocka_unit_test(comparing_goes_by_octets_then_length),
        cmocka_unit_test(splitting_gives_every_piece_between_separators),
        cmocka_unit_test(an_absent_text_is_an_empty_slice),
    };

    return RUN_TESTS(tests);
}
