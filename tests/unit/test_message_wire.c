/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "message_sample.h"

#include <onecase/source.h>
#include <stdlib.h>

static void assert_same_part(const struct message_part *a, const struct message_part *b)
{
    assert_int_equal(a->role, b->role);
    assert_int_equal(a->size, b->size);
    assert_memory_equal(&a->sha256, &b->sha256, sizeof a->sha256);
    assert_memory_equal(&a->type, &b->type, sizeof a->type);
    assert_memory_equal(&a->name, &b->name, sizeof a->name);
    assert_memory_equal(&a->file, &b->file, sizeof a->file);
}

static void what_is_written_is_read(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    CLEANUP(message_clear) struct message back = MESSAGE_INIT;
    CLEANUP(str_clear) struct str flat = STR_INIT;
    CLEANUP(str_clear) struct str again = STR_INIT;

    (void)state;
    fill(&m);
    fill(&back);
    message_write(&m, &flat);
    assert_int_equal(message_read(str_slice(&flat), &back, NULL), RC_OK);
    assert_text(&back, back.from, "ann.lee@example.com");
    assert_text(&back, back.to, "help@example.org\nbo.ek@example.net\n");
    assert_true(
        slice_eq(message_slice(&back, back.message_id), SLICE("<gr\xFC\xDF\0e@example.com>")));
    assert_text(&back, back.report_action, "failed");
    assert_true(back.has_date);
    assert_int_equal(back.date_ms, m.date_ms);
    assert_int_equal(back.signs, m.signs);
    assert_int_equal(back.part_count, m.part_count);
    for (size_t i = 0; i < m.part_count; i++)
        assert_same_part(&back.parts[i], &m.parts[i]);
    message_write(&back, &again);
    assert_true(slice_eq(str_slice(&again), str_slice(&flat)));
}

static void an_empty_message_is_read_too(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    CLEANUP(message_clear) struct message back = MESSAGE_INIT;
    CLEANUP(str_clear) struct str flat = STR_INIT;

    (void)state;
    m.date_ms = 5; /* without a date it says nothing */
    message_write(&m, &flat);
    assert_int_equal(message_read(str_slice(&flat), &back, NULL), RC_OK);
    assert_int_equal(back.date_ms, 0);
}

static void every_instant_that_a_date_can_be_is_read(void **state)
{
    static const char *const dates[] = {
        "1 Jan 1990 00:00:00 +9959",
        "31 Dec 9999 23:59:60 -9959",
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(dates); i++) {
        CLEANUP(message_clear) struct message m = MESSAGE_INIT;
        CLEANUP(message_clear) struct message back = MESSAGE_INIT;
        CLEANUP(str_clear) struct str flat = STR_INIT;

        m.has_date = date_parse(slice_z(dates[i]), &m.date_ms);
        assert_true(m.has_date);
        message_write(&m, &flat);
        assert_int_equal(message_read(str_slice(&flat), &back, NULL), RC_OK);
        assert_int_equal(back.date_ms, m.date_ms);
    }
}

static void a_part_more_than_the_room_may_be_added_after_reading(void **state)
{
    (void)state;
    for (size_t count = 0; count < 20; count++) {
        CLEANUP(message_clear) struct message m = MESSAGE_INIT;
        CLEANUP(message_clear) struct message back = MESSAGE_INIT;
        CLEANUP(str_clear) struct str flat = STR_INIT;

        for (size_t i = 0; i < count; i++)
            message_add_part(&m);
        message_write(&m, &flat);
        assert_int_equal(message_read(str_slice(&flat), &back, NULL), RC_OK);
        message_add_part(&back)->size = 7;
        assert_int_equal(back.part_count, count + 1);
        assert_int_equal(back.parts[count].size, 7);
    }
}

static void assert_refused(struct slice flat)
{
    CLEANUP(message_clear) struct message out = MESSAGE_INIT;
    struct err err = ERR_INIT;

    out.from = message_keep(&out, SLICE("unchanged"));
    assert_int_equal(message_read(flat, &out, &err), RC_REFUSED);
    assert_int_equal(err.rc, RC_REFUSED);
    assert_text(&out, out.from, "unchanged");
}

