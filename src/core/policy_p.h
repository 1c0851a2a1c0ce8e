/* SPDX-License-Identifier: Apache-2.0
 *
 * policy_p - the parts of policy.c that stand in files of their own.
 */
#pragma once

#include <onecase/policy.h>

/* Contract section 5: what the header says against an answer, and what the address says. */
enum skip skip_by_signs(const struct policy *policy, const struct message *message);
enum skip skip_by_address(const struct policy *policy, const struct message *message);
/* Will an attachment be refused, by its size or type? (plan.c) */
bool plan_has_exceptions(const struct policy *policy, const struct message *message);
