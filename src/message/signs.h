/* SPDX-License-Identifier: Apache-2.0
 *
 * signs - what a header says against an answer: programs that write, lists, null paths, reports.
 *
 * Two tables: fields, and how the subjects begin that programs give to their answers where they say
 * it nowhere else (Exchange, Notes and some providers). What begins with a reply prefix was written
 * by somebody. Of a field that stands twice every one counts: what one of them says, holds.
 */
#pragma once

#include "fields.h"

/* Of enum message_sign. `subject` is decoded. */
uint32_t signs_read(const struct fields *fields, struct slice subject);
