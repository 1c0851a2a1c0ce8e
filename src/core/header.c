/* SPDX-License-Identifier: Apache-2.0 */
#include "header_scan.h"

#include <onecase/source.h>

#include <string.h>

/* Where the wanted value stands, while header_first looks for it. */
struct search {
    struct header_scan scan;
    struct slice name;
    size_t crs;
    bool found;
    bool over; /* the value is whole, or the header at its end */
    size_t from, to;
};

static void search_event(struct search *search, enum header_event event, size_t at)
{
    switch (event) {
    case HEADER_FIELD:
        if (!search->found && header_scan_is(&search->scan, search->name)) {
            search->found = true;
            search->from = search->to = at + 1;
        }
        break;
    case HEADER_OCTET:
    case HEADER_FOLD:
        if (search->found)
            search->to = at + 1;
        break;
    case HEADER_SKIPPED_FIRST:
        search->over = search->found;
        break;
    case HEADER_END:
        search->over = true;
        break;
    case HEADER_NOTHING:
    case HEADER_SKIPPED:
        break;
    }
    if (search->found && search->scan.place == HEADER_NAME)
        search->over = true;
}

static void search_octet(struct search *search, char c, size_t at)
{
    size_t ends = line_ends_before(&search->crs, c);

    while (ends-- > 0 && !search->over)
        search_event(search, header_scan_octet(&search->scan, '\n'), at);
    if (c != '\r' && c != '\n' && !search->over)
        search_event(search, header_scan_octet(&search->scan, c), at);
}

/* How many octets from here to the line's end mean nothing but themselves: the value of a field, or
 * what is skipped. They are gone through at once. */
static size_t plain_octets(const struct search *search, struct slice rest)
{
    enum header_place place = search->scan.place;

    if (search->crs > 0 || (place != HEADER_VALUE && place != HEADER_SKIP))
        return 0;

    const char *lf = memchr(rest.at, '\n', rest.len);
    size_t len = lf != NULL ? (size_t)(lf - rest.at) : rest.len;
    const char *cr = memchr(rest.at, '\r', len);

    return cr != NULL ? (size_t)(cr - rest.at) : len;
}

bool header_first(struct slice octets, const char *name, struct slice *out)
{
    struct search search = {.name = slice_z(name)};

    header_scan_init(&search.scan);
    for (size_t i = 0; i < octets.len && !search.over; i++) {
        size_t plain = plain_octets(&search, slice_cut(octets, i, octets.len - i));

        if (plain > 0 && search.found)
            search.to = i + plain;
        i += plain;
        if (i < octets.len)
            search_octet(&search, octets.at[i], i);
    }
    if (search.found)
        *out = slice_cut(octets, search.from, search.to - search.from);
    return search.found;
}

void header_unfold(struct slice raw, struct str *out)
{
    size_t crs = 0;
    size_t ends = 0;

    str_empty(out);
    raw = slice_trim(raw);
    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.at[i];

        ends += line_ends_before(&crs, c);
        if (c == '\r' || c == '\n')
            continue;
        if (ends > 0 && (c == ' ' || c == '\t'))
            ends--;
        for (; ends > 0; ends--)
            str_addc(out, '\n');
        str_addc(out, c);
    }
}
