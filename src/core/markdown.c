/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown.h"

#include <stdarg.h>

void md_head(struct str *out, const char *title, ...)
{
    va_list columns;
    size_t count = 0;

    str_addf(out, "### %s\n\n", title);
    va_start(columns, title);
    for (const char *column; (column = va_arg(columns, const char *)); count++)
        md_cell(out, column);
    va_end(columns);
    md_end(out);
    for (size_t i = 0; i < count; i++)
        str_addz(out, "|---");
    md_end(out);
}

static void add_text(struct str *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            str_addc(out, '\\');
        str_addc(out, *text);
    }
}

void md_cell(struct str *out, const char *text)
{
    str_addz(out, "| ");
    add_text(out, text);
    str_addc(out, ' ');
}

void md_code(struct str *out, const char *word)
{
    const char *mark = word[0] ? "`" : "";

    str_addf(out, "| %s", mark);
    add_text(out, word[0] ? word : "–");
    str_addf(out, "%s ", mark);
}

void md_end(struct str *out)
{
    str_addz(out, "|\n");
}
