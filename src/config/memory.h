/* SPDX-License-Identifier: Apache-2.0
 *
 * memory - what belongs to one configuration and goes with it.
 */
#pragma once

#include <onecase/str.h>

struct config_memory;

struct config_memory *memory_new(void) MUST_CHECK;
void memory_free(struct config_memory **m);
void *memory_get(struct config_memory *m, size_t count, size_t size); /* zeroed */
const char *memory_text(struct config_memory *m, struct slice text);  /* a copy */
