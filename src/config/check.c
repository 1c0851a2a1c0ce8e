/* SPDX-License-Identifier: Apache-2.0 */
#include "reading.h"
#include "texts.h"

#include <onecase/webhook.h>
#include <onecase/when.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static void wrong(struct reading *r, struct place place, const char *text)
{
    problem_at(r->problems, place, "%s", text);
}

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Servers */

static bool is_this_machine(const char *host)
{
    static const char below[] = ".localhost";
    size_t length = strlen(host);
    size_t tail = sizeof below - 1;

    if (strcasecmp(host, "localhost") == 0 || same(host, "::1"))
        return true;
    if (length > tail && strcasecmp(host + length - tail, below) == 0)
        return true;
    return strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == length;
}

static void check_security(struct reading *r, const struct config_server *s)
{
    if (s->security == CONFIG_PLAINTEXT && !s->allow_plaintext && s->host[0] != '\0' &&
        !is_this_machine(s->host))
        wrong(
            r, PLACE_OF(r, s, &s->security),
            "security: none is for this machine alone (localhost, 127.0.0.1, ::1): expected tls or "
            "starttls, or allow_plaintext: true");
}

static void check_proxy(struct reading *r, const struct config_server *s)
{
    static const char *const schemes[] = {"http://",    "https://",  "socks4://",
                                          "socks4a://", "socks5://", "socks5h://"};

    for (size_t i = 0; i < LENGTH(schemes); i++)
        if (s->proxy[0] == '\0' || slice_starts_nocase(slice_z(s->proxy), slice_z(schemes[i])))
            return;
    wrong(r, PLACE_OF(r, s, &s->proxy),
          "proxy: expected a URL that begins with http://, https://, socks4://, socks4a://, "
          "socks5:// "
          "or socks5h://");
}

static bool is_token(enum config_method method)
{
    return method == CONFIG_XOAUTH2 || method == CONFIG_OAUTHBEARER;
}

/* What is said once and serves nothing is a mistake, not a spare. */
static void check_grant(struct reading *r, const struct config_auth *a)
{
    bool client = reading_has(r, &a->client_id);
    bool secret = reading_has(r, &a->client_secret_file);
    bool refresh = reading_has(r, &a->refresh_token_file);
    bool key = reading_has(r, &a->key_file);

    if (key && (client || secret || refresh))
        wrong(r, PLACE_OF(r, a, &a->key_file),
              "key_file: expected it alone, or client_id with client_secret_file or "
              "refresh_token_file");
    else if (!key && (!client || (!secret && !refresh)))
        wrong(r, PLACE_OF(r, a, NULL),
              "token_url: expected client_id with client_secret_file or refresh_token_file, or "
              "key_file");
    if (reading_has(r, &a->subject) && !key)
        wrong(r, PLACE_OF(r, a, &a->subject), "subject: expected it with key_file alone");
}

static void check_token(struct reading *r, const struct config_auth *a)
{
    int sources = reading_has(r, &a->token_file) + reading_has(r, &a->token_command) +
                  reading_has(r, &a->token_url);

    if (sources != 1)
        wrong(r, PLACE_OF(r, a, NULL),
              "auth: expected one of token_file, token_command and token_url");
    else if (reading_has(r, &a->token_url))
        check_grant(r, a);
    if (a->token_url[0] != '\0' && !slice_starts_nocase(slice_z(a->token_url), SLICE("https://")))
        wrong(r, PLACE_OF(r, a, &a->token_url),
              "token_url: expected a URL that begins with https://");
}

static void check_no_token(struct reading *r, const struct config_auth *a)
{
    if (reading_has(r, &a->token_file) || reading_has(r, &a->token_command) ||
        reading_has(r, &a->token_url))
        wrong(r, PLACE_OF(r, a, &a->method),
              "auth: a token is shown by method xoauth2 or oauthbearer");
}

