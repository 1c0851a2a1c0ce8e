/* SPDX-License-Identifier: Apache-2.0
 *
 * system - the ports of clock.h and processes.h on this machine.
 *
 * A run holds an fcntl lock on data_dir/runs/ID. The kernel frees it when the process ends, however
 * it ends, and a child of the process never has it; so each process enters for itself, after fork,
 * and one process has one struct.
 *
 * A run is dead where its host is ours and its run file stands in our data_dir, was made on this
 * machine, and either comes from before the last boot or is not locked. A run file that is missing
 * proves nothing. Run files of dead runs are removed after a week.
 */
#pragma once

#include <onecase/clock.h>
#include <onecase/processes.h>

struct clock system_clock(void);

struct system_processes;

/* enter fills id, host, boot_id and pid; the rest is the caller's. Makes data_dir/runs where it is missing. RC_BROKEN where it cannot be used. */
enum rc system_processes_open(const char *data_dir, struct system_processes **out, struct err *err)
    MUST_CHECK;
struct processes system_processes_port(struct system_processes *p); /* valid until close */
void system_processes_close(struct system_processes **p); /* for CLEANUP; leaves every run */

/* Rests for at most `ms`; a signal ends it early. */
void system_rest(int64_t ms);
