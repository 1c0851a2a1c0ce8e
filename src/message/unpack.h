/* SPDX-License-Identifier: Apache-2.0
 *
 * unpack - files within parts, as further attachments: the part that holds them is kept as it is.
 *
 * uuencoded blocks in a text, and the files of a winmail.dat. Nothing else is opened: messages,
 * archives and encrypted containers are one attachment each.
 */
#pragma once

#include "part_file.h"
#include "tree.h"

/* Adds the files of a text; `shown` is the text without their octets. */
enum rc unpack_text(struct part_sink *sink, struct slice text, struct str *shown, struct err *err)
    MUST_CHECK;

bool unpack_wants(const struct node *node); /* is it a winmail.dat? */
enum rc unpack_tnef(struct part_sink *sink, struct slice octets, struct err *err) MUST_CHECK;
