/* SPDX-License-Identifier: Apache-2.0
 *
 * mustache - the part of Mustache that a letter needs: values, sections, inverted sections, lists.
 *
 * No partials, lambdas, set delimiters, and no escaping: what is written is plain text. A template is
 * checked once against the names it may use; rendering then cannot fail.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/str.h>

/* A value is a text, or a list of texts that a section repeats over as {{name}}. */
struct mustache_value {
    const char *name;
    struct slice text;       /* of a plain value */
    const char *const *item; /* of a list; NULL where it is none */
    size_t items;
};

struct mustache_scope {
    const struct mustache_value *value;
    size_t count;
};

/* RC_REFUSED: "LINE: what is wrong". `known` ends with NULL. */
enum rc mustache_check(struct slice text, const char *const *known, struct err *err) MUST_CHECK;
void mustache_render(struct slice text, const struct mustache_scope *scope, struct str *out);
