/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include <stdarg.h>
#include <stdio.h>

/* libetpan is told that it is signed in: that is done before it sees the connection. */
#define GREETING "* PREAUTH signed in\r\n"

int64_t imap_now(const struct imap_mailbox *m)
{
    return clock_now(m->clock).boot_ms;
}

const char *session_name(const struct imap_mailbox *m)
{
    return m->connection != NULL ? connection_name(m->connection) : "imap";
}

/* mailimap_free says LOGOUT and would wait for its answer, but for the failure put on the connection. */
void session_drop(struct imap_mailbox *m)
{
    if (m->connection != NULL)
        (void)connection_fail(m->connection, RC_DEFERRED, NULL, "it is closed");
    if (m->session != NULL)
        mailimap_free(m->session);
    connection_free(m->connection);
    m->session = NULL;
    m->connection = NULL;
    m->capabilities = 0;
    m->guard = (struct guard){.literal = 0};
    name_space_clear(&m->names);
    listed_clear(&m->list);
    str_empty(&m->selected);
    m->writable = m->listed = m->just_waited = false;
}

enum rc session_fail(struct imap_mailbox *m, enum rc rc, struct err *err, const char *format, ...)
{
    char text[ERR_TEXT_SIZE];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)FAIL(err, rc, "%s: %s", session_name(m), text);
    session_drop(m);
    return rc;
}

static enum rc connect_now(struct imap_mailbox *m, struct err *err)
{
    bool open = false;

    m->connection = connection_new(m->net, PROTOCOL_IMAP, m->endpoint);
    for (;;) {
        TRY(connection_open(m->connection, &open, err));
        if (open)
            return RC_OK;
        net_wait(m->net, INT64_MAX);
    }
}

static enum rc greet(struct imap_mailbox *m, struct err *err)
{
    int result;

    m->session = mailimap_new(0, NULL);
    m->greeting = GREETING;
    command_begin(m, BUDGET_SMALL);
    result = mailimap_connect(m->session, low_stream(m));
    return result == MAILIMAP_NO_ERROR_AUTHENTICATED ? RC_OK : command_end(m, result, "begin", err);
}

static enum rc open_session(struct imap_mailbox *m, struct err *err)
{
    TRY(connect_now(m, err));
    TRY(ask_capabilities(m, err));
    TRY(ask_for_utf8(m, err));
    TRY(ask_names(m, err));
    return greet(m, err);
}

/* A server that closed a session of before says so at once; then a new one is made. What it said
 * otherwise meanwhile waits in libetpan's buffer or ours for the next command. */
static bool is_alive(struct imap_mailbox *m)
{
    return m->connection != NULL && connection_alive(m->connection);
}

enum rc session_ready(struct imap_mailbox *m, struct err *err)
{
    enum rc rc;

    if (is_alive(m))
        return RC_OK;
    session_drop(m);
    rc = open_session(m, err);
    if (rc != RC_OK)
        session_drop(m);
    return rc;
}
