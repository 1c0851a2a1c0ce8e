/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor - tries the whole installation and says how to mend what is wrong. Changes nothing but a file
 * and two folders of a mailbox that it makes and removes again, and data_dir/doctor, where it remembers
 * what the servers let it do; sends nothing unless it is told to whom.
 */
#pragma once

#include <onecase/operations.h>

/* RC_OK: all is good, or only warned of. RC_REFUSED: something is bad. */
enum rc doctor_run(const struct config *config,
                   const char *send_to,
                   bool since_last,
                   void (*tell)(void *ctx, const struct check_result *result),
                   void *ctx,
                   struct err *err) MUST_CHECK;
