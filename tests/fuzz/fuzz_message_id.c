/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "fuzzing.h"

#include <onecase/source.h>

/* The rule again, word for word and at any cost: each "(" is tried to the end of the text. */

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_quoted(struct slice text, size_t at)
{
    return at > 0 && text.at[at - 1] == '\\' && !is_quoted(text, at - 1);
}

/* The end of the comment that begins at `at`; `at` itself where none does. */
static size_t comment_end(struct slice text, size_t at)
{
    int depth = 0;

    if (text.at[at] != '(' || is_quoted(text, at))
        return at;
    for (size_t i = at; i < text.len; i++) {
        if (text.at[i] == '(' && !is_quoted(text, i))
            depth++;
        if (text.at[i] == ')' && !is_quoted(text, i) && --depth == 0)
            return i + 1;
    }
    return at;
}

/* The text with each comment outside the brackets made one blank. */
static void skip_comments(struct slice text, struct str *out)
{
    size_t at = 0;

    while (at < text.len && text.at[at] != '<') {
        size_t end = comment_end(text, at);

        str_addc(out, end > at ? ' ' : text.at[at]);
        at = end > at ? end : at + 1;
    }
    str_add(out, slice_cut(text, at, text.len));
}

static void by_the_letter(struct slice raw, struct str *out)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    skip_comments(raw, &text);

    struct slice all = slice_trim(str_slice(&text));
    size_t open = slice_find(all, '<', 0);
    bool brackets = open < all.len;
    size_t close = slice_find(all, '>', open);
    struct slice id = brackets ? slice_cut(all, open + 1, close - open - 1) : all;

    for (size_t i = 0; i < id.len && (brackets || !is_white(id.at[i])); i++) {
        if (is_white(id.at[i]))
            continue;
        if (out->len == 0)
            str_addc(out, '<');
        str_addc(out, id.at[i]);
    }
    if (out->len > 0)
        str_addc(out, '>');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(str_clear) struct str id = STR_INIT;
    CLEANUP(str_clear) struct str expected = STR_INIT;
    struct slice raw = input_of(data, size < 1000 ? size : 1000);

    message_id_normalise(raw, &id);
    by_the_letter(raw, &expected);
    assert(slice_eq(str_slice(&id), str_slice(&expected)));
    assert(id.len == 0 || (id.len >= 3 && id.at[0] == '<' && id.at[id.len - 1] == '>'));
    for (size_t i = 0; i < id.len; i++)
        assert(!is_white(id.at[i]));
    return 0;
}
