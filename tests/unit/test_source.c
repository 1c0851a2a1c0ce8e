/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/identity.h>
#include <onecase/source.h>
#include <testing.h>

#include <string.h>

#define DATE    "Date: Mon, 02 Mar 2026 09:15:00 +0800\r\n"
#define FROM    "From: Ann Lee <ann.lee@example.com>\r\n"
#define SUBJECT "Subject: Printer on floor 3 is jammed\r\n"
#define HEADER  DATE FROM SUBJECT
#define BODY    "\r\nThe printer near the lifts has jammed again.\r\n"
#define AT_MS   INT64_C(1772414100000)

/* SHA-256 of From, Date, Subject and body above as the contract joins them, by other means. */
#define SOURCE_DIGEST "a9a9275db9f8bfcf9e0b4f1f83bc6f698799055d3662ad5128802624a58d430f"

#define MAIL(text) SLICE_INIT(text)

static struct digest source_digest_of(struct slice mail)
{
    CLEANUP(source_clear) struct source s = SOURCE_INIT;

    source_of(mail, &s);
    return s.source_digest;
}

static bool same_digest(struct slice a, struct slice b)
{
    struct digest one = source_digest_of(a);
    struct digest other = source_digest_of(b);

    return digest_eq(&one, &other);
}

static bool is_of_all_octets(struct slice mail)
{
    struct digest one = source_digest_of(mail);
    struct digest other = sha256_of(mail);

    return digest_eq(&one, &other);
}

/* Which field is taken */

