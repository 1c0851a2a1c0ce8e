/* SPDX-License-Identifier: Apache-2.0
 *
 * log - one line an event on standard error: time, event, facts; for journald its priority before.
 *
 *     log_event(LOG_NOTE, "item.complete", "key=%s case=%s", key, reference);
 *
 * The event is module dot past participle, ids come first. Lines carry keys, references, codes and
 * counts; never subjects, addresses, bodies or secrets. service, cli, console and app log; base,
 * core and adapters return errors instead. An error is logged once, where it is dealt with.
 * Control characters in facts are replaced, so a line stays one line.
 */
#pragma once

#include <onecase/scope.h>
#include <stdbool.h>

enum log_level { LOG_ERROR = 3, LOG_WARN = 4, LOG_NOTE = 5, LOG_TALK = 6, LOG_TRACE = 7 };

void log_threshold(enum log_level least); /* what is less urgent than this is not written */
void log_event(enum log_level level, const char *event, const char *format, ...) PRINTF(3, 4);
void log_for_journal(bool yes); /* each line begins with its priority, "<4>" */
void log_to(void (*sink)(void *ctx, enum log_level level, const char *line),
            void *ctx); /* NULL: stderr */
