/* SPDX-License-Identifier: Apache-2.0 */
/* links: message */
#include "charset.h"
#include "fuzzing.h"
#include "tnef.h"
#include "uu_text.h"

/* Whatever octets are taken for a winmail.dat, or for a text with uuencoded files: each file's octets
 * are within them, or no longer than they may be, and each name is UTF-8. */

static void read_winmail(struct slice octets)
{
    struct tnef tnef;
    struct tnef_file file = {.name = STR_INIT};

    if (tnef_begin(&tnef, octets))
        while (tnef_next(&tnef, &file)) {
            assert(file.octets.len == 0 ||
                   (file.octets.at >= octets.at &&
                    file.octets.at + file.octets.len <= octets.at + octets.len));
            assert(utf8_fits(str_slice(&file.name)) && utf8_fits(str_slice(&file.type)));
        }
    tnef_clear(&tnef);
    tnef_file_clear(&file);
}

static void read_text(struct slice text)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    CLEANUP(str_clear) struct str octets = STR_INIT;
    struct slice before;

    for (size_t left = text.len; uu_text_next(&text, 200, &before, &name, &octets); left = text.len)
        assert(text.len < left && octets.len <= 200 && name.len > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_winmail(input_of(data, size));
    read_text(input_of(data, size));
    return 0;
}