/* clang-format off */
static const struct {
    const char *name;
    struct slice mail;
    const char *message_id;    /* "" is none */
} ids[] = {
    {"no field of that name",              MAIL(HEADER BODY), ""},
    {"white space only",                   MAIL(HEADER "Message-ID:  \t \r\n" BODY), ""},
    {"empty brackets",                     MAIL(HEADER "Message-ID: <>\r\n" BODY), ""},
    {"on one line",                        MAIL(HEADER "Message-ID: <fold.7781@x>\r\n" BODY), "<fold.7781@x>"},
    {"on the next line",                   MAIL(HEADER "Message-ID: \r\n  <fold.7781@x>  \r\n" BODY), "<fold.7781@x>"},
    {"on the next line with LF ends",      MAIL("Message-ID:\n\t<fold.7781@x>\nA: b\n\nbody\n"), "<fold.7781@x>"},
    {"beyond a line of white space",       MAIL("Message-ID:\r\n \t\r\n <fold.7781@x>\r\n" BODY), "<fold.7781@x>"},
    {"folded in the middle",               MAIL("Message-ID: <fold.\r\n 7781@x>\r\n" BODY), "<fold.7781@x>"},
    {"no brackets",                        MAIL(HEADER "Message-ID: faff5b13cc@x\r\n" BODY), "<faff5b13cc@x>"},
    {"a look-alike before",                MAIL("MessageId: internal-778\r\n" HEADER "Message-ID: <real.778@x>\r\n" BODY), "<real.778@x>"},
    {"look-alikes only",                   MAIL(HEADER "X-Message-ID: <x.1@x>\r\nResent-Message-ID: <r.1@x>\r\nIn-Reply-To: <p.1@x>\r\nMessage-IDs: <s@x>\r\nMessage-I: <i@x>\r\n" BODY), ""},
    {"a comment after",                    MAIL(HEADER "Message-ID: <c0ffee.9@x> (added by relay@y)\r\n" BODY), "<c0ffee.9@x>"},
    {"glued to the next field",            MAIL(HEADER "Message-ID: \r\n <glued.3@x>MIME-Version: 1.0\r\n" BODY), "<glued.3@x>"},
    {"only in an enclosed mail",           MAIL(HEADER "\r\n--fwd-1\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <inner.5@x>\r\n\r\nInner.\r\n"), ""},
    {"only in the body",                   MAIL(HEADER "\r\nMessage-ID: <body@x>\r\n"), ""},
    {"names in any case, no blank",        MAIL("message-id:<tight.1@x>\r\n" HEADER BODY), "<tight.1@x>"},
    {"white space before the colon",       MAIL(HEADER "MESSAGE-ID \t : <colon@x>\r\n" BODY), "<colon@x>"},
    {"white space before the name",        MAIL(" Message-ID: <fold@x>\r\n" HEADER BODY), ""},
    {"white space within the name",        MAIL(HEADER "Message -ID: <split@x>\r\n" BODY), ""},
    {"8-bit octets in the name",           MAIL(HEADER "M\xC3\xA9ssage-ID: <accent@x>\r\n" BODY), ""},
    {"NUL in the name",                    MAIL(HEADER "Message-ID\0: <nul@x>\r\n" BODY), ""},
    {"NUL before it in the header",        MAIL("X-A: b\0c\r\nMessage-ID: <nul@x>\r\n" BODY), "<nul@x>"},
    {"the first of two",                   MAIL("Message-ID: <one@x>\r\nMessage-ID: <two@x>\r\n" BODY), "<one@x>"},
    {"the first of two, if empty",         MAIL("Message-ID:\r\nMessage-ID: <two@x>\r\n" BODY), ""},
    {"a header without end",               MAIL(HEADER "Message-ID: <headonly.1@x>\r\n"), "<headonly.1@x>"},
    {"a last line without end",            MAIL(HEADER "Message-ID: <headonly.1@x>"), "<headonly.1@x>"},
    {"a last line with half an end",       MAIL(HEADER "Message-ID: <headonly.1@x>\r"), "<headonly.1@x>"},
    {"after an mbox line",                 MAIL("From ann@example.com Mon Mar  2 09:15:00 2026\r\nMessage-ID: <mbox.1@x>\r\n" BODY), "<mbox.1@x>"},
    {"after a quoted mbox line",           MAIL(">From ann@example.com Mon Mar  2 09:15:00 2026\nMessage-ID: <mbox.1@x>\n\n"), "<mbox.1@x>"},
    {"after two mbox lines, one folded",   MAIL("From a\n b\n>From c\nMessage-ID: <mbox.1@x>\n\n"), "<mbox.1@x>"},
    {"after a BOM",                        MAIL("\xEF\xBB\xBFMessage-ID: <bom.1@x>\r\n" BODY), "<bom.1@x>"},
    {"after a BOM and an mbox line",       MAIL("\xEF\xBB\xBF" "From a\r\nMessage-ID: <bom.1@x>\r\n" BODY), "<bom.1@x>"},
    {"after empty lines",                  MAIL("\r\n\r\nMessage-ID: <late@x>\r\n" BODY), "<late@x>"},
    {"after two BOMs",                     MAIL("\xEF\xBB\xBF\xEF\xBB\xBFMessage-ID: <bom.1@x>\r\n" BODY), ""},
    {"after half a BOM",                   MAIL("\xEF\xBBMessage-ID: <bom.1@x>\r\n" BODY), ""},
    {"after half a BOM and a colon",       MAIL("\xEF\xBB: x\r\nMessage-ID: <bom.1@x>\r\n" BODY), "<bom.1@x>"},
    {"after a line without colon",         MAIL("X-A: b\r\nbroken folding\r\nMessage-ID: <skip@x>\r\n" BODY), "<skip@x>"},
    {"in the fold of such a line",         MAIL("X-A: b\r\nbroken\r\n Message-ID: <skip@x>\r\n" BODY), ""},
    {"after a colon without a name",       MAIL(": b\r\nMessage-ID: <skip@x>\r\n" BODY), "<skip@x>"},
    {"after bare CRs for line ends",       MAIL("X-A: b\rMessage-ID: <mac@x>\r\rMessage-ID: <body@x>\r"), "<mac@x>"},
    {"after CR CR LF for line ends",       MAIL("X-A: b\r\r\nMessage-ID: <crcr@x>\r\r\n\r\r\nbody\r\r\n"), "<crcr@x>"},
    {"after an empty line of bare CR",     MAIL("X-A: b\r\rMessage-ID: <body@x>\r\n"), ""},
    {"after a blank first line and an empty one", MAIL(" \r\n\r\nMessage-ID: <body@x>\r\n"), ""},
    {"no octets",                          MAIL(""), ""},
    {"an empty line",                      MAIL("\r\n"), ""},
};
/* clang-format on */

