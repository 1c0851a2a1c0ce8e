/* SPDX-License-Identifier: Apache-2.0
 *
 * smtp - the mail server that takes acknowledgements in, and what it truly took.
 *
 * Each letter has its fate: where it ends, with which reply, and whether it was accepted; a mood is
 * a fate for everybody. Every end-of-data line that left is remembered, whoever sent it.
 */
#pragma once

#include <onecase/identity.h>
#include <onecase/outcome.h>
#include <onecase/str.h>

struct world;

struct fate {
    const char *row;  /* of faults.md; "" is an ordinary day */
    const char *what; /* for the story */
    enum stage stage; /* where it ends */
    int code;         /* of the reply; 0 is none */
    const char *enhanced;
    bool accepts;     /* the server has taken it in */
    int64_t reply_ms; /* how long the last reply takes; 0 is soon */
    bool meets_item;
    unsigned weight; /* how often it is drawn; 0 never by chance */
};

extern const struct fate fates[];
extern const size_t fate_count;

enum mood { MOOD_FINE, MOOD_DOWN, MOOD_BUSY, MOOD_REFUSES, MOOD_LATER, MOOD_GREYLISTS, MOOD_COUNT };

/* One end-of-data line that left. */
struct line {
    char effect[EFFECT_ID_SIZE];
    unsigned run; /* its number */
    int64_t at_ms;
    const struct fate *fate;
    bool accepted; /* the server has it */
    bool answered; /* a complete reply came to the run while it lived */
    bool allowed;  /* a person had said that the one before was not sent */
    struct str octets;
};

#define LINES_MAX   64
#define ALLOWED_MAX 32

struct smtp {
    enum mood mood;
    struct line line[LINES_MAX];
    size_t lines;
    char allowed[ALLOWED_MAX][EFFECT_ID_SIZE]; /* not-sent decisions that were taken */
    size_t alloweds;
};

void smtp_end(struct world *world);
/* The fate of a letter begun now. */
const struct fate *smtp_fate(struct world *world);
/* The end-of-data line leaves; the server decides by the fate, soon. Judges V4 and V5. */
struct line *smtp_line_leaves(struct world *world,
                              unsigned run,
                              const char *effect,
                              struct slice octets,
                              const struct fate *fate);
void smtp_mood(struct world *world, enum mood mood, int64_t for_ms);
/* A person said not-sent, and it was taken. */
void smtp_allow(struct world *world, const char *effect);
/* How many letters of that effect the server took in. */
size_t smtp_accepted(const struct world *world, const char *effect);
size_t smtp_accepted_all(const struct world *world);
size_t smtp_allowed(const struct world *world, const char *effect);
size_t smtp_lines(const struct world *world, const char *effect);
