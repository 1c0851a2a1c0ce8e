/* SPDX-License-Identifier: Apache-2.0 */
#include "desk.h"

#include "secrets.h"

#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_OCTETS 8192
#define TOKEN_PAUSE_MS  1000

static enum guarantee guarantee_of(enum config_guarantee g)
{
    static const enum guarantee of[] = {[CONFIG_GUARANTEE_NONE] = GUARANTEE_NONE,
                                        [CONFIG_UNIQUE_KEY] = GUARANTEE_UNIQUE_KEY,
                                        [CONFIG_CONDITIONAL] = GUARANTEE_CONDITIONAL,
                                        [CONFIG_IDEMPOTENCY_KEY] = GUARANTEE_IDEMPOTENCY_KEY};
    return of[g];
}

static struct http_shape shape_from(const struct config_request *r)
{
    return (struct http_shape){
        .method = r->method,
        .path = r->path,
        .headers = r->headers,
        .body = r->body,
        .id = r->id ? r->id : "", /* what it closes or takes away has none */
        .key = r->key ? r->key : "",
        .done = r->done,
        .exists = r->exists,
        .later = r->later,
        .refused = r->refused,
        .guarantee = guarantee_of(r->guarantee),
        .upload = (enum http_upload_as)r->upload,
        .field = r->field,
        .list = r->list,
        .match = r->match,
        .sha256 = r->sha256,
        .whole = r->whole,
    };
}

static struct http_session session_from(const struct config_request *r)
{
    return (struct http_session){
        .path = r->path, .headers = r->headers, .id = r->id, .header = r->field};
}

/* clang-format off */
static const struct {
    const char *name;
    size_t at;
    enum destination_step step;
    enum { ACTS, LOOKS, READS } is;
} requests[] = {
    {"create",   offsetof(struct config_destination, create),   STEP_CREATE, ACTS },
    {"find",     offsetof(struct config_destination, find),     STEP_CREATE, LOOKS},
    {"read",     offsetof(struct config_destination, read),     STEP_CLOSE,  READS},
    {"append",   offsetof(struct config_destination, append),   STEP_APPEND, ACTS },
    {"appended", offsetof(struct config_destination, appended), STEP_APPEND, LOOKS},
    {"attach",   offsetof(struct config_destination, attach),   STEP_ATTACH, ACTS },
    {"attached", offsetof(struct config_destination, attached), STEP_ATTACH, LOOKS},
    {"close",    offsetof(struct config_destination, close),    STEP_CLOSE,  ACTS },
    {"remove",   offsetof(struct config_destination, remove),   STEP_REMOVE, ACTS },
};
/* clang-format on */

static const struct config_request *request_of(const struct config_destination *d, size_t number)
{
    return (const void *)((const char *)d + requests[number].at);
}

/* ---- checking --------------------------------------------------------------------------------- */

static void tell(const struct config *config,
                 const struct config_destination *d,
                 const struct config_request *request,
                 const char *name,
                 const struct err *err,
                 struct str *problems)
{
    struct config_place place = config_part_place(request, err->text);
    str_addf(problems, "%s:%zu:%zu: destination %s, %s: %s\n", config->path, place.line,
             place.column, d->name, name, err->text);
}

static void
check_session(const struct config *config, const struct config_destination *d, struct str *problems)
{
    struct err err = ERR_INIT;
    struct http_session session = session_from(&d->session);
    if (http_session_check(&session, &err) != RC_OK)
        tell(config, d, &d->session, "session", &err, problems);
}

static void check_request(const struct config *config,
                          const struct config_destination *d,
                          size_t number,
                          struct str *problems)
{
    struct err err = ERR_INIT;
    const struct config_request *request = request_of(d, number);
    struct http_shape shape = shape_from(request);
    bool acts = requests[number].is == ACTS;
    if (!shape.method || !shape.method[0] ||
        http_shape_check(&shape, requests[number].step, acts, &err) == RC_OK)
        return;
    tell(config, d, request, requests[number].name, &err, problems);
}

enum rc desk_check(const struct config *config, struct str *problems)
{
    size_t before = problems->len;
    for (size_t i = 0; i < config->destinations.count; i++) {
        check_session(config, &config->destinations.at[i], problems);
        for (size_t k = 0; k < LENGTH(requests); k++)
            check_request(config, &config->destinations.at[i], k, problems);
    }
    return problems->len == before ? RC_OK : RC_USAGE;
}

/* The text after "`name`: ", where it begins so; else NULL. */
static const char *after_name(const char *why, const char *name)
{
    size_t length = strlen(name);
    bool named = why[0] == '`' && strncmp(why + 1, name, length) == 0 &&
                 strncmp(why + 1 + length, "`: ", 3) == 0;
    return named ? why + 1 + length + 3 : NULL;
}

