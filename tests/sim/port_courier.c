/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"
#include "oracle.h"
#include "ports.h"
#include "reached.h"
#include "settings.h"
#include "world.h"

#include <onecase/source.h>
#include <onecase/when.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVER_PATIENCE MINUTES(5) /* how long a server waits for the end of data */

static bool has_one_behind(const struct run *run, const struct letter_under_way *letter)
{
    for (size_t i = 0; i < LETTERS; i++)
        if (run->letter[i].state != LETTER_NONE && run->letter[i].before == letter)
            return true;
    return false;
}

/* The letter that another may be begun behind; NULL where there is none. */
static const struct letter_under_way *to_follow(const struct run *run)
{
    for (size_t i = 0; i < LETTERS && run->world->scenario.letters_follow; i++)
        if (run->letter[i].state == LETTER_READY && !has_one_behind(run, &run->letter[i]))
            return &run->letter[i];
    return NULL;
}

/* Where letters follow one another they get one, so that they do. */
static size_t connections(const struct run *run)
{
    return run->world->scenario.letters_follow ? 1 : CONNECTIONS;
}

static size_t connections_taken(const struct run *run)
{
    size_t taken = 0;

    for (size_t i = 0; i < LETTERS; i++)
        taken += run->letter[i].state != LETTER_NONE && run->letter[i].before == NULL;
    return taken;
}

static size_t courier_room(void *self)
{
    const struct run *run = self;
    size_t room = connections(run) - connections_taken(run);

    if (!run_lives(run))
        return 0;
    return room > 0 ? room : to_follow(run) != NULL;
}

static struct letter_under_way *letter_of(struct run *run, int64_t id)
{
    for (size_t i = 0; i < LETTERS; i++)
        if (run->letter[i].state != LETTER_NONE && run->letter[i].id == id)
            return &run->letter[i];
    return NULL;
}

static void forget_letter(struct letter_under_way *letter)
{
    str_clear(&letter->octets);
    *letter = (struct letter_under_way){.state = LETTER_NONE};
}

/* The connection of `letter` has ended with it, or is free for the one that was begun behind. */
static void let_next_go(struct run *run, const struct letter_under_way *letter, bool closed)
{
    int64_t now_ms = run->world->timeline.now_ms;

    for (size_t i = 0; i < LETTERS; i++) {
        struct letter_under_way *next = &run->letter[i];

        if (next->state == LETTER_NONE || next->before != letter)
            continue;
        next->before = NULL;
        next->due_ms = closed ? now_ms : now_ms + rng_between(&run->world->rng, 1, 40);
        if (closed)
            next->state = LETTER_HANDED_BACK;
    }
}

static void effect_of(struct slice octets, char out[EFFECT_ID_SIZE])
{
    struct slice field;

    out[0] = '\0';
    if (header_first(octets, "X-Onecase-Acknowledgement", &field)) {
        field = slice_trim(field);
        snprintf(out, EFFECT_ID_SIZE, "%.*s", (int)field.len, field.at);
    }
}

static enum rc take_on(struct run *run, const struct letter *letter)
{
    struct letter_under_way *place = NULL;
    bool free = connections_taken(run) < connections(run);

    for (size_t i = 0; i < LETTERS && place == NULL; i++)
        if (run->letter[i].state == LETTER_NONE)
            place = &run->letter[i];
    assert(place != NULL);
    *place = (struct letter_under_way){
        .state = LETTER_ON_ITS_WAY, .id = letter->id, .before = free ? NULL : to_follow(run)};
    assert(free || place->before != NULL);
    str_add(&place->octets, letter->octets);
    effect_of(letter->octets, place->effect);
    place->fate = smtp_fate(run->world);
    reached_row(place->fate->row);
    place->due_ms = run->world->timeline.now_ms + rng_between(&run->world->rng, 5, 400);
    if (place->fate->stage == STAGE_CONNECT)
        place->due_ms += place->fate->reply_ms;
    if (place->before != NULL)
        place->due_ms = -1;
    tell(run->world, "run %u begins to send acknowledgement %.8s", run->number, place->effect);
    return RC_OK;
}

static enum rc courier_begin(void *self, const struct letter *letter, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_COURIER_BEGIN, err, take_on(run, letter));
}

/* The letter that has something to say first; NULL where none has by itself. */
static struct letter_under_way *next_letter(struct run *run)
{
    struct letter_under_way *next = NULL;

    for (size_t i = 0; i < LETTERS; i++) {
        struct letter_under_way *letter = &run->letter[i];

        if (letter->state != LETTER_NONE && letter->due_ms >= 0 &&
            (next == NULL || letter->due_ms < next->due_ms))
            next = letter;
    }
    return next;
}

static void settle(struct run *run, struct letter_under_way *letter, struct courier_event *out)
{
    const struct fate *fate = letter->fate;

    *out = (struct courier_event){.what = COURIER_SETTLED,
                                  .id = letter->id,
                                  .stage = fate->stage,
                                  .code = fate->code,
                                  .meets_item = fate->meets_item,
                                  .line_left = letter->state == LETTER_LEFT,
                                  .closed = fate->code == 0 || fate->code == 421};
    snprintf(out->enhanced, sizeof out->enhanced, "%s", fate->enhanced);
    snprintf(out->reply, sizeof out->reply, "%d %s the server %s", fate->code, fate->enhanced,
             fate->what);
    if (letter->line != NULL)
        letter->line->answered = fate->code != 0;
    else
        tell(run->world, "the server %s (acknowledgement %.8s)", fate->what, letter->effect);
    tell(run->world, "run %u hears what came of acknowledgement %.8s: %d", run->number,
         letter->effect, fate->code);
    let_next_go(run, letter, out->closed);
    forget_letter(letter);
}

