/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/front.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 16
#define GAP         2
#define NARROWEST   4

struct table {
    size_t columns, rows;
    char **cell; /* rows * columns, the heading first */
};

/* ---- text that a terminal can bear ---------------------------------------------------------------- */

/* The length of the UTF-8 sequence at `p`, or 0 where there is none. */
static size_t sequence(const unsigned char *p)
{
    size_t n = p[0] < 0x80             ? 1
               : (p[0] & 0xE0) == 0xC0 ? 2
               : (p[0] & 0xF0) == 0xE0 ? 3
               : (p[0] & 0xF8) == 0xF0 ? 4
                                       : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    return n;
}

static unsigned long code_point(const unsigned char *p, size_t n)
{
    static const unsigned char mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    unsigned long c = p[0] & mask[n];
    for (size_t i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3F);
    return c;
}

/* Controls of either set, and what turns the direction of text around. */
static bool harmful(unsigned long c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
           (c >= 0xE0000 && c <= 0xE007F);
}

void plain_text(const char *text, struct str *out)
{
    const unsigned char *p = (const unsigned char *)text;
    while (*p) {
        size_t n = sequence(p);
        if (n == 0)
            str_addz(out, "\xEF\xBF\xBD");
        else if (harmful(code_point(p, n)))
            str_addc(out, ' ');
        else
            str_add(out, (struct slice){(const char *)p, n});
        p += n ? n : 1;
    }
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static void add_row(struct table *t, const char *const *cell)
{
    t->cell = mem_grow(t->cell, (t->rows + 1) * t->columns, sizeof *t->cell);
    for (size_t i = 0; i < t->columns; i++) {
        struct str plain = STR_INIT;
        plain_text(cell[i] ? cell[i] : "", &plain);
        t->cell[t->rows * t->columns + i] = mem_text(str_z(&plain));
        str_clear(&plain);
    }
    t->rows++;
}

struct table *table_new(const char *const *heading, size_t columns)
{
    struct table *t = mem_new(1, sizeof *t);
    t->columns = columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
    add_row(t, heading);
    return t;
}

void table_row(struct table *table, const char *const *cell)
{
    add_row(table, cell);
}

void table_free(struct table **table)
{
    if (!*table)
        return;
    for (size_t i = 0; i < (*table)->rows * (*table)->columns; i++)
        free((*table)->cell[i]);
    free((*table)->cell);
    free(*table);
    *table = NULL;
}

/* ---- printing -------------------------------------------------------------------------------------- */

static size_t length(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static void measure(const struct table *t, size_t width[COLUMNS_MAX])
{
    for (size_t c = 0; c < t->columns; c++)
        width[c] = 0;
    for (size_t i = 0; i < t->rows * t->columns; i++)
        if (length(t->cell[i]) > width[i % t->columns])
            width[i % t->columns] = length(t->cell[i]);
}

static size_t total(const struct table *t, const size_t width[COLUMNS_MAX])
{
    size_t sum = 0;
    for (size_t c = 0; c < t->columns; c++)
        sum += width[c] + (c > 0 ? GAP : 0);
    return sum;
}

static size_t widest(const struct table *t, const size_t width[COLUMNS_MAX])
{
    size_t w = 0;
    for (size_t c = 1; c < t->columns; c++)
        if (width[c] > width[w])
            w = c;
    return w;
}

static void fit(const struct table *t, size_t room, size_t width[COLUMNS_MAX])
{
    while (room > 0 && total(t, width) > room) {
        size_t w = widest(t, width);
        if (width[w] <= NARROWEST)
            return;
        width[w]--;
    }
}

static void print_cell(const char *text, size_t width, bool last, FILE *out)
{
    size_t n = length(text), shown = n > width ? width - 1 : n;
    const char *p = text;
    for (size_t i = 0; i < shown; i++) {
        fputc(*p++, out);
        while (((unsigned char)*p & 0xC0) == 0x80)
            fputc(*p++, out);
    }
    if (n > width)
        fputs("\xE2\x80\xA6", out);
    size_t used = n > width ? width : n;
    for (; !last && used < width + GAP; used++)
        fputc(' ', out);
}

void table_print(const struct table *table, size_t width, bool colour, FILE *out)
{
    size_t column[COLUMNS_MAX];
    measure(table, column);
    fit(table, width, column);
    for (size_t r = 0; r < table->rows; r++) {
        fputs(colour && r == 0 ? "\033[1m" : "", out);
        for (size_t c = 0; c < table->columns; c++)
            print_cell(table->cell[r * table->columns + c], column[c], c + 1 == table->columns,
                       out);
        fputs(colour && r == 0 ? "\033[0m\n" : "\n", out);
    }
}
