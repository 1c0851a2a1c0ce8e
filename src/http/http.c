/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/http.h>

#include <curl/curl.h>

#include <stdlib.h>
#include <string.h>

struct http_client {
    CURL *easy;
};

struct hearing {
    struct http_answer *answer;
    size_t most;
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
    size_t room = h->most - h->answer->body.len;
    size_t length = size * count;
    str_add(&h->answer->body, (struct slice){at, length < room ? length : room});
    h->answer->cut |= length > room;
    return length <= room ? length : 0;
}

static enum rc
headers_of(const struct http_request *request, struct curl_slist **out, struct err *err)
{
    /* Waiting for 100 Continue only costs time with a body that is in memory anyway. */
    *out = curl_slist_append(NULL, "Expect:");
    for (size_t i = 0; i < request->headers; i++) {
        if (strpbrk(request->header[i], "\r\n") || !strchr(request->header[i], ':'))
            return FAIL(err, RC_REFUSED, "http: a header has a line break in it, or no name");
        *out = curl_slist_append(*out, request->header[i]);
    }
    return RC_OK;
}

static void set_body(CURL *h, const struct http_request *request)
{
    bool bare = strcmp(request->method, "GET") == 0 || strcmp(request->method, "DELETE") == 0;
    if (!bare || request->body.len > 0) {
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
        curl_easy_setopt(h, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        curl_easy_setopt(h, CURLOPT_USERNAME, request->username);
        curl_easy_setopt(h, CURLOPT_PASSWORD, request->password ? request->password : "");
    }
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

enum rc http_exchange(struct http_client *client,
                      const struct http_request *request,
                      struct http_answer *out,
                      struct err *err)
{
    CURL *h = client->easy;
    struct curl_slist *list = NULL;
    http_answer_clear(out);
    enum rc rc = headers_of(request, &list, err);
    if (rc == RC_OK) {
        struct hearing hearing = {out, request->most};
        set_options(h, request);
        curl_easy_setopt(h, CURLOPT_HTTPHEADER, list);
        curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, hear);
        curl_easy_setopt(h, CURLOPT_WRITEDATA, &hearing);
        CURLcode code = curl_easy_perform(h);
        note_answer(h, code, out);
        if (out->status == 0)
            rc = no_answer(h, code, request->url, err);
    }
    curl_slist_free_all(list);
    return rc;
}
