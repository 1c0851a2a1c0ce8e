/* SPDX-License-Identifier: Apache-2.0 */
#include "token_p.h"

#include <onecase/connection.h>
#include <jansson.h>
#include <string.h>

#define DESCRIPTION_SIZE 260

/* What an endpoint's error (RFC 6749 5.2, RFC 8628) asks of whom. */
/* clang-format off */
static const struct {
    const char *error;
    enum rc rc;
    const char *remedy;
} errors[] = {
/*    error                       rc           what to do */
    { "invalid_client",           RC_REFUSED,  "check client_id and client_secret_file; has the secret expired?" },
    { "invalid_grant",            RC_REFUSED,  "the refresh token or key is good no longer, or is for another client: get a new one (with a key: check this machine's clock, and `subject`)" },
    { "unauthorized_client",      RC_REFUSED,  "let an administrator allow this client what `scope` asks for (at Google: domain-wide delegation with exactly this scope)" },
    { "invalid_scope",            RC_REFUSED,  "check `scope`" },
    { "access_denied",            RC_REFUSED,  "let an administrator give this client its permissions" },
    { "unsupported_grant_type",   RC_REFUSED,  "check `token_url`" },
    { "invalid_request",          RC_REFUSED,  "check token_url, client_id and scope" },
    { "invalid_target",           RC_REFUSED,  "check `scope`" },
    { "temporarily_unavailable",  RC_DEFERRED, "it is asked again" },
    { "slow_down",                RC_DEFERRED, "it is asked again, later" },
    { "server_error",             RC_DEFERRED, "it is asked again" },
};

/* An answer that says nothing of the kind. */
static const struct {
    int from, to;
    enum rc rc;
    const char *why;
} statuses[] = {
/*    status       rc           why, and what to do */
    { 300, 399,    RC_REFUSED,  "it sends elsewhere, which is not followed; write the address that it ends at as token_url" },
    { 404, 404,    RC_REFUSED,  "there is no such page; check token_url" },
    { 408, 408,    RC_DEFERRED, "it is asked again" },
    { 425, 425,    RC_DEFERRED, "it is asked again" },
    { 429, 429,    RC_DEFERRED, "it is asked too often; it is asked again when it says" },
    { 400, 499,    RC_REFUSED,  "it refuses, and does not say why; check token_url, client_id and client_secret_file" },
    { 500, 599,    RC_DEFERRED, "it fails; it is asked again" },
};
/* clang-format on */

bool token_is_one(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] <= ' ' || text.at[i] >= 0x7F)
            return false;
    return text.len > 0 && text.len <= TOKEN_MOST;
}

static const char *member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "";
}

/* An endpoint that repeats what it was sent is not quoted. */
static bool repeats(const struct token_settings *s, const char *text)
{
    return is_given(s->client_secret) && strstr(text, s->client_secret) != NULL;
}

static void describe(const struct token_settings *s, const json_t *object, struct str *out)
{
    char shown[DESCRIPTION_SIZE];
    const char *text = member(object, "error_description");

    if (text[0] == '\0' || repeats(s, text))
        return;
    server_words(slice_z(text), shown, sizeof shown);
    str_addf(out, " (%s)", shown);
}

static void
fail_by_error(const struct token_settings *s, const json_t *object, struct token_result *out)
{
    CLEANUP(str_clear) struct str description = STR_INIT;
    const char *error = member(object, "error");
    char shown[80];
    enum rc rc = RC_REFUSED;
    const char *remedy = "see what it says";

    for (size_t i = 0; i < LENGTH(errors); i++)
        if (strcmp(errors[i].error, error) == 0) {
            rc = errors[i].rc;
            remedy = errors[i].remedy;
        }
    server_words(slice_z(repeats(s, error) ? "" : error), shown, sizeof shown);
    describe(s, object, &description);
    out->rc =
        FAIL(&out->err, rc, "token_url: it answers %s%s; %s", shown, str_z(&description), remedy);
}

static void fail_by_status(int status, struct token_result *out)
{
    for (size_t i = 0; i < LENGTH(statuses); i++)
        if (status >= statuses[i].from && status <= statuses[i].to) {
            out->rc = FAIL(&out->err, statuses[i].rc, "token_url: it answers %d: %s", status,
                           statuses[i].why);
            return;
        }
    out->rc = FAIL(&out->err, RC_DEFERRED,
                   "token_url: it answers %d and no token; is it a token endpoint?", status);
}

static bool is_bearer(const json_t *object)
{
    const char *type = member(object, "token_type");

    return type[0] == '\0' || slice_eq_nocase(slice_z(type), SLICE("Bearer"));
}

/* Some say the seconds as a text. */
static int64_t life_of(const json_t *object)
{
    const json_t *value = json_object_get(object, "expires_in");
    json_int_t seconds = json_integer_value(value);

    for (const char *at = json_is_string(value) ? json_string_value(value) : "";
         *at >= '0' && *at <= '9' && seconds < 1000000; at++)
        seconds = seconds * 10 + (*at - '0');
    if (seconds <= 0)
        return ASSUMED_LIFE;
    return (seconds < 86400 ? seconds : 86400) * INT64_C(1000);
}

static bool take_token(const json_t *object, struct token_result *out, struct str *refresh)
{
    struct slice token = slice_z(member(object, "access_token"));
    struct slice another = slice_z(member(object, "refresh_token"));

    if (!token_is_one(token) || !is_bearer(object))
        return false;
    str_add(&out->token, token);
    out->life_ms = life_of(object);
    if (token_is_one(another))
        str_add(refresh, another);
    return true;
}

void token_answer_read(const struct token_settings *s,
                       int status,
                       struct slice body,
                       struct token_result *out,
                       struct str *refresh)
{
    json_t *object = json_loadb(body.at, body.len, JSON_REJECT_DUPLICATES, NULL);

    if (status / 100 == 2 && take_token(object, out, refresh))
        out->rc = RC_OK;
    else if (status != 429 && status / 100 != 5 && member(object, "error")[0] != '\0')
        fail_by_error(s, object, out);
    else
        fail_by_status(status, out);
    json_decref(object);
}