static void the_message_id_is_the_first_field_of_its_name_in_the_top_header(void **state)
{
    (void)state;
    FOR_EACH(row, ids) {
        CLEANUP(source_clear) struct source s = SOURCE_INIT;

        source_of(row->mail, &s);
        assert_string_equal(str_z(&s.message_id), row->message_id);
        assert_int_equal(s.message_id.len, strlen(row->message_id));
    }
}

static void header_first_finds_the_same(void **state)
{
    (void)state;
    FOR_EACH(row, ids) {
        CLEANUP(str_clear) struct str id = STR_INIT;
        struct slice raw = SLICE_EMPTY;

        if (header_first(row->mail, "message-id", &raw))
            message_id_normalise(raw, &id);
        assert_string_equal(str_z(&id), row->message_id);
    }
}

static void header_first_gives_the_raw_value(void **state)
{
    struct slice mail = SLICE("A:\r\nX : \r\n one\r\n\ttwo \r\nx: 2\r\nB: c\r\n\r\nD: e\r\n");
    struct slice raw = SLICE("unchanged");

    (void)state;
    assert_false(header_first(mail, "D", &raw));
    assert_false(header_first(mail, "", &raw));
    assert_true(slice_eqz(raw, "unchanged"));
    assert_true(header_first(mail, "a", &raw));
    assert_true(slice_eqz(raw, ""));
    assert_true(header_first(mail, "X", &raw));
    assert_true(slice_eqz(raw, " \r\n one\r\n\ttwo "));
    assert_ptr_equal(raw.at, mail.at + 7);
    assert_true(header_first(mail, "B", &raw));
    assert_true(slice_eqz(raw, " c"));
}

