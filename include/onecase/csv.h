/* SPDX-License-Identifier: Apache-2.0
 *
 * csv - a table as text with commas between its fields (RFC 4180), read record by record.
 *
 * Lines end with LF, a CR before it or none; the last may end with the text. A field that holds a comma, a
 * quote or a line end stands in quotes, and a quote inside it is written twice. A byte order mark at the
 * beginning and empty lines are skipped. Every field must be UTF-8 without NUL. What is not of that form is
 * told with its place, and reading goes on at the next line. Sizes are bounded, and so is the work.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/str.h>

#define CSV_FIELDS_MAX 64
#define CSV_FIELD_MAX  8192 /* octets of one field */

struct csv_reading {
    struct slice text; /* borrowed */
    size_t at, line_at;
    unsigned line; /* from 1 */
};

/* A place as editors count: lines and characters from 1. */
struct csv_place {
    unsigned line, column;
};

struct csv_record {
    struct str octets;
    struct csv_field {
        size_t from, len; /* in `octets` */
        struct csv_place place;
    } field[CSV_FIELDS_MAX];
    size_t fields;
};

void csv_begin(struct csv_reading *r, struct slice text);
/* RC_NOT_FOUND: that was the last. RC_REFUSED: the line at `place` is not of that form, and `err` says what to do
 * about it; the next call goes on behind it. */
enum rc
csv_next(struct csv_reading *r, struct csv_record *out, struct csv_place *place, struct err *err)
    MUST_CHECK;
struct slice csv_field(const struct csv_record *record, size_t field); /* borrowed */
void csv_record_clear(struct csv_record *record);                      /* for CLEANUP */
