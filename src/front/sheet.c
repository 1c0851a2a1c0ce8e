/* SPDX-License-Identifier: Apache-2.0 */
#include "json_p.h"

#include <string.h>

#define COLUMNS_MAX 16

/* In a terminal the first columns stay whole, the texts of the others may be cut to so much, and the
 * last go first. */
#define KEPT  3
#define LEAST 10

struct sheet {
    char *title;
    const struct sheet_column *column;
    size_t columns, rows;
    char **cell;  /* rows * columns; NULL is nothing */
    char *chosen; /* headings that a table has alone; NULL is all */
};

struct sheet *sheet_new(const char *title, const struct sheet_column *column, size_t columns)
{
    struct sheet *s = mem_new(1, sizeof *s);
    assert(columns <= COLUMNS_MAX);
    *s = (struct sheet){.title = mem_text(title), .column = column, .columns = columns};
    return s;
}

void sheet_row(struct sheet *sheet, const char *const *cell)
{
    sheet->cell = mem_grow(sheet->cell, (sheet->rows + 1) * sheet->columns, sizeof *sheet->cell);
    for (size_t i = 0; i < sheet->columns; i++)
        sheet->cell[sheet->rows * sheet->columns + i] = mem_text(cell[i]);
    sheet->rows++;
}

void sheet_free(struct sheet **sheet)
{
    struct sheet *s = *sheet;
    if (!s)
        return;
    for (size_t i = 0; i < s->rows * s->columns; i++)
        free(s->cell[i]);
    free(s->cell);
    free(s->chosen);
    free(s->title);
    free(s);
    *sheet = NULL;
}

bool sheet_format_parse(const char *text, enum sheet_format *out)
{
    static const char *const names[] = {"table", "csv", "json", "html"};
    for (size_t i = 0; i < LENGTH(names); i++)
        if (strcmp(names[i], text) == 0) {
            *out = (enum sheet_format)i;
            return true;
        }
    return false;
}

static const char *cell_at(const struct sheet *s, size_t row, size_t column)
{
    return s->cell[row * s->columns + column];
}

/* As a person reads it. */
static void for_people(const struct sheet *s, size_t row, size_t i, int64_t now_ms, struct str *out)
{
    const struct sheet_column *c = &s->column[i];
    const char *text = cell_at(s, row, i);
    int64_t at;
    char when[32];
    if (!text)
        return;
    if (c->holds == SHEET_WHEN && when_parse(slice_z(text), &at)) {
        period_text(at, now_ms, when);
        str_addz(out, when);
        return;
    }
    plain_text(c->label ? label(c->label, text) : text, out);
}

/* ---- table ---------------------------------------------------------------------------------------------- */

/* Its columns without a row. */
static struct table *table_for(const struct sheet *s)
{
    struct column column[COLUMNS_MAX];
    for (size_t i = 0; i < s->columns; i++)
        column[i] =
            (struct column){.heading = s->column[i].heading,
                            .least = i >= KEPT && s->column[i].holds == SHEET_TEXT ? LEAST : 0,
                            .drop = i < KEPT ? 0 : (unsigned)i,
                            .right = s->column[i].holds == SHEET_NUMBER};
    return table_of(column, s->columns);
}

enum rc sheet_choose(struct sheet *sheet, const char *headings, struct err *err)
{
    CLEANUP(table_free) struct table *t = table_for(sheet);
    TRY(table_choose(t, headings, err));
    free(sheet->chosen);
    sheet->chosen = mem_text(headings);
    return RC_OK;
}

static void print_table(const struct sheet *s, int64_t now_ms, size_t width, FILE *out)
{
    CLEANUP(table_free) struct table *t = table_for(s);
    struct err err = ERR_INIT;
    if (s->chosen)
        (void)!table_choose(t, s->chosen, &err);
    if (s->rows == 0) {
        fputs("There are none.\n", out);
        return;
    }
    for (size_t r = 0; r < s->rows; r++) {
        struct str text[COLUMNS_MAX];
        const char *cell[COLUMNS_MAX];
        for (size_t i = 0; i < s->columns; i++) {
            text[i] = (struct str)STR_INIT;
            for_people(s, r, i, now_ms, &text[i]);
            cell[i] = str_z(&text[i]);
        }
        table_row(t, cell);
        for (size_t i = 0; i < s->columns; i++)
            str_clear(&text[i]);
    }
    table_print(t, width, false, out);
}

const char *cell_when(int64_t at_ms, char out[WHEN_TEXT_SIZE])
{
    if (at_ms == NOT_DUE || at_ms == 0)
        return NULL;
    when_text(at_ms, out);
    return out;
}

const char *cell_text(const char *text)
{
    return text && text[0] ? text : NULL;
}

