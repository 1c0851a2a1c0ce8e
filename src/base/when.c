/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/when.h>

#include <string.h>

#define DAY_MS       DAYS(1)
#define EARLIEST_DAY (-719528) /* 0000-01-01 */
#define LATEST_DAY   2932896   /* 9999-12-31 */

/* Day 0 was a Thursday. */
static const char weekday_names[][4] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
static const char month_names[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/* Instants are shown broken down; both formats have room for the years 0 to 9999 only. */
struct civil {
    int year;
    int month;
    int day;
    int weekday; /* place in weekday_names */
    int hour;
    int minute;
    int second;
    int ms;
};

/* Years are counted from March, so that the leap day comes last and the months before it are
 * of regular length; 400 years are one cycle of 146097 days. */
int64_t when_days(int64_t year, int month, int day)
{
    int64_t y = month > 2 ? year : year - 1;
    int64_t cycle = (y >= 0 ? y : y - 399) / 400;
    int64_t year_of_cycle = y - cycle * 400;
    int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int64_t day_of_cycle =
        year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year;

    return cycle * 146097 + day_of_cycle - 719468;
}

/* The inverse of when_days, for days from EARLIEST_DAY to LATEST_DAY. */
static void set_date(struct civil *c, int days)
{
    int from_cycle = days + 719468 + 146097; /* counted from March of the year -400 */
    int day = from_cycle % 146097;
    int year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int day_of_year = day - (365 * year + year / 4 - year / 100);
    int month = (5 * day_of_year + 2) / 153;

    c->day = day_of_year - (153 * month + 2) / 5 + 1;
    c->month = month < 10 ? month + 3 : month - 9;
    c->year = year + (from_cycle / 146097 - 1) * 400 + (c->month <= 2);
    c->weekday = (days % 7 + 7) % 7;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    if (value < least)
        return least;
    return value > most ? most : value;
}

static struct civil civil_of(int64_t at_ms)
{
    int64_t at = clamp(at_ms, EARLIEST_DAY * DAY_MS, LATEST_DAY * DAY_MS + DAY_MS - 1);
    int64_t days = (at - EARLIEST_DAY * DAY_MS) / DAY_MS + EARLIEST_DAY;
    int rest = (int)(at - days * DAY_MS);
    struct civil c = {
        .hour = rest / 3600000,
        .minute = rest / 60000 % 60,
        .second = rest / 1000 % 60,
        .ms = rest % 1000,
    };

    set_date(&c, (int)days);
    return c;
}

/* Writes and reads at a place that moves on. */

static void put_number(char **to, int value, int digits)
{
    for (int i = digits - 1; i >= 0; i--, value /= 10)
        (*to)[i] = (char)('0' + value % 10);
    *to += digits;
}

static void put_text(char **to, const char *text, size_t len)
{
    memcpy(*to, text, len);
    *to += len;
}

static void put_time(char **to, const struct civil *c)
{
    put_number(to, c->hour, 2);
    put_text(to, ":", 1);
    put_number(to, c->minute, 2);
    put_text(to, ":", 1);
    put_number(to, c->second, 2);
}

void when_text(int64_t at_ms, char out[WHEN_TEXT_SIZE])
{
    struct civil c = civil_of(at_ms);

    put_number(&out, c.year, 4);
    put_text(&out, "-", 1);
    put_number(&out, c.month, 2);
    put_text(&out, "-", 1);
    put_number(&out, c.day, 2);
    put_text(&out, "T", 1);
    put_time(&out, &c);
    if (c.ms != 0) {
        put_text(&out, ".", 1);
        put_number(&out, c.ms, 3);
    }
    put_text(&out, "Z", 2);
}

void when_mail_text(int64_t at_ms, char out[WHEN_TEXT_SIZE])
{
    struct civil c = civil_of(at_ms);

    put_text(&out, weekday_names[c.weekday], 3);
    put_text(&out, ", ", 2);
    put_number(&out, c.day, 2);
    put_text(&out, " ", 1);
    put_text(&out, month_names[c.month - 1], 3);
    put_text(&out, " ", 1);
    put_number(&out, c.year, 4);
    put_text(&out, " ", 1);
    put_time(&out, &c);
    put_text(&out, " +0000", 7);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool take(struct slice *from, const char *one_of)
{
    if (from->len == 0 || from->at[0] == '\0' || strchr(one_of, from->at[0]) == NULL)
        return false;
    *from = slice_cut(*from, 1, from->len);
    return true;
}

static bool take_number(struct slice *from, size_t digits, int least, int most, int *out)
{
    int value = 0;

    if (from->len < digits)
        return false;
    for (size_t i = 0; i < digits; i++) {
        if (!is_digit(from->at[i]))
            return false;
        value = value * 10 + (from->at[i] - '0');
    }
    *from = slice_cut(*from, digits, from->len);
    *out = value;
    return value >= least && value <= most;
}

static int days_of_month(int year, int month)
{
    int next_year = month < 12 ? year : year + 1;
    int next_month = month < 12 ? month + 1 : 1;

    return (int)(when_days(next_year, next_month, 1) - when_days(year, month, 1));
}

static bool take_date(struct slice *from, int64_t *out_days)
{
    int year;
    int month;
    int day;

    if (!take_number(from, 4, 0, 9999, &year) || !take(from, "-"))
        return false;
    if (!take_number(from, 2, 1, 12, &month) || !take(from, "-"))
        return false;
    if (!take_number(from, 2, 1, days_of_month(year, month), &day))
        return false;
    *out_days = when_days(year, month, day);
    return true;
}

/* A fraction of a second, if there is one, cut to milliseconds. */
static bool take_fraction(struct slice *from, int *out_ms)
{
    *out_ms = 0;
    if (!take(from, "."))
        return true;
    if (from->len == 0 || !is_digit(from->at[0]))
        return false;
    for (int weight = 100; from->len > 0 && is_digit(from->at[0]); weight /= 10) {
        *out_ms += (from->at[0] - '0') * weight;
        *from = slice_cut(*from, 1, from->len);
    }
    return true;
}

/* Second 60 passes here; only the whole instant tells whether it is a leap second. */
static bool take_time(struct slice *from, int64_t *out_ms, bool *out_leap)
{
    int hour;
    int minute;
    int second;
    int ms;

    if (!take_number(from, 2, 0, 23, &hour) || !take(from, ":"))
        return false;
    if (!take_number(from, 2, 0, 59, &minute) || !take(from, ":"))
        return false;
    if (!take_number(from, 2, 0, 60, &second) || !take_fraction(from, &ms))
        return false;
    *out_ms = HOURS(hour) + MINUTES(minute) + SECONDS(second) + ms;
    *out_leap = second == 60;
    return true;
}

static bool take_offset(struct slice *from, int64_t *out_ms)
{
    int hours;
    int minutes;

    *out_ms = 0;
    if (take(from, "Zz"))
        return true;

    bool west = take(from, "-");

    if (!west && !take(from, "+"))
        return false;
    if (!take_number(from, 2, 0, 23, &hours) || !take(from, ":"))
        return false;
    if (!take_number(from, 2, 0, 59, &minutes))
        return false;
    *out_ms = (west ? -1 : 1) * (HOURS(hours) + MINUTES(minutes));
    return true;
}

bool when_parse(struct slice text, int64_t *out_ms)
{
    int64_t days;
    int64_t time;
    int64_t offset;
    bool leap;

    if (!take_date(&text, &days) || !take(&text, "Tt"))
        return false;
    if (!take_time(&text, &time, &leap) || !take_offset(&text, &offset) || text.len > 0)
        return false;

    int64_t at = days * DAY_MS + time - offset;

    /* A leap second ends a day of UTC; having none, we count it as the next day's first. */
    if (leap && ((at % DAY_MS) + DAY_MS) % DAY_MS >= SECONDS(1))
        return false;
    *out_ms = at;
    return true;
}

/* clang-format off */
static const struct unit {
    const char *name;
    int64_t ms;
} units[] = {
    { "ms", 1          },
    { "s",  SECONDS(1) },
    { "m",  MINUTES(1) },
    { "h",  HOURS(1)   },
    { "d",  DAYS(1)    },
};
/* clang-format on */

static bool take_count(struct slice *from, int64_t *out)
{
    struct slice start = *from;

    *out = 0;
    while (from->len > 0 && is_digit(from->at[0])) {
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, from->at[0] - '0', out))
            return false;
        *from = slice_cut(*from, 1, from->len);
    }
    return from->len < start.len;
}

bool when_duration(struct slice text, int64_t *out_ms)
{
    int64_t count;
    int64_t ms;

    if (!take_count(&text, &count))
        return false;
    for (size_t i = 0; i < LENGTH(units); i++) {
        if (!slice_eqz(text, units[i].name))
            continue;
        if (__builtin_mul_overflow(count, units[i].ms, &ms))
            return false;
        *out_ms = ms;
        return true;
    }
    return false;
}
