/* SPDX-License-Identifier: Apache-2.0 */
/* links: message core */
#include "message_bench.h"
#include "tnef.h"
#include "uu_text.h"

/* ---- uuencode in a text ------------------------------------------------------------------------ */

static const struct {
    const char *name;
    const char *text;
    const char *left;  /* the text without the blocks */
    const char *files; /* "name octets" lines */
} uu_rows[] = {
    /* clang-format off */
    {"none", "hello\nbegin again\n", "hello\nbegin again\n", ""},
    {"one", "hello\n\nbegin 644 cat.txt\n#8V%T\n`\nend\nbye\n", "hello\n\nbye\n", "cat.txt cat\n"},
    {"two", "begin 644 a\n#8V%T\n`\nend\nbegin 0755 b c\n#8V%T\n`\nend\n", "", "a cat\nb c cat\n"},
    {"without an end", "hello\nbegin 644 a\n#8V%T\n", "hello\n", "a cat\n"},
    {"with a blank for nothing", "begin 644 a\n#8V%T\n \nend\n", "", "a cat\n"},
    {"a sentence", "begin 644 a sentence\nand go on with it\n", "begin 644 a sentence\nand go on with it\n", ""},
    {"a line that is too long", "begin 644 a\n#8V%TTTTT\n`\nend\n", "begin 644 a\n#8V%TTTTT\n`\nend\n", ""},
    {"nothing in it", "begin 644 a\n`\nend\n", "begin 644 a\n`\nend\n", ""},
    {"no mode", "begin cat.txt\n#8V%T\n`\nend\n", "begin cat.txt\n#8V%T\n`\nend\n", ""},
    {"a mode of no octal digits", "begin 999 a\n#8V%T\n`\nend\n", "begin 999 a\n#8V%T\n`\nend\n", ""},
    {"no name", "begin 644 \n#8V%T\n`\nend\n", "begin 644 \n#8V%T\n`\nend\n", ""},
    /* clang-format on */
};

static void files_stand_in_a_text(void **state)
{
    (void)state;
    FOR_EACH(row, uu_rows) {
        CLEANUP(str_clear) struct str left = STR_INIT;
        CLEANUP(str_clear) struct str files = STR_INIT;
        CLEANUP(str_clear) struct str name = STR_INIT;
        CLEANUP(str_clear) struct str octets = STR_INIT;
        struct slice rest = slice_z(row->text);
        struct slice before;

        while (uu_text_next(&rest, 1000, &before, &name, &octets)) {
            str_add(&left, before);
            str_addf(&files, "%s %s\n", str_z(&name), str_z(&octets));
        }
        str_add(&left, rest);
        assert_string_equal(str_z(&left), row->left);
        assert_string_equal(str_z(&files), row->files);
    }
}

static void a_block_of_more_than_is_wanted_is_text(void **state)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    CLEANUP(str_clear) struct str octets = STR_INIT;
    struct slice rest = SLICE("begin 644 a\n#8V%T\n#8V%T\n`\nend\n");
    struct slice before;

    (void)state;
    assert_false(uu_text_next(&rest, 5, &before, &name, &octets));
    assert_true(uu_text_next(&rest, 6, &before, &name, &octets));
    assert_string_equal(str_z(&octets), "catcat");
}

static void they_are_further_attachments(void **state)
{
    static struct bench b;

    (void)state;
    bench_read(&b, SLICE("Subject: x\r\n\r\nhello\r\nbegin 644 cat.txt\r\n#8V%T\r\n`\r\nend\r\n"));
    assert_int_equal(b.message.part_count, 2);
    assert_int_equal(b.message.parts[0].role, PART_TEXT);
    assert_int_equal(b.message.parts[1].role, PART_ATTACHMENT);
    bench_assert_text(&b, b.message.parts[1].name, "cat.txt");
    assert_string_equal(str_z(&b.spooled[0]), "hello\nbegin 644 cat.txt\n#8V%T\n`\nend\n");
    assert_string_equal(str_z(&b.spooled[1]), "cat");
    bench_assert_text(&b, b.message.text, "hello");
    bench_clear(&b);
}

static void many_beginnings_cost_little(void **state)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str name = STR_INIT;
    CLEANUP(str_clear) struct str octets = STR_INIT;
    struct slice rest;
    struct slice before;

    (void)state;
    while (text.len < 1 << 20)
        str_addz(&text, "begin 644 a\n#8V%T\n");
    str_addz(&text, "and no end, but a line that is none of it\n");
    rest = str_slice(&text);
    assert_false(uu_text_next(&rest, 1000, &before, &name, &octets));
}

/* ---- winmail.dat ------------------------------------------------------------------------------- */

static void put(struct str *out, uint64_t number, size_t octets)
{
    for (size_t i = 0; i < octets; i++)
        str_addc(out, (char)(uint8_t)(number >> (8 * i)));
}

static void put_attribute(struct str *out, uint8_t level, uint32_t id, struct slice value)
{
    put(out, level, 1);
    put(out, id, 4);
    put(out, (uint32_t)value.len, 4);
    str_add(out, value);
    put(out, 0, 2);
}

