/* SPDX-License-Identifier: Apache-2.0
 *
 * machine - what tells this machine, and this boot of it, from any other.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/processes.h>

struct machine {
    char host[65];
    char machine_id[33]; /* /etc/machine-id; "" where there is none, as in many containers */
    char boot_id[64];
};

enum rc machine_read(struct machine *out, struct err *err) MUST_CHECK;

void random_fill(void *out, size_t octets);
void random_run_id(char out[RUN_ID_SIZE]);
