/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <ctype.h>
#include <string.h>

#define HELP_WIDTH    80 /* where nobody says how wide the output is */
#define COMMAND_WIDTH 22
#define OPTION_WIDTH  28

static size_t help_width(const struct call *call)
{
    return call->width ? call->width : HELP_WIDTH;
}

int own_words(const struct command *command)
{
    const char *p = command->pattern;
    size_t end = 0;
    while (islower((unsigned char)p[end])) {
        size_t len = strcspn(p + end, " ");
        if (memchr(p + end, '|', len))
            break;
        end += len;
        end += p[end] == ' ' && islower((unsigned char)p[end + 1]);
    }
    while (end > 0 && p[end - 1] == ' ')
        end--;
    return (int)end;
}

/* ---- the list ---------------------------------------------------------------------------------------- */

/* Its own words, and the names of what must be given. */
static void typed(const struct command *c, struct str *out)
{
    size_t own = (size_t)own_words(c);
    struct slice rest = slice_z(c->pattern + own), word;
    str_add(out, (struct slice){c->pattern, own});
    while (rest.len > 0 && slice_next(&rest, ' ', &word)) {
        if (word.len > 0 && (word.at[0] == '[' || word.at[0] == '-'))
            return;
        if (word.len > 0 && isupper((unsigned char)word.at[0]))
            str_addf(out, " %.*s", (int)word.len, word.at);
    }
}

static void list_line(const struct call *call, const char *name, const char *text, int room)
{
    bool long_name = strlen(name) > (size_t)room;
    printf("  %-*s", long_name ? 0 : room + 2, name);
    if (long_name)
        printf("\n%*s", room + 4, "");
    plain_wrap(text, (size_t)room + 4, help_width(call), stdout);
}

static void list(const struct call *call)
{
    printf("onecase [-c FILE] COMMAND ...\n\n");
    plain_wrap("One e-mail, one case, one confirmation, whatever crashes, repeats or times out in "
               "between.",
               0, help_width(call), stdout);
    for (size_t i = 0; i < command_count; i++) {
        CLEANUP(str_clear) struct str name = STR_INIT;
        if (i == 0 || strcmp(commands[i - 1].group, commands[i].group) != 0)
            heading(call, commands[i].group);
        typed(&commands[i], &name);
        list_line(call, str_z(&name), commands[i].summary, COMMAND_WIDTH);
    }
    printf("\n");
    plain_wrap(
        "FILE is the configuration: $ONECASE_CONFIG, else /etc/onecase/onecase.yaml. 'onecase "
        "help COMMAND' says more. --json is for scripts.",
        0, help_width(call), stdout);
}

/* ---- one command --------------------------------------------------------------------------------------- */

static bool is_for(const struct about *a, const struct command *c)
{
    size_t own = (size_t)own_words(c);
    return strlen(a->command) == own && strncmp(a->command, c->pattern, own) == 0;
}

/* A row for every command holds where the option stands in the pattern and has no row of its own. */
static bool is_about(const struct about *a, const struct command *c)
{
    if (a->command[0])
        return is_for(a, c);
    for (size_t i = 0; i < about_count; i++)
        if (is_for(&abouts[i], c) && strcmp(abouts[i].what, a->what) == 0)
            return false;
    return strstr(c->pattern, a->what) != NULL;
}

enum kind { PARAGRAPH, OPTION, EXAMPLE };

static enum kind kind_of(const struct about *a)
{
    if (strncmp(a->what, "onecase ", 8) == 0)
        return EXAMPLE;
    return a->what[0] ? OPTION : PARAGRAPH;
}

static void part(const struct call *call, const struct command *c, enum kind kind)
{
    bool first = true;
    for (size_t i = 0; i < about_count; i++) {
        const struct about *a = &abouts[i];
        if (kind_of(a) != kind || !is_about(a, c))
            continue;
        if (first || kind == PARAGRAPH)
            printf("\n");
        first = false;
        if (kind == OPTION)
            list_line(call, a->what, a->text, OPTION_WIDTH);
        else if (kind == EXAMPLE)
            printf("  %s\n", a->what);
        else
            plain_wrap(a->text, 0, help_width(call), stdout);
    }
}

/* What stands in one pair of brackets stays on one line. */
static void synopsis(const struct command *c, size_t width, FILE *out)
{
    size_t used = (size_t)fprintf(out, "onecase");
    for (const char *p = c->pattern; *p;) {
        const char *end = *p == '[' ? strchr(p, ']') : NULL;
        size_t len = end ? (size_t)(end + 1 - p) : strcspn(p, " ");
        if (used + 1 + len > width)
            used = (size_t)fprintf(out, "\n       ") - 1;
        used += (size_t)fprintf(out, " %.*s", (int)len, p);
        p += len;
        p += strspn(p, " ");
    }
    fprintf(out, "\n");
}

void usage_of(const struct command *command, FILE *out)
{
    fprintf(out, "usage: ");
    synopsis(command, HELP_WIDTH, out);
}

void help_one(const struct call *call, const struct command *command)
{
    synopsis(command, help_width(call), stdout);
    printf("\n");
    plain_wrap(command->summary, 0, help_width(call), stdout);
    part(call, command, PARAGRAPH);
    part(call, command, OPTION);
    part(call, command, EXAMPLE);
}

static bool begins_with(const struct command *c, const char *words)
{
    size_t len = strlen(words);
    return strncmp(c->pattern, words, len) == 0 && (c->pattern[len] == ' ' || !c->pattern[len]);
}

int cmd_help(struct call *call)
{
    CLEANUP(str_clear) struct str words = STR_INIT;
    size_t found = 0;
    for (size_t i = 0; i < call->args.count; i++)
        str_addf(&words, "%s%s", i > 0 ? " " : "", call->args.at[i].value);
    if (words.len == 0) {
        list(call);
        return EXIT_DONE;
    }
    for (size_t i = 0; i < command_count; i++) {
        if (!begins_with(&commands[i], str_z(&words)))
            continue;
        if (found++ > 0)
            printf("\n\n");
        help_one(call, &commands[i]);
    }
    return found ? EXIT_DONE
                 : usage("there is no command '%s'; 'onecase help' lists them", str_z(&words));
}
