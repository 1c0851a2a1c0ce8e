/* SPDX-License-Identifier: Apache-2.0
 *
 * What an object store's answers mean, from one on loopback that answers as each row says. What a real one
 * answers is tests/contract/test_blob_port.c and tests/integration/test_object_store.py.
 */
/* links: objects http */
#include "answer.h"

#include <onecase/s3_files.h>
#include <testing.h>

#include <tools/http_peer.h>

#define OBJECT                                                                                     \
    "items/6b/6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b/attachments/01-a "  \
    "b.pdf"

#define ANSWER(status, headers, body) "HTTP/1.1 " status " X\r\n" headers "\r\n" body
#define ERROR(status, code)                                                                        \
    ANSWER(status, "Connection: close\r\n",                                                        \
           "<?xml version='1.0'?><Error><Code>" code "</Code></Error>")

static struct s3_files *store_of(unsigned port, bool path_style)
{
    static const struct files none = {.self = NULL};
    static char endpoint[64];

    snprintf(endpoint, sizeof endpoint, "http://localhost:%u/", port);
    const struct s3_settings settings = {.endpoint = endpoint,
                                         .bucket = "mail",
                                         .prefix = "a/b",
                                         .region = "eu-1",
                                         .path_style = path_style,
                                         .access_key = "AKID",
                                         .secret_key = "hidden",
                                         .ca_file = "",
                                         .proxy = "",
                                         .timeout_ms = 20000,
                                         .part_size = S3_PART_LEAST};

    return s3_files_new(&settings, &none);
}

/* clang-format off */
static const struct {
    const char *name, *answer;
    enum rc rc;
    const char *says;
} rows[] = {
    {"the file",              ANSWER("206", "Content-Length: 2\r\n", "hi"),  RC_OK,        ""},
    {"nothing at the end",    ERROR("416", "InvalidRange"),                  RC_OK,        ""},
    {"half of it",            ANSWER("206", "Content-Length: 9\r\n", "hi"),  RC_DEFERRED,  "half-way"},
    {"no answer",             "",                                            RC_DEFERRED,  "no answer"},
    {"it is not there",       ERROR("404", "NoSuchKey"),                     RC_NOT_FOUND, "not there"},
    {"no bucket",             ERROR("404", "NoSuchBucket"),                  RC_BROKEN,    "make it"},
    {"slow down",             ERROR("503", "SlowDown"),                      RC_DEFERRED,  "slow down (503, SlowDown)"},
    {"too many requests",     ANSWER("429", "Content-Length: 0\r\n", ""),    RC_DEFERRED,  "fewer requests"},
    {"it fails",              ERROR("500", "InternalError"),                 RC_DEFERRED,  "fails (500, InternalError)"},
    {"a proxy's page",        ANSWER("502", "Connection: close\r\n", "<html><p>x</html>"), RC_DEFERRED, "fails (502)"},
    {"a wrong secret",        ERROR("403", "SignatureDoesNotMatch"),         RC_BROKEN,    "s3.secret_key"},
    {"an unknown account",    ERROR("403", "InvalidAccessKeyId"),            RC_BROKEN,    "s3.access_key"},
    {"no right",              ERROR("403", "AccessDenied"),                  RC_BROKEN,    "GetObject"},
    {"a wrong clock",         ERROR("403", "RequestTimeTooSkewed"),          RC_BROKEN,    "NTP"},
    {"another region",        ERROR("400", "AuthorizationHeaderMalformed"),  RC_BROKEN,    "s3.region"},
    {"elsewhere",             ERROR("301", "PermanentRedirect"),             RC_BROKEN,    "s3.endpoint"},
    {"too slow for it",       ERROR("400", "RequestTimeout"),                RC_DEFERRED,  "in time"},
    {"no room there",         ANSWER("507", "Content-Length: 0\r\n", ""),    RC_DEFERRED,  "no room"},
    {"a code that is none",   ERROR("500", "&lt;script>"),                   RC_DEFERRED,  "fails (500)"},
};
/* clang-format on */

static void b05_each_answer_says_what_can_be_done(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        struct http_peer p = {.answer = {row->answer}, .ends = {true}, .answers = 1};
        struct err err = ERR_INIT;
        char octets[8];
        size_t got;

        http_peer_start(&p);
        CLEANUP(s3_files_free) struct s3_files *s = store_of(p.port, true);
        struct files f = s3_files_port(s);

        assert_int_equal(f.read(f.self, OBJECT, 0, octets, sizeof octets, &got, &err), row->rc);
        http_peer_stop(&p);
        if (strstr(err.text, row->says) == NULL)
            fail_msg("%s", err.text);
        assert_null(strstr(err.text, "a b"));
        assert_null(strstr(err.text, "hidden"));
    }
}

