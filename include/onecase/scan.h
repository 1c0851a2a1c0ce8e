/* SPDX-License-Identifier: Apache-2.0
 *
 * scan - what a virus scanner's answer means for an attachment: whose fault it is, and what follows.
 *
 * scan_rows is the whole law. Nothing is stored that was not found clean, but a file too large for the
 * scanner where the settings accept that.
 */
#pragma once

#include <onecase/outcome.h>

/* clang-format off */
#define SCAN_LIST(X) \
    X(SCAN_NO_SERVER,  "no connection",  "it does not listen, or its socket is not there")            \
    X(SCAN_NO_ANSWER,  "drop, time-out", "no whole answer, or none that it is known to give")         \
    X(SCAN_ERROR,      "ERROR",          "it answers that it could not scan this")                    \
    X(SCAN_TOO_LARGE,  "size limit",     "this is larger than it reads (StreamMaxLength)")            \
    X(SCAN_FOUND,      "FOUND",          "it found something")                                        \
    X(SCAN_CLEAN,      "OK",             "it found nothing")
/* clang-format on */

enum scan { SCAN_LIST(NAMED_ENUM) SCAN_COUNT };

struct scan_row {
    enum scan answer;
    enum fault fault;
    enum outcome outcome;
    const char *because;
};

extern const struct scan_row scan_rows[];
extern const size_t scan_row_count;

const struct scan_row *scan_row_of(enum scan answer); /* total */
const char *scan_text(enum scan answer);
