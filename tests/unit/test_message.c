/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "message_sample.h"

/* Texts */

static void a_kept_text_is_there_however_the_pool_grows(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    struct span first = message_keep(&m, SLICE("first\0\n"));
    struct span none = message_keep(&m, SLICE_EMPTY);

    (void)state;
    for (int i = 0; i < 10000; i++)
        message_keep(&m, SLICE("more"));
    assert_true(slice_eq(message_slice(&m, first), SLICE("first\0\n")));
    assert_int_equal(none.len, 0);
    assert_int_equal(message_slice(&m, none).len, 0);
}

static void a_text_of_the_pool_may_be_kept_again(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    struct span span = message_keep(&m, SLICE("0123456789"));

    (void)state;
    for (int i = 0; i < 16; i++) {
        struct span again = message_keep(&m, message_slice(&m, span));

        assert_text(&m, again, "0123456789");
    }
}

static void a_list_gives_back_its_items(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    struct slice rest;
    struct slice item;

    (void)state;
    message_list_add(&m, &m.to, SLICE("a@b"));
    message_list_add(&m, &m.to, SLICE(""));
    message_list_add(&m, &m.to, SLICE("c@d\ne"));
    rest = message_slice(&m, m.to);
    assert_true(message_next(&rest, &item));
    assert_true(slice_eqz(item, "a@b"));
    assert_true(message_next(&rest, &item));
    assert_true(slice_eqz(item, "c@d e"));
    assert_false(message_next(&rest, &item));
    rest = message_slice(&m, m.cc);
    assert_false(message_next(&rest, &item));
    rest = SLICE("\n\na@b\n\n");
    assert_true(message_next(&rest, &item));
    assert_true(slice_eqz(item, "a@b"));
    assert_false(message_next(&rest, &item));
}

static void a_list_that_grows_alone_is_not_moved(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;

    (void)state;
    for (int i = 0; i < 100; i++)
        message_list_add(&m, &m.to, SLICE("a@b"));
    assert_int_equal(m.to.len, 400);
    assert_int_equal(m.pool.len, 400);
}

static void two_lists_may_grow_in_turn(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;

    (void)state;
    message_list_add(&m, &m.to, SLICE("a"));
    message_list_add(&m, &m.cc, SLICE("1"));
    message_list_add(&m, &m.to, SLICE("b"));
    message_list_add(&m, &m.cc, SLICE("2"));
    message_list_add(&m, &m.cc, message_slice(&m, m.to));
    assert_text(&m, m.to, "a\nb\n");
    assert_text(&m, m.cc, "1\n2\na b \n");
}

static void parts_keep_their_order(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct message_part *part = message_add_part(&m);

        assert_int_equal(part->size, 0);
        assert_int_equal(part->name.len, 0);
        part->size = i;
    }
    assert_int_equal(m.part_count, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(m.parts[i].size, i);
}

static void a_cleared_message_can_be_used_again(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;

    (void)state;
    fill(&m);
    message_clear(&m);
    assert_int_equal(m.part_count, 0);
    assert_int_equal(m.from.len, 0);
    assert_false(m.has_date);
    fill(&m);
    assert_int_equal(m.part_count, 3);
}

/* Digests: what changes them and what does not */

static void other_from(struct message *m)
{
    m->from = message_keep(m, SLICE("ann.lee@example.net"));
}

static void other_case_of_from(struct message *m)
{
    m->from = message_keep(m, SLICE("Ann.Lee@Example.com"));
}

static void other_subject(struct message *m)
{
    m->subject = message_keep(m, SLICE("Lift stuck"));
}

static void other_prefix_of_subject(struct message *m)
{
    m->subject = message_keep(m, SLICE("AW: printer jammed [team]"));
}

static void other_date(struct message *m)
{
    m->date_ms++;
}

static void no_date(struct message *m)
{
    m->has_date = false;
}

static void other_message_id(struct message *m)
{
    m->message_id = message_keep(m, SLICE("<other@example.org>"));
}

static void other_ways(struct message *m)
{
    m->signs = 0;
    m->to = m->cc = m->reply_to = m->references = m->in_reply_to = (struct span){0, 0};
    m->from_name = message_keep(m, SLICE("A. Lee"));
}

static void other_text(struct message *m)
{
    m->text = message_keep(m, SLICE("The printer has not jammed."));
    m->parts[0].sha256 = sha256_of(SLICE("The printer has not jammed."));
}

