/* SPDX-License-Identifier: Apache-2.0
 *
 * dry_run - what would be done with each message now in the inbox.
 *
 * The real service takes the messages in, but into a copy of the ledger and a folder that are
 * removed again, and paused, so that no step runs. Nothing is changed anywhere.
 */
#pragma once

#include <onecase/config.h>
#include <onecase/operations.h>

enum rc dry_run(const struct config *config,
                const struct config_mailbox *mailbox,
                const struct run_request *request,
                struct run_summary *out,
                struct err *err) MUST_CHECK;
