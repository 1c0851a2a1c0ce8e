/* SPDX-License-Identifier: Apache-2.0
 *
 * desk_test - a marked case that goes the whole way at a destination, and what that guarantees.
 */
#pragma once

#include <onecase/operations.h>

/* Makes a case, finds it, sends it again where that must do no harm, adds to it, closes it, and takes it
 * away where there is a request for that. RC_NOT_FOUND: no such destination; RC_REFUSED: something went
 * otherwise than agreed. */
enum rc desk_test(const struct config *config,
                  const char *name,
                  void (*tell)(void *ctx, const struct check_result *result),
                  void *ctx,
                  struct err *err) MUST_CHECK;

/* What it guarantees, and what follows from that, in words. */
void desk_guarantee(const struct config_destination *destination, struct str *out);
