/* SPDX-License-Identifier: Apache-2.0
 *
 * charset_pieces - a text cut into what one converter reads.
 *
 * Of some charsets no converter of the C library knows all that the WHATWG Encoding Standard has:
 *   Big5          CP950, and for what Hong Kong added BIG5-HKSCS, which has other signs and marks
 *   EUC-JP        EUC-JP-MS, and for NEC's copy of IBM's characters (as in the name 髙橋) CP932
 *   GBK           GB18030, and for the euro sign of Windows CP936
 */
#pragma once

#include "charset_labels.h"

#include <onecase/str.h>

/* Takes the next piece off `rest` and writes it to `out`, empty before; false at the end. *second is
 * whether the second converter of the charset reads it. */
bool charset_piece(enum charset_form form, struct slice *rest, struct str *out, bool *second);
