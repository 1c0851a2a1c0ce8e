/* SPDX-License-Identifier: Apache-2.0
 *
 * letter - an acknowledgement as octets: headers of contract section 5, text in UTF-8, perhaps with an
 * HTML alternative.
 *
 * Encoding and folding are GMime's. Control characters in any value become blanks before it is given
 * to the library, so no value can add a header or a recipient.
 */
#pragma once

#include <onecase/composer.h>

struct letter_facts {
    const char *from_name, *from_address, *message_id;
    const char *language;             /* of the texts; "" is not said */
    const struct str *subject, *text; /* rendered */
    const struct str *html;           /* an alternative to the text; NULL: none */
    const struct acknowledgement_facts *facts;
};

void letter_init(void); /* once a process, before letter_write */
enum rc letter_write(const struct letter_facts *letter, struct str *out, struct err *err)
    MUST_CHECK;
