/* SPDX-License-Identifier: Apache-2.0
 *
 * reader (port) - turns stored octets into a struct message, in a process that may die of them.
 *
 * Read, its decoded attachments stand as spool files under tmp/, named in message.parts; the caller forgets
 * them when done (blobs.forget). Texts stand in the message alone. Looked at, all is known of them but their octets: `file` is absent,
 * and nothing is written. RC_REFUSED: this message cannot be read, and never will be by this
 * version (it crashed the reader, or broke a limit); the original stays. RC_DEFERRED: no room.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/message.h>

/* A copy of what is kept (items/…), which is elsewhere, has a name that begins so: it is read however
 * large it is, as the original would be. */
#define READER_LET_IN_COPY "tmp/items-"

struct reader {
    void *self;
    /* `path` as in blobs.h. */
    enum rc (*read)(void *self, const char *path, struct message *out, struct err *err);
    enum rc (*look)(void *self, const char *path, struct message *out, struct err *err);
};
