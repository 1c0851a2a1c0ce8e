/* SPDX-License-Identifier: Apache-2.0 */
#include "sign_in.h"

#include "offers.h"
#include "prepare.h"
#include <onecase/base64.h>

#include <stdlib.h>
#include <string.h>

typedef void way_fn(struct sign_in_dialogue *d, const struct endpoint *e, struct slice secret);

/* What to say to a challenge, undone from base 64. NULL, or what is wrong with it. */
typedef const char *
respond_fn(struct sign_in_dialogue *d, struct slice challenge, struct str *plain);

enum when { ALWAYS, WITHOUT_TLS };

struct way {
    const char *mechanism; /* "" is IMAP's LOGIN command */
    enum sign_in kind;
    bool by_password; /* one of those that SIGN_IN_PASSWORD stands for */
    enum when when;
    bool at_once;        /* the first answer may go with the command */
    const char *give_up; /* what ends a dialogue that goes on after our last answer */
    way_fn *fill;
    respond_fn *respond; /* NULL: what was filled is all there is to say */
};

static way_fn fill_plain, fill_login, fill_xoauth2, fill_oauthbearer, fill_login_command;
static way_fn fill_scram, fill_cram;
static respond_fn respond_scram, respond_cram;

/* clang-format off */
static const struct way ways[] = {
/*    mechanism        kind                   password  when         at once  give up  answers             to challenges */
    { "SCRAM-SHA-256", SIGN_IN_SCRAM_SHA_256, true,     ALWAYS,      true,    "*",     fill_scram,         respond_scram },
    { "SCRAM-SHA-1",   SIGN_IN_SCRAM_SHA_1,   true,     ALWAYS,      true,    "*",     fill_scram,         respond_scram },
    { "CRAM-MD5",      SIGN_IN_CRAM_MD5,      true,     WITHOUT_TLS, false,   "*",     fill_cram,          respond_cram },
    { "PLAIN",         SIGN_IN_PLAIN,         true,     ALWAYS,      true,    "*",     fill_plain,         NULL },
    { "LOGIN",         SIGN_IN_LOGIN,         true,     ALWAYS,      false,   "*",     fill_login,         NULL },
    { "",              SIGN_IN_LOGIN,         true,     ALWAYS,      false,   "*",     fill_login_command, NULL },
    { "CRAM-MD5",      SIGN_IN_CRAM_MD5,      true,     ALWAYS,      false,   "*",     fill_cram,          respond_cram },
    { "XOAUTH2",       SIGN_IN_XOAUTH2,       false,    ALWAYS,      true,    "",      fill_xoauth2,       NULL },
    { "OAUTHBEARER",   SIGN_IN_OAUTHBEARER,   false,    ALWAYS,      true,    "AQ==",  fill_oauthbearer,   NULL },
};
/* clang-format on */

/* Response codes (RFC 5530) of a refusal that says nothing about user and secret. */
static const char *const later_codes[] = {"[UNAVAILABLE]", "[INUSE]", "[LIMIT]", "[SERVERBUG]"};

#define TAG "S1 "

#define EXPLANATION_MOST 400

static void add_encoded(struct sign_in_dialogue *d, const struct str *plain)
{
    base64_add(&d->answers[d->count++], str_slice(plain));
}

static void fill_plain(struct sign_in_dialogue *d, const struct endpoint *e, struct slice secret)
{
    CLEANUP(secret_clear) struct str plain = STR_INIT;

    str_addc(&plain, '\0');
    str_addz(&plain, e->username);
    str_addc(&plain, '\0');
    str_add(&plain, secret);
    add_encoded(d, &plain);
}

static void fill_login(struct sign_in_dialogue *d, const struct endpoint *e, struct slice secret)
{
    base64_add(&d->answers[d->count++], slice_z(e->username));
    base64_add(&d->answers[d->count++], secret);
}

/* As literals: they need no quoting. The command itself announces the first. */
static void
fill_login_command(struct sign_in_dialogue *d, const struct endpoint *e, struct slice secret)
{
    str_addf(&d->answers[d->count++], "%s {%zu}", e->username, secret.len);
    str_add(&d->answers[d->count++], secret);
}

