/* SPDX-License-Identifier: Apache-2.0
 *
 * item - one business instruction: its states, its disposition, its completion state, why it waits.
 *
 * The four item states change only by a row of item_transitions. What an item is for is its
 * disposition, and the columns of `dispositions` are the law: which effects are planned, and when
 * its message may be filed. A fifth state, `duplicate`, is a delivery's.
 */
#pragma once

#include <onecase/effect.h>

/* clang-format off */
#define ITEM_STATE_LIST(X) \
/*    name                       text                    meaning */                                       \
    X(ITEM_RECEIVED,             "received",             "reserved, nobody has begun")                     \
    X(ITEM_IN_PROGRESS,          "in_progress",          "somebody works on it, or it waits for a time")   \
    X(ITEM_COMPLETE,             "complete",             "accepted and filed")                             \
    X(ITEM_NEEDS_RECONCILIATION, "needs_reconciliation", "waits for a person")

#define ITEM_EVENT_LIST(X) \
/*    name             text          meaning */                                                           \
    X(ITEM_ON_CLAIM,   "claim",      "a run takes it under its lease")                                     \
    X(ITEM_ON_COMPLETE,"complete",   "acceptance holds and its message is filed")                          \
    X(ITEM_ON_WAIT,    "wait",       "only a person can decide")                                           \
    X(ITEM_ON_EVIDENCE,"evidence",   "what a person was asked has been found")                             \
    X(ITEM_ON_DECIDE,  "decide",     "a person decided")                                                   \
    X(ITEM_ON_REOPEN,  "reopen",     "one of its effects is due again")                                    \
    X(ITEM_ON_UNDO,    "undo",       "a person takes a decision back")

#define DISPOSITION_LIST(X) \
    X(DISPOSITION_CASE,      "case",      "a request")                                                       \
    X(DISPOSITION_APPEND,    "append",    "a reply by a participant to a case")                              \
    X(DISPOSITION_REPORT,    "report",    "a delivery report or automatic answer that names an acknowledgement") \
    X(DISPOSITION_EVIDENCE,  "evidence",  "our own acknowledgement seen in a watched inbox, with its proof") \
    X(DISPOSITION_ADOPTED,   "adopted",   "mail from before, remembered only")                              \
    X(DISPOSITION_HELD,      "held",      "conflict, unprocessable, oversize, over the case rate")          \
    X(DISPOSITION_DISMISSED, "dismissed", "by a person")

#define COMPLETION_LIST(X) \
    X(COMPLETION_NONE,                     "",                         "not yet fixed: no acknowledgement was armed") \
    X(COMPLETION_ACCEPTED,                 "accepted",                 "a case of its own, everything stored")        \
    X(COMPLETION_ACCEPTED_WITH_EXCEPTIONS, "accepted_with_exceptions", "a case of its own, some attachments refused") \
    X(COMPLETION_APPENDED,                 "appended",                 "added to a case")                             \
    X(COMPLETION_CLOSED,                   "closed",                   "its case was closed")

/* Why an item needs a decision, or waits otherwise. The text is the `reason` of items and metrics. */
#define REASON_LIST(X) \
/*    name                    text                      asked of a person */                               \
    X(REASON_NONE,            "",                       "")                                                \
    X(REASON_UNKNOWN_SENT,    "acknowledgement-unknown","Was the confirmation sent? We cannot tell.")      \
    X(REASON_REPLY_WAITS,     "acknowledgement-refused","The server refused the confirmation after it had taken it in.") \
    X(REASON_GAVE_UP,         "gave-up",                "It was tried for as long as the settings allow.") \
    X(REASON_CONFLICT,        "conflict",               "Another mail carries the same identifier.")       \
    X(REASON_GATEWAY_COPY,    "gateway-copy",           "It looks like the same mail, changed on its way.")\
    X(REASON_UNPROCESSABLE,   "unprocessable",          "The mail could not be read.")                     \
    X(REASON_OVERSIZE,        "oversize",               "The mail is larger than the limit.")              \
    X(REASON_CASE_FLOOD,      "case-flood",             "One sender sends more than the limit.")           \
    X(REASON_UNKNOWN_CASE,    "case-unknown",           "Was the case made at its destination? We cannot tell.") \
    X(REASON_CASE_REFUSED,    "case-refused",           "The destination refused the case.")               \
    X(REASON_DESTINATION_GONE,"destination-gone",       "The help desk that it was planned for is configured no longer.") \
    X(REASON_FILE_DIFFERS,    "file-differs",           "A stored file is not what was stored.")           \
    X(REASON_ORIGINAL_LOST,   "original-lost",          "The original can no longer be had.")
/* clang-format on */

enum item_state { ITEM_STATE_LIST(NAMED_ENUM) ITEM_STATE_COUNT };
enum item_event { ITEM_EVENT_LIST(NAMED_ENUM) ITEM_EVENT_COUNT };
enum disposition { DISPOSITION_LIST(NAMED_ENUM) DISPOSITION_COUNT };
enum completion { COMPLETION_LIST(NAMED_ENUM) COMPLETION_COUNT };
enum reason { REASON_LIST(NAMED_ENUM) REASON_COUNT };

struct item_transition {
    enum item_state from;
    enum item_event on;
    enum item_state to;
    enum actor by;
    const char *because;
};

extern const struct item_transition item_transitions[];
extern const size_t item_transition_count;

enum rc item_step(enum item_state from, enum item_event on, enum item_state *out, struct err *err)
    MUST_CHECK;
const struct item_transition *item_find(enum item_state from, enum item_event on);

/* When may the message leave the inbox? */
/* clang-format off */
#define FILED_NEVER 0u
#define FILED_LIST(X) \
/*    name             bit       text               holds when */                                         \
    X(FILED_CASE,      1u << 0,  "case",            "the case was read back")                             \
    X(FILED_FILES,     1u << 1,  "attachments",     "every planned attachment is stored with its SHA-256, or is a recorded exception") \
    X(FILED_ANSWERED,  1u << 2,  "acknowledgement", "the acknowledgement is done, skipped or refused by the recipient's server") \
    X(FILED_RECORDED,  1u << 3,  "record",          "what it says is recorded with its case")             \
    X(FILED_DECIDED,   1u << 4,  "decision",        "a person's decision, or the rule of copies, is recorded")
/* clang-format on */

#define FILED_ENUM(name, bit, text, meaning) name = bit,
enum filed_when { FILED_LIST(FILED_ENUM) };
#undef FILED_ENUM

struct disposition_rule {
    enum disposition disposition;
    unsigned effects;           /* KIND()s planned */
    unsigned if_configured;     /* of these, planned only where the settings ask for it */
    enum item_state starts;     /* the state the reservation gives it */
    unsigned filed_when;        /* FILED_*: every one must hold */
    enum completion completion; /* told where everything was stored */
    const char *when;
};

extern const struct disposition_rule dispositions[DISPOSITION_COUNT];

/* What the sender will be told, fixed when the acknowledgement is first armed. */
enum completion completion_of(enum disposition disposition, bool exceptions);

const char *filed_text(unsigned bit); /* the name of one condition */
const char *item_state_text(enum item_state state);
const char *item_event_text(enum item_event event);
const char *disposition_text(enum disposition disposition);
const char *completion_text(enum completion completion);
const char *reason_text(enum reason reason);
const char *reason_question(enum reason reason); /* plain words for a person */
bool item_state_parse(const char *text, enum item_state *out);
bool disposition_parse(const char *text, enum disposition *out);
bool completion_parse(const char *text, enum completion *out);
bool reason_parse(const char *text, enum reason *out);
