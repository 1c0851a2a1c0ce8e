/* SPDX-License-Identifier: Apache-2.0 */
#include "upload.h"

#include <curl/curl.h>

#include <stdlib.h>
#include <string.h>

struct http_client {
    CURL *easy;
};

struct hearing {
    struct http_answer *answer;
    size_t most;
    struct sha256 *hash; /* NULL: the body is kept */
};

/* Why a request surely did not leave, and what to try. Who is not here may have been heard. */
static const struct {
    CURLcode code;
    enum rc rc;
    const char *why;
} faults[] = {
    {CURLE_COULDNT_RESOLVE_HOST, RC_DEFERRED,
     "its name cannot be resolved; check it, and this machine's name service"},
    {CURLE_COULDNT_RESOLVE_PROXY, RC_DEFERRED,
     "the proxy's name cannot be resolved; check `proxy`"},
    {CURLE_COULDNT_CONNECT, RC_DEFERRED,
     "it cannot be connected to; check its port, firewalls, and whether it runs"},
    {CURLE_PROXY, RC_DEFERRED, "the proxy does not let it through; check `proxy`"},
    {CURLE_PEER_FAILED_VERIFICATION, RC_REFUSED,
     "its certificate is not good for it; nothing was sent. Check its dates and its name, and name "
     "its authority in `ca_file` where it is the right server"},
    {CURLE_SSL_CACERT_BADFILE, RC_REFUSED,
     "the authorities' certificates cannot be read; check `ca_file`, and that ca-certificates is "
     "installed"},
    {CURLE_SSL_CONNECT_ERROR, RC_DEFERRED,
     "the TLS handshake failed; check that it speaks TLS 1.2 or later there"},
    {CURLE_URL_MALFORMAT, RC_REFUSED, "that is no URL; check it"},
    {CURLE_UNSUPPORTED_PROTOCOL, RC_REFUSED, "expected a URL that begins with https:// or http://"},
};

struct http_client *http_client_new(void)
{
    struct http_client *client = mem_new(1, sizeof *client);
    client->easy = curl_easy_init();
    if (!client->easy)
        abort(); /* out of memory */
    return client;
}

void http_client_free(struct http_client **client)
{
    if (*client)
        curl_easy_cleanup((*client)->easy);
    free(*client);
    *client = NULL;
}

void http_answer_clear(struct http_answer *answer)
{
    str_clear(&answer->body);
    *answer = (struct http_answer){0};
}

static bool is_given(const char *text)
{
    return text && text[0];
}

static size_t hear(const char *at, size_t size, size_t count, void *ctx)
{
    struct hearing *h = ctx;
    size_t room = h->most - (size_t)h->answer->size;
    size_t length = size * count;
    struct slice taken = {at, length < room ? length : room};
    if (h->hash)
        sha256_add(h->hash, taken);
    else
        str_add(&h->answer->body, taken);
    h->answer->size += (int64_t)taken.len;
    h->answer->cut |= length > room;
    return length <= room ? length : 0;
}

static size_t send_more(char *into, size_t size, size_t count, void *ctx)
{
    struct sending *s = ctx;
    size_t given = sending_next(s, into, size * count);
    return s->failed ? CURL_READFUNC_ABORT : given;
}

/* A connection that turns out to be dead is replaced before anything was heard: from the beginning. */
static int send_again(void *ctx, curl_off_t offset, int origin)
{
    if (offset != 0 || origin != SEEK_SET)
        return CURL_SEEKFUNC_CANTSEEK;
    sending_again(ctx);
    return CURL_SEEKFUNC_OK;
}

static enum rc
headers_of(const struct http_request *request, struct curl_slist **out, struct err *err)
{
    /* Waiting for 100 Continue only costs time with a body that is in memory anyway. A header that is
     * left out may not be signed. */
    *out = is_given(request->sigv4) ? NULL : curl_slist_append(NULL, "Expect:");
    for (size_t i = 0; i < request->headers; i++) {
        if (strpbrk(request->header[i], "\r\n") || !strchr(request->header[i], ':'))
            return FAIL(err, RC_REFUSED, "http: a header has a line break in it, or no name");
        *out = curl_slist_append(*out, request->header[i]);
    }
    return RC_OK;
}

static void set_body(CURL *h, const struct http_request *request)
{
    bool head = strcmp(request->method, "HEAD") == 0;
    bool bare =
        head || strcmp(request->method, "GET") == 0 || strcmp(request->method, "DELETE") == 0;
    if (head) {
        curl_easy_setopt(h, CURLOPT_NOBODY, 1L);
    } else if (!bare || request->body.len > 0) {
        curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
        curl_easy_setopt(h, CURLOPT_POSTFIELDS, request->body.at);
    } else {
        curl_easy_setopt(h, CURLOPT_HTTPGET, 1L);
    }
    curl_easy_setopt(h, CURLOPT_CUSTOMREQUEST, request->method);
}

