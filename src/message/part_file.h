/* SPDX-License-Identifier: Apache-2.0
 *
 * part_file - one part of the message in the making: its entry, and its octets on their way to the
 * spool, counted and hashed.
 */
#pragma once

#include "magic.h"
#include "spool.h"

#include <onecase/message.h>
#include <onecase/message_reader.h>

/* Where parts are added. */
struct part_sink {
    const struct reader_limits *limits;
    const struct spool *spool;
    struct message *out;
    int64_t total; /* octets of all parts so far */
};

struct part_file {
    struct part_sink *sink;
    struct message_part *part; /* until the next part begins */
    struct sha256 *hash;
    char start[MAGIC_OCTETS]; /* its first octets */
    size_t started;
};

/* What a part is, by what its sender says. Borrowed. */
struct part_label {
    enum part_role role;
    struct slice type, name;
};

/* `f` is zeroed. RC_REFUSED: the mail has as many parts as it may, or they as many octets. */
enum rc part_file_begin(struct part_file *f,
                        struct part_sink *sink,
                        const struct part_label *label,
                        struct err *err) MUST_CHECK;
enum rc part_file_add(struct part_file *f, struct slice octets, struct err *err) MUST_CHECK;
enum rc part_file_end(struct part_file *f, struct err *err) MUST_CHECK;
void part_file_clear(struct part_file *f); /* for CLEANUP */

/* All of it at once. */
enum rc part_file_write(struct part_sink *sink,
                        const struct part_label *label,
                        struct slice octets,
                        struct err *err) MUST_CHECK;
