/* SPDX-License-Identifier: Apache-2.0
 *
 * posix_errors - what an errno of a file operation is to a caller, and its reason for a person.
 */
#pragma once

#include <onecase/err.h>

#define POSIX_REASON_SIZE 128

enum rc posix_outcome(int error, char reason[POSIX_REASON_SIZE]);
