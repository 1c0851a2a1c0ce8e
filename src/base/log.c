/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/log.h>
#include <onecase/when.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LINE_SIZE 2048 /* what journald takes in one piece, and no line of ours should need */

typedef void sink_fn(void *ctx, enum log_level level, const char *line);

static void to_stderr(void *ctx, enum log_level level, const char *line);

static enum log_level threshold = LOG_NOTE;
static bool for_journal;
static sink_fn *written_by = to_stderr;
static void *written_ctx;

void log_threshold(enum log_level least)
{
    threshold = least;
}

void log_for_journal(bool yes)
{
    for_journal = yes;
}

void log_to(sink_fn *sink, void *ctx)
{
    written_by = sink != NULL ? sink : to_stderr;
    written_ctx = ctx;
}

/* The only clock read outside the clock port: a log line's time is shown and decides nothing. */
static int64_t now_ms(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return 0;
    return SECONDS(now.tv_sec) + now.tv_nsec / 1000000;
}

/* One write a line, so that the lines of several workers do not run into one another. */
static void to_stderr(void *ctx, enum log_level level, const char *line)
{
    char at[WHEN_TEXT_SIZE];
    char whole[LINE_SIZE + WHEN_TEXT_SIZE + 16];

    (void)ctx;
    when_text(now_ms(), at);
    int len = for_journal ? snprintf(whole, sizeof whole, "<%d>%s %s\n", (int)level, at, line)
                          : snprintf(whole, sizeof whole, "%s %s\n", at, line);
    fwrite(whole, 1, (size_t)len, stderr);
}

/* A control of ASCII, or the first octet of one of the second set of controls in UTF-8. */
static bool is_control(const char *at)
{
    unsigned char first = (unsigned char)at[0];
    unsigned char second = (unsigned char)at[1];

    return first < 0x20 || first == 0x7F || (first == 0xC2 && second >= 0x80 && second < 0xA0);
}

static void keep_to_one_line(char *line)
{
    for (char *at = line; *at != '\0'; at++) {
        if (!is_control(at))
            continue;
        if ((unsigned char)*at == 0xC2)
            at[1] = '?';
        *at = '?';
    }
}

void log_event(enum log_level level, const char *event, const char *format, ...)
{
    char line[LINE_SIZE];
    va_list args;

    if (level > threshold)
        return;
    int start = snprintf(line, sizeof line / 2, "%s ", event);
    size_t used = start < (int)sizeof line / 2 ? (size_t)start : sizeof line / 2 - 1;

    va_start(args, format);
    int facts = vsnprintf(line + used, sizeof line - used, format, args);
    va_end(args);
    if (facts == 0)
        line[used - 1] = '\0';
    keep_to_one_line(line);
    written_by(written_ctx, level, line);
}
