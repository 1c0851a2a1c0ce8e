/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include <stdlib.h>
#include <string.h>

static void keep_head(struct guard *g, struct slice piece)
{
    for (size_t i = 0; i < piece.len && g->head_len < sizeof g->head; i++)
        g->head[g->head_len++] = piece.at[i];
}

static void keep_tail(struct guard *g, struct slice piece)
{
    size_t most = sizeof g->tail;
    size_t keep;

    if (piece.len > most)
        piece = slice_cut(piece, piece.len - most, most);
    keep = g->tail_len < most - piece.len ? g->tail_len : most - piece.len;
    memmove(g->tail, g->tail + g->tail_len - keep, keep);
    memcpy(g->tail + keep, piece.at, piece.len);
    g->tail_len = keep + piece.len;
}

static size_t opens_in(struct slice piece)
{
    size_t count = 0;

    for (size_t i = 0; i < piece.len; i++)
        count += piece.at[i] == '(';
    return count;
}

/* Whether the line that ends here announces a literal: {123} or {123+}. */
static bool announces(const struct guard *g, uint64_t *literal)
{
    size_t end = g->tail_len;
    size_t at;

    while (end > 0 && (g->tail[end - 1] == '\n' || g->tail[end - 1] == '\r'))
        end--;
    if (end == 0 || g->tail[--end] != '}')
        return false;
    if (end > 0 && g->tail[end - 1] == '+')
        end--;
    at = end;
    while (at > 0 && g->tail[at - 1] >= '0' && g->tail[at - 1] <= '9')
        at--;
    if (at == end || at == 0 || g->tail[at - 1] != '{')
        return false;
    *literal = 0;
    while (at < end)
        *literal = *literal * 10 + (uint64_t)(g->tail[at++] - '0');
    return true;
}

static bool is_search(const struct guard *g)
{
    return g->head_len >= 8 && slice_eq_nocase((struct slice){g->head, 8}, SLICE("* SEARCH"));
}

/* "* 12 EXISTS": what is said of the folder, or of a message in it. */
static void hear_change(struct guard *g)
{
    struct slice head = {g->head, g->head_len};
    size_t at = 2;

    if (!slice_starts_nocase(head, SLICE("* ")))
        return;
    while (at < head.len && head.at[at] >= '0' && head.at[at] <= '9')
        at++;
    head = slice_cut(head, at == 2 ? at : at + 1, head.len);
    g->changed |= slice_starts_nocase(head, SLICE("EXISTS")) ||
                  slice_starts_nocase(head, SLICE("EXPUNGE")) ||
                  slice_starts_nocase(head, SLICE("VANISHED"));
    g->fetched |= slice_starts_nocase(head, SLICE("FETCH"));
}

static void hear_uidvalidity(struct guard *g)
{
    static const char sign[] = "* OK [UIDVALIDITY ";
    struct slice head = {g->head, g->head_len};
    char number[12] = "";

    if (!slice_starts_nocase(head, SLICE(sign)))
        return;
    head = slice_cut(head, sizeof sign - 1, sizeof number - 1);
    memcpy(number, head.at, head.len);
    g->uidvalidity = (uint32_t)strtoul(number, NULL, 10);
}

static void response_ends(struct guard *g)
{
    hear_change(g);
    hear_uidvalidity(g);
    g->head_len = 0;
    g->tail_len = 0;
    g->len = 0;
    g->opens = 0;
}

void guard_begin(struct guard *g)
{
    g->plain = 0;
}

static const char *take_line(struct guard *g, struct slice piece, bool ended)
{
    keep_head(g, piece);
    keep_tail(g, piece);
    g->len += piece.len;
    g->plain += piece.len;
    g->opens += opens_in(piece);
    if (g->len > (is_search(g) ? GUARD_SEARCH : GUARD_LINE))
        return "a response without end";
    if (g->plain > GUARD_PLAIN)
        return "responses without end";
    if (g->opens > GUARD_OPENS)
        return "a response with too many parentheses";
    if (ended && !announces(g, &g->literal))
        response_ends(g);
    else if (ended)
        g->tail_len = 0;
    return NULL;
}

const char *guard_take(struct guard *g, struct slice octets)
{
    const char *wrong = NULL;

    while (octets.len > 0 && wrong == NULL) {
        size_t end = slice_find(octets, '\n', 0);
        struct slice piece = slice_cut(octets, 0, end + 1);

        if (g->literal > 0) {
            piece = slice_cut(octets, 0, g->literal < octets.len ? (size_t)g->literal : octets.len);
            g->literal -= piece.len;
        } else {
            wrong = take_line(g, piece, end < octets.len);
        }
        octets = slice_cut(octets, piece.len, octets.len);
    }
    return wrong;
}
