/* SPDX-License-Identifier: Apache-2.0 */
/* links: core scan */
#include "fuzzing.h"

#include "answer.h"

#include <string.h>

/* Whatever clamd says: an answer of the table, words that can be shown, and clean only where it said
 * exactly that. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct scan_verdict v;

    answer_read(input_of(data, size), &v);
    assert(v.answer < SCAN_COUNT && v.answer != SCAN_NO_SERVER);
    assert((v.answer == SCAN_CLEAN) == slice_eqz(input_of(data, size), "stream: OK"));
    assert(strlen(v.said) < SCAN_NAME_SIZE);
    for (const char *p = v.said; *p != '\0'; p++)
        assert(*p >= ' ' && *p < 0x7f && *p != '"' && *p != '@' && *p != '<');
    return 0;
}
