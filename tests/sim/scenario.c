/* SPDX-License-Identifier: Apache-2.0 */
#include "scenario.h"

#include "deployment.h"
#include "people.h"
#include "reached.h"
#include "world.h"

#include <onecase/when.h>

#include <string.h>

#define KIND_OF(kind) (1u << (kind))

/* clang-format off */
static const struct {
    const char *name;
    struct scenario scenario;
} named[] = {
    /* One mail with an attachment, the same once more, and another under its Message-ID. */
    {"small", {.mails = 1, .kinds = KIND_OF(MAIL_CONFLICT), .attachments = 1, .copies_percent = 100,
               .mail_within_ms = 0, .poll_ms = MINUTES(5), .has_move = true, .evidence_folder = true, .runs = 1, .steady = true}},
    /* The same without the conflict: for pairs. */
    {"least", {.mails = 1, .attachments = 1, .copies_percent = 100, .mail_within_ms = 0, .poll_ms = MINUTES(5),
               .has_move = true, .evidence_folder = true, .runs = 1, .steady = true}},
    /* A further destination that takes files, and a server without MOVE. */
    {"desk",  {.mails = 1, .attachments = 1, .copies_percent = 100, .mail_within_ms = 0, .poll_ms = MINUTES(5), .evidence_folder = true,
               .desk = true, .desk_kind = DESK_CONDITIONAL, .desk_attaches = true, .runs = 1, .steady = true}},
    /* Those of the other guarantees. */
    {"desk-keys", {.mails = 1, .attachments = 1, .mail_within_ms = 0, .poll_ms = MINUTES(5), .has_move = true, .evidence_folder = true,
                   .desk = true, .desk_kind = DESK_IDEMPOTENT, .desk_attaches = true, .runs = 1, .steady = true}},
    {"desk-look", {.mails = 1, .attachments = 1, .mail_within_ms = 0, .poll_ms = MINUTES(5), .has_move = true, .evidence_folder = true,
                   .desk = true, .desk_kind = DESK_LOOK, .desk_attaches = true, .runs = 1, .steady = true}},
    {"desk-none", {.mails = 1, .attachments = 1, .mail_within_ms = 0, .poll_ms = MINUTES(5), .has_move = true, .evidence_folder = true,
                   .desk = true, .desk_kind = DESK_NOTHING, .desk_attaches = true, .runs = 1, .steady = true}},
};
/* clang-format on */

const struct scenario *scenario_named(const char *name)
{
    for (size_t i = 0; i < LENGTH(named); i++)
        if (strcmp(named[i].name, name) == 0)
            return &named[i].scenario;
    return NULL;
}

static bool percent(struct rng *r, unsigned chance)
{
    return rng_below(r, 100) < chance;
}

static unsigned draw_kinds(struct rng *r)
{
    unsigned kinds = 0;

    for (unsigned kind = MAIL_CONFLICT; kind < MAIL_OURS; kind++)
        if (rng_one_in(r, 4))
            kinds |= 1u << kind;
    return kinds & ~KIND_OF(MAIL_OLD);
}

/* From a stream of its own, so that seeds without a destination, and those that are kept, mean what they
 * did before. */
static void draw_desk(struct world *world)
{
    struct scenario *s = &world->scenario;
    struct rng own = {world->seed << 28};

    if (rng_one_in(&own, 2))
        s->desk_kind = s->desk_kind == DESK_CONDITIONAL ? DESK_IDEMPOTENT : DESK_NOTHING;
    s->desk_silent = s->desk_kind == DESK_IDEMPOTENT && rng_one_in(&own, 3);
    s->desk_appends = rng_one_in(&own, 2);
    s->desk_attaches = s->desk && rng_one_in(&own, 2);
    s->desk_closes = s->desk && rng_one_in(&own, 3);
    if (s->desk && s->desk_appends && !rng_one_in(&own, 3))
        s->answers_percent = 60; /* without replies there is nothing to append */
}

/* Likewise: no seed that was kept before is among these. */
static void draw_withholding(struct world *world)
{
    struct rng own = {world->seed << 27};

    if (world->seed % 8 == 4)
        world->scenario.withhold_one_in = 2 + rng_below(&own, 8);
    world->withholding = own;
}

