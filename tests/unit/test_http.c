/* SPDX-License-Identifier: Apache-2.0
 *
 * One request over HTTP, against a server on loopback that answers as each row says.
 */
/* links: http */
#include <onecase/base64.h>
#include <onecase/http.h>
#include <testing.h>
#include <upload.h>

#include <tools/http_peer.h>

struct asked {
    enum rc rc;
    struct http_answer answer;
    struct err err;
};

static void
ask(struct http_client *client, struct http_peer *p, struct http_request r, struct asked *out)
{
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%u/cases", p->port);
    r.url = url;
    r.method = r.method ? r.method : "POST";
    r.timeout_ms = r.timeout_ms ? r.timeout_ms : 5000;
    r.most = r.most ? r.most : 1000;
    out->rc = http_exchange(client, &r, &out->answer, &out->err);
}

/* clang-format off */
static const struct {
    const char *name, *answer;
    enum rc rc;
    int status;
    int64_t retry_after_ms;
    bool cut;
    const char *body;
} rows[] = {
    {"an answer",                  "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nhi", RC_OK, 201, 0, false, "hi"},
    {"one that says when",         "HTTP/1.1 429 Later\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n", RC_OK, 429, 30000, false, ""},
    {"a pause of a week",          "HTTP/1.1 503 Later\r\nRetry-After: 604800\r\nContent-Length: 0\r\n\r\n", RC_OK, 503, 0, false, ""},
    {"half a body",                "HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nhi", RC_OK, 201, 0, true, "hi"},
    {"a body over the budget",     "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n123456789abc", RC_OK, 200, 0, true, "12345678"},
    {"no redirect is followed",    "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", RC_OK, 302, 0, false, ""},
    {"no answer at all",           "", RC_UNKNOWN, 0, 0, true, ""},
    {"an interim answer only",     "HTTP/1.1 102 Wait\r\n\r\n", RC_UNKNOWN, 0, 0, true, ""},
    {"no HTTP",                    "220 mail.example.org\r\n", RC_UNKNOWN, 0, 0, true, ""},
};
/* clang-format on */

static void test_answers(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        struct http_peer p = {.answer = {row->answer}, .ends = {true}, .answers = 1};
        struct asked asked = {.err = ERR_INIT};
        CLEANUP(http_client_free) struct http_client *client = http_client_new();
        http_peer_start(&p);
        ask(client, &p, (struct http_request){.body = SLICE("{}"), .most = 8, .fresh = true},
            &asked);
        http_peer_stop(&p);
        assert_int_equal(asked.rc, row->rc);
        assert_int_equal(asked.answer.status, row->status);
        assert_int_equal(asked.answer.retry_after_ms, row->retry_after_ms);
        assert_int_equal(asked.answer.cut, row->cut);
        assert_string_equal(str_z(&asked.answer.body), row->body);
        http_answer_clear(&asked.answer);
    }
}

static void test_what_is_sent(void **state)
{
    static const char *const header[] = {"Idempotency-Key: 77", "Content-Type: application/json"};
    struct http_peer p = {.answer = {"HTTP/1.1 204 Done\r\n\r\n"}, .answers = 1};
    struct asked asked = {.err = ERR_INIT};
    CLEANUP(http_client_free) struct http_client *client = http_client_new();
    (void)state;
    http_peer_start(&p);
    ask(client, &p,
        (struct http_request){
            .method = "PUT", .header = header, .headers = 2, .body = SLICE("{\"a\":1}")},
        &asked);
    http_peer_stop(&p);
    assert_int_equal(asked.rc, RC_OK);
    assert_non_null(strstr(p.heard_text[0], "PUT /cases HTTP/1.1\r\n"));
    assert_non_null(strstr(p.heard_text[0], "\r\nIdempotency-Key: 77\r\n"));
    assert_non_null(strstr(p.heard_text[0], "\r\nContent-Type: application/json\r\n"));
    assert_null(strstr(p.heard_text[0], "Expect:"));
    assert_non_null(strstr(p.heard_text[0], "\r\n\r\n{\"a\":1}"));
    http_answer_clear(&asked.answer);
}

