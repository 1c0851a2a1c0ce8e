/* SPDX-License-Identifier: Apache-2.0
 *
 * report_numbers - each number of the duplicate report: where it stands, and which facts it counts.
 */
#pragma once

#include "report_facts.h"

/* Adds a fact to every number of the report that counts it. */
void report_count(struct view_duplicates *d, const struct report_fact *fact);

/* A number by its name: "redelivered", "decided.waiting", "boundaries.retry", "day:2026-03-02",
 * "day:2026-03-02/redelivered". */
struct report_number {
    size_t row;        /* of the table */
    const char *value; /* after the colon, borrowed; "" where it takes none */
};
bool report_number_find(const char *name, struct report_number *out);
bool report_number_counts(const struct report_number *number, const struct report_fact *fact);
/* All names, commas between. */
void report_number_names(struct str *out);
#define REPORT_DAY_SIZE 16
/* "2026-03-02": its day in the zone in which people read (TZ). */
void report_day(int64_t at_ms, char out[REPORT_DAY_SIZE]);
