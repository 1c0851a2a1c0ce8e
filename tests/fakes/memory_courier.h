/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_courier - the courier port in memory: a server that takes everything, but for a recipient
 * with an open "[", which it answers as a real one would: 501 5.1.3 to RCPT.
 *
 * The members may be set by the test at any time.
 */
#pragma once

#include <onecase/courier.h>

#define MEMORY_LETTERS 16

struct memory_courier {
    size_t connections;
    struct courier_event verdict; /* of the next letter released, where its `what` is set */
    size_t accepted;              /* letters, in all */
    int64_t accepted_id[64];
    struct underway {
        int64_t id;
        struct courier_event event; /* still to be told */
        bool busy, ready;
    } letters[MEMORY_LETTERS];
};

/* At most MEMORY_LETTERS connections. */
struct memory_courier *memory_courier_new(size_t connections) MUST_CHECK;
void memory_courier_free(struct memory_courier **c); /* for CLEANUP */
struct courier memory_courier_port(struct memory_courier *c);
