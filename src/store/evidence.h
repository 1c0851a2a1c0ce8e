/* SPDX-License-Identifier: Apache-2.0
 *
 * evidence - what a read-back shows about an effect, and what follows at once.
 *
 * An effect that is unknown and has shown itself is done, and an item that waited for just that goes
 * on. One that is still attempting keeps the evidence: it is settled by it if its answer is lost.
 */
#pragma once

#include "steps.h"

enum rc evidence_add(struct writing *w,
                     const char *key,
                     const struct evidence_change *change,
                     struct err *err) MUST_CHECK;

/* Settles the effect if it is unknown and something found says that it happened. */
enum rc evidence_settle(struct writing *w, const char *key, int64_t effect, struct err *err)
    MUST_CHECK;

/* The item that asked a person about it needs no answer now; any other is due at once. */
enum rc evidence_answers(struct writing *w, const char *key, struct err *err) MUST_CHECK;

/* Settles an acknowledgement that is unknown, EFFECT being `ack_id`, if something that arrived before
 * has named it, known to us then or not. */
enum rc evidence_named(struct writing *w,
                       const char *key,
                       int64_t effect,
                       const char *ack_id,
                       struct err *err) MUST_CHECK;
