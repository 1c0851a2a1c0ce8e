/* SPDX-License-Identifier: Apache-2.0
 *
 * question - what a person is asked about a mail, for the queue and for the mail's own page.
 */
#pragma once

#include "console_p.h"

/* Is there anything to be decided now? */
bool has_question(const struct view_item *item);
/* Fills what question.html needs, besides what put_item has. `item` is whole. */
enum rc
put_question(struct visit *v, struct fields *f, const struct view_item *item, struct err *err)
    MUST_CHECK;
/* Writes it by its template, as {{question}} of `into`. */
void question_markup(struct visit *v, struct fields *f, struct fields *into);
