/* SPDX-License-Identifier: Apache-2.0 */
#include "header_scan.h"
#include "words.h"

#include <onecase/authentication.h>

#include <string.h>

WORDS(dmarc_words, DMARC_LIST);
DEFINE_TEXT(dmarc_text, dmarc, dmarc_words)

/* ---- one field ------------------------------------------------------------------------------- */

enum token { TOKEN_END, TOKEN_ATOM, TOKEN_QUOTED, TOKEN_MARK, TOKEN_BROKEN };

/* Where the reading of a value is, and what it read last. */
struct lexer {
    struct slice rest;
    enum token token;
    struct slice text;
};

static char first(const struct lexer *l)
{
    return l->rest.len > 0 ? l->rest.at[0] : '\0';
}

static struct slice take(struct lexer *l, size_t len)
{
    struct slice taken = slice_cut(l->rest, 0, len);

    l->rest = slice_cut(l->rest, taken.len, l->rest.len);
    return taken;
}

/* Folds included: a line end within a value is one. */
static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_atom(char c)
{
    return c > ' ' && c != 0x7F && strchr("()<>@,;:\\\"/[]?=", c) == NULL;
}

/* Comments nest. False where one does not end. */
static bool skip_comment(struct lexer *l)
{
    size_t depth = 0;

    do {
        char c = first(l);

        if (c == '\\')
            take(l, 1);
        else if (c == '(')
            depth++;
        else if (c == ')')
            depth--;
        take(l, 1);
    } while (depth > 0 && l->rest.len > 0);
    return depth == 0;
}

static bool skip_blank(struct lexer *l)
{
    while (is_space(first(l)) || first(l) == '(') {
        if (first(l) != '(')
            take(l, 1);
        else if (!skip_comment(l))
            return false;
    }
    return true;
}

/* What stands between the quotes, with its backslashes. */
static enum token quoted(struct lexer *l)
{
    size_t len = 1;

    while (len < l->rest.len && l->rest.at[len] != '"')
        len += l->rest.at[len] == '\\' ? 2 : 1;
    if (len >= l->rest.len)
        return TOKEN_BROKEN;
    l->text = slice_cut(take(l, len + 1), 1, len - 1);
    return TOKEN_QUOTED;
}

static enum token read_token(struct lexer *l)
{
    size_t len = 0;

    if (!skip_blank(l))
        return TOKEN_BROKEN;
    if (l->rest.len == 0)
        return TOKEN_END;
    if (first(l) == '"')
        return quoted(l);
    while (len < l->rest.len && is_atom(l->rest.at[len]))
        len++;
    l->text = take(l, len > 0 ? len : 1);
    return len > 0 ? TOKEN_ATOM : TOKEN_MARK;
}

static void next(struct lexer *l)
{
    l->text = SLICE_EMPTY;
    l->token = read_token(l);
}

static bool at_mark(const struct lexer *l, const char *mark)
{
    return l->token == TOKEN_MARK && slice_eqz(l->text, mark);
}

static bool at_word(const struct lexer *l, const char *word)
{
    return l->token == TOKEN_ATOM && slice_eq_nocase(l->text, slice_z(word));
}

static bool is_over(const struct lexer *l)
{
    return l->token == TOKEN_END || l->token == TOKEN_BROKEN;
}

/* The field is the own servers', and of the one version that there is; then it is at the first ";". */
static bool by_own_servers(struct lexer *l, const char *authserv_id)
{
    next(l);
    if ((l->token != TOKEN_ATOM && l->token != TOKEN_QUOTED) ||
        !slice_eq_nocase(l->text, slice_z(authserv_id)))
        return false;
    next(l);
    if (at_word(l, "1"))
        next(l);
    return is_over(l) || at_mark(l, ";");
}

static enum dmarc worse(enum dmarc a, enum dmarc b)
{
    return a > b ? a : b;
}

static enum dmarc result_of(const struct lexer *l)
{
    if (at_word(l, "pass"))
        return DMARC_PASS;
    return at_word(l, "fail") ? DMARC_FAIL : DMARC_OTHER;
}

