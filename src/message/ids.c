/* SPDX-License-Identifier: Apache-2.0 */
#include "ids.h"

#include <onecase/source.h>

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Takes the next id, brackets included. An unclosed one goes on to the next bracket or the end. */
static bool take_bracketed(struct slice *rest, struct slice *id)
{
    size_t open = slice_find(*rest, '<', 0);
    size_t close = open + 1;

    if (open == rest->len)
        return false;
    while (close < rest->len && rest->at[close] != '>' && rest->at[close] != '<')
        close++;
    *id = slice_cut(*rest, open, close - open + (close < rest->len && rest->at[close] == '>'));
    *rest = slice_cut(*rest, open + id->len, rest->len);
    return true;
}

static bool take_bare(struct slice *rest, struct slice *id)
{
    for (;;) {
        while (rest->len > 0 && is_white(rest->at[0]))
            *rest = slice_cut(*rest, 1, rest->len);
        if (rest->len == 0)
            return false;

        size_t to = 0;

        while (to < rest->len && !is_white(rest->at[to]))
            to++;
        *id = slice_cut(*rest, 0, to);
        *rest = slice_cut(*rest, to, rest->len);
        if (slice_find(*id, '@', 0) < id->len)
            return true;
    }
}

static bool take(struct slice *rest, bool bracketed, struct slice *id)
{
    return bracketed ? take_bracketed(rest, id) : take_bare(rest, id);
}

bool ids_add(struct slice raw, size_t most, struct message *out, struct span *list)
{
    CLEANUP(str_clear) struct str id = STR_INIT;
    bool bracketed = slice_find(raw, '<', 0) < raw.len;
    struct slice one;
    size_t count = 0;
    size_t at = 0;

    for (struct slice rest = raw; take(&rest, bracketed, &one);)
        count++;
    for (struct slice rest = raw; take(&rest, bracketed, &one); at++) {
        if (at > 0 && at + most <= count)
            continue;
        message_id_normalise(one, &id);
        message_list_add(out, list, str_slice(&id));
    }
    return count <= most;
}
