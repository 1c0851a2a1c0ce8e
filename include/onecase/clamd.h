/* SPDX-License-Identifier: Apache-2.0
 *
 * clamd - the scanner port over ClamAV's daemon, by its INSTREAM command.
 *
 * `socket` is a path, or "HOST:PORT" ("[::1]:3310"). clamd knows no sign-in and no TLS: it belongs on
 * this machine, or on a network of its own. Octets go in chunks, a connection a file; an answer is at
 * most a line. Not for use by two threads. Borrows settings and clock.
 */
#pragma once

#include <onecase/clock.h>
#include <onecase/scanner.h>

struct clamd_settings {
    const char *socket;
    int64_t timeout_ms; /* of each step */
};

struct clamd;

struct clamd *clamd_new(const struct clamd_settings *settings, const struct clock *clock)
    MUST_CHECK;
struct scanner clamd_port(struct clamd *clamd); /* valid until freed */
void clamd_free(struct clamd **clamd);          /* for CLEANUP */

/* Asks "PING" or "VERSION"; `said` is its line. RC_DEFERRED: it cannot be reached, or does not answer. */
enum rc clamd_ask(struct clamd *clamd, const char *command, struct str *said, struct err *err)
    MUST_CHECK;
