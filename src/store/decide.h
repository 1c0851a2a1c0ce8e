/* SPDX-License-Identifier: Apache-2.0
 *
 * decide - one person's decision about one item, inside its transaction.
 *
 * people.c reads the item, lets one of the three below take the decision, and writes who took it:
 * an approval (name, erasable reason) and a line of the chain. Of two people at once one wins; the
 * other's RC_CONFLICT says what state it found and what was decided when.
 */
#pragma once

#include "store_p.h"

struct deciding {
    struct writing *w;
    const struct decision_request *request;
    struct decision_result *out;
    /* the item, as it was found */
    char mailbox[NAME_SIZE];
    enum item_state state;
    enum reason reason;
    /* the effect that the decision is about; 0: none */
    int64_t effect;
    enum effect_kind kind;
    enum effect_status status;
    int64_t attempts;
    bool has_id; /* it is a case or a reply, which go by an id at their destination */
};

/* About an effect: sent, not sent, none, resend; case made, not made. */
enum rc decide_effect(struct deciding *d, struct err *err) MUST_CHECK;
/* About what a held item becomes. */
enum rc decide_held(struct deciding *d, struct err *err) MUST_CHECK;
/* Takes back the last decision. */
enum rc decide_undo(struct deciding *d, struct err *err) MUST_CHECK;

/* RC_CONFLICT: "WHAT is STATE" and, where somebody has decided, what and when. */
enum rc decided_already(struct deciding *d, const char *what, const char *state, struct err *err);
/* Moves the item by a person's event; due at once, unless it waits for a person, for `reason`. */
enum rc decide_step(struct deciding *d, enum item_event on, enum reason reason, struct err *err)
    MUST_CHECK;

/* "NAME: why", erasable. */
enum rc people_note(struct writing *w,
                    const char *key,
                    const char *about,
                    const char *by,
                    const char *why,
                    struct err *err) MUST_CHECK;
/* RC_USAGE without a name and a reason. */
enum rc people_named(const char *by, const char *why, struct err *err) MUST_CHECK;
