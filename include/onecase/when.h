/* SPDX-License-Identifier: Apache-2.0
 *
 * when - instants as text. An instant is int64 milliseconds since 1970-01-01T00:00:00Z.
 *
 * Nothing here reads a clock: that is the clock port's. Calendar arithmetic is our own (proleptic
 * Gregorian, no leap seconds), so no result depends on TZ or on the C library.
 */
#pragma once

#include <onecase/scope.h>
#include <onecase/str.h>

#define WHEN_TEXT_SIZE 32

#define SECONDS(n) (INT64_C(1000) * (n))
#define MINUTES(n) (SECONDS(60) * (n))
#define HOURS(n)   (MINUTES(60) * (n))
#define DAYS(n)    (HOURS(24) * (n))

/* RFC 3339 in UTC, "2026-03-02T01:15:00Z"; milliseconds only where they are not zero. An instant
 * outside the years 0000 to 9999 is shown as the nearest inside, here and below. */
void when_text(int64_t at_ms, char out[WHEN_TEXT_SIZE]);
/* RFC 5322 date-time in UTC, "Mon, 02 Mar 2026 01:15:00 +0000", for headers we write. */
void when_mail_text(int64_t at_ms, char out[WHEN_TEXT_SIZE]);
/* RFC 3339 with any offset; false where it is not one. */
bool when_parse(struct slice text, int64_t *out_ms);
/* Days since 1970-01-01 of a civil date (month 1-12, day 1-31); dates before it are negative. */
int64_t when_days(int64_t year, int month, int day);
/* A duration such as "90s", "15m", "1h", "7d", "250ms"; false where it is none or overflows. */
bool when_duration(struct slice text, int64_t *out_ms);