static void hand_back(struct run *run, struct letter_under_way *letter, struct courier_event *out)
{
    *out = (struct courier_event){.what = COURIER_GIVEN_BACK, .id = letter->id};
    tell(run->world, "run %u gets acknowledgement %.8s back: nothing of it was said", run->number,
         letter->effect);
    forget_letter(letter);
}

static void speak(struct run *run, struct letter_under_way *letter, struct courier_event *out)
{
    if (letter->state == LETTER_HANDED_BACK) {
        hand_back(run, letter, out);
        return;
    }
    if (letter->state == LETTER_LEFT || letter->fate->stage != STAGE_END_OF_DATA) {
        settle(run, letter, out);
        return;
    }
    letter->state = LETTER_READY;
    letter->due_ms = -1;
    letter->ready_ms = run->world->timeline.now_ms;
    *out = (struct courier_event){
        .what = COURIER_READY, .id = letter->id, .stage = STAGE_DATA, .code = 354};
}

static enum rc wait_for(struct run *run, int64_t until_boot_ms, struct courier_event *out)
{
    int64_t until_ms = until_boot_ms - run->machine->boot_ahead_ms;

    *out = (struct courier_event){.what = COURIER_NOTHING};
    while (run_lives(run)) {
        struct letter_under_way *letter = next_letter(run);
        int64_t now_ms = run->world->timeline.now_ms;

        if (letter != NULL && letter->due_ms <= now_ms) {
            speak(run, letter, out);
            break;
        }
        if (now_ms >= until_ms)
            break;
        run_sleep(run, letter != NULL && letter->due_ms < until_ms ? letter->due_ms : until_ms);
    }
    return RC_OK;
}

static enum rc
courier_next(void *self, int64_t until_boot_ms, struct courier_event *out, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_COURIER_NEXT, err, wait_for(run, until_boot_ms, out));
}

static const struct fate patience_ended = {"S13",
                                           "had closed the connection, and has not taken it",
                                           STAGE_END_OF_DATA,
                                           0,
                                           "",
                                           false,
                                           0,
                                           false,
                                           0};

static void courier_release(void *self, int64_t id)
{
    struct run *run = self;
    struct letter_under_way *letter;
    struct err err = ERR_INIT;

    if (gate_open(run, CALL_COURIER_RELEASE) != ANSWER_TRUE)
        return;
    letter = letter_of(run, id);
    if (letter == NULL || letter->state != LETTER_READY) {
        broke(run->world, "port", "run %u releases a letter that is not ready", run->number);
        return;
    }
    if (run->world->timeline.now_ms - letter->ready_ms > SERVER_PATIENCE)
        letter->fate = &patience_ended;
    tell(run->world, "run %u sends the end-of-data line of acknowledgement %.8s", run->number,
         letter->effect);
    if (!oracle_was_forgotten(run, letter->ready_ms))
        oracle_before_line(run, letter->effect);
    letter->line = smtp_line_leaves(run->world, run->number, letter->effect,
                                    str_slice(&letter->octets), letter->fate);
    letter->state = LETTER_LEFT;
    letter->due_ms = run->world->timeline.now_ms + 30 +
                     (letter->fate->code == 0 && letter->fate->reply_ms > FINAL_TIMEOUT
                          ? FINAL_TIMEOUT
                          : letter->fate->reply_ms);
    (void)gate_close(run, CALL_COURIER_RELEASE, RC_OK, &err);
}

static void courier_abandon(void *self, int64_t id)
{
    struct run *run = self;
    struct err err = ERR_INIT;

    if (gate_open(run, CALL_COURIER_ABANDON) != ANSWER_TRUE)
        return;
    struct letter_under_way *letter = letter_of(run, id);

    if (letter == NULL)
        return;
    tell(run->world, "run %u abandons acknowledgement %.8s", run->number, letter->effect);
    let_next_go(run, letter, true);
    forget_letter(letter);
    (void)gate_close(run, CALL_COURIER_ABANDON, RC_OK, &err);
}

void courier_dies(struct run *run)
{
    for (size_t i = 0; i < LETTERS; i++)
        forget_letter(&run->letter[i]);
}

static void courier_rest(void *self)
{
    struct run *run = self;
    struct err err = ERR_INIT;

    if (gate_open(run, CALL_COURIER_REST) != ANSWER_TRUE)
        return;
    courier_dies(run);
    (void)gate_close(run, CALL_COURIER_REST, RC_OK, &err);
}

struct courier port_courier(struct run *run)
{
    return (struct courier){
        .self = run,
        .room = courier_room,
        .begin = courier_begin,
        .next = courier_next,
        .release = courier_release,
        .abandon = courier_abandon,
        .rest = courier_rest,
    };
}
