/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/err.h>

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define RC_TEXT(name, text, meaning) [name] = (text),
static const char *const rc_texts[] = {RC_LIST(RC_TEXT)};
#undef RC_TEXT

static_assert(LENGTH(rc_texts) == RC_COUNT, "every rc has its word");

/* A text cut inside a UTF-8 sequence would break the JSON it is printed into. */
static void drop_split_character(char *text, size_t len)
{
    size_t start = len;

    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    if (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0xC0)
        text[start - 1] = '\0';
}

/* Formats aside first: the arguments often include the very text that is being replaced. */
PRINTF(2, 0)
static void set_text(struct err *err, const char *format, va_list args)
{
    char text[ERR_TEXT_SIZE];

    if (vsnprintf(text, sizeof text, format, args) >= (int)sizeof text)
        drop_split_character(text, sizeof text - 1);
    memcpy(err->text, text, sizeof text);
}

enum rc err_set(struct err *err, enum rc rc, const char *where, const char *format, ...)
{
    va_list args;

    if (err == NULL)
        return rc;
    err->rc = rc;
    err->where = where;
    va_start(args, format);
    set_text(err, format, args);
    va_end(args);
    return rc;
}

PRINTF(2, 3)
static void join_text(struct err *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_text(err, format, args);
    va_end(args);
}

enum rc err_prefix(struct err *err, const char *format, ...)
{
    struct err prefix = ERR_INIT;
    va_list args;

    va_start(args, format);
    set_text(&prefix, format, args);
    va_end(args);
    join_text(err, "%s: %s", prefix.text, err->text);
    return err->rc;
}

const char *rc_text(enum rc rc)
{
    return (unsigned int)rc < RC_COUNT ? rc_texts[rc] : "?";
}
