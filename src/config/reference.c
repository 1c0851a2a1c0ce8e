/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"
#include "values.h"

#include <onecase/config.h>

#include <assert.h>
#include <string.h>

#define WIDTH 96

/* Where a line begins: how far to the right, and whether it is only shown. */
struct margin {
    int indent;
    bool dash;    /* its first key begins an entry of a list */
    bool comment; /* it is not in force */
};

static void print_words(FILE *out, int indent, struct slice text)
{
    struct slice word;
    size_t column = 0;

    while (slice_next(&text, ' ', &word)) {
        if (column == 0 || column + 1 + word.len > WIDTH) {
            fprintf(out, "%s%*s#", column == 0 ? "" : "\n", indent, "");
            column = (size_t)indent + 1;
        }
        fprintf(out, " %.*s", (int)word.len, word.at);
        column += 1 + word.len;
    }
    fputc('\n', out);
}

static bool has_range(const struct setting *s)
{
    return s->type == VALUE_NUMBER || s->type == VALUE_DURATION || s->type == VALUE_OCTETS ||
           s->type == VALUE_CHOICE;
}

static void print_sentence(FILE *out, const struct setting *s, int indent)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    str_addf(&text, "%s%s", (s->flags & REQUIRED) != 0 ? "Required. " : "", s->says);
    if (has_range(s)) {
        str_addz(&text, " Expected: ");
        value_allowed(s, &text);
        str_addc(&text, '.');
    }
    if ((s->flags & FIXED) != 0)
        str_addz(&text, " A change is taken up by a new start only.");
    print_words(out, indent, str_slice(&text));
}

/* A text that YAML would take for something else. */
static bool needs_quotes(const char *value)
{
    return value[0] == '\0' || strchr("*&!|>{}[]%@\"'#`?-", value[0]) != NULL ||
           strstr(value, ": ") != NULL || strstr(value, " #") != NULL;
}

static void print_key(FILE *out, const struct setting *s, struct margin m)
{
    fprintf(out, "%*s%s%s%s:", m.indent, "", m.comment ? "#" : "", m.dash ? "- " : "", s->key);
}

static void print_value(FILE *out, const struct setting *s, struct margin m)
{
    bool blank = s->preset == NULL || (m.comment && s->preset[0] == '\0');
    const char *value = blank && s->example != NULL ? s->example : s->preset;
    assert(value != NULL);
    bool quotes = (s->flags & MANY) == 0 && needs_quotes(value);

    m.comment |= s->preset == NULL && (s->flags & (REQUIRED | SHOWN)) == 0;
    print_key(out, s, m);
    const char *quote = !quotes ? "" : strchr(value, '"') != NULL ? "'" : "\"";
    fprintf(out, " %s%s%s\n", quote, value, quote);
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the table */

static void print_block(FILE *out, const struct block *b, struct margin m);

static void print_inner(FILE *out, const struct setting *s, struct margin m)
{
    bool list = s->type == VALUE_BLOCKS;

    m.comment |= (s->flags & OPTIONAL) != 0 || (list && (s->flags & REQUIRED) == 0);
    print_key(out, s, m);
    fputs((s->flags & INHERITS) != 0 ? " {}\n" : "\n", out);
    if ((s->flags & INHERITS) == 0)
        print_block(out, s->block, (struct margin){m.indent + (m.dash ? 4 : 2), list, m.comment});
}

static void print_row(FILE *out, const struct setting *s, struct margin m)
{
    print_sentence(out, s, m.indent);
    if (s->type == VALUE_BLOCK || s->type == VALUE_BLOCKS)
        print_inner(out, s, m);
    else
        print_value(out, s, m);
}

static void print_block(FILE *out, const struct block *b, struct margin m)
{
    for (size_t i = 0; i < b->rows; i++) {
        if (m.indent == 0)
            fputc('\n', out);
        print_row(out, &b->row[i], m);
        if (m.dash) {
            m.dash = false;
            m.indent += 2;
        }
    }
}

/* NOLINTEND(misc-no-recursion) */

void config_print_reference(FILE *out)
{
    fputs("# The configuration of onecase, complete: every setting with its default. What has no "
          "default\n"
          "# is behind a #, or an example. Relative paths begin in the folder of this file; "
          "${NAME} is an\n"
          "# environment variable, and $${ stands for ${ itself. Printed from the program's own "
          "table.\n",
          out);
    print_block(out, &settings, (struct margin){0, false, false});
}
