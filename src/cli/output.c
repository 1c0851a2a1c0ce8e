/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_COLUMN 14

/* ---- what every command says in the same way ----------------------------------------------------------- */

int failed(const struct err *err)
{
    /* clang-format off */
    static const int exits[RC_COUNT] = {
        [RC_OK] = EXIT_DONE,           [RC_DEFERRED] = EXIT_NOT_YET, [RC_REFUSED] = EXIT_UNREACHABLE,
        [RC_CONFLICT] = EXIT_NO,       [RC_UNKNOWN] = EXIT_NOT_YET,  [RC_NOT_FOUND] = EXIT_NO_ITEM,
        [RC_USAGE] = EXIT_USAGE,       [RC_BROKEN] = EXIT_IO,
    };
    /* clang-format on */
    CLEANUP(str_clear) struct str text = STR_INIT;
    plain_text(err->text, &text);
    fprintf(stderr, "onecase: %s\n", str_z(&text));
    return err->rc < RC_COUNT ? exits[err->rc] : EXIT_BUG;
}

int usage(const char *format, ...)
{
    CLEANUP(str_clear) struct str plain = STR_INIT;
    char line[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    plain_text(line, &plain);
    fprintf(stderr, "onecase: %s\n", str_z(&plain));
    return EXIT_USAGE;
}

void print(const struct str *text)
{
    fwrite(str_z(text), 1, text->len, stdout);
}

void say_line(const struct call *call, const char *name, const char *value)
{
    if (!value || !value[0])
        return;
    printf("%-*s", NAME_COLUMN, name);
    plain_wrap(value, NAME_COLUMN, call->width, stdout);
}

void heading(const struct call *call, const char *text)
{
    printf("\n%s%s%s\n", call->terminal ? "\033[1m" : "", text, call->terminal ? "\033[0m" : "");
}

void when_cell(const struct call *call, int64_t at_ms, char out[32])
{
    out[0] = '\0';
    if (at_ms != NOT_DUE && at_ms != 0)
        period_text(at_ms, call->now_ms, out);
}

size_t table_width(const struct call *call)
{
    return args_has(&call->args, "--wide") ? 0 : call->width;
}

enum rc choose_columns(const struct call *call, struct table *table, struct err *err)
{
    const char *columns = args_get(&call->args, "--columns");
    return columns ? table_choose(table, columns, err) : RC_OK;
}

int show_table(const struct call *call, struct table *table)
{
    struct err err = ERR_INIT;
    if (choose_columns(call, table, &err) != RC_OK)
        return failed(&err);
    table_print(table, table_width(call), call->terminal, stdout);
    return EXIT_DONE;
}

int show_sheet(const struct call *call, struct sheet *sheet, enum sheet_format format)
{
    const char *columns = args_get(&call->args, "--columns");
    struct err err = ERR_INIT;
    if (columns && sheet_choose(sheet, columns, &err) != RC_OK)
        return failed(&err);
    sheet_print(sheet, format, call->now_ms, table_width(call), stdout);
    return EXIT_DONE;
}

const char *short_name(const char *reference, const char *key, char room[16])
{
    text_copy(room, 13, key);
    return reference && reference[0] ? reference : room;
}

/* A case's reference stands for the mail that made it, and for no other mail of that case. */
const char *name_of_item(const struct view_item *i, char room[16])
{
    bool made = strcmp(i->disposition, disposition_text(DISPOSITION_CASE)) == 0;
    return short_name(made ? i->reference : "", i->key, room);
}

/* ---- options that several commands have ------------------------------------------------------------------ */

enum rc limit_of(const struct call *call, size_t *out, struct err *err)
{
    const char *text = args_get(&call->args, "--limit");
    *out = call->json ? 0 : 50;
    if (!text)
        return RC_OK;
    char *end;
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    if (errno || *end || end == text || n == 0 || n > 1000000)
        return FAIL(err, RC_USAGE, "--limit takes a number from 1 to 1000000");
    *out = n;
    return RC_OK;
}

enum rc asked_mailbox(const struct call *call, const char **out, struct err *err)
{
    const struct config *c = call->ops->config;
    CLEANUP(str_clear) struct str known = STR_INIT;
    *out = args_get(&call->args, "--mailbox");
    if (!*out)
        *out = args_get(&call->args, "MAILBOX");
    if (!*out || config_find_mailbox(c, *out))
        return RC_OK;
    for (size_t i = 0; i < c->mailboxes.count; i++)
        str_addf(&known, "%s%s", i > 0 ? ", " : "", c->mailboxes.at[i].id);
    return FAIL(err, RC_USAGE, "there is no mailbox '%s' in the configuration; it has %s", *out,
                str_z(&known));
}

const char *environment(const char *name)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): nobody here changes the environment */
    const char *value = getenv(name);
    return value ? value : "";
}

