/* SPDX-License-Identifier: Apache-2.0
 *
 * migrations - the files of src/store/sql/, embedded by the build in the order of their numbers.
 *
 * migrations[i].version is i + 1. A released file is never edited; a change is a new file.
 */
#pragma once

#include <stddef.h>

struct migration {
    int version;
    const char *name; /* "ledger" of 0001_ledger.sql */
    int oldest; /* the schema of the oldest program that works with what it makes; mostly its own */
    const char *sql; /* the whole file */
};

extern const struct migration migrations[];
extern const size_t migration_count;
