/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/front.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 16
#define GAP         2

struct table {
    struct column column[COLUMNS_MAX];
    size_t columns, rows;
    bool left_out[COLUMNS_MAX]; /* as the operator chose others */
    char **cell;                /* rows * columns, the heading first */
};

/* ---- rows ------------------------------------------------------------------------------------------ */

static void add_cell(struct table *t, size_t column, const char *text)
{
    CLEANUP(str_clear) struct str plain = STR_INIT;
    plain_text(text, &plain);
    t->cell[t->rows * t->columns + column] = mem_text(str_z(&plain));
}

static void begin_row(struct table *t)
{
    t->cell = mem_grow(t->cell, (t->rows + 1) * t->columns, sizeof *t->cell);
}

struct table *table_of(const struct column *column, size_t columns)
{
    struct table *t = mem_new(1, sizeof *t);
    t->columns = columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
    begin_row(t);
    for (size_t c = 0; c < t->columns; c++) {
        t->column[c] = column[c];
        add_cell(t, c, column[c].heading);
    }
    t->rows++;
    return t;
}

void table_row(struct table *table, const char *const *cell)
{
    begin_row(table);
    for (size_t c = 0; c < table->columns; c++)
        add_cell(table, c, cell[c]);
    table->rows++;
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

static bool chosen(const char *names, const char *heading)
{
    struct slice rest = slice_z(names), one;
    while (rest.len > 0 && slice_next(&rest, ',', &one))
        if (slice_eq_nocase(slice_trim(one), slice_z(heading)))
            return true;
    return false;
}

static bool has_heading(const struct table *t, struct slice name)
{
    for (size_t c = 0; c < t->columns; c++)
        if (slice_eq_nocase(slice_trim(name), slice_z(t->column[c].heading)))
            return true;
    return false;
}

enum rc table_choose(struct table *table, const char *names, struct err *err)
{
    struct slice rest = slice_z(names), one;
    CLEANUP(str_clear) struct str known = STR_INIT;
    for (size_t c = 0; c < table->columns; c++)
        str_addf(&known, "%s%s", c > 0 ? ", " : "", table->column[c].heading);
    while (rest.len > 0 && slice_next(&rest, ',', &one))
        if (!has_heading(table, one))
            return FAIL(err, RC_USAGE, "there is no column '%.*s'; there are %s", (int)one.len,
                        one.at, str_z(&known));
    for (size_t c = 0; c < table->columns; c++)
        table->left_out[c] = !chosen(names, table->column[c].heading);
    return RC_OK;
}

/* ---- how wide each column is ------------------------------------------------------------------------ */

struct layout {
    size_t width[COLUMNS_MAX];
    bool shown[COLUMNS_MAX];
};

static void measure(const struct table *t, struct layout *l)
{
    *l = (struct layout){.width = {0}};
    for (size_t i = 0; i < t->rows * t->columns; i++) {
        size_t columns = plain_columns(t->cell[i]);
        if (columns > l->width[i % t->columns])
            l->width[i % t->columns] = columns;
    }
    for (size_t c = 0; c < t->columns; c++)
        l->shown[c] = !t->left_out[c];
}

static size_t total(const struct table *t, const struct layout *l)
{
    size_t sum = 0, shown = 0;
    for (size_t c = 0; c < t->columns; c++) {
        sum += l->shown[c] ? l->width[c] : 0;
        shown += l->shown[c];
    }
    return shown > 0 ? sum + (shown - 1) * GAP : 0;
}

/* One column off where most may be spared: of the columns that may be cut, or of `all`; false where
 * nothing is left to spare. */
static bool cut_one(const struct table *t, struct layout *l, bool all)
{
    size_t from = t->columns, most = 0;
    for (size_t c = 0; c < t->columns; c++) {
        size_t least = all ? 1 : t->column[c].least ? t->column[c].least : SIZE_MAX;
        size_t spare = l->shown[c] && l->width[c] > least ? l->width[c] - least : 0;
        if (spare > most) {
            from = c;
            most = spare;
        }
    }
    if (most > 0)
        l->width[from]--;
    return most > 0;
}

/* Leaves out the column that is missed least; of all, where no row says so, the last. */
static bool drop_one(const struct table *t, struct layout *l, bool all)
{
    size_t first = t->columns;
    unsigned most = 0;
    for (size_t c = 0; c < t->columns; c++)
        if (l->shown[c] && (t->column[c].drop > most || all)) {
            first = c;
            most = t->column[c].drop;
        }
    if (first < t->columns)
        l->shown[first] = false;
    return first < t->columns;
}

/* Cuts texts, then leaves columns out and begins anew, and at the very last cuts everything. */
static void fit(const struct table *t, size_t room, struct layout *l)
{
    struct layout whole;
    measure(t, &whole);
    *l = whole;
    while (total(t, l) > room)
        if (!cut_one(t, l, false)) {
            if (!drop_one(t, &whole, false))
                break;
            *l = whole;
        }
    while (total(t, l) > room)
        if (!cut_one(t, l, true) && !drop_one(t, l, true))
            return;
}

/* ---- printing -------------------------------------------------------------------------------------- */

static void add_shown(const char *text, size_t width, bool right, struct str *line)
{
    CLEANUP(str_clear) struct str cut = STR_INIT;
    plain_cut(text, width, &cut);
    int missing = (int)(width - plain_columns(str_z(&cut)));
    str_addf(line, "%*s%s%*s", right ? missing : 0, "", str_z(&cut), right ? 0 : missing, "");
}

static void print_row(const struct table *t, const struct layout *l, size_t row, struct str *line)
{
    str_empty(line);
    for (size_t c = 0; c < t->columns; c++) {
        if (!l->shown[c])
            continue;
        str_addf(line, "%*s", line->len > 0 ? GAP : 0, "");
        add_shown(t->cell[row * t->columns + c], l->width[c], t->column[c].right, line);
    }
    while (line->len > 0 && line->at[line->len - 1] == ' ')
        line->at[--line->len] = '\0';
}

void table_print(const struct table *table, size_t width, bool bold, FILE *out)
{
    CLEANUP(str_clear) struct str line = STR_INIT;
    struct layout l;
    fit(table, width ? width : SIZE_MAX, &l);
    for (size_t r = 0; r < table->rows; r++) {
        print_row(table, &l, r, &line);
        bool marked = bold && r == 0;
        fprintf(out, "%s%s%s\n", marked ? "\033[1m" : "", str_z(&line), marked ? "\033[0m" : "");
    }
}
