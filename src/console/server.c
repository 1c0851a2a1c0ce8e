/* SPDX-License-Identifier: Apache-2.0
 *
 * server - HTTP: connections, their limits, and one request after another.
 *
 * The library reads requests in this process's one thread, as their octets come. A connection costs a
 * place and some memory; whoever holds one without ever sending a whole request is shut after a while,
 * or at once where places run short, the oldest first, so that a newcomer finds one.
 */
#include "console_p.h"

#include <onecase/log.h>
#include <onecase/when.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONNECTIONS_MAX  600 /* that the library holds */
#define CONNECTIONS_GOOD 400 /* above it the oldest is shut */
#define SILENCE_S        15  /* without an octet */
#define REQUEST_MS       SECONDS(30)
#define HEAD_MAX         (INT64_C(24) * 1024)
#define BACKLOG          512

/* One connection; in the order in which they came, or last had a whole request. */
struct link {
    struct link *before, *after;
    int fd;
    int64_t since_ms; /* boot time */
    bool answering, shut;
};

struct server {
    struct console *console;
    struct MHD_Daemon *daemon;
    struct link first; /* of the ring; itself no connection */
    size_t links;
};

/* What of one request has come so far. */
struct coming {
    const char *path, *method; /* the library's */
    struct str body;
    bool too_large;
};

/* ---- connections ------------------------------------------------------------------------------------- */

static int64_t boot_ms(const struct server *s)
{
    return clock_now(s->console->settings->clock).boot_ms;
}

static void unlink_it(struct link *l)
{
    l->before->after = l->after;
    l->after->before = l->before;
}

static void link_last(struct server *s, struct link *l)
{
    l->since_ms = boot_ms(s);
    l->before = s->first.before;
    l->after = &s->first;
    l->before->after = l;
    s->first.before = l;
}

static struct link *link_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* The library notices by its next look at it, and says so to `connection`. */
static void shut(struct link *l)
{
    l->shut = true;
    (void)shutdown(l->fd, SHUT_RDWR);
}

static void shut_oldest(struct server *s)
{
    for (struct link *l = s->first.after; l != &s->first; l = l->after)
        if (!l->shut) {
            shut(l);
            return;
        }
}

static void shut_late(struct server *s)
{
    int64_t before = boot_ms(s) - REQUEST_MS;
    for (struct link *l = s->first.after; l != &s->first && l->since_ms < before; l = l->after)
        if (!l->shut && !l->answering)
            shut(l);
}

static void connection(void *ctx,
                       struct MHD_Connection *c,
                       void **own,
                       enum MHD_ConnectionNotificationCode code)
{
    struct server *s = ctx;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        struct link *gone = *own;
        if (!gone)
            return;
        unlink_it(gone);
        s->links--;
        free(gone);
        *own = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct link *l = mem_new(1, sizeof *l);
    l->fd = info ? info->connect_fd : -1;
    link_last(s, l);
    *own = l;
    if (++s->links > CONNECTIONS_GOOD)
        shut_oldest(s);
}

/* It has sent a whole request, or had its whole answer: it goes to the end of those who wait. */
static void is_well(struct server *s, struct MHD_Connection *c, bool answering)
{
    struct link *l = link_of(c);
    if (!l)
        return;
    unlink_it(l);
    link_last(s, l);
    l->answering = answering;
}

/* ---- a request ---------------------------------------------------------------------------------------- */

static const char *header_of(struct MHD_Connection *c, const char *name)
{
    const char *value = MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
    return value ? value : "";
}

static enum method method_of(const char *method)
{
    if (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0)
        return METHOD_GET;
    return strcmp(method, "POST") == 0 ? METHOD_POST : METHOD_OTHER;
}

static void peer_of(struct MHD_Connection *c, struct request *r)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *a = info ? info->client_addr : NULL;
    socklen_t size =
        a && a->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    if (!a || getnameinfo(a, size, r->address, sizeof r->address, NULL, 0, NI_NUMERICHOST) != 0)
        text_copy(r->address, sizeof r->address, "?");
    r->loopback = strncmp(r->address, "127.", 4) == 0 || strcmp(r->address, "::1") == 0 ||
                  strncmp(r->address, "::ffff:127.", 11) == 0;
}

