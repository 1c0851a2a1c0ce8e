/* SPDX-License-Identifier: Apache-2.0
 *
 * authentication - what the own mail servers found out about a mail's sender (RFC 8601, contract
 * section 5).
 *
 * Own code over the raw header, as in source.h: total, bounded by the header, nothing is kept. Anybody
 * can write an Authentication-Results field. One counts only where it carries the name of the own
 * servers and stands where only they write: above the Received field that the first of them to see
 * the mail added, which is the `hops`th from the top. A mail with fewer did not come through them, and
 * no field of it counts. ARC-Authentication-Results are a stranger's word and never count.
 */
#pragma once

#include <onecase/effect.h>
#include <onecase/message.h>

#include <stdbool.h>

/* clang-format off */
/* From the best to the worst: of several the worst counts. */
#define DMARC_LIST(X) \
    X(DMARC_UNSAID, "",      "no field that counts says anything of it")               \
    X(DMARC_PASS,   "pass",  "all that say something of it say so")                    \
    X(DMARC_OTHER,  "other", "none, an error, or a field that cannot be made sense of") \
    X(DMARC_FAIL,   "fail",  "at least one says so")
/* clang-format on */
enum dmarc { DMARC_LIST(NAMED_ENUM) DMARC_COUNT };

struct authentication {
    const char *authserv_id; /* "" or NULL: nothing counts */
    unsigned hops;           /* Received fields that the own servers add; at least 1 */
    bool below; /* their field stands right below the `hops`th of them, above the next: milters of
                   Postfix put it there. The servers must take away what came with their name. */
};

/* `header` is the raw top header block; what follows it is not looked at. */
enum dmarc authentication_dmarc(const struct authentication *trusted, struct slice header);

const char *dmarc_text(enum dmarc dmarc);

/* Sets SIGN_DMARC_PASS and SIGN_DMARC_FAIL of a mail, and takes them away where it is neither. */
void authentication_mark(const struct authentication *trusted,
                         struct slice header,
                         struct message *message);
