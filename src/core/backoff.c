/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <onecase/backoff.h>
#include <stdio.h>

/* clang-format off */
const struct circuit_transition circuit_transitions[] = {
/*    from             on                  to               because */
    { CIRCUIT_CLOSED,  CIRCUIT_ON_FAULT,   CIRCUIT_OPEN,    "it is not each item's fault" },
    { CIRCUIT_CLOSED,  CIRCUIT_ON_SUCCESS, CIRCUIT_CLOSED,  "all is well" },
    { CIRCUIT_OPEN,    CIRCUIT_ON_FAULT,   CIRCUIT_OPEN,    "what was under way failed too" },
    { CIRCUIT_OPEN,    CIRCUIT_ON_DUE,     CIRCUIT_PROBING, "one try shows whether it is over" },
    { CIRCUIT_OPEN,    CIRCUIT_ON_SUCCESS, CIRCUIT_CLOSED,  "what was under way succeeded" },
    { CIRCUIT_PROBING, CIRCUIT_ON_FAULT,   CIRCUIT_OPEN,    "it is not over; the pause grows" },
    { CIRCUIT_PROBING, CIRCUIT_ON_SUCCESS, CIRCUIT_CLOSED,  "it is over" },
    { CIRCUIT_PROBING, CIRCUIT_ON_NOTHING, CIRCUIT_OPEN,    "the probe met no answer of the server's" },
    { CIRCUIT_PROBING, CIRCUIT_ON_DUE,     CIRCUIT_PROBING, "nothing was heard of the probe: its run is gone" },
};
/* clang-format on */
const size_t circuit_transition_count = LENGTH(circuit_transitions);

WORDS(state_words, CIRCUIT_STATE_LIST);
WORDS(event_words, CIRCUIT_EVENT_LIST);
DEFINE_TEXT(circuit_state_text, circuit_state, state_words)
DEFINE_TEXT(circuit_event_text, circuit_event, event_words)
DEFINE_PARSE(circuit_state_parse, circuit_state, state_words)

int64_t backoff_delay(const struct backoff *b, unsigned tries, uint32_t random)
{
    int64_t delay = b->first_ms > 0 ? b->first_ms : 1;
    while (tries-- > 0 && delay < b->max_ms)
        delay = delay > b->max_ms / 2 ? b->max_ms : delay * 2;
    if (delay > b->max_ms)
        delay = b->max_ms;

    int64_t most = delay / 4,
            part = random % 256; /* of 255; multiplied so that nothing overflows */
    return delay - most / 255 * part - most % 255 * part / 255;
}

enum rc circuit_step(enum circuit_state from,
                     enum circuit_event on,
                     enum circuit_state *out,
                     struct err *err)
{
    for (size_t i = 0; i < circuit_transition_count; i++) {
        if (circuit_transitions[i].from == from && circuit_transitions[i].on == on) {
            *out = circuit_transitions[i].to;
            return RC_OK;
        }
    }
    return FAIL(err, RC_CONFLICT, "circuit: one that is %s is not moved by %s",
                circuit_state_text(from), circuit_event_text(on));
}

/* Steps where the table has a row; an event that says nothing here leaves the circuit as it is. */
static bool step(struct circuit *c, enum circuit_event on)
{
    return circuit_step(c->state, on, &c->state, NULL) == RC_OK;
}

bool circuit_allows(struct circuit *c, int64_t now_ms)
{
    if (c->state == CIRCUIT_CLOSED)
        return true;
    bool clock_went_back = now_ms < c->since_ms; /* the pause would last as long as the jump */
    if ((now_ms < c->next_probe_ms && !clock_went_back) || !step(c, CIRCUIT_ON_DUE))
        return false;
    if (clock_went_back)
        c->since_ms = now_ms;
    c->next_probe_ms = now_ms + CIRCUIT_PROBE_MS;
    return true;
}

void circuit_fault(
    struct circuit *c, const struct backoff *b, const char *reason, int64_t now_ms, uint32_t random)
{
    if (c->state == CIRCUIT_OPEN) /* others that were under way meet the same; the pause is set */
        return;
    if (c->state == CIRCUIT_CLOSED) {
        c->since_ms = now_ms;
        c->failures = 0;
    }
    step(c, CIRCUIT_ON_FAULT);
    c->next_probe_ms = now_ms + backoff_delay(b, c->failures, random);
    c->failures++;
    snprintf(c->reason, sizeof c->reason, "%s", reason);
}

void circuit_success(struct circuit *c)
{
    step(c, CIRCUIT_ON_SUCCESS);
    *c = (struct circuit){.state = c->state};
}

void circuit_nothing(struct circuit *c)
{
    step(c, CIRCUIT_ON_NOTHING);
    c->next_probe_ms = 0;
}

/* 5xx but 5.1.x, and 4xx after the line; what meets connections or MAIL is the server's anyway. */
static bool streak_counts(enum stage stage, int code, const char *enhanced)
{
    enum reply_class reply = reply_classify(stage, code, enhanced);
    if (reply == REPLY_LATER)
        return stage == STAGE_END_OF_DATA;
    bool of_letter = stage == STAGE_RCPT || stage == STAGE_DATA || stage == STAGE_END_OF_DATA;
    return reply == REPLY_NEVER && of_letter && strncmp(enhanced, "5.1.", 4) != 0;
}

static bool streak_knows(const struct streak *s, const char *recipient)
{
    for (unsigned i = 0; i < s->length && i < STREAK_LENGTH; i++)
        if (strcmp(s->recipient[i], recipient) == 0)
            return true;
    return false;
}

bool streak_note(struct streak *s,
                 enum stage stage,
                 int code,
                 const char *enhanced,
                 const char *recipient,
                 const char *key)
{
    if (reply_classify(stage, code, enhanced) == REPLY_DONE && stage == STAGE_END_OF_DATA) {
        *s = (struct streak){0};
        return false;
    }
    if (!streak_counts(stage, code, enhanced))
        return false;
    if (s->code != code)
        *s = (struct streak){.code = code};
    if (s->length == STREAK_LENGTH)
        return true;
    if (streak_knows(s, recipient))
        return false;
    snprintf(s->recipient[s->length], sizeof s->recipient[0], "%s", recipient);
    snprintf(s->effect[s->length], sizeof s->effect[0], "%s", key);
    s->length++;
    return s->length == STREAK_LENGTH;
}