/* A proxy of this machine says for whom it asks: the last it names is who came to it. */
static void behind_proxy(struct MHD_Connection *c, struct request *r)
{
    const char *list = header_of(c, "X-Forwarded-For");
    const char *comma = strrchr(list, ',');
    struct slice last = slice_trim(slice_z(comma ? comma + 1 : list));
    if (!r->loopback || last.len == 0)
        return;
    snprintf(r->address, sizeof r->address, "%.*s", (int)(last.len < 60 ? last.len : 60), last.at);
    r->loopback = false;
}

static void cookie_of(struct MHD_Connection *c, struct request *r)
{
    const char *value =
        MHD_lookup_connection_value(c, MHD_COOKIE_KIND, r->secure ? "__Host-onecase" : "onecase");
    if (value && strlen(value) == TOKEN_SIZE - 1)
        text_copy(r->session, sizeof r->session, value);
}

static enum MHD_Result
add_query(void *ctx, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct str *query = ctx;
    (void)kind;
    if (query->len > 0)
        str_addc(query, '&');
    url_add(query, name);
    str_addc(query, '=');
    url_add(query, value ? value : "");
    return MHD_YES;
}

static enum rc read_request(struct server *s,
                            struct MHD_Connection *c,
                            const struct coming *coming,
                            struct request *out,
                            struct err *err)
{
    const struct config *config = s->console->ops->config;
    CLEANUP(str_clear) struct str query = STR_INIT;
    *out = (struct request){
        .method = method_of(coming->method),
        .path = coming->path,
        .authorization = header_of(c, "Authorization"),
        .origin = header_of(c, "Origin"),
        .host = header_of(c, "Host"),
        .site = header_of(c, "Sec-Fetch-Site"),
        .secure = config->tls_cert[0] != '\0' || config->behind_proxy,
        .fragment = header_of(c, "X-Fragment")[0] != '\0',
    };
    peer_of(c, out);
    if (config->behind_proxy)
        behind_proxy(c, out);
    cookie_of(c, out);
    MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, add_query, &query);
    TRY(form_parse(str_slice(&query), &out->query, err));
    return form_parse(str_slice(&coming->body), &out->form, err);
}

/* ---- an answer ----------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct { const char *name, *value; } always[] = {
    { "Content-Security-Policy",      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'" },
    { "X-Content-Type-Options",       "nosniff"                 },
    { "Referrer-Policy",              "no-referrer"             },
    { "X-Frame-Options",              "DENY"                    },
    { "Cross-Origin-Opener-Policy",   "same-origin"             },
    { "Cross-Origin-Resource-Policy", "same-origin"             },
    { "Permissions-Policy",           "camera=(), geolocation=(), microphone=()" },
};
/* clang-format on */

static void add_headers(const struct server *s, struct MHD_Response *m, const struct response *r)
{
    for (size_t i = 0; i < LENGTH(always); i++)
        MHD_add_response_header(m, always[i].name, always[i].value);
    MHD_add_response_header(m, "Cache-Control",
                            r->keep ? "private, max-age=31536000, immutable" : "no-store");
    if (s->console->ops->config->tls_cert[0])
        MHD_add_response_header(m, "Strict-Transport-Security", "max-age=31536000");
    if (r->type)
        MHD_add_response_header(m, "Content-Type", r->type);
    if (r->location.len > 0)
        MHD_add_response_header(m, "Location", str_z(&r->location));
    if (r->cookie.len > 0)
        MHD_add_response_header(m, "Set-Cookie", str_z(&r->cookie));
    if (r->file_name.len > 0)
        MHD_add_response_header(m, "Content-Disposition", str_z(&r->file_name));
    if (r->status == 401)
        MHD_add_response_header(m, "WWW-Authenticate", "Bearer");
}

