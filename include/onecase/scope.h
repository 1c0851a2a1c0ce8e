/* SPDX-License-Identifier: Apache-2.0
 *
 * scope - the few compiler attributes this program uses, and nothing else uses them by name.
 *
 * CLEANUP(fn) frees an owned local on every way out of its block; STEAL(p) is the only way to hand
 * it on. MUST_CHECK marks a result that may not be dropped. PRINTF lets the compiler check formats.
 */
#pragma once

#include <stddef.h>

#define CLEANUP(fn)  __attribute__((cleanup(fn)))
#define MUST_CHECK   __attribute__((warn_unused_result))
#define PRINTF(f, a) __attribute__((format(printf, f, a)))
#define NORETURN     __attribute__((noreturn))

#define STEAL(p)                                                                                   \
    (__extension__({                                                                               \
        __typeof__(p) stolen_ = (p);                                                               \
        (p) = NULL;                                                                                \
        stolen_;                                                                                   \
    }))

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
