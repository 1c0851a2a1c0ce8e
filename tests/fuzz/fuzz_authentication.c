/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "fuzzing.h"

#include <onecase/authentication.h>

/* Whatever a stranger's mail is, below the own servers' lines it changes nothing; and whatever comes to
 * stand in one of their fields, by a sender's address say, makes nothing better of what another says. */

#define OURS     "Authentication-Results: mx.example.org; "
#define RECEIVED "Received: from a by mx.example.org; Mon, 2 Mar 2026 01:02:03 +0000\r\n"

static enum dmarc said(const char *above, struct slice octets, const char *below)
{
    static const struct authentication own = {"mx.example.org", 1, false};
    CLEANUP(str_clear) struct str mail = STR_INIT;

    str_add(&mail, slice_z(above));
    str_add(&mail, octets);
    str_add(&mail, slice_z(below));
    return authentication_dmarc(&own, str_slice(&mail));
}

static void one_line(struct slice octets, struct str *out)
{
    for (size_t i = 0; i < octets.len; i++) {
        bool end = octets.at[i] == '\r' || octets.at[i] == '\n';

        str_addc(out, end ? ' ' : octets.at[i]);
    }
}

static void as_a_value(struct slice octets)
{
    CLEANUP(str_clear) struct str value = STR_INIT;
    enum dmarc beside;

    one_line(octets, &value);
    octets = str_slice(&value);
    beside = said(OURS, octets, "\r\n" OURS "dmarc=none\r\n" RECEIVED);
    assert(beside == DMARC_OTHER || beside == DMARC_FAIL);
    assert(said(OURS, octets, "\r\n" OURS "dmarc=fail\r\n" RECEIVED) == DMARC_FAIL);
    assert(said(OURS "dmarc=fail; ", octets, "\r\n" RECEIVED) == DMARC_FAIL);
    assert(said(OURS "dmarc=pass; ", octets, "\r\n" RECEIVED) >= DMARC_PASS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice octets = input_of(data, size);

    assert(said("", octets, "") <= DMARC_FAIL);
    assert(said(RECEIVED, octets, "") == DMARC_UNSAID);
    assert(said(OURS "dmarc=pass\r\n" RECEIVED, octets, "") == DMARC_PASS);
    as_a_value(octets);
    return 0;
}
