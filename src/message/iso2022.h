/* SPDX-License-Identifier: Apache-2.0
 *
 * iso2022 - text with shifts rewritten as the EUC text that a converter reads.
 *
 * ISO-2022-JP as mail has it: also with the characters of NEC's row 13 and half-width katakana, which
 * the standard lacks and the C library's converter of that name refuses; the one for EUC knows them.
 */
#pragma once

#include <onecase/str.h>

/* Add the EUC form to `out`; what no shift explains stays as it is. */
void iso2022_jp_to_euc(struct slice text, struct str *out);
void hz_to_euc(struct slice text, struct str *out);

/* Whether the escapes of ISO-2022-JP stand in a text that is otherwise ASCII. */
bool iso2022_jp_likely(struct slice text);
