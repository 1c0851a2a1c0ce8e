/* SPDX-License-Identifier: Apache-2.0 */
#include "smtp_p.h"

#include <stdio.h>
#include <string.h>

bool slot_has_letter(const struct slot *s)
{
    return s->step >= STEP_CONNECT && s->step <= STEP_LINE;
}

static void forget(struct carried *c)
{
    str_empty(&c->sender);
    str_empty(&c->recipient);
    str_empty(&c->copy_to);
    c->octets = SLICE_EMPTY;
    c->octets_from = 0;
}

static void forget_letter(struct slot *s)
{
    forget(&s->letter);
    s->line_left = false;
    s->grouped = false;
    s->refused_at = STEP_EMPTY;
    if (!s->follows) /* or it is the next one's */
        s->behind = false;
}

void slot_disconnect(struct slot *s)
{
    connection_drop(s->connection);
    s->connection = NULL;
    s->step = STEP_EMPTY;
    s->used = false;
    str_empty(&s->out);
    s->out_from = 0;
}

/* Tells the verdict of the letter. `reply` NULL: there was none, and `words` say why. */
void slot_settle(struct slot *s, const struct reply *reply, const char *words)
{
    struct courier_event *e = &s->event;

    *e = (struct courier_event){.what = COURIER_SETTLED,
                                .id = s->letter.id,
                                .stage = dialogue_stage(s->step),
                                .line_left = s->line_left};
    if (reply != NULL) {
        e->code = reply->code;
        memcpy(e->enhanced, reply->enhanced, sizeof e->enhanced);
        words = reply->text;
    }
    snprintf(e->reply, sizeof e->reply, "%s", words);
    forget_letter(s);
}

/* The connection is of no more use; says so where there was a letter. */
void slot_settle_and_close(struct slot *s, const struct reply *reply, const char *words)
{
    bool told = slot_has_letter(s);

    if (told)
        slot_settle(s, reply, words);
    slot_disconnect(s);
    if (told)
        s->event.closed = true;
}

void slot_close(struct slot *s, bool politely)
{
    size_t taken;
    bool quit = politely && s->step == STEP_KEPT;

    if (slot_has_letter(s) && s->event.id == s->letter.id)
        s->event.what = COURIER_NOTHING;
    forget_letter(s);
    if (quit && connection_put(s->connection, SLICE("QUIT\r\n"), &taken, NULL) == RC_OK) {
        connection_free(s->connection);
        s->connection = NULL;
    }
    slot_disconnect(s);
}

void slot_take_next(struct slot *s)
{
    struct carried over = s->letter;

    s->letter = s->next;
    s->next = over;
    s->follows = false;
}

void slot_forget_next(struct slot *s)
{
    forget(&s->next);
    s->follows = s->behind = false;
}

static void clear(struct carried *c)
{
    str_clear(&c->sender);
    str_clear(&c->recipient);
    str_clear(&c->copy_to);
}

void slot_clear(struct slot *s)
{
    slot_close(s, true);
    clear(&s->letter);
    clear(&s->next);
    str_clear(&s->out);
}
