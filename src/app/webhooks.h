/* SPDX-License-Identifier: Apache-2.0
 *
 * webhooks - a process for each webhook, which tells its receiver what the ledger's chain says.
 *
 * A receiver that hangs holds up its own process and nothing else. One process of this data_dir has a webhook
 * in hand, by a lock that ends with it: two would tell things in another order.
 */
#pragma once

#include <onecase/config.h>

/* Writes down which webhooks there are, before anything happens that they are to be told of. Does nothing
 * where there are none and were none. */
enum rc webhooks_enlist(const struct config *config, struct err *err) MUST_CHECK;

/* Turns until the process is ended; with `once`, until nothing is due. */
enum rc webhook_run(const struct config *config,
                    const struct config_webhook *webhook,
                    bool once,
                    struct err *err) MUST_CHECK;
