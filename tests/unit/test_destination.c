/* SPDX-License-Identifier: Apache-2.0
 *
 * A destination over HTTP: what is sent, how an answer is judged, and what is believed. D01-D08.
 */
/* links: destination http core */
#include <testing.h>
#include <destination_p.h>

#include <stdlib.h>
#include <string.h>
#include <tools/http_peer.h>

#define KEY "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static const struct case_facts facts = {
    .key = KEY,
    .effect = "0123456789abcdef0123456789abcdef",
    .correlation = "run-1",
    .reference = "HD-7K3M9QWX",
    .from = SLICE_INIT("anna@example.net"),
    .subject = SLICE_INIT("a \"b\"\r\nX-Evil: {{key}} \\ / ?&%"),
    .text = SLICE_INIT("two\nlines"),
};

/* ---- filling ---------------------------------------------------------------------------------- */

static void test_filling(void **state)
{
    struct filling filling;
    CLEANUP(str_clear) struct str path = STR_INIT;
    CLEANUP(str_clear) struct str header = STR_INIT;
    CLEANUP(str_clear) struct str body = STR_INIT;
    (void)state;
    filling_of(&(struct asking){.facts = &facts, .id = "T 1"}, &filling);
    fill_path("/a?id={{id}}&s={{subject}}", &filling, &path);
    assert_string_equal(str_z(&path),
                        "/a?id=T%201&s=a%20%22b%22%0D%0AX-Evil%3A%20%7B%7Bkey%7D%7D%20"
                        "%5C%20%2F%20%3F%26%25");
    fill_header("X-Subject: {{subject}}", &filling, &header);
    assert_string_equal(str_z(&header), "X-Subject: a \"b\"  X-Evil: {{key}} \\ / ?&%");
    assert_int_equal(
        fill_body("{\"s\": \"{{subject}}\", \"n\": [1, \"{{reference}}\"], \"o\": {\"t\": "
                  "\"{{text}}\"}}",
                  &filling, &body, NULL),
        RC_OK);
    assert_string_equal(str_z(&body),
                        "{\"s\":\"a \\\"b\\\"\\r\\nX-Evil: {{key}} \\\\ / ?&%\",\"n\":[1,"
                        "\"HD-7K3M9QWX\"],\"o\":{\"t\":\"two\\nlines\"}}");
}

static const struct {
    const char *name;
    struct http_shape shape;
    const char *says;
} wrong[] = {
    {"a name that is none", {.path = "/{{kye}}"}, "path: "},
    {"a header without a value",
     {.path = "/", .headers = {(const char *[]){"X-A"}, 1}},
     "headers: "},
    {"a body that is no JSON", {.path = "/", .body = "{\n\"a\": }"}, "body: line 2"},
    {"a name in a body", {.path = "/", .body = "{\"a\": [\"{{nobody}}\"]}"}, "body: "},
    {"a pointer without a slash", {.path = "/", .id = "ticket"}, "id: "},
    {"a pointer with a bad escape", {.path = "/", .key = "/a~2"}, "key: "},
    {"a status", {.path = "/", .done = {(const char *[]){"20"}, 1}}, "done: "},
    {"an id before there is a case", {.path = "/cases/{{id}}"}, "path: "},
    {"a file where there is none", {.path = "/", .body = "{\"a\": \"{{content}}\"}"}, "body: "},
    {"a list whose members look alike", {.path = "/", .list = "/items"}, "key: "},
    {"a class of none", {.path = "/", .later = {(const char *[]){"6xx"}, 1}}, "later: "},
};

static void test_check(void **state)
{
    (void)state;
    FOR_EACH(row, wrong) {
        struct err err = ERR_INIT;
        struct http_shape shape = row->shape;
        shape.id = shape.id ? shape.id : "";
        shape.key = shape.key ? shape.key : "";
        assert_int_equal(http_shape_check(&shape, STEP_CREATE, true, &err), RC_USAGE);
        assert_int_equal(strncmp(err.text, row->says, strlen(row->says)), 0);
    }
}

/* ---- what fits -------------------------------------------------------------------------------- */

static const struct {
    const char *name, *text;
    unsigned most;
    const char *fits, *html;
} fitting[] = {
    {"no limit", "a < b & \"c\"\r\nd", 0, "a < b & \"c\"\r\nd", "a &lt; b &amp; &#34;c&#34;<br>d"},
    {"as long as it may be", "0123456789", 10, "0123456789", "0123456789"},
    {"cut", "0123456789a", 10, "0123 [...]", "0123 [...]"},
    {"characters, not octets", "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6",
     8, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6",
     "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6"},
    {"one beyond 16 bits counts twice",
     "\xf0\x9f\x98\x80"
     "2345678",
     8, "\xf0\x9f\x98\x80 [...]", "\xf0\x9f\x98\x80 [...]"},
    {"not half of one",
     "1\xf0\x9f\x98\x80"
     "345678",
     8, "1 [...]", "1 [...]"},
    {"cut before markup is made", "<<<<<<<<<<<", 8, "<< [...]", "&lt;&lt; [...]"},
};

