/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <onecase/scan.h>

/* clang-format off */
const struct scan_row scan_rows[] = {
/*    answer           fault             outcome           because */
    { SCAN_NO_SERVER,  FAULT_SERVER,     OUTCOME_DEFERRED, "it meets every attachment" },
    { SCAN_NO_ANSWER,  FAULT_SERVER,     OUTCOME_DEFERRED, "what was not found clean is not stored" },
    { SCAN_ERROR,      FAULT_ITEM_LATER, OUTCOME_DEFERRED, "a complete answer: not scanned; another try may work" },
    { SCAN_TOO_LARGE,  FAULT_ITEM,       OUTCOME_REFUSED,  "an exception, or stored unscanned where attachments.scan.too_large accepts that" },
    { SCAN_FOUND,      FAULT_ITEM,       OUTCOME_REFUSED,  "quarantined: the original alone has it; its sender is told" },
    { SCAN_CLEAN,      FAULT_NONE,       OUTCOME_NONE,     "on to storing it" },
};
/* clang-format on */
const size_t scan_row_count = LENGTH(scan_rows);

WORDS(scan_words, SCAN_LIST);
DEFINE_TEXT(scan_text, scan, scan_words)

const struct scan_row *scan_row_of(enum scan answer)
{
    for (size_t i = 0; i < scan_row_count; i++)
        if (scan_rows[i].answer == answer)
            return &scan_rows[i];
    return &scan_rows[0];
}