const char *desk_place(const struct config *config,
                       const struct config_destination *destination,
                       enum destination_step step,
                       bool look,
                       const char *why,
                       struct str *out)
{
    size_t at = 0;
    const char *rest = NULL;
    for (size_t i = 0; i < LENGTH(requests); i++)
        if (requests[i].step == step && requests[i].is == (look ? LOOKS : ACTS))
            at = i;
    for (size_t i = 0; !rest && i < LENGTH(requests); i++) {
        rest = after_name(why, requests[i].name);
        at = rest ? i : at;
    }
    str_addf(out, "%s:%zu (%s)", config->path, request_of(destination, at)->place[0].line,
             requests[at].name);
    return rest ? rest : why;
}

/* ---- signing in ------------------------------------------------------------------------------- */

static void from_file(const char *path, struct str *out)
{
    char line[LINE_MAX_OCTETS];
    FILE *f = fopen(path, "re");
    if (f && fgets(line, sizeof line, f)) {
        str_empty(out);
        str_add(out, slice_trim(slice_z(line)));
    }
    if (f)
        fclose(f);
}

static enum rc get(void *ctx, struct str *out, struct err *err)
{
    const struct desk *desk = ctx;
    if (desk->authorization.len == 0)
        return FAIL(err, RC_REFUSED, "destination %s: its sign-in is empty", desk->config->name);
    str_add(out, str_slice(&desk->authorization));
    return RC_OK;
}

static void refused(void *ctx)
{
    struct desk *desk = ctx;
    from_file(desk->config->authorization_file, &desk->authorization);
}

/* A desk is asked by one thread, which has nothing better to do meanwhile. */
static enum rc get_token(void *ctx, struct str *out, struct err *err)
{
    const struct desk *desk = ctx;
    CLEANUP(str_clear) struct str token = STR_INIT;
    int fd = -1;
    do {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (fd >= 0)
            (void)poll(&wait, 1, TOKEN_PAUSE_MS);
        TRY(desk->token.get(desk->token.ctx, &token, &fd, err));
    } while (fd >= 0);
    str_addf(out, "Bearer %s", str_z(&token));
    return RC_OK;
}

static void token_refused(void *ctx)
{
    const struct desk *desk = ctx;
    (void)desk->token.refused(desk->token.ctx);
}

static void take_sign_in(struct desk *desk)
{
    const struct config_destination *d = desk->config;
    desk->settings.username = d->username;
    desk->settings.password = d->password;
    str_addz(&desk->authorization, d->authorization);
    if (d->oauth.token_url[0]) {
        desk->token = secrets_of_destination(d);
        desk->settings.sign_in = (struct http_sign_in){desk, get_token, token_refused};
    }
    if (desk->authorization.len > 0)
        desk->settings.sign_in =
            (struct http_sign_in){desk, get, d->authorization_file[0] ? refused : NULL};
}

/* ---- the port --------------------------------------------------------------------------------- */

/* What has no guarantee of its own has the destination's, where that holds for whatever is sent. */
static void take_requests(struct desk *desk)
{
    const struct config_destination *d = desk->config;
    struct http_destination_settings *set = &desk->settings;
    for (size_t i = 0; i < LENGTH(requests); i++) {
        struct http_shape shape = shape_from(request_of(d, i));
        bool creates = requests[i].step == STEP_CREATE;
        if (creates ||
            (d->guarantee == CONFIG_IDEMPOTENCY_KEY && shape.guarantee == GUARANTEE_NONE))
            shape.guarantee = guarantee_of(d->guarantee);
        if (requests[i].is == ACTS)
            set->act[requests[i].step] = shape;
        else if (requests[i].is == READS)
            set->read = shape;
        else if (d->unknown == CONFIG_LOOK_UP)
            set->look[requests[i].step] = shape;
    }
}

void desk_open(const struct config_destination *config, struct desk *out)
{
    *out = (struct desk){.config = config};
    out->settings = (struct http_destination_settings){
        .name = config->name,
        .url = config->url,
        .idempotency_ms = config->idempotency_life_ms,
        .max_subject = config->max_subject,
        .max_text = config->max_text,
        .ca_file = config->ca_file,
        .proxy = config->proxy,
        .timeout_ms = config->timeout_ms,
        .session = session_from(&config->session),
    };
    take_requests(out);
    take_sign_in(out);
    out->made = http_destination_new(&out->settings);
}

void desk_close(struct desk *desk)
{
    http_destination_free(&desk->made);
    str_clear(&desk->authorization);
}
