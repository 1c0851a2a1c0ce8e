/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/ledger.h>

/* By how much the mail server's clock and ours may differ. */
#define CLOCKS_DIFFER_MS INT64_C(300000)

bool rewind_covers(const struct rewind *rewind,
                   uint32_t uidvalidity,
                   uint32_t uid,
                   int64_t internal_ms)
{
    if (rewind->uidnext == 0)
        return false;
    if (uidvalidity == rewind->uidvalidity)
        return uid < rewind->uidnext;
    return internal_ms < rewind->at_ms + CLOCKS_DIFFER_MS && rewind->at_ms != 0;
}
