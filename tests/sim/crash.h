/* SPDX-License-Identifier: Apache-2.0
 *
 * crash - the small scenarios, taken apart: a death before and after every single port call, a power
 * loss there, every failing answer that the call may give, and every pair of deaths. Each ends where
 * the undisturbed one does.
 */
#pragma once

#include <stdbool.h>

int crash_all(unsigned jobs, bool pairs);
/* POINT as printed: "small:1:57:kill-before", "least:1:20:kill-before+2:31:kill-before". */
int crash_one(const char *point, bool story);
