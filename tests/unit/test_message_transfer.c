/* SPDX-License-Identifier: Apache-2.0 */
/* links: message */
#include "transfer.h"

#include <testing.h>

#define IS(in, out) SLICE_INIT(in), SLICE_INIT(out)

static const struct {
    const char *name;
    enum transfer transfer;
    struct slice in, out;
} rows[] = {
    /* clang-format off */
    {"base64",                                  TRANSFER_BASE64, IS("aGVsbG8=", "hello")},
    {"over lines",                              TRANSFER_BASE64, IS("aGVs\r\nbG8=\r\n", "hello")},
    {"missing padding of one octet",            TRANSFER_BASE64, IS("aGVsbG8", "hello")},
    {"missing padding of two",                  TRANSFER_BASE64, IS("aGVsbA", "hell")},
    {"one digit too many is none",              TRANSFER_BASE64, IS("aGVsa", "hel")},
    {"what is not of the alphabet is skipped",  TRANSFER_BASE64, IS("a G!V*s~\tbG\r\n\r\n8=", "hello")},
    {"NUL and 8-bit octets are skipped",        TRANSFER_BASE64, IS("aG\0Vs\xFF" "bG8=", "hello")},
    {"in pieces, each padded",                  TRANSFER_BASE64, IS("aGVsbG8=\r\nd29ybGQ=\r\n", "helloworld")},
    {"in pieces on one line",                   TRANSFER_BASE64, IS("aGVsbG8=d29ybGQ=", "helloworld")},
    {"a footer after the end is none",          TRANSFER_BASE64, IS("aGVsbG8=\r\n____\r\nsome list footer\r\n", "hello")},
    {"nor is one of letters only",              TRANSFER_BASE64, IS("aGVsbG8=\r\nfooter\r\n", "hello")},
    {"nor one that no padding stands before",   TRANSFER_BASE64, IS("aGVs\r\n_____\r\nsome list footer\r\n", "hel")},
    {"four dashes are noise",                   TRANSFER_BASE64, IS("aGVs\r\n----\r\nbG 8=\r\n", "hello")},
    {"a piece after a footer is one",           TRANSFER_BASE64, IS("aGVsbG8=\r\n-- \r\nd29ybGQ=", "helloworld")},
    {"padding alone ends nothing",              TRANSFER_BASE64, IS("====\r\naGVsbG8=", "hello")},
    {"nothing",                                 TRANSFER_BASE64, IS("", "")},

    {"quoted-printable",                        TRANSFER_QUOTED, IS("caf=C3=A9", "caf\xC3\xA9")},
    {"lower case",                              TRANSFER_QUOTED, IS("caf=c3=a9", "caf\xC3\xA9")},
    {"a soft line end",                         TRANSFER_QUOTED, IS("join=\r\ned", "joined")},
    {"with LF",                                 TRANSFER_QUOTED, IS("join=\ned", "joined")},
    {"with blanks before it",                   TRANSFER_QUOTED, IS("join=  \t\r\ned", "joined")},
    {"a hard line end stays as it is",          TRANSFER_QUOTED, IS("a\r\nb\nc", "a\r\nb\nc")},
    {"no hexadecimal digits",                   TRANSFER_QUOTED, IS("un=ZZknown", "un=ZZknown")},
    {"one hexadecimal digit",                   TRANSFER_QUOTED, IS("a=4x", "a=4x")},
    {"an attribute without its escape",         TRANSFER_QUOTED, IS("<a href=\"x\">", "<a href=\"x\">")},
    {"two equal signs",                         TRANSFER_QUOTED, IS("==3D", "==")},
    {"an equal sign at the very end",           TRANSFER_QUOTED, IS("last words=", "last words")},
    {"with blanks after it",                    TRANSFER_QUOTED, IS("last words=  ", "last words")},
    {"half an octet at the very end",           TRANSFER_QUOTED, IS("x=4", "x=4")},
    {"a CR that ends no line",                  TRANSFER_QUOTED, IS("x=\ry", "x=\ry")},
    {"an octet that is NUL",                    TRANSFER_QUOTED, IS("x=00y", "x\0y")},

    {"uuencode",                                TRANSFER_UU,     IS("begin 644 x\n#8V%T\n`\nend\n", "cat")},
    {"with CRLF",                               TRANSFER_UU,     IS("begin 644 x\r\n#8V%T\r\n`\r\nend\r\n", "cat")},
    {"text before it is none of it",            TRANSFER_UU,     IS("see below\n\nbegin 644 x\n#8V%T\n`\nend\nbye\n", "cat")},
    {"blanks at a line's end were lost",        TRANSFER_UU,     IS("begin 644 x\n#\n`\nend\n", "\0\0\0")},
    {"an end that is missing",                  TRANSFER_UU,     IS("begin 644 x\n#8V%T", "cat")},
    {"without a beginning",                     TRANSFER_UU,     IS("#8V%T\n", "")},

    {"octets as they are",                      TRANSFER_NONE,   IS("a=3D\0\xFF", "a=3D\0\xFF")},
    /* clang-format on */
};

