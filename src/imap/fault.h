/* SPDX-License-Identifier: Apache-2.0
 *
 * fault - what libetpan's results and a server's response codes mean for a caller: the one place where
 * they are known.
 */
#pragma once

#include <onecase/err.h>
#include <stdbool.h>

struct imap_fault {
    int result; /* MAILIMAP_ERROR_ */
    enum rc rc;
    bool drop; /* the connection is in doubt */
    const char *why;
};

extern const struct imap_fault imap_faults[];
extern const size_t imap_fault_count;

/* NULL: the server answered NO; its response code says what that is. */
const struct imap_fault *imap_fault_of(int result);

struct imap_no {
    const char *code; /* RFC 3501, 4315, 5530, 7889; "" is none, or another */
    enum rc rc;
    bool drop; /* the session is worth nothing any more */
    const char *remedy;
};

extern const struct imap_no imap_nos[];
extern const size_t imap_no_count;

/* Total. `code` may be NULL. */
const struct imap_no *imap_no_of(const char *code);
