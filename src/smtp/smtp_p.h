/* SPDX-License-Identifier: Apache-2.0
 *
 * smtp_p - what the files of this folder share: a slot is one connection and the letter on it.
 */
#pragma once

#include "letter.h"
#include "reply.h"

#include <onecase/smtp.h>

enum step {
    STEP_EMPTY,   /* no connection */
    STEP_KEPT,    /* a connection without a letter */
    STEP_CONNECT, /* from here on there is a letter */
    STEP_RESET,   /* the one before was refused */
    STEP_MAIL,
    STEP_RCPT,
    STEP_COPY,
    STEP_DATA,
    STEP_BODY,
    STEP_READY, /* waits for release */
    STEP_LINE,  /* the end-of-data line leaves, or its reply is awaited */
    STEP_COUNT
};

/* A letter as it was handed over; its octets are borrowed until it is settled or given back. */
struct carried {
    int64_t id;
    struct str sender, recipient, copy_to;
    struct slice octets;
    size_t octets_from;
    struct needs needs;
};

struct slot {
    struct smtp_courier *courier;
    struct connection *connection;
    enum step step;
    bool used; /* MAIL was said on it, and the letter then refused: RSET comes first */
    bool
        grouped; /* MAIL, RCPT and DATA were said at once (RFC 2920): replies come one after another */
    enum step refused_at; /* of a group: what was refused; the replies to its rest are still read */
    struct reply refusal;
    bool fresh; /* MAIL was answered on this connection, or it was made for this letter */
    struct carried letter;
    struct carried next; /* it comes behind the line of that letter, where `follows` */
    bool follows;
    bool
        behind; /* said behind a line (`next`, then the letter it becomes), and not all answered yet */
    struct str out; /* to be handed over */
    size_t out_from;
    struct reply reply;
    bool line_left;
    struct courier_event event; /* COURIER_NOTHING where there is none to tell */
};

struct smtp_courier {
    struct smtp_settings settings;
    const struct clock *clock;
    struct net *net;
    struct slot *slots;
    size_t slot_count;
    size_t turn;       /* the slot that is looked at first, in turn */
    int64_t open_ms;   /* when the rate lets the next letter begin; boot time */
    int behind_failed; /* so many letters in a row that were said behind a line got no answer */
    int64_t behind_rests_ms; /* until then nothing is said behind a line; boot time */
};

/* slot.c: what a slot holds, and what becomes of it. */
bool slot_has_letter(const struct slot *s);
/* Tells the verdict of the letter. `reply` NULL: there was none, and `words` say why. */
void slot_settle(struct slot *s, const struct reply *reply, const char *words);
/* The same where there is a letter; the connection is of no more use. */
void slot_settle_and_close(struct slot *s, const struct reply *reply, const char *words);
void slot_disconnect(struct slot *s);
/* Closes what there is, and forgets the letter. `politely`: with a QUIT, where nothing is under way. */
void slot_close(struct slot *s, bool politely);
void slot_clear(struct slot *s);
/* The letter that follows becomes the letter of the slot. */
void slot_take_next(struct slot *s);
void slot_forget_next(struct slot *s);

/* dialogue.c: what is said on it. */
enum stage dialogue_stage(enum step step);
/* Puts a letter on a slot that is empty or kept, or behind the one that is ready on it. */
void dialogue_begin(struct slot *s, const struct letter *letter, const struct needs *needs);
/* May a letter be put behind the one that is ready? */
bool dialogue_takes_next(const struct slot *s);
/* Goes on until something must be waited for, or there is an event to tell. */
void dialogue_go_on(struct slot *s);
void dialogue_release(struct slot *s);
