/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/source.h>
#include <onecase/when.h>

/* RFC 5322, section 3.3 with the obsolete forms of 4.3. Where it says what a date means but cannot
 * be parsed by, the choice is:
 *   - a day name must be one, but need not be that of the date: the mail is dated all the same;
 *   - single letters A-I and K-Z, and names of 3 to 5 letters that are not in the table, are
 *     -0000, as 4.3 says; J is no zone;
 *   - second 60 is the first of the next minute. */

#define EARLIEST_YEAR 1990 /* the latest is 9999: four digits are the most */

/* clang-format off */
static const char *const day_names[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
static const char *const month_names[] = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
};
static const struct {
    const char *name;
    int minutes;    /* east of Greenwich */
} zones[] = {
    {"UT",    0},
    {"GMT",   0},
    {"EST", -300},
    {"EDT", -240},
    {"CST", -360},
    {"CDT", -300},
    {"MST", -420},
    {"MDT", -360},
    {"PST", -480},
    {"PDT", -420},
};
/* clang-format on */

struct moment {
    int64_t year;
    int month, day;
    int hour, minute, second;
    int zone_minutes;
};

/* What is left to read. Every reader takes what it wants off the front, or says false. */

static char front(const struct slice *rest)
{
    return rest->len > 0 ? rest->at[0] : '\0';
}

static void drop(struct slice *rest, size_t count)
{
    *rest = slice_cut(*rest, count, rest->len);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct slice take_while(struct slice *rest, bool (*wanted)(char))
{
    size_t len = 0;

    while (len < rest->len && wanted(rest->at[len]))
        len++;

    struct slice taken = slice_cut(*rest, 0, len);

    drop(rest, len);
    return taken;
}

/* A comment, to its end; comments nest. False if it has none. */
static bool take_comment(struct slice *rest)
{
    size_t depth = 0;

    while (rest->len > 0) {
        char c = front(rest);

        if (c == '(')
            depth++;
        else if (c == ')')
            depth--;
        drop(rest, c == '\\' ? 2 : 1);
        if (depth == 0)
            return true;
    }
    return false;
}

/* White space and comments, if any. False only where a comment does not end. */
static bool take_space(struct slice *rest)
{
    take_while(rest, is_white);
    while (front(rest) == '(') {
        if (!take_comment(rest))
            return false;
        take_while(rest, is_white);
    }
    return true;
}

static bool take_mark(struct slice *rest, char mark)
{
    if (front(rest) != mark)
        return false;
    drop(rest, 1);
    return true;
}

static int number_of(struct slice digits)
{
    int n = 0;

    for (size_t i = 0; i < digits.len; i++)
        n = n * 10 + (digits.at[i] - '0');
    return n;
}

/* A number of `fewest` to `most` digits, up to `limit`, and the space after it. */
static bool take_number(struct slice *rest, size_t fewest, size_t most, int limit, int *out)
{
    struct slice digits = take_while(rest, is_digit);

    if (digits.len < fewest || digits.len > most)
        return false;
    *out = number_of(digits);
    return *out <= limit && take_space(rest);
}

/* One of the names in any case, and the space after it; `out` is its place in the list, from 1. */
static bool take_name(struct slice *rest, const char *const names[], size_t count, int *out)
{
    struct slice letters = take_while(rest, is_letter);

    for (size_t i = 0; i < count; i++) {
        if (!slice_eq_nocase(letters, slice_z(names[i])))
            continue;
        *out = (int)i + 1;
        return take_space(rest);
    }
    return false;
}

/* The parts of a date, in order */

static bool take_day_name(struct slice *rest)
{
    int day;

    if (!is_letter(front(rest)))
        return true;
    return take_name(rest, day_names, LENGTH(day_names), &day) && take_mark(rest, ',') &&
           take_space(rest);
}

/* Two digits are of 1950 to 2049; three, which come of counting from 1900, too. */
static bool take_year(struct slice *rest, struct moment *m)
{
    struct slice digits = take_while(rest, is_digit);

    if (digits.len < 2 || digits.len > 4)
        return false;
    m->year = number_of(digits);
    if (digits.len == 2 && m->year < 50)
        m->year += 2000;
    else if (digits.len < 4)
        m->year += 1900;
    return m->year >= EARLIEST_YEAR && take_space(rest);
}

static int days_of_month(int64_t year, int month)
{
    int64_t next = month == 12 ? when_days(year + 1, 1, 1) : when_days(year, month + 1, 1);

    return (int)(next - when_days(year, month, 1));
}

static bool take_date(struct slice *rest, struct moment *m)
{
    return take_number(rest, 1, 2, 31, &m->day) &&
           take_name(rest, month_names, LENGTH(month_names), &m->month) && take_year(rest, m) &&
           m->day >= 1 && m->day <= days_of_month(m->year, m->month);
}

static bool take_time(struct slice *rest, struct moment *m)
{
    m->second = 0;
    if (!take_number(rest, 2, 2, 23, &m->hour) || !take_mark(rest, ':') || !take_space(rest) ||
        !take_number(rest, 2, 2, 59, &m->minute))
        return false;
    if (!take_mark(rest, ':'))
        return true;
    return take_space(rest) && take_number(rest, 2, 2, 60, &m->second);
}

static bool take_offset(struct slice *rest, struct moment *m)
{
    int sign = front(rest) == '-' ? -1 : 1;
    int hhmm;

    drop(rest, 1);
    if (!take_number(rest, 4, 4, 9959, &hhmm) || hhmm % 100 > 59)
        return false;
    m->zone_minutes = sign * (hhmm / 100 * 60 + hhmm % 100);
    return true;
}

static bool take_zone_name(struct slice *rest, struct moment *m)
{
    struct slice name = take_while(rest, is_letter);

    m->zone_minutes = 0;
    for (size_t i = 0; i < LENGTH(zones); i++)
        if (slice_eq_nocase(name, slice_z(zones[i].name))) {
            m->zone_minutes = zones[i].minutes;
            return true;
        }
    if (name.len == 1)
        return name.at[0] != 'J' && name.at[0] != 'j';
    return name.len >= 3 && name.len <= 5;
}

static bool take_zone(struct slice *rest, struct moment *m)
{
    if (front(rest) == '+' || front(rest) == '-')
        return take_offset(rest, m);
    return take_zone_name(rest, m);
}

static int64_t instant_of(const struct moment *m)
{
    return DAYS(when_days(m->year, m->month, m->day)) + HOURS(m->hour) +
           MINUTES(m->minute - m->zone_minutes) + SECONDS(m->second);
}

bool date_parse(struct slice text, int64_t *out_ms)
{
    struct moment m;
    struct slice rest = text;

    if (!take_space(&rest) || !take_day_name(&rest) || !take_date(&rest, &m) ||
        !take_time(&rest, &m) || !take_zone(&rest, &m) || !take_space(&rest) || rest.len > 0)
        return false;
    *out_ms = instant_of(&m);
    return true;
}
