/* SPDX-License-Identifier: Apache-2.0
 *
 * fields - what a page says: names with texts, and lists of rows that have names of their own.
 *
 * Built by a page's function, written by its template. Texts are copied; names are string literals.
 * Nothing here knows markup: every text is escaped where it is written, but what put_markup gives.
 */
#pragma once

#include <onecase/mustache.h>
#include <stdint.h>

struct fields;

struct fields *fields_new(void) MUST_CHECK;
void fields_free(struct fields **fields); /* for CLEANUP; the rows too */

void put(struct fields *f, const char *name, const char *text); /* NULL is "" */
void put_slice(struct fields *f, const char *name, struct slice text);
void put_format(struct fields *f, const char *name, const char *format, ...) PRINTF(3, 4);
void put_number(struct fields *f, const char *name, int64_t number);
void put_flag(struct fields *f, const char *name, bool flag);
/* What a template, or a drawing, has written. */
void put_markup(struct fields *f, const char *name, struct slice markup);
/* An instant as a list of one row: {{#seen}}<time datetime="{{utc}}">{{local}}</time>{{/seen}}; none
 * where it is NOT_DUE or 0. */
void put_when(struct fields *f, const char *name, int64_t at_ms, int64_t now_ms);
struct fields *put_row(struct fields *f, const char *name); /* the list's next row; owned by it */

/* Writes a template as a page. */
void fields_render(struct fields *f, struct slice template, struct str *out);
