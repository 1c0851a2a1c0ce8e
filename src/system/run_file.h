/* SPDX-License-Identifier: Apache-2.0
 *
 * run_file - a file in data_dir/runs that is locked for as long as its run lives.
 */
#pragma once

#include "machine.h"

#include <stdint.h>

/* Makes the folder durable and opens it. */
enum rc run_files_open(const char *data_dir, int *out, struct err *err) MUST_CHECK;
/* Removes the files of runs that ended before `before_ms` (wall time); errors are passed over. To
 * be called before any file is made: looking at a file frees the locks of this process on it. */
void run_files_sweep(int runs, int64_t before_ms);

/* The descriptor holds the lock until it is closed. */
enum rc
run_file_make(int runs, const char *id, const struct machine *here, int *out, struct err *err)
    MUST_CHECK;
/* Never for a run of this process: looking would free its lock. */
enum proof run_file_proves(int runs, const char *id, const struct machine *here);

void fd_close(int *fd); /* for CLEANUP; -1 afterwards */
