/* SPDX-License-Identifier: Apache-2.0
 *
 * base64 - the part of transfer.c that is longest.
 */
#pragma once

#include "transfer.h"

void base64_octet(struct decoder *d, char c, struct str *out);
void base64_end(struct decoder *d, struct str *out);
