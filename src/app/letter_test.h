/* SPDX-License-Identifier: Apache-2.0
 *
 * letter_test - what the sender of a message file would be told. Works like identify: no ledger, no
 * data folder and no server is touched.
 */
#pragma once

#include <onecase/operations.h>

/* RC_NOT_FOUND: no such file. RC_REFUSED: there is no letter to show, and why. */
enum rc letter_test(const struct config *config,
                    const struct letter_question *question,
                    struct letter_shown *out,
                    struct err *err) MUST_CHECK;
