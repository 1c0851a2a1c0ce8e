/* SPDX-License-Identifier: Apache-2.0
 *
 * words - encoded words in headers (RFC 2047), wherever and however mail programs write them.
 *
 * Decoded also: words glued to text or to each other, inside quotes and parameters, with raw blanks
 * or folds inside, with a language (RFC 2231), of unknown charsets. Neighbours of one charset and
 * encoding are joined before they are converted, since characters are cut between them; white space
 * between neighbours is none. What stands outside is raw: UTF-8 if valid, else windows-1252.
 */
#pragma once

#include <onecase/str.h>

/* Adds the text of an unfolded header value to `out`. UTF-8 without NUL; it may have line ends. */
void words_decode(struct slice raw, struct str *out);
bool words_present(struct slice raw); /* is there an encoded word at all? */
/* The length of the encoded word at the front, or 0. One of more than WORD_MAX octets is none. */
#define WORD_MAX 512
size_t words_length(struct slice raw);

/* A header's text for a person: unfolded, decoded, control characters but tabs blanks, trimmed. */
void words_text(struct slice raw, struct str *out);

/* Removes line ends: the white space of a fold stays. */
void words_unfold(struct slice raw, struct str *out);
/* Turns control characters (C0, DEL, C1, line and paragraph separators) into blanks. */
void words_plain(struct str *text);
