/* SPDX-License-Identifier: Apache-2.0
 *
 * base64 - the part of transfer.c that is longest.
 */
#pragma once

#include "transfer.h"

/* Takes whole groups of four digits off the front of `octets`, as many as stand there and are taken at
 * once; gives how many octets those were. 0: the first is base64_octet's. */
size_t base64_groups(struct decoder *d, struct slice octets, struct str *out);
void base64_octet(struct decoder *d, char c, struct str *out);
void base64_end(struct decoder *d, struct str *out);
