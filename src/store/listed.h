/* SPDX-License-Identifier: Apache-2.0
 *
 * listed - cases that an older system made become known.
 *
 * The first mail of a case is its item, as it is of any other; it is complete, its acceptance is a person's word,
 * and its sender is never told. It has no delivery: a copy that comes later is the first. A mail that has its
 * item already stays that item's: the case is then one of the older system's doubles, goes by its own reference, and
 * shares the fingerprint of the other, so that it is a suspect.
 */
#pragma once

#include "store_p.h"

enum rc operators_list_cases(void *self,
                             const struct listed_request *request,
                             struct instant now,
                             enum listed_fate *fate,
                             struct err *err) MUST_CHECK;
