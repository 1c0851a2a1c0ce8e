/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "fuzzing.h"

#include <onecase/source.h>
#include <onecase/when.h>

/* A date is of 1990 to 9999 where it was written; its zone may move it by 100 hours. */
static void assert_range(int64_t at_ms)
{
    assert(at_ms >= DAYS(when_days(1990, 1, 1)) - HOURS(100));
    assert(at_ms < DAYS(when_days(10000, 1, 1)) + HOURS(100));
}

static void assert_written_the_same(int64_t at_ms)
{
    char text[WHEN_TEXT_SIZE];
    int64_t again;

    if (at_ms < DAYS(when_days(1990, 1, 1)) || at_ms >= DAYS(when_days(10000, 1, 1)))
        return;
    when_mail_text(at_ms, text);
    assert(date_parse(slice_z(text), &again));
    assert(again == at_ms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(str_clear) struct str wider = STR_INIT;
    struct slice text = input_of(data, size);
    int64_t at_ms = 0;
    int64_t wider_ms = 0;
    bool valid = date_parse(text, &at_ms);

    str_addz(&wider, " (x(y)\\)) \r\n ");
    str_add(&wider, text);
    assert(date_parse(str_slice(&wider), &wider_ms) == valid);
    if (!valid)
        return 0;
    assert(wider_ms == at_ms);
    str_addz(&wider, "\t(x)");
    assert(date_parse(str_slice(&wider), &wider_ms));
    assert_range(at_ms);
    assert_written_the_same(at_ms);
    return 0;
}
