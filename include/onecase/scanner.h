/* SPDX-License-Identifier: Apache-2.0
 *
 * scanner (port) - asks a virus scanner about octets, one file at a time.
 *
 * begin, add as often as there are octets, end. It decides nothing and keeps nothing: what the answer
 * means is scan.h's table. Each step has its deadline; a failure of any of them is an answer, too, and
 * comes out of end.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/scan.h>
#include <onecase/str.h>

#define SCAN_NAME_SIZE 96

struct scan_verdict {
    enum scan answer;
    char said
        [SCAN_NAME_SIZE]; /* what was found, or what went wrong; printable, no address or name */
};

struct scanner {
    void *self;
    void (*begin)(void *self);
    /* False: it has answered or failed already; more octets change nothing. */
    bool (*add)(void *self, struct slice octets);
    void (*end)(void *self, struct scan_verdict *out);
};
