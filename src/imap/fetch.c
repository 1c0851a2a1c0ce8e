/* SPDX-License-Identifier: Apache-2.0 */
#include "att.h"

#include <stdlib.h>

/* A server may send more than it says a message has; the sink bounds what it takes. */
#define PER_MESSAGE ((size_t)64 * 1024 * 1024)

/* Messages on their way to the sink. libetpan hands over the octets of a body without its UID, and
 * says the UID when all has come; but the line that announces the body stands in its buffer. */
struct streaming {
    struct imap_mailbox *m;
    const struct fetch_sink *sink;
    const struct lines *lines; /* of these messages, sorted */
    struct uids ended;
    uint32_t uidvalidity;
    uint32_t only;  /* the one message that was asked for; 0: several */
    uint32_t begun; /* the message whose octets come; 0 is none */
    bool nameless;  /* octets come, and nobody knows of which message: let them pass */
    struct err why; /* what ended it: the sink, or a mix-up */
};

static const struct mail_line *line_of(const struct streaming *s, uint32_t uid)
{
    size_t from = 0;
    size_t to = s->lines->count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (s->lines->at[middle].uid < uid)
            from = middle + 1;
        else
            to = middle;
    }
    return from < s->lines->count && s->lines->at[from].uid == uid ? &s->lines->at[from] : NULL;
}

static bool has_ended(const struct streaming *s, uint32_t uid)
{
    for (size_t i = 0; i < s->ended.count; i++)
        if (s->ended.at[i] == uid)
            return true;
    return false;
}

/* From "* 3 FETCH (UID 12 BODY[] {1000}"; 0 where the UID is not said before the octets. */
static uint32_t uid_announced(const mailimap *session)
{
    struct slice said = {session->imap_stream_buffer->str, session->imap_stream_buffer->len};
    struct slice line = SLICE_EMPTY;
    struct slice word;
    bool next = false;

    said = slice_trim(said);
    while (slice_next(&said, '\n', &line))
        continue;
    while (slice_next(&line, ' ', &word)) {
        if (next)
            return (uint32_t)strtoul(word.at, NULL, 10);
        next = slice_eq_nocase(word, SLICE("UID")) || slice_eq_nocase(word, SLICE("(UID"));
    }
    return 0;
}

static bool stopped(const struct streaming *s)
{
    return s->why.rc != RC_OK;
}

static bool begin(struct streaming *s, uint32_t uid)
{
    const struct mail_line *line = line_of(s, uid);

    if (line == NULL || has_ended(s, uid))
        return false;
    if (s->sink->begin(s->sink->ctx, line, &s->why) == RC_OK)
        s->begun = uid;
    return !stopped(s);
}

static bool on_body(int type,
                    struct mailimap_msg_att_body_section *section,
                    const char *octets,
                    size_t len,
                    void *ctx)
{
    struct streaming *s = ctx;

    (void)type;
    (void)section;
    if (s->begun == 0 && !s->nameless && !stopped(s))
        s->nameless = !begin(s, s->only != 0 ? s->only : uid_announced(s->m->session));
    if (!s->nameless && !stopped(s))
        (void)s->sink->add(s->sink->ctx, (struct slice){octets, len}, &s->why);
    return !stopped(s);
}

static void mixed_up(struct streaming *s)
{
    (void)FAIL(&s->why, RC_DEFERRED,
               "%s: it sends the octets of one message as those of another; it is tried again",
               session_name(s->m));
}

static void renumbered(struct streaming *s)
{
    (void)FAIL(&s->why, RC_CONFLICT,
               "%s: the folder's UIDVALIDITY changed meanwhile; it is read anew",
               session_name(s->m));
}

static void finish(struct streaming *s, const struct att *att)
{
    if (att->uid != 0 && att->uid != s->begun)
        mixed_up(s);
    else if (s->m->guard.uidvalidity != s->uidvalidity)
        renumbered(s);
    else if (s->sink->end(s->sink->ctx, &s->why) == RC_OK)
        uids_add(&s->ended, s->begun);
    s->begun = 0;
}