static const char *account(void)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): there are no threads */
    const struct passwd *p = getpwuid(getuid());
    return p ? p->pw_name : "unknown";
}

const char *person_behind(void)
{
    const char *sudo = environment("SUDO_USER");
    return getuid() == 0 && sudo[0] ? sudo : account();
}

struct report_facts report_made(const struct call *call)
{
    const struct config *c = call->ops->config;
    const char *zone = c->timezone[0] ? c->timezone : environment("TZ");
    return (struct report_facts){.deployment = c->name,
                                 .environment = c->environment,
                                 .version = call->host->version,
                                 .zone = zone[0] ? zone : "the machine's zone",
                                 .by = person_behind(),
                                 .made_ms = call->now_ms};
}

static bool blank(const char *text)
{
    return slice_trim(slice_z(text)).len == 0;
}

enum rc decider_of(const struct call *call, const char *why, struct str *by, struct err *err)
{
    bool nameless = blank(args_get(&call->args, "--by"));
    if (nameless && blank(why))
        return FAIL(
            err, RC_USAGE,
            "a decision needs --by NAME and --reason TEXT: who takes it, and why? Nothing was "
            "changed.");
    if (nameless)
        return FAIL(err, RC_USAGE,
                    "a decision needs --by NAME: who takes it? Nothing was changed.");
    if (blank(why))
        return FAIL(err, RC_USAGE, "a decision needs --reason TEXT: why? Nothing was changed.");
    decider_or_account(call, by);
    return RC_OK;
}

enum rc decider(const struct call *call, struct str *by, const char **why, struct err *err)
{
    *why = args_get(&call->args, "--reason");
    return decider_of(call, *why, by, err);
}

void decider_or_account(const struct call *call, struct str *by)
{
    decider_named(args_get(&call->args, "--by"), by);
}

void decider_named(const char *name, struct str *by)
{
    const char *sudo = environment("SUDO_USER");
    bool named = !blank(name);
    str_addf(by, "%s%s%s%s%s%s", named ? name : "", named ? " (" : "", account(),
             sudo[0] ? ", sudo from " : "", sudo, named ? ")" : "");
}

/* People write references as they hear them: any case, O for 0, in brackets. */
void typed_name(const struct call *call, const char *option, struct str *out)
{
    char reference[REFERENCE_SIZE];
    struct slice typed = slice_trim(slice_z(args_get(&call->args, option)));
    size_t at = 0;
    if (reference_find(call->ops->config->reference_prefix, typed, &at, reference)) {
        str_addz(out, reference);
        return;
    }
    str_add(out, typed);
    if (strspn(str_z(out), "0123456789abcdefABCDEF") == out->len)
        for (size_t i = 0; i < out->len; i++)
            out->at[i] |= 0x20; /* hex digits in lower case; 0 to 9 have that bit */
}

enum rc one_item(const struct call *call, struct view *out, struct err *err)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    const struct views *v = call->ops->views;
    typed_name(call, "KEY", &name);
    return v->item(v->self, str_z(&name), out, err);
}

enum rc one_case(const struct call *call, struct view *out, struct err *err)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    const struct views *v = call->ops->views;
    typed_name(call, "REFERENCE", &name);
    return v->one_case(v->self, str_z(&name), out, err);
}