static void other_line_breaks(struct message *m)
{
    m->text = message_keep(m, SLICE(" The  printer has\r\njammed."));
    m->parts[0].sha256 = sha256_of(SLICE(" The  printer has\r\njammed."));
}

static void other_octets_of_attachment(struct message *m)
{
    m->parts[1].sha256 = sha256_of(SLICE("%PDF-1.5"));
}

static void other_name_of_attachment(struct message *m)
{
    m->parts[1].name = message_keep(m, SLICE("other.pdf"));
}

static void other_type_of_attachment(struct message *m)
{
    m->parts[1].type = message_keep(m, SLICE("application/octet-stream"));
}

static void other_spool_file(struct message *m)
{
    m->parts[1].file = message_keep(m, SLICE("tmp/r2.1"));
}

static void other_order_of_parts(struct message *m)
{
    struct message_part part = m->parts[1];

    m->parts[1] = m->parts[2];
    m->parts[2] = part;
}

static void one_part_less(struct message *m)
{
    m->part_count--;
}

/* Moves an octet from one text to the next. */
static void other_boundary(struct message *m)
{
    m->parts[1].type = message_keep(m, SLICE("application/pdfB"));
    m->parts[1].name = message_keep(m, SLICE("ericht ä.pdf"));
}

static void the_digests_change_with_what_they_cover(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        void (*change)(struct message *m);
        bool payload_changes, fingerprint_changes;
    } rows[] = {
        {"sender",                       other_from,                 true,  true},
        {"the sender's case",            other_case_of_from,         true,  false},
        {"subject",                      other_subject,              true,  true},
        {"prefixes of the subject",      other_prefix_of_subject,    true,  false},
        {"date",                         other_date,                 true,  false},
        {"no date",                      no_date,                    true,  false},
        {"Message-ID",                   other_message_id,           false, false},
        {"recipients, signs, threads",   other_ways,                 false, false},
        {"text",                         other_text,                 true,  true},
        {"white space of the text",      other_line_breaks,          true,  false},
        {"octets of an attachment",      other_octets_of_attachment, true,  true},
        {"name of an attachment",        other_name_of_attachment,   true,  false},
        {"type of an attachment",        other_type_of_attachment,   true,  false},
        {"where an attachment is kept",  other_spool_file,           false, false},
        {"order of the parts",           other_order_of_parts,       true,  true},
        {"a part less",                  one_part_less,              true,  true},
        {"where type and name part",     other_boundary,             true,  false},
    };
    /* clang-format on */
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;

    (void)state;
    fill(&m);

    struct digest payload = message_payload_digest(&m);
    struct digest fingerprint = message_fingerprint(&m);

    FOR_EACH(row, rows) {
        CLEANUP(message_clear) struct message other = MESSAGE_INIT;

        fill(&other);
        row->change(&other);

        struct digest other_payload = message_payload_digest(&other);
        struct digest other_fingerprint = message_fingerprint(&other);

        assert_int_equal(!digest_eq(&payload, &other_payload), row->payload_changes);
        assert_int_equal(!digest_eq(&fingerprint, &other_fingerprint), row->fingerprint_changes);
    }
}

/* They stand in ledgers: a change of either function must be noticed, and be a new version. */
static void the_digests_are_what_they_were(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    char hex[DIGEST_HEX_SIZE];

    (void)state;
    fill(&m);

    struct digest payload = message_payload_digest(&m);
    struct digest fingerprint = message_fingerprint(&m);

    assert_int_equal(PAYLOAD_DIGEST_VERSION, 1);
    digest_hex(&payload, hex);
    assert_string_equal(hex, "1f5d2d78179a95d11d42bc0e9b58ba23829c549b8086d1dbf8a384c743d72ead");
    digest_hex(&fingerprint, hex);
    assert_string_equal(hex, "e2c6a137c38f16758bb4cc006ad727598276a854315e3063734401f73e860ddb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kept_text_is_there_however_the_pool_grows),
        cmocka_unit_test(a_text_of_the_pool_may_be_kept_again),
        cmocka_unit_test(a_list_gives_back_its_items),
        cmocka_unit_test(a_list_that_grows_alone_is_not_moved),
        cmocka_unit_test(two_lists_may_grow_in_turn),
        cmocka_unit_test(parts_keep_their_order),
        cmocka_unit_test(a_cleared_message_can_be_used_again),
        cmocka_unit_test(the_digests_change_with_what_they_cover),
        cmocka_unit_test(the_digests_are_what_they_were),
    };

    return RUN_TESTS(tests);
}
