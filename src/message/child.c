/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"
#include "frame.h"
#include "parse.h"
#include "prescan.h"
#include "sandbox.h"

#include <errno.h>
#include <unistd.h>

/* The spool: each attachment's file is asked for, and written to as a descriptor; texts stand in the message */

struct files {
    const struct channel *channel;
    const struct reader_limits *limits;
    int file;
};

static enum rc files_begin(void *self, enum part_role role, struct str *name, struct err *err)
{
    struct files *f = self;
    CLEANUP(frame_clear) struct frame answer = FRAME_INIT;

    if (role != PART_ATTACHMENT)
        return RC_OK;
    TRY(frame_send(f->channel, FRAME_FILE, SLICE_EMPTY, NO_FILE, err));
    TRY(frame_receive(f->channel, ERR_TEXT_SIZE, &answer, err));
    if (answer.kind != FRAME_FILE || answer.file == NO_FILE)
        return FAIL(err, RC_BROKEN, "reader: no spool file was handed over");
    str_add(name, str_slice(&answer.text));
    f->file = answer.file;
    answer.file = NO_FILE;
    return RC_OK;
}

/* clang-format off */
static const struct {
    int error;
    enum rc rc;
} write_errors[] = {
    {ENOSPC, RC_DEFERRED},
    {EDQUOT, RC_DEFERRED},
    {EFBIG,  RC_REFUSED},
};
/* clang-format on */

static enum rc write_failed(int error, struct err *err)
{
    for (size_t i = 0; i < LENGTH(write_errors); i++)
        if (write_errors[i].error == error)
            return FAIL(err, write_errors[i].rc, "reader: %s",
                        error == EFBIG ? "a part is too long" : "no room for a part on the disk");
    return FAIL(err, RC_BROKEN, "reader: writing a part: error %d", error);
}

static enum rc files_add(void *self, struct slice octets, struct err *err)
{
    struct files *f = self;

    while (f->file != NO_FILE && octets.len > 0) {
        ssize_t n = write(f->file, octets.at, octets.len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return write_failed(n < 0 ? errno : ENOSPC, err);
        octets = slice_cut(octets, (size_t)n, octets.len);
    }
    return RC_OK;
}

static enum rc files_end(void *self, struct err *err)
{
    struct files *f = self;
    int failed = f->file != NO_FILE ? close(f->file) : 0;

    f->file = NO_FILE;
    return failed != 0 ? write_failed(errno, err) : RC_OK;
}

/* No spool: parts are measured and hashed, and nobody keeps their octets */

static enum rc nothing_begins(void *self, enum part_role role, struct str *name, struct err *err)
{
    (void)self, (void)role, (void)name, (void)err;
    return RC_OK;
}

static enum rc nothing_is_added(void *self, struct slice octets, struct err *err)
{
    (void)self, (void)octets, (void)err;
    return RC_OK;
}

static enum rc nothing_ends(void *self, struct err *err)
{
    (void)self, (void)err;
    return RC_OK;
}

static const struct spool no_spool = {NULL, nothing_begins, nothing_is_added, nothing_ends};

/* One mail after the other */

static enum rc say_failure(const struct channel *c, const struct err *failure, struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    str_addc(&text, (char)failure->rc);
    str_addz(&text, failure->text);
    return frame_send(c, FRAME_FAILURE, str_slice(&text), NO_FILE, err);
}

static enum rc read_one(const struct channel *c,
                        const struct reader_limits *limits,
                        const struct frame *request,
                        struct err *err)
{
    CLEANUP(message_clear) struct message message = MESSAGE_INIT;
    CLEANUP(str_clear) struct str flat = STR_INIT;
    struct err failure = ERR_INIT;
    struct files files = {c, limits, NO_FILE};
    const struct spool spool = {&files, files_begin, files_add, files_end};
    int64_t size;

    if ((request->kind != FRAME_READ && request->kind != FRAME_LOOK) || request->file == NO_FILE ||
        !frame_take_number(str_slice(&request->text), &size))
        return FAIL(err, RC_BROKEN, "reader: what was asked is not known");
    sandbox_allow_cpu(limits->cpu_seconds);

    struct octets octets = octets_of_file(request->file, size);
    enum rc rc = parse_message(&octets, limits, request->kind == FRAME_LOOK ? &no_spool : &spool,
                               &message, &failure);

    if (files.file != NO_FILE)
        close(files.file);
    if (rc != RC_OK)
        return say_failure(c, &failure, err);
    message_write(&message, &flat);
    return frame_send(c, FRAME_MESSAGE, str_slice(&flat), NO_FILE, err);
}

static enum rc serve(const struct channel *c, const struct reader_limits *limits, struct err *err)
{
    CLEANUP(frame_clear) struct frame request = FRAME_INIT;

    TRY(frame_send(c, FRAME_READY, SLICE_EMPTY, NO_FILE, err));
    for (;;) {
        TRY(frame_receive(c, ERR_TEXT_SIZE, &request, err));
        TRY(read_one(c, limits, &request, err));
    }
}

/* The libraries load what they need before the door is closed. What serve ends with is of no use to
 * anybody: the reader has closed the socket, or sees it closed. */
void child_main(int socket, const struct reader_limits *limits)
{
    struct err err = ERR_INIT;
    struct channel c = {.socket = socket};
    bool locked_in;

    parse_prepare();
    locked_in = sandbox_enter(limits, &err) == RC_OK;
    if (!locked_in)
        (void)(say_failure(&c, &err, &err) == RC_OK);
    if (locked_in)
        (void)(serve(&c, limits, &err) == RC_OK);
    _exit(0);
}