static void fill_xoauth2(struct sign_in_dialogue *d, const struct endpoint *e, struct slice secret)
{
    CLEANUP(secret_clear) struct str plain = STR_INIT;

    str_addf(&plain, "user=%s\x01%s", e->username, "auth=Bearer ");
    str_add(&plain, secret);
    str_addz(&plain, "\x01\x01");
    add_encoded(d, &plain);
}

/* RFC 7628; "," and "=" in the user's name are escaped as RFC 5801 demands. */
static void
fill_oauthbearer(struct sign_in_dialogue *d, const struct endpoint *e, struct slice secret)
{
    CLEANUP(secret_clear) struct str plain = STR_INIT;

    str_addz(&plain, "n,a=");
    for (const char *at = e->username; *at != '\0'; at++) {
        if (*at == ',' || *at == '=')
            str_addf(&plain, "=%02X", (unsigned)*at);
        else
            str_addc(&plain, *at);
    }
    str_addf(&plain, ",\x01host=%s\x01port=%u\x01%s", e->host, (unsigned)e->port, "auth=Bearer ");
    str_add(&plain, secret);
    str_addz(&plain, "\x01\x01");
    add_encoded(d, &plain);
}

static void fill_scram(struct sign_in_dialogue *d, const struct endpoint *e, struct slice secret)
{
    CLEANUP(str_clear) struct str plain = STR_INIT;

    d->scram.hash = d->way->kind == SIGN_IN_SCRAM_SHA_1 ? SCRAM_SHA_1 : SCRAM_SHA_256;
    scram_begin(&d->scram, e->username, secret, &plain);
    add_encoded(d, &plain);
}

static void fill_cram(struct sign_in_dialogue *d, const struct endpoint *e, struct slice secret)
{
    (void)e;
    str_add(&d->password, secret);
}

static const char *
respond_scram(struct sign_in_dialogue *d, struct slice challenge, struct str *plain)
{
    return scram_answer(&d->scram, challenge, plain);
}

static const char *
respond_cram(struct sign_in_dialogue *d, struct slice challenge, struct str *plain)
{
    if (d->password.len == 0 || challenge.len == 0)
        return "its challenge is no CRAM-MD5";
    cram_md5_answer(d->user, str_slice(&d->password), challenge, plain);
    secret_clear(&d->password);
    return NULL;
}

static bool may_use(const struct way *way, enum protocol protocol, struct slice offers)
{
    if (way->mechanism[0] != '\0')
        return offers_mechanism(protocol, offers, way->mechanism);
    return protocol == PROTOCOL_IMAP && offers.len > 0 && !offers_word(offers, "LOGINDISABLED");
}

static bool is_kind(const struct way *way, enum sign_in kind)
{
    return way->kind == kind || (kind == SIGN_IN_PASSWORD && way->by_password);
}

static const struct way *
choose(const struct endpoint *e, enum protocol protocol, struct slice offers)
{
    for (size_t i = 0; i < LENGTH(ways); i++)
        if (is_kind(&ways[i], e->sign_in) &&
            (ways[i].when == ALWAYS || e->security == SECURITY_NONE) &&
            may_use(&ways[i], protocol, offers))
            return &ways[i];
    return NULL;
}

static enum rc
refuse(enum sign_in kind, enum protocol protocol, struct slice offers, struct err *err)
{
    CLEANUP(str_clear) struct str wanted = STR_INIT;
    CLEANUP(str_clear) struct str there = STR_INIT;
    char shown[160];

    for (size_t i = 0; i < LENGTH(ways); i++)
        if (is_kind(&ways[i], kind) && ways[i].mechanism[0] != '\0' && ways[i].when == ALWAYS)
            str_addf(&wanted, "%s%s", wanted.len > 0 ? " or " : "", ways[i].mechanism);
    offers_mechanisms(protocol, offers, &there);
    server_words(str_slice(&there), shown, sizeof shown);
    return FAIL(
        err, RC_REFUSED,
        "it does not offer to sign in by %s (it offers: %s); nothing secret was sent; check "
        "`auth`, `port` and `security`",
        str_z(&wanted), shown[0] != '\0' ? shown : "no way at all");
}

