/* SPDX-License-Identifier: Apache-2.0
 *
 * campaign - many seeded schedules, or one of them once more. Each function prints what it did and
 * returns the exit code: 0 nothing broke, 1 something did.
 */
#pragma once

#include "deployment.h"
#include "world.h"

#include <stdint.h>

/* Every `step`th seed. */
struct range {
    uint64_t from, step, count;
    bool keep_going; /* after a failure, which is not told then */
    bool all_rows;   /* it is a failure where a row of the fault matrix was not come by */
};
int campaign_random(const struct range *range, unsigned jobs);
/* `ledger`: where its ledger is left as a file, for looking; NULL is nowhere. */
int campaign_one(uint64_t seed, bool story, bool calls, const char *ledger);
/* One seed a line; what follows a "#" says why it is kept. */
int campaign_file(const char *path);

/* Two deployments, for schedule_play. */
struct theatre {
    struct deployment *deployment[DEPLOYMENTS_MAX];
};
void theatre_open(struct theatre *theatre);
void theatre_close(struct theatre *theatre);

/* Runs `work(job, jobs, ctx)` in that many processes, adds up what they reached, and returns the
 * worst of their exit codes. */
int campaign_share(unsigned jobs, int (*work)(unsigned job, unsigned jobs, void *ctx), void *ctx);
