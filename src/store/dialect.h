/* SPDX-License-Identifier: Apache-2.0
 *
 * dialect - the one SQL text, as PostgreSQL takes it: the one place where the two differ.
 *
 * Statements and migrations are written for SQLite, in words that both know; what is left is a row of
 * `dialects`. A row is found outside of comments, quoted names and texts, where neither a letter
 * before nor one after makes it part of a longer word, and only as it stands: two blanks are not one.
 */
#pragma once

#include <onecase/str.h>

struct dialect {
    const char *from;
    const char *until; /* everything from `from` to the end of this goes; NULL: `from` alone */
    const char *to;
};

extern const struct dialect dialects[];
extern const size_t dialect_count;

/* Adds `sql` to `out`, comments left out. */
void dialect_write(const char *sql, struct str *out);
