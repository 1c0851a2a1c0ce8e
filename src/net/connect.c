/* SPDX-License-Identifier: Apache-2.0 */
#include "curl_fault.h"
#include "net_p.h"
#include "offers.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define ANSWER_MOST 512

/* What may stand in a URL as it is; a name beyond ASCII is left to libcurl's IDN. */
static bool is_host(const char *host)
{
    for (const char *at = host; *at != '\0'; at++)
        if ((unsigned char)*at <= ' ' || strchr("/?#@%\\[]<>\"'`{}|^\x7F", *at) != NULL)
            return false;
    return host[0] != '\0';
}

static bool is_this_machine(const char *host)
{
    return slice_eq_nocase(slice_z(host), SLICE("localhost")) || strcmp(host, "::1") == 0 ||
           (strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == strlen(host));
}

static enum rc check_endpoint(struct connection *c, struct err *err)
{
    const struct endpoint *e = c->endpoint;

    if (!is_host(e->host))
        return connection_fail(c, RC_REFUSED, err, "that is no host name; check `host`");
    if (e->security == SECURITY_NONE && !e->allow_plaintext && !is_this_machine(e->host))
        return connection_fail(c, RC_REFUSED, err,
                               "`security: none` would send everything readable by others; use tls "
                               "or starttls, or say `allow_plaintext: true`");
    return RC_OK;
}

/* Every line of the server while libcurl speaks. */
static size_t hear(const char *at, size_t size, size_t count, void *ctx)
{
    struct connection *c = ctx;
    struct slice line = slice_trim((struct slice){at, size * count});

    offers_hear(c->protocol, line, &c->offers, &c->offers_fresh);
    c->signed_in = c->signed_in || slice_starts_nocase(line, SLICE("* PREAUTH"));
    str_empty(&c->answer);
    str_add(&c->answer, slice_cut(line, 0, ANSWER_MOST));
    return size * count;
}

static size_t drop(const char *at, size_t size, size_t count, void *ctx)
{
    (void)at;
    (void)ctx;
    return size * count;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *unused)
{
    struct connection *c = ctx;
    size_t i = 0;

    (void)easy;
    (void)unused;
    while (i < c->wait_count && c->waits[i].fd != fd)
        i++;
    if (what == CURL_POLL_REMOVE) {
        if (i < c->wait_count)
            c->waits[i] = c->waits[--c->wait_count];
        return 0;
    }
    if (i == SOCKETS_MOST)
        return -1;
    if (i == c->wait_count)
        c->wait_count++;
    c->waits[i] = (struct waiting){.fd = fd};
    if ((what & CURL_POLL_IN) != 0)
        c->waits[i].events |= POLLIN;
    if ((what & CURL_POLL_OUT) != 0)
        c->waits[i].events |= POLLOUT;
    return 0;
}

static int on_timer(CURLM *multi, long ms, void *ctx)
{
    struct connection *c = ctx;

    (void)multi;
    c->curl_due_ms = ms < 0 ? CURL_NOT_DUE : net_now(c->net) + ms;
    return 0;
}

static void set_url(struct connection *c)
{
    const struct endpoint *e = c->endpoint;
    bool is_v6 = strchr(e->host, ':') != NULL;
    CLEANUP(str_clear) struct str url = STR_INIT;

    str_addf(&url, "%s%s://%s%s%s:%u", c->protocol == PROTOCOL_IMAP ? "imap" : "smtp",
             e->security == SECURITY_TLS ? "s" : "", is_v6 ? "[" : "", e->host, is_v6 ? "]" : "",
             (unsigned)e->port);
    curl_easy_setopt(c->easy, CURLOPT_URL, str_z(&url));
}

static void set_options(struct connection *c)
{
    const struct endpoint *e = c->endpoint;
    CURL *h = c->easy;

    set_url(c);
    curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "imap,imaps,smtp,smtps");
    curl_easy_setopt(h, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(h, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, (long)e->timeout_ms);
    curl_easy_setopt(h, CURLOPT_PROXY, is_given(e->proxy) ? e->proxy : "");
    curl_easy_setopt(h, CURLOPT_HTTPPROXYTUNNEL, 1L);
    if (e->security == SECURITY_STARTTLS)
        curl_easy_setopt(h, CURLOPT_USE_SSL, (long)CURLUSESSL_ALL);
    curl_easy_setopt(h, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(h, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(h, CURLOPT_SSL_VERIFYHOST, 2L);
    if (is_given(e->ca_file)) /* the system's authorities stay: libcurl has them as CAPATH */
        curl_easy_setopt(h, CURLOPT_CAINFO, e->ca_file);
    curl_easy_setopt(h, CURLOPT_ERRORBUFFER, c->curl_text);
    curl_easy_setopt(h, CURLOPT_HEADERFUNCTION, hear);
    curl_easy_setopt(h, CURLOPT_HEADERDATA, c);
    curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, drop);
    curl_multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c);
    curl_multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(c->multi, CURLMOPT_TIMERDATA, c);
}

