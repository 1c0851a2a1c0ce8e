/* SPDX-License-Identifier: Apache-2.0
 *
 * outcome - what one try came to, and whose fault a mail server's answer is.
 *
 * An attempt is one try of an effect; its phase says how far it had come when it ended, or when its
 * run died. fault_rows is contract section 4's table, stage by reply: whose fault it is decides
 * whether the item waits, completes with the refusal recorded, asks a person, or whether the
 * circuit of that mailbox's acknowledgements opens.
 */
#pragma once

#include <onecase/effect.h>

/* clang-format off */
#define OUTCOME_LIST(X) \
    X(OUTCOME_NONE,     "",         "not yet ended")                     \
    X(OUTCOME_DONE,     "done",     "it happened")                       \
    X(OUTCOME_REFUSED,  "refused",  "permanent; surely not done")        \
    X(OUTCOME_DEFERRED, "deferred", "surely not done; later may work")   \
    X(OUTCOME_UNKNOWN,  "unknown",  "may have happened")

#define ATTEMPT_PHASE_LIST(X) \
    X(ATTEMPT_ARMED, "armed", "the intent is durable; for an acknowledgement, the end-of-data line comes next") \
    X(ATTEMPT_ENDED, "ended", "its outcome is known to be one of the four")                                     \
    X(ATTEMPT_LOST,  "lost",  "its run is gone; nobody will report on it")

#define STAGE_LIST(X) \
    X(STAGE_CONNECT,     "connect",     "connect, banner, EHLO, TLS, AUTH")           \
    X(STAGE_MAIL,        "MAIL",        "the reverse path")                           \
    X(STAGE_RCPT,        "RCPT",        "the recipient")                              \
    X(STAGE_DATA,        "DATA",        "DATA, and the body up to the end-of-data line") \
    X(STAGE_END_OF_DATA, "end of data", "after the end-of-data line")

#define REPLY_LIST(X) \
    X(REPLY_LATER,       "4xx",                "a temporary failure; 421 too")                         \
    X(REPLY_NEVER,       "5xx",                "a permanent failure")                                  \
    X(REPLY_NEVER_ITEM,  "5xx, of this item",  "552, 5.3.4, SMTPUTF8 or 8BITMIME missing (MAIL); 5.1.x (after the line)") \
    X(REPLY_NONE,        "drop, time-out",     "no complete reply, or one that is no reply")           \
    X(REPLY_DONE,        "2xx",                "accepted (354 to DATA)")

#define FAULT_LIST(X) \
    X(FAULT_NONE,        "nobody's",            "accepted")                                                      \
    X(FAULT_SERVER,      "server's",            "deferred; uses none of the item's time; opens the circuit")     \
    X(FAULT_ITEM_LATER,  "item's, later",       "deferred; back-off until retry.give_up_after, then a person")   \
    X(FAULT_ITEM,        "item's",              "refused; the item completes with that recorded: not told")      \
    X(FAULT_ITEM_WAITS,  "item's, a person",    "deferred; the item waits for a person with the reply")          \
    X(FAULT_UNKNOWN,     "not known",           "unknown; never sent again by itself")
/* clang-format on */

enum outcome { OUTCOME_LIST(NAMED_ENUM) OUTCOME_COUNT };
enum attempt_phase { ATTEMPT_PHASE_LIST(NAMED_ENUM) ATTEMPT_PHASE_COUNT };
enum stage { STAGE_LIST(NAMED_ENUM) STAGE_COUNT };
enum reply_class { REPLY_LIST(NAMED_ENUM) REPLY_COUNT };
enum fault { FAULT_LIST(NAMED_ENUM) FAULT_COUNT };

struct attempt_transition {
    enum attempt_phase from;
    enum outcome with; /* what is learned */
    enum attempt_phase to;
    enum actor by;
    const char *because;
};

extern const struct attempt_transition attempt_transitions[];
extern const size_t attempt_transition_count;
enum rc
attempt_step(enum attempt_phase from, enum outcome with, enum attempt_phase *out, struct err *err)
    MUST_CHECK;

struct fault_row {
    enum stage stage;
    enum reply_class reply;
    enum fault fault;
    enum outcome outcome;
    const char *because;
};

extern const struct fault_row fault_rows[];
extern const size_t fault_row_count;

/* Total: every stage and reply has its row. */
const struct fault_row *fault_of(enum stage stage, enum reply_class reply);

/* Sorts a complete SMTP reply (RFC 5321, RFC 3463). `code` 0 is no reply, and so is one that does not
 * answer the command, such as a 354 to anything but DATA. `enhanced` is "5.1.1", or "" where there
 * was none. */
enum reply_class reply_classify(enum stage stage, int code, const char *enhanced);

/* The event that an outcome is for an effect. OUTCOME_NONE is our own mistake. */
enum effect_event outcome_event(enum outcome outcome);

const char *outcome_text(enum outcome outcome);
const char *attempt_phase_text(enum attempt_phase phase);
const char *stage_text(enum stage stage);
const char *reply_class_text(enum reply_class reply);
const char *fault_text(enum fault fault);
bool outcome_parse(const char *text, enum outcome *out);
