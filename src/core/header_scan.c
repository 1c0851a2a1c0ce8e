/* SPDX-License-Identifier: Apache-2.0 */
#include "header_scan.h"

#include <string.h>

#define BOM SLICE("\xEF\xBB\xBF")

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_name_octet(char c)
{
    return c > ' ' && c < 0x7F && c != ':';
}

void header_scan_init(struct header_scan *s)
{
    s->place = HEADER_LINE_START;
    s->above = HEADER_SKIP;
    s->begun = false;
    s->bom_possible = true;
    s->name_len = 0;
    s->line_len = 0;
}

bool header_scan_is(const struct header_scan *s, struct slice name)
{
    return slice_eq_nocase((struct slice){s->line, s->name_len}, name);
}

struct slice header_scan_line(const struct header_scan *s)
{
    return (struct slice){s->line, s->line_len};
}

static void keep(struct header_scan *s, char c)
{
    s->line[s->line_len++] = c;
}

/* The octets so far and `c` are a BOM or its beginning. A whole one is forgotten. */
static bool take_bom(struct header_scan *s, char c)
{
    struct slice so_far = header_scan_line(s);

    if (!s->bom_possible || c != BOM.at[so_far.len] ||
        !slice_eq(so_far, slice_cut(BOM, 0, so_far.len)))
        return false;
    keep(s, c);
    if (s->line_len == BOM.len) {
        s->line_len = 0;
        s->bom_possible = false;
        s->place = HEADER_LINE_START;
    }
    return true;
}

static bool is_mbox_line(const struct header_scan *s)
{
    struct slice line = header_scan_line(s);

    return slice_eq(slice_cut(line, 0, 5), SLICE("From ")) ||
           slice_eq(slice_cut(line, 0, 6), SLICE(">From "));
}

/* Goes on in a line of which no more than its kind matters. */
static enum header_event in_line(struct header_scan *s, enum header_place kind, char c)
{
    s->above = kind;
    s->place = c == '\n' ? HEADER_LINE_START : kind;
    return kind == HEADER_BEFORE ? HEADER_NOTHING : HEADER_SKIPPED;
}

static enum header_event no_field(struct header_scan *s, char c)
{
    if (!s->begun && is_mbox_line(s))
        return in_line(s, HEADER_BEFORE, c);
    s->begun = true;
    in_line(s, HEADER_SKIP, c);
    return HEADER_SKIPPED_FIRST;
}

static enum header_event field_begins(struct header_scan *s)
{
    if (s->name_len == 0)
        s->name_len = s->line_len;
    s->begun = true;
    s->place = HEADER_VALUE;
    return HEADER_FIELD;
}

static enum header_event in_name(struct header_scan *s, char c)
{
    if (take_bom(s, c))
        return HEADER_NOTHING;

    bool broken_bom = s->bom_possible && s->line_len > 0;

    s->bom_possible = false;
    if (broken_bom)
        return no_field(s, c);
    if (c == ':' && s->line_len > 0)
        return field_begins(s);
    if (s->line_len == HEADER_NAME_MAX)
        return no_field(s, c);
    if (is_blank(c) && s->line_len > 0) {
        if (s->name_len == 0)
            s->name_len = s->line_len;
        keep(s, c);
        return HEADER_NOTHING;
    }
    if (!is_name_octet(c) || s->name_len > 0)
        return no_field(s, c);
    keep(s, c);
    return HEADER_NOTHING;
}

static enum header_event in_value(struct header_scan *s, char c)
{
    if (c != '\n')
        return HEADER_OCTET;
    s->above = HEADER_VALUE;
    s->place = HEADER_LINE_START;
    return HEADER_NOTHING;
}

static enum header_event empty_line(struct header_scan *s)
{
    if (!s->begun)
        return HEADER_NOTHING;
    s->place = HEADER_OVER;
    return HEADER_END;
}

static enum header_event folded(struct header_scan *s, char c)
{
    s->bom_possible = false;
    if (s->above != HEADER_VALUE) {
        s->begun |= s->above == HEADER_SKIP;
        return in_line(s, s->above, c);
    }
    s->place = HEADER_VALUE;
    return HEADER_FOLD;
}

static enum header_event line_starts(struct header_scan *s, char c)
{
    if (c == '\n')
        return empty_line(s);
    if (is_blank(c))
        return folded(s, c);
    s->place = HEADER_NAME;
    s->name_len = 0;
    s->line_len = 0;
    return in_name(s, c);
}

enum header_event header_scan_octet(struct header_scan *s, char c)
{
    switch (s->place) {
    case HEADER_LINE_START:
        return line_starts(s, c);
    case HEADER_NAME:
        return in_name(s, c);
    case HEADER_VALUE:
        return in_value(s, c);
    case HEADER_SKIP:
    case HEADER_BEFORE:
        return in_line(s, s->place, c);
    case HEADER_OVER:
        return HEADER_NOTHING;
    }
    return HEADER_NOTHING;
}

size_t line_ends_before(size_t *crs, char c)
{
    if (c == '\r') {
        ++*crs;
        return 0;
    }

    size_t ends = c == '\n' ? 1 : *crs;

    *crs = 0;
    return ends;
}
