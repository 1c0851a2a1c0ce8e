/* SPDX-License-Identifier: Apache-2.0
 *
 * curl_fault - what libcurl's result codes mean for a caller: the one place where they are known.
 */
#pragma once

#include <onecase/err.h>

struct curl_fault {
    int code;   /* CURLE_ */
    int verify; /* a bit of CURLINFO_SSL_VERIFYRESULT, as GnuTLS has them; 0: any */
    enum rc rc;
    const char *why;    /* what went wrong with the server named before it */
    const char *remedy; /* what to try */
};

extern const struct curl_fault curl_faults[];
extern const size_t curl_fault_count;

/* Total. The first row that fits; a code that has none is RC_DEFERRED. */
const struct curl_fault *curl_fault_of(int code, long verify);
