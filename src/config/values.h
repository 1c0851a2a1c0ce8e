/* SPDX-License-Identifier: Apache-2.0
 *
 * values - what one value may be, how it is read, and how that is said to a person.
 *
 * One row of `value_types` a type. Reading writes the whole value to its place, or nothing.
 */
#pragma once

#include "memory.h"
#include "settings.h"

struct value_context {
    struct config_memory *memory;
    const char *folder; /* of the configuration file; relative paths begin there */
};

/* False where `text` is not allowed. `why` is then empty, and value_allowed says what is; or it is
 * the reason itself, as for a file that cannot be read. */
bool value_read(const struct value_context *c,
                const struct setting *s,
                struct slice text,
                void *into,
                struct str *why);

bool value_is_text(enum value_type type); /* lands in a const char * */
void value_put(const struct value_context *c, struct slice text, void *into); /* the same, read */

/* "a number from 1 to 65535", "one of tls, starttls, none"; of one value, also where it is MANY. */
void value_allowed(const struct setting *s, struct str *out);

/* A duration and a size as the file would say it: "90s", "15m", "50MB". */
void duration_text(int64_t ms, struct str *out);
void octets_text(int64_t octets, struct str *out);
