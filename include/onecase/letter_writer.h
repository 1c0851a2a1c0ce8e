/* SPDX-License-Identifier: Apache-2.0
 *
 * letter_writer - the composer port over Mustache templates and a MIME library.
 *
 * A template is a UTF-8 file: its first line "Subject: ...", an empty line, the text. Between {{ and }}
 * stand the names of letter_fields; sections {{#name}}...{{/name}} and {{^name}}...{{/name}} and the
 * list {{#exceptions}}{{name}}{{/exceptions}} are known, partials, lambdas and set delimiters are not.
 * A value is put in as it is: nothing in it is a directive, and in the subject a line break is a blank.
 *
 * Templates are read and checked once, at the start: what is wrong with one is said as
 * FILE:LINE: what, and the service does not start.
 */
#pragma once

#include <onecase/composer.h>

struct letter_settings {
    const char *from_name, *from_address; /* of `from` */
    const char *domain;                   /* right side of the Message-ID */
    const char *templates_dir;
    const char *file[COMPLETION_COUNT]; /* "" or NULL: none is sent for it */
};

struct letter_writer;

enum rc letter_writer_new(const struct letter_settings *settings,
                          struct letter_writer **out,
                          struct err *err) MUST_CHECK;
struct composer letter_writer_port(struct letter_writer *writer); /* valid until freed */
void letter_writer_free(struct letter_writer **writer);           /* for CLEANUP */

/* The names a template may use, for the documentation: "name", "meaning"; ends with NULL. */
struct letter_field {
    const char *name, *meaning;
};
extern const struct letter_field letter_fields[];
