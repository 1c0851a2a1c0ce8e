/* SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"
#include "imap_p.h"

#include <stdio.h>

void command_begin(struct imap_mailbox *m, size_t budget)
{
    m->why = (struct err)ERR_INIT;
    m->answered = m->just_waited = false;
    guard_begin(&m->guard);
    connection_limit(m->connection, m->endpoint->timeout_ms, budget);
}

/* The reason of an untagged BYE is lost in libetpan; it stands in what was received last. */
static void parting_words(const struct imap_mailbox *m, char *into, size_t size)
{
    struct slice rest = connection_recent(m->connection);
    struct slice last = SLICE_EMPTY;
    struct slice line;

    while (slice_next(&rest, '\n', &line))
        if (slice_starts_nocase(line, SLICE("* BYE")))
            last = line;
    server_words(last, into, size);
}

static enum rc
broken(struct imap_mailbox *m, const struct imap_fault *f, const char *doing, struct err *err)
{
    char words[200];

    if (m->why.rc != RC_OK) { /* the connection's own words are the better ones */
        *err = m->why;
        session_drop(m);
        return err->rc;
    }
    parting_words(m, words, sizeof words);
    return session_fail(m, f->rc, err, "cannot %s: %s%s%s%s", doing, f->why,
                        words[0] != '\0' ? " (" : "", words, words[0] != '\0' ? ")" : "");
}

static const char *code_of(const mailimap *session)
{
    const struct mailimap_response_info *info = session->imap_response_info;

    if (info == NULL)
        return NULL;
    return info->rsp_trycreate ? "TRYCREATE" : info->rsp_atom;
}

static enum rc answered_no(struct imap_mailbox *m, const char *doing, struct err *err)
{
    const struct imap_no *no = imap_no_of(code_of(m->session));
    char words[200];

    server_words(slice_z(m->session->imap_response), words, sizeof words);
    if (no->drop)
        return session_fail(m, no->rc, err, "cannot %s: it says %s%s%s%s; %s", doing, no->code,
                            words[0] != '\0' ? " (" : "", words, words[0] != '\0' ? ")" : "",
                            no->remedy);
    return FAIL(err, no->rc, "%s: cannot %s: it says no%s%s%s%s; %s", session_name(m), doing,
                no->code[0] != '\0' ? ", " : "", no->code, words[0] != '\0' ? ": " : "", words,
                no->remedy);
}

enum rc command_end(struct imap_mailbox *m, int result, const char *doing, struct err *err)
{
    const struct imap_fault *f = imap_fault_of(result);
    struct err unused = ERR_INIT;

    if (err == NULL)
        err = &unused;
    m->answered = f == NULL;
    if (result == MAILIMAP_NO_ERROR)
        return RC_OK;
    return f != NULL ? broken(m, f, doing, err) : answered_no(m, doing, err);
}
