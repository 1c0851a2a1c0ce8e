/* SPDX-License-Identifier: Apache-2.0 */
/* links: message core */
#include "fields.h"
#include "octets.h"

#include <onecase/source.h>
#include <testing.h>

#include <stdlib.h>

/* The fields as "name=value" lines, unfolded, then "|" and the body. */
static const struct {
    const char *name;
    struct slice octets;
    const char *read;
} rows[] = {
    /* clang-format off */
    {"fields and a body",                SLICE_INIT("A: b\r\nC: d\r\n\r\nbody"), "A=b\nC=d\n|body"},
    {"LF alone",                         SLICE_INIT("A: b\nC: d\n\nbody"), "A=b\nC=d\n|body"},
    {"CR alone",                         SLICE_INIT("A: b\rC: d\r\rbody"), "A=b\nC=d\n|body"},
    {"CR CR LF",                         SLICE_INIT("A: b\r\r\nC: d\r\r\n\r\r\nbody"), "A=b\nC=d\n|body"},
    {"no blank after the colon",         SLICE_INIT("A:b\r\n\r\n"), "A=b\n|"},
    {"blanks before the colon",          SLICE_INIT("A \t: b\r\n\r\n"), "A=b\n|"},
    {"an empty value",                   SLICE_INIT("A:\r\nB:\r\n\r\n"), "A=\nB=\n|"},
    {"folded",                           SLICE_INIT("A: b\r\n c\r\n\td\r\n\r\n"), "A=b c\td\n|"},
    {"folded over an empty line",        SLICE_INIT("A: b\r\n \r\n c\r\n\r\n"), "A=b  c\n|"},
    {"empty, then folded",               SLICE_INIT("A:\r\n b\r\n\r\n"), "A=b\n|"},
    {"a fold before any field",          SLICE_INIT(" x\r\nA: b\r\n\r\n"), "A=b\n|"},
    {"no end",                           SLICE_INIT("A: b"), "A=b\n|"},
    {"no end after a line",              SLICE_INIT("A: b\r\n"), "A=b\n|"},
    {"an mbox line",                     SLICE_INIT("From a@b Mon\r\nA: b\r\n\r\nbody"), "A=b\n|body"},
    {"a quoted mbox line",               SLICE_INIT(">From a@b Mon\r\nA: b\r\n\r\nbody"), "A=b\n|body"},
    {"a field with a blank before its colon, no mbox line", SLICE_INIT("From : a@b\r\nA: b\r\n\r\nbody"), "From=a@b\nA=b\n|body"},
    {"empty lines and a mark",           SLICE_INIT("\r\n\n\xEF\xBB\xBF" "A: b\r\n\r\nbody"), "A=b\n|body"},
    {"junk before the fields",           SLICE_INIT("junk\r\nA: b\r\n\r\nbody"), "A=b\n|body"},
    {"junk between the fields",          SLICE_INIT("A: b\r\njunk\r\n more\r\nC: d\r\n\r\nbody"), "A=b\nC=d\n|body"},
    {"the empty line is missing",        SLICE_INIT("A: b\r\nbody here\r\nmore body"), "A=b\n|body here\r\nmore body"},
    {"before a delimiter",               SLICE_INIT("A: b\r\n--x\r\nC: d\r\n\r\ntext"), "A=b\nC=d\n|text"},
    {"before a text and a delimiter",    SLICE_INIT("A: b\r\nhi\r\n--x\r\nC: d\r\n\r\n"), "A=b\n|hi\r\n--x\r\nC: d\r\n\r\n"},
    {"no field at all",                  SLICE_INIT("body here\r\nmore\r\n"), "|"},
    {"NUL in a value",                   SLICE_INIT("A: b\0c\r\n\r\n"), "A=b?c\n|"},
    {"8-bit in a name is none",          SLICE_INIT("A\xFC: b\r\nC: d\r\n\r\n"), "C=d\n|"},
    {"nothing",                          SLICE_INIT(""), "|"},
    /* clang-format on */
};

static void describe(struct slice octets, const struct fields *f, struct str *out)
{
    for (size_t i = 0; i < f->count; i++) {
        CLEANUP(str_clear) struct str value = STR_INIT;

        header_unfold(f->at[i].value, &value);
        str_add(out, f->at[i].name);
        str_addc(out, '=');
        str_add(out, str_slice(&value));
        str_addc(out, '\n');
    }
    str_addc(out, '|');
    str_add(out, slice_cut(octets, f->body, octets.len));
    for (size_t i = 0; i < out->len; i++)
        if (out->at[i] == '\0')
            out->at[i] = '?';
}

