/* SPDX-License-Identifier: Apache-2.0 */
/* links: destination http core */
#include "fuzzing.h"

#include "destination_p.h"

#include <string.h>

#define WANTED "00112233445566778899aabbccddeeff"

/* clang-format off */
static const struct http_shape shapes[] = {
    {.id = "/id",            .key = "/key",           .list = "",          .match = ""                  },
    {.id = "/0/id",          .key = "/0/onecase_key", .list = "",          .match = ""                  },
    {.id = "",               .key = "/a~1b~0/7",      .list = "",          .match = "*" WANTED          },
    {.id = "/id",            .key = "/content",       .list = "/",         .match = "*{{key}}*"         },
    {.id = "/id",            .key = "/name",          .list = "/items",    .match = "",  .sha256 = "/sha256"},
    {.id = "/attachments/0", .key = "/attachments/0/filename", .list = "/a/b/c", .match = WANTED "*"    },
};
/* clang-format on */

static const struct case_facts facts = {
    .key = WANTED,
    .from = SLICE_INIT("anna@example.net"),
    .subject = SLICE_INIT("About it"),
    .text = SLICE_INIT("some text"),
};

static void look(const struct http_shape *shape, struct slice body)
{
    struct found found;
    char value[EXTERNAL_ID_SIZE];
    enum pointed is = answer_find(shape, body, WANTED, &found);
    assert(is == POINTED_NO_JSON || is == POINTED_NOTHING || is == POINTED_VALUE);
    assert(strlen(found.id) < sizeof found.id && strlen(found.sha256) < sizeof found.sha256);
    if (is == POINTED_VALUE && shape->list[0])
        assert(found.same);
    assert((pointer_get(body, shape->key, value, sizeof value) == POINTED_VALUE) ==
           (value[0] != '\0'));
}

/* Whatever a help desk answers: bounded texts, a key that was compared, and nothing of the mail kept. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice body = input_of(data, size);
    CLEANUP(str_clear) struct str shape = STR_INIT;
    char said[REFUSAL_SIZE];
    for (size_t i = 0; i < LENGTH(shapes); i++)
        look(&shapes[i], body);
    shape_of(body, &shape);
    assert(shape.len <= 64 * (size + 1));
    refusal_of(body, &facts, said, sizeof said);
    assert(strlen(said) < sizeof said);
    assert(!strstr(said, "anna@example.net") && !strstr(said, "About it"));
    return 0;
}
