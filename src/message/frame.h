/* SPDX-License-Identifier: Apache-2.0
 *
 * frame - what the reader and its child say to each other, over a pair of stream sockets.
 *
 *   to the child   FRAME_READ     a descriptor of the original; 8 octets: its size
 *                  FRAME_LOOK     the same; no file is wanted
 *                  FRAME_FILE     a descriptor of a spool file; its name
 *   to the reader  FRAME_READY    it is locked in and waits
 *                  FRAME_FILE     it wants a file
 *                  FRAME_MESSAGE  the flat message (message_write)
 *                  FRAME_FAILURE  an octet: enum rc; and the sentence for a person
 *
 * Neither side trusts lengths: `most` bounds what is taken. RC_BROKEN: the other side is gone, out of
 * time, or says what is no frame.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/str.h>

#define NO_FILE (-1)

enum frame_kind {
    FRAME_READ = 'R',
    FRAME_LOOK = 'L',
    FRAME_READY = 'Y',
    FRAME_FILE = 'F',
    FRAME_MESSAGE = 'M',
    FRAME_FAILURE = 'E',
};

struct frame {
    char kind;
    struct str text;
    int file; /* a descriptor that came with it, ours to close; or NO_FILE */
};

/* clang-format off */
#define FRAME_INIT {0, STR_INIT, NO_FILE}
/* clang-format on */

struct channel {
    int socket;
    /* How long may still be waited; NULL is for ever. */
    int (*left_ms)(void *self);
    void *self;
};

enum rc frame_send(const struct channel *c,
                   enum frame_kind kind,
                   struct slice text,
                   int file,
                   struct err *err) MUST_CHECK;
/* `out` is FRAME_INIT or a former result. */
enum rc frame_receive(const struct channel *c, size_t most, struct frame *out, struct err *err)
    MUST_CHECK;
void frame_clear(struct frame *f); /* for CLEANUP */

/* Numbers in frames: 8 octets, least significant first. */
void frame_put_number(int64_t number, struct str *out);
bool frame_take_number(struct slice text, int64_t *out);
