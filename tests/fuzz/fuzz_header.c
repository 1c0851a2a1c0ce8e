/* SPDX-License-Identifier: Apache-2.0 */
/* links: message core */
#include "addresses.h"
#include "charset.h"
#include "fields.h"
#include "fuzzing.h"
#include "parameters.h"
#include "words.h"

#include <onecase/source.h>

/* What a header's value becomes is one line of UTF-8 without control characters, whatever it is; and
 * the fields a person sees are those that the key is made of. */

static void assert_line(const struct str *text)
{
    assert(utf8_fits(str_slice(text)));
    for (size_t i = 0; i < text->len; i++)
        assert((uint8_t)text->at[i] >= ' ' && text->at[i] != 0x7F);
}

static void read_addresses(struct slice value)
{
    struct addresses list;
    struct mailbox_name who = {.address = STR_INIT};

    addresses_begin(&list, value);
    while (addresses_next(&list, &who)) {
        assert(who.address.len > 0 || who.name.len > 0);
        assert_line(&who.address);
        assert_line(&who.name);
    }
    addresses_clear(&list);
    mailbox_name_clear(&who);
}

static void read_parameters(struct slice value)
{
    CLEANUP(parameters_clear) struct parameters p = {.value = STR_INIT};
    CLEANUP(str_clear) struct str text = STR_INIT;
    static const char *const names[] = {"filename", "name", "charset", "boundary"};

    parameters_read(value, 50, &p);
    assert(p.count <= 50);
    for (size_t i = 0; i < LENGTH(names); i++) {
        if (parameters_text(&p, names[i], &text))
            assert_line(&text);
        parameters_raw(&p, names[i], &text);
    }
}

static void read_text(struct slice value)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    words_text(value, &text);
    words_plain(&text);
    assert_line(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(fields_clear) struct fields fields = {.at = NULL};
    struct slice octets = input_of(data, size);

    fields_read(octets, &fields);
    assert(fields.body <= octets.len);
    for (size_t i = 0; i < fields.count; i++) {
        struct slice value = fields.at[i].value;

        assert(value.at >= octets.at && value.at + value.len <= octets.at + octets.len);
        read_text(value);
        read_addresses(value);
        read_parameters(value);
    }
    for (size_t i = 0; i < fields.count && !fields.mended; i++) {
        CLEANUP(str_clear) struct str name = STR_INIT;
        struct slice ours = SLICE_EMPTY;
        struct slice keys = SLICE_EMPTY;

        str_add(&name, fields.at[i].name);
        assert(fields_first(&fields, str_z(&name), &ours));
        assert(header_first(octets, str_z(&name), &keys));
        assert(slice_eq(slice_trim(ours), slice_trim(keys)));
    }
    return 0;
}
