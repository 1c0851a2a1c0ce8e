/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include <string.h>

#define TAG        "Q1"
#define LINES_MOST 1000

enum heard { HEARD_LINE, HEARD_OK, HEARD_REFUSAL };

static enum heard sort(struct slice line)
{
    if (slice_starts_nocase(line, SLICE(TAG " OK")))
        return HEARD_OK;
    if (slice_starts_nocase(line, SLICE("* BYE")) || !slice_starts_nocase(line, SLICE("* ")))
        return HEARD_REFUSAL;
    return HEARD_LINE;
}

static enum rc refused(struct imap_mailbox *m, struct slice line, struct err *err)
{
    char words[200];

    server_words(line, words, sizeof words);
    return session_fail(m, RC_DEFERRED, err, "it does not answer as it should (%s)", words);
}

static void take(struct question *q, struct slice line)
{
    if (!slice_starts_nocase(line, q->sign))
        return;
    q->told = true;
    q->read(slice_cut(line, q->sign.len, line.len), q->ctx);
}

/* A server that does not answer as it should is not taken for one that has nothing: what it can do
 * decides how mail is moved, and its names where. */
enum rc ask(struct imap_mailbox *m, struct question *q, struct err *err)
{
    struct slice line;

    command_begin(m, BUDGET_SMALL);
    TRY(low_write(m, q->command, err));
    for (int lines = 0; lines < LINES_MOST;) {
        TRY(low_line(m, INT64_MAX, &line, err));
        if (line.at == NULL)
            continue;
        switch (sort(line)) {
        case HEARD_OK:
            return RC_OK;
        case HEARD_REFUSAL:
            return refused(m, line, err);
        case HEARD_LINE:
            take(q, line);
            lines++;
        }
    }
    return session_fail(m, RC_DEFERRED, err, "it answers without end");
}

static enum rc must_tell(struct imap_mailbox *m, struct question *q, struct err *err)
{
    TRY(ask(m, q, err));
    return q->told ? RC_OK
                   : session_fail(m, RC_DEFERRED, err, "it does not say what it has (%.*s)",
                                  (int)(q->sign.len - 3), q->sign.at + 2);
}

static void read_capabilities(struct slice line, void *ctx)
{
    unsigned *have = ctx;
    struct slice word;

    while (slice_next(&line, ' ', &word))
        *have |= capability_of(word);
}

enum rc ask_capabilities(struct imap_mailbox *m, struct err *err)
{
    struct question q = {.command = SLICE(TAG " CAPABILITY\r\n"),
                         .sign = SLICE("* CAPABILITY "),
                         .read = read_capabilities,
                         .ctx = &m->capabilities};

    return must_tell(m, &q, err);
}

static void read_enabled(struct slice line, void *ctx)
{
    bool *enabled = ctx;
    struct slice word;

    while (slice_next(&line, ' ', &word))
        *enabled = *enabled || slice_eq_nocase(word, SLICE("UTF8=ACCEPT"));
}

enum rc ask_for_utf8(struct imap_mailbox *m, struct err *err)
{
    struct question q = {.command = SLICE(TAG " ENABLE UTF8=ACCEPT\r\n"),
                         .sign = SLICE("* ENABLED "),
                         .read = read_enabled,
                         .ctx = &m->names.utf8};

    if ((m->capabilities & MUST_UTF8) == 0)
        return RC_OK;
    TRY(must_tell(m, &q, err));
    return m->names.utf8 ? RC_OK
                         : session_fail(m, RC_DEFERRED, err,
                                        "it has UTF8=ONLY and does not enable UTF8=ACCEPT");
}

/* A quoted string at the front, or NIL, which is empty; false where there is neither. */
static bool take_string(struct slice *rest, struct str *out)
{
    size_t at = 1;

    str_empty(out);
    if (slice_starts_nocase(*rest, SLICE("NIL"))) {
        *rest = slice_cut(*rest, 3, rest->len);
        return true;
    }
    if (!slice_starts_nocase(*rest, SLICE("\"")))
        return false;
    for (; at < rest->len && rest->at[at] != '"'; at++) {
        if (rest->at[at] == '\\')
            at++;
        str_add(out, slice_cut(*rest, at, 1));
    }
    *rest = slice_cut(*rest, at + 1, rest->len);
    return true;
}

/* To behind the bracket that ends what the front is within; strings are stepped over. */
static void leave(struct slice *rest)
{
    CLEANUP(str_clear) struct str ignored = STR_INIT;
    int depth = 1;

    while (rest->len > 0 && depth > 0) {
        if (rest->at[0] == '"') {
            (void)take_string(rest, &ignored);
            continue;
        }
        depth += (rest->at[0] == '(') - (rest->at[0] == ')');
        *rest = slice_cut(*rest, 1, rest->len);
    }
}

struct place {
    struct str prefix, delimiter;
};

static void place_clear(struct place *p)
{
    str_clear(&p->prefix);
    str_clear(&p->delimiter);
}

/* ("INBOX." ".") at the front. */
static bool take_place(struct slice *rest, struct place *out)
{
    if (!slice_starts_nocase(*rest, SLICE("(")))
        return false;
    *rest = slice_cut(*rest, 1, rest->len);
    if (!take_string(rest, &out->prefix))
        return false;
    *rest = slice_cut(*rest, 1, rest->len); /* the blank */
    if (!take_string(rest, &out->delimiter))
        return false;
    leave(rest);
    return true;
}

static void add_place(struct name_space *ns, const struct place *p, bool own)
{
    if (own) {
        ns->delimiter = p->delimiter.len > 0 ? p->delimiter.at[0] : '\0';
        str_add(&ns->prefix, str_slice(&p->prefix));
    }
    if (p->prefix.len > 0)
        str_addf(&ns->others, "%s\n", str_z(&p->prefix));
}

void read_namespace(struct slice line, struct name_space *out)
{
    bool own = true; /* the first of the first list */

    for (int list = 0; list < 3 && line.len > 0; list++) {
        CLEANUP(place_clear) struct place p = {STR_INIT, STR_INIT};
        bool listed = slice_starts_nocase(line, SLICE("("));

        line = slice_cut(line, listed ? 1 : strlen("NIL "), line.len);
        while (listed && take_place(&line, &p)) {
            add_place(out, &p, own);
            own = false;
        }
        own = false;
        if (listed)
            line = slice_cut(line, strlen(") "), line.len);
    }
}

static void read_places(struct slice line, void *ctx)
{
    read_namespace(line, ctx);
}

/* (\Noselect) "/" "" */
static void read_delimiter(struct slice line, void *ctx)
{
    struct name_space *ns = ctx;
    CLEANUP(str_clear) struct str delimiter = STR_INIT;

    line = slice_cut(line, slice_find(line, ')', 0) + 2, line.len);
    if (take_string(&line, &delimiter) && delimiter.len > 0)
        ns->delimiter = delimiter.at[0];
}

enum rc ask_names(struct imap_mailbox *m, struct err *err)
{
    struct question places = {.command = SLICE(TAG " NAMESPACE\r\n"),
                              .sign = SLICE("* NAMESPACE "),
                              .read = read_places,
                              .ctx = &m->names};
    struct question delimiter = {.command = SLICE(TAG " LIST \"\" \"\"\r\n"),
                                 .sign = SLICE("* LIST "),
                                 .read = read_delimiter,
                                 .ctx = &m->names};

    if ((m->capabilities & CAN_NAMESPACE) != 0)
        TRY(must_tell(m, &places, err));
    return m->names.delimiter != '\0' ? RC_OK : ask(m, &delimiter, err);
}
