/* SPDX-License-Identifier: Apache-2.0
 *
 * case_rows - the case that a judged mail makes, joins or is linked with.
 *
 * A case has the key of the item that made it; its reference is made of that key, and a collision
 * takes two digits more. A report leaves a line with the acknowledgement it is about.
 */
#pragma once

#include "plan_rows.h"

/* Of SQL: a person has said that another case stands for this one. */
#define IS_COPY(item)                                                                              \
    "EXISTS (SELECT 1 FROM case_link AS copied WHERE copied.kind = 'authoritative'"                \
    " AND copied.from_key = " item ".key)"

/* `case_key` is borrowed from `p`, NULL where it has no case. */
enum rc case_rows_add(struct writing *w,
                      const struct planned *p,
                      const char **case_key,
                      char reference[REFERENCE_SIZE],
                      struct err *err) MUST_CHECK;

enum rc case_link_add(struct writing *w,
                      const char *from_key,
                      const char *to_key,
                      const char *kind,
                      struct err *err) MUST_CHECK;
