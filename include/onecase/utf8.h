/* SPDX-License-Identifier: Apache-2.0
 *
 * utf8 - the characters of a text that may not be UTF-8 (RFC 3629: shortest form, no surrogates).
 */
#pragma once

#include <onecase/str.h>

#define UTF8_BAD UINT32_MAX

/* Takes one character off the front of a text that is not empty. What is no character gives
 * UTF8_BAD and takes one octet. */
uint32_t utf8_next(struct slice *rest);
bool utf8_valid(struct slice text);
/* Adds the text with U+FFFD in the place of each octet that is no character. */
void utf8_mend(struct slice text, struct str *out);
/* Whether a text may be cut at `at`: before an octet that does not continue a character. */
bool utf8_boundary(struct slice text, size_t at);
/* The longest beginning of `text` of at most `most` octets that ends between characters. */
struct slice utf8_cut(struct slice text, size_t most);
