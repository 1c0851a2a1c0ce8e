/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/quota.h>
#include <inttypes.h>

/* Rounded down; exact for all but numbers that no server has. */
static int64_t percent_of(int64_t used, int64_t limit)
{
    if (used <= INT64_MAX / 100)
        return used * 100 / limit;
    return limit < 100 ? INT64_MAX : used / (limit / 100);
}

size_t quota_parts(const struct quota *quota, struct quota_part out[QUOTA_PARTS_MOST])
{
    const struct quota_part parts[] = {
        {quota->used_octets / 1024, quota->limit_octets / 1024, 0, "KB"},
        {quota->used_messages, quota->limit_messages, 0, "messages"},
    };
    size_t count = 0;

    for (size_t i = 0; i < LENGTH(parts); i++) {
        if (parts[i].limit <= 0 || parts[i].used < 0)
            continue;
        out[count] = parts[i];
        out[count++].percent = percent_of(parts[i].used, parts[i].limit);
    }
    return count;
}

void quota_words(const struct quota_part *part, struct str *out)
{
    str_addf(out, "the mailbox is %" PRId64 " %% full (%" PRId64 " of %" PRId64 " %s)",
             part->percent, part->used, part->limit, part->unit);
}

struct quota_part quota_fullest(const struct quota *quota)
{
    struct quota_part parts[QUOTA_PARTS_MOST];
    struct quota_part fullest = {0, 0, 0, ""};
    size_t count = quota_parts(quota, parts);

    for (size_t i = 0; i < count; i++)
        if (fullest.limit == 0 || parts[i].percent > fullest.percent)
            fullest = parts[i];
    return fullest;
}
