/* SPDX-License-Identifier: Apache-2.0
 *
 * sign_in - who asks: sessions, form tokens, and the throttle of those who guess.
 *
 * The cookie holds 32 random octets; the ledger knows only their digest, so whoever reads it has no
 * session. Signing in always makes a new one. A form's token is made from the cookie, which no other
 * page can read: it needs no place to be kept.
 */
#include "console_p.h"

#include <onecase/log.h>
#include <onecase/when.h>
#include <string.h>

#define FAILURES_SINCE      MINUTES(15)
#define FAILURES_OF_BOTH    5 /* of one account from one address */
#define FAILURES_OF_ADDRESS 20
#define FAILURES_OF_ACCOUNT 50

/* ---- who asks -------------------------------------------------------------------------------------- */

static bool bearer(const char *authorization, struct slice *out)
{
    static const struct slice word = SLICE_INIT("Bearer ");
    struct slice given = slice_z(authorization);
    if (!slice_starts_nocase(given, word))
        return false;
    *out = slice_trim(slice_cut(given, word.len, given.len));
    return out->len > 0 && out->len < 200;
}

void know_visitor(struct visit *v)
{
    const struct sessions *s = v->ops->sessions;
    const struct accounts *a = v->ops->accounts;
    struct err err = ERR_INIT;
    struct slice token;
    enum rc rc = RC_NOT_FOUND;
    if (bearer(v->request->authorization, &token)) {
        struct digest digest = token_digest(token);
        v->by_token = true;
        rc = a->find_token(a->self, &digest, &v->account, &err);
    } else if (v->request->session[0]) {
        struct digest digest = token_digest(slice_z(v->request->session));
        struct session_limits limits = v->console->limits;
        limits.by_itself = asks_by_itself(v->request);
        rc = s->find(s->self, &digest, &limits, v->now, &v->account, &err);
    }
    if (rc != RC_OK)
        v->account = (struct account){.name = ""};
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        log_event(LOG_ERROR, "console.visitor", "rc=%s why=\"%s\"", rc_text(rc), err.text);
}

bool may(const struct visit *v, enum role least)
{
    return v->account.name[0] && v->account.role >= least;
}

/* ---- forms ----------------------------------------------------------------------------------------- */

void form_token(const struct visit *v, char out[DIGEST_HEX_SIZE])
{
    struct digest d = hmac_sha256(slice_z(v->request->session), SLICE("form"));
    digest_hex(&d, out);
}

/* Another site's page cannot have the token; browsers also say where a form comes from. */
static bool from_elsewhere(const struct request *r)
{
    if (r->site[0] && strcmp(r->site, "same-origin") != 0 && strcmp(r->site, "none") != 0)
        return true;
    if (!r->origin[0] || strcmp(r->origin, "null") == 0)
        return false;
    const char *host = strstr(r->origin, "://");
    return !host || strcmp(host + 3, r->host) != 0;
}

bool form_is_ours(const struct visit *v)
{
    struct digest sent, right;
    char hex[DIGEST_HEX_SIZE];
    if (from_elsewhere(v->request))
        return false;
    form_token(v, hex);
    return digest_from_hex(slice_z(hex), &right) &&
           digest_from_hex(slice_z(form_get(&v->request->form, "form_token")), &sent) &&
           v->request->session[0] && digest_eq(&sent, &right);
}

/* ---- the throttle ---------------------------------------------------------------------------------- */

enum { OF_BOTH, OF_ADDRESS, OF_ACCOUNT, SUBJECTS };

/* Digests, so that no list of names and addresses is kept; the same whether the account exists. */
static void subjects_of(const struct visit *v, const char *name, struct digest out[SUBJECTS])
{
    CLEANUP(str_clear) struct str both = STR_INIT;
    CLEANUP(str_clear) struct str address = STR_INIT;
    CLEANUP(str_clear) struct str account = STR_INIT;
    str_addf(&both, "both %s %.100s", v->request->address, name);
    str_addf(&address, "address %s", v->request->address);
    str_addf(&account, "account %.100s", name);
    out[OF_BOTH] = sha256_of(str_slice(&both));
    out[OF_ADDRESS] = sha256_of(str_slice(&address));
    out[OF_ACCOUNT] = sha256_of(str_slice(&account));
}

static enum rc
too_many(const struct visit *v, const struct digest subject[SUBJECTS], bool *out, struct err *err)
{
    static const int64_t most[SUBJECTS] = {FAILURES_OF_BOTH, FAILURES_OF_ADDRESS,
                                           FAILURES_OF_ACCOUNT};
    const struct sessions *s = v->ops->sessions;
    *out = false;
    for (size_t i = 0; i < SUBJECTS; i++) {
        int64_t n;
        TRY(s->failures(s->self, &subject[i], v->now.wall_ms - FAILURES_SINCE, &n, err));
        *out = *out || n >= most[i];
    }
    return RC_OK;
}