static void no_part_of_a_message_is_one_and_nothing_follows_it(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    CLEANUP(str_clear) struct str flat = STR_INIT;

    (void)state;
    fill(&m);
    message_write(&m, &flat);
    for (size_t len = 0; len < flat.len; len++) {
        /* In memory of its own, so that reading past it is seen. */
        char *copy = malloc(len > 0 ? len : 1);

        memcpy(copy, flat.at, len);
        assert_refused((struct slice){copy, len});
        free(copy);
    }
    str_addc(&flat, '\0');
    assert_refused(str_slice(&flat));
}

/* Whatever comes out is used as a message would be: nothing may lead outside. */
static void use(const struct message *m)
{
    const struct span lists[] = {m->reply_to,    m->to,         m->cc,
                                 m->in_reply_to, m->references, m->reported};
    size_t items = 0;

    for (size_t i = 0; i < LENGTH(lists); i++) {
        struct slice rest = message_slice(m, lists[i]);
        struct slice item;

        while (message_next(&rest, &item))
            items += item.len;
    }
    assert_true(items <= 2 * m->pool.len);
    message_payload_digest(m);
    message_fingerprint(m);
}

static void no_change_of_an_octet_does_harm(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    CLEANUP(str_clear) struct str flat = STR_INIT;
    int refused = 0;
    int read = 0;

    (void)state;
    fill(&m);
    message_write(&m, &flat);
    for (size_t i = 0; i < flat.len; i++) {
        char was = flat.at[i];

        for (int change = 1; change < 256; change++) {
            CLEANUP(message_clear) struct message out = MESSAGE_INIT;

            flat.at[i] = (char)((uint8_t)was ^ (uint8_t)change);
            if (message_read(str_slice(&flat), &out, NULL) == RC_OK) {
                use(&out);
                read++;
            } else {
                refused++;
            }
        }
        flat.at[i] = was;
    }
    assert_true(refused > 0);
    assert_true(read > 0);
}

/* A message with one thing wrong in it. */
static void wrong_sign(struct message *m)
{
    m->signs = 1u << 31;
}

/* Who runs a reader says it, and no reader. */
static void sign_of_servers(struct message *m)
{
    m->signs = SIGN_DMARC_PASS;
}

static void early_date(struct message *m)
{
    m->date_ms = INT64_C(600000000000);
}

static void late_date(struct message *m)
{
    m->date_ms = INT64_MAX;
}

static void wrong_role(struct message *m)
{
    m->parts[1].role = (enum part_role)2;
}

static void negative_size(struct message *m)
{
    m->parts[1].size = -1;
}

static void span_past_the_pool(struct message *m)
{
    m->subject.len = (uint32_t)m->pool.len - m->subject.at + 1;
}

static void span_that_overflows(struct message *m)
{
    m->subject = (struct span){UINT32_MAX, UINT32_MAX};
}

static void empty_span_past_the_pool(struct message *m)
{
    m->subject = (struct span){(uint32_t)m->pool.len + 1, 0};
}

static void part_span_past_the_pool(struct message *m)
{
    m->parts[2].name = (struct span){(uint32_t)m->pool.len, 1};
}

static void line_end_in_an_address(struct message *m)
{
    m->from = message_keep(m, SLICE("a@b\r\nBcc: c@d"));
}

static void line_feed_in_a_list_id(struct message *m)
{
    m->list_id = message_keep(m, SLICE("a\nb"));
}

static void carriage_return_in_a_list(struct message *m)
{
    m->reply_to = message_keep(m, SLICE("a@b\rBcc: c@d\n"));
}

static void list_without_end(struct message *m)
{
    m->references = message_keep(m, SLICE("<a@b>"));
}

static void nul_in_a_text(struct message *m)
{
    m->text = message_keep(m, SLICE("a\0b"));
}

static void text_that_is_no_utf8(struct message *m)
{
    m->subject = message_keep(m, SLICE("gr\xFC\xDF"
                                       "e"));
}

