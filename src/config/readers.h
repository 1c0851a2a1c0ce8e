/* SPDX-License-Identifier: Apache-2.0
 *
 * readers - one function for each way in which a value is read (values.h, value_read).
 */
#pragma once

#include "values.h"

typedef bool read_fn(const struct value_context *c,
                     const struct setting *s,
                     struct slice text,
                     void *into,
                     struct str *why);

read_fn read_text, read_lower, read_flag, read_choice;
read_fn read_number, read_duration, read_date, read_octets, read_limit;
read_fn read_folder, read_file, read_zone, read_regex;

/* Whether the text is one of its type, as far as that can be seen from the text. */
bool value_check(const struct setting *s, struct slice text);
