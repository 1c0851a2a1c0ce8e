/* SPDX-License-Identifier: Apache-2.0
 *
 * base64 - octets as base 64 (RFC 4648), on one line, and back.
 */
#pragma once

#include <onecase/str.h>

void base64_add(struct str *out, struct slice octets);

/* Adds what `text` stands for. False where it is no base 64, with its padding: `out` is then of no use. */
bool base64_take(struct slice text, struct str *out) MUST_CHECK;
