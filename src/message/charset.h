/* SPDX-License-Identifier: Apache-2.0
 *
 * charset - octets of any character set as UTF-8, by the names and mappings of the wild.
 *
 * A label is looked up in a table of ours (the names of the WHATWG Encoding Standard, which reads
 * gb2312 as GB18030 and iso-8859-1 as windows-1252, and a few more); one that is not in it never
 * reaches the converter. Converting cannot fail: what is no character becomes U+FFFD, and so does
 * NUL. Which reading is taken, the first that fits:
 *
 *   what a byte order mark says
 *   UTF-8, if UTF-16 or UTF-32 is the label and there is no NUL
 *   the label's, if it fits without fault; us-ascii and unlabelled text is UTF-8 if it can be, or
 *   ISO-2022-JP if it has its escapes
 *   UTF-8, if it fits without fault, or unlabelled but for a few octets (a name cut in a character)
 *   the label's, with replacements where few characters are at fault
 *   windows-1252, with replacements
 *
 * What is labelled UTF-8 and is not stays UTF-8 with replacements in a text, which may be cut or
 * damaged anywhere. Where no character of several octets is right it is windows-1252 in a header or
 * a name, and in a text whose other octets stand in words, as in "Grüße".
 */
#pragma once

#include <onecase/str.h>

enum charset_use { CHARSET_TEXT, CHARSET_HEADER };

/* Adds the UTF-8 of `octets` to `out`. An empty label is none; what follows "*" in it is a language. */
void charset_decode(struct slice label, struct slice octets, enum charset_use use, struct str *out);

/* The same for raw octets of a header: UTF-8 if valid, else windows-1252. */
void charset_decode_raw(struct slice octets, struct str *out);

bool charset_known(struct slice label);
bool utf8_fits(struct slice octets); /* valid UTF-8; NUL is a character like any other */
/* The longest beginning of a UTF-8 text of at most `most` octets that ends between characters. */
struct slice utf8_beginning(struct slice text, size_t most);

/* Opens every converter of the table, so that none has to be searched on the disk later. Where one
 * is missing on this machine, its labels are as unknown. */
void charset_prepare(void);