static struct MHD_Response *new_response(struct response *r)
{
    struct stat st;
    if (r->file < 0 || fstat(r->file, &st) != 0) {
        union {
            const char *given;
            void *body; /* it is copied, not written to */
        } as = {.given = str_z(&r->body)};
        return MHD_create_response_from_buffer(r->body.len, as.body, MHD_RESPMEM_MUST_COPY);
    }
    int fd = r->file;
    r->file = -1;
    return MHD_create_response_from_fd64((uint64_t)st.st_size, fd);
}

static enum MHD_Result
send_response(struct server *s, struct MHD_Connection *c, struct response *r, int64_t began_ms)
{
    char number[48];
    struct MHD_Response *m = new_response(r);
    if (!m)
        return MHD_NO;
    add_headers(s, m, r);
    snprintf(number, sizeof number, "total;dur=%lld", (long long)(boot_ms(s) - began_ms));
    MHD_add_response_header(m, "Server-Timing", number);
    if (r->retry_after > 0) {
        snprintf(number, sizeof number, "%u", r->retry_after);
        MHD_add_response_header(m, "Retry-After", number);
    }
    enum MHD_Result sent = MHD_queue_response(c, r->status, m);
    MHD_destroy_response(m);
    return sent;
}

static void response_clear(struct response *r)
{
    if (r->file >= 0)
        close(r->file);
    str_clear(&r->body);
    str_clear(&r->file_name);
    str_clear(&r->location);
    str_clear(&r->cookie);
}

static enum MHD_Result
say_only(struct server *s, struct MHD_Connection *c, unsigned status, const char *text)
{
    CLEANUP(response_clear)
    struct response r = {.status = status, .file = -1, .type = "text/plain; charset=utf-8"};
    str_addz(&r.body, text);
    return send_response(s, c, &r, boot_ms(s));
}

static void request_clear(struct request *r)
{
    form_clear(&r->query);
    form_clear(&r->form);
}

static enum MHD_Result
answer_whole(struct server *s, struct MHD_Connection *c, const struct coming *coming)
{
    CLEANUP(request_clear) struct request request = {.path = coming->path};
    CLEANUP(response_clear) struct response response = {.file = -1};
    struct err err = ERR_INIT;
    int64_t began_ms = boot_ms(s);
    is_well(s, c, true);
    if (coming->too_large)
        return say_only(s, c, 413, "That is larger than a form may be.\n");
    if (read_request(s, c, coming, &request, &err) != RC_OK)
        return say_only(s, c, 400, "That form has too many fields.\n");
    console_answer(s->console, &request, &response);
    return send_response(s, c, &response, began_ms);
}

/* Called when the head has come, for each piece of the body, and when that is whole. The library says
 * what it is called with. NOLINTNEXTLINE(readability-function-size) */
static enum MHD_Result handle(void *ctx,
                              struct MHD_Connection *c,
                              const char *path,
                              const char *method,
                              const char *version,
                              const char *piece,
                              size_t *size,
                              void **own)
{
    struct server *s = ctx;
    struct coming *coming = *own;
    (void)version;
    if (!coming) {
        if (strtoull(header_of(c, "Content-Length"), NULL, 10) > BODY_MAX)
            return say_only(s, c, 413, "That is larger than a form may be.\n");
        *own = mem_new(1, sizeof *coming);
        return MHD_YES;
    }
    coming->path = path;
    coming->method = method;
    if (*size == 0)
        return answer_whole(s, c, coming);
    coming->too_large = coming->too_large || coming->body.len + *size > BODY_MAX;
    if (!coming->too_large)
        str_add(&coming->body, (struct slice){piece, *size});
    *size = 0;
    return MHD_YES;
}

static void
completed(void *ctx, struct MHD_Connection *c, void **own, enum MHD_RequestTerminationCode code)
{
    struct coming *coming = *own;
    (void)code;
    is_well(ctx, c, false);
    if (!coming)
        return;
    str_clear(&coming->body);
    free(coming);
    *own = NULL;
}

/* ---- listening ----------------------------------------------------------------------------------------- */

static void free_addresses(struct addrinfo **a)
{
    if (*a)
        freeaddrinfo(*a);
}

