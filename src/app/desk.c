/* SPDX-License-Identifier: Apache-2.0 */
#include "desk.h"

#include "secrets.h"

#include <poll.h>
#include <stdio.h>

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
        .id = r->id,
        .key = r->key,
        .done = r->done,
        .exists = r->exists,
        .later = r->later,
        .refused = r->refused,
    };
}

/* ---- checking --------------------------------------------------------------------------------- */

static void check_request(const struct config *config,
                          const struct config_destination *d,
                          const char *name,
                          const struct config_request *request,
                          struct str *problems)
{
    struct err err = ERR_INIT;
    struct http_shape shape = shape_from(request);
    if (request->method[0] && http_shape_check(&shape, &err) != RC_OK)
        str_addf(problems, "%s: destination %s, %s: %s\n", config->path, d->name, name, err.text);
}

enum rc desk_check(const struct config *config, struct str *problems)
{
    size_t before = problems->len;
    for (size_t i = 0; i < config->destinations.count; i++) {
        const struct config_destination *d = &config->destinations.at[i];
        check_request(config, d, "create", &d->create, problems);
        check_request(config, d, "find", &d->find, problems);
        check_request(config, d, "read", &d->read, problems);
    }
    return problems->len == before ? RC_OK : RC_USAGE;
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

void desk_open(const struct config_destination *config, struct desk *out)
{
    *out = (struct desk){.config = config};
    out->settings = (struct http_destination_settings){
        .name = config->name,
        .url = config->url,
        .guarantee = guarantee_of(config->guarantee),
        .idempotency_ms = config->idempotency_life_ms,
        .create = shape_from(&config->create),
        .read = shape_from(&config->read),
        .ca_file = config->ca_file,
        .proxy = config->proxy,
        .timeout_ms = config->timeout_ms,
    };
    if (config->unknown == CONFIG_LOOK_UP)
        out->settings.find = shape_from(&config->find);
    take_sign_in(out);
    out->made = http_destination_new(&out->settings);
}

void desk_close(struct desk *desk)
{
    http_destination_free(&desk->made);
    str_clear(&desk->authorization);
}
