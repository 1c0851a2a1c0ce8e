/* SPDX-License-Identifier: Apache-2.0
 *
 * effect - one material side effect of an item, and the law of its life.
 *
 * An effect is unique per (item, kind, target). Its status changes only by a row of
 * effect_transitions: from, event, to, by whom, because. A status is never set, it is stepped, and
 * the ledger steps it with a compare-and-set. `attempting` is durable before the act (an
 * acknowledgement: before its end-of-data line), so what a dead run left can be told from what it
 * never began. Nothing but evidence or a person leaves `unknown` on an acknowledgement.
 */
#pragma once

#include <onecase/err.h>
#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
#define EFFECT_KIND_LIST(X) \
/*    name                    text               target */                                               \
    X(EFFECT_CASE,            "case",            "the destination's name, and /closed or /removed there; `ledger` is the record here") \
    X(EFFECT_ATTACHMENT,      "attachment",      "NN-NAME; sent on to a destination, its name before that: desk/NN-NAME") \
    X(EFFECT_ACKNOWLEDGEMENT, "acknowledgement", "the completion state; empty until first armed")         \
    X(EFFECT_MOVE,            "move",            "the delivery's id")                                     \
    X(EFFECT_WEBHOOK,         "webhook",         "the webhook's name")

#define EFFECT_STATUS_LIST(X) \
/*    name                text           meaning */                                                      \
    X(EFFECT_PLANNED,     "planned",     "in the plan, not begun")                                        \
    X(EFFECT_ATTEMPTING,  "attempting",  "the intent is durable; it may be happening")                    \
    X(EFFECT_DONE,        "done",        "it happened")                                                   \
    X(EFFECT_SKIPPED,     "skipped",     "it shall not happen, for a recorded reason")                    \
    X(EFFECT_DEFERRED,    "deferred",    "surely not done; will be tried again")                          \
    X(EFFECT_REFUSED,     "refused",     "surely not done; the other side never will")                    \
    X(EFFECT_UNKNOWN,     "unknown",     "may have happened; evidence or a person decides")

#define EFFECT_EVENT_LIST(X) \
/*    name                text            meaning */                                                     \
    X(ON_ARM,             "arm",          "the intent is written, the act comes next")                    \
    X(ON_DONE,            "done",         "the other side confirmed it")                                  \
    X(ON_DEFER,           "defer",        "it failed, and surely did not happen")                         \
    X(ON_REFUSE,          "refuse",       "the other side refused it for good")                           \
    X(ON_LOSE,            "lose",         "no complete answer, or whoever armed it is gone")              \
    X(ON_EVIDENCE,        "evidence",     "a read-back shows that it happened")                           \
    X(ON_ABSENCE,         "absence",      "a read-back that can prove it shows that it did not happen")   \
    X(ON_SKIP,            "skip",         "a rule says that it shall not happen")                         \
    X(ON_DIRECT_COPY,     "direct-copy",  "a direct copy follows one that came by a list")                \
    X(ON_EVERYBODY,       "everybody",    "the same answer met everybody: it is the server's")            \
    X(ON_SAID_DONE,       "said-done",    "a person: it did happen")                                      \
    X(ON_SAID_NOT_DONE,   "said-not-done","a person: it did not happen, do it once more")                 \
    X(ON_SAID_NONE,       "said-none",    "a person: it shall not happen")                                \
    X(ON_RESEND,          "resend",       "a person: do it although it was refused or skipped")           \
    X(ON_UNDO,            "undo",         "a person takes a decision back; nothing has left since")

#define ACTOR_LIST(X) \
    X(BY_SERVICE,  "service",  "a run, by its own rules")        \
    X(BY_PEER,     "peer",     "the other side's answer")        \
    X(BY_EVIDENCE, "evidence", "a read-back")                    \
    X(BY_PERSON,   "person",   "a named person, with a reason")
/* clang-format on */

#define NAMED_ENUM(name, text, meaning) name,
enum effect_kind { EFFECT_KIND_LIST(NAMED_ENUM) EFFECT_KIND_COUNT };
enum effect_status { EFFECT_STATUS_LIST(NAMED_ENUM) EFFECT_STATUS_COUNT };
enum effect_event { EFFECT_EVENT_LIST(NAMED_ENUM) EFFECT_EVENT_COUNT };
enum actor { ACTOR_LIST(NAMED_ENUM) ACTOR_COUNT };

#define EFFECT_TARGET_SIZE 224 /* a destination's name, "/", and the longest name of a file */

#define KIND(kind) (1u << (kind))
#define KIND_ANY   ((1u << EFFECT_KIND_COUNT) - 1)

struct effect_transition {
    unsigned kinds; /* of KIND(): the effects it holds for */
    enum effect_status from;
    enum effect_event on;
    enum effect_status to;
    enum actor by;
    const char *because;
};

extern const struct effect_transition effect_transitions[];
extern const size_t effect_transition_count;

/* The status after `on`; RC_CONFLICT where the table has no such row (somebody moved it first). */
enum rc effect_step(enum effect_kind kind,
                    enum effect_status from,
                    enum effect_event on,
                    enum effect_status *out,
                    struct err *err) MUST_CHECK;

/* The row itself, or NULL. */
const struct effect_transition *
effect_find(enum effect_kind kind, enum effect_status from, enum effect_event on);

/* Nothing more happens by itself: done, skipped, refused. */
bool effect_settled(enum effect_status status);

const char *effect_kind_text(enum effect_kind kind);
const char *effect_status_text(enum effect_status status);
const char *effect_event_text(enum effect_event event);
const char *actor_text(enum actor actor);
bool effect_kind_parse(const char *text, enum effect_kind *out);
bool effect_status_parse(const char *text, enum effect_status *out);