static bool may_be_sent(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (strchr("\r\n\x01", text.at[i]) != NULL) /* finds NUL too */
            return false;
    return text.len > 0;
}

static void
first_line(struct sign_in_dialogue *d, struct slice user, bool at_once, struct str *send)
{
    if (d->protocol == PROTOCOL_IMAP)
        str_addz(send, TAG);
    if (d->way->mechanism[0] == '\0')
        str_addf(send, "LOGIN {%zu}", user.len);
    else
        str_addf(send, "%s %s", d->protocol == PROTOCOL_IMAP ? "AUTHENTICATE" : "AUTH",
                 d->way->mechanism);
    if (at_once && d->way->at_once) {
        str_addc(send, ' ');
        str_add(send, str_slice(&d->answers[d->used++]));
    }
    str_addz(send, "\r\n");
}

/* What is hashed must be the same on both sides, however it was typed. Another way would show the password:
 * it is not taken by itself. */
static enum rc begin_scram(struct sign_in_dialogue *d,
                           const struct endpoint *endpoint,
                           struct slice secret,
                           struct err *err)
{
    CLEANUP(str_clear) struct str user = STR_INIT;
    CLEANUP(secret_clear) struct str password = STR_INIT;
    struct endpoint prepared = *endpoint;

    if (!prepare_add(slice_z(endpoint->username), &user))
        return FAIL(err, RC_REFUSED,
                    "the user name is no UTF-8, or holds what %s cannot carry (RFC 4013); check it",
                    d->way->mechanism);
    if (!prepare_add(secret, &password))
        return FAIL(err, RC_REFUSED,
                    "the password is no UTF-8, or holds what %s cannot carry (RFC 4013: control "
                    "characters, emoji); change it, or set another auth.method",
                    d->way->mechanism);
    prepared.username = str_z(&user);
    d->way->fill(d, &prepared, str_slice(&password));
    return RC_OK;
}

static enum rc fill(struct sign_in_dialogue *d,
                    const struct endpoint *endpoint,
                    struct slice secret,
                    struct err *err)
{
    if (d->way->respond == respond_scram)
        return begin_scram(d, endpoint, secret, err);
    d->way->fill(d, endpoint, secret);
    return RC_OK;
}

enum rc sign_in_begin(struct sign_in_dialogue *d,
                      const struct endpoint *endpoint,
                      struct slice secret,
                      struct slice offers,
                      struct str *send,
                      struct err *err)
{
    struct slice user = slice_z(endpoint->username);

    if (!may_be_sent(user) || !may_be_sent(secret))
        return FAIL(err, RC_REFUSED,
                    "user name or secret is empty or holds a line break or a NUL; check both");
    d->user = endpoint->username;
    d->way = choose(endpoint, d->protocol, offers);
    if (d->way == NULL)
        return refuse(endpoint->sign_in, d->protocol, offers, err);
    TRY(fill(d, endpoint, secret, err));
    first_line(d, user, d->protocol == PROTOCOL_SMTP || offers_word(offers, "SASL-IR"), send);
    return RC_OK;
}

/* A server that refuses a token says why, and wants to hear a word before it ends the dialogue. */
static void hear_explanation(struct sign_in_dialogue *d, struct slice challenge)
{
    CLEANUP(str_clear) struct str said = STR_INIT;

    if (!base64_take(challenge, &said))
        return;
    str_empty(&d->said);
    str_add(&d->said, slice_cut(str_slice(&said), 0, EXPLANATION_MOST));
}

/* What is not to be answered ends the dialogue; the server then refuses. */
static void respond(struct sign_in_dialogue *d, struct slice challenge, struct str *send)
{
    CLEANUP(str_clear) struct str said = STR_INIT;
    CLEANUP(secret_clear) struct str plain = STR_INIT;

    if (d->way->respond == NULL)
        hear_explanation(d, challenge);
    else if (d->wrong == NULL)
        d->wrong = base64_take(challenge, &said) ? d->way->respond(d, str_slice(&said), &plain)
                                                 : "its challenge is no base 64";
    if (d->way->respond == NULL || d->wrong != NULL)
        str_addz(send, d->way->give_up);
    else
        base64_add(send, str_slice(&plain));
}

