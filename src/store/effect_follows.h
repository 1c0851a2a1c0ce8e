/* SPDX-License-Identifier: Apache-2.0
 *
 * effect_follows - what follows from an effect's step, in the same transaction.
 */
#pragma once

#include "steps.h"

/* A move that is done took its delivery out of its folder; an attachment is stored or refused; what
 * is in doubt is settled by evidence that came before. */
enum rc effect_follows(struct writing *w,
                       const char *key,
                       const struct effect_change *change,
                       struct err *err) MUST_CHECK;
