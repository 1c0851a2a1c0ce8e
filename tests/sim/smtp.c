/* SPDX-License-Identifier: Apache-2.0 */
#include "smtp.h"

#include "reached.h"
#include "world.h"

#include <onecase/source.h>
#include <onecase/when.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define LATE  MINUTES(11) /* later than final_timeout */
#define SLOW  MINUTES(8)  /* later than a lease */
#define NEVER 0

/* clang-format off */
const struct fate fates[] = {
/*   row    what                                          stage              code  enhanced  accepts reply  item   weight */
    {"",    "takes it in",                                STAGE_END_OF_DATA, 250, "2.0.0",  true,   0,     false, 60},
    {"S01", "refuses the connection",                     STAGE_CONNECT,       0, "",       false,  0,     false, 2},
    {"S02", "does not answer the connection",             STAGE_CONNECT,       0, "",       false,  MINUTES(1), false, 1},
    {"S03", "greets with 421",                            STAGE_CONNECT,     421, "4.3.2",  false,  0,     false, 1},
    {"S03", "greets with 554",                            STAGE_CONNECT,     554, "5.7.1",  false,  0,     false, 1},
    {"S06", "refuses the password (535)",                 STAGE_CONNECT,     535, "5.7.8",  false,  0,     false, 1},
    {"S07", "answers MAIL with 451",                      STAGE_MAIL,        451, "4.3.0",  false,  0,     false, 1},
    {"S07", "answers MAIL with 550",                      STAGE_MAIL,        550, "5.7.1",  false,  0,     false, 1},
    {"S07", "answers MAIL with 552: too large",           STAGE_MAIL,        552, "5.3.4",  false,  0,     false, 1},
    {"S19", "has no SMTPUTF8 for this letter",            STAGE_MAIL,          0, "",       false,  0,     true,  1},
    {"S08", "answers RCPT with 450",                      STAGE_RCPT,        450, "4.2.0",  false,  0,     false, 3},
    {"S09", "answers RCPT with 550",                      STAGE_RCPT,        550, "5.1.1",  false,  0,     false, 2},
    {"S10", "answers DATA with 451",                      STAGE_DATA,        451, "4.3.0",  false,  0,     false, 1},
    {"S10", "answers DATA with 554",                      STAGE_DATA,        554, "5.6.0",  false,  0,     false, 1},
    {"S11", "drops the connection in the body",           STAGE_DATA,          0, "",       false,  0,     false, 2},
    {"S12", "takes it in and drops the connection",       STAGE_END_OF_DATA,   0, "",       true,   0,     false, 6},
    {"S13", "drops the connection and has not taken it",  STAGE_END_OF_DATA,   0, "",       false,  0,     false, 6},
    {"S14", "takes it in and answers too late",           STAGE_END_OF_DATA,   0, "",       true,   LATE,  false, 3},
    {"S15", "answers the line with 451",                  STAGE_END_OF_DATA, 451, "4.3.0",  false,  0,     false, 3},
    {"S15", "answers the line with 550 5.1.1",            STAGE_END_OF_DATA, 550, "5.1.1",  false,  0,     false, 1},
    {"S15", "answers the line with 554",                  STAGE_END_OF_DATA, 554, "5.7.1",  false,  0,     false, 2},
    {"S24", "takes it in and answers slowly",             STAGE_END_OF_DATA, 250, "2.0.0",  true,   SLOW,  false, 4},
};
/* clang-format on */
const size_t fate_count = LENGTH(fates);

/* What meets everybody while the server is in a mood. */
/* clang-format off */
static const struct fate moods[MOOD_COUNT] = {
    [MOOD_DOWN]      = {"S20", "is down",                    STAGE_CONNECT,       0, "",      false, 0, false, NEVER},
    [MOOD_BUSY]      = {"S17", "answers 421",                STAGE_MAIL,        421, "4.3.2", false, 0, false, NEVER},
    [MOOD_REFUSES]   = {"S21", "answers everybody's line with 554", STAGE_END_OF_DATA, 554, "5.7.0", false, 0, false, NEVER},
    [MOOD_LATER]     = {"S23", "answers everybody's line with 451", STAGE_END_OF_DATA, 451, "4.7.0", false, 0, false, NEVER},
    [MOOD_GREYLISTS] = {"S25", "greylists",                  STAGE_RCPT,        450, "4.2.0", false, 0, false, NEVER},
};
/* clang-format on */

void smtp_end(struct world *world)
{
    for (size_t i = 0; i < world->smtp.lines; i++)
        str_clear(&world->smtp.line[i].octets);
}

const struct fate *smtp_fate(struct world *world)
{
    unsigned total = 0;
    unsigned drawn;

    if (world->smtp.mood != MOOD_FINE)
        return &moods[world->smtp.mood];
    if (world->calm || world->scenario.smtp_faults == 0)
        return &fates[0];
    if (rng_below(&world->rng, 100) >= world->scenario.smtp_faults)
        return &fates[0];
    for (size_t i = 1; i < fate_count; i++)
        total += fates[i].weight;
    drawn = rng_below(&world->rng, total);
    for (size_t i = 1; i < fate_count; i++) {
        if (drawn < fates[i].weight)
            return &fates[i];
        drawn -= fates[i].weight;
    }
    return &fates[0];
}