/* ---- CSV (RFC 4180) --------------------------------------------------------------------------------------- */

/* What a spreadsheet would take for a formula gets an apostrophe before it. */
static void print_field(const struct sheet *s, size_t i, const char *text, FILE *out)
{
    bool formula = s->column[i].holds != SHEET_NUMBER && text[0] && strchr("=+-@\t\r\n", text[0]);
    bool quoted = formula || strpbrk(text, ",;\"\r\n\t") != NULL;
    if (quoted)
        fputc('"', out);
    if (formula)
        fputc('\'', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    if (quoted)
        fputc('"', out);
}

static void print_csv(const struct sheet *s, FILE *out)
{
    for (size_t i = 0; i < s->columns; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", s->column[i].name);
    fputs("\r\n", out);
    for (size_t r = 0; r < s->rows; r++) {
        for (size_t i = 0; i < s->columns; i++) {
            const char *text = cell_at(s, r, i);
            if (i > 0)
                fputc(',', out);
            print_field(s, i, text ? text : "", out);
        }
        fputs("\r\n", out);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------------------- */

static json_t *json_cell(const struct sheet *s, size_t r, size_t i)
{
    const char *cell = cell_at(s, r, i);
    if (!cell)
        return json_null();
    return s->column[i].holds == SHEET_NUMBER ? json_integer(strtoll(cell, NULL, 10)) : text(cell);
}

static void print_json(const struct sheet *s, FILE *out)
{
    json_t *list = json_array();
    for (size_t r = 0; r < s->rows; r++) {
        json_t *o = json_object();
        for (size_t i = 0; i < s->columns; i++)
            json_object_set_new(o, s->column[i].name, json_cell(s, r, i));
        json_array_append_new(list, o);
    }
    char *dump = json_dumps(list, JSON_INDENT(2));
    fprintf(out, "%s\n", dump ? dump : "null");
    free(dump);
    json_decref(list);
}

/* ---- HTML: one page that needs nothing else ----------------------------------------------------------------- */

static const char *entity_of(char c)
{
    /* clang-format off */
    static const struct { char c; const char *entity; } entities[] = {
        { '<', "&lt;" }, { '>', "&gt;" }, { '&', "&amp;" }, { '"', "&quot;" },
    };
    /* clang-format on */
    for (size_t i = 0; i < LENGTH(entities); i++)
        if (entities[i].c == c)
            return entities[i].entity;
    return NULL;
}

void html_escaped(const char *text, FILE *out)
{
    for (; *text; text++) {
        const char *entity = entity_of(*text);
        if (entity)
            fputs(entity, out);
        else
            fputc(*text, out);
    }
}

static void print_head(const struct sheet *s, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", out);
    html_escaped(s->title, out);
    fputs("</title><style>\n"
          "body{font:14px/1.4 sans-serif;margin:2em;color:#111}\n"
          "table{border-collapse:collapse;width:100%}\n"
          "th,td{text-align:left;vertical-align:top;padding:.3em .6em;border-bottom:1px solid #bbb;"
          "overflow-wrap:anywhere}\nth{border-bottom:2px solid #555}\ntd.n{text-align:right}\n"
          "@media print{body{margin:0;font-size:10pt}thead{display:table-header-group}"
          "tr{break-inside:avoid}}\n</style></head><body>\n<h1>",
          out);
    html_escaped(s->title, out);
    fputs("</h1>\n<table><thead><tr>", out);
    for (size_t i = 0; i < s->columns; i++) {
        fputs("<th scope=\"col\">", out);
        html_escaped(s->column[i].heading, out);
        fputs("</th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
}

static void print_html(const struct sheet *s, int64_t now_ms, FILE *out)
{
    print_head(s, out);
    for (size_t r = 0; r < s->rows; r++) {
        fputs("<tr>", out);
        for (size_t i = 0; i < s->columns; i++) {
            CLEANUP(str_clear) struct str text = STR_INIT;
            for_people(s, r, i, now_ms, &text);
            fputs(s->column[i].holds == SHEET_NUMBER ? "<td class=\"n\">" : "<td>", out);
            html_escaped(str_z(&text), out);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></body></html>\n", out);
}

void sheet_print(
    const struct sheet *sheet, enum sheet_format format, int64_t now_ms, size_t width, FILE *out)
{
    switch (format) {
    case SHEET_TABLE:
        print_table(sheet, now_ms, width, out);
        break;
    case SHEET_CSV:
        print_csv(sheet, out);
        break;
    case SHEET_JSON:
        print_json(sheet, out);
        break;
    case SHEET_HTML:
        print_html(sheet, now_ms, out);
        break;
    }
}
