/* SPDX-License-Identifier: Apache-2.0
 *
 * language - in which language a sender is told, by tags of RFC 5646 such as "de" or "pt-br".
 *
 * What a sender wrote into Content-Language is hostile octets: only tags are taken from it, in lower
 * case, as many as fit. Which of them is spoken is found as RFC 4647 looks up: "de-at", then "de".
 */
#pragma once

#include <onecase/str.h>

#define LANGUAGE_SIZE  36 /* of one tag with its NUL */
#define LANGUAGES_SIZE 96 /* of a list: tags with blanks between, the one wished most first */

bool language_valid(struct slice tag); /* a tag, in any case */

/* The tags of a Content-Language field (RFC 3282), which may have comments. */
void language_list(struct slice field, char out[LANGUAGES_SIZE]);

/* Which of the `spoken` tags serves the list best; `count` where none does. A spoken tag may be "",
 * and serves nobody. */
size_t language_pick(const char *wished, const char *const *spoken, size_t count);
