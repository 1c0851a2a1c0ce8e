/* SPDX-License-Identifier: Apache-2.0 */
/* links: base */
#include "fuzzing.h"

#include <onecase/mustache.h>

/* A template that passes the check is rendered, plain and as a page, and no value of a sender's breaks
 * out of a page: what is not of the template stands in it escaped. */

#define HOSTILE "<s>&\"'{{#list}}{{name}}"
#define OUT_MAX ((size_t)64 << 20)

static const char *const known[] = {"name",       "none",         "list", "list.item",
                                    "list.inner", "list.inner.x", NULL};

static size_t count(struct slice text, char c)
{
    size_t n = 0;

    for (size_t at = slice_find(text, c, 0); at < text.len; at = slice_find(text, c, at + 1))
        n++;
    return n;
}

/* Two rows, so nested lists double; more than eight levels a check refuses. */
static void render(struct slice text)
{
    static const struct mustache_value row[][2] = {
        {{.name = "item", .text = SLICE_INIT(HOSTILE)}, {.name = "inner", .text = SLICE_INIT("1")}},
        {{.name = "item", .text = SLICE_INIT("")}, {.name = "inner", .text = SLICE_INIT("")}}};
    static const struct mustache_scope rows[] = {{row[0], 2}, {row[1], 2}};
    static const struct mustache_value value[] = {{.name = "name", .text = SLICE_INIT(HOSTILE)},
                                                  {.name = "none", .text = SLICE_INIT("")},
                                                  {.name = "list", .row = rows, .rows = 2}};
    const struct mustache_scope scope = {value, LENGTH(value)};
    CLEANUP(str_clear) struct str plain = STR_INIT;
    CLEANUP(str_clear) struct str page = STR_INIT;

    mustache_render(text, &scope, &plain);
    mustache_render_page(text, &scope, &page);
    assert(plain.len < OUT_MAX && page.len >= plain.len);
    if (count(text, '<') == 0) /* the template has no markup: neither has the page */
        assert(count(str_slice(&page), '<') == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = ERR_INIT;
    struct slice text = input_of(data, size < 4096 ? size : 4096);

    if (mustache_check(text, known, &err) == RC_OK)
        render(text);
    else
        assert(err.rc == RC_REFUSED && err.text[0] >= '1' && err.text[0] <= '9');
    return 0;
}
