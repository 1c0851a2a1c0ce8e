/* SPDX-License-Identifier: Apache-2.0
 *
 * copy_rows - one more delivery of an item that is there: recorded, and filed once the item is
 * complete. No effect of the item runs again; but a list's copy that was not answered is, once,
 * where a direct one follows.
 */
#pragma once

#include "reserve.h"

enum rc copy_add(const struct reserving *r,
                 const struct arrival *arrival,
                 const struct verdict *verdict,
                 const char *key,
                 struct err *err) MUST_CHECK;
