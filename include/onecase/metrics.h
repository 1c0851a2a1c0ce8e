/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics - what monitoring reads of an installation, in the text format of Prometheus (0.0.4).
 *
 * One table of metrics (src/watch/metrics.c): name, type, help, where its number comes from. Labels are
 * mailboxes of the ledger and words of the program, so that their number is bounded; no address, no
 * subject, no key. Totals count the whole ledger and never fall while it lives.
 *
 * Cheap enough to be asked every 15 seconds. RC_DEFERRED, RC_BROKEN of the ledger.
 */
#pragma once

#include <onecase/operations.h>

/* The Content-Type of what is written. */
#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Adds the whole text to `out`. `ops` must have its ledger open. */
enum rc metrics_text(const struct operations *ops, int64_t now_ms, struct str *out, struct err *err)
    MUST_CHECK;

/* The names that there are, in the order of the table; NULL at its end. For tests of dashboards. */
const char *metrics_name(size_t number);

/* A mailbox that was not looked at for so long is down: five polls, and never less than five minutes. */
int64_t watch_silence_ms(const struct config *config, const char *mailbox);