static void test_what_is_too_long_is_cut_between_characters(void **state)
{
    (void)state;
    FOR_EACH(row, fitting) {
        const struct http_destination_settings set = {.max_text = row->most,
                                                      .max_subject = row->most};
        const struct case_facts of = {.subject = slice_z(row->text), .text = slice_z(row->text)};
        CLEANUP(fitted_clear) struct fitted out = {.html = STR_INIT};
        fit(&set, &of, &out);
        assert_string_equal(str_z(&out.text), row->fits);
        assert_string_equal(str_z(&out.subject), row->fits);
        assert_string_equal(str_z(&out.html), row->html);
        assert_true(slice_eq(out.facts.text, slice_z(row->fits)));
    }
}

/* ---- pointers --------------------------------------------------------------------------------- */

static const struct {
    const char *name, *json, *pointer;
    enum pointed is;
    const char *value;
} pointers[] = {
    {"a member", "{\"id\": 7}", "/id", POINTED_VALUE, "7"},
    {"of an object in a list", "{\"a\": [{\"id\": \"x\"}]}", "/a/0/id", POINTED_VALUE, "x"},
    {"the whole", "\"x\"", "", POINTED_VALUE, "x"},
    {"a name with a slash and a tilde", "{\"a/b~\": true}", "/a~1b~0", POINTED_VALUE, "true"},
    {"an empty list", "{\"a\": []}", "/a/0/id", POINTED_NOTHING, ""},
    {"null", "{\"id\": null}", "/id", POINTED_NOTHING, ""},
    {"an object", "{\"id\": {}}", "/id", POINTED_NOTHING, ""},
    {"a negative index", "[1]", "/-1", POINTED_NOTHING, ""},
    {"too long", "{\"id\": \"0123456789abcdef0\"}", "/id", POINTED_NOTHING, ""},
    {"no JSON", "<html>", "/id", POINTED_NO_JSON, ""},
};

static void test_pointers(void **state)
{
    (void)state;
    FOR_EACH(row, pointers) {
        char value[17];
        assert_int_equal(pointer_get(slice_z(row->json), row->pointer, value, sizeof value),
                         row->is);
        assert_string_equal(value, row->value);
    }
}

static void test_shape(void **state)
{
    CLEANUP(str_clear) struct str shape = STR_INIT;
    (void)state;
    shape_of(SLICE("{\"ticket\": {\"id\": 7, \"to\": \"anna@example.net\"}, \"log\": [1, 2]}"),
             &shape);
    assert_string_equal(str_z(&shape), "{ticket: {id: number, to: text}, log: [2 of number]}");
}

/* clang-format off */
static const struct {
    const char *name;
    struct http_shape shape;
    const char *body, *said;
} amiss[] = {
    {"all fits",           {.id = "/id", .key = "/k"},                    "{\"id\": 7, \"k\": \"ours\"}", ""},
    {"no id",              {.id = "/ticket/id", .key = ""},               "{\"id\": 7}",                  "there is nothing at `id` /ticket/id"},
    {"no key",             {.id = "/id", .key = "/key"},                  "{\"id\": 7}",                  "there is nothing at `key` /key"},
    {"a key with no text", {.id = "/id", .key = "/k"},                    "{\"id\": 7, \"k\": {}}",       "there is nothing at `key` /k"},
    {"another key",        {.id = "/id", .key = "/id"},                   "{\"id\": 7}",                  "there is something else than was sent at `key` /id"},
    {"no list",            {.id = "/id", .key = "/k", .list = "/notes"},  "{\"items\": []}",              "there is no list at `list` /notes"},
    {"not in the list",    {.id = "/id", .key = "/k", .list = "/items"},  "{\"items\": []}",              "no member of the list has what is looked for at `key` /k"},
    {"no JSON",            {.id = "/id", .key = "/k"},                    "<html>",                       ""},
};
/* clang-format on */

static void test_which_pointer_does_not_fit(void **state)
{
    (void)state;
    FOR_EACH(row, amiss) {
        CLEANUP(str_clear) struct str said = STR_INIT;
        amiss_of(&row->shape, slice_z(row->body), "ours", &said);
        assert_string_equal(str_z(&said), row->said);
    }
}