/* Each connection has a multi handle of its own: in a shared one, making a connection ends those
 * that are idle in libcurl's eyes, which are ours. */
enum rc connect_start(struct connection *c, struct err *err)
{
    TRY(check_endpoint(c, err));
    c->easy = curl_easy_init();
    c->multi = curl_multi_init();
    if (c->easy == NULL || c->multi == NULL)
        return connection_fail(c, RC_BROKEN, err, "libcurl cannot be set up; is memory short?");
    c->curl_due_ms = CURL_NOT_DUE;
    set_options(c);
    if (curl_multi_add_handle(c->multi, c->easy) != CURLM_OK)
        return connection_fail(c, RC_BROKEN, err, "libcurl cannot be set up; is memory short?");
    return RC_OK;
}

/* Keeps `answer` only where it is a refusal: a drop may come after any friendly line. */
static void judge_answer(struct connection *c)
{
    struct slice said = str_slice(&c->answer);
    bool refusal =
        c->protocol == PROTOCOL_SMTP
            ? slice_starts_nocase(said, SLICE("4")) || slice_starts_nocase(said, SLICE("5"))
            : slice_starts_nocase(said, SLICE("* BYE")) || slice_has(said, SLICE(" NO ")) ||
                  slice_has(said, SLICE(" BAD "));

    if (!refusal)
        str_empty(&c->answer);
}

static enum rc fault(struct connection *c, CURLcode code, struct err *err)
{
    const struct curl_fault *f;
    char detail[256] = "";
    long number = 0;
    long verify = 0;

    curl_easy_getinfo(c->easy, CURLINFO_SSL_VERIFYRESULT, &verify);
    curl_easy_getinfo(c->easy, CURLINFO_OS_ERRNO, &number);
    f = curl_fault_of((int)code, verify);
    judge_answer(c);
    if (c->answer.len > 0)
        server_words(str_slice(&c->answer), detail, sizeof detail);
    else if (code == CURLE_COULDNT_CONNECT && number != 0)
        (void)strerror_r((int)number, detail, sizeof detail);
    if (detail[0] != '\0')
        return connection_fail(c, f->rc, err, "%s (%s); %s", f->why, detail, f->remedy);
    return connection_fail(c, f->rc, err, "%s; %s", f->why, f->remedy);
}

static enum rc take_over(struct connection *c, struct err *err)
{
    curl_socket_t fd = CURL_SOCKET_BAD;

    curl_easy_getinfo(c->easy, CURLINFO_ACTIVESOCKET, &fd);
    if (fd == CURL_SOCKET_BAD)
        return fault(c, CURLE_GOT_NOTHING, err);
    c->fd = fd;
    c->wait_count = 0;
    str_empty(&c->answer);
    return RC_OK;
}

static void drive(struct connection *c)
{
    struct waiting waits[SOCKETS_MOST];
    size_t count = c->wait_count;
    int running;

    memcpy(waits, c->waits, sizeof waits);
    for (size_t i = 0; i < count; i++) {
        int mask = 0;

        if ((waits[i].ready & POLLIN) != 0)
            mask |= CURL_CSELECT_IN;
        if ((waits[i].ready & POLLOUT) != 0)
            mask |= CURL_CSELECT_OUT;
        if ((waits[i].ready & (POLLERR | POLLHUP | POLLNVAL)) != 0)
            mask |= CURL_CSELECT_ERR | CURL_CSELECT_IN;
        if (mask != 0)
            curl_multi_socket_action(c->multi, waits[i].fd, mask, &running);
    }
    for (size_t i = 0; i < c->wait_count; i++)
        c->waits[i].ready = 0;
    if (c->curl_due_ms <= net_now(c->net)) {
        c->curl_due_ms = CURL_NOT_DUE;
        curl_multi_socket_action(c->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}

enum rc connect_go_on(struct connection *c, bool *done, struct err *err)
{
    const CURLMsg *message;
    int left;

    drive(c);
    *done = false;
    while ((message = curl_multi_info_read(c->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE)
            continue;
        *done = true;
        return message->data.result == CURLE_OK ? take_over(c, err)
                                                : fault(c, message->data.result, err);
    }
    return RC_OK;
}

void connect_clear(struct connection *c)
{
    if (c->multi != NULL && c->easy != NULL)
        curl_multi_remove_handle(c->multi, c->easy);
    if (c->easy != NULL)
        curl_easy_cleanup(c->easy);
    if (c->multi != NULL)
        curl_multi_cleanup(c->multi);
    c->easy = NULL;
    c->multi = NULL;
}