static void what_is_asked_is_signed_and_names_no_file(void **state)
{
    struct http_peer p = {.answer = {ERROR("404", "NoSuchKey")}, .ends = {true}, .answers = 1};
    char octets[8];
    size_t got;

    (void)state;
    http_peer_start(&p);
    CLEANUP(s3_files_free) struct s3_files *s = store_of(p.port, true);
    struct files f = s3_files_port(s);

    f.read(f.self, OBJECT, 0, octets, sizeof octets, &got, NULL);
    http_peer_stop(&p);
    assert_non_null(strstr(p.heard_text[0], "GET /mail/a/b/items/6b/"));
    assert_non_null(strstr(p.heard_text[0], "/attachments/01 HTTP/1.1\r\n"));
    assert_non_null(strstr(p.heard_text[0], "Credential=AKID/"));
    assert_non_null(strstr(p.heard_text[0], "/eu-1/s3/aws4_request"));
    assert_non_null(
        strstr(p.heard_text[0], "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date"));
    assert_null(strstr(p.heard_text[0], "hidden"));
}

/* libc resolves whatever ends in .localhost to this machine. */
static void a_bucket_may_stand_in_the_name_of_the_host(void **state)
{
    struct http_peer p = {.answer = {ERROR("404", "NoSuchKey")}, .ends = {true}, .answers = 1};
    int64_t size;

    (void)state;
    http_peer_start(&p);
    CLEANUP(s3_files_free) struct s3_files *s = store_of(p.port, false);

    assert_int_equal(s3_files_size(s, OBJECT, &size, NULL), RC_NOT_FOUND);
    http_peer_stop(&p);
    assert_non_null(strstr(p.heard_text[0], "HEAD /a/b/items/6b/"));
    assert_non_null(strstr(p.heard_text[0], "\r\nHost: mail.localhost:"));
}

static enum rc add_row(void *ctx, const struct s3_said *said, struct err *err)
{
    (void)err;
    str_addf(ctx, "%s %s|", str_z(&said->key), str_z(&said->size));
    return RC_OK;
}

static void rows_of_a_list_are_told_each(void **state)
{
    static const char list[] = "<?xml version='1.0'?><L xmlns='x'><IsTruncated>true</IsTruncated>"
                               "<NextContinuationToken>t/=</"
                               "NextContinuationToken><Contents><Key>a&amp;b</Key><Size>1</Size>"
                               "</Contents><Contents><Key>c</Key></Contents><CommonPrefixes/></L>";
    CLEANUP(s3_said_clear) struct s3_said said = {.root = STR_INIT};
    CLEANUP(str_clear) struct str told = STR_INIT;

    (void)state;
    assert_int_equal(s3_answer_read(slice_z(list), "Contents", add_row, &told, &said, NULL), RC_OK);
    assert_string_equal(str_z(&told), "a&b 1|c |");
    assert_string_equal(str_z(&said.root), "L");
    assert_string_equal(str_z(&said.token), "t/=");
    assert_string_equal(str_z(&said.truncated), "true");
}

static void what_is_no_answer_is_broken(void **state)
{
    static const struct {
        const char *name, *text;
    } texts[] = {{"nothing", ""}, {"no XML", "hello"}, {"half of it", "<a><Key>x"}};

    (void)state;
    FOR_EACH(row, texts) {
        CLEANUP(s3_said_clear) struct s3_said said = {.root = STR_INIT};

        assert_int_equal(s3_answer_read(slice_z(row->text), NULL, NULL, NULL, &said, NULL),
                         RC_BROKEN);
    }
}

static void a_place_has_a_bucket_and_perhaps_a_prefix(void **state)
{
    static const struct {
        const char *name, *bucket, *prefix;
    } places[] = {{"s3://mail", "mail", ""},
                  {"s3://mail/", "mail", ""},
                  {"s3://mail/a/b/", "mail", "a/b"},
                  {"file", NULL, NULL}};

    (void)state;
    FOR_EACH(row, places) {
        CLEANUP(str_clear) struct str bucket = STR_INIT;
        CLEANUP(str_clear) struct str prefix = STR_INIT;

        assert_int_equal(s3_url_parts(row->name, &bucket, &prefix), row->bucket != NULL);
        if (row->bucket == NULL)
            continue;
        assert_string_equal(str_z(&bucket), row->bucket);
        assert_string_equal(str_z(&prefix), row->prefix);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(b05_each_answer_says_what_can_be_done),
        cmocka_unit_test(what_is_asked_is_signed_and_names_no_file),
        cmocka_unit_test(a_bucket_may_stand_in_the_name_of_the_host),
        cmocka_unit_test(rows_of_a_list_are_told_each),
        cmocka_unit_test(what_is_no_answer_is_broken),
        cmocka_unit_test(a_place_has_a_bucket_and_perhaps_a_prefix),
    };

    return RUN_TESTS(tests);
}