static void a_header_is_a_list_of_fields(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(fields_clear) struct fields f = {.at = NULL};
        CLEANUP(str_clear) struct str read = STR_INIT;

        fields_read(row->octets, &f);
        describe(row->octets, &f, &read);
        assert_string_equal(str_z(&read), row->read);
    }
}

/* The key is made of what source.h finds; what a person sees must be of the same fields. */
static void assert_agreement(struct slice octets)
{
    static const char *const names[] = {"A", "C", "From", "Message-ID"};
    CLEANUP(fields_clear) struct fields f = {.at = NULL};

    fields_read(octets, &f);
    for (size_t i = 0; i < LENGTH(names); i++) {
        struct slice ours = SLICE_EMPTY;
        struct slice keys = SLICE_EMPTY;
        bool found = fields_first(&f, names[i], &ours);

        if (f.mended && !found)
            continue; /* beyond the line where the empty one was missing */
        assert_int_equal(found, header_first(octets, names[i], &keys));
        assert_true(slice_eq(slice_trim(ours), slice_trim(keys)));
    }
}

static void the_key_is_made_of_the_same_fields(void **state)
{
    static const struct slice pieces[] = {
        SLICE_INIT("A: b"),
        SLICE_INIT("C:d"),
        SLICE_INIT("From: x"),
        SLICE_INIT("From x"),
        SLICE_INIT("Message-ID: <y>"),
        SLICE_INIT("\r\n"),
        SLICE_INIT("\n"),
        SLICE_INIT("\r"),
        SLICE_INIT(" "),
        SLICE_INIT("\t"),
        SLICE_INIT("junk"),
        SLICE_INIT("\xEF\xBB\xBF"),
        SLICE_INIT(":"),
        SLICE_INIT("\r\n"),
        SLICE_INIT("\r\n"),
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_agreement(row->octets);
    srand(7);
    for (int round = 0; round < 20000; round++) {
        CLEANUP(str_clear) struct str octets = STR_INIT;

        for (int i = rand() % 12; i >= 0; i--)
            str_add(&octets, pieces[(size_t)rand() % LENGTH(pieces)]);
        assert_agreement(str_slice(&octets));
    }
}

static void long_headers_cost_little(void **state)
{
    static const struct {
        const char *name;
    } pieces[] = {{"\r"}, {"\r\r\n"}, {" \n"}, {"junk\n"}, {"a:\n"}, {"a"}, {":"}, {"\n"}};

    (void)state;
    FOR_EACH(row, pieces) {
        CLEANUP(fields_clear) struct fields f = {.at = NULL};
        CLEANUP(str_clear) struct str octets = STR_INIT;

        str_addz(&octets, "A: b\n");
        while (octets.len < 1 << 20)
            str_addz(&octets, row->name);
        fields_read(str_slice(&octets), &f);
    }
}

/* ---- a view: a header of ours, the body of the mail, and what was put in ---------------------- */

static void read_view(const struct octet_view *v, size_t piece, struct str *out)
{
    char into[64];
    int64_t at = 0;
    size_t got;

    str_empty(out);
    while ((got = octet_view_read(v, at, into, piece)) > 0) {
        str_add(out, (struct slice){into, got});
        at += (int64_t)got;
    }
    assert_int_equal(at, octet_view_size(v));
}

static void a_view_is_read_by_position(void **state)
{
    struct octets octets = octets_of_memory(SLICE("Header: x\r\n\r\none\r\ntwo\r\nthree"));
    CLEANUP(octet_view_clear) struct octet_view v = {.octets = &octets, .body = 13};
    CLEANUP(str_clear) struct str text = STR_INIT;

    (void)state;
    str_addz(&v.head, "H: y\n\n");
    read_view(&v, 64, &text);
    assert_string_equal(str_z(&text), "H: y\n\none\r\ntwo\r\nthree");
    assert_false(octet_view_put(&v, 3));
    assert_true(octet_view_put(&v, 16)); /* before "three" */
    assert_true(octet_view_put(&v, 11)); /* before "two" */
    assert_false(octet_view_put(&v, 11));
    for (size_t piece = 1; piece < 8; piece++) {
        read_view(&v, piece, &text);
        assert_string_equal(str_z(&text), "H: y\n\none\r\n\r\ntwo\r\n\r\nthree");
    }
    assert_int_equal(octet_view_origin(&v, 2), -1);
    assert_int_equal(octet_view_origin(&v, 6), 13);
    assert_int_equal(octet_view_origin(&v, 13), 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_is_a_list_of_fields),
        cmocka_unit_test(the_key_is_made_of_the_same_fields),
        cmocka_unit_test(long_headers_cost_little),
        cmocka_unit_test(a_view_is_read_by_position),
    };

    return RUN_TESTS(tests);
}
