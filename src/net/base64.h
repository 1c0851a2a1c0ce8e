/* SPDX-License-Identifier: Apache-2.0
 *
 * base64 - writes octets as base 64 (RFC 4648), on one line.
 */
#pragma once

#include <onecase/str.h>

void base64_add(struct str *out, struct slice octets);
