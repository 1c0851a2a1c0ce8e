/* SPDX-License-Identifier: Apache-2.0
 *
 * backup - ledger and files saved into a folder, beside a service that goes on.
 *
 * The ledger is saved first, as it is at one instant; whatever it counts as stored stands on the disk
 * by then and does not change, so the files are copied after it, those that the folder has not yet.
 * Only then the backup gets its name. Each file is read back and compared before it counts.
 */
#pragma once

#include "wire.h"

enum rc backup_make(const struct config *config,
                    struct wired_data *data,
                    const struct backup_request *request,
                    struct backup_made *out,
                    struct err *err) MUST_CHECK;
/* Oldest first; free(). One whose manifest is not whole is left out. */
enum rc backup_list(const char *folder, struct backup_facts **out, size_t *count, struct err *err)
    MUST_CHECK;