static void unfolding_removes_line_ends_before_white_space(void **state)
{
    static const struct {
        const char *name;
        const char *raw, *unfolded;
    } rows[] = {
        {"one line", " a", "a"},
        {"nothing", "", ""},
        {"folds only", " \r\n \t ", ""},
        {"a fold at the start", "\r\n a\r\n b", "a b"},
        {"LF and a tab", "a\n\tb", "a\tb"},
        {"a line of white space", "a \r\n \r\n b ", "a   b"},
        {"other line ends", "a\r b\r\r\n c", "a b c"},
        {"a line end that is no fold", "a\r\nb", "a\nb"},
        {"an empty line before a fold", "a\r\r b", "a\n b"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str unfolded = STR_INIT;

        str_addz(&unfolded, "what stood there before");
        header_unfold(slice_z(row->raw), &unfolded);
        assert_string_equal(str_z(&unfolded), row->unfolded);
    }
}

static void fields_are_unfolded_and_trimmed_but_not_decoded(void **state)
{
    CLEANUP(source_clear) struct source s = SOURCE_INIT;

    (void)state;
    source_of(
        SLICE(
            "Subject:\r\n =?utf-8?q?a?=\r\n\tb \xFF\0c \r\nFROM:x@y \r\nSubject: 2\r\n" DATE BODY),
        &s);
    assert_true(slice_eq(str_slice(&s.subject), SLICE("=?utf-8?q?a?=\tb \xFF\0c")));
    assert_string_equal(str_z(&s.from), "x@y");
    assert_string_equal(str_z(&s.date), "Mon, 02 Mar 2026 09:15:00 +0800");
    assert_true(s.has_date);
    assert_int_equal(s.date_ms, AT_MS);
}

static void a_date_that_is_none_is_said_to_be_none(void **state)
{
    CLEANUP(source_clear) struct source s = SOURCE_INIT;

    (void)state;
    source_of(SLICE("Date: jue ago 30 13:55:12 2007\r\n" FROM BODY), &s);
    assert_false(s.has_date);
    assert_int_equal(s.date_ms, 0);
    assert_string_equal(str_z(&s.date), "jue ago 30 13:55:12 2007");
}

/* The source digest */

static void the_source_digest_is_what_the_contract_says(void **state)
{
    struct slice mail = SLICE(HEADER BODY);
    struct digest by_hand = sha256_of(
        SLICE("Ann Lee <ann.lee@example.com>\nMon, 02 Mar 2026 09:15:00 +0800\n"
              "Printer on floor 3 is jammed\nThe printer near the lifts has jammed again."));
    struct digest d = source_digest_of(mail);
    char hex[DIGEST_HEX_SIZE];

    (void)state;
    digest_hex(&d, hex);
    assert_string_equal(hex, SOURCE_DIGEST);
    assert_true(digest_eq(&d, &by_hand));
}

/* clang-format off */
static const struct {
    const char *name;
    bool same;    /* as that of HEADER BODY */
    struct slice mail;
} digests[] = {
    {"trace fields",                       true,  MAIL("Received: from a by b; x\r\n" HEADER "Return-Path: <>\r\n" BODY)},
    {"another Message-ID",                 true,  MAIL(HEADER "Message-ID: <a@b>\r\n" BODY)},
    {"the order of fields",                true,  MAIL(SUBJECT DATE FROM BODY)},
    {"the case of field names",            true,  MAIL("DATE: Mon, 02 Mar 2026 09:15:00 +0800\r\n" FROM SUBJECT BODY)},
    {"a later Subject",                    true,  MAIL(HEADER "Subject: x\r\n" BODY)},
    {"folding before a blank",             true,  MAIL(DATE FROM "Subject: Printer on\r\n floor 3 is jammed\r\n" BODY)},
    {"LF ends",                            true,  MAIL("Date: Mon, 02 Mar 2026 09:15:00 +0800\nFrom: Ann Lee <ann.lee@example.com>\nSubject: Printer on floor 3 is jammed\n\nThe printer near the lifts has jammed again.\n")},
    {"CR CR LF ends in the body",          true,  MAIL(HEADER "\r\nThe printer near the lifts has jammed again.\r\r\n")},
    {"no end of the last line",            true,  MAIL(HEADER "\r\nThe printer near the lifts has jammed again.")},
    {"more line ends at the end",          true,  MAIL(HEADER BODY "\r\n\n\r\r\r\n")},
    {"an mbox line before",                true,  MAIL("From ann@example.com Mon Mar  2 09:15:00 2026\r\n" HEADER BODY)},
    {"a BOM before",                       true,  MAIL("\xEF\xBB\xBF" HEADER BODY)},
    {"empty lines before",                 true,  MAIL("\r\n\n" HEADER BODY)},
    {"another From",                       false, MAIL(DATE "From: Ann Lee <ann.lee@example.net>\r\n" SUBJECT BODY)},
    {"another Date",                       false, MAIL("Date: Mon, 02 Mar 2026 09:15:01 +0800\r\n" FROM SUBJECT BODY)},
    {"the same Date written otherwise",    false, MAIL("Date: Mon, 02 Mar 2026 01:15:00 +0000\r\n" FROM SUBJECT BODY)},
    {"another Subject",                    false, MAIL(DATE FROM "Subject: Printer on floor 4 is jammed\r\n" BODY)},
    {"no Subject",                         false, MAIL(DATE FROM BODY)},
    {"another body",                       false, MAIL(HEADER "\r\nThe printer near the stairs has jammed again.\r\n")},
    {"a line more",                        false, MAIL(HEADER BODY "x\r\n")},
    {"an empty line before the text",      false, MAIL(HEADER "\r\n" BODY)},
    {"white space at a line's end",        false, MAIL(HEADER "\r\nThe printer near the lifts has jammed again. \r\n")},
    {"a NUL at the end",                   false, MAIL(HEADER BODY "\0")},
    {"a field more",                       true,  MAIL("!~0: x\r\n" HEADER BODY)},
    {"a line with 8-bit octets for a name", false, MAIL("X\xC3\xA9: x\r\n" HEADER BODY)},
    {"a line with a control for a name",   false, MAIL("X\x01: x\r\n" HEADER BODY)},
    {"a line with DEL for a name",         false, MAIL("X\x7F: x\r\n" HEADER BODY)},
    {"a line with no name",                false, MAIL(": x\r\n" HEADER BODY)},
    {"a line with part of a BOM for a name", false, MAIL("\xEF: x\r\n" HEADER BODY)},
    {"an mbox line later in the header",   false, MAIL(DATE "From ann\r\n" FROM SUBJECT BODY)},
    {"a stray line in the header",         false, MAIL(DATE "stray\r\n" FROM SUBJECT BODY)},
};
/* clang-format on */

static void the_source_digest_covers_what_was_said_and_no_more(void **state)
{
    struct slice mail = SLICE(HEADER BODY);

    (void)state;
    FOR_EACH(row, digests)
        assert_int_equal(same_digest(row->mail, mail), row->same);
}

static void fields_and_body_do_not_run_into_one_another(void **state)
{
    (void)state;
    assert_false(same_digest(SLICE(DATE "Subject: a\r\n\r\nb"), SLICE(DATE "Subject: ab\r\n\r\n")));
    assert_false(same_digest(SLICE(DATE "From: a\r\n\r\nb"), SLICE(DATE "Subject: a\r\n\r\nb")));
}

static void line_ends_within_the_body_count(void **state)
{
    CLEANUP(str_clear) struct str crlf = STR_INIT;
    CLEANUP(str_clear) struct str lf = STR_INIT;
    CLEANUP(str_clear) struct str less = STR_INIT;

    (void)state;
    str_addz(&crlf, HEADER "\r\na");
    str_addz(&lf, HEADER "\na");
    str_addz(&less, HEADER "\r\na");
    for (int i = 0; i < 100; i++) {
        str_addz(&crlf, "\r\n");
        str_addz(&lf, "\n");
        str_addz(&less, i > 0 ? "\r\n" : "");
    }
    str_addz(&crlf, "b");
    str_addz(&lf, "b");
    str_addz(&less, "b");
    assert_true(same_digest(str_slice(&crlf), str_slice(&lf)));
    assert_false(same_digest(str_slice(&crlf), str_slice(&less)));
}

static void without_a_valid_date_all_octets_count(void **state)
{
    (void)state;
    assert_true(is_of_all_octets(SLICE(FROM SUBJECT BODY)));
    assert_true(is_of_all_octets(SLICE("Date: yesterday\r\n" FROM SUBJECT BODY)));
    assert_true(is_of_all_octets(SLICE("Date: yesterday\r\n" DATE FROM SUBJECT BODY)));
    assert_true(is_of_all_octets(SLICE("stray\r\n" FROM SUBJECT BODY)));
    assert_true(is_of_all_octets(SLICE("\r\n" BODY)));
    assert_true(is_of_all_octets(SLICE("")));
    assert_false(is_of_all_octets(SLICE(HEADER BODY)));
}

static void lines_that_are_no_fields_count(void **state)
{
    (void)state;
    assert_false(same_digest(SLICE(HEADER "help me\r\n" BODY), SLICE(HEADER "help her\r\n" BODY)));
    assert_false(same_digest(SLICE(HEADER "help\r\n me\r\n" BODY), SLICE(HEADER "help\r\n" BODY)));
    assert_true(same_digest(SLICE("help me\r\n" HEADER BODY), SLICE(HEADER "help me\n" BODY)));
    assert_true(same_digest(SLICE(HEADER "help me\r\n"), SLICE(HEADER "help me")));
}

/* Reading in pieces */

static const struct slice samples[] = {
    MAIL("\xEF\xBB\xBF"
         "From a@b Mon\r\n x\r\n" DATE "Subject : a\r\n\tb\r\n"
         "stray \r\n line\r\n"
         "MESSAGE-ID:\r\n (c) <a\r\n b@c>\r\n" FROM "\r\nOne\r\rtwo\r\n\r\r\n\nthree\r\n.\r\n\r\n"),
    MAIL("\xEF\xBB\r" DATE "\r\r\r\nbody\0\r"),
    MAIL("\r\n>From x\r\nDate: 1 Mar 26 09:00 EST\r\rbody"),
    MAIL("From "
         "\r\n" FROM "\r"),
    MAIL(HEADER "x"),
};

static void assert_same_source(const struct source *a, const struct source *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(&a->octets, &b->octets, sizeof a->octets);
    assert_memory_equal(&a->source_digest, &b->source_digest, sizeof a->source_digest);
    assert_true(slice_eq(str_slice(&a->message_id), str_slice(&b->message_id)));
    assert_true(slice_eq(str_slice(&a->from), str_slice(&b->from)));
    assert_true(slice_eq(str_slice(&a->date), str_slice(&b->date)));
    assert_true(slice_eq(str_slice(&a->subject), str_slice(&b->subject)));
    assert_int_equal(a->has_date, b->has_date);
    assert_int_equal(a->date_ms, b->date_ms);
}

/* Cut at `first` and at `second`. */
static void read_in_three(struct slice mail, size_t first, size_t second, struct source *out)
{
    struct source_reading *r = source_reading_new();

    source_reading_add(r, slice_cut(mail, 0, first));
    source_reading_add(r, slice_cut(mail, first, second - first));
    source_reading_add(r, slice_cut(mail, second, mail.len));
    source_reading_done(&r, out);
    assert_null(r);
}

static void pieces_of_any_size_give_the_same(void **state)
{
    (void)state;
    for (size_t n = 0; n < LENGTH(samples); n++) {
        CLEANUP(source_clear) struct source whole = SOURCE_INIT;
        CLEANUP(source_clear) struct source pieces = SOURCE_INIT;
        struct digest octets = sha256_of(samples[n]);

        source_of(samples[n], &whole);
        assert_int_equal(whole.size, samples[n].len);
        assert_true(digest_eq(&whole.octets, &octets));
        for (size_t first = 0; first <= samples[n].len; first++)
            for (size_t second = first; second <= samples[n].len; second += 1 + second % 3) {
                read_in_three(samples[n], first, second, &pieces);
                assert_same_source(&pieces, &whole);
            }
    }
}

static void octet_by_octet_gives_the_same(void **state)
{
    (void)state;
    for (size_t n = 0; n < LENGTH(samples); n++) {
        CLEANUP(source_clear) struct source whole = SOURCE_INIT;
        CLEANUP(source_clear) struct source pieces = SOURCE_INIT;
        struct source_reading *r = source_reading_new();

        source_of(samples[n], &whole);
        for (size_t i = 0; i < samples[n].len; i++) {
            source_reading_add(r, slice_cut(samples[n], i, 1));
            source_reading_add(r, SLICE_EMPTY);
        }
        source_reading_done(&r, &pieces);
        assert_same_source(&pieces, &whole);
    }
}

/* Lines of 1 to 600 octets and every kind of line end, far more than is hashed at once. */
static void the_digest_of_a_long_body_is_that_of_its_lines_with_lf_ends(void **state)
{
    static const char *const ends[] = {"\r\n", "\n", "\r", "\r\r\n", "\n\r\n"};
    static const char *const as_lf[] = {"\n", "\n", "\n", "\n", "\n\n"};
    CLEANUP(str_clear) struct str mail = STR_INIT;
    CLEANUP(str_clear) struct str said = STR_INIT;
    CLEANUP(source_clear) struct source source = SOURCE_INIT;
    struct source_reading *r = source_reading_new();

    (void)state;
    str_addz(&mail, HEADER "\r\n");
    str_addz(&said, "Ann Lee <ann.lee@example.com>\nMon, 02 Mar 2026 09:15:00 +0800\n"
                    "Printer on floor 3 is jammed\n");
    for (size_t line = 0; line < 997; line++) {
        for (size_t i = 0; i <= line * 7 % 600; i++) {
            str_addc(&mail, (char)('a' + (line + i) % 26));
            str_addc(&said, (char)('a' + (line + i) % 26));
        }
        str_addz(&mail, ends[line * 3 % LENGTH(ends)]);
        str_addz(&said, as_lf[line * 3 % LENGTH(ends)]);
    }
    str_addz(&mail, "end\r\n\r\n");
    str_addz(&said, "end");
    for (size_t at = 0, some = 1; at < mail.len; at += some, some = some * 5 % 1021)
        source_reading_add(r, slice_cut(str_slice(&mail), at, some));
    source_reading_done(&r, &source);

    struct digest wanted = sha256_of(str_slice(&said));

    assert_true(digest_eq(&source.source_digest, &wanted));
}

static void a_reading_can_be_dropped_at_any_point(void **state)
{
    (void)state;
    for (size_t len = 0; len <= samples[0].len; len++) {
        CLEANUP(source_reading_drop) struct source_reading *r = source_reading_new();

        source_reading_add(r, slice_cut(samples[0], 0, len));
    }
}

/* Sizes */

static void a_message_id_of_any_length_is_kept_whole(void **state)
{
    CLEANUP(str_clear) struct str mail = STR_INIT;
    CLEANUP(source_clear) struct source s = SOURCE_INIT;

    (void)state;
    str_addz(&mail, "Message-ID: <");
    while (mail.len < 1000000)
        str_addz(&mail, "!&!LgAAAAAAAAB/=");
    str_addz(&mail, "@x>\r\n\r\n");
    source_of(str_slice(&mail), &s);
    assert_int_equal(s.message_id.len, mail.len - strlen("Message-ID: ") - 4);
}

static void a_name_of_more_octets_than_a_line_may_have_is_no_field(void **state)
{
    (void)state;
    for (size_t len = 990; len < 1010; len++) {
        CLEANUP(str_clear) struct str mail = STR_INIT;
        struct slice raw;

        for (size_t i = 0; i < len; i++)
            str_addc(&mail, 'X');

        char name[1010];

        memcpy(name, mail.at, len + 1);
        str_addz(&mail, ": y\r\n" DATE BODY);
        assert_int_equal(header_first(str_slice(&mail), name, &raw), len <= 998);
        assert_true(header_first(str_slice(&mail), "Date", &raw));
        assert_int_equal(same_digest(str_slice(&mail), SLICE(DATE BODY)), len <= 998);
    }
}

/* Were any of it quadratic, the test would meet its time limit. */
static void what_repeats_a_million_times_costs_no_more_than_its_length(void **state)
{
    static const char *const pieces[] = {
        "\r", "\n", "x", "x\n", "x:\n", "Subject: x\n", " \n", "From a\n", ":", "\r\n ", "\xEF",
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(pieces); i++) {
        CLEANUP(str_clear) struct str mail = STR_INIT;
        CLEANUP(source_clear) struct source s = SOURCE_INIT;

        str_addz(&mail, "Subject: y\n");
        while (mail.len < 1000000)
            str_addz(&mail, pieces[i]);
        source_of(str_slice(&mail), &s);
        assert_int_equal(s.size, mail.len);
        assert_true(slice_starts_nocase(str_slice(&s.subject), SLICE("y")));
    }
}

/* Pairs: what the key says of two mails */

static struct identity identity_of(struct slice mail)
{
    CLEANUP(source_clear) struct source s = SOURCE_INIT;

    source_of(mail, &s);
    return s.message_id.len > 0 ? identity_message_id("help", str_slice(&s.message_id))
                                : identity_digest("help", &s.source_digest);
}

static void pairs_have_the_same_key_or_not(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        bool same;
        struct slice a, b;
    } rows[] = {
        {"one with its id folded", true,
         MAIL(HEADER "Message-ID: \r\n  <fold.7781@x>  \r\n" BODY),
         MAIL(HEADER "Message-ID: <fold.7781@x>\r\n" BODY)},
        {"one without brackets", true,
         MAIL(HEADER "Message-ID: faff5b13cc@x\r\n" BODY),
         MAIL(HEADER "Message-ID: <faff5b13cc@x>\r\n" BODY)},
        {"two deliveries by other ways", true,
         MAIL("Received: from mx1\r\n" HEADER "Message-ID: <drive.11@x>\r\n" BODY),
         MAIL("Received: from mx2\r\nReceived: from mx3\r\n" HEADER "Message-ID: <drive.11@x>\r\n" BODY)},
        {"the same without Message-ID by other ways", true,
         MAIL("Received: from mx1\r\n" HEADER BODY),
         MAIL("Received: from mx2\r\n" HEADER "Message-ID: (none)\r\n" BODY)},
        {"all the same but the id", false,
         MAIL(HEADER "Message-ID: <same.1@x>\r\n" BODY),
         MAIL(HEADER "Message-ID: <same.2@x>\r\n" BODY)},
        {"a redirect under a new id", false,
         MAIL(HEADER "Message-ID: <nice.b1c02@x>\r\n" BODY),
         MAIL(HEADER "Message-ID: <8ecf9c.31fb@y>\r\nX-MS-Exchange-Parent-Message-Id: <nice.b1c02@x>\r\n" BODY)},
        {"ids that differ in case", false,
         MAIL(HEADER "Message-ID: <Same.1@x>\r\n" BODY),
         MAIL(HEADER "Message-ID: <same.1@x>\r\n" BODY)},
        {"one without its id", false,
         MAIL(HEADER "Message-ID: <same.1@x>\r\n" BODY),
         MAIL(HEADER BODY)},
        {"another text without Message-ID", false,
         MAIL(HEADER BODY),
         MAIL(HEADER BODY "And the lifts.\r\n")},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        struct identity a = identity_of(row->a);
        struct identity b = identity_of(row->b);

        assert_int_equal(strcmp(a.key, b.key) == 0, row->same);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_message_id_is_the_first_field_of_its_name_in_the_top_header),
        cmocka_unit_test(header_first_finds_the_same),
        cmocka_unit_test(header_first_gives_the_raw_value),
        cmocka_unit_test(unfolding_removes_line_ends_before_white_space),
        cmocka_unit_test(fields_are_unfolded_and_trimmed_but_not_decoded),
        cmocka_unit_test(a_date_that_is_none_is_said_to_be_none),
        cmocka_unit_test(the_source_digest_is_what_the_contract_says),
        cmocka_unit_test(the_source_digest_covers_what_was_said_and_no_more),
        cmocka_unit_test(fields_and_body_do_not_run_into_one_another),
        cmocka_unit_test(line_ends_within_the_body_count),
        cmocka_unit_test(without_a_valid_date_all_octets_count),
        cmocka_unit_test(lines_that_are_no_fields_count),
        cmocka_unit_test(pieces_of_any_size_give_the_same),
        cmocka_unit_test(octet_by_octet_gives_the_same),
        cmocka_unit_test(the_digest_of_a_long_body_is_that_of_its_lines_with_lf_ends),
        cmocka_unit_test(a_reading_can_be_dropped_at_any_point),
        cmocka_unit_test(a_message_id_of_any_length_is_kept_whole),
        cmocka_unit_test(a_name_of_more_octets_than_a_line_may_have_is_no_field),
        cmocka_unit_test(what_repeats_a_million_times_costs_no_more_than_its_length),
        cmocka_unit_test(pairs_have_the_same_key_or_not),
    };

    return RUN_TESTS(tests);
}
