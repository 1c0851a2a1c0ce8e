/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/connection.h>

/* Printable ASCII stays; runs of anything else that separates become one blank. */
static char shown(char c)
{
    unsigned char u = (unsigned char)c;

    if (u >= 0x80)
        return '?';
    return u < ' ' || u == 0x7F ? ' ' : c;
}

static void put(char *into, size_t size, size_t *len, struct slice what)
{
    for (size_t i = 0; i < what.len && *len + 1 < size; i++)
        into[(*len)++] = shown(what.at[i]);
}

static bool next_word(struct slice *rest, struct slice *word)
{
    size_t from = 0;
    size_t to;

    while (from < rest->len && shown(rest->at[from]) == ' ')
        from++;
    for (to = from; to < rest->len && shown(rest->at[to]) != ' ';)
        to++;
    *word = slice_cut(*rest, from, to - from);
    *rest = slice_cut(*rest, to, rest->len);
    return word->len > 0;
}

void server_words(struct slice said, char *into, size_t size)
{
    struct slice word;
    size_t len = 0;

    while (next_word(&said, &word)) {
        if (len > 0)
            put(into, size, &len, SLICE(" "));
        put(into, size, &len, slice_has(word, SLICE("@")) ? SLICE("(address)") : word);
    }
    into[len] = '\0';
}
