/* SPDX-License-Identifier: Apache-2.0
 *
 * mustache - the part of Mustache that letters and pages need: values, sections, inverted sections, lists.
 *
 * No partials, lambdas, set delimiters. In a letter what is written is plain text; in a page every
 * value is escaped, but what is markup by the value's own word: a template cannot ask for less. A
 * template is checked once; rendering then cannot fail.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/str.h>

struct mustache_scope;

/* A value is a text, or a list of scopes that a section repeats over: there names are looked for in the
 * row first, then around it. */
struct mustache_value {
    const char *name;
    struct slice text;                /* of a plain value */
    const struct mustache_scope *row; /* of a list; NULL where it is none */
    size_t rows;
    bool markup; /* its text stands in a page as it is */
};

struct mustache_scope {
    const struct mustache_value *value;
    size_t count;
};

/* RC_REFUSED: "LINE: what is wrong". `known` ends with NULL; NULL is any name; "list.name" is a name
 * that stands in the section of that list alone. */
enum rc mustache_check(struct slice text, const char *const *known, struct err *err) MUST_CHECK;
void mustache_render(struct slice text, const struct mustache_scope *scope, struct str *out);
/* A page: & < > " and ' of values are escaped, in elements and in quoted attributes alike. */
void mustache_render_page(struct slice text, const struct mustache_scope *scope, struct str *out);
