/* SPDX-License-Identifier: Apache-2.0
 *
 * part_head - the header of a part as it stands in the mail.
 *
 * GMime keeps of a header what fits into C strings, and loses fields after a very long line that is
 * none; read as the mail's own header is, a part's is known as well.
 */
#pragma once

#include "octets.h"

/* Reads what stands between the delimiter before a part and `from`, where its content begins. `out`
 * is empty where that is more than `most` octets. */
void part_head_read(const struct octet_view *view, int64_t from, int64_t most, struct str *out);