static enum rc resolve(const char *listen_at, struct addrinfo **out, struct err *err)
{
    CLEANUP(str_clear) struct str host = STR_INIT;
    const char *colon = strrchr(listen_at, ':');
    bool bracket = listen_at[0] == '[';
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    size_t length = colon ? (size_t)(colon - listen_at) : 0;
    str_add(&host, slice_cut(slice_z(listen_at), bracket, length - (bracket ? 2u : 0u)));
    int code = getaddrinfo(str_z(&host), colon ? colon + 1 : NULL, &hints, out);
    if (code != 0)
        return FAIL(err, RC_BROKEN, "console.listen: %s is no address of this machine: %s",
                    listen_at, gai_strerror(code));
    return RC_OK;
}

static enum rc open_socket(const char *listen_at, int *out, struct err *err)
{
    CLEANUP(free_addresses) struct addrinfo *a = NULL;
    int yes = 1;
    TRY(resolve(listen_at, &a, err));
    int fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
    *out = fd; /* the caller's, also after a failure; below 0 is none */
    if (fd < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, a->ai_addr, a->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0)
        return FAIL(err, RC_BROKEN, "console.listen: %s cannot be had: %s", listen_at,
                    strerror(errno));
    return RC_OK;
}

/* Only at the address that the configuration names: what may be served there was judged by that. */
static enum rc check_handed(int fd, const char *listen_at, struct err *err)
{
    CLEANUP(free_addresses) struct addrinfo *a = NULL;
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof own;
    TRY(resolve(listen_at, &a, err));
    if (getsockname(fd, (struct sockaddr *)&own, &size) == 0 && size == a->ai_addrlen &&
        memcmp(&own, a->ai_addr, size) == 0)
        return RC_OK;
    return FAIL(err, RC_BROKEN,
                "console.listen: the socket that was handed over is not at %s: ListenStream of "
                "onecase.socket and console.listen must be the same",
                listen_at);
}

/* The caller closes what was opened, also after a failure; what was handed over, the library does. */
static enum rc
have_socket(const struct console_settings *settings, const char *at, int *out, struct err *err)
{
    if (settings->listen_fd < 0)
        return open_socket(at, out, err);
    TRY(check_handed(settings->listen_fd, at, err));
    *out = settings->listen_fd;
    return RC_OK;
}

static enum rc read_pem(const char *path, struct str *out, struct err *err)
{
    FILE *file = path[0] ? fopen(path, "re") : NULL;
    char piece[4096];
    size_t n;
    if (!path[0])
        return RC_OK;
    if (!file)
        return FAIL(err, RC_BROKEN, "console: %s cannot be read: %s", path, strerror(errno));
    while (out->len < 1 << 20 && (n = fread(piece, 1, sizeof piece, file)) > 0)
        str_add(out, (struct slice){piece, n});
    fclose(file);
    return RC_OK;
}

/* What the library says of its peers is no news. */
static void say_nothing(void *ctx, const char *format, va_list args)
{
    (void)ctx;
    (void)format;
    (void)args;
}

/* A NUL would end a path or a value early, and be one that was not sent: it becomes a question mark. */
static size_t unescape(void *ctx, struct MHD_Connection *c, char *text)
{
    (void)ctx;
    (void)c;
    for (char *nul = strstr(text, "%00"); nul; nul = strstr(nul, "%00")) {
        nul[1] = '3';
        nul[2] = 'F';
    }
    return MHD_http_unescape(text);
}

