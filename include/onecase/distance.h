/* SPDX-License-Identifier: Apache-2.0
 *
 * distance - how far two texts are apart, to find what somebody meant who misspelt it.
 */
#pragma once

#include <onecase/str.h>

/* How many octets must be put in, taken out or changed to make one of the other. Of each the first
 * DISTANCE_MOST are compared. */
#define DISTANCE_MOST 64
size_t slice_distance(struct slice a, struct slice b);
