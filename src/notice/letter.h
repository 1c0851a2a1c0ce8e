/* SPDX-License-Identifier: Apache-2.0
 *
 * letter - a notice as octets, by GMime.
 */
#pragma once

#include <onecase/notifier.h>

struct notice_letter {
    const char *from_name, *from_address, *to;
    const struct notice *notice;
};

enum rc notice_letter_write(const struct notice_letter *letter, struct str *out, struct err *err)
    MUST_CHECK;
