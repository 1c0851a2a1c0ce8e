/* SPDX-License-Identifier: Apache-2.0
 *
 * backup_prune - old backups go, and with them every file that none of the others has.
 */
#pragma once

#include "wire.h"

/* Keeps the `keep` newest; 0 keeps all. RC_BROKEN, with nothing removed, where a manifest is not whole:
 * what it needs is not known. */
enum rc backup_prune(const char *path, int64_t keep, struct backup_made *out, struct err *err)
    MUST_CHECK;
