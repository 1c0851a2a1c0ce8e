/* SPDX-License-Identifier: Apache-2.0 */
/* links: message core */
#include "addresses.h"
#include "charset.h"
#include "fuzzing.h"

#include <onecase/policy.h>

/* Whatever a field of addresses is, what comes of it is one line each, no more of them than there is
 * room for, and one that a letter could go to can be compared with others. */

static void assert_line(const struct str *text)
{
    assert(utf8_fits(str_slice(text)));
    for (size_t i = 0; i < text->len; i++)
        assert((uint8_t)text->at[i] >= ' ' && text->at[i] != 0x7F);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct addresses list;
    struct mailbox_name who = {.address = STR_INIT};
    size_t count = 0;

    addresses_begin(&list, input_of(data, size));
    while (addresses_next(&list, &who)) {
        CLEANUP(str_clear) struct str canonical = STR_INIT;

        assert(who.address.len > 0 || who.name.len > 0);
        assert(++count <= size + 1);
        assert_line(&who.address);
        assert_line(&who.name);
        address_canonical(str_slice(&who.address), &canonical);
        if (address_usable(str_slice(&who.address)))
            assert(canonical.len > 0 && slice_has(str_slice(&canonical), SLICE("@")));
    }
    addresses_clear(&list);
    mailbox_name_clear(&who);
    return 0;
}
