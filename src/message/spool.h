/* SPDX-License-Identifier: Apache-2.0
 *
 * spool - where the octets of parts go, one file after the other.
 *
 * The reader has no paths: it asks for the next file and writes to it. A failure is handed on as it
 * is. RC_DEFERRED: no room.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/message.h>

struct spool {
    void *self;
    /* Begins a part's file; `file` becomes its name, as message.parts says, or stays empty where its
     * octets are not kept. */
    enum rc (*begin)(void *self, enum part_role role, struct str *file, struct err *err);
    enum rc (*add)(void *self, struct slice octets, struct err *err);
    enum rc (*end)(void *self, struct err *err);
};
