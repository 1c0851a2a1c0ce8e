/* SPDX-License-Identifier: Apache-2.0
 *
 * marks - what a person is told of a mail that cannot be read here: signed, encrypted, a piece.
 */
#pragma once

#include "parameters.h"

#include <onecase/message.h>

/* Bits of enum message_sign that a part's type is a sign of. */
uint32_t marks_of_part(struct slice type, const struct parameters *parameters);
/* The same of a text, in which PGP may stand as it is. */
uint32_t marks_of_text(struct slice text);