static void put_long_property(struct str *out, uint32_t type, uint32_t id, struct slice value)
{
    put(out, type, 2);
    put(out, id, 2);
    put(out, 1, 4);
    put(out, (uint32_t)value.len, 4);
    str_add(out, value);
    while (out->len % 4 != 0)
        str_addc(out, '\0');
}

/* Two attachments: one as old programs write it, one with properties of every kind. */
static void put_winmail(struct str *out)
{
    CLEANUP(str_clear) struct str properties = STR_INIT;

    put(out, 0x223E9F78, 4);
    put(out, 1, 2);
    put_attribute(out, 1, 0x00089006, SLICE("\0\0\1\0"));
    put_attribute(out, 1, 0x00069007, SLICE("\xE4\x04\0\0\0\0\0\0"));
    put_attribute(out, 2, 0x00069002, SLICE("\1\0\0\0\0\0\0\0\0\0\0\0\0\0"));
    put_attribute(out, 2, 0x00018010,
                  SLICE("pr\xFC"
                        "fung.pdf\0"));
    put_attribute(out, 2, 0x0006800F, SLICE("one"));
    put_attribute(out, 2, 0x00069002, SLICE("\1\0\0\0\0\0\0\0\0\0\0\0\0\0"));
    put_attribute(out, 2, 0x00018010, SLICE("SHORT~1.TXT\0"));
    put_attribute(out, 2, 0x0006800F, SLICE("two"));
    put(&properties, 5, 4);
    put(&properties, 0x0003, 2), put(&properties, 0x3705, 2), put(&properties, 1, 4);
    put(&properties, 0x0040, 2), put(&properties, 0x3007, 2), put(&properties, 0, 8);
    put(&properties, 0x0003, 2), put(&properties, 0x8001, 2);
    str_add(&properties, SLICE("0123456789abcdef"));
    put(&properties, 1, 4), put(&properties, 4, 4), str_add(&properties, SLICE("n\0m\0"));
    put(&properties, 7, 4);
    put_long_property(&properties, 0x001F, 0x3707, SLICE("l\0\xF6\0n\0g\0.\0t\0x\0t\0\0\0"));
    put_long_property(&properties, 0x001E, 0x370E, SLICE("text/plain\0"));
    put_attribute(out, 2, 0x00069005, str_slice(&properties));
}

static void read_winmail(struct slice octets, struct str *out)
{
    struct tnef tnef;
    struct tnef_file file = {.name = STR_INIT};

    if (tnef_begin(&tnef, octets))
        while (tnef_next(&tnef, &file))
            str_addf(out, "%s|%s|%.*s\n", str_z(&file.name), str_z(&file.type),
                     (int)file.octets.len, file.octets.at);
    tnef_clear(&tnef);
    tnef_file_clear(&file);
}

static void files_stand_in_a_winmail_dat(void **state)
{
    CLEANUP(str_clear) struct str winmail = STR_INIT;
    CLEANUP(str_clear) struct str files = STR_INIT;

    (void)state;
    put_winmail(&winmail);
    read_winmail(str_slice(&winmail), &files);
    assert_string_equal(str_z(&files), "prüfung.pdf||one\nlöng.txt|text/plain|two\n");
}

/* Cut anywhere, or with any octet changed: nothing is read past the end, and it ends. */
static void a_damaged_one_gives_what_it_has(void **state)
{
    CLEANUP(str_clear) struct str winmail = STR_INIT;

    (void)state;
    put_winmail(&winmail);
    for (size_t len = 0; len < winmail.len; len++) {
        CLEANUP(str_clear) struct str copy = STR_INIT;
        CLEANUP(str_clear) struct str files = STR_INIT;

        str_add(&copy, slice_cut(str_slice(&winmail), 0, len));
        read_winmail(str_slice(&copy), &files);
        str_empty(&copy);
        str_add(&copy, str_slice(&winmail));
        copy.at[len] = (char)(copy.at[len] ^ 0xFF);
        str_empty(&files);
        read_winmail(str_slice(&copy), &files);
    }
}

static void its_files_are_further_attachments(void **state)
{
    CLEANUP(str_clear) struct str mail = STR_INIT;
    static struct bench b;

    (void)state;
    str_addz(&mail, "Content-Type: application/ms-tnef; name=winmail.dat\r\n\r\n");
    put_winmail(&mail);
    bench_read(&b, str_slice(&mail));
    assert_int_equal(b.message.part_count, 3);
    bench_assert_text(&b, b.message.parts[0].name, "winmail.dat");
    bench_assert_text(&b, b.message.parts[1].name, "prüfung.pdf");
    bench_assert_text(&b, b.message.parts[1].type, "application/octet-stream");
    bench_assert_text(&b, b.message.parts[2].name, "löng.txt");
    bench_assert_text(&b, b.message.parts[2].type, "text/plain");
    assert_string_equal(str_z(&b.spooled[2]), "two");
    bench_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_stand_in_a_text),
        cmocka_unit_test(a_block_of_more_than_is_wanted_is_text),
        cmocka_unit_test(they_are_further_attachments),
        cmocka_unit_test(many_beginnings_cost_little),
        cmocka_unit_test(files_stand_in_a_winmail_dat),
        cmocka_unit_test(a_damaged_one_gives_what_it_has),
        cmocka_unit_test(its_files_are_further_attachments),
    };

    return RUN_TESTS(tests);
}
