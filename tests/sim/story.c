/* SPDX-License-Identifier: Apache-2.0 */
#include "story.h"

#include "world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define MINUTE_MS 60000

void tell(struct world *world, const char *format, ...)
{
    va_list args;
    int64_t at_ms = world->timeline.now_ms;

    if (!world->story.on)
        return;
    printf("%4u  %3" PRId64 ":%06.3f  ", ++world->story.lines, at_ms / MINUTE_MS,
           (double)(at_ms % MINUTE_MS) / 1000.0);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

void broke(struct world *world, const char *invariant, const char *format, ...)
{
    va_list args;

    if (world->verdict.broken)
        return;
    world->verdict.broken = true;
    world->verdict.invariant = invariant;
    va_start(args, format);
    vsnprintf(world->verdict.text, sizeof world->verdict.text, format, args);
    va_end(args);
    tell(world, "*** %s breaks: %s", invariant, world->verdict.text);
}
