/* SPDX-License-Identifier: Apache-2.0
 *
 * problems - all that is wrong with a configuration, each at its place, told at once.
 */
#pragma once

#include <onecase/str.h>

struct place {
    size_t line, column; /* from 1 */
};

struct problem {
    struct place place;
    char *text;
};

struct problems {
    struct problem *at;
    size_t count;
};

void problem_at(struct problems *p, struct place where, const char *format, ...) PRINTF(3, 4);
/* One line each in the order of the file, the same one only once: "PATH:LINE:COLUMN: text\n". */
void problems_print(struct problems *p, const char *path, struct str *out);
void problems_clear(struct problems *p); /* for CLEANUP */
