/* SPDX-License-Identifier: Apache-2.0 */
#include "readers.h"
#include "texts.h"

#include <onecase/config.h>
#include <onecase/identity.h>
#include <onecase/language.h>

#include <inttypes.h>
#include <string.h>

/* Texts */

static bool may_be_blank(const struct setting *s)
{
    return (s->flags & BLANK) != 0 || (s->preset != NULL && s->preset[0] == '\0');
}

void value_put(const struct value_context *c, struct slice text, void *into)
{
    const char *copy = memory_text(c->memory, text);

    memcpy(into, &copy, sizeof copy);
}

static void put_lower(const struct value_context *c, struct slice text, void *into)
{
    char *copy = memory_get(c->memory, text.len + 1, 1);

    for (size_t i = 0; i < text.len; i++)
        copy[i] = text.at[i] >= 'A' && text.at[i] <= 'Z' ? (char)(text.at[i] + 32) : text.at[i];
    memcpy(into, &copy, sizeof copy);
}

bool read_text(const struct value_context *c,
               const struct setting *s,
               struct slice text,
               void *into,
               struct str *why)
{
    (void)why;
    if (!value_check(s, text))
        return false;
    value_put(c, text, into);
    return true;
}

bool read_lower(const struct value_context *c,
                const struct setting *s,
                struct slice text,
                void *into,
                struct str *why)
{
    (void)why;
    if (!value_check(s, text))
        return false;
    put_lower(c, text, into);
    return true;
}

/* Choices */

bool read_flag(const struct value_context *c,
               const struct setting *s,
               struct slice text,
               void *into,
               struct str *why)
{
    bool on = slice_eqz(text, "true");

    (void)c;
    (void)s;
    (void)why;
    if (!on && !slice_eqz(text, "false"))
        return false;
    memcpy(into, &on, sizeof on);
    return true;
}

/* The words stand in the order of their enum, from the one that `min` names. */
bool read_choice(const struct value_context *c,
                 const struct setting *s,
                 struct slice text,
                 void *into,
                 struct str *why)
{
    (void)c;
    (void)why;
    for (int i = 0; s->words[i] != NULL; i++) {
        if (!slice_eqz(text, s->words[i]))
            continue;
        memcpy(into, &(int){(int)s->min + i}, sizeof(int));
        return true;
    }
    return false;
}

/* The types */

static bool is_sized(const struct setting *s, struct slice text)
{
    return (int64_t)text.len >= s->min && (int64_t)text.len <= s->max && is_plain(text);
}

/* Several lines, as a YAML block has them. */
static bool are_lines(const struct setting *s, struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.at[i] < ' ' && text.at[i] != '\n' && text.at[i] != '\t')
            return false;
    return (int64_t)text.len >= s->min && (int64_t)text.len <= s->max;
}

static bool is_path(struct slice text)
{
    return text.len <= 1024 && is_plain(text);
}

static void say_text(const struct setting *s, struct str *out)
{
    if (s->min == s->max)
        str_addf(out, "a text of %" PRId64 " octets", s->min);
    else
        str_addf(out, "a text of %" PRId64 " to %" PRId64 " octets on one line", s->min, s->max);
}

static void say_lines(const struct setting *s, struct str *out)
{
    str_addf(out, "a text of %" PRId64 " to %" PRId64 " octets", s->min, s->max);
}

static void say_number(const struct setting *s, struct str *out)
{
    str_addf(out, "a number from %" PRId64 " to %" PRId64, s->min, s->max);
}

static void say_duration(const struct setting *s, struct str *out)
{
    str_addz(out, "a duration from ");
    duration_text(s->min, out);
    str_addz(out, " to ");
    duration_text(s->max, out);
    str_addz(out, ", such as 90s, 15m, 1h or 7d");
}

static void say_octets(const struct setting *s, struct str *out)
{
    str_addz(out, "a size from ");
    octets_text(s->min, out);
    str_addz(out, " to ");
    octets_text(s->max, out);
    str_addz(out, ", such as 500KB, 50MB or 1GB");
}

static void say_blocks(const struct setting *s, struct str *out)
{
    str_addf(out, "a list of %" PRId64 " to %" PRId64 " blocks of settings", s->min, s->max);
}

static void say_choice(const struct setting *s, struct str *out)
{
    str_addz(out, s->words[1] != NULL ? "one of " : "");
    for (size_t i = 0; s->words[i] != NULL; i++)
        str_addf(out, "%s%s", i > 0 ? ", " : "", s->words[i]);
}

