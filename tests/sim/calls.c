/* SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"

#include <stdlib.h>

#define CALL_ROW(name, what, may, ms) {what, may, ms},
const struct call_row call_rows[CALL_COUNT] = {CALL_LIST(CALL_ROW)};
#undef CALL_ROW

/* clang-format off */
static const struct {
    unsigned may;
    enum rc rc;
    const char *text;
} answers[ANSWER_COUNT] = {
    [ANSWER_TRUE]     = {0,          RC_OK,       "works"},
    [ANSWER_DEAD]     = {0,          RC_BROKEN,   "the run is dead"},
    [ANSWER_DEFERRED] = {MAY_DEFER,  RC_DEFERRED, "fails, and nothing was done"},
    [ANSWER_REFUSED]  = {MAY_REFUSE, RC_REFUSED,  "is refused"},
    [ANSWER_BROKEN]   = {MAY_BREAK,  RC_BROKEN,   "fails for good"},
    [ANSWER_LOST]     = {MAY_LOSE,   RC_UNKNOWN,  "gets no answer, and it was not done"},
    [ANSWER_HAD]      = {MAY_HAVE,   RC_UNKNOWN,  "gets no answer, and it was done"},
    [ANSWER_HALF]     = {MAY_HALF,   RC_DEFERRED, "stops half-way"},
};
/* clang-format on */

bool call_may(enum call call, enum answer answer)
{
    return (call_rows[call].may & answers[answer].may) != 0;
}

const char *answer_text(enum answer answer)
{
    return answers[answer].text;
}

enum rc answer_fail(enum call call, enum answer answer, struct err *err)
{
    return FAIL(err, answers[answer].rc, "sim: %s: %s", call_rows[call].what, answers[answer].text);
}
