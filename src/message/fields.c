/* SPDX-License-Identifier: Apache-2.0 */
#include "fields.h"

#include <stdlib.h>

#define BOM            SLICE("\xEF\xBB\xBF")
#define FIELD_NAME_MAX 998

/* Lines end with LF, CRs before it included, or with each CR of those that no LF follows. */
struct lines {
    struct slice octets;
    size_t at;
    size_t bare; /* CRs up to here are known to be line ends of their own */
};

static bool next_line(struct lines *l, struct slice *out)
{
    size_t end = l->at;

    if (l->at >= l->octets.len)
        return false;
    while (end < l->octets.len && l->octets.at[end] != '\n' && l->octets.at[end] != '\r')
        end++;
    *out = slice_cut(l->octets, l->at, end - l->at);

    size_t run = end;

    while (end >= l->bare && run < l->octets.len && l->octets.at[run] == '\r')
        run++;
    if (run < l->octets.len && run >= l->bare && l->octets.at[run] == '\n') {
        l->at = run + 1;
    } else {
        l->bare = run > l->bare ? run : l->bare;
        l->at = end < l->octets.len ? end + 1 : end;
    }
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool line_is_field(struct slice line)
{
    size_t at = 0;

    while (at < line.len &&
           ((line.at[at] >= 'a' && line.at[at] <= 'z') ||
            (line.at[at] >= 'A' && line.at[at] <= 'Z') ||
            (line.at[at] >= '0' && line.at[at] <= '9') || line.at[at] == '-' || line.at[at] == '_'))
        at++;
    return at > 0 && at < line.len && line.at[at] == ':';
}

/* Splits "name :value"; false where the line is no field. */
static bool split(struct slice line, struct field *out)
{
    size_t name = 0;
    size_t colon;

    while (name < line.len && name <= FIELD_NAME_MAX && line.at[name] > ' ' &&
           line.at[name] < 0x7F && line.at[name] != ':')
        name++;
    for (colon = name; colon < line.len && is_blank(line.at[colon]);)
        colon++;
    if (name == 0 || colon > FIELD_NAME_MAX || colon == line.len || line.at[colon] != ':')
        return false;
    out->name = slice_cut(line, 0, name);
    out->value = (struct slice){line.at + colon + 1, line.len - colon - 1};
    return true;
}

static void add(struct fields *f, struct field field)
{
    if ((f->count & (f->count - 1)) == 0)
        f->at = mem_grow(f->at, f->count > 0 ? 2 * f->count : 1, sizeof *f->at);
    f->at[f->count++] = field;
}

static bool is_mbox_line(struct slice line)
{
    return slice_eq(slice_cut(line, 0, 5), SLICE("From ")) ||
           slice_eq(slice_cut(line, 0, 6), SLICE(">From "));
}

/* After a line that is no field: is there one more before the header ends? */
static bool more_fields(struct lines l)
{
    struct slice line;

    while (next_line(&l, &line) && slice_trim(line).len > 0) {
        if (slice_eq(slice_cut(line, 0, 2), SLICE("--")))
            return false;
        if (line_is_field(line))
            return true;
    }
    return false;
}

/* The delimiter of the mail's own first part. */
static bool is_delimiter(const struct fields *f, struct slice line)
{
    struct slice boundary = slice_trim(slice_cut(line, 2, line.len));
    struct slice type;

    return slice_eq(slice_cut(line, 0, 2), SLICE("--")) && boundary.len > 0 &&
           fields_first(f, "Content-Type", &type) && slice_has(type, boundary);
}

enum above { ABOVE_NOTHING, ABOVE_MBOX_LINE, ABOVE_FIELD, ABOVE_SKIPPED };

static void read_fold(struct fields *f, struct slice line, enum above *above)
{
    struct field *last = f->count > 0 ? &f->at[f->count - 1] : NULL;

    if (*above == ABOVE_FIELD)
        last->value.len = (size_t)(line.at + line.len - last->value.at);
    else if (*above == ABOVE_NOTHING)
        *above = ABOVE_SKIPPED;
}

/* Reads on in a header; false at its end. `above` is what a fold goes on with. */
static bool read_line(struct fields *f, struct lines *l, struct slice line, enum above *above)
{
    size_t from = (size_t)(line.at - l->octets.at);
    struct field field;

    bool begun = *above == ABOVE_FIELD || *above == ABOVE_SKIPPED;

    if (line.len > 0 && is_blank(line.at[0])) {
        read_fold(f, line, above);
        return true;
    }
    if (line.len == 0)
        return !begun;
    if (split(line, &field)) { /* "From : x" is a field, with a blank before its colon */
        add(f, field);
        *above = ABOVE_FIELD;
        return true;
    }
    if (!begun && is_mbox_line(line)) {
        *above = ABOVE_MBOX_LINE;
        return true;
    }
    if (*above == ABOVE_FIELD && (is_delimiter(f, line) || !more_fields(*l))) {
        l->at = from;
        f->mended = true;
        return false;
    }
    *above = ABOVE_SKIPPED;
    return true;
}

void fields_read(struct slice octets, struct fields *out)
{
    struct lines l = {.octets = octets};
    struct slice line;
    enum above above = ABOVE_NOTHING;
    bool first = true; /* a byte order mark may stand at the front of the first line */

    fields_clear(out);
    out->unended = true;
    while (out->unended && next_line(&l, &line)) {
        bool marked = first && slice_eq(slice_cut(line, 0, BOM.len), BOM);

        first &= line.len == 0;
        if (marked)
            line = slice_cut(line, BOM.len, line.len);
        out->unended = read_line(out, &l, line, &above);
    }
    out->body = l.at;
}

bool fields_first(const struct fields *f, const char *name, struct slice *out)
{
    for (size_t i = 0; i < f->count; i++) {
        if (!slice_eq_nocase(f->at[i].name, slice_z(name)))
            continue;
        *out = f->at[i].value;
        return true;
    }
    return false;
}

void fields_clear(struct fields *f)
{
    free(f->at);
    *f = (struct fields){.at = NULL};
}
