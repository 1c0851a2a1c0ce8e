/* SPDX-License-Identifier: Apache-2.0
 *
 * decision - what a person may decide, about what, and what follows.
 *
 * One table: a decision names the reason or effect status it answers, the events it causes, and
 * whether something may leave because of it (then it can no longer be undone once it has left).
 * When `not-sent` may be taken is decision_not_sent_from: never while a connection may still carry it.
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
    X(DECIDE_LET_THROUGH,    "flood-let-through",        "it is a request like any other")                          \
    X(DECIDE_MUTE,           "flood-mute",               "it is no request: file it")                               \
    X(DECIDE_RESEND,         "resend-acknowledgement",   "send it although it was refused, skipped or given up")    \
    X(DECIDE_UNDO,           "undo",                     "take the last decision back")
/* clang-format on */

enum decision { DECISION_LIST(NAMED_ENUM) DECISION_COUNT };

struct decision_rule {
    enum decision decision;
    enum effect_kind kind; /* the effect it is about, where has_effect */
    bool has_effect;
    enum effect_status status; /* that the effect must have; another is a conflict */
    enum effect_event on;      /* what it is for the effect */
    enum reason reason;        /* that the item must wait for, where REASON_NONE: any */
    enum disposition becomes;  /* DISPOSITION_COUNT: stays what it is */
    bool may_leave;            /* something may leave the process because of it */
    const char *consequence;   /* plain words, shown before it is taken */
};

extern const struct decision_rule decision_rules[];
extern const size_t decision_rule_count;

/* The rule for a decision on an effect of that status, or on an item waiting for that reason; NULL
 * where it is not possible. For decisions without an effect `status` is ignored. */
const struct decision_rule *
decision_find(enum decision decision, enum effect_status status, enum reason reason);

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
