/* SPDX-License-Identifier: Apache-2.0 */
#include "base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static unsigned long octet(struct slice s, size_t at)
{
    return at < s.len ? (unsigned char)s.at[at] : 0;
}

void base64_add(struct str *out, struct slice octets)
{
    for (size_t at = 0; at < octets.len; at += 3) {
        size_t left = octets.len - at;
        unsigned long bits =
            octet(octets, at) << 16 | octet(octets, at + 1) << 8 | octet(octets, at + 2);

        str_addc(out, digits[bits >> 18 & 63]);
        str_addc(out, digits[bits >> 12 & 63]);
        str_addc(out, left > 1 ? digits[bits >> 6 & 63] : '=');
        str_addc(out, left > 2 ? digits[bits & 63] : '=');
    }
}