/* What libcurl sends again by itself over a kept connection it must not send where that would count. */
static void test_once(void **state)
{
    static const char kept[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    (void)state;
    for (int fresh = 0; fresh <= 1; fresh++) {
        struct http_peer p = {.answer = {kept, "", kept}, .answers = fresh ? 2 : 3};
        struct asked first = {.err = ERR_INIT};
        struct asked second = {.err = ERR_INIT};
        CLEANUP(http_client_free) struct http_client *client = http_client_new();
        http_peer_start(&p);
        ask(client, &p, (struct http_request){.body = SLICE("1"), .fresh = true}, &first);
        /* Only a fresh connection can come to the peer, which serves one at a time. */
        if (fresh) {
            http_client_free(&client);
            client = http_client_new();
        }
        ask(client, &p, (struct http_request){.body = SLICE("2"), .fresh = fresh}, &second);
        http_peer_stop(&p);
        assert_int_equal(first.rc, RC_OK);
        assert_int_equal(second.rc, fresh ? RC_UNKNOWN : RC_OK);
        assert_int_equal(p.heard, fresh ? 2 : 3);
        http_answer_clear(&first.answer);
        http_answer_clear(&second.answer);
    }
}

static void test_not_sent(void **state)
{
    static const char *const broken[] = {"X-Subject: a\r\nX-Other: b"};
    struct http_peer nobody = {.port = 1};
    struct asked asked = {.err = ERR_INIT};
    CLEANUP(http_client_free) struct http_client *client = http_client_new();
    (void)state;
    ask(client, &nobody, (struct http_request){0}, &asked);
    assert_int_equal(asked.rc, RC_DEFERRED);
    ask(client, &nobody, (struct http_request){.header = broken, .headers = 1}, &asked);
    assert_int_equal(asked.rc, RC_REFUSED);
    struct http_request r = {.method = "GET", .url = "ftp://127.0.0.1/x", .timeout_ms = 1000};
    assert_int_equal(http_exchange(client, &r, &asked.answer, &asked.err), RC_REFUSED);
    http_answer_clear(&asked.answer);
}

/* ---- uploads ---------------------------------------------------------------------------------- */

static enum rc
read_octets(void *ctx, int64_t offset, char *into, size_t room, size_t *got, struct err *err)
{
    const struct str *file = ctx;
    struct slice rest =
        slice_cut(str_slice(file), (size_t)offset, 7000); /* never all that is asked */
    (void)err;
    *got = rest.len < room ? rest.len : room;
    memcpy(into, rest.at, *got);
    return RC_OK;
}

static void send_all(struct sending *s, size_t room, struct str *out)
{
    char piece[UPLOAD_CHUNK];
    size_t given;
    while ((given = sending_next(s, piece, room)) > 0)
        str_add(out, (struct slice){piece, given});
}

/* Around each border of a chunk, by pieces that fit nothing. */
static void test_a_file_is_sent_whole_whatever_its_size(void **state)
{
    static const size_t sizes[] = {
        0, 1, 2, 3, UPLOAD_CHUNK - 1, UPLOAD_CHUNK, UPLOAD_CHUNK + 1, 2 * UPLOAD_CHUNK + 2};
    (void)state;
    for (size_t i = 0; i < 2 * LENGTH(sizes); i++) {
        CLEANUP(str_clear) struct str file = STR_INIT;
        CLEANUP(str_clear) struct str sent = STR_INIT;
        CLEANUP(str_clear) struct str wanted = STR_INIT;
        while (file.len < sizes[i / 2])
            str_addc(&file, (char)(file.len * 7));
        struct http_upload upload = {.read = read_octets,
                                     .ctx = &file,
                                     .size = (int64_t)file.len,
                                     .base64 = i % 2 == 1,
                                     .after = SLICE("\"}")};
        struct http_request request = {.body = SLICE("{\"a\":\""), .upload = &upload};
        CLEANUP(sending_clear) struct sending s = {.request = &request, .why = ERR_INIT};
        str_addz(&wanted, "{\"a\":\"");
        if (upload.base64)
            base64_add(&wanted, str_slice(&file));
        else
            str_add(&wanted, str_slice(&file));
        str_addz(&wanted, "\"}");
        send_all(&s, 1000, &sent);
        str_empty(&sent);
        sending_again(&s); /* over another connection */
        send_all(&s, 1001, &sent);
        assert_false(s.failed);
        assert_int_equal(sending_size(&request), wanted.len);
        assert_true(slice_eq(str_slice(&sent), str_slice(&wanted)));
    }
}

static void test_an_upload_is_heard_and_its_answer_hashed(void **state)
{
    struct http_peer p = {.answer = {"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nhi"},
                          .answers = 1};
    struct asked asked = {.err = ERR_INIT};
    CLEANUP(http_client_free) struct http_client *client = http_client_new();
    CLEANUP(str_clear) struct str file = STR_INIT;
    struct digest hi = sha256_of(SLICE("hi"));
    (void)state;
    str_addz(&file, "the file");
    struct http_upload upload = {.read = read_octets, .ctx = &file, .size = 8, .after = SLICE("!")};
    http_peer_start(&p);
    ask(client, &p,
        (struct http_request){.method = "PUT", .body = SLICE("<"), .upload = &upload, .hash = true},
        &asked);
    http_peer_stop(&p);
    assert_int_equal(asked.rc, RC_OK);
    assert_int_equal(asked.answer.status, 201);
    assert_int_equal(asked.answer.size, 2);
    assert_true(digest_eq(&asked.answer.sha256, &hi));
    assert_int_equal(strncmp(p.heard_text[0], "PUT ", 4), 0);
    assert_non_null(strstr(p.heard_text[0], "Content-Length: 10\r\n"));
    assert_non_null(strstr(p.heard_text[0], "\r\n\r\n<the file!"));
    http_answer_clear(&asked.answer);
}

static void test_a_file_that_became_shorter_is_no_request(void **state)
{
    struct http_peer p = {.answers = 0}; /* it hears no whole request */
    struct asked asked = {.err = ERR_INIT};
    CLEANUP(http_client_free) struct http_client *client = http_client_new();
    CLEANUP(str_clear) struct str file = STR_INIT;
    (void)state;
    str_addz(&file, "short");
    struct http_upload upload = {.read = read_octets, .ctx = &file, .size = 9};
    http_peer_start(&p);
    ask(client, &p, (struct http_request){.method = "PUT", .upload = &upload}, &asked);
    http_peer_stop(&p);
    assert_int_equal(asked.rc, RC_BROKEN);
    assert_non_null(strstr(asked.err.text, "shorter"));
    http_answer_clear(&asked.answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_what_is_sent),
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_not_sent),
        cmocka_unit_test(test_a_file_is_sent_whole_whatever_its_size),
        cmocka_unit_test(test_an_upload_is_heard_and_its_answer_hashed),
        cmocka_unit_test(test_a_file_that_became_shorter_is_no_request),
    };
    return RUN_TESTS(tests);
}
