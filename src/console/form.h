/* SPDX-License-Identifier: Apache-2.0
 *
 * form - what a browser sends: names and values, application/x-www-form-urlencoded.
 *
 * Bounded: so many fields, and no more octets than were sent. A name that comes twice has its first
 * value, and form_next gives them all. NUL octets and what is no UTF-8 are replaced.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/str.h>

#define FORM_FIELDS_MAX 512

struct form {
    struct {
        const char *name, *value; /* into `text` */
    } * field;
    size_t count;
    char *text; /* owned */
};

/* RC_USAGE: too many fields. */
enum rc form_parse(struct slice text, struct form *out, struct err *err) MUST_CHECK;
void form_clear(struct form *form); /* for CLEANUP */
/* "" where it was not sent. */
const char *form_get(const struct form *form, const char *name);
bool form_has(const struct form *form, const char *name);
/* The next value of that name from *at on, which is moved behind it; NULL: no more. */
const char *form_next(const struct form *form, const char *name, size_t *at);

/* Was the name sent with that value among others? */
bool form_has_value(const struct form *form, const char *name, const char *value);

/* Adds a text as it stands in a query or a path. */
void url_add(struct str *out, const char *text);