static void test_why_a_status_is_taken_so(void **state)
{
    const struct http_shape own = {.refused = {(const char *[]){"201"}, 1}};
    static const struct {
        const char *name;
        int status;
        const char *said;
    } rows[] = {
        {"its own list", 201, "`refused` has it"},
        {"a rule", 401, "the sign-in has expired or is wrong"},
        {"done", 200, ""},
        {"none", 99, ""},
    };
    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str said = STR_INIT;
        status_because(&own, row->status, &said);
        assert_string_equal(str_z(&said), row->said);
    }
}

static void test_no_name_of_an_answer_is_an_address(void **state)
{
    CLEANUP(str_clear) struct str shape = STR_INIT;
    (void)state;
    shape_of(SLICE("{\"anna@example.net\": 1, \"@odata.context\": \"\"}"), &shape);
    assert_string_equal(str_z(&shape), "{***: number, @odata.context: text}");
}

/* What each product's documents show of a refusal, and what is kept of it. */
static const struct {
    const char *name, *body, *said;
} refusals[] = {
    {"Zammad", "{\"error\":\"No such group\",\"error_human\":\"x\"}", "No such group"},
    {"Freshdesk",
     "{\"description\":\"Validation failed\",\"errors\":[{\"field\":\"email\",\"message\":\"It "
     "should be a valid email address\",\"code\":\"invalid_value\"}]}",
     "Validation failed; email; It should be a valid email address; invalid_value"},
    {"GLPI", "[\"ERROR_GLPI_ADD\", \"\"]", "ERROR_GLPI_ADD"},
    {"Jira", "{\"errorMessages\":[\"one\",\"two\"],\"id\":\"7\"}", "one; two"},
    {"osTicket", "Unable to create new ticket: validation errors:\nName: x",
     "Unable to create new ticket: validation errors:"},
    {"what quotes the subject",
     "{\"error\":\"bad title a \\\"b\\\"\\r\\nX-Evil: {{key}} \\\\ / ?&%\",\"code\":\"c\"}",
     "bad title ***; c"},
    {"what names the sender", "{\"message\":\"no user anna@example.net\"}", "no user ***"},
    {"a value that tells nothing", "{\"name\":\"Anna\"}", ""},
    {"a page", "<html>no</html>", ""},
    {"nothing", "", ""},
};

static void test_what_a_refusal_says_holds_nothing_of_the_mail(void **state)
{
    (void)state;
    FOR_EACH(row, refusals) {
        char said[REFUSAL_SIZE];
        refusal_of(slice_z(row->body), &facts, said, sizeof said);
        assert_string_equal(said, row->said);
    }
}

/* ---- lists and files -------------------------------------------------------------------------- */

/* clang-format off */
#define LISTED "{\"items\": [{\"id\": 1, \"ref\": \"other\"}, {\"id\": 2, \"ref\": \"a <x> b\", \"sha\": \"ff\"}]}"

static const struct {
    const char *name, *json, *list, *match, *wanted;
    enum pointed is;
    const char *id;
} lists[] = {
    {"the whole of it",        LISTED,             "/items", "",          "a <x> b", POINTED_VALUE,   "2"},
    {"within",                 LISTED,             "/items", "*{{key}}*", "<x>",     POINTED_VALUE,   "2"},
    {"its beginning",          LISTED,             "/items", "{{key}}*",  "a <",     POINTED_VALUE,   "2"},
    {"its end",                LISTED,             "/items", "*{{key}}",  "> b",     POINTED_VALUE,   "2"},
    {"not its beginning",      LISTED,             "/items", "{{key}}*",  "<x>",     POINTED_NOTHING, ""},
    {"not there",              LISTED,             "/items", "",          "<x>",     POINTED_NOTHING, ""},
    {"an empty list",          "{\"items\": []}", "/items", "",          "x",       POINTED_NOTHING, ""},
    {"null",                   "{\"items\": null}", "/items", "",        "x",       POINTED_NOTHING, ""},
    {"no list",                "{\"items\": 7}",  "/items", "",          "x",       POINTED_NO_JSON, ""},
    {"the answer is the list", "[{\"id\": 3, \"ref\": \"x\"}]", "/", "", "x",     POINTED_VALUE,   "3"},
};

/* clang-format on */

static void test_lists(void **state)
{
    (void)state;
    FOR_EACH(row, lists) {
        const struct http_shape shape = {
            .list = row->list, .match = row->match, .id = "/id", .key = "/ref"};
        struct found found;
        assert_int_equal(answer_find(&shape, slice_z(row->json), row->wanted, &found), row->is);
        if (row->is == POINTED_VALUE)
            assert_string_equal(found.id, row->id);
    }
}

