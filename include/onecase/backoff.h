/* SPDX-License-Identifier: Apache-2.0
 *
 * backoff - when to try again, and when a server is left alone.
 *
 * Pure: the caller gives the number of tries and a random value, so a schedule can be replayed.
 * A circuit is one per mailbox and service (its IMAP server, its SMTP server, its destination): it
 * opens on a server's fault, lets one probe through at a time with growing pauses, and closes on
 * the first success. `streak_*` finds that one answer met everybody (contract section 4).
 */
#pragma once

#include <onecase/effect.h>
#include <onecase/outcome.h>

struct backoff {
    int64_t first_ms; /* retry.first_delay */
    int64_t max_ms;   /* retry.max_delay */
};

/* first * 2^tries, at most max, less up to a quarter by `random` so that crowds disperse. */
int64_t backoff_delay(const struct backoff *b, unsigned tries, uint32_t random);

/* clang-format off */
#define CIRCUIT_STATE_LIST(X) \
    X(CIRCUIT_CLOSED,  "closed",  "everything may be tried")                              \
    X(CIRCUIT_OPEN,    "open",    "nothing is tried until the next probe is due")         \
    X(CIRCUIT_PROBING, "probing", "one try is under way; everything else waits for it")

#define CIRCUIT_EVENT_LIST(X) \
    X(CIRCUIT_ON_FAULT,   "fault",   "the server failed, or refused everybody")           \
    X(CIRCUIT_ON_DUE,     "due",     "the pause has passed, or the time for a probe")      \
    X(CIRCUIT_ON_SUCCESS, "success", "the server did what it was asked")                  \
    X(CIRCUIT_ON_NOTHING, "nothing", "the probe said nothing about the server")
/* clang-format on */

enum circuit_state { CIRCUIT_STATE_LIST(NAMED_ENUM) CIRCUIT_STATE_COUNT };
enum circuit_event { CIRCUIT_EVENT_LIST(NAMED_ENUM) CIRCUIT_EVENT_COUNT };

struct circuit_transition {
    enum circuit_state from;
    enum circuit_event on;
    enum circuit_state to;
    const char *because;
};

extern const struct circuit_transition circuit_transitions[];
extern const size_t circuit_transition_count;

struct circuit {
    enum circuit_state state;
    unsigned failures;     /* in a row; the pause grows with them */
    int64_t since_ms;      /* wall time it opened */
    int64_t next_probe_ms; /* wall time */
    char reason[64];       /* stage and code, such as "MAIL 454"; never a server's text */
};

enum rc circuit_step(enum circuit_state from,
                     enum circuit_event on,
                     enum circuit_state *out,
                     struct err *err) MUST_CHECK;

/* How long a probe may go unheard of before another takes its place: twice the ten minutes that a
 * server may take for its last answer. Without it a run that dies probing would close the way for good. */
#define CIRCUIT_PROBE_MS INT64_C(1200000)

/* May something be tried now? Turns an open circuit whose pause has passed to probing. */
bool circuit_allows(struct circuit *c, int64_t now_ms);
void circuit_fault(struct circuit *c,
                   const struct backoff *b,
                   const char *reason,
                   int64_t now_ms,
                   uint32_t random);
void circuit_success(struct circuit *c);
void circuit_nothing(struct circuit *c); /* a probe that met no server's answer: open, due now */

/* Three answers alike for different recipients in a row, none accepted between, are the server's. */
#define STREAK_LENGTH 3

struct streak {
    int code; /* 0 where there is none */
    unsigned length;
    char recipient[STREAK_LENGTH][65]; /* digests, never addresses */
    char effect[STREAK_LENGTH][65];    /* the intake keys that met it */
};

/* Notes one answer; true while the streak is whole: this answer and the three that made it are the
 * server's. Counts only 5xx but 5.1.x, and 4xx after the line. Another such code begins a new one;
 * anything accepted ends it, and from then on a refusal stands. */
bool streak_note(struct streak *s,
                 enum stage stage,
                 int code,
                 const char *enhanced,
                 const char *recipient,
                 const char *key);

const char *circuit_state_text(enum circuit_state state);
const char *circuit_event_text(enum circuit_event event);
bool circuit_state_parse(const char *text, enum circuit_state *out);