static void check_sign_in(struct reading *r, const struct config_server *s, bool needed)
{
    int passwords = reading_has(r, &s->password) + reading_has(r, &s->password_file);
    bool block = reading_has_block(r, &s->auth);
    bool token = block && is_token(s->auth.method);
    int ways = passwords + token;

    if (block && s->auth.method == CONFIG_NO_SIGN_IN)
        return; /* that it lacks a method is said already */
    if (ways > 1)
        wrong(
            r, PLACE_OF(r, &s->auth, &s->password_file),
            "one secret too many: expected one of password, password_file, and auth with a token");
    else if (ways == 0 && (needed || block || reading_has(r, &s->username)))
        wrong(
            r, PLACE_OF(r, s, &s->username),
            "a secret is missing: expected one of password, password_file, and auth with a token");
    else if (ways == 1 && !needed && !reading_has(r, &s->username))
        wrong(r, PLACE_OF(r, &s->auth, &s->password, &s->password_file),
              "a secret without a username: expected both or none");
    if (token)
        check_token(r, &s->auth);
    else if (block)
        check_no_token(r, &s->auth);
}

static void check_server(struct reading *r, const struct config_server *s, bool sign_in_needed)
{
    check_security(r, s);
    check_proxy(r, s);
    check_sign_in(r, s, sign_in_needed);
}

/* Acknowledgements */

static void
check_template(struct reading *r, const struct config_acknowledgement *a, const char *const *name)
{
    const char *folder = r->config->templates_dir;
    CLEANUP(str_clear) struct str path = STR_INIT;

    if (folder[0] == '\0' || *name == NULL || (*name)[0] == '\0')
        return;
    str_addf(&path, "%s/%s", folder, *name);
    if (access(str_z(&path), R_OK) != 0)
        problem_at(r->problems, PLACE_OF(r, a, name, &r->config->templates_dir),
                   "there is no template \"%s\" that can be read in %s", *name, folder);
}

/* Does the template itself say that it is in this language, in its second line? */
static bool says_language(const char *path, const char *language)
{
    static const char field[] = "content-language:";
    char line[256] = "";
    FILE *f = fopen(path, "re");
    bool two =
        f != NULL && fgets(line, sizeof line, f) != NULL && fgets(line, sizeof line, f) != NULL;
    struct slice said = slice_z(two ? line : "");

    if (f != NULL)
        fclose(f);
    return slice_starts_nocase(said, slice_z(field)) &&
           slice_eq_nocase(slice_trim(slice_cut(said, sizeof field - 1, said.len)),
                           slice_z(language));
}

/* A language that is asked for has its template in every state that is told. */
static void check_language(struct reading *r,
                           const struct config_acknowledgement *a,
                           const char *language,
                           struct place place)
{
    const char *folder = r->config->templates_dir;

    for (size_t i = 0; language[0] != '\0' && i < LENGTH(a->templates); i++) {
        CLEANUP(str_clear) struct str own = STR_INIT;
        CLEANUP(str_clear) struct str path = STR_INIT;
        const char *name = a->templates[i];
        const char *dot = name != NULL ? strrchr(name, '.') : NULL;

        if (name == NULL || name[0] == '\0')
            continue;
        str_addf(&own, "%s/%s", folder, name);
        str_addf(&path, "%s/%.*s.%s%s", folder, (int)(dot != NULL ? dot - name : (int)strlen(name)),
                 name, language, dot != NULL ? dot : "");
        if (access(str_z(&path), R_OK) == 0 || access(str_z(&own), R_OK) != 0 ||
            says_language(str_z(&own), language))
            continue;
        problem_at(r->problems, place, "there is no template in \"%s\": expected \"%s\"", language,
                   str_z(&path));
    }
}

static void check_rule_of_language(struct reading *r,
                                   const struct config_acknowledgement *a,
                                   const struct language_rule *rule)
{
    struct place place = PLACE_OF(r, rule, &rule->language);

    if (rule->from[0] == '\0' && rule->to[0] == '\0')
        wrong(r, PLACE_OF(r, rule, NULL),
              "a language rule says for whom: expected from, to, or both");
    check_language(r, a, rule->language, place);
}

static void check_languages(struct reading *r, const struct config_acknowledgement *a)
{
    if (r->config->templates_dir[0] == '\0')
        return;
    check_language(r, a, a->language, PLACE_OF(r, a, &a->language));
    for (size_t i = 0; i < a->languages.count; i++)
        check_language(r, a, a->languages.at[i], PLACE_OF(r, a, &a->languages));
    for (size_t i = 0; i < a->language_rules.count; i++)
        check_rule_of_language(r, a, &a->language_rules.at[i]);
}

