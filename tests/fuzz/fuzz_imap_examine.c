/* SPDX-License-Identifier: Apache-2.0 */
/* links: imap */
#include "examine.h"
#include "fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice line = input_of(data, size);
    CLEANUP(str_clear) struct str rights = STR_INIT;
    CLEANUP(str_clear) struct str junk = STR_INIT;
    int64_t used = 0;
    int64_t limit = 0;

    read_rights(line, &rights);
    assert(rights.len <= line.len);
    if (read_quota(line, "STORAGE", &used, &limit))
        assert(used >= 0 && limit > 0);
    struct quota quota = {0, 0, 0, 0};
    read_quotas(line, &quota);
    assert(quota.used_octets >= 0 && quota.limit_octets >= 0 && quota.limit_messages >= 0);
    assert(quota_fullest(&quota).percent >= 0);
    if (read_marked(line, "\\Junk", &junk))
        assert(junk.len > 0 && junk.len <= line.len);
    assert(read_messages(line) >= -1);
    return 0;
}
