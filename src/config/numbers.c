/* SPDX-License-Identifier: Apache-2.0 */
#include "readers.h"

#include <onecase/config.h>
#include <onecase/when.h>

#include <inttypes.h>
#include <string.h>

static bool take_number(struct slice *text, int64_t *out)
{
    int64_t number = 0;
    size_t i = 0;

    for (; i < text->len && text->at[i] >= '0' && text->at[i] <= '9'; i++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, text->at[i] - '0', &number))
            return false;
    *text = slice_cut(*text, i, text->len);
    *out = number;
    return i > 0;
}

static bool in_range(const struct setting *s, int64_t number)
{
    return number >= s->min && number <= s->max;
}

bool read_number(const struct value_context *c,
                 const struct setting *s,
                 struct slice text,
                 void *into,
                 struct str *why)
{
    int64_t number;

    (void)c;
    (void)why;
    if (!take_number(&text, &number) || text.len > 0 || !in_range(s, number))
        return false;
    memcpy(into, &(unsigned){(unsigned)number}, sizeof(unsigned));
    return true;
}

bool read_duration(const struct value_context *c,
                   const struct setting *s,
                   struct slice text,
                   void *into,
                   struct str *why)
{
    int64_t ms;

    (void)c;
    (void)why;
    if (!when_duration(text, &ms) || !in_range(s, ms))
        return false;
    memcpy(into, &ms, sizeof ms);
    return true;
}

/* Lands as the instant at which the day begins in UTC. */
bool read_date(const struct value_context *c,
               const struct setting *s,
               struct slice text,
               void *into,
               struct str *why)
{
    CLEANUP(str_clear) struct str instant = STR_INIT;
    int64_t ms;

    (void)c;
    (void)s;
    (void)why;
    str_add(&instant, text);
    str_addz(&instant, "T00:00:00Z");
    if (text.len != strlen("2027-06-30") || !when_parse(str_slice(&instant), &ms))
        return false;
    memcpy(into, &ms, sizeof ms);
    return true;
}

static const struct unit {
    const char *name;
    int64_t octets;
} units[] = {
    {"TB", INT64_C(1) << 40},
    {"GB", INT64_C(1) << 30},
    {"MB", INT64_C(1) << 20},
    {"KB", INT64_C(1) << 10},
    {"B", 1},
    {"", 1},
};

bool read_octets(const struct value_context *c,
                 const struct setting *s,
                 struct slice text,
                 void *into,
                 struct str *why)
{
    int64_t octets;

    (void)c;
    (void)why;
    if (!take_number(&text, &octets))
        return false;
    for (size_t i = 0; i < LENGTH(units); i++) {
        if (!slice_eqz(text, units[i].name))
            continue;
        if (__builtin_mul_overflow(octets, units[i].octets, &octets) || !in_range(s, octets))
            return false;
        memcpy(into, &octets, sizeof octets);
        return true;
    }
    return false;
}

bool read_limit(const struct value_context *c,
                const struct setting *s,
                struct slice text,
                void *into,
                struct str *why)
{
    struct limit limit = {0, 0};
    int64_t count;

    (void)c;
    (void)s;
    (void)why;
    if (!take_number(&text, &count) || count > 1000000)
        return false;
    limit.count = (unsigned)count;
    if (count > 0 && (text.len < 2 || text.at[0] != '/' ||
                      !when_duration(slice_cut(text, 1, text.len), &limit.window_ms) ||
                      limit.window_ms < SECONDS(1) || limit.window_ms > DAYS(365)))
        return false;
    if (count == 0 && text.len > 0)
        return false;
    memcpy(into, &limit, sizeof limit);
    return true;
}

/* The other way */

void octets_text(int64_t octets, struct str *out)
{
    size_t i = 0;

    while (octets % units[i].octets != 0 || (octets < units[i].octets && units[i].octets > 1))
        i++;
    str_addf(out, "%" PRId64 "%s", octets / units[i].octets, units[i].name);
}

void duration_text(int64_t ms, struct str *out)
{
    static const struct {
        const char *name;
        int64_t ms;
    } spans[] = {{"d", DAYS(1)}, {"h", HOURS(1)}, {"m", MINUTES(1)}, {"s", SECONDS(1)}, {"ms", 1}};
    size_t i = 0;

    while (ms % spans[i].ms != 0 || (ms < spans[i].ms && spans[i].ms > SECONDS(1)))
        i++;
    str_addf(out, "%" PRId64 "%s", ms / spans[i].ms, spans[i].name);
}
