/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/front.h>
#include <onecase/when.h>
#include <string.h>
#include <time.h>

/* A date is the midnight with which it begins where people read (TZ). */
static bool local_date(const char *text, int64_t *out_ms)
{
    CLEANUP(str_clear) struct str utc = STR_INIT;
    int64_t midnight;
    struct tm day;
    str_addf(&utc, "%sT00:00:00Z", text);
    if (!when_parse(str_slice(&utc), &midnight))
        return false;
    time_t at = (time_t)(midnight / 1000);
    if (!gmtime_r(&at, &day))
        return false;
    day.tm_isdst = -1;
    *out_ms = (int64_t)mktime(&day) * 1000;
    return true;
}

enum rc period_parse(const char *text, int64_t now_ms, int64_t *out_ms, struct err *err)
{
    int64_t length;
    if (when_duration(slice_z(text), &length)) {
        *out_ms = now_ms - length;
        return RC_OK;
    }
    if (when_parse(slice_z(text), out_ms) || local_date(text, out_ms))
        return RC_OK;
    return FAIL(err, RC_USAGE, "'%s' is neither a duration (12h, 7d) nor a date (2026-03-02)",
                text);
}

void period_text(int64_t at_ms, int64_t now_ms, char out[32])
{
    time_t at = (time_t)(at_ms / 1000), now = (time_t)(now_ms / 1000);
    struct tm day, today;
    out[0] = '\0';
    if (at_ms < 0 || !localtime_r(&at, &day) || !localtime_r(&now, &today))
        return;
    bool same_day = day.tm_year == today.tm_year && day.tm_yday == today.tm_yday;
    if (same_day)
        (void)strftime(out, 32, "%H:%M", &day);
    else if (day.tm_year == today.tm_year)
        (void)strftime(out, 32, "%d %b %H:%M", &day);
    else
        (void)strftime(out, 32, "%Y-%m-%d", &day);
}

void period_exact(int64_t at_ms, char out[32])
{
    time_t at = (time_t)(at_ms / 1000);
    struct tm day;
    out[0] = '\0';
    if (at_ms >= 0 && localtime_r(&at, &day))
        (void)strftime(out, 32, "%Y-%m-%d %H:%M:%S", &day);
}

void period_age(int64_t ms, char out[32])
{
    /* clang-format off */
    static const struct { int64_t ms; const char *unit; } units[] = {
        { 86400000, "d" }, { 3600000, "h" }, { 60000, "min" }, { 1000, "s" },
    };
    /* clang-format on */
    size_t i = 0;
    while (i + 1 < LENGTH(units) && ms < 2 * units[i].ms)
        i++;
    snprintf(out, 32, "%lld %s", (long long)(ms > 0 ? ms / units[i].ms : 0), units[i].unit);
}