static const struct case_file file = {.number = 1,
                                      .file = "01-a\"content-goes-here-0..txt",
                                      .name = SLICE_INIT("a"),
                                      .type = SLICE_INIT("text/x; evil"),
                                      .size = 3};
static const struct case_facts with_file = {.key = KEY,
                                            .effect = "0123456789abcdef0123456789abcdef",
                                            .correlation = "run-1",
                                            .reference = "HD-7K3M9QWX",
                                            .file = &file};

/* clang-format off */
static const struct {
    const char *name;
    struct http_shape shape;
    enum rc rc;
    const char *before, *after, *type;
} parcels[] = {
    {"in base 64: what looks like its place is none",
     {.body = "{\"n\": \"{{file}}\", \"d\": \"{{content}}\", \"s\": \"{{size}}\"}"},
     RC_OK,
     "{\"n\":\"01-a\\\"content-goes-here-0..txt\",\"d\":\"", "\",\"s\":\"3\"}", "application/json"},
    {"as it is", {.upload = UPLOAD_RAW}, RC_OK, "", "", "application/octet-stream"},
    {"in a form",
     {.upload = UPLOAD_FORM, .field = "f", .body = "{\"a\": \"{{number}}\", \"b\": {\"c\": 1}}"},
     RC_OK,
     "--onecase-0123456789abcdef0123456789abcdef\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
     "--onecase-0123456789abcdef0123456789abcdef\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n"
     "{\"c\":1}\r\n--onecase-0123456789abcdef0123456789abcdef\r\nContent-Disposition: form-data; name=\"f\"; "
     "filename=\"01-a%22content-goes-here-0..txt\"\r\nContent-Type: application/octet-stream\r\n\r\n",
     "\r\n--onecase-0123456789abcdef0123456789abcdef--\r\n",
     "multipart/form-data; boundary=onecase-0123456789abcdef0123456789abcdef"},
    {"no place for it", {.body = "{\"n\": \"{{file}}\"}"}, RC_USAGE, "", "", ""},
    {"two places for it", {.body = "[\"{{content}}\", \"{{content}}\"]"}, RC_USAGE, "", "", ""},
    {"a form of a list", {.upload = UPLOAD_FORM, .field = "f", .body = "[1]"}, RC_USAGE, "", "", ""},
};

/* clang-format on */

static void test_parcels(void **state)
{
    (void)state;
    FOR_EACH(row, parcels) {
        const struct asking asking = {&row->shape, STEP_ATTACH, &with_file, "7", false, SLICE("")};
        struct filling filling;
        struct err err = ERR_INIT;
        CLEANUP(parcel_clear) struct parcel parcel = {0};
        filling_of(&asking, &filling);
        assert_int_equal(parcel_make(&asking, &filling, &parcel, &err), row->rc);
        if (row->rc != RC_OK)
            continue;
        assert_string_equal(str_z(&parcel.body), row->before);
        assert_string_equal(str_z(&parcel.after), row->after);
        assert_string_equal(str_z(&parcel.type), row->type);
    }
}

/* ---- judging ---------------------------------------------------------------------------------- */

static void test_statuses(void **state)
{
    const struct http_shape own = {.done = {(const char *[]){"409"}, 1},
                                   .later = {(const char *[]){"42x"}, 1}};
    (void)state;
    for (int status = 200; status < 600; status++) /* total, and in order */
        assert_true(http_judge(NULL, status) < HTTP_VERDICT_COUNT);
    assert_int_equal(http_judge(NULL, 422), HTTP_REFUSED);
    assert_int_equal(http_judge(&own, 422), HTTP_LATER);
    assert_int_equal(http_judge(&own, 409), HTTP_DONE);
}

#define ANSWER(status, json)                                                                       \
    "HTTP/1.1 " status " Text\r\nConnection: close\r\nContent-Length: " json
/* clang-format off */
#define MADE     ANSWER("201", "8\r\n\r\n{\"id\":7}")
#define OTHER    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"id\":7,\"key\":\"another\"}"
#define OURS     "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"id\":7,\"key\":\"" KEY "\"}"
#define NOBODY   "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"id\":null}"
#define STATUS(s) "HTTP/1.1 " s " Text\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

#define CONFLICT(json) "HTTP/1.1 409 Conflict\r\nConnection: close\r\n\r\n" json