/* ---- signing in ------------------------------------------------------------------------------------- */

/* Only a page of ours: "/queue", never "//elsewhere" or "https://elsewhere". */
static const char *safe_next(const char *next)
{
    bool ours = next[0] == '/' && next[1] != '/' && next[1] != '\\' && !strpbrk(next, "\r\n\\") &&
                strlen(next) < 200;
    return ours ? next : "/";
}

static bool nobody_yet(const struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct accounts *a = v->ops->accounts;
    struct err err = ERR_INIT;
    return a->list(a->self, &view, &err) == RC_OK && view.count == 0;
}

static void sign_in_page(struct visit *v, const char *problem)
{
    const struct request *r = v->request;
    bool again = r->method == METHOD_POST;
    put(v->page, "problem", problem);
    put(v->page, "name", again ? form_get(&r->form, "name") : "");
    put(v->page, "next", safe_next(form_get(again ? &r->form : &r->query, "next")));
    put_flag(v->page, "nobody_yet", nobody_yet(v));
    show(v, "sign-in", "Sign in");
}

void page_sign_in(struct visit *v)
{
    if (v->account.name[0])
        redirect(v, "/");
    else
        sign_in_page(v, "");
}

static void set_cookie(struct visit *v, const char *value, bool end)
{
    bool secure = v->request->secure;
    str_empty(&v->response->cookie);
    str_addf(&v->response->cookie, "%sonecase=%s; Path=/; HttpOnly; SameSite=Strict%s%s",
             secure ? "__Host-" : "", value, secure ? "; Secure" : "", end ? "; Max-Age=0" : "");
}

/* Whatever cookie came with it is no session of theirs: a new one is made. */
static enum rc begin_session(struct visit *v, const char *name, struct err *err)
{
    const struct sessions *s = v->ops->sessions;
    char session[TOKEN_SIZE];
    if (v->request->session[0]) {
        struct digest old = token_digest(slice_z(v->request->session));
        TRY(s->end(s->self, &old, v->now, err));
    }
    token_new(session);
    struct digest digest = token_digest(slice_z(session));
    TRY(s->begin(s->self, &digest, name, v->now, err));
    set_cookie(v, session, false);
    return RC_OK;
}

/* It takes as long for a name that nobody has. */
static bool proves(struct visit *v, const char *name, const char *password)
{
    const struct accounts *a = v->ops->accounts;
    struct account account;
    struct err err = ERR_INIT;
    bool there = a->find(a->self, name, &account, &err) == RC_OK;
    bool right = secret_matches(slice_z(password), there ? account.secret : v->console->nobody);
    return there && right;
}

static void sign_in_failed(struct visit *v, const struct digest subject[SUBJECTS])
{
    const struct sessions *s = v->ops->sessions;
    struct err err = ERR_INIT;
    if (s->failed(s->self, subject, SUBJECTS, v->now, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    log_event(LOG_WARN, "console.sign_in_failed", "it counts for the throttle");
    v->response->status = 403;
    sign_in_page(v, "That name and password do not belong together.");
}

/* There is no session yet that a token could rest on: where the form comes from must do. */
void act_sign_in(struct visit *v)
{
    const struct request *r = v->request;
    const char *name = form_get(&r->form, "name");
    struct digest subject[SUBJECTS];
    bool throttled;
    struct err err = ERR_INIT;
    if (from_elsewhere(r)) {
        refuse(v, 403, "That came from another page", "Sign in from this console's own page.");
        return;
    }
    subjects_of(v, name, subject);
    if (too_many(v, subject, &throttled, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    if (throttled) {
        v->response->status = 429;
        v->response->retry_after = (unsigned)(FAILURES_SINCE / 1000);
        sign_in_page(v, "Too many tries. Wait a quarter of an hour, then try again.");
        return;
    }
    if (!proves(v, name, form_get(&r->form, "password")))
        sign_in_failed(v, subject);
    else if (begin_session(v, name, &err) != RC_OK)
        refuse_err(v, &err);
    else
        redirect(v, "%s", safe_next(form_get(&r->form, "next")));
}

void act_sign_out(struct visit *v)
{
    const struct sessions *s = v->ops->sessions;
    struct digest digest = token_digest(slice_z(v->request->session));
    struct err err = ERR_INIT;
    if (s->end(s->self, &digest, v->now, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    set_cookie(v, "", true);
    redirect(v, "/sign-in");
}
