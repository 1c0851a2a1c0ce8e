/* SPDX-License-Identifier: Apache-2.0
 *
 * quota - how full a mailbox is, by what its server says (RFC 9208).
 */
#pragma once

#include <onecase/str.h>
#include <stddef.h>
#include <stdint.h>

struct quota {
    int64_t used_octets, limit_octets; /* a limit of 0: none is said */
    int64_t used_messages, limit_messages;
};

/* What is limited, as people read it. */
struct quota_part {
    int64_t used, limit, percent;
    const char *unit; /* "KB" or "messages" */
};

#define QUOTA_PARTS_MOST 2

/* Those with a limit, the octets first. */
size_t quota_parts(const struct quota *quota, struct quota_part out[QUOTA_PARTS_MOST]);

/* "the mailbox is 93 % full (952 of 1024 KB)" */
void quota_words(const struct quota_part *part, struct str *out);

/* How full the fullest is; `percent` is 0 where there is no limit. */
struct quota_part quota_fullest(const struct quota *quota);
