/* SPDX-License-Identifier: Apache-2.0 */
#include "imap_p.h"

#include <stdlib.h>
#include <string.h>

static enum rc unwanted(struct imap_mailbox *m, const char *wrong)
{
    return connection_fail(m->connection, RC_DEFERRED, &m->why,
                           "it sends %s; the connection was given up", wrong);
}

static ssize_t take_greeting(struct imap_mailbox *m, char *into, size_t room)
{
    size_t len = strlen(m->greeting);

    len = len < room ? len : room;
    memcpy(into, m->greeting, len);
    m->greeting += len;
    return (ssize_t)len;
}

/* Never 0: libetpan would ask again for ever. */
static ssize_t low_read(mailstream_low *low, void *into, size_t room)
{
    struct imap_mailbox *m = low->data;
    const char *wrong;
    size_t got = 0;

    if (m->greeting[0] != '\0')
        return take_greeting(m, into, room);
    for (;;) {
        if (connection_get(m->connection, into, room, &got, &m->why) != RC_OK)
            return -1;
        if (got > 0)
            break;
        net_wait(m->net, INT64_MAX);
    }
    wrong = guard_take(&m->guard, (struct slice){into, got});
    if (wrong != NULL && unwanted(m, wrong) != RC_OK)
        return -1;
    return (ssize_t)got;
}

static ssize_t low_put(mailstream_low *low, const void *from, size_t len)
{
    struct imap_mailbox *m = low->data;
    size_t taken = 0;

    for (;;) {
        struct slice octets = {from, len};

        if (connection_put(m->connection, octets, &taken, &m->why) != RC_OK)
            return -1;
        if (taken > 0)
            return (ssize_t)taken;
        net_wait(m->net, INT64_MAX);
    }
}

static int low_close(mailstream_low *low)
{
    (void)low;
    return 0;
}

static int low_fd(mailstream_low *low)
{
    (void)low;
    return -1;
}

static void low_free(mailstream_low *low)
{
    free(low);
}

static void low_cancel(mailstream_low *low)
{
    (void)low;
}

static struct mailstream_cancel *low_get_cancel(mailstream_low *low)
{
    (void)low;
    return NULL;
}

static carray *low_chain(mailstream_low *low)
{
    (void)low;
    return NULL;
}

static int low_cannot(mailstream_low *low)
{
    (void)low;
    return -1;
}

/* Waiting for news, TLS and everything else that libetpan could do here is done by us. */
static mailstream_low_driver driver = {
    .mailstream_read = low_read,
    .mailstream_write = low_put,
    .mailstream_close = low_close,
    .mailstream_get_fd = low_fd,
    .mailstream_free = low_free,
    .mailstream_cancel = low_cancel,
    .mailstream_get_cancel = low_get_cancel,
    .mailstream_get_certificate_chain = low_chain,
    .mailstream_setup_idle = low_cannot,
    .mailstream_unsetup_idle = low_cannot,
    .mailstream_interrupt_idle = low_cannot,
};

#define STREAM_BUFFER 16384

mailstream *low_stream(struct imap_mailbox *m)
{
    mailstream_low *low = mailstream_low_new(m, &driver);
    mailstream *stream = low != NULL ? mailstream_new(low, STREAM_BUFFER) : NULL;

    if (stream == NULL)
        abort(); /* memory; as everywhere */
    return stream;
}

enum rc low_write(struct imap_mailbox *m, struct slice octets, struct err *err)
{
    size_t taken = 0;

    while (octets.len > 0) {
        TRY(connection_put(m->connection, octets, &taken, err));
        if (taken == 0)
            net_wait(m->net, INT64_MAX);
        octets = slice_cut(octets, taken, octets.len);
    }
    return RC_OK;
}

enum rc low_line(struct imap_mailbox *m, int64_t until_boot_ms, struct slice *line, struct err *err)
{
    TRY(connection_line(m->connection, line, err));
    if (line->at != NULL || imap_now(m) >= until_boot_ms)
        return RC_OK;
    net_wait(m->net, until_boot_ms);
    return connection_line(m->connection, line, err);
}
