/* SPDX-License-Identifier: Apache-2.0
 *
 * restore - a data folder made of a backup.
 *
 * While it is made a file `restoring` stands in it, and nothing opens it; one that was interrupted goes
 * on when it is asked for again. The ledger comes last, its generation raised: it is one that went
 * back in time.
 */
#pragma once

#include "wire.h"

enum rc restore_backup(const struct config *config,
                       const struct restore_request *request,
                       struct restored *out,
                       struct err *err) MUST_CHECK;
/* RC_BROKEN: it is, and was not finished. */
enum rc restore_check_finished(const char *data_dir, struct err *err) MUST_CHECK;