static void assert_octets(const struct str *out, struct slice wanted)
{
    assert_int_equal(out->len, wanted.len);
    assert_memory_equal(str_z(out), wanted.at, wanted.len);
}

static void an_encoding_is_undone(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str out = STR_INIT;

        transfer_decode(row->transfer, row->in, &out);
        assert_octets(&out, row->out);
    }
}

static void however_the_octets_are_cut(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        for (size_t piece = 1; piece <= 5; piece++) {
            CLEANUP(str_clear) struct str out = STR_INIT;
            CLEANUP(decoder_clear) struct decoder d;

            decoder_init(&d, row->transfer);
            for (size_t at = 0; at < row->in.len; at += piece)
                decoder_add(&d, slice_cut(row->in, at, piece), &out);
            decoder_end(&d, &out);
            assert_octets(&out, row->out);
        }
    }
}

/* Whole groups are decoded at once, and octets one by one where that is not possible. */
static void base64_at_once_is_base64_octet_by_octet(void **state)
{
    static const char often[] = "AZaz09+/QWERasdf1234=\r\n-_ ";
    uint32_t dice = 7;

    (void)state;
    for (int round = 0; round < 200; round++) {
        CLEANUP(str_clear) struct str in = STR_INIT, whole = STR_INIT, single = STR_INIT;
        CLEANUP(decoder_clear) struct decoder d;

        for (int i = 0; i < 3000; i++) {
            dice = dice * 1664525 + 1013904223;
            str_addc(&in, often[(dice >> 16) % (i % 500 < 400 ? 20 : sizeof often - 1)]);
        }
        transfer_decode(TRANSFER_BASE64, str_slice(&in), &whole);
        decoder_init(&d, TRANSFER_BASE64);
        for (size_t at = 0; at < in.len; at++)
            decoder_add(&d, slice_cut(str_slice(&in), at, 1), &single);
        decoder_end(&d, &single);
        assert_octets(&whole, str_slice(&single));
    }
}

static void an_encoding_has_names(void **state)
{
    static const struct {
        const char *name;
        struct slice raw;
        enum transfer transfer;
    } names[] = {
        {"base64", SLICE_INIT(" base64"), TRANSFER_BASE64},
        {"in capitals", SLICE_INIT("BASE64\r\n"), TRANSFER_BASE64},
        {"with a semicolon", SLICE_INIT(" base64;"), TRANSFER_BASE64},
        {"with a comment after it", SLICE_INIT(" base64 (what else)"), TRANSFER_BASE64},
        {"in quotes", SLICE_INIT("\"quoted-printable\""), TRANSFER_QUOTED},
        {"on the next line", SLICE_INIT("\r\n quoted-printable"), TRANSFER_QUOTED},
        {"uuencode", SLICE_INIT("x-uuencode"), TRANSFER_UU},
        {"7bit", SLICE_INIT("7bit"), TRANSFER_NONE},
        {"a charset in its place", SLICE_INIT("utf-8"), TRANSFER_NONE},
        {"nothing", SLICE_INIT(""), TRANSFER_NONE},
    };

    (void)state;
    FOR_EACH(row, names)
        assert_int_equal(transfer_named(row->raw), row->transfer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_encoding_is_undone),
        cmocka_unit_test(however_the_octets_are_cut),
        cmocka_unit_test(base64_at_once_is_base64_octet_by_octet),
        cmocka_unit_test(an_encoding_has_names),
    };

    return RUN_TESTS(tests);
}
