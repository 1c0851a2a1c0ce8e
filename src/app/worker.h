/* SPDX-License-Identifier: Apache-2.0
 *
 * worker - one process, one mailbox: ticks, and waits for news in between.
 *
 * `node` names the process that started it, whose mailboxes are shared out with other machines'.
 * SIGTERM arms nothing new and ends when what is in flight has ended. With `once` it ticks until
 * nothing moves and nothing is due now.
 */
#pragma once

#include <onecase/config.h>
#include <onecase/operations.h>

/* From now on SIGTERM and SIGINT stop this process. Before worker_run, and before signals are let in. */
void worker_listen(void);
enum rc worker_run(const struct config *config,
                   const struct config_mailbox *mailbox,
                   const struct run_request *request,
                   const char *node,
                   struct run_summary *out,
                   struct err *err) MUST_CHECK;
