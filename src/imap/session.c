/* SPDX-License-Identifier: Apache-2.0 */
#include "imap_p.h"

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
    str_empty(&m->selected);
    m->writable = false;
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

static enum rc ask_capabilities(struct imap_mailbox *m, struct err *err)
{
    struct mailimap_capability_data *data = NULL;
    int result;

    command_begin(m, BUDGET_SMALL);
    result = mailimap_capability(m->session, &data);
    TRY(command_end(m, result, "ask what it can do", err));
    for (clistiter *i = clist_begin(data->cap_list); i != NULL; i = clist_next(i)) {
        const struct mailimap_capability *one = clist_content(i);

        if (one->cap_type == MAILIMAP_CAPABILITY_NAME)
            m->capabilities |= capability_of(one->cap_data.cap_name);
    }
    mailimap_capability_data_free(data);
    return RC_OK;
}

static void take_prefixes(const struct mailimap_namespace_item *item, struct str *out)
{
    if (item == NULL)
        return;
    for (clistiter *i = clist_begin(item->ns_data_list); i != NULL; i = clist_next(i)) {
        const struct mailimap_namespace_info *info = clist_content(i);

        if (info->ns_prefix[0] != '\0')
            str_addf(out, "%s\n", info->ns_prefix);
    }
}

static void take_own(const struct mailimap_namespace_item *item, struct name_space *out)
{
    const struct mailimap_namespace_info *first;

    if (item == NULL || clist_isempty(item->ns_data_list))
        return;
    first = clist_content(clist_begin(item->ns_data_list));
    out->delimiter = first->ns_delimiter;
    str_addz(&out->prefix, first->ns_prefix);
}

static enum rc ask_namespace(struct imap_mailbox *m, struct err *err)
{
    struct mailimap_namespace_data *data = NULL;
    int result;

    command_begin(m, BUDGET_SMALL);
    result = mailimap_namespace(m->session, &data);
    TRY(command_end(m, result, "ask where folders are", err));
    take_own(data->ns_personal, &m->names);
    take_prefixes(data->ns_personal, &m->names.others);
    take_prefixes(data->ns_other, &m->names.others);
    take_prefixes(data->ns_shared, &m->names.others);
    mailimap_namespace_data_free(data);
    return RC_OK;
}

static enum rc ask_delimiter(struct imap_mailbox *m, struct err *err)
{
    const struct mailimap_mailbox_list *first;
    clist *list = NULL;
    int result;

    command_begin(m, BUDGET_SMALL);
    result = mailimap_list(m->session, "", "", &list);
    TRY(command_end(m, result, "ask where folders are", err));
    first = clist_begin(list) != NULL ? clist_content(clist_begin(list)) : NULL;
    if (first != NULL)
        m->names.delimiter = first->mb_delimiter;
    mailimap_list_result_free(list);
    return RC_OK;
}

static enum rc open_session(struct imap_mailbox *m, struct err *err)
{
    TRY(connect_now(m, err));
    TRY(greet(m, err));
    TRY(ask_capabilities(m, err));
    return (m->capabilities & CAN_NAMESPACE) != 0 ? ask_namespace(m, err) : ask_delimiter(m, err);
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
