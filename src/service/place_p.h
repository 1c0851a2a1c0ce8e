/* SPDX-License-Identifier: Apache-2.0
 *
 * place_p - what place.c (a step at a destination) shares with what it tells and how often it may ask.
 */
#pragma once

#include "service_p.h"

/* What must be true before a step can be made. */
enum placeable {
    PLACE_NOW,
    PLACE_LATER, /* what it belongs to is not there yet */
    PLACE_NEVER, /* nor will it be: `why` */
};

/* All that a request may say, of one step. It must not move once it is filled. */
struct placing {
    enum placeable can;
    const char *why;
    enum destination_step step;
    char effect[EFFECT_ID_SIZE];
    char correlation[RUN_ID_SIZE + 24];
    char id[EXTERNAL_ID_SIZE];
    char path[BLOB_PATH_SIZE];
    const struct files *files;
    struct case_file file;
    struct case_facts facts;
};

enum rc placing_fill(struct batch *b,
                     struct job *job,
                     const struct work_effect *e,
                     struct placing *out,
                     struct err *err) MUST_CHECK;

/* ---- how often ---- */

/* May the destination be asked now? Else *at is when. */
bool rate_allows(const struct service *s, int64_t *at);
void rate_spend(struct service *s, unsigned requests);