/* clang-format off */
static const struct {
    read_fn *read;
    bool (*check)(struct slice text);                           /* of a text that is not empty */
    const char *allowed;                                        /* or, where it depends: */
    void (*say)(const struct setting *s, struct str *out);
} types[VALUE_TYPE_COUNT] = {
    [VALUE_TEXT]         = {read_text,     NULL,            NULL, say_text},
    [VALUE_LOWER]        = {read_lower,    NULL,            NULL, say_text},
    [VALUE_NAME]         = {read_text,     name_valid,      "a name of up to 64 of a-z, 0-9, \".\", \"_\" and \"-\" that begins with a letter or digit", NULL},
    [VALUE_FLAG]         = {read_flag,     NULL,            "true or false", NULL},
    [VALUE_NUMBER]       = {read_number,   NULL,            NULL, say_number},
    [VALUE_DURATION]     = {read_duration, NULL,            NULL, say_duration},
    [VALUE_DATE]         = {read_date,     NULL,            "a date such as 2027-06-30", NULL},
    [VALUE_OCTETS]       = {read_octets,   NULL,            NULL, say_octets},
    [VALUE_LIMIT]        = {read_limit,    NULL,            "a limit such as 10/1h (at most 10 in an hour), or 0 for none", NULL},
    [VALUE_CHOICE]       = {read_choice,   NULL,            NULL, say_choice},
    [VALUE_ADDRESS]      = {read_lower,    is_address,      "an address such as help@example.org", NULL},
    [VALUE_PATTERN]      = {read_lower,    is_pattern,      "an address such as help@example.org, or a pattern such as *@example.org", NULL},
    [VALUE_SENDER]       = {read_text,     is_sender,       "an address, alone or as \"Service Desk <help@example.org>\"", NULL},
    [VALUE_REVERSE_PATH] = {read_text,     is_reverse_path, "an address such as help@example.org, or \"<>\"", NULL},
    [VALUE_MIME_TYPE]    = {read_lower,    is_file_kind,    "a type such as application/zip, or video/*, or an extension such as .exe", NULL},
    [VALUE_LANGUAGE]     = {read_lower,    language_valid,  "a language such as de or pt-br", NULL},
    [VALUE_SOCKET]       = {read_text,     is_socket,       "the path of a socket, or host and port such as 127.0.0.1:3310", NULL},
    [VALUE_FILE]         = {read_file,     is_path,         "the path of a file", NULL},
    [VALUE_FOLDER]       = {read_folder,   is_path,         "the path of a folder", NULL},
    [VALUE_TEMPLATE]     = {read_text,     is_template,     "the name of a file in templates_dir", NULL},
    [VALUE_PREFIX]       = {read_text,     is_prefix,       "up to 12 of A-Z, a-z, 0-9, \"-\", \"_\", \".\" and \"#\"", NULL},
    [VALUE_ZONE]         = {read_zone,     is_path,         "a time zone such as Australia/Perth or UTC", NULL},
    [VALUE_HOST]         = {read_text,     is_host,         "a host name or an address", NULL},
    [VALUE_HEADER]       = {read_text,     is_header,       "the name of a header field, without its colon", NULL},
    [VALUE_METHOD]       = {read_text,     is_method,       "GET, POST, PUT, PATCH or DELETE", NULL},
    [VALUE_LINES]        = {read_text,     NULL,            NULL, say_lines},
    [VALUE_LISTEN]       = {read_text,     is_listen,       "address and port, such as 127.0.0.1:8025, [::1]:8025, or \"\"", NULL},
    [VALUE_REGEX]        = {read_regex,    is_path,         "an extended regular expression with ( ) around the number", NULL},
    [VALUE_LEDGER]       = {read_text,     is_ledger,       "sqlite, or postgresql://USER@HOST/DATABASE", NULL},
    [VALUE_BLOBS]        = {read_text,     is_blobs,        "file, or s3://BUCKET/PREFIX, of a-z, 0-9, \".\" and \"-\", in PREFIX also A-Z, \"_\", \"~\" and \"/\"", NULL},
    [VALUE_BLOCK]        = {NULL,          NULL,            "a block of settings", NULL},
    [VALUE_BLOCKS]       = {NULL,          NULL,            NULL, say_blocks},
};
/* clang-format on */

bool value_check(const struct setting *s, struct slice text)
{
    if (s->type == VALUE_LINES)
        return are_lines(s, text);
    if (types[s->type].check == NULL)
        return is_sized(s, text);
    return text.len == 0 ? may_be_blank(s) : types[s->type].check(text);
}

bool value_read(const struct value_context *c,
                const struct setting *s,
                struct slice text,
                void *into,
                struct str *why)
{
    return types[s->type].read(c, s, text, into, why);
}

bool value_is_text(enum value_type type)
{
    return types[type].check != NULL || type == VALUE_TEXT || type == VALUE_LOWER ||
           type == VALUE_LINES;
}

void value_allowed(const struct setting *s, struct str *out)
{
    if (types[s->type].say != NULL)
        types[s->type].say(s, out);
    else
        str_addz(out, types[s->type].allowed);
}
