/* SPDX-License-Identifier: Apache-2.0 */
#include "token_p.h"

#include <onecase/http.h>
#include <string.h>
#include <unistd.h>

static enum rc
ask(const struct token_settings *s, struct slice form, struct http_answer *answer, struct err *err)
{
    static const char *const header[] = {
        "Content-Type: application/x-www-form-urlencoded",
        "Accept: application/json",
    };
    struct http_request request = {
        .method = "POST",
        .url = s->url,
        .header = header,
        .headers = LENGTH(header),
        .body = form,
        .ca_file = s->ca_file,
        .proxy = s->proxy,
        .timeout_ms = s->timeout_ms,
        .most = ANSWER_MOST,
        .fresh = true,
    };
    CLEANUP(http_client_free) struct http_client *client = http_client_new();
    enum rc rc;

    if (!slice_starts_nocase(slice_z(s->url), SLICE("https://")))
        return FAIL(err, RC_REFUSED, "expected a URL that begins with https://");
    rc = http_exchange(client, &request, answer, err);
    if (rc == RC_UNKNOWN) /* that a token was made, which nobody has, does no harm */
        err->rc = rc = RC_DEFERRED;
    return rc;
}

/* What is in the file, or what replaced it and could not be stored. */
static enum rc
refresh_token(const struct token_settings *s, const char *kept, struct str *out, struct err *err)
{
    if (kept[0] != '\0') {
        str_addz(out, kept);
        return RC_OK;
    }
    return token_file_read("refresh_token_file", s->refresh_token_file, TOKEN_MOST, out, err);
}

/* The new one is durable before the access token is used: the old one may be worth nothing now. */
static void
store_refresh(const struct token_settings *s, struct str *fresh, struct token_result *out)
{
    struct err ignored = ERR_INIT;

    if (fresh->len == 0 || !is_given(s->refresh_token_file))
        return;
    if (token_file_replace(s->refresh_token_file, str_slice(fresh), &ignored) != RC_OK)
        str_add(&out->refresh, str_slice(fresh));
}

static void exchange(const struct token_settings *s,
                     const char *kept,
                     int64_t wall_ms,
                     struct token_result *out)
{
    CLEANUP(str_clear) struct str old = STR_INIT;
    CLEANUP(str_clear) struct str fresh = STR_INIT;
    CLEANUP(str_clear) struct str form = STR_INIT;
    CLEANUP(http_answer_clear) struct http_answer answer = {0};

    out->rc = is_given(s->refresh_token_file) ? refresh_token(s, kept, &old, &out->err) : RC_OK;
    if (out->rc == RC_OK)
        out->rc = token_grant_form(s, str_z(&old), wall_ms, &form, &out->err);
    if (out->rc == RC_OK)
        out->rc = ask(s, str_slice(&form), &answer, &out->err);
    if (out->rc != RC_OK) {
        err_prefix(&out->err, "token_url");
        return;
    }
    token_answer_read(s, answer.status, str_slice(&answer.body), out, &fresh);
    out->pause_ms = answer.retry_after_ms;
    if (slice_eq(str_slice(&fresh), str_slice(&old)))
        str_empty(&fresh);
    store_refresh(s, &fresh, out);
}

void token_fetch(const struct token_settings *s,
                 const char *kept,
                 int64_t wall_ms,
                 struct token_result *out)
{
    int lock;

    if (is_given(s->command)) {
        out->rc = token_command_run(s->command, &out->token, &out->err);
        return;
    }
    lock = is_given(s->refresh_token_file) ? token_file_lock(s->refresh_token_file) : -1;
    exchange(s, kept, wall_ms, out);
    if (lock >= 0)
        close(lock);
}