static void check_acknowledgement(struct reading *r, const struct config_acknowledgement *a)
{
    struct place place = PLACE_OF(r, a, NULL);

    if (!a->enabled)
        return;
    if (!reading_has(r, &a->smtp.host))
        wrong(
            r, place,
            "acknowledgement.smtp.host is missing: expected the mail server that acknowledgements "
            "leave by, or enabled: false");
    if (!reading_has(r, &a->from))
        wrong(r, place,
              "acknowledgement.from is missing: expected the address that acknowledgements come "
              "from, "
              "or enabled: false");
    check_server(r, &a->smtp, false);
    for (size_t i = 0; i < LENGTH(a->templates); i++)
        check_template(r, a, &a->templates[i]);
    check_languages(r, a);
}

/* Mailboxes */

static bool same_account(const struct config_mailbox *a, const struct config_mailbox *b)
{
    return strcasecmp(a->imap.host, b->imap.host) == 0 && a->imap.port == b->imap.port &&
           same(a->imap.username, b->imap.username);
}

static bool same_folder(const char *a, const char *b)
{
    return same(a, b) || (strcasecmp(a, "INBOX") == 0 && strcasecmp(b, "INBOX") == 0);
}

static void
check_folder(struct reading *r, const struct config_mailbox *m, const char *const *folder)
{
    for (size_t i = 0; i < r->config->mailboxes.count; i++) {
        const struct config_mailbox *other = &r->config->mailboxes.at[i];

        if (same_account(m, other) && same_folder(*folder, other->folders.inbox))
            problem_at(
                r->problems, PLACE_OF(r, m, folder),
                "\"%s\" is the watched inbox of mailbox \"%s\": expected another folder, or what "
                "is filed would be taken in again",
                *folder, other->id);
    }
}

/* `other` comes before it. */
static void
check_pair(struct reading *r, const struct config_mailbox *m, const struct config_mailbox *other)
{
    if (same(m->id, other->id) && m->id[0] != '\0')
        problem_at(r->problems, PLACE_OF(r, m, &m->id),
                   "the id \"%s\" is taken by another mailbox: expected one of its own", m->id);
    if (same_account(m, other) && m->imap.host[0] != '\0' &&
        same_folder(m->folders.inbox, other->folders.inbox))
        problem_at(r->problems, PLACE_OF(r, m, &m->folders.inbox),
                   "mailbox \"%s\" watches the same inbox of the same account", other->id);
}

static void check_previous(struct reading *r, const struct config_mailbox *m)
{
    for (size_t i = 0; i < r->config->mailboxes.count; i++)
        if (m->previously[0] != '\0' && same(m->previously, r->config->mailboxes.at[i].id))
            problem_at(
                r->problems, PLACE_OF(r, m, &m->previously),
                "previously: \"%s\" is a mailbox of today: expected an id that is used no more",
                m->previously);
}

static void check_mailbox(struct reading *r, size_t number)
{
    const struct config_mailbox *m = &r->config->mailboxes.at[number];
    const struct config_folders *f = &m->folders;

    check_server(r, &m->imap, true);
    check_acknowledgement(r, &m->acknowledgement);
    check_previous(r, m);
    check_folder(r, m, &f->processed);
    if (f->duplicates != f->processed) /* it does not just follow that one */
        check_folder(r, m, &f->duplicates);
    check_folder(r, m, &f->unprocessable);
    check_folder(r, m, &f->claim);
    for (size_t i = 0; i < number; i++)
        check_pair(r, m, &r->config->mailboxes.at[i]);
}

/* The rest */

static void check_rule(struct reading *r, const struct config_key_rule *rule)
{
    int ways = reading_has(r, &rule->header) + reading_has(r, &rule->subject) +
               (rule->use == CONFIG_USE_DIGEST);

    if (ways != 1)
        wrong(
            r, PLACE_OF(r, rule, NULL),
            "a key rule says where the number is: expected one of header, subject and use: digest");
    else if (rule->use != CONFIG_USE_DIGEST && !reading_has(r, &rule->space))
        wrong(r, PLACE_OF(r, rule, NULL),
              "namespace is missing: expected a name for these numbers, such as \"orders\"");
}

