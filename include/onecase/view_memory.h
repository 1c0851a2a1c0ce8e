/* SPDX-License-Identifier: Apache-2.0
 *
 * view_memory - how a driver of views.h fills a view: rows that grow, texts that stay.
 *
 * Everything handed out here lives until view_clear. Rows may move while they grow.
 */
#pragma once

#include <onecase/views.h>

/* A list of rows of one size, owned by the view. */
struct view_rows {
    void *at;
    size_t count, size, slot;
};

struct view_rows view_rows_begin(struct view *view, size_t size);
void *view_rows_add(struct view *view, struct view_rows *rows); /* a zeroed row; moves the others */
const char *view_text(struct view *view, const char *text);     /* a copy; NULL gives "" */
struct slice view_octets(struct view *view, struct slice octets);
