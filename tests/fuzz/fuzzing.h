/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzzing - what every fuzz target includes. A target asserts what must hold for any octets.
 */
#pragma once

#include <onecase/str.h>

#include <assert.h>

/* libFuzzer calls it with one input after another; it copies each to memory of its own length, so
 * that reading past the end is seen. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline struct slice input_of(const uint8_t *data, size_t size)
{
    return (struct slice){size > 0 ? (const char *)data : "", size};
}