static enum sign_in_came
answer(struct sign_in_dialogue *d, struct slice challenge, struct str *send)
{
    if (d->used < d->count)
        str_add(send, str_slice(&d->answers[d->used++]));
    else
        respond(d, slice_trim(challenge), send);
    str_addz(send, "\r\n");
    return SIGN_IN_GO_ON;
}

/* The server has accepted us; whether we accept the server is another question. */
static enum sign_in_came accepted(struct sign_in_dialogue *d)
{
    bool proves = d->way->respond == respond_scram;

    if (!proves || d->scram.proven)
        return SIGN_IN_ACCEPTED;
    d->wrong = "it did not prove that it knows the password: it is another server than it says";
    return SIGN_IN_NEVER;
}

static enum sign_in_came imap_line(struct sign_in_dialogue *d, struct slice line, struct str *send)
{
    if (slice_starts_nocase(line, SLICE("+")))
        return answer(d, slice_cut(line, 1, line.len), send);
    if (!slice_starts_nocase(line, SLICE(TAG)))
        return SIGN_IN_NOTHING;
    line = slice_cut(line, strlen(TAG), line.len);
    if (slice_starts_nocase(line, SLICE("OK")))
        return accepted(d);
    for (size_t i = 0; i < LENGTH(later_codes); i++)
        if (slice_has_nocase(line, slice_z(later_codes[i])))
            return SIGN_IN_LATER;
    return SIGN_IN_NEVER;
}

static enum sign_in_came smtp_line(struct sign_in_dialogue *d, struct slice line, struct str *send)
{
    if (line.len >= 4 && line.at[3] == '-')
        return SIGN_IN_NOTHING;
    if (slice_starts_nocase(line, SLICE("334")))
        return answer(d, slice_cut(line, 3, line.len), send);
    if (slice_starts_nocase(line, SLICE("2")))
        return accepted(d);
    return slice_starts_nocase(line, SLICE("5")) ? SIGN_IN_NEVER : SIGN_IN_LATER;
}

enum sign_in_came sign_in_line(struct sign_in_dialogue *d, struct slice line, struct str *send)
{
    return d->protocol == PROTOCOL_IMAP ? imap_line(d, line, send) : smtp_line(d, line, send);
}

void sign_in_clear(struct sign_in_dialogue *d)
{
    for (size_t i = 0; i < LENGTH(d->answers); i++)
        secret_clear(&d->answers[i]);
    scram_clear(&d->scram);
    secret_clear(&d->password);
    str_clear(&d->said);
    *d = (struct sign_in_dialogue){.protocol = d->protocol};
}

const char *sign_in_name(const struct sign_in_dialogue *d)
{
    if (d->way == NULL)
        return "nothing";
    return d->way->mechanism[0] != '\0' ? d->way->mechanism : "the LOGIN command";
}

static void mask(struct str *words, struct slice secret)
{
    struct slice rest = str_slice(words);
    struct str masked = STR_INIT;

    if (secret.len == 0 || !slice_has(rest, secret))
        return;
    while (rest.len > 0) {
        bool here = rest.len >= secret.len && slice_eq(slice_cut(rest, 0, secret.len), secret);

        str_add(&masked, here ? SLICE("***") : slice_cut(rest, 0, 1));
        rest = slice_cut(rest, here ? secret.len : 1, rest.len);
    }
    str_clear(words);
    *words = masked;
}

void sign_in_mask(const struct sign_in_dialogue *d, struct slice secret, struct str *words)
{
    mask(words, secret);
    for (size_t i = 0; i < LENGTH(d->answers); i++)
        mask(words, str_slice(&d->answers[i]));
}

/* ---- a server that refuses again and again ------------------------------------------------------- */

void sign_in_guard_note(struct sign_in_guard *g, bool accepted, int64_t now_ms)
{
    g->refusals = accepted ? 0 : g->refusals + 1;
    g->until_ms = g->refusals >= SIGN_IN_REFUSALS ? now_ms + SIGN_IN_PAUSE_MS : 0;
}

bool sign_in_guard_allows(const struct sign_in_guard *g, int64_t now_ms)
{
    return now_ms >= g->until_ms;
}