static void set_options(CURL *h, const struct http_request *request)
{
    curl_easy_reset(h); /* its connections stay */
    curl_easy_setopt(h, CURLOPT_URL, request->url);
    curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(h, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(h, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, (long)request->timeout_ms);
    curl_easy_setopt(h, CURLOPT_PROXY, is_given(request->proxy) ? request->proxy : "");
    curl_easy_setopt(h, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (is_given(request->ca_file)) /* the system's authorities stay: libcurl has them as CAPATH */
        curl_easy_setopt(h, CURLOPT_CAINFO, request->ca_file);
    curl_easy_setopt(h, CURLOPT_FRESH_CONNECT, request->fresh ? 1L : 0L);
    if (is_given(request->username)) {
        curl_easy_setopt(h, CURLOPT_HTTPAUTH,
                         (long)(is_given(request->sigv4) ? CURLAUTH_AWS_SIGV4 : CURLAUTH_BASIC));
        curl_easy_setopt(h, CURLOPT_USERNAME, request->username);
        curl_easy_setopt(h, CURLOPT_PASSWORD, request->password ? request->password : "");
    }
    if (is_given(request->sigv4))
        curl_easy_setopt(h, CURLOPT_AWS_SIGV4, request->sigv4);
    set_body(h, request);
}

static void host_of(const char *url, struct str *out)
{
    CURLU *parts = curl_url();
    char *host = NULL;
    if (curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
        curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK)
        str_addz(out, host);
    else
        str_addz(out, "the server");
    curl_free(host);
    curl_url_cleanup(parts);
}

/* No status came: the octets that left say whether it may have been heard. */
static enum rc no_answer(CURL *h, CURLcode code, const char *url, struct err *err)
{
    long left = 0;
    CLEANUP(str_clear) struct str host = STR_INIT;
    host_of(url, &host);
    curl_easy_getinfo(h, CURLINFO_REQUEST_SIZE, &left);
    if (left > 0)
        return FAIL(err, RC_UNKNOWN, "http %s: no answer came; it may have been heard",
                    str_z(&host));
    for (size_t i = 0; i < LENGTH(faults); i++)
        if (faults[i].code == code)
            return FAIL(err, faults[i].rc, "http %s: %s", str_z(&host), faults[i].why);
    return FAIL(err, RC_DEFERRED, "http %s: it did not answer in time; check that it runs",
                str_z(&host));
}

static void note_answer(CURL *h, CURLcode code, struct http_answer *out)
{
    long status = 0;
    curl_off_t pause_s = 0;
    curl_easy_getinfo(h, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(h, CURLINFO_RETRY_AFTER, &pause_s);
    out->status = status >= 200 && status <= 999 ? (int)status : 0;
    out->cut |= code != CURLE_OK;
    out->retry_after_ms = pause_s > 0 && pause_s < 86400 ? (int64_t)pause_s * 1000 : 0;
}

static void keep_header(CURL *h, const char *name, struct http_answer *out)
{
    struct curl_header *found;
    if (name && curl_easy_header(h, name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK &&
        strlen(found->value) < sizeof out->header)
        text_copy(out->header, sizeof out->header, found->value);
}

static void set_upload(CURL *h, struct sending *s)
{
    curl_easy_setopt(h, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(h, CURLOPT_CUSTOMREQUEST, s->request->method);
    curl_easy_setopt(h, CURLOPT_INFILESIZE_LARGE, (curl_off_t)sending_size(s->request));
    curl_easy_setopt(h, CURLOPT_READFUNCTION, send_more);
    curl_easy_setopt(h, CURLOPT_READDATA, s);
    curl_easy_setopt(h, CURLOPT_SEEKFUNCTION, send_again);
    curl_easy_setopt(h, CURLOPT_SEEKDATA, s);
}

static enum rc perform(CURL *h,
                       const struct http_request *request,
                       struct curl_slist *headers,
                       struct http_answer *out,
                       struct err *err)
{
    struct hearing hearing = {out, request->most, request->hash ? sha256_new() : NULL};
    CLEANUP(sending_clear) struct sending sending = {.request = request, .why = ERR_INIT};
    set_options(h, request);
    if (request->upload)
        set_upload(h, &sending);
    curl_easy_setopt(h, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, hear);
    curl_easy_setopt(h, CURLOPT_WRITEDATA, &hearing);
    CURLcode code = curl_easy_perform(h);
    note_answer(h, code, out);
    keep_header(h, request->wanted, out);
    if (hearing.hash)
        out->sha256 = sha256_done(&hearing.hash);
    if (sending.failed) /* its end never left, so it can be no request */
        return FAIL(err, RC_BROKEN, "%s", sending.why.text);
    return out->status == 0 ? no_answer(h, code, request->url, err) : RC_OK;
}

enum rc http_exchange(struct http_client *client,
                      const struct http_request *request,
                      struct http_answer *out,
                      struct err *err)
{
    struct curl_slist *list = NULL;
    http_answer_clear(out);
    enum rc rc = headers_of(request, &list, err);
    if (rc == RC_OK)
        rc = perform(client->easy, request, list, out, err);
    curl_slist_free_all(list);
    return rc;
}
