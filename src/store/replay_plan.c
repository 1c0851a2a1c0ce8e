/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"
#include "retention.h"

#include <onecase/policy.h>
#include <inttypes.h>
#include <string.h>

static enum rc find_item(struct replaying *r, struct err *err)
{
    static const char find[] =
        "SELECT mailbox, state, reason, disposition = 'held' AS held,"
        " CASE WHEN recipient <> '' AND NOT " ITEM_HAS_LET_GO " THEN 1 ELSE 0 END AS addressed"
        " FROM item WHERE key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(r->db, find, &s, err));
    stmt_text(s, 1, r->key);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "replay: there is no item %.12s", r->key);
    if (rc != RC_OK)
        return rc;
    TRY(COL_COPY(s, "mailbox", r->mailbox, err));
    if (!item_state_parse(col_text(s, "state"), &r->state) ||
        !reason_parse(col_text(s, "reason"), &r->reason))
        return FAIL(err, RC_BROKEN, "replay: item %.12s is in no state", r->key);
    r->held = col_int(s, "held") != 0;
    r->addressed = col_int(s, "addressed") != 0;
    return RC_OK;
}

/* ---- its effects --------------------------------------------------------------------------- */

/* Nobody answers these but one at a time: a list would tell all of its readers, a program answers back. */
static bool for_program(const char *reason)
{
    static const enum skip programs[] = {SKIP_AUTO_SUBMITTED, SKIP_LIST_MAIL, SKIP_BULK,
                                         SKIP_NULL_PATH,      SKIP_REPORT,    SKIP_SUPPRESS,
                                         SKIP_OWN_ADDRESS,    SKIP_NO_REPLY};

    for (size_t i = 0; i < LENGTH(programs); i++)
        if (strcmp(reason, skip_text(programs[i])) == 0)
            return true;
    return false;
}

static enum rc find_effects(struct replaying *r, struct err *err)
{
    static const char find[] =
        "SELECT id, kind, status, reason, attempts FROM effect WHERE " OF_KEY("effect",
                                                                              "$1") " ORDER BY id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(r->db, find, &s, err));
    stmt_text(s, 1, r->key);
    while ((rc = stmt_row(s, err)) == RC_OK) {
        r->effect = mem_grow(r->effect, r->effects + 1, sizeof *r->effect);
        struct replayed *e = &r->effect[r->effects];

        *e = (struct replayed){.effect = col_int(s, "id"), .attempts = col_int(s, "attempts")};
        if (!effect_kind_parse(col_text(s, "kind"), &e->kind) ||
            !effect_status_parse(col_text(s, "status"), &e->status))
            return FAIL(err, RC_BROKEN, "replay: step %lld is of no kind or status",
                        (long long)e->effect);
        e->of_program = e->status == EFFECT_SKIPPED && for_program(col_text(s, "reason"));
        r->effects++;
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* An acknowledgement that was refused, skipped or given up is mailed again only where a person says
 * just that. */
static enum treatment treat_letter(const struct replaying *r, const struct replayed *e)
{
    bool given_up = r->reason == REASON_GAVE_UP || r->reason == REASON_REPLY_WAITS;
    bool again = r->resend && r->addressed && !(r->many && e->of_program);

    switch (e->status) {
    case EFFECT_PLANNED:
        return DUE_NOW;
    case EFFECT_DEFERRED:
        return !given_up ? DUE_NOW : again ? PLANNED_AGAIN : LEFT_TO_A_PERSON;
    case EFFECT_REFUSED:
    case EFFECT_SKIPPED:
        return again ? PLANNED_AGAIN : LEFT_DONE;
    case EFFECT_ATTEMPTING:
    case EFFECT_UNKNOWN:
        return LEFT_IN_DOUBT;
    case EFFECT_DONE:
    case EFFECT_STATUS_COUNT:
        return LEFT_DONE;
    }
    return LEFT_DONE;
}

/* An attachment is refused by a rule of its plan: that stands. */
static enum treatment treat_other(const struct replayed *e)
{
    switch (e->status) {
    case EFFECT_PLANNED:
    case EFFECT_DEFERRED:
        return DUE_NOW;
    case EFFECT_REFUSED:
        return e->kind == EFFECT_ATTACHMENT ? LEFT_DONE : PLANNED_AGAIN;
    case EFFECT_ATTEMPTING:
    case EFFECT_UNKNOWN:
        return LEFT_IN_DOUBT;
    case EFFECT_DONE:
    case EFFECT_SKIPPED:
    case EFFECT_STATUS_COUNT:
        return LEFT_DONE;
    }
    return LEFT_DONE;
}

/* What is held waits for its decision, and so do the copies that follow it. A complete item runs
 * nothing again but a letter that a person wants sent. */
static enum treatment treat(const struct replaying *r, const struct replayed *e)
{
    bool letter = e->kind == EFFECT_ACKNOWLEDGEMENT;

    if (r->held && !effect_settled(e->status))
        return LEFT_TO_A_PERSON;
    enum treatment how = letter ? treat_letter(r, e) : treat_other(e);

    if (r->state == ITEM_COMPLETE && (how == DUE_NOW || (how == PLANNED_AGAIN && !letter)))
        return LEFT_TO_ITS_COURSE;
    return how;
}

static void sum_up(struct replaying *r)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    str_addf(&text, "%s %s %s %d", r->key, item_state_text(r->state), reason_text(r->reason),
             r->resend);
    r->out->was_complete = r->state == ITEM_COMPLETE;
    for (size_t i = 0; i < r->effects; i++) {
        struct replayed *e = &r->effect[i];

        e->how = treat(r, e);
        r->out->proven_done += e->how == LEFT_DONE;
        r->out->of_programs += r->resend && r->many && e->of_program;
        r->out->in_doubt += e->how == LEFT_IN_DOUBT;
        r->out->run_again += e->how == DUE_NOW || e->how == PLANNED_AGAIN;
        str_addf(&text, " %" PRId64 " %d %d %" PRId64, e->effect, (int)e->status, (int)e->how,
                 e->attempts);
    }
    struct digest plan = sha256_of(str_slice(&text));

    digest_hex(&plan, r->out->plan);
}

enum rc replaying_plan(struct replaying *r, struct err *err)
{
    *r->out = (struct replay_result){.run_again = 0};
    TRY(find_item(r, err));
    TRY(find_effects(r, err));
    sum_up(r);
    return RC_OK;
}

void replaying_clear(struct replaying *r)
{
    mem_free(&r->effect);
}

enum rc operators_replay_plan(
    void *self, const char *key, bool resend, bool many, struct replay_result *out, struct err *err)
{
    struct store *store = self;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    CLEANUP(replaying_clear)
    struct replaying r = {.db = store->db, .key = key, .resend = resend, .many = many, .out = out};

    TRY(tx_read(store->db, &tx, err));
    return replaying_plan(&r, err);
}