static void draw_letters(struct world *world)
{
    struct rng own = {world->seed << 26};

    world->scenario.letters_follow = rng_one_in(&own, 2);
}

/* Several machines and an object store: likewise. */
static void draw_elsewhere(struct world *world)
{
    static const unsigned often[] = {0, 10, 40, 150};
    struct scenario *s = &world->scenario;
    unsigned class = world->seed % 16;

    world->elsewhere = (struct rng){world->seed << 24};
    if (class != 0 && class != 6 && class != 10)
        return;
    struct rng *r = &world->elsewhere;

    s->server = !rng_one_in(r, 4);
    s->objects = !s->server || rng_one_in(r, 2);
    if (s->objects && s->answer_one_in == 0)
        s->answer_one_in = 100;
    if (!s->server)
        return;
    s->two_deployments = false;
    s->two_machines = true;
    s->runs = 2 + rng_below(r, 2);
    s->switch_one_in = 2 + rng_below(r, 12);
    s->troubles += 1 + rng_below(r, 3);
    s->commit_one_in = often[rng_below(r, LENGTH(often))];
    s->standby = !s->restores && rng_one_in(r, 4);
    reached_row("K01");
}

void scenario_draw(struct world *world)
{
    struct rng *r = &world->rng;
    struct scenario *s = &world->scenario;
    static const int64_t delays[] = {0, SECONDS(5), MINUTES(5), MINUTES(40)};
    static const unsigned often[] = {15, 40, 100, 250};

    *s = (struct scenario){
        .mails = 1 + rng_below(r, 3),
        .kinds = draw_kinds(r),
        .attachments = rng_below(r, 3),
        .copies_percent = percent(r, 50) ? 40 : 0,
        .answers_percent = percent(r, 40) ? 60 : 0,
        .mail_within_ms = percent(r, 40) ? 0 : MINUTES(10),
        .poll_ms = MINUTES(5),
        .from_before = percent(r, 8),
        .has_move = percent(r, 70),
        .evidence_folder = percent(r, 60),
        .evidence_delay_ms = delays[rng_below(r, LENGTH(delays))],
        .replaces_message_id = percent(r, 15),
        .desk = percent(r, 20),
        .desk_kind = percent(r, 60) ? DESK_CONDITIONAL : DESK_LOOK,
        .runs = percent(r, 60) ? 1 : 2 + rng_below(r, 2),
        .two_machines = percent(r, 25),
        .two_deployments = percent(r, 7),
        .troubles = rng_below(r, 6),
        .trouble_one_in = often[rng_below(r, LENGTH(often))],
        .answer_one_in = percent(r, 50) ? 0 : often[1 + rng_below(r, LENGTH(often) - 1)],
        .smtp_faults = percent(r, 50) ? 0 : 10 + rng_below(r, 60),
        .restores = percent(r, 10),
        .people_at_once = percent(r, 50),
    };
    if (s->two_deployments)
        reached_row("K07");
    if (s->desk && s->answer_one_in == 0)
        s->answer_one_in = often[2]; /* what is new about it are its answers */
    s->switch_one_in = s->runs + s->two_deployments > 1 ? 2 + rng_below(r, 12) : 0;
    if (s->restores) {
        s->two_deployments = false;
        s->desk_kind =
            DESK_CONDITIONAL; /* no help desk without a guarantee knows what a ledger forgot */
    }
    draw_desk(world);
    draw_withholding(world);
    draw_letters(world);
    draw_elsewhere(world);
    if (s->standby)
        s->desk_kind = DESK_CONDITIONAL;
}

/* ---- mail ------------------------------------------------------------------------------------ */

/* A ledger that forgot a mail which a person took away cannot know its copy: the README's window. */
static bool nobody_can_know(const struct world *world, const struct mail *mail)
{
    return world->deployment[0]->went_back > 0 && imap_taken_by_person(world, mail);
}

