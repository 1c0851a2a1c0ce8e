/* SPDX-License-Identifier: Apache-2.0 */
#include "problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 1024

/* What the file holds is shown on terminals and in logs. */
static void keep_to_one_line(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            *text = '?';
}

void problem_at(struct problems *p, struct place where, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    keep_to_one_line(text);
    p->at = mem_grow(p->at, p->count + 1, sizeof *p->at);
    p->at[p->count++] = (struct problem){where, mem_text(text)};
}

static int compare(const void *a, const void *b)
{
    const struct problem *one = a;
    const struct problem *two = b;

    if (one->place.line != two->place.line)
        return one->place.line < two->place.line ? -1 : 1;
    if (one->place.column != two->place.column)
        return one->place.column < two->place.column ? -1 : 1;
    return strcmp(one->text, two->text);
}

void problems_print(struct problems *p, const char *path, struct str *out)
{
    if (p->count > 0)
        qsort(p->at, p->count, sizeof *p->at, compare);
    for (size_t i = 0; i < p->count; i++) {
        const struct problem *now = &p->at[i];

        if (i == 0 || compare(&p->at[i - 1], now) != 0)
            str_addf(out, "%s:%zu:%zu: %s\n", path, now->place.line, now->place.column, now->text);
    }
}

void problems_clear(struct problems *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->at[i].text);
    free(p->at);
    *p = (struct problems){NULL, 0};
}
