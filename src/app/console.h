/* SPDX-License-Identifier: Apache-2.0
 *
 * console - the process of the pages: its own ledger connection, and no secret of any mailbox.
 */
#pragma once

#include <onecase/config.h>
#include <onecase/operations.h>

/* From now on SIGTERM and SIGINT stop this process. Before console_run, and before signals are let in. */
void console_listen(void);
/* Serves until it is stopped. `config` loses its secrets. */
enum rc console_run(struct config *config, struct err *err) MUST_CHECK;
