/* SPDX-License-Identifier: Apache-2.0 */
#include "fields.h"

#include <onecase/front.h>
#include <onecase/utf8.h>
#include <onecase/when.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *name;
    struct str text;
    bool markup;
    struct fields **row; /* owned */
    size_t rows;
};

struct fields {
    struct entry *entry;
    size_t entries;
    struct mustache_value *value; /* made for rendering, and what it points into */
    struct mustache_scope **scopes;
    size_t sealed; /* so many entries had it then */
};

struct fields *fields_new(void)
{
    return mem_new(1, sizeof(struct fields));
}

static void unseal(struct fields *f)
{
    for (size_t i = 0; i < f->sealed; i++)
        free(f->scopes[i]);
    free(f->scopes);
    free(f->value);
    f->scopes = NULL;
    f->value = NULL;
    f->sealed = 0;
}

/* Rows within rows, as deep as pages have them. */
/* NOLINTNEXTLINE(misc-no-recursion) */
void fields_free(struct fields **fields)
{
    struct fields *f = *fields;
    if (!f)
        return;
    unseal(f);
    for (size_t i = 0; i < f->entries; i++) {
        str_clear(&f->entry[i].text);
        for (size_t n = 0; n < f->entry[i].rows; n++)
            fields_free(&f->entry[i].row[n]);
        free(f->entry[i].row);
    }
    free(f->entry);
    free(f);
    *fields = NULL;
}

static struct entry *entry_of(struct fields *f, const char *name)
{
    for (size_t i = 0; i < f->entries; i++)
        if (strcmp(f->entry[i].name, name) == 0)
            return &f->entry[i];
    if ((f->entries & (f->entries - 1)) == 0)
        f->entry = mem_grow(f->entry, f->entries ? 2 * f->entries : 1, sizeof *f->entry);
    f->entry[f->entries] = (struct entry){.name = name, .text = STR_INIT};
    return &f->entry[f->entries++];
}

void put_slice(struct fields *f, const char *name, struct slice text)
{
    struct entry *e = entry_of(f, name);
    str_empty(&e->text);
    utf8_mend(text, &e->text);
}

void put(struct fields *f, const char *name, const char *text)
{
    put_slice(f, name, slice_z(text));
}

void put_format(struct fields *f, const char *name, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(f, name, text);
}

void put_number(struct fields *f, const char *name, int64_t number)
{
    put_format(f, name, "%" PRId64, number);
}

void put_flag(struct fields *f, const char *name, bool flag)
{
    put(f, name, flag ? "1" : "");
}

void put_markup(struct fields *f, const char *name, struct slice markup)
{
    struct entry *e = entry_of(f, name);
    str_empty(&e->text);
    str_add(&e->text, markup);
    e->markup = true;
}

struct fields *put_row(struct fields *f, const char *name)
{
    struct entry *e = entry_of(f, name);
    if ((e->rows & (e->rows - 1)) == 0)
        e->row = mem_grow(e->row, e->rows ? 2 * e->rows : 1, sizeof(struct fields *));
    return e->row[e->rows++] = fields_new();
}

void put_when(struct fields *f, const char *name, int64_t at_ms, int64_t now_ms)
{
    char utc[WHEN_TEXT_SIZE], local[32], exact[32];
    if (at_ms <= 0 || at_ms == INT64_MAX)
        return;
    struct fields *row = put_row(f, name);
    when_text(at_ms - at_ms % 1000, utc);
    period_text(at_ms, now_ms, local);
    period_exact(at_ms, exact);
    put(row, "utc", utc);
    put(row, "local", local);
    put(row, "exact", exact);
}

/* ---- rendering ------------------------------------------------------------------------------------ */

/* NOLINTNEXTLINE(misc-no-recursion) */
static struct mustache_scope seal(struct fields *f)
{
    unseal(f);
    f->sealed = f->entries;
    f->value = mem_new(f->entries + 1, sizeof *f->value);
    f->scopes = mem_new(f->entries + 1, sizeof(struct mustache_scope *));
    for (size_t i = 0; i < f->entries; i++) {
        struct entry *e = &f->entry[i];
        f->scopes[i] = mem_new(e->rows + 1, sizeof(struct mustache_scope));
        for (size_t n = 0; n < e->rows; n++)
            f->scopes[i][n] = seal(e->row[n]);
        f->value[i] = (struct mustache_value){.name = e->name,
                                              .text = str_slice(&e->text),
                                              .row = e->rows ? f->scopes[i] : NULL,
                                              .rows = e->rows,
                                              .markup = e->markup};
    }
    return (struct mustache_scope){f->value, f->entries};
}

void fields_render(struct fields *f, struct slice template, struct str *out)
{
    struct mustache_scope scope = seal(f);
    mustache_render_page(template, &scope, out);
}
