/* SPDX-License-Identifier: Apache-2.0
 *
 * texts - the templates of one completion state: one of the configured name, and one a language beside
 * it, as acknowledgement.de.txt stands beside acknowledgement.txt.
 */
#pragma once

#include <onecase/letter_writer.h>

#include <onecase/language.h>

struct text {
    struct str octets;
    struct slice subject, body;   /* into octets */
    struct str html;              /* the whole file; empty: there is none */
    char language[LANGUAGE_SIZE]; /* lower case; "" is not said */
};

struct text_set {
    struct text *at; /* the first is the configured one */
    size_t count;
};

/* Reads and checks every one. RC_REFUSED: "FILE:LINE: what". */
enum rc texts_load(const struct letter_settings *settings,
                   const char *file,
                   struct text_set *out,
                   struct err *err) MUST_CHECK;
void texts_clear(struct text_set *set);

/* The one that serves the wished languages best; else the mailbox's own. NULL: the set is empty. */
const struct text *
texts_pick(const struct text_set *set, const struct letter_settings *settings, const char *wished);
