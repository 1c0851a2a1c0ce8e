/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_SIZE 5 /* the kind, and the length of the text in 4 octets */

/* Room for one descriptor beside the octets, aligned as the system wants it. */
union passing {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
};

/* Waits until the socket can be read from or written to. */
static enum rc await(const struct channel *c, short what, struct err *err)
{
    struct pollfd p = {.fd = c->socket, .events = what};

    for (;;) {
        int left = c->left_ms != NULL ? c->left_ms(c->self) : -1;
        int ready = poll(&p, 1, left);

        if (ready > 0)
            return RC_OK;
        if (ready == 0)
            return FAIL(err, RC_BROKEN, "reader: no time is left");
        if (errno != EINTR)
            return FAIL(err, RC_BROKEN, "reader: poll: error %d", errno);
    }
}

static enum rc send_some(const struct channel *c, struct msghdr *m, size_t *sent, struct err *err)
{
    for (;;) {
        TRY(await(c, POLLOUT, err));

        ssize_t n = sendmsg(c->socket, m, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n > 0) {
            *sent = (size_t)n;
            return RC_OK;
        }
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            return FAIL(err, RC_BROKEN, "reader: the other side is gone");
    }
}

static enum rc send_all(const struct channel *c, struct slice octets, int file, struct err *err)
{
    union passing passing;
    struct iovec piece;
    struct msghdr m = {.msg_iov = &piece, .msg_iovlen = 1};
    CLEANUP(str_clear) struct str copy = STR_INIT; /* sendmsg takes it without const */

    str_add(&copy, octets);
    memset(&passing, 0, sizeof passing);
    if (file != NO_FILE) {
        m.msg_control = &passing;
        m.msg_controllen = sizeof passing.room;
        passing.head.cmsg_level = SOL_SOCKET;
        passing.head.cmsg_type = SCM_RIGHTS;
        passing.head.cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(&passing.head), &file, sizeof file);
    }
    for (size_t at = 0; at < copy.len;) {
        size_t sent = 0;

        piece = (struct iovec){copy.at + at, copy.len - at};
        TRY(send_some(c, &m, &sent, err));
        at += sent;
        m.msg_control = NULL;
        m.msg_controllen = 0;
    }
    return RC_OK;
}

enum rc frame_send(
    const struct channel *c, enum frame_kind kind, struct slice text, int file, struct err *err)
{
    CLEANUP(str_clear) struct str octets = STR_INIT;

    str_addc(&octets, (char)kind);
    for (unsigned shift = 0; shift < 32; shift += 8)
        str_addc(&octets, (char)(uint8_t)(text.len >> shift));
    str_add(&octets, text);
    return send_all(c, str_slice(&octets), file, err);
}

/* Keeps the descriptor that came, if one did; a second one is closed. */
static void keep_file(struct msghdr *m, struct frame *out)
{
    struct cmsghdr *head = CMSG_FIRSTHDR(m);
    int file;

    if (head == NULL || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS ||
        head->cmsg_len != CMSG_LEN(sizeof file))
        return;
    memcpy(&file, CMSG_DATA(head), sizeof file);
    if (out->file != NO_FILE)
        close(file);
    else
        out->file = file;
}

static enum rc
/* NOLINTNEXTLINE(readability-non-const-parameter): recvmsg writes there */
receive(const struct channel *c, char *into, size_t len, struct frame *out, struct err *err)
{
    for (size_t at = 0; at < len;) {
        union passing passing;
        struct iovec piece = {into + at, len - at};
        struct msghdr m = {
            .msg_iov = &piece,
            .msg_iovlen = 1,
            .msg_control = &passing,
            .msg_controllen = sizeof passing.room,
        };

        TRY(await(c, POLLIN, err));

        ssize_t n = recvmsg(c->socket, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

        if (n > 0)
            keep_file(&m, out);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return FAIL(err, RC_BROKEN, "reader: the other side is gone");
        at += n > 0 ? (size_t)n : 0;
    }
    return RC_OK;
}

enum rc frame_receive(const struct channel *c, size_t most, struct frame *out, struct err *err)
{
    char head[HEAD_SIZE];
    char piece[65536];
    size_t len = 0;

    frame_clear(out);
    TRY(receive(c, head, sizeof head, out, err));
    out->kind = head[0];
    for (size_t i = 0; i < 4; i++)
        len |= (size_t)(uint8_t)head[1 + i] << (8 * i);
    if (len > most)
        return FAIL(err, RC_BROKEN, "reader: an answer of %zu octets", len);
    while (out->text.len < len) {
        size_t some = len - out->text.len < sizeof piece ? len - out->text.len : sizeof piece;

        TRY(receive(c, piece, some, out, err));
        str_add(&out->text, (struct slice){piece, some});
    }
    return RC_OK;
}

void frame_clear(struct frame *f)
{
    if (f->file != NO_FILE)
        close(f->file);
    str_clear(&f->text);
    *f = (struct frame)FRAME_INIT;
}

void frame_put_number(int64_t number, struct str *out)
{
    for (unsigned shift = 0; shift < 64; shift += 8)
        str_addc(out, (char)(uint8_t)((uint64_t)number >> shift));
}

bool frame_take_number(struct slice text, int64_t *out)
{
    uint64_t number = 0;

    if (text.len != 8)
        return false;
    for (size_t i = 0; i < 8; i++)
        number |= (uint64_t)(uint8_t)text.at[i] << (8 * i);
    *out = (int64_t)number;
    return *out >= 0;
}
