/* SPDX-License-Identifier: Apache-2.0
 *
 * scenario - what a schedule is made of: the settings, the mail, how many runs, which faults.
 *
 * Drawn from the seed, or one of the fixed small ones that the exhaustive mode takes apart.
 */
#pragma once

#include "mails.h"

#include <stdbool.h>
#include <stdint.h>

struct world;

/* What a further destination guarantees. */
enum desk_kind {
    DESK_CONDITIONAL, /* one record a key; a second request is told 409 */
    DESK_IDEMPOTENT,  /* a second request with the same Idempotency-Key gets the first's answer */
    DESK_LOOK,        /* nothing, but it can be asked */
    DESK_NOTHING,     /* nor asked: whatever is unknown waits for a person */
};

struct scenario {
    /* the world */
    unsigned mails;           /* that come, copies apart */
    unsigned kinds;           /* 1u << enum mail_kind: which besides requests */
    unsigned attachments;     /* at most, of one mail */
    unsigned copies_percent;  /* of mails that come twice */
    unsigned answers_percent; /* of acknowledgements that are answered by somebody or something */
    int64_t mail_within_ms;   /* all of it has come by then */
    int64_t poll_ms;
    bool from_before;     /* some of it was there before the first start */
    bool has_move;        /* the IMAP server has MOVE */
    bool evidence_folder; /* the server keeps a copy of what is sent, and it is configured */
    int64_t evidence_delay_ms;
    bool replaces_message_id; /* in that copy */
    bool desk;                /* a further destination */
    enum desk_kind desk_kind;
    bool desk_silent;   /* it is not asked although it keeps to its Idempotency-Key */
    bool desk_appends;  /* it takes replies, too */
    bool desk_attaches; /* and files */
    bool desk_closes;   /* somebody closes cases, which are closed there, too */
    bool list_copies, refuses_exe;
    /* the runs */
    unsigned runs; /* at once, of the first deployment */
    bool two_machines;
    bool two_deployments;
    bool server; /* the ledger is on a server, which both machines share */
    bool
        objects; /* files are in an object store; with `server` the rest is on each machine's own disk */
    /* the faults */
    unsigned troubles;        /* how many may happen */
    unsigned trouble_one_in;  /* gates */
    unsigned answer_one_in;   /* gates: a call answers something else than success; 0 never */
    unsigned switch_one_in;   /* gates: another run goes on */
    unsigned smtp_faults;     /* percent of letters */
    unsigned withhold_one_in; /* fetches: a message that is there is not given; 0 never */
    bool restores;            /* the ledger goes back in time once */
    bool standby;             /* the same, while runs live: a standby takes over */
    unsigned commit_one_in;   /* commits of the server's: something goes wrong; 0 never */
    bool people_at_once;      /* people decide during the faults, too */
    bool letters_follow;      /* one connection, and the next letter is begun behind a line */
    bool steady;              /* people choose the same every time: end states are compared */
};

/* Draws one from the world's randomness. */
void scenario_draw(struct world *world);
/* The fixed ones; NULL where there is no such name. */
const struct scenario *scenario_named(const char *name);
/* Puts what comes into the world: now, or by timers. */
void scenario_begin(struct world *world);
/* Somebody or something answers an acknowledgement that was taken in. */
struct line;
void people_answer_letter(struct world *world, struct line *line);
