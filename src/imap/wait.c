/* SPDX-License-Identifier: Apache-2.0 */
#include "imap_p.h"

#define IDLE_TAG  "W1"
#define IDLE_LINE 64 /* of untagged lines while it ends: more is no IDLE */

enum heard { HEARD_NOTHING, HEARD_NEWS, HEARD_PLUS, HEARD_OK, HEARD_NO, HEARD_BYE, HEARD_LITERAL };

/* "* OK Still here" is no news. */
static enum heard sort(struct slice line)
{
    if (slice_starts_nocase(line, SLICE("+")))
        return HEARD_PLUS;
    if (slice_starts_nocase(line, SLICE(IDLE_TAG " OK")))
        return HEARD_OK;
    if (!slice_starts_nocase(line, SLICE("* ")))
        return HEARD_NO;
    if (slice_starts_nocase(line, SLICE("* BYE")))
        return HEARD_BYE;
    if (line.at[line.len - 1] == '}')
        return HEARD_LITERAL;
    return slice_starts_nocase(line, SLICE("* OK")) ? HEARD_NOTHING : HEARD_NEWS;
}

static enum rc give_up(struct imap_mailbox *m, enum heard heard, struct err *err)
{
    return session_fail(m, RC_DEFERRED, err, "cannot wait for news: it %s",
                        heard == HEARD_BYE ? "ended the session" : "does not keep to IDLE");
}

static enum rc lost(struct imap_mailbox *m, struct err *err)
{
    session_drop(m);
    return err->rc;
}

/* Reads on until `wanted` comes; *news where anything came before it. */
static enum rc await(struct imap_mailbox *m, enum heard wanted, bool *news, struct err *err)
{
    struct slice line;

    for (int lines = 0; lines < IDLE_LINE;) {
        enum heard heard;

        if (low_line(m, INT64_MAX, &line, err) != RC_OK)
            return lost(m, err);
        if (line.at == NULL)
            continue;
        heard = sort(line);
        if (heard == wanted)
            return RC_OK;
        if (heard != HEARD_NEWS && heard != HEARD_NOTHING)
            return give_up(m, heard, err);
        *news = *news || heard == HEARD_NEWS;
        lines++;
    }
    return give_up(m, HEARD_NO, err);
}

static enum rc say(struct imap_mailbox *m, struct slice line, struct err *err)
{
    command_begin(m, BUDGET_SMALL);
    return low_write(m, line, err) == RC_OK ? RC_OK : lost(m, err);
}

/* Until something comes, until then, or until a signal: all are a reason to go and look. */
static enum rc linger(struct imap_mailbox *m, int64_t until_ms, bool *news, struct err *err)
{
    struct slice line = {"", 0};

    connection_limit(m->connection, 0, BUDGET_SMALL);
    while (!*news && line.at != NULL) {
        enum heard heard;

        if (low_line(m, until_ms, &line, err) != RC_OK)
            return lost(m, err);
        heard = line.at != NULL ? sort(line) : HEARD_NOTHING;
        if (heard != HEARD_NEWS && heard != HEARD_NOTHING)
            return give_up(m, heard, err);
        *news = heard == HEARD_NEWS;
    }
    return RC_OK;
}

/* One IDLE. Untagged lines are only a wake-up: the folder is read afterwards in any case. */
static enum rc idle(struct imap_mailbox *m, int64_t until_ms, bool *news, struct err *err)
{
    TRY(say(m, SLICE(IDLE_TAG " IDLE\r\n"), err));
    TRY(await(m, HEARD_PLUS, news, err));
    TRY(linger(m, until_ms, news, err));
    TRY(say(m, SLICE("DONE\r\n"), err));
    return await(m, HEARD_OK, news, err);
}

static enum rc idle_on(struct imap_mailbox *m, int64_t until_ms, struct err *err)
{
    bool news = false;

    while (!news && imap_now(m) < until_ms) {
        int64_t renew_ms = imap_now(m) + m->renew_ms;
        int64_t end_ms = renew_ms < until_ms ? renew_ms : until_ms;

        TRY(idle(m, end_ms, &news, err));
        m->guard.changed |= news;
        m->just_waited = !news;
        if (!news && imap_now(m) < end_ms)
            break; /* a signal */
    }
    return RC_OK;
}

/* Did something come between the last look and now, when nobody listened? Said once. */
static bool has_come(struct imap_mailbox *m)
{
    struct look *look = select_looked(m);
    uint32_t uidnext = m->session->imap_selection_info->sel_uidnext;
    bool news = look != NULL && look->uidnext != uidnext;

    if (news)
        look->uidnext = uidnext;
    return news;
}

enum rc imap_wait(void *self, const char *folder, int64_t wait_ms, struct err *err)
{
    struct imap_mailbox *m = self;
    int64_t until_ms = imap_now(m) + wait_ms;

    TRY(session_ready(m, err));
    if ((m->capabilities & CAN_IDLE) == 0) {
        net_wait(m->net, until_ms);
        return RC_OK;
    }
    if (!select_listed(m, folder))
        TRY(select_folder(m, folder, false, err));
    if (has_come(m) || m->session->imap_stream->read_buffer_len > 0)
        return RC_OK; /* something was said already */
    return idle_on(m, until_ms, err);
}