/* A message is whole. NIL and an empty body come without octets. */
static void on_att(struct mailimap_msg_att *from, void *ctx)
{
    struct streaming *s = ctx;
    struct att att;

    att_read(from, &att);
    if (!att.has_body || stopped(s))
        return;
    if (s->begun == 0 && !s->nameless)
        (void)begin(s, att.uid != 0 ? att.uid : s->only);
    s->nameless = false;
    if (s->begun != 0)
        finish(s, &att);
}

static size_t budget_of(const struct lines *lines)
{
    size_t budget = BUDGET_SMALL;

    for (size_t i = 0; i < lines->count; i++)
        budget += PER_MESSAGE + 4 * (size_t)lines->at[i].size;
    return budget;
}

static enum rc
stream(struct streaming *s, const uint32_t *uid, size_t count, enum wanted wanted, struct err *err)
{
    struct fetch_to to = {.att = on_att, .body = on_body, .ctx = s};
    enum rc rc;

    command_begin(s->m, budget_of(s->lines));
    rc = att_fetch(s->m, uid, count, wanted, &to, err);
    s->nameless = false;
    if (!stopped(s))
        return rc;
    session_drop(s->m); /* it would go on sending */
    *err = s->why;
    return err->rc;
}

/* Those of `lines` that did not come and are still there. */
static enum rc left_out(struct streaming *s, struct uids *out, struct err *err)
{
    CLEANUP(uids_clear) struct uids missing = {NULL, 0, 0};

    for (size_t i = 0; i < s->lines->count; i++)
        if (!has_ended(s, s->lines->at[i].uid))
            uids_add(&missing, s->lines->at[i].uid);
    return search_present(s->m, missing.at, missing.count, true, out, err);
}

/* A server that says the UID after the octets is asked for one message at a time. */
static enum rc stream_all(struct streaming *s, enum wanted wanted, struct err *err)
{
    CLEANUP(uids_clear) struct uids all = {NULL, 0, 0};
    CLEANUP(uids_clear) struct uids left = {NULL, 0, 0};

    for (size_t i = 0; i < s->lines->count; i++)
        uids_add(&all, s->lines->at[i].uid);
    TRY(stream(s, all.at, all.count, wanted, err));
    TRY(left_out(s, &left, err));
    for (size_t i = 0; i < left.count; i++) {
        s->only = left.at[i];
        TRY(stream(s, &left.at[i], 1, wanted, err));
        if (!has_ended(s, s->only))
            return FAIL(err, RC_DEFERRED,
                        "%s: it lists a message (UID %u) and does not give it; it is tried again",
                        session_name(s->m), (unsigned)s->only);
    }
    return RC_OK;
}

static void lines_clear(struct lines *lines)
{
    free(lines->at);
}

static enum rc fetch_some(
    struct streaming *s, const uint32_t *uid, size_t count, enum wanted wanted, struct err *err)
{
    CLEANUP(lines_clear) struct lines lines = {NULL, 0, 0};
    enum rc rc;

    TRY(fetch_lines(s->m, uid, count, &lines, err));
    if (lines.count == 0)
        return RC_OK;
    s->lines = &lines;
    rc = stream_all(s, wanted, err);
    uids_clear(&s->ended);
    s->only = 0;
    return rc == RC_OK ? select_still(s->m, s->uidvalidity, err) : rc;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
enum rc imap_fetch(void *self,
                   const char *folder,
                   uint32_t uidvalidity,
                   const uint32_t *uid,
                   size_t count,
                   bool header_only,
                   const struct fetch_sink *sink,
                   struct err *err)
{
    struct imap_mailbox *m = self;
    struct streaming s = {.m = m, .sink = sink, .uidvalidity = uidvalidity, .why = ERR_INIT};
    enum wanted wanted = header_only ? WANT_HEADER : WANT_WHOLE;
    enum rc rc = select_seen(m, folder, uidvalidity, false, err);

    for (size_t from = 0; from < count && rc == RC_OK; from += UIDS_AT_ONCE) {
        size_t some = count - from < UIDS_AT_ONCE ? count - from : UIDS_AT_ONCE;

        rc = fetch_some(&s, uid + from, some, wanted, err);
    }
    return rc;
}
