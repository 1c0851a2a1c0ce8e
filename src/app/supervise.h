/* SPDX-License-Identifier: Apache-2.0
 *
 * supervise - `onecase run`: a worker process for each mailbox, restarted with back-off.
 *
 * SIGTERM ends the workers and then the service; whoever has not ended after stop_timeout is killed
 * (what it had armed is found by the next run). SIGHUP reads the configuration again: where it is
 * wrong the old one stays and the log says so; where it is right the workers are started anew with it.
 * Tells systemd what goes on where NOTIFY_SOCKET is set.
 */
#pragma once

#include <onecase/config.h>
#include <onecase/operations.h>

/* `config` is taken over, and freed or replaced. With request.once: every mailbox once, and the sum. */
enum rc supervise(struct config **config,
                  const struct run_request *request,
                  struct run_summary *out,
                  struct err *err) MUST_CHECK;
