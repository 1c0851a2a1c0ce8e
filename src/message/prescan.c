/* SPDX-License-Identifier: Apache-2.0 */
#include "prescan.h"
#include "fields.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT(limit, default_, ...) .limit = (default_),
const struct reader_limits reader_limits_default = {READER_LIMIT_LIST(DEFAULT)};
#undef DEFAULT

#define PIECE 65536

enum rc limit_refuse(enum reader_limit limit, const struct reader_limits *limits, struct err *err)
{
    char text[160] = "";

    switch (limit) {
#define SAY(member, default_, beyond, says)                                                        \
    case LIMIT_##member:                                                                           \
        snprintf(text, sizeof text, says, (long long)limits->member);                              \
        break;
        READER_LIMIT_LIST(SAY)
#undef SAY
    case LIMIT_COUNT:
        break;
    }
    return FAIL(err, RC_REFUSED, "reader: %s", text);
}

/* The header that is being counted, and what all of them had. */
struct counts {
    const struct reader_limits *limits;
    bool in_header, after_delimiter;
    bool structured; /* a header spoke of parts: before that a line like a delimiter is text */
    bool beyond;     /* `broken` was met */
    enum reader_limit broken;
    int64_t block, field, parameters; /* of this header, of this field */
    int64_t lines, starts, boundaries;
    int64_t comparisons; /* of lines like delimiters with the boundaries before them */
};

static void
count(struct counts *c, int64_t *what, int64_t more, int64_t most, enum reader_limit limit)
{
    *what += more;
    if (*what <= most || c->beyond)
        return;
    c->beyond = true;
    c->broken = limit;
}

static void count_octet(struct counts *c, struct slice rest)
{
    if (rest.at[0] == ';')
        count(c, &c->parameters, 1, c->limits->parameters, LIMIT_parameters);
    if (!c->structured && (rest.at[0] == 'm' || rest.at[0] == 'M'))
        c->structured = slice_starts_nocase(rest, SLICE("multi"));
    if ((rest.at[0] == 'b' || rest.at[0] == 'B') && slice_starts_nocase(rest, SLICE("boundary")))
        count(c, &c->boundaries, 1, c->limits->boundaries, LIMIT_boundaries);
}

/* `whole` is false for what goes on with a line that was too long to be seen at once. */
static void header_line(struct counts *c, struct slice line, bool whole)
{
    const struct reader_limits *limits = c->limits;

    if (whole) {
        count(c, &c->lines, 1, limits->header_lines, LIMIT_header_lines);
        if (line.at[0] != ' ' && line.at[0] != '\t')
            c->field = c->parameters = 0;
    }
    count(c, &c->block, (int64_t)line.len, limits->header_octets, LIMIT_header_octets);
    count(c, &c->field, (int64_t)line.len, limits->field_octets, LIMIT_field_octets);
    for (size_t i = 0; i < line.len; i++)
        count_octet(c, slice_cut(line, i, line.len));
}

static bool is_delimiter(struct slice line)
{
    return line.len >= 2 && line.at[0] == '-' && line.at[1] == '-';
}

/* After a delimiter a part begins if what follows can be its header, or the end of an empty one. */
static void after_delimiter(struct counts *c, struct slice line)
{
    c->after_delimiter = false;
    if (line.len > 0 && line.at[0] != ' ' && line.at[0] != '\t' && !is_delimiter(line) &&
        !line_is_field(line))
        return;
    count(c, &c->starts, 1, c->limits->starts, LIMIT_starts);
    c->in_header = true;
    c->block = c->field = c->parameters = 0;
}

static void count_line(struct counts *c, struct slice line)
{
    while (line.len > 0 && line.at[line.len - 1] == '\r')
        line.len--;
    if (c->after_delimiter)
        after_delimiter(c, line);
    if (is_delimiter(line)) {
        c->after_delimiter = c->structured;
        count(c, &c->comparisons, c->boundaries, c->limits->comparisons, LIMIT_comparisons);
    } else if (c->in_header && line.len > 0) {
        header_line(c, line, true);
    } else if (c->block > 0 || c->starts > 0) {
        c->in_header = false;
    }
}

/* Counts the whole lines of `octets` and says how much they were; at the end of the mail, and where
 * a line is longer than a piece, also what is no whole line. */
static size_t count_lines(struct counts *c, struct slice octets, bool all, bool *midline)
{
    size_t at = 0;

    while (at < octets.len && !c->beyond) {
        size_t end = slice_find(octets, '\n', at);
        struct slice line = slice_cut(octets, at, end - at);

        if (end == octets.len && !all)
            break;
        if (!*midline)
            count_line(c, line);
        else if (c->in_header)
            header_line(c, line, false);
        *midline = end == octets.len;
        at = end + 1;
    }
    return at < octets.len ? at : octets.len;
}

enum rc prescan(struct octets *octets, const struct reader_limits *limits, struct err *err)
{
    struct counts c = {.limits = limits, .in_header = true};
    CLEANUP(mem_free) char *piece = mem_new(PIECE, 1);
    size_t held = 0;
    bool midline = false;

    if (octets->size > limits->message_octets)
        return limit_refuse(LIMIT_message_octets, limits, err);
    for (int64_t at = 0; at < octets->size && !c.beyond && !octets->failed;) {
        size_t got = octets_read(octets, at, piece + held, PIECE - held);
        struct slice seen = {piece, held + got};
        bool last = at + (int64_t)got >= octets->size;
        size_t used = count_lines(&c, seen, last, &midline);

        if (used == 0 && seen.len == PIECE)
            used = count_lines(&c, seen, true, &midline);
        at += (int64_t)got;
        held = seen.len - used;
        memmove(piece, piece + used, held);
    }
    return c.beyond ? limit_refuse(c.broken, limits, err) : RC_OK;
}
