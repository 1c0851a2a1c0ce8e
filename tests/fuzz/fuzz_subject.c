/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "fuzzing.h"

#include <onecase/identity.h>
#include <onecase/message.h>

#include <string.h>

static void assert_core(struct slice subject)
{
    struct slice core = subject_core(subject);
    struct slice again = subject_core(core);

    assert((core.len == 0) == (slice_trim(subject).len == 0));
    assert(core.len == 0 ||
           (core.at >= subject.at && core.at + core.len <= subject.at + subject.len));
    assert(again.len == 0 || again.len <= core.len);
}

static void assert_references(struct slice subject, const char *prefix)
{
    char reference[REFERENCE_SIZE];
    char again[REFERENCE_SIZE];
    size_t last = 0;

    for (size_t at = 0; reference_find(prefix, subject, &at, reference); at++) {
        size_t from = 0;

        assert(at >= last && at < subject.len);
        assert(strlen(reference) >= strlen(prefix) + REFERENCE_DIGITS);
        assert(reference_find(prefix, slice_z(reference), &from, again));
        assert(from == 0 && strcmp(reference, again) == 0);
        last = at + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice subject = input_of(data, size);

    assert_core(subject);
    assert_references(subject, "HD-");
    assert_references(subject, "");
    return 0;
}
