/* SPDX-License-Identifier: Apache-2.0 */
#include "people.h"

#include "deployment.h"
#include "oracle.h"
#include "ports.h"
#include "reached.h"
#include "settings.h"
#include "world.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define PERSON "kim"
#define WHY    "as the receiving server says"

/* A person's tools run on the machine of the deployment. */
static struct instant now_of(const struct world *world)
{
    return machine_now(world, &world->machine[0]);
}

struct question {
    char key[KEY_SIZE];
    enum reason reason;
    enum completion completion;
    char effect[EFFECT_ID_SIZE];
    char run[RUN_ID_SIZE]; /* of the last attempt of its acknowledgement */
    struct digest octets;
};

#define QUESTIONS_MAX 32

static size_t open_questions(struct deployment *d, struct question out[QUESTIONS_MAX])
{
    size_t count = 0;
    struct sqlite3_stmt *s = sql_open(
        d,
        "SELECT i.key, i.reason, e.target, i.octets,"
        " (SELECT a.run FROM attempt a WHERE a.effect = e.id ORDER BY a.number DESC LIMIT 1)"
        " FROM item i LEFT JOIN effect e ON e.key = i.key AND e.kind = 'acknowledgement'"
        " AND e.target <> 'closed'"
        " WHERE i.state = 'needs_reconciliation' ORDER BY i.key",
        NULL);

    while (sql_row(s)) {
        struct question *q = &out[count];

        assert(count < QUESTIONS_MAX);
        *q = (struct question){.reason = REASON_COUNT};
        snprintf(q->key, sizeof q->key, "%s", sql_text(s, 0));
        snprintf(q->run, sizeof q->run, "%s", sql_text(s, 4));
        count += reason_parse(sql_text(s, 1), &q->reason);
        (void)completion_parse(sql_text(s, 2), &q->completion);
        (void)digest_from_hex(slice_z(sql_text(s, 3)), &q->octets);
        acknowledgement_id(q->key, sql_text(s, 2), q->effect);
    }
    return count;
}

/* That run is truly gone. */
static bool run_is_gone(const struct world *world, const char *id)
{
    for (size_t i = 0; i < world->runs; i++)
        if (strcmp(world->run[i]->facts.id, id) == 0)
            return !run_lives(world->run[i]);
    return true;
}

static enum decision about_sending(const struct world *world, const struct question *q)
{
    return smtp_accepted(world, q->effect) > 0 ? DECIDE_SENT : DECIDE_NOT_SENT;
}

/* It was refused in the end, or never got through; once more, or never mind. */
static enum decision about_refusal(struct world *world, const struct question *q)
{
    bool never_mind = !world->scenario.steady && rng_one_in(&world->rng, 3);

    return smtp_accepted(world, q->effect) == 0 && !never_mind ? DECIDE_NOT_SENT : DECIDE_NONE;
}

static enum decision about_conflict(struct world *world)
{
    static const enum decision choices[] = {DECIDE_NEW_CASE, DECIDE_APPEND, DECIDE_DISMISS};

    if (world->scenario.steady)
        return DECIDE_NEW_CASE;
    return choices[rng_below(&world->rng, LENGTH(choices))];
}

static bool readable(const struct world *world, const struct question *q)
{
    const struct mail *mail = mail_by_octets(world, &q->octets);

    return mail != NULL && mail->kind != MAIL_UNREADABLE;
}

/* No decision answers this one: its cause is mended, and it is replayed. */
static bool is_mended(enum reason reason)
{
    return reason == REASON_FILE_DIFFERS || reason == REASON_ORIGINAL_LOST;
}

/* The file that nobody knows of, "" where the doubt is about the case or reply itself. */
static void file_in_doubt(struct deployment *d, const char *key, char out[STORED_NAME_SIZE])
{
    struct sqlite3_stmt *s = sql_open(d,
                                      "SELECT substr(target, length('desk/') + 1) FROM effect"
                                      " WHERE key = ?1 AND (kind = 'case' OR (kind = 'attachment'"
                                      " AND status = 'unknown' AND target LIKE 'desk/%'))"
                                      " AND status = 'unknown' ORDER BY id DESC LIMIT 1",
                                      key, NULL);

    out[0] = '\0';
    if (sql_row(s) && strchr(sql_text(s, 0), '-') != NULL)
        snprintf(out, STORED_NAME_SIZE, "%s", sql_text(s, 0));
    sql_done(s);
}

/* Who looks at a help desk that cannot be asked may overlook what is there. */
static enum decision about_case(struct world *world, struct deployment *d, const struct question *q)
{
    char file[STORED_NAME_SIZE];
    bool mistaken = world->scenario.desk_kind == DESK_NOTHING && !world->scenario.steady &&
                    q->reason == REASON_UNKNOWN_CASE && rng_one_in(&world->rng, 4);