/* What the peer answers in turn, and what is made of it. */
static const struct {
    const char *name;
    bool with_find, with_read;
    const char *answer[3];
    enum outcome outcome;
    enum fault fault;
    bool adopted, strange;
    const char *id;
    size_t requests;
} created[] = {
    {"made",                                      0, 0, {MADE},                   OUTCOME_DONE,     FAULT_NONE,    0, 0, "7", 1},
    {"made, and read back",                       0, 1, {MADE, OURS},             OUTCOME_DONE,     FAULT_NONE,    0, 0, "7", 2},
    {"D02: no answer",                            1, 0, {""},                     OUTCOME_UNKNOWN,  FAULT_SERVER,  0, 0, "",  1},
    {"D03: the answer broke off",                 1, 0, {"HTTP/1.1 201 Made\r\nContent-Length: 99\r\n\r\n{\"id\":"}, OUTCOME_UNKNOWN, FAULT_SERVER, 0, 0, "", 1},
    {"D04: too many",                             1, 0, {STATUS("429")},          OUTCOME_DEFERRED, FAULT_SERVER,  0, 0, "",  1},
    {"D05: it is there, and ours",                1, 0, {STATUS("409"), OURS},    OUTCOME_DONE,     FAULT_NONE,    1, 0, "7", 2},
    {"D05: the condition failed",                 1, 0, {STATUS("412"), OURS},    OUTCOME_DONE,     FAULT_NONE,    1, 0, "7", 2},
    {"D05: it is there, and not to be found",     1, 0, {STATUS("409"), NOBODY},  OUTCOME_UNKNOWN,  FAULT_UNKNOWN, 0, 1, "",  2},
    {"D05: it is there, and cannot be asked for", 1, 0, {STATUS("409"), STATUS("503")}, OUTCOME_UNKNOWN, FAULT_SERVER, 0, 0, "", 2},
    {"D06: a body without the id",                1, 0, {NOBODY},                 OUTCOME_UNKNOWN,  FAULT_UNKNOWN, 0, 1, "",  1},
    {"D06: a body that is a page",                1, 0, {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<html>"}, OUTCOME_UNKNOWN, FAULT_UNKNOWN, 0, 1, "", 1},
    {"D07: read back, it is another's",           0, 1, {MADE, OTHER},            OUTCOME_UNKNOWN,  FAULT_UNKNOWN, 0, 1, "7", 2},
    {"D07: it is there, with another key",        1, 0, {STATUS("409"), OTHER},   OUTCOME_UNKNOWN,  FAULT_UNKNOWN, 0, 1, "7", 2},
    {"made, and not to be read: looked up later", 1, 1, {MADE, STATUS("500")},    OUTCOME_UNKNOWN,  FAULT_SERVER,  0, 0, "7", 2},
    {"D08: the sign-in is renewed",               0, 0, {STATUS("401"), MADE},    OUTCOME_DONE,     FAULT_NONE,    0, 0, "7", 2},
    {"D08: once",                                 0, 0, {STATUS("401"), STATUS("401")}, OUTCOME_DEFERRED, FAULT_SERVER, 0, 0, "", 2},
    {"a right is missing",                        0, 0, {STATUS("403")},          OUTCOME_DEFERRED, FAULT_SERVER,  0, 0, "",  1},
    {"refused",                                   1, 0, {STATUS("422")},          OUTCOME_REFUSED,  FAULT_ITEM,    0, 0, "",  1},
    {"it broke",                                  1, 0, {STATUS("500")},          OUTCOME_UNKNOWN,  FAULT_SERVER,  0, 0, "",  1},
    {"out of service",                            1, 0, {STATUS("503")},          OUTCOME_DEFERRED, FAULT_SERVER,  0, 0, "",  1},
    {"moved",                                     1, 0, {STATUS("301")},          OUTCOME_DEFERRED, FAULT_SERVER,  0, 0, "",  1},
};
static const struct {
    const char *name, *answer;
    enum outcome outcome;
    bool strange;
} looked_up[] = {
    {"there",             OURS,           OUTCOME_DONE,     0},
    {"an empty answer",   NOBODY,         OUTCOME_REFUSED,  0},
    {"404",               STATUS("404"),  OUTCOME_REFUSED,  0},
    {"D07: another's",    OTHER,          OUTCOME_UNKNOWN,  1},
    {"a page",            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<html>", OUTCOME_DEFERRED, 0},
    {"422 proves nothing", STATUS("422"), OUTCOME_DEFERRED, 0},
    {"401",               STATUS("401"),  OUTCOME_DEFERRED, 0},
    {"500",               STATUS("500"),  OUTCOME_DEFERRED, 0},
    {"no answer",         "",             OUTCOME_DEFERRED, 0},
};
/* clang-format on */

static enum rc sign_in(void *ctx, struct str *out, struct err *err)
{
    (void)err;
    str_addf(out, "Bearer %d", *(int *)ctx);
    return RC_OK;
}

static void refused(void *ctx)
{
    ++*(int *)ctx;
}

static const struct http_shape post = {
    .method = "POST", .path = "/cases", .body = "{\"key\": \"{{key}}\"}", .id = "/id", .key = ""};
static const struct http_shape find = {
    .method = "GET", .path = "/cases?key={{key}}", .id = "/id", .key = "/key"};
static const struct http_shape read_it = {
    .method = "GET", .path = "/cases/{{id}}", .id = "/id", .key = "/key"};
static const struct http_shape no_shape = {.path = "", .id = "", .key = ""};

struct desk {
    struct http_peer peer;
    char url[64];
    int token;
    struct http_destination_settings set;
    struct http_destination *made;
    struct destination port;
};

static void desk_open(struct desk *d, enum guarantee guarantee, bool with_find, bool with_read)
{
    http_peer_start(&d->peer);
    snprintf(d->url, sizeof d->url, "http://127.0.0.1:%u", d->peer.port);
    d->set = (struct http_destination_settings){
        .name = "desk",
        .url = d->url,
        .idempotency_ms = 86400000,
        .act = {[STEP_CREATE] = post},
        .look = {[STEP_CREATE] = with_find ? find : no_shape},
        .read = with_read ? read_it : no_shape,
        .sign_in = {&d->token, sign_in, refused},
        .timeout_ms = 5000,
    };
    d->set.act[STEP_CREATE].guarantee = guarantee;
    d->made = http_destination_new(&d->set);
    d->port = http_destination_port(d->made);
}

static void desk_close(struct desk *d)
{
    http_destination_free(&d->made);
    http_peer_stop(&d->peer);
}

static void test_create(void **state)
{
    (void)state;
    FOR_EACH(row, created) {
        struct desk d = {.peer = {.answers = row->requests}};
        struct destination_answer a;
        for (size_t i = 0; i < row->requests; i++) {
            d.peer.answer[i] = row->answer[i];
            d.peer.ends[i] = true;
        }
        desk_open(&d, GUARANTEE_UNIQUE_KEY, row->with_find, row->with_read);
        assert_int_equal(d.port.act(d.port.self, STEP_CREATE, &facts, &a, NULL), RC_OK);
        desk_close(&d);
        assert_int_equal(a.outcome, row->outcome);
        assert_int_equal(a.fault, row->fault);
        assert_int_equal(a.adopted, row->adopted);
        assert_int_equal(a.strange, row->strange);
        assert_string_equal(a.external_id, row->id);
        assert_int_equal(d.peer.heard, row->requests);
    }
}

/* "It is there" without any way to ask: whose it is must be seen, or follow from where it stands. */
static const struct {
    const char *name;
    enum guarantee guarantee;
    bool with_find, with_key;
    const char *answer[2];
    size_t requests;
    enum outcome outcome;
    bool strange;
} taken_over[] = {
    {"under our key", GUARANTEE_UNIQUE_KEY, 0, 0, {CONFLICT("{\"id\":7}")}, 1, OUTCOME_DONE, 0},
    {"under our address",
     GUARANTEE_CONDITIONAL,
     0,
     0,
     {CONFLICT("{\"id\":7}")},
     1,
     OUTCOME_DONE,
     0},
    {"nobody knows whose", GUARANTEE_NONE, 0, 0, {CONFLICT("{\"id\":7}")}, 1, OUTCOME_UNKNOWN, 1},
    {"it says ours",
     GUARANTEE_NONE,
     0,
     1,
     {CONFLICT("{\"id\":7,\"key\":\"" KEY "\"}")},
     1,
     OUTCOME_DONE,
     0},
    {"D07: it says another's",
     GUARANTEE_UNIQUE_KEY,
     0,
     1,
     {CONFLICT("{\"id\":7,\"key\":\"x\"}")},
     1,
     OUTCOME_UNKNOWN,
     1},
    {"the first request is still at work",
     GUARANTEE_IDEMPOTENCY_KEY,
     1,
     0,
     {STATUS("409"), NOBODY},
     2,
     OUTCOME_UNKNOWN,
     0},
};

static void test_D05_what_is_there_is_taken_over_only_if_it_is_ours(void **state)
{
    (void)state;
    FOR_EACH(row, taken_over) {
        struct desk d = {.peer = {.answer = {row->answer[0], row->answer[1]},
                                  .ends = {true, true},
                                  .answers = row->requests}};
        struct destination_answer a;
        desk_open(&d, row->guarantee, row->with_find, false);
        d.set.act[STEP_CREATE].key = row->with_key ? "/key" : "";
        assert_int_equal(d.port.act(d.port.self, STEP_CREATE, &facts, &a, NULL), RC_OK);
        desk_close(&d);
        assert_int_equal(a.outcome, row->outcome);
        assert_int_equal(a.strange, row->strange);
        assert_int_equal(a.adopted, row->outcome == OUTCOME_DONE);
    }
}

/* Somebody else changed it at that moment: it is not closed. */
static void test_a_conflict_at_closing_is_no_closing(void **state)
{
    static const char *const listed[] = {"409"};
    static const struct {
        const char *name;
        struct texts exists;
        enum outcome outcome;
    } rows[] = {
        {"by itself", {NULL, 0}, OUTCOME_REFUSED},
        {"configured: it is closed already", {listed, 1}, OUTCOME_DONE},
    };
    (void)state;
    FOR_EACH(row, rows) {
        struct desk d = {.peer = {.answer = {STATUS("409")}, .ends = {true}, .answers = 1}};
        struct case_facts there = facts;
        struct destination_answer a;
        there.id = "7";
        desk_open(&d, GUARANTEE_NONE, false, false);
        d.set.act[STEP_CLOSE] = (struct http_shape){
            .method = "PATCH", .path = "/cases/{{id}}", .id = "", .key = "", .exists = row->exists};
        assert_int_equal(d.port.act(d.port.self, STEP_CLOSE, &there, &a, NULL), RC_OK);
        desk_close(&d);
        assert_int_equal(a.outcome, row->outcome);
        assert_false(a.adopted);
    }
}

static void test_find(void **state)
{
    (void)state;
    FOR_EACH(row, looked_up) {
        size_t asked = strstr(row->answer, " 401 ") ? 2 : 1;
        struct desk d = {
            .peer = {.answer = {row->answer, row->answer}, .ends = {true, true}, .answers = asked}};
        struct destination_answer a;
        desk_open(&d, GUARANTEE_UNIQUE_KEY, true, false);
        assert_int_equal(d.port.look(d.port.self, STEP_CREATE, &facts, &a, NULL), RC_OK);
        desk_close(&d);
        assert_int_equal(a.outcome, row->outcome);
        assert_int_equal(a.strange, row->strange);
    }
}

static void test_not_there(void **state) /* D01 */
{
    struct desk d = {0};
    struct destination_answer a;
    (void)state;
    desk_open(&d, GUARANTEE_NONE, true, false);
    d.set.url = "http://127.0.0.1:1";
    assert_int_equal(d.port.act(d.port.self, STEP_CREATE, &facts, &a, NULL), RC_OK);
    assert_int_equal(a.outcome, OUTCOME_DEFERRED);
    assert_int_equal(a.fault, FAULT_SERVER);
    assert_true(a.why[0] != '\0');
    desk_close(&d);
}

static void test_what_is_sent(void **state)
{
    struct desk d = {.peer = {.answer = {MADE}, .ends = {true}, .answers = 1}};
    struct destination_answer a;
    (void)state;
    desk_open(&d, GUARANTEE_CONDITIONAL, false, false);
    assert_int_equal(d.port.act(d.port.self, STEP_CREATE, &facts, &a, NULL), RC_OK);
    desk_close(&d);
    const char *said = d.peer.heard_text[0];
    assert_non_null(strstr(said, "\r\nIdempotency-Key: 0123456789abcdef0123456789abcdef\r\n"));
    assert_non_null(strstr(said, "\r\nX-Correlation-Id: run-1\r\n"));
    assert_non_null(strstr(said, "\r\nIf-None-Match: *\r\n"));
    assert_non_null(strstr(said, "\r\nAuthorization: Bearer 0\r\n"));
    assert_non_null(strstr(said, "{\"key\":\"" KEY "\"}"));
}

/* ---- sessions --------------------------------------------------------------------------------- */

#define OPENED(token) "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"token\":\"" token "\"}"

static const struct {
    const char *name;
    const char *answer[5];
    size_t requests, shown; /* which request is the last that shows one */
    const char *session;    /* that one */
    enum outcome outcome;
    int tokens; /* how often the sign-in was renewed */
} sessions[] = {
    {"opened first, then shown", {OPENED("one"), MADE}, 2, 1, "one", OUTCOME_DONE, 0},
    {"D08: another is opened after a 401",
     {OPENED("one"), STATUS("401"), OPENED("two"), MADE},
     4,
     3,
     "two",
     OUTCOME_DONE,
     0},
    {"D08: once",
     {OPENED("one"), STATUS("401"), OPENED("two"), STATUS("401")},
     4,
     3,
     "two",
     OUTCOME_DEFERRED,
     0},
    {"the sign-in is refused", {STATUS("401")}, 1, 0, "", OUTCOME_DEFERRED, 1},
    {"nothing came back of it", {""}, 1, 0, "", OUTCOME_DEFERRED, 0},
    {"it broke", {STATUS("500")}, 1, 0, "", OUTCOME_DEFERRED, 0},
    {"its answer has none", {NOBODY}, 1, 0, "", OUTCOME_DEFERRED, 0},
    {"its answer is a page",
     {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<html>"},
     1,
     0,
     "",
     OUTCOME_DEFERRED,
     0},
    {"what is asked in it may be unknown", {OPENED("one"), ""}, 2, 1, "one", OUTCOME_UNKNOWN, 0},
};

static const char *const app_header[] = {"App-Token: app"};

static void desk_with_session(struct desk *d)
{
    desk_open(d, GUARANTEE_NONE, false, false);
    d->set.session = (struct http_session){
        .path = "/session", .headers = {app_header, 1}, .id = "/token", .header = "Session-Token"};
}

static void assert_shown(const struct desk *d, size_t row)
{
    char header[64];
    const char *last = d->peer.heard_text[sessions[row].shown];
    assert_int_equal(strncmp(d->peer.heard_text[0], "GET /session ", 13), 0);
    assert_non_null(strstr(d->peer.heard_text[0], "\r\nAuthorization: Bearer 0\r\n"));
    assert_non_null(strstr(d->peer.heard_text[0], "\r\nApp-Token: app\r\n"));
    if (!sessions[row].session[0])
        return;
    snprintf(header, sizeof header, "\r\nSession-Token: %s\r\n", sessions[row].session);
    assert_non_null(strstr(last, header));
    assert_null(strstr(last, "Authorization"));
}

static void
test_D08_what_is_asked_is_asked_in_a_session_and_in_another_once_that_has_ended(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(sessions); i++) {
        struct desk d = {.peer = {.answers = sessions[i].requests}};
        struct destination_answer a;
        for (size_t k = 0; k < sessions[i].requests; k++) {
            d.peer.answer[k] = sessions[i].answer[k];
            d.peer.ends[k] = true;
        }
        desk_with_session(&d);
        assert_int_equal(d.port.act(d.port.self, STEP_CREATE, &facts, &a, NULL), RC_OK);
        assert_int_equal(a.requests, sessions[i].requests);
        desk_close(&d);
        assert_int_equal(a.outcome, sessions[i].outcome);
        assert_int_equal(d.peer.heard, sessions[i].requests);
        assert_int_equal(d.token, sessions[i].tokens);
        assert_shown(&d, i);
    }
}

static void test_a_session_is_kept_for_the_next_request(void **state)
{
    struct desk d = {
        .peer = {.answer = {OPENED("one"), MADE, MADE}, .ends = {true, true, true}, .answers = 3}};
    struct destination_answer a;
    (void)state;
    desk_with_session(&d);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(d.port.act(d.port.self, STEP_CREATE, &facts, &a, NULL), RC_OK);
    desk_close(&d);
    assert_int_equal(d.peer.heard, 3);
    assert_non_null(strstr(d.peer.heard_text[2], "\r\nSession-Token: one\r\n"));
}

static void test_port(void **state)
{
    static const struct {
        const char *name;
        enum guarantee guarantee;
        int64_t unique_ms;
    } rows[] = {
        {"nothing", GUARANTEE_NONE, 0},
        {"a unique key", GUARANTEE_UNIQUE_KEY, INT64_MAX},
        {"conditional requests", GUARANTEE_CONDITIONAL, INT64_MAX},
        {"idempotency keys", GUARANTEE_IDEMPOTENCY_KEY, 86400000},
    };
    (void)state;
    FOR_EACH(row, rows) {
        struct desk d = {0};
        desk_open(&d, row->guarantee, false, false);
        assert_true(d.port.can[STEP_CREATE].unique_ms == row->unique_ms);
        assert_false(d.port.can[STEP_CREATE].look);
        desk_close(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filling),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_pointers),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_which_pointer_does_not_fit),
        cmocka_unit_test(test_why_a_status_is_taken_so),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_not_there),
        cmocka_unit_test(test_what_is_sent),
        cmocka_unit_test(test_port),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_parcels),
        cmocka_unit_test(test_what_is_too_long_is_cut_between_characters),
        cmocka_unit_test(test_no_name_of_an_answer_is_an_address),
        cmocka_unit_test(test_what_a_refusal_says_holds_nothing_of_the_mail),
        cmocka_unit_test(test_D05_what_is_there_is_taken_over_only_if_it_is_ours),
        cmocka_unit_test(test_a_conflict_at_closing_is_no_closing),
        cmocka_unit_test(
            test_D08_what_is_asked_is_asked_in_a_session_and_in_another_once_that_has_ended),
        cmocka_unit_test(test_a_session_is_kept_for_the_next_request),
    };
    return RUN_TESTS(tests);
}
