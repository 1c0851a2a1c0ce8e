/* SPDX-License-Identifier: Apache-2.0
 *
 * bury - the proof that runs are dead, by a command and not by the service.
 */
#pragma once

#include "wire.h"

/* Records every run that is proven dead from here; of those on other machines nothing is proven. */
/* How many runs of the ledger are alive, after those were buried that can be proven dead from here. */
enum rc
count_alive(const struct config *config, struct wired_data *data, size_t *out, struct err *err)
    MUST_CHECK;
enum rc bury_dead(const struct config *config, struct wired_data *data, struct err *err) MUST_CHECK;