/* One result, from behind its ";": its method [ "/" version ] "=" result. */
static enum dmarc read_result(struct lexer *l)
{
    bool known = true;

    next(l);
    if (!at_word(l, "dmarc"))
        return DMARC_UNSAID;
    next(l);
    if (at_mark(l, "/")) {
        next(l);
        known = at_word(l, "1");
        next(l);
    }
    if (!known || !at_mark(l, "="))
        return DMARC_OTHER;
    next(l);
    return result_of(l);
}

/* A sender's address stands in such a field. One that breaks it cannot make a pass of it. */
static enum dmarc read_field(const char *authserv_id, struct slice value)
{
    struct lexer l = {.rest = value};
    enum dmarc out = DMARC_UNSAID;

    if (!by_own_servers(&l, authserv_id))
        return DMARC_UNSAID;
    while (!is_over(&l)) {
        if (at_mark(&l, ";"))
            out = worse(out, read_result(&l));
        else
            next(&l);
    }
    return l.token == TOKEN_BROKEN ? worse(out, DMARC_OTHER) : out;
}

/* ---- those that count ------------------------------------------------------------------------ */

struct walk {
    const struct authentication *trusted;
    struct slice header;
    struct header_scan scan;
    size_t crs;
    unsigned received;
    bool in_field; /* of results; its value is [from, to) */
    size_t from, to;
    bool over;
    enum dmarc dmarc;
};

static void field_ends(struct walk *w)
{
    if (w->in_field)
        w->dmarc = worse(w->dmarc, read_field(w->trusted->authserv_id,
                                              slice_cut(w->header, w->from, w->to - w->from)));
    w->in_field = false;
}

static void field_begins(struct walk *w, size_t at)
{
    unsigned last = w->trusted->hops + (w->trusted->below ? 1 : 0);

    w->in_field = header_scan_is(&w->scan, SLICE("Authentication-Results"));
    w->from = w->to = at + 1;
    if (header_scan_is(&w->scan, SLICE("Received")))
        w->received++;
    w->over = w->received >= last;
}

static void walk_event(struct walk *w, enum header_event event, size_t at)
{
    switch (event) {
    case HEADER_FIELD:
        field_ends(w);
        field_begins(w, at);
        break;
    case HEADER_OCTET:
    case HEADER_FOLD:
        w->to = at + 1;
        break;
    case HEADER_SKIPPED_FIRST:
        field_ends(w);
        break;
    case HEADER_END:
        w->over = true;
        break;
    case HEADER_NOTHING:
    case HEADER_SKIPPED:
        break;
    }
}

static void walk_octet(struct walk *w, char c, size_t at)
{
    for (size_t ends = line_ends_before(&w->crs, c); ends > 0 && !w->over; ends--)
        walk_event(w, header_scan_octet(&w->scan, '\n'), at);
    if (c != '\r' && c != '\n' && !w->over)
        walk_event(w, header_scan_octet(&w->scan, c), at);
}

enum dmarc authentication_dmarc(const struct authentication *trusted, struct slice header)
{
    struct walk w = {.trusted = trusted, .header = header};

    if (!trusted->authserv_id || trusted->authserv_id[0] == '\0')
        return DMARC_UNSAID;
    header_scan_init(&w.scan);
    for (size_t i = 0; i < header.len && !w.over; i++)
        walk_octet(&w, header.at[i], i);
    field_ends(&w);
    return w.received >= trusted->hops ? w.dmarc : DMARC_UNSAID;
}

void authentication_mark(const struct authentication *trusted,
                         struct slice header,
                         struct message *message)
{
    enum dmarc dmarc = authentication_dmarc(trusted, header);

    message->signs &= ~(uint32_t)SIGNS_OF_SERVERS;
    if (dmarc == DMARC_PASS)
        message->signs |= SIGN_DMARC_PASS;
    else if (dmarc == DMARC_FAIL)
        message->signs |= SIGN_DMARC_FAIL;
}