    file_in_doubt(d, q->key, file);
    bool there =
        file[0] ? helpdesk_children(world, q->key, file) > 0 : helpdesk_count(world, q->key) > 0;
    return there && !mistaken ? DECIDE_CASE_MADE : DECIDE_CASE_NOT_MADE;
}

/* What the person says; DECISION_RULES_NONE where the question is not one that a decision answers. */
static bool
choose(struct world *world, struct deployment *d, const struct question *q, enum decision *out)
{
    switch (q->reason) {
    case REASON_UNKNOWN_SENT:
        *out = about_sending(world, q);
        return true;
    case REASON_REPLY_WAITS:
    case REASON_GAVE_UP:
        *out = about_refusal(world, q);
        return true;
    case REASON_CONFLICT:
    case REASON_GATEWAY_COPY:
        *out = about_conflict(world);
        return true;
    case REASON_UNPROCESSABLE:
    case REASON_OVERSIZE:
        *out = readable(world, q) ? DECIDE_READ_AGAIN : DECIDE_DROP;
        return true;
    case REASON_CASE_FLOOD:
        *out = rng_one_in(&world->rng, 2) ? DECIDE_LET_THROUGH : DECIDE_MUTE;
        return true;
    case REASON_UNKNOWN_CASE:
    case REASON_CASE_REFUSED:
    case REASON_DESTINATION_GONE:
        *out = about_case(world, d, q);
        return true;
    case REASON_FILE_DIFFERS:
    case REASON_ORIGINAL_LOST:
    case REASON_NONE:
    case REASON_COUNT:
        return false;
    }
    return false;
}

/* The mail as the person's tool reads it from its original. */
static bool read_original(struct world *world, const struct question *q, struct message *out)
{
    const struct mail *mail = mail_by_octets(world, &q->octets);
    struct err err = ERR_INIT;

    return mail != NULL && reader_read(NULL, str_slice(&mail->octets), out, &err) == RC_OK;
}

/* Who says that a closing which the help desk refused is done has done it there by hand. */
static void close_by_hand(struct world *world, struct deployment *d, const char *key)
{
    const struct record *record = helpdesk_find(world, key);

    if (record != NULL && !helpdesk_has_closed(world, key) &&
        sql_number(d,
                   "SELECT count(*) FROM effect WHERE key = ?1 AND kind = 'case'"
                   " AND target LIKE 'desk/closed%' AND status = 'done'",
                   key, NULL) > 0)
        helpdesk_close(world, record->id);
}

static enum rc
decide(struct world *world, struct deployment *d, const struct question *q, enum decision decision)
{
    struct ledger ledger = store_ledger(d->tool);
    struct policy policy;
    struct err err = ERR_INIT;
    struct decision_result result;
    CLEANUP(message_clear) struct message message = MESSAGE_INIT;
    const struct record *record = helpdesk_find(world, q->key);
    char file[STORED_NAME_SIZE];
    file_in_doubt(d, q->key, file);
    const struct child *child = helpdesk_child(world, q->key, file);
    const char *id = file[0] ? (child ? child->id : "") : record ? record->id : "";
    bool read = read_original(world, q, &message);

    settings_policy(world, &policy);
    struct decision_request request = {.decision = decision,
                                       .key = q->key,
                                       .by = PERSON,
                                       .why = WHY,
                                       .run_gone = run_is_gone(world, q->run),
                                       .external_id = id,
                                       .policy = &policy,
                                       .message = read ? &message : NULL,
                                       .final_timeout_ms = FINAL_TIMEOUT,
                                       .evidence_wait_ms = EVIDENCE_WAIT};
    enum rc rc = ledger.people->decide(ledger.self, &request, now_of(world), &result, &err);

    tell(world, "a person says of %s: %s; %s%s%s", mail_label(world, q->key),
         decision_meaning(decision), rc_text(rc), rc == RC_OK ? "" : ": ",
         rc == RC_OK ? "" : err.text);
    if (rc == RC_OK && decision == DECIDE_NOT_SENT && q->reason == REASON_UNKNOWN_SENT)
        oracle_not_sent_taken(world, d, q->effect);
    if (rc == RC_OK && decision == DECIDE_NOT_SENT) {
        reached_row("O03");
        smtp_allow(world, q->effect);
    }
    if (rc == RC_OK && decision == DECIDE_CASE_MADE)
        close_by_hand(world, d, q->key);
    if (rc == RC_OK && decision == DECIDE_CASE_NOT_MADE && id[0])
        helpdesk_allow(world, q->key, file);
    return rc;
}

static enum rc replay(struct world *world, struct deployment *d, const char *key)
{
    struct ledger ledger = store_ledger(d->tool);
    struct replay_result result = {0};
    struct err err = ERR_INIT;
    enum rc rc = ledger.people->replay(ledger.self, key, PERSON, WHY, now_of(world), &result, &err);

