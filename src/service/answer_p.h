/* SPDX-License-Identifier: Apache-2.0
 *
 * answer_p - what answer.c (letters under way) and verdict.c (what their replies mean) share.
 */
#pragma once

#include "service_p.h"

enum letter_stage {
    LETTER_WAITING,
    LETTER_UNDER_WAY, /* with the courier */
    LETTER_READY,     /* all but its line is with the server; its intent is being written */
    LETTER_SETTLED,   /* its verdict is being written */
    LETTER_GIVEN_UP,  /* its line never left, and that is being written */
    LETTER_OVER,
};

struct outgoing {
    struct job *job;
    struct work_effect *effect;
    struct str octets;
    char target[32]; /* completion state */
    int64_t date_ms;
    enum letter_stage stage;
    struct courier_event event;
};

struct answering {
    struct service *s;
    struct batch *b;
    struct outgoing *letter;
    size_t letters, under_way;
    int64_t began_boot_ms;
    bool everybody; /* the streak is whole: the last three answers are the server's */
    struct streak streak;
};

/* Adds what a settled letter's reply means for its effect, its item and the circuit. */
void answer_settle(struct answering *a, struct outgoing *o);
/* What could not be written (the lease was lost) is kept as evidence: a verdict, and that nothing of
 * this run's try is under way any more. */
void answer_late(struct answering *a, struct outgoing *o);
/* Returns the earlier letters of a whole streak to deferred. */
enum rc answer_everybody(struct answering *a, struct err *err) MUST_CHECK;
