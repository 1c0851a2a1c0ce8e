/* SPDX-License-Identifier: Apache-2.0
 *
 * decision - what a person may decide, about what, and what follows.
 *
 * One table: a decision names the reason or effect status it answers, the events it causes, whether
 * something may leave because of it, and how it is taken back while nothing has left since.
 * When `not-sent` may be taken is decision_not_sent_from: never while a connection may still carry it.
 *
 * DECIDE_UNDO has no row of its own: the row of the decision that is taken back says what it does.
 * A decision that made a case cannot be taken back (the case stands, and can be merged or closed).
 */
#pragma once

#include <onecase/item.h>
#include <onecase/outcome.h>

/* clang-format off */
#define DECISION_LIST(X) \
    X(DECIDE_SENT,           "acknowledgement-sent",     "it was sent; nothing is mailed")                          \
    X(DECIDE_NOT_SENT,       "acknowledgement-not-sent", "it was not sent; send it once more, same Message-ID")     \
    X(DECIDE_NONE,           "acknowledgement-none",     "the sender shall get none")                               \
    X(DECIDE_NEW_CASE,       "conflict-new-case",        "it is another mail: a case of its own")                   \
    X(DECIDE_APPEND,         "conflict-append",          "it belongs to the first mail's case")                     \
    X(DECIDE_DISMISS,        "conflict-dismiss",         "it is the same mail: file this copy")                     \
    X(DECIDE_READ_AGAIN,     "unprocessable-retry",      "read it once more")                                       \
    X(DECIDE_DROP,           "unprocessable-dismiss",    "it is no request: file it")                               \
    X(DECIDE_CASE_MADE,      "case-made",                "the destination has the case; its id is given")           \
    X(DECIDE_CASE_NOT_MADE,  "case-not-made",            "the destination has no case: make it")                    \
    X(DECIDE_CASE_NONE,      "case-none",                "none is made at the destination; all else goes on")       \
    X(DECIDE_LET_THROUGH,    "flood-let-through",        "it is a request like any other")                          \
    X(DECIDE_MUTE,           "flood-mute",               "it is no request: file it")                               \
    X(DECIDE_RESEND,         "resend-acknowledgement",   "send it although it was refused, skipped or given up")    \
    X(DECIDE_UNDO,           "undo",                     "take the last decision back")
/* clang-format on */

enum decision { DECISION_LIST(NAMED_ENUM) DECISION_COUNT };

struct decision_rule {
    enum decision decision;
    enum effect_kind kind;     /* the effect it is about; EFFECT_KIND_COUNT: the item itself */
    enum effect_status status; /* that the effect must have; another is a conflict */
    enum effect_event on;      /* what it is for the effect */
    enum reason reason;        /* that the item must wait for, where REASON_NONE: any */
    enum disposition becomes;  /* DISPOSITION_COUNT: stays what it is */
    bool may_leave;            /* something may leave the process because of it */
    enum effect_event undo;    /* taken back, while nothing has left since: the event for the effect
                                  (of a dismissal: for its move); EFFECT_EVENT_COUNT: never */
    const char *consequence;   /* plain words, shown before it is taken */
};

extern const struct decision_rule decision_rules[];
extern const size_t decision_rule_count;

/* The rule for a decision on an effect of that status, or on an item waiting for that reason; NULL
 * where it is not possible. For decisions without an effect `status` is ignored. */
const struct decision_rule *
decision_find(enum decision decision, enum effect_status status, enum reason reason);

/* What taking a decision back is: the rule of the decision as it was taken (its `undo` is the
 * effect's event, `*item` the item's), or NULL where it cannot be taken back. A dismissal taken back
 * leaves the item `held`, waiting for the reason it waited for. */
const struct decision_rule *decision_undo(enum decision taken,
                                          enum effect_status was,
                                          enum reason waited_for,
                                          enum item_event *item);

struct not_sent_facts {
    bool run_gone;          /* proven dead, or a person says so (--run-gone) */
    bool connection_closed; /* the attempt recorded that its connection was closed */
    int64_t armed_ms;       /* wall time */
    int64_t final_timeout_ms, evidence_wait_ms;
};

/* The wall time from which `not-sent` may be taken; INT64_MAX while its run may still be alive with
 * the connection open. */
int64_t decision_not_sent_from(const struct not_sent_facts *facts);

const char *decision_text(enum decision decision);
const char *decision_meaning(enum decision decision);
bool decision_parse(const char *text, enum decision *out);