static void check_authentication(struct reading *r, const struct config_authentication *a)
{
    const struct config *c = r->config;

    if (a->authserv_id[0] != '\0')
        return;
    if (a->skip_on_fail)
        wrong(r, PLACE_OF(r, a, &a->skip_on_fail),
              "skip_on_fail needs authserv_id: expected the name that your mail server writes into "
              "its Authentication-Results fields");
    for (size_t i = 0; i < c->key_rules.count; i++)
        if (c->key_rules.at[i].require != CONFIG_REQUIRE_NONE)
            wrong(r, PLACE_OF(r, &c->key_rules.at[i], &c->key_rules.at[i].require),
                  "require needs authentication.authserv_id: expected the name that your mail "
                  "server writes into its Authentication-Results fields");
}

static bool is_url(const char *url)
{
    return slice_starts_nocase(slice_z(url), SLICE("https://")) ||
           slice_starts_nocase(slice_z(url), SLICE("http://"));
}

static bool is_local_url(const char *url)
{
    struct slice rest = slice_cut(slice_z(url), sizeof "http://" - 1, strlen(url));
    size_t end = 0;
    char host[256];

    while (end < rest.len && strchr("/:?", rest.at[end]) == NULL)
        end++;
    snprintf(host, sizeof host, "%.*s", (int)end, rest.at);
    return is_this_machine(host);
}

static void check_url(struct reading *r, const struct config_destination *d)
{
    bool plain = slice_starts_nocase(slice_z(d->url), SLICE("http://"));

    if (!is_url(d->url))
        wrong(r, PLACE_OF(r, d, &d->url), "url: expected a URL that begins with https://");
    else if (plain && !is_local_url(d->url))
        wrong(r, PLACE_OF(r, d, &d->url),
              "url: http:// is for this machine alone (localhost, 127.0.0.1): expected https://");
}

/* Without a guarantee and without a look-up only a person can say what became of a request. */
static void check_destination(struct reading *r, size_t number)
{
    const struct config_destination *d = &r->config->destinations.at[number];
    bool asked = d->find.method[0] != '\0' && d->unknown == CONFIG_LOOK_UP;
    int ways = reading_has(r, &d->password) + reading_has(r, &d->password_file) +
               reading_has(r, &d->authorization) + reading_has(r, &d->authorization_file) +
               reading_has_block(r, &d->oauth);

    check_url(r, d);
    if (ways > 1 || (reading_has(r, &d->username) && d->password[0] == '\0'))
        wrong(r, PLACE_OF(r, d, &d->username),
              "expected one of username with password or password_file, authorization, "
              "authorization_file and oauth");
    if (reading_has_block(r, &d->oauth) &&
        !slice_starts_nocase(slice_z(d->oauth.token_url), SLICE("https://")))
        wrong(r, PLACE_OF(r, &d->oauth, &d->oauth.token_url),
              "token_url: expected a URL that begins with https://");
    if (same(d->name, "ledger"))
        wrong(r, PLACE_OF(r, d, &d->name),
              "name: \"ledger\" is the record that onecase keeps: expected another name");
    if (d->guarantee == CONFIG_GUARANTEE_NONE && !asked && d->unknown != CONFIG_RECONCILE)
        wrong(r, PLACE_OF(r, d, &d->guarantee),
              "guarantee: none without find: where nobody knows whether a case was made only a "
              "person can tell; expected unknown: reconcile, or find, or another guarantee");
    for (size_t i = 0; i < number; i++)
        if (same(r->config->destinations.at[i].name, d->name))
            wrong(r, PLACE_OF(r, d, &d->name),
                  "name: it is taken by another destination: expected one of its own");
}

static void check_destinations(struct reading *r)
{
    const struct config *c = r->config;

    for (size_t i = 0; i < c->destinations.count; i++)
        check_destination(r, i);
    if (!same(c->destination, "ledger") && config_find_destination(c) == NULL)
        wrong(r, PLACE_OF(r, c, &c->destination),
              "destination: expected ledger, or the name of one of `destinations`");
}

/* The object store */

static void check_s3(struct reading *r)
{
    const struct config *c = r->config;
    const struct config_s3 *s = &c->s3;
    bool plain = slice_starts_nocase(slice_z(s->endpoint), SLICE("http://"));

    if (!reading_has_block(r, s)) {
        if (!same(c->blobs, "file"))
            wrong(r, PLACE_OF(r, c, &c->blobs),
                  "blobs: s3://… needs the block s3: expected it with endpoint, region, access_key "
                  "and secret_key or secret_key_file");
        return;
    }
    if (!is_url(s->endpoint) || strpbrk(s->endpoint, "?#@ ") != NULL)
        wrong(r, PLACE_OF(r, s, &s->endpoint),
              "endpoint: expected a URL such as https://s3.example.org");
    else if (plain && !is_local_url(s->endpoint))
        wrong(r, PLACE_OF(r, s, &s->endpoint),
              "endpoint: http:// is for this machine alone (localhost, 127.0.0.1): expected "
              "https://");
    if (reading_has(r, &s->secret_key) + reading_has(r, &s->secret_key_file) != 1)
        wrong(r, PLACE_OF(r, s, NULL), "expected one of secret_key and secret_key_file");
}

