/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "fuzzing.h"

#include <onecase/listed.h>

#include <string.h>

static void assert_case(const struct listed_case *c, const struct policy *policy)
{
    char reference[REFERENCE_SIZE];
    size_t at = 0;

    assert(c->policy == policy);
    assert(c->reference[0] != '\0' && strlen(c->reference) <= LISTED_REFERENCE);
    assert(!reference_find(policy->reference_prefix, slice_z(c->reference), &at, reference));
    assert(c->message_ids.len > 0 || (c->from.len > 0 && c->subject.len > 0 && c->has_date));
    assert(c->message_ids.len == 0 || c->message_ids.at[c->message_ids.len - 1] == '\n');
    assert(c->from.len == 0 || address_usable(str_slice(&c->from)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct policy policy = {.mailbox = "help", .reference_prefix = "HD-"};
    const struct listed_settings settings = {&policy, 1, "help"};
    struct listed l;

    listed_read(input_of(data, size), &settings, &l);
    assert((l.problem_count > 0) == (l.problems.len > 0));
    for (size_t i = 0; l.problem_count == 0 && i < l.count; i++)
        assert_case(&l.at[i], &policy);
    listed_cases_clear(&l);
    return 0;
}
