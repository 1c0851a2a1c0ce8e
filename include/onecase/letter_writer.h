/* SPDX-License-Identifier: Apache-2.0
 *
 * letter_writer - the composer port over Mustache templates and a MIME library.
 *
 * A template is a UTF-8 file: its first line "Subject: ...", perhaps "Content-Language: de", an empty
 * line, the text. Beside NAME.txt may stand one a language, NAME.de.txt, which serves mail in German;
 * which one is taken is language.h's rule. With `html` a file NAME.html beside each is an alternative
 * to its text. Between {{ and }} stand the names of letter_fields; sections {{#name}}...{{/name}} and
 * {{^name}}...{{/name}} and the list exceptions are known, partials, lambdas and set delimiters are
 * not. A value is put in as it is, in HTML escaped: nothing in it is a directive, and in the subject
 * a line break is a blank.
 *
 * Templates are read and checked once, at the start: what is wrong with one is said as
 * FILE:LINE: what, and the service does not start.
 */
#pragma once

#include <onecase/composer.h>

/* Borrowed while the writer lives. */
struct letter_settings {
    const char *from_name, *from_address; /* of `from` */
    const char *domain;                   /* right side of the Message-ID */
    const char *templates_dir;
    const char *file[COMPLETION_COUNT]; /* "" or NULL: none is sent for it */
    const char *language;               /* where nothing says another; "" is the file's own */
    struct texts languages;             /* no others are spoken; empty: all that have a file */
    bool html;
};

struct letter_writer;

enum rc letter_writer_new(const struct letter_settings *settings,
                          struct letter_writer **out,
                          struct err *err) MUST_CHECK;
struct composer letter_writer_port(struct letter_writer *writer); /* valid until freed */
void letter_writer_free(struct letter_writer **writer);           /* for CLEANUP */

/* What compose writes, before it is encoded for the way. */
struct letter_texts {
    const char *language; /* of the template; "" is not said */
    struct str subject, text, html;
};
/* `out` is zeroed. */
enum rc letter_writer_show(const struct letter_writer *writer,
                           const struct acknowledgement_facts *facts,
                           struct letter_texts *out,
                           struct err *err) MUST_CHECK;
void letter_texts_clear(struct letter_texts *texts); /* for CLEANUP */

/* The names a template may use: "name", "meaning"; "list.name" stands in that list's section alone. Ends
 * with NULL. */
#define LETTER_FIELDS_MAX 32
struct letter_field {
    const char *name, *meaning;
};
extern const struct letter_field letter_fields[];