/* Notices */

static bool is_own(const struct config_mailbox *m, const char *address)
{
    CLEANUP(str_clear) struct str canonical = STR_INIT;

    address_canonical(slice_z(address), &canonical);
    for (size_t i = 0; i < m->own_addresses.count; i++) {
        CLEANUP(str_clear) struct str own = STR_INIT;

        address_canonical(slice_z(m->own_addresses.at[i]), &own);
        if (same(str_z(&own), str_z(&canonical)))
            return true;
    }
    return false;
}

/* A notice that arrives in a watched mailbox would become a case. */
static void check_recipients(struct reading *r, const struct config_notify *n)
{
    for (size_t i = 0; i < n->to.count; i++)
        for (size_t k = 0; k < r->config->mailboxes.count; k++)
            if (is_own(&r->config->mailboxes.at[k], n->to.at[i])) {
                problem_at(r->problems, PLACE_OF(r, n, &n->to),
                           "to: %s is an address of the mailbox \"%s\": expected one that onecase "
                           "does not watch",
                           n->to.at[i], r->config->mailboxes.at[k].id);
                break;
            }
}

static void check_events(struct reading *r, const struct config_notify *n)
{
    static const char *const events[] = {"decisions", "trouble", "clear"};

    for (size_t i = 0; i < n->events.count; i++) {
        bool known = false;

        for (size_t k = 0; k < LENGTH(events); k++)
            known = known || same(events[k], n->events.at[i]);
        if (!known)
            problem_at(r->problems, PLACE_OF(r, n, &n->events),
                       "events: there is no \"%s\": expected decisions, trouble or clear",
                       n->events.at[i]);
    }
}

static void check_notify(struct reading *r, const struct config_notify *n)
{
    bool by_mail = n->to.count > 0 || n->report == CONFIG_REPORT_MONTHLY;

    check_recipients(r, n);
    check_events(r, n);
    if (by_mail &&
        (!reading_has(r, &r->config->acknowledgement.smtp.host) || n->from_address[0] == '\0'))
        wrong(r, PLACE_OF(r, n, NULL),
              "notices by mail leave by acknowledgement.smtp, from the address of "
              "acknowledgement.from or notify.from: expected both");
    if (n->webhook[0] != '\0' && !slice_starts_nocase(slice_z(n->webhook), SLICE("https://")) &&
        !slice_starts_nocase(slice_z(n->webhook), SLICE("http://127.0.0.1")) &&
        !slice_starts_nocase(slice_z(n->webhook), SLICE("http://localhost")))
        wrong(r, PLACE_OF(r, n, &n->webhook),
              "webhook: expected a URL that begins with https://, or with http://127.0.0.1");
    if (n->report == CONFIG_REPORT_MONTHLY && n->to.count == 0 &&
        !is_address(slice_z(r->config->owner)))
        wrong(r, PLACE_OF(r, n, &n->report),
              "report: expected an address in `owner` or in `to` that it can be sent to");
}

/* Webhooks */

static void check_wishes(struct reading *r, const struct config_webhook *w)
{
    enum webhook_event event;

    for (size_t i = 0; i < w->events.count; i++)
        if (!webhook_event_parse(w->events.at[i], &event))
            problem_at(
                r->problems, PLACE_OF(r, w, &w->events),
                "events: there is no \"%s\": expected created, complete, duplicate, conflict, "
                "needs_reconciliation or closed",
                w->events.at[i]);
    for (size_t i = 0; i < w->mailboxes.count; i++)
        if (config_find_mailbox(r->config, w->mailboxes.at[i]) == NULL)
            problem_at(r->problems, PLACE_OF(r, w, &w->mailboxes),
                       "mailboxes: there is no \"%s\": expected ids of `mailboxes`",
                       w->mailboxes.at[i]);
}

