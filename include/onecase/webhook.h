/* SPDX-License-Identifier: Apache-2.0
 *
 * webhook - which lines of the event chain other programs are told of, and by what name.
 *
 * A line of the chain makes a post for each webhook that wants it, in the order of the chain. A post is
 * `planned` until it was tried, `deferred` while it waits for another try, `done` once its receiver has
 * taken it, and `refused` once nobody tries any more: a dead letter, until a person plans it anew.
 */
#pragma once

#include <onecase/item.h>

/* clang-format off */
#define WEBHOOK_EVENT_LIST(X) \
/*    name               text                    type on the wire             meaning */                              \
    X(WEBHOOK_CREATED,   "created",              "case.created",              "a mail has become a case of its own")  \
    X(WEBHOOK_COMPLETE,  "complete",             "item.complete",             "a mail is accepted and filed")         \
    X(WEBHOOK_DUPLICATE, "duplicate",            "item.duplicate",            "another copy of a mail has come")      \
    X(WEBHOOK_CONFLICT,  "conflict",             "item.conflict",             "another mail has come under the identifier of one that is known") \
    X(WEBHOOK_ASKS,      "needs_reconciliation", "item.needs_reconciliation", "a mail waits for a person")            \
    X(WEBHOOK_CLOSED,    "closed",               "case.closed",               "a case was closed")

#define POST_EVENT_LIST(X) \
/*    name             text        meaning */                                                \
    X(POST_ON_TAKEN,   "taken",    "its receiver has taken it")                              \
    X(POST_ON_LATER,   "later",    "nobody took it, or nobody knows")                        \
    X(POST_ON_GIVE_UP, "give-up",  "its receiver never will, or not for as long as it was tried") \
    X(POST_ON_REMOVED, "removed",  "its webhook is configured no longer")                    \
    X(POST_ON_REPLAY,  "replay",   "a person wants it tried again")
/* clang-format on */

#define WEBHOOK_ENUM(name, text, type, meaning) name,
enum webhook_event { WEBHOOK_EVENT_LIST(WEBHOOK_ENUM) WEBHOOK_EVENT_COUNT };
#undef WEBHOOK_ENUM
enum post_event { POST_EVENT_LIST(NAMED_ENUM) POST_EVENT_COUNT };

#define WEBHOOK_ID_SIZE 40 /* "msg_", 32 hex digits, NUL */

/* One line of the chain, with what its item says of itself. Borrowed. */
struct webhook_line {
    const char *subject, *what, *from, *to; /* as in the chain */
    const char *arrived_as;                 /* its item's disposition at arrival */
    const char *key_source;
};

/* The events that a line is, as bits 1u << WEBHOOK_...; 0 where it is none. */
unsigned webhook_events_of(const struct webhook_line *line);

struct post_transition {
    enum effect_status from;
    enum post_event on;
    enum effect_status to;
    const char *because;
};
extern const struct post_transition post_transitions[];
extern const size_t post_transition_count;

/* RC_CONFLICT: nothing leads from there by that. */
enum rc
post_step(enum effect_status from, enum post_event on, enum effect_status *out, struct err *err)
    MUST_CHECK;

/* The id that every try of a post has: of its webhook, its line's hash and its event, and of nothing else. */
void webhook_id(const char *webhook,
                const char *hash,
                enum webhook_event event,
                char out[WEBHOOK_ID_SIZE]);

const char *webhook_event_text(enum webhook_event event);
const char *webhook_event_type(enum webhook_event event); /* "case.created" */
const char *webhook_event_meaning(enum webhook_event event);
bool webhook_event_parse(const char *text, enum webhook_event *out);
const char *post_event_text(enum post_event event);
