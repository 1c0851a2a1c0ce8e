/* SPDX-License-Identifier: Apache-2.0
 *
 * coroutine - a function that can stop in the middle and be continued later, on a stack of its own.
 *
 * A simulated run is one: it stops at its port calls, and the scheduler, which is the only one that
 * enters coroutines, decides who goes on. Stacks are kept for the next coroutine. Known to the
 * address sanitizer, so that it sees overruns inside.
 */
#pragma once

#include <stdbool.h>

struct coroutine;

struct coroutine *coroutine_new(void (*body)(void *arg), void *arg);
void coroutine_free(struct coroutine **co); /* only one that has ended, or never began */
/* Continues it until it leaves or ends. */
void coroutine_enter(struct coroutine *co);
/* From inside: back to who entered. */
void coroutine_leave(struct coroutine *co);
bool coroutine_ended(const struct coroutine *co);
/* Gives the kept stacks back. */
void coroutine_rest(void);
