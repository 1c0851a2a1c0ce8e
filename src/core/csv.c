/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/csv.h>
#include <onecase/utf8.h>

#define BYTE_ORDER_MARK SLICE("\xEF\xBB\xBF")

void csv_record_clear(struct csv_record *record)
{
    str_clear(&record->octets);
    record->fields = 0;
}

struct slice csv_field(const struct csv_record *record, size_t field)
{
    const struct csv_field *f = &record->field[field];

    return slice_cut(str_slice(&record->octets), f->from, f->len);
}

static bool starts_with(struct slice text, struct slice with)
{
    return slice_eq(slice_cut(text, 0, with.len), with);
}

void csv_begin(struct csv_reading *r, struct slice text)
{
    *r = (struct csv_reading){.text = text, .line = 1};
    if (starts_with(text, BYTE_ORDER_MARK))
        r->at = r->line_at = BYTE_ORDER_MARK.len;
}

/* ---- where it is ---------------------------------------------------------------------------- */

static bool at_end(const struct csv_reading *r)
{
    return r->at >= r->text.len;
}

static char here(const struct csv_reading *r)
{
    return at_end(r) ? '\0' : r->text.at[r->at];
}

/* The octets of a line end that stands here, or 0. */
static size_t line_end(const struct csv_reading *r)
{
    struct slice rest = slice_cut(r->text, r->at, 2);

    if (starts_with(rest, SLICE("\r\n")))
        return 2;
    return starts_with(rest, SLICE("\n")) ? 1 : 0;
}

static bool at_line_end(const struct csv_reading *r)
{
    return at_end(r) || line_end(r) > 0;
}

static void pass_line_end(struct csv_reading *r)
{
    size_t octets = line_end(r);

    r->at += octets;
    if (octets > 0) {
        r->line++;
        r->line_at = r->at;
    }
}

static struct csv_place place_of(const struct csv_reading *r)
{
    struct csv_place place = {r->line, 1};

    for (size_t i = r->line_at; i < r->at && i < r->text.len; i++)
        place.column += (r->text.at[i] & 0xC0) != 0x80;
    return place;
}

static void go_to_next_line(struct csv_reading *r)
{
    r->at = slice_find(r->text, '\n', r->at);
    pass_line_end(r);
}

/* ---- one field ------------------------------------------------------------------------------- */

static enum rc too_long(struct err *err)
{
    return FAIL(err, RC_REFUSED, "a field has more than %d octets: shorten it, or close its quotes",
                CSV_FIELD_MAX);
}

static enum rc read_bare(struct csv_reading *r, struct str *out, struct err *err)
{
    for (size_t n = 0; !at_line_end(r) && here(r) != ','; n++) {
        if (here(r) == '"')
            return FAIL(
                err, RC_REFUSED,
                "a quote within a field: put the whole field in quotes, and write each quote "
                "inside it twice");
        if (here(r) == '\r')
            return FAIL(err, RC_REFUSED, "a CR without LF: lines end with LF or CR LF");
        if (n == CSV_FIELD_MAX)
            return too_long(err);
        str_addc(out, here(r));
        r->at++;
    }
    return RC_OK;
}

/* The quote that closes it, or the first of two that stand for one. */
static bool closes(const struct csv_reading *r)
{
    return here(r) == '"' && !starts_with(slice_cut(r->text, r->at, 2), SLICE("\"\""));
}

static enum rc read_quoted(struct csv_reading *r, struct str *out, struct err *err)
{
    size_t n = 0;

    for (r->at++; !at_end(r) && !closes(r); n++) {
        if (n == CSV_FIELD_MAX)
            return too_long(err);
        str_addc(out, here(r));
        if (line_end(r) == 1)
            pass_line_end(r);
        else
            r->at += here(r) == '"' ? 2 : 1;
    }
    if (at_end(r))
        return FAIL(err, RC_REFUSED, "a quote that is never closed");
    r->at++;
    if (here(r) != ',' && !at_line_end(r))
        return FAIL(
            err, RC_REFUSED,
            "text after a closing quote: a quote inside quotes is written twice, and a comma "
            "parts fields");
    return RC_OK;
}

static bool is_text(struct slice text)
{
    return utf8_valid(text) && slice_find(text, '\0', 0) == text.len;
}

static enum rc read_field(struct csv_reading *r, struct csv_record *out, struct err *err)
{
    struct csv_field *f = &out->field[out->fields];

    if (out->fields == CSV_FIELDS_MAX)
        return FAIL(err, RC_REFUSED, "more than %d fields in one record", CSV_FIELDS_MAX);
    *f = (struct csv_field){.from = out->octets.len, .place = place_of(r)};
    TRY(here(r) == '"' ? read_quoted(r, &out->octets, err) : read_bare(r, &out->octets, err));
    f->len = out->octets.len - f->from;
    if (!is_text(csv_field(out, out->fields)))
        return FAIL(err, RC_REFUSED, "octets that are no UTF-8: save the file as UTF-8");
    out->fields++;
    return RC_OK;
}

/* ---- one record ------------------------------------------------------------------------------ */

/* What a quote that is never closed has swallowed is read again, from the line behind it on. */
static enum rc
refused(struct csv_reading *r, const struct csv_reading *field, struct csv_place *place, enum rc rc)
{
    *r = *field;
    *place = place_of(r);
    go_to_next_line(r);
    return rc;
}

enum rc
csv_next(struct csv_reading *r, struct csv_record *out, struct csv_place *place, struct err *err)
{
    struct csv_reading field;
    bool more = true;

    while (!at_end(r) && line_end(r) > 0)
        pass_line_end(r);
    str_empty(&out->octets);
    out->fields = 0;
    if (at_end(r))
        return RC_NOT_FOUND;
    *place = place_of(r);
    while (more) {
        field = *r;
        enum rc rc = read_field(r, out, err);

        if (rc != RC_OK)
            return refused(r, &field, place, rc);
        more = here(r) == ',' && !at_end(r);
        r->at += more;
    }
    pass_line_end(r);
    return RC_OK;
}
