/* SPDX-License-Identifier: Apache-2.0 */
#include "memory_courier.h"

#include <stdlib.h>
#include <string.h>

struct memory_courier *memory_courier_new(size_t connections)
{
    struct memory_courier *c = mem_new(1, sizeof *c);

    c->connections = connections < MEMORY_LETTERS ? connections : MEMORY_LETTERS;
    return c;
}

void memory_courier_free(struct memory_courier **c)
{
    free(*c);
    *c = NULL;
}

static struct underway *find(struct memory_courier *c, int64_t id)
{
    for (size_t i = 0; i < c->connections; i++)
        if (c->letters[i].busy && c->letters[i].id == id)
            return &c->letters[i];
    return NULL;
}

static size_t memory_room(void *self)
{
    const struct memory_courier *c = self;
    size_t room = 0;

    for (size_t i = 0; i < c->connections; i++)
        room += !c->letters[i].busy;
    return room;
}

static const char *refusal_of(const struct letter *letter)
{
    struct slice octets = letter->octets;

    if (octets.len == 0 || slice_find(octets, '\0', 0) < octets.len)
        return "nothing, or a NUL";
    for (size_t at = 0; at < octets.len; at++)
        if (octets.at[at] == '\n' && (at == 0 || octets.at[at - 1] != '\r'))
            return "a bare LF";
    if (letter->recipient[0] == '\0' || strpbrk(letter->recipient, "\r\n <>") != NULL)
        return "no address";
    return strpbrk(letter->sender, "\r\n <>") != NULL ? "no address" : NULL;
}

static struct courier_event event_of(const struct letter *letter)
{
    if (strchr(letter->recipient, '[') != NULL && strchr(letter->recipient, ']') == NULL)
        return (struct courier_event){.what = COURIER_SETTLED,
                                      .id = letter->id,
                                      .stage = STAGE_RCPT,
                                      .code = 501,
                                      .enhanced = "5.1.3",
                                      .reply = "Bad recipient address syntax"};
    return (struct courier_event){.what = COURIER_READY, .id = letter->id, .stage = STAGE_DATA};
}

static enum rc memory_begin(void *self, const struct letter *letter, struct err *err)
{
    struct memory_courier *c = self;
    const char *fault = refusal_of(letter);
    size_t at = 0;

    if (fault != NULL)
        return FAIL(err, RC_REFUSED, "memory: the letter holds %s", fault);
    while (at < c->connections && c->letters[at].busy)
        at++;
    if (at == c->connections)
        return FAIL(err, RC_DEFERRED, "memory: no room for another letter");
    c->letters[at] = (struct underway){.id = letter->id, .busy = true, .event = event_of(letter)};
    return RC_OK;
}

static enum rc
memory_next(void *self, int64_t until_boot_ms, struct courier_event *out, struct err *err)
{
    struct memory_courier *c = self;

    (void)until_boot_ms;
    (void)err;
    *out = (struct courier_event){.what = COURIER_NOTHING};
    for (size_t i = 0; i < c->connections; i++) {
        struct underway *u = &c->letters[i];

        if (!u->busy || u->event.what == COURIER_NOTHING)
            continue;
        *out = u->event;
        u->event.what = COURIER_NOTHING;
        u->ready = out->what == COURIER_READY;
        u->busy = u->ready;
        break;
    }
    return RC_OK;
}

static void memory_release(void *self, int64_t id)
{
    struct memory_courier *c = self;
    struct underway *u = find(c, id);

    if (u == NULL || !u->ready)
        return;
    u->ready = false;
    u->event = c->verdict;
    u->event.what = COURIER_SETTLED;
    u->event.id = id;
    if (c->verdict.what == COURIER_NOTHING) {
        u->event.stage = STAGE_END_OF_DATA;
        u->event.code = 250;
        u->event.line_left = true;
    }
    if (u->event.code / 100 == 2 && c->accepted < LENGTH(c->accepted_id))
        c->accepted_id[c->accepted++] = id;
    c->verdict = (struct courier_event){.what = COURIER_NOTHING};
}

static void memory_abandon(void *self, int64_t id)
{
    struct underway *u = find(self, id);

    if (u != NULL)
        *u = (struct underway){.busy = false};
}

static void memory_rest(void *self)
{
    struct memory_courier *c = self;

    for (size_t i = 0; i < c->connections; i++)
        if (c->letters[i].event.what != COURIER_SETTLED)
            c->letters[i] = (struct underway){.busy = false};
}

struct courier memory_courier_port(struct memory_courier *c)
{
    return (struct courier){
        .self = c,
        .room = memory_room,
        .begin = memory_begin,
        .next = memory_next,
        .release = memory_release,
        .abandon = memory_abandon,
        .rest = memory_rest,
    };
}
