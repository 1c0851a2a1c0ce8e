/* SPDX-License-Identifier: Apache-2.0 */
#include "smtp_p.h"

#include <stdlib.h>

#define MINUTE_MS INT64_C(60000)

static int64_t now_of(const struct smtp_courier *c)
{
    return clock_now(c->clock).boot_ms;
}

static bool is_free(const struct slot *s)
{
    return (s->step == STEP_EMPTY || s->step == STEP_KEPT) && !s->follows &&
           s->event.what == COURIER_NOTHING;
}

static bool takes_letter(const struct slot *s)
{
    return is_free(s) || (s->event.what == COURIER_NOTHING && dialogue_takes_next(s));
}

static size_t places(const struct smtp_courier *c)
{
    size_t count = 0;

    for (size_t i = 0; i < c->slot_count; i++)
        count += takes_letter(&c->slots[i]);
    return count;
}

static size_t courier_room(void *self)
{
    struct smtp_courier *c = self;
    size_t room = places(c);

    if (c->settings.rate == 0 || room == 0)
        return room;
    return now_of(c) >= c->open_ms;
}

/* A kept connection first, then a new one, and then behind another letter. */
static int preference(const struct slot *s)
{
    return s->step == STEP_KEPT ? 3 : s->step == STEP_EMPTY ? 2 : 1;
}

static struct slot *place_for_letter(struct smtp_courier *c)
{
    struct slot *found = NULL;

    for (size_t i = 0; i < c->slot_count; i++)
        if (takes_letter(&c->slots[i]) &&
            (found == NULL || preference(&c->slots[i]) > preference(found)))
            found = &c->slots[i];
    return found;
}

static enum rc courier_begin(void *self, const struct letter *letter, struct err *err)
{
    struct smtp_courier *c = self;
    struct needs needs;
    int64_t now = now_of(c);

    TRY(letter_check(letter, &needs, err));
    if (courier_room(c) == 0)
        return FAIL(err, RC_DEFERRED, "smtp: no room for another letter now");
    if (c->settings.rate > 0)
        c->open_ms = (c->open_ms > now ? c->open_ms : now) + MINUTE_MS / c->settings.rate;
    dialogue_begin(place_for_letter(c), letter, &needs);
    return RC_OK;
}

static struct slot *slot_with_letter(struct smtp_courier *c, int64_t id)
{
    for (size_t i = 0; i < c->slot_count; i++)
        if (slot_has_letter(&c->slots[i]) && c->slots[i].letter.id == id)
            return &c->slots[i];
    return NULL;
}

/* Lets each slot go on, and takes the first event there is; slots come first in turn. */
static bool take_event(struct smtp_courier *c, struct courier_event *out)
{
    for (size_t i = 0; i < c->slot_count; i++)
        dialogue_go_on(&c->slots[i]);
    for (size_t i = 0; i < c->slot_count; i++) {
        struct slot *s = &c->slots[(c->turn + i) % c->slot_count];

        if (s->event.what == COURIER_NOTHING)
            continue;
        *out = s->event;
        s->event.what = COURIER_NOTHING;
        c->turn = (c->turn + i + 1) % c->slot_count;
        return true;
    }
    return false;
}

/* When there is nothing more to wait for: the caller's instant, or room for another letter. */
static int64_t wake_at(const struct smtp_courier *c, int64_t until, int64_t now)
{
    bool opens = c->settings.rate > 0 && c->open_ms > now && places(c) > 0;

    return opens && c->open_ms < until ? c->open_ms : until;
}

static enum rc
courier_next(void *self, int64_t until_boot_ms, struct courier_event *out, struct err *err)
{
    struct smtp_courier *c = self;
    int64_t wake = wake_at(c, until_boot_ms, now_of(c));

    (void)err;
    *out = (struct courier_event){.what = COURIER_NOTHING};
    while (!take_event(c, out) && now_of(c) < wake)
        net_wait(c->net, wake);
    return RC_OK;
}

static void courier_release(void *self, int64_t id)
{
    struct slot *s = slot_with_letter(self, id);

    if (s != NULL)
        dialogue_release(s);
}

/* What was said behind a line cannot be taken back but by closing, and then the letter of that line has no
 * reply. */
static void abandon_next(struct slot *s)
{
    if (s->behind && slot_has_letter(s))
        slot_settle_and_close(s, NULL,
                              "the letter behind it was given up, and the connection closed");
    slot_forget_next(s);
}

static void courier_abandon(void *self, int64_t id)
{
    struct smtp_courier *c = self;
    struct slot *s = slot_with_letter(c, id);

    if (s != NULL)
        slot_close(s, false);
    for (size_t i = 0; i < c->slot_count; i++) {
        s = &c->slots[i];
        if (s->event.id == id)
            s->event.what = COURIER_NOTHING;
        if (s->follows && s->next.id == id)
            abandon_next(s);
    }
}

static void courier_rest(void *self)
{
    struct smtp_courier *c = self;

    for (size_t i = 0; i < c->slot_count; i++) {
        slot_close(&c->slots[i], true);
        slot_forget_next(&c->slots[i]);
    }
}

struct smtp_courier *smtp_courier_new(const struct smtp_settings *settings,
                                      const struct clock *clock)
{
    struct smtp_courier *c = mem_new(1, sizeof *c);

    c->settings = *settings;
    c->clock = clock;
    c->net = net_new(clock);
    c->slot_count = settings->connections > 0 ? settings->connections : 1;
    c->slots = mem_new(c->slot_count, sizeof *c->slots);
    for (size_t i = 0; i < c->slot_count; i++)
        c->slots[i].courier = c;
    return c;
}

void smtp_courier_free(struct smtp_courier *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < c->slot_count; i++)
        slot_clear(&c->slots[i]);
    free(c->slots);
    net_free(c->net);
    free(c);
}

struct courier smtp_courier_port(struct smtp_courier *courier)
{
    return (struct courier){
        .self = courier,
        .room = courier_room,
        .begin = courier_begin,
        .next = courier_next,
        .release = courier_release,
        .abandon = courier_abandon,
        .rest = courier_rest,
    };
}
