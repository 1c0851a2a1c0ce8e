/* SPDX-License-Identifier: Apache-2.0
 *
 * answer - what one line of clamd's says.
 */
#pragma once

#include <onecase/scanner.h>

void answer_read(struct slice line, struct scan_verdict *out);
/* Octets of another program as a short text: printable ASCII, no quotes, cut. */
void answer_words(struct slice octets, char out[SCAN_NAME_SIZE]);
