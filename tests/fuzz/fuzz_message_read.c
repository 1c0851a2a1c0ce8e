/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "fuzzing.h"

#include <onecase/message.h>
#include <onecase/utf8.h>

static void assert_list(const struct message *m, struct span list)
{
    struct slice rest = message_slice(m, list);
    struct slice item;
    size_t len = 0;

    while (message_next(&rest, &item)) {
        assert(item.len > 0 && slice_find(item, '\n', 0) == item.len);
        len += item.len + 1;
    }
    assert(len <= list.len);
}

static void assert_text(const struct message *m, struct span span)
{
    struct slice text = message_slice(m, span);

    assert(text.len == span.len);
    assert(utf8_valid(text) && slice_find(text, '\0', 0) == text.len);
}

/* What is read is written octet by octet as it came: nothing in it was overlooked. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    CLEANUP(str_clear) struct str flat = STR_INIT;
    struct err err = ERR_INIT;

    if (message_read(input_of(data, size), &m, &err) != RC_OK) {
        assert(err.rc == RC_REFUSED);
        return 0;
    }
    message_write(&m, &flat);
    assert(slice_eq(str_slice(&flat), input_of(data, size)));
    assert_text(&m, m.from);
    assert_text(&m, m.subject);
    assert_text(&m, m.text);
    assert_list(&m, m.to);
    assert_list(&m, m.references);
    for (size_t i = 0; i < m.part_count; i++)
        assert_text(&m, m.parts[i].name);
    message_payload_digest(&m);
    message_fingerprint(&m);
    return 0;
}
