/* SPDX-License-Identifier: Apache-2.0 */
/* One run's work in a ledger, for tests/bench/scale: mails that come in sets, and the whole life of each.
 *
 *     ledger_load URL MAILBOX MAILS FROM
 *
 * Mails are reserved, claimed, accepted, told, filed and completed as the service does it, a transaction a step
 * and a set; there is no mail server. FROM is the number of the first. Prints the seconds that it took. */
#include "store_fixture.h"

#include <time.h>

#define SET 64

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct load {
    struct desk desk;
    char mailbox[NAME_SIZE], run[RUN_ID_SIZE];
};

static void open_load(struct load *l, const char *url, const char *mailbox)
{
    struct desk *d = &l->desk;
    struct store_options options = {.path = url,
                                    .create = true,
                                    .busy_timeout_ms = 60000,
                                    .secret_seed = sha256_of(SLICE("seed")),
                                    .now_ms = NOON,
                                    .skip_check = true};
    struct run_facts run = {.pid = getpid(), .version = "1", .name = "load", .host = "here"};
    struct mailbox_record record;
    struct digest random;
    char hex[DIGEST_HEX_SIZE];

    digest_random(&random);
    digest_hex(&random, hex);
    snprintf(l->run, sizeof l->run, "%.32s", hex);
    snprintf(l->mailbox, sizeof l->mailbox, "%s", mailbox);
    memcpy(run.id, l->run, sizeof run.id);
    snprintf(run.mailbox, sizeof run.mailbox, "%s", mailbox);
    snprintf(run.boot_id, sizeof run.boot_id, "boot");
    d->now = (struct instant){NOON, HOURS(1)};
    fill_policy(&d->policy);
    d->policy.mailbox = l->mailbox;
    d->policy.total = d->policy.per_sender = d->policy.per_recipient = (struct limit){0, 0};
    must(d, store_open(&options, &d->store, &d->err));
    d->l = store_ledger(d->store);
    must(d, d->l.mailboxes->load(d->store, mailbox, &record, &d->err));
    must(d, d->l.runs->enter(d->store, &run, d->now, &d->err));
}

static void take_in(struct load *l, int64_t from, size_t count)
{
    static struct arriving arriving[SET];
    static struct arrival arrival[SET];
    static struct reservation out[SET];
    static char id[SET][NAME_SIZE + 48];
    struct desk *d = &l->desk;

    for (size_t i = 0; i < count; i++) {
        char sender[NAME_SIZE + 48];
        int64_t number = from + (int64_t)i;

        snprintf(id[i], sizeof id[i], "<%s.%lld@load.example>", l->mailbox, (long long)number);
        snprintf(sender, sizeof sender, "ann%lld@%s.example", (long long)number, l->mailbox);
        write_arrival(
            &(struct mail){.id = id[i], .from = sender, .text = id[i], .uid = (uint32_t)number},
            &arriving[i]);
        arrival[i] = arriving[i].arrival;
        arrival[i].mailbox = l->mailbox;
        arrival[i].identity = identity_message_id(l->mailbox, slice_z(id[i]));
    }
    must(d, d->l.intake->reserve(d->store, l->run, d->now, LEASE, &d->policy, arrival, count, out,
                                 &d->err));
    for (size_t i = 0; i < count; i++)
        message_clear(&arriving[i].message);
}

static void write_all(struct load *l, const struct change *change, size_t count)
{
    must(&l->desk, try_commit(&l->desk, l->run, change, count));
}

static void do_kind(struct load *l, struct claimed *c, enum effect_kind kind)
{
    static struct change armed[SET], done[SET];

    for (size_t i = 0; i < c->count; i++) {
        struct work_effect *e = effect_in(&c->item[i], kind);

        armed[i] = arm(&c->item[i], e);
        done[i] = ended(&c->item[i], e, OUTCOME_DONE);
    }
    write_all(l, armed, c->count);
    write_all(l, done, c->count);
}

static void work(struct load *l)
{
    static struct change accepted[SET], over[SET];
    struct desk *d = &l->desk;
    CLEANUP(claimed_clear) struct claimed c = {0};

    must(d, d->l.work->claim(d->store, l->run, l->mailbox, d->now, LEASE, SET, &c.item, &c.count,
                             &d->err));
    for (size_t i = 0; i < c.count; i++) {
        accepted[i] = accept_item(&c.item[i], &held_acceptance);
        over[i] = item_step_to(&c.item[i], ITEM_ON_COMPLETE);
    }
    do_kind(l, &c, EFFECT_ACKNOWLEDGEMENT);
    write_all(l, accepted, c.count);
    do_kind(l, &c, EFFECT_MOVE);
    write_all(l, over, c.count);
}

int main(int argc, char **argv)
{
    struct load l = {0};

    if (argc != 5)
        return 64;
    int64_t mails = strtoll(argv[3], NULL, 10), from = strtoll(argv[4], NULL, 10);

    open_load(&l, argv[1], argv[2]);
    double start = seconds();

    for (int64_t done = 0; done < mails; done += SET) {
        take_in(&l, from + done, (size_t)(mails - done < SET ? mails - done : SET));
        work(&l);
    }
    printf("%.3f\n", seconds() - start);
    must(&l.desk, l.desk.l.runs->leave(l.desk.store, l.run, l.desk.now, &l.desk.err));
    store_close(&l.desk.store);
    return 0;
}
