/* SPDX-License-Identifier: Apache-2.0
 *
 * not_sent - what the ledger knows of the tries of an acknowledgement, for decision_not_sent_from.
 */
#pragma once

#include "store_p.h"

/* Fills what the ledger knows; the waiting times and what a person says are the caller's. */
enum rc not_sent_tries(struct db *db, int64_t effect, struct not_sent_facts *out, struct err *err)
    MUST_CHECK;
