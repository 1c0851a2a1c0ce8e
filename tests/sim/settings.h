/* SPDX-License-Identifier: Apache-2.0
 *
 * settings - the configuration of every simulated run: the contract's defaults, and what the
 * scenario says.
 */
#pragma once

#include <onecase/service.h>
#include <onecase/when.h>

#define LEASE         MINUTES(5)
#define FINAL_TIMEOUT MINUTES(10)
#define EVIDENCE_WAIT MINUTES(15)
#define SETTLE        MINUTES(15)

struct run;
struct world;

/* Borrowed from the world. */
void settings_of(const struct run *run, struct service_settings *out);
void settings_policy(const struct world *world, struct policy *out);
