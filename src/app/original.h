/* SPDX-License-Identifier: Apache-2.0
 *
 * original - reads the original of a mail once more, for a decision that makes a case of it; it has the
 * signs that it had when it came.
 */
#pragma once

#include "wire.h"

enum rc original_read(const struct config *config,
                      const struct wired_data *data,
                      const char *key,
                      struct message *out,
                      struct err *err) MUST_CHECK;
