/* SPDX-License-Identifier: Apache-2.0
 *
 * identify - who a message file would be. Works in a folder of its own, which it removes again; no
 * ledger, no data folder and no server is touched.
 */
#pragma once

#include <onecase/operations.h>

/* `mailbox` NULL: the first of the configuration. RC_NOT_FOUND: no such file. */
enum rc identify_file(const struct config *config,
                      const char *path,
                      const char *mailbox,
                      struct identified *out,
                      struct err *err) MUST_CHECK;