static void check_webhook(struct reading *r, size_t number)
{
    const struct config_webhook *w = &r->config->webhooks.at[number];
    bool plain = slice_starts_nocase(slice_z(w->url), SLICE("http://"));

    if (!is_url(w->url))
        wrong(r, PLACE_OF(r, w, &w->url), "url: expected a URL that begins with https://");
    else if (plain && !is_local_url(w->url))
        wrong(r, PLACE_OF(r, w, &w->url),
              "url: http:// is for this machine alone (localhost, 127.0.0.1): expected https://");
    check_wishes(r, w);
    for (size_t i = 0; i < number; i++)
        if (same(r->config->webhooks.at[i].name, w->name))
            wrong(r, PLACE_OF(r, w, &w->name),
                  "name: it is taken by another webhook: expected one of its own");
}

static void check_console(struct reading *r)
{
    const struct config *c = r->config;
    CLEANUP(str_clear) struct str host = STR_INIT;
    const char *colon = strrchr(c->listen, ':');

    if ((c->tls_cert[0] == '\0') != (c->tls_key[0] == '\0'))
        wrong(r, PLACE_OF(r, c, &c->tls_cert, &c->tls_key),
              "console: a certificate without its key, or a key without: expected tls_cert and "
              "tls_key, or neither");
    if (colon == NULL || c->tls_cert[0] != '\0')
        return;
    bool bracket = c->listen[0] == '[';

    str_add(&host, slice_cut(slice_z(c->listen), bracket,
                             (size_t)(colon - c->listen) - (bracket ? 2 : 0)));
    if (!is_this_machine(str_z(&host)))
        wrong(
            r, PLACE_OF(r, c, &c->listen),
            "console.listen: without TLS it is for this machine alone (127.0.0.1, [::1]): expected "
            "such an address, or tls_cert and tls_key");
}

/* Mailboxes that are one */

/* What a mailbox in look-only has seen has no case: it must not stand for a mail that needs one. */
static void check_member(struct reading *r, size_t number)
{
    const struct texts *group = &r->config->merge_across;
    struct place place = PLACE_OF(r, r->config, group);
    const char *id = group->at[number];
    const struct config_mailbox *m = config_find_mailbox(r->config, id);

    if (m == NULL)
        problem_at(r->problems, place,
                   "merge_across: there is no mailbox \"%s\": expected ids of `mailboxes`", id);
    else if (m->mode == CONFIG_LOOK_ONLY)
        problem_at(r->problems, place,
                   "merge_across: the mailbox \"%s\" is look-only and makes no cases: expected it "
                   "active, or not in this list",
                   id);
    for (size_t i = 0; i < number; i++)
        if (same(group->at[i], id)) {
            problem_at(r->problems, place, "merge_across: \"%s\" stands in it twice", id);
            return;
        }
}

static void check_merged(struct reading *r)
{
    const struct texts *group = &r->config->merge_across;

    if (group->count == 1)
        wrong(r, PLACE_OF(r, r->config, group), "merge_across: expected two mailboxes or more");
    for (size_t i = 0; i < group->count; i++)
        check_member(r, i);
}

/* What may come back to work (a confirmation that a server refused to all, a decision taken back) comes
 * back within a day. */
static void check_retention(struct reading *r, const struct config_retention *k)
{
    for (size_t i = 0; i < CONTENT_COUNT; i++)
        if (k->keep_ms[i] != 0 && k->keep_ms[i] < DAYS(1))
            wrong(r, PLACE_OF(r, k, &k->keep_ms[i]),
                  "retention: expected at least 1d, or 0s for ever");
}

void check_all(struct reading *r)
{
    const struct config *c = r->config;

    for (size_t i = 0; i < c->mailboxes.count; i++)
        check_mailbox(r, i);
    check_merged(r);
    check_notify(r, &c->notify);
    for (size_t i = 0; i < c->key_rules.count; i++)
        check_rule(r, &c->key_rules.at[i]);
    check_authentication(r, &c->authentication);
    check_destinations(r);
    check_s3(r);
    for (size_t i = 0; i < c->webhooks.count; i++)
        check_webhook(r, i);
    check_console(r);
    check_retention(r, &c->retention);
    if (c->max_delay_ms < c->first_delay_ms)
        wrong(r, PLACE_OF(r, c, &c->max_delay_ms, &c->first_delay_ms),
              "retry.max_delay is shorter than retry.first_delay: expected at least as long");
}