/* The same mail as the server may have written it into the evidence folder. */
static void stored_copy(struct world *world, struct slice octets, struct str *out)
{
    struct slice id, line, rest = octets;

    if (!world->scenario.replaces_message_id || !header_first(octets, "Message-ID", &id)) {
        str_add(out, octets);
        return;
    }
    while (slice_next(&rest, '\n', &line)) {
        if (slice_starts_nocase(line, SLICE("Message-ID:")))
            str_addf(out,
                     "Message-ID: "
                     "<replaced.%u@server.example>\r\nX-Microsoft-Original-Message-ID:%.*s\r\n",
                     world->mails.count, (int)id.len, id.at);
        else
            str_addf(out, "%.*s\n", (int)line.len, line.at);
    }
}

static void copy_appears(struct world *world, void *arg)
{
    const struct line *line = arg;
    struct str octets = STR_INIT;

    stored_copy(world, str_slice(&line->octets), &octets);
    if (world->scenario.replaces_message_id)
        reached_row("S22");
    tell(world, "a copy of acknowledgement %.8s stands in %s", line->effect, SENT);
    imap_put(world, SENT, mail_of_ours(world, str_slice(&octets)), world_wall_ms(world));
    str_clear(&octets);
}

/* A rule of the mail server files what pretends to come from us beside what does. */
static void forgery_appears(struct world *world, void *arg)
{
    const struct line *line = arg;
    struct mail *forged = mail_write(world, MAIL_FORGED, NULL, line->effect);

    reached_row("E03");
    tell(world, "a forged copy (m%u) of acknowledgement %.8s stands in %s", forged->number,
         line->effect, SENT);
    imap_put(world, SENT, forged, world_wall_ms(world));
}

static void server_decides(struct world *world, void *arg)
{
    struct line *line = arg;

    tell(world, "the server %s (acknowledgement %.8s)", line->fate->what, line->effect);
    if (!line->fate->accepts) {
        if (world->scenario.evidence_folder && rng_one_in(&world->rng, 8) && !world->calm)
            timeline_after(world, SECONDS(1), forgery_appears, line);
        return;
    }
    line->accepted = true;
    world->moved++;
    if (smtp_accepted(world, line->effect) > 1 + smtp_allowed(world, line->effect))
        broke(world, "V4",
              "acknowledgement %.8s was accepted %zu times, and a person allowed %zu more",
              line->effect, smtp_accepted(world, line->effect), smtp_allowed(world, line->effect));
    if (world->scenario.evidence_folder)
        timeline_after(world, world->scenario.evidence_delay_ms, copy_appears, line);
    people_answer_letter(world, line);
}

/* V5: the one before may have happened, and nobody said that it had not. */
static void judge_line(struct world *world, const struct line *line)
{
    const struct line *before = NULL;

    for (const struct line *other = world->smtp.line; other < line; other++)
        if (strcmp(other->effect, line->effect) == 0 && !other->allowed)
            before = other;
    if (before == NULL || (before->answered && !before->fate->accepts))
        return;
    broke(world, "V5",
          "run %u sends acknowledgement %.8s, which run %u had sent with no answer: nobody decided",
          line->run, line->effect, before->run);
}

struct line *smtp_line_leaves(struct world *world,
                              unsigned run,
                              const char *effect,
                              struct slice octets,
                              const struct fate *fate)
{
    struct smtp *smtp = &world->smtp;

    assert(smtp->lines < LINES_MAX);
    struct line *line = &smtp->line[smtp->lines++];

    *line = (struct line){.run = run, .at_ms = world->timeline.now_ms, .fate = fate};
    snprintf(line->effect, sizeof line->effect, "%s", effect);
    str_add(&line->octets, octets);
    judge_line(world, line);
    timeline_after(world, 20, server_decides, line);
    return line;
}

static void mood_ends(struct world *world, void *arg)
{
    (void)arg;
    if (world->smtp.mood == MOOD_FINE)
        return;
    world->smtp.mood = MOOD_FINE;
    tell(world, "the SMTP server is well again");
}

void smtp_mood(struct world *world, enum mood mood, int64_t for_ms)
{
    world->smtp.mood = mood;
    tell(world, "from now on the SMTP server %s", moods[mood].what);
    timeline_after(world, for_ms, mood_ends, NULL);
}

void smtp_allow(struct world *world, const char *effect)
{
    struct smtp *smtp = &world->smtp;

    assert(smtp->alloweds < ALLOWED_MAX);
    snprintf(smtp->allowed[smtp->alloweds++], EFFECT_ID_SIZE, "%s", effect);
    for (size_t i = 0; i < smtp->lines; i++)
        if (strcmp(smtp->line[i].effect, effect) == 0)
            smtp->line[i].allowed = true;
}

size_t smtp_allowed(const struct world *world, const char *effect)
{
    size_t count = 0;

    for (size_t i = 0; i < world->smtp.alloweds; i++)
        count += strcmp(world->smtp.allowed[i], effect) == 0;
    return count;
}

size_t smtp_accepted(const struct world *world, const char *effect)
{
    size_t count = 0;

    for (size_t i = 0; i < world->smtp.lines; i++)
        count += world->smtp.line[i].accepted && strcmp(world->smtp.line[i].effect, effect) == 0;
    return count;
}

size_t smtp_accepted_all(const struct world *world)
{
    size_t count = 0;

    for (size_t i = 0; i < world->smtp.lines; i++)
        count += world->smtp.line[i].accepted;
    return count;
}

size_t smtp_lines(const struct world *world, const char *effect)
{
    size_t count = 0;

    for (size_t i = 0; i < world->smtp.lines; i++)
        count += strcmp(world->smtp.line[i].effect, effect) == 0;
    return count;
}