static void span_within_a_character(struct message *m)
{
    m->from_name = message_keep(m, SLICE("é"));
    m->from_name.len = 1;
}

static void name_that_is_no_utf8(struct message *m)
{
    m->parts[1].name = message_keep(m, SLICE("\xC0\xAF"));
}

static void text_that_is_looked_at_too_often(struct message *m)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    for (int i = 0; i < 1000; i++)
        str_addz(&text, "more");
    m->subject = m->text = m->from_name = m->list_id = message_keep(m, str_slice(&text));
}

static const struct {
    const char *name;
    void (*spoil)(struct message *m);
} faults[] = {
    {"a sign that is not known", wrong_sign},
    {"a sign that is not the reader's", sign_of_servers},
    {"a date before 1990", early_date},
    {"a date that overflows", late_date},
    {"a role that is not known", wrong_role},
    {"a negative size", negative_size},
    {"a span past the pool", span_past_the_pool},
    {"a span that overflows", span_that_overflows},
    {"an empty span past the pool", empty_span_past_the_pool},
    {"a part's span past the pool", part_span_past_the_pool},
    {"a line end in an address", line_end_in_an_address},
    {"a line feed in a list id", line_feed_in_a_list_id},
    {"a carriage return in a list", carriage_return_in_a_list},
    {"a list without its last line end", list_without_end},
    {"NUL in a text", nul_in_a_text},
    {"a text that is no UTF-8", text_that_is_no_utf8},
    {"a span that ends within a character", span_within_a_character},
    {"a name that is no UTF-8", name_that_is_no_utf8},
    {"one text in too many places", text_that_is_looked_at_too_often},
};

static void a_message_with_a_fault_is_refused(void **state)
{
    (void)state;
    FOR_EACH(row, faults) {
        CLEANUP(message_clear) struct message m = MESSAGE_INIT;
        CLEANUP(str_clear) struct str flat = STR_INIT;

        fill(&m);
        row->spoil(&m);
        message_write(&m, &flat);
        assert_refused(str_slice(&flat));
    }
}

static void another_version_is_refused(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    CLEANUP(str_clear) struct str flat = STR_INIT;

    (void)state;
    message_write(&m, &flat);
    flat.at[7]++;
    assert_refused(str_slice(&flat));
}

static void a_spool_file_leads_nowhere_else(void **state)
{
    static const struct {
        const char *name;
        bool good;
    } rows[] = {
        {"", true},
        {"part.1", true},
        {"tmp/reader-7_A.1", true},
        {"tmp/r1/2", true},
        {"azAZ09", true},
        {"/etc/passwd", false},
        {"items/aa/key/original.eml", false},
        {"x/y", false},
        {"tmp/", false},
        {"tmp//x", false},
        {"tmp/../ledger.db", false},
        {"tmp/x/..", false},
        {"tmp/.hidden", false},
        {"..", false},
        {".", false},
        {"tmp/a b", false},
        {"tmp/a\\b", false},
        {"tmp/\xC3\xA9", false},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(message_clear) struct message m = MESSAGE_INIT;
        CLEANUP(message_clear) struct message back = MESSAGE_INIT;
        CLEANUP(str_clear) struct str flat = STR_INIT;

        add_part(&m, PART_TEXT, "text/plain", "", row->name, "x");
        message_write(&m, &flat);
        assert_int_equal(message_read(str_slice(&flat), &back, NULL),
                         row->good ? RC_OK : RC_REFUSED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(an_empty_message_is_read_too),
        cmocka_unit_test(every_instant_that_a_date_can_be_is_read),
        cmocka_unit_test(a_part_more_than_the_room_may_be_added_after_reading),
        cmocka_unit_test(no_part_of_a_message_is_one_and_nothing_follows_it),
        cmocka_unit_test(no_change_of_an_octet_does_harm),
        cmocka_unit_test(a_message_with_a_fault_is_refused),
        cmocka_unit_test(another_version_is_refused),
        cmocka_unit_test(a_spool_file_leads_nowhere_else),
    };

    return RUN_TESTS(tests);
}