static enum rc start(struct server *s, int fd, const char *cert, const char *key, struct err *err)
{
    bool tls = cert[0] != '\0';
    /* clang-format off */
    struct MHD_OptionItem options[] = {
        { MHD_OPTION_EXTERNAL_LOGGER,         (intptr_t)say_nothing, NULL },
        { MHD_OPTION_LISTEN_SOCKET,           fd,                    NULL },
        { MHD_OPTION_CONNECTION_LIMIT,        CONNECTIONS_MAX,       NULL },
        { MHD_OPTION_CONNECTION_TIMEOUT,      SILENCE_S,             NULL },
        { MHD_OPTION_CONNECTION_MEMORY_LIMIT, HEAD_MAX,              NULL },
        { MHD_OPTION_STRICT_FOR_CLIENT,       1,                     NULL },
        { MHD_OPTION_UNESCAPE_CALLBACK,       (intptr_t)unescape,    NULL },
        { MHD_OPTION_NOTIFY_CONNECTION,       (intptr_t)connection,  s    },
        { MHD_OPTION_NOTIFY_COMPLETED,        (intptr_t)completed,   s    },
        { MHD_OPTION_END,                     0,                     NULL },
        { MHD_OPTION_END,                     0,                     NULL },
    };
    /* clang-format on */
    struct MHD_OptionItem secure[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, NULL},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, NULL},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    union {
        const char *given;
        void *pointer; /* the library copies them */
    } pem[] = {{cert}, {key}, {"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"}};
    for (size_t i = 0; i < LENGTH(pem); i++)
        secure[i].ptr_value = pem[i].pointer;
    if (tls)
        options[LENGTH(options) - 2] = (struct MHD_OptionItem){MHD_OPTION_ARRAY, 0, secure};
    s->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG | (tls ? MHD_USE_TLS : 0), 0,
                                 NULL, NULL, handle, s, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
    if (!s->daemon)
        return FAIL(err, RC_BROKEN, "console: the pages cannot be served%s",
                    tls ? "; are tls_cert and tls_key a certificate and its key, as PEM?" : "");
    return RC_OK;
}

/* ---- serving ------------------------------------------------------------------------------------------- */

static int epoll_of(const struct server *s)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

static void serve(struct server *s)
{
    const struct console_settings *settings = s->console->settings;
    struct pollfd wait[] = {{.fd = epoll_of(s), .events = POLLIN},
                            {.fd = settings->wake_fd, .events = POLLIN}};
    while (!settings->stopped()) {
        MHD_UNSIGNED_LONG_LONG ms = 5000;
        int64_t due_ms = work(s->console);
        if (MHD_get_timeout(s->daemon, &ms) != MHD_YES || ms > 5000)
            ms = 5000;
        if (due_ms < boot_ms(s) + (int64_t)ms)
            ms = due_ms > boot_ms(s) ? (MHD_UNSIGNED_LONG_LONG)(due_ms - boot_ms(s)) : 0;
        (void)poll(wait, LENGTH(wait), (int)ms);
        MHD_run(s->daemon);
        shut_late(s);
    }
}

static void server_stop(struct server *s)
{
    if (s->daemon)
        MHD_stop_daemon(s->daemon);
}

static void console_clear(struct console *c)
{
    templates_free(&c->templates);
}

enum rc console_serve(const struct operations *ops,
                      const struct console_settings *settings,
                      struct err *err)
{
    const struct config *config = ops->config;
    CLEANUP(console_clear)
    struct console console = {
        .ops = ops,
        .settings = settings,
        .limits = {.idle_ms = config->session_idle_ms, .whole_ms = config->session_whole_ms}};
    CLEANUP(server_stop) struct server server = {.console = &console};
    CLEANUP(str_clear) struct str cert = STR_INIT;
    CLEANUP(str_clear) struct str key = STR_INIT;
    int fd = -1;
    server.first = (struct link){.before = &server.first, .after = &server.first};
    secret_of_nobody(console.nobody);
    TRY(templates_read(settings->templates, &console.templates, err));
    TRY(read_pem(config->tls_cert, &cert, err));
    TRY(read_pem(config->tls_key, &key, err));
    enum rc rc = have_socket(settings, config->listen, &fd, err);
    if (rc == RC_OK)
        rc = start(&server, fd, str_z(&cert), str_z(&key), err);
    if (rc != RC_OK) {
        if (fd >= 0)
            close(fd);
        return rc;
    }
    log_event(LOG_NOTE, "console.listening", "at=%s tls=%s%s", config->listen,
              config->tls_cert[0] ? "yes" : "no",
              settings->listen_fd < 0 ? "" : " handed_over=yes");
    serve(&server);
    return RC_OK;
}