    tell(world, "an operator replays %s: %s%s", mail_label(world, key), rc_text(rc),
         result.was_complete ? ", it was complete" : "");
    reached_row(result.was_complete ? "O01" : "K04");
    world->moved++;
    return rc;
}

size_t people_answer_questions(struct world *world, struct deployment *d, bool *later)
{
    struct question question[QUESTIONS_MAX];
    size_t count = open_questions(d, question);
    size_t answered = 0;

    for (size_t i = 0; i < count; i++) {
        enum decision decision = DECIDE_UNDO;
        enum rc rc = RC_CONFLICT;

        if (choose(world, d, &question[i], &decision))
            rc = decide(world, d, &question[i], decision);
        else if (is_mended(question[i].reason))
            rc = replay(world, d, question[i].key);
        if (rc == RC_CONFLICT && decision == DECIDE_APPEND) /* the first has no case */
            rc = decide(world, d, &question[i], DECIDE_NEW_CASE);
        answered += rc == RC_OK;
        *later = *later || rc == RC_DEFERRED;
        world->moved += rc == RC_OK;
    }
    return answered;
}

bool person_chooses_import(struct world *world, struct deployment *d)
{
    static const enum import_choice choices[] = {IMPORT_CASES, IMPORT_FULL, IMPORT_ADOPT};
    struct ledger ledger = store_ledger(d->tool);
    enum import_choice choice = choices[rng_below(&world->rng, LENGTH(choices))];
    struct err err = ERR_INIT;

    if (sql_number(d, "SELECT count(*) FROM mailbox WHERE import_choice = 'waiting'", NULL) == 0)
        return false;
    enum rc rc = ledger.mailboxes->choose_import(ledger.self, MAILBOX_ID, choice, PERSON,
                                                 now_of(world), &err);

    tell(world, "a person chooses for mail from before: %s; %s", import_text(choice), rc_text(rc));
    world->moved += rc == RC_OK;
    return rc == RC_OK;
}

static bool any_item(struct world *world, struct deployment *d, char out[KEY_SIZE])
{
    int64_t count = sql_number(d, "SELECT count(*) FROM item", NULL);
    char nth[24];

    if (count == 0)
        return false;
    snprintf(nth, sizeof nth, "%u", rng_below(&world->rng, (uint32_t)count));
    struct sqlite3_stmt *s = sql_open(
        d, "SELECT key FROM item ORDER BY key LIMIT 1 OFFSET cast(?1 AS INTEGER)", nth, NULL);

    if (!sql_row(s))
        return false;
    snprintf(out, KEY_SIZE, "%s", sql_text(s, 0));
    sql_done(s);
    return true;
}

bool person_replays(struct world *world, struct deployment *d)
{
    char key[KEY_SIZE];

    if (!any_item(world, d, key))
        return false;
    return replay(world, d, key) == RC_OK;
}

static void close_case(struct world *world, struct deployment *d, const char *reference)
{
    struct ledger ledger = store_ledger(d->tool);
    const struct case_request request = {
        .act = CASE_CLOSE, .reference = reference, .there = "desk", .by = PERSON, .why = WHY};
    struct case_result result;
    struct err err = ERR_INIT;
    enum rc rc = ledger.operators->case_act(ledger.self, &request, now_of(world), &result, &err);

    tell(world, "a person closes %s: %s%s", reference, rc_text(rc),
         rc == RC_OK && result.there ? ", and at the help desk" : "");
    world->moved += rc == RC_OK;
}

void person_closes_cases(struct world *world, struct deployment *d)
{
    char reference[RECORDS_MAX][REFERENCE_SIZE];
    size_t count = 0;
    struct sqlite3_stmt *s =
        sql_open(d, "SELECT reference FROM case_record WHERE state = 'open' ORDER BY key", NULL);

    while (count < RECORDS_MAX && sql_row(s))
        snprintf(reference[count++], REFERENCE_SIZE, "%s", sql_text(s, 0));
    sql_done(s);
    for (size_t i = 0; i < count; i++)
        close_case(world, d, reference[i]);
}

bool person_pauses(struct world *world, struct deployment *d, bool paused)
{
    struct ledger ledger = store_ledger(d->tool);
    unsigned effects = rng_one_in(&world->rng, 2) ? 0 : KIND(EFFECT_ACKNOWLEDGEMENT);
    struct err err = ERR_INIT;
    enum rc rc = ledger.people->pause(ledger.self, MAILBOX_ID, paused, effects, PERSON, WHY,
                                      now_of(world), &err);

    tell(world, "an operator %s the mailbox: %s", paused ? "pauses" : "resumes", rc_text(rc));
    world->moved++;
    return rc == RC_OK;
}
