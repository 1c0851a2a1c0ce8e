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

/* So that it can be found by its sender's words. */
enum rc
case_findable_add(struct writing *w, const char *key, const char *reference, struct err *err)
    MUST_CHECK;

/* Who takes part in it; nothing where the address is an own one, or empty. */
enum rc case_participant_add(struct writing *w,
                             const char *case_key,
                             const struct policy *policy,
                             struct slice address,
                             struct err *err) MUST_CHECK;