static void arrives(struct world *world, void *arg)
{
    struct mail *mail = arg;
    int64_t internal_ms = world_wall_ms(world) - (mail->kind == MAIL_OLD ? DAYS(2) : 0);

    if (world->no_more_mail || nobody_can_know(world, mail))
        return;
    tell(world, "m%u arrives: %s%s", mail->number, mail_kind_text(mail->kind),
         mail->arrived ? " (once more)" : "");
    imap_put(world, INBOX, mail, internal_ms);
}

static void send(struct world *world, struct mail *mail, int64_t within_ms)
{
    timeline_after(world, within_ms == 0 ? 0 : rng_between(&world->rng, 0, within_ms), arrives,
                   mail);
}

static void send_with_copies(struct world *world, struct mail *mail)
{
    const struct scenario *s = &world->scenario;

    send(world, mail, s->mail_within_ms);
    if (percent(&world->rng, s->copies_percent)) {
        reached_row("K02");
        send(world, mail, s->mail_within_ms);
    }
}

/* Kinds that need no acknowledgement to speak of. */
static bool of_its_own(enum mail_kind kind)
{
    return kind == MAIL_AUTOMATIC || kind == MAIL_NAMELESS || kind == MAIL_EXCEPTIONS ||
           kind == MAIL_UNREADABLE;
}

static void somebody_closes_cases(struct world *world, void *arg)
{
    (void)arg;
    if (world->calm)
        return;
    person_closes_cases(world, world->deployment[0]);
    timeline_after(world, MINUTES(7), somebody_closes_cases, NULL);
}

void scenario_begin(struct world *world)
{
    const struct scenario *s = &world->scenario;
    struct mail *first = NULL;

    if (s->desk_closes)
        timeline_after(world, MINUTES(3), somebody_closes_cases, NULL);

    for (unsigned i = 0; s->from_before && i < 1 + rng_below(&world->rng, 2); i++)
        arrives(world, mail_write(world, MAIL_OLD, NULL, ""));
    for (unsigned i = 0; i < s->mails; i++) {
        struct mail *mail = mail_write(world, MAIL_REQUEST, NULL, "");

        if (first == NULL)
            first = mail;
        send_with_copies(world, mail);
    }
    for (unsigned kind = MAIL_CONFLICT; kind <= MAIL_LIST_COPY; kind++)
        if (s->kinds & (1u << kind))
            send_with_copies(world, mail_write(world, (enum mail_kind)kind, first, ""));
    for (unsigned kind = MAIL_REPLY; kind < MAIL_OURS; kind++)
        if ((s->kinds & (1u << kind)) && of_its_own((enum mail_kind)kind))
            send_with_copies(world, mail_write(world, (enum mail_kind)kind, NULL, ""));
}

/* ---- answers to acknowledgements ------------------------------------------------------------- */

static const struct mail *mail_of_effect(const struct world *world, const char *effect)
{
    for (const struct mail *mail = world->mails.first; mail != NULL; mail = mail->next)
        for (unsigned completion = COMPLETION_ACCEPTED; completion < COMPLETION_COUNT;
             completion++) {
            char own[EFFECT_ID_SIZE];
            char conflict[EFFECT_ID_SIZE];

            acknowledgement_id(mail->key, completion_text((enum completion)completion), own);
            acknowledgement_id(mail->conflict_key, completion_text((enum completion)completion),
                               conflict);
            if (mail->number > 0 && (strcmp(own, effect) == 0 || strcmp(conflict, effect) == 0))
                return mail;
        }
    return NULL;
}

void people_answer_letter(struct world *world, struct line *line)
{
    static const enum mail_kind kinds[] = {MAIL_REPLY,   MAIL_STRANGER, MAIL_BOUNCE,
                                           MAIL_ABSENCE, MAIL_ECHO,     MAIL_FORGED};
    const struct scenario *s = &world->scenario;
    enum mail_kind kind;

    if (!percent(&world->rng, s->answers_percent) || world->calm)
        return;
    kind = kinds[rng_below(&world->rng, LENGTH(kinds))];
    if (kind == MAIL_ECHO) {
        send(world, mail_of_ours(world, str_slice(&line->octets)), MINUTES(2));
        return;
    }
    send(world, mail_write(world, kind, mail_of_effect(world, line->effect), line->effect),
         MINUTES(2));
}
