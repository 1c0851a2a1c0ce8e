/* SPDX-License-Identifier: Apache-2.0 */
#include "sender_rule.h"
#include "decide.h"
#include "replay.h"

#include <onecase/policy.h>

enum rc
intake_told_apart(void *self, const char *mailbox, struct slice sender, bool *out, struct err *err)
{
    static const char find[] =
        "SELECT id FROM sender_rule WHERE mailbox = $1 AND sender = $2 AND ended_at IS NULL";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(str_clear) struct str plain = STR_INIT;

    address_canonical(sender, &plain);
    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_slice(s, 2, str_slice(&plain));
    enum rc rc = stmt_row(s, err);

    *out = rc == RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

struct step {
    const char *from, *to, *why;
};

static const char stands[] = "stands";

/* The rule's reason, and a line in the chain. */
static enum rc
tell(struct writing *w, const char *key, int64_t id, const struct step *step, struct err *err)
{
    const struct subject subject = subject_of("rule", id);

    TRY(note_add(w, key, subject.text, step->why, err));
    return event_add(w,
                     &(struct event){.key = key,
                                     .subject = subject.text,
                                     .what = "rule",
                                     .from = step->from,
                                     .to = step->to,
                                     .actor = actor_text(BY_PERSON)},
                     err);
}

static enum rc add(struct writing *w, const char *key, const char *by, int64_t *id, struct err *err)
{
    static const char insert[] =
        "INSERT INTO sender_rule (mailbox, sender, key, person, made_at)"
        " SELECT mailbox, sender_plain, key, $2, $3 FROM item WHERE key = $1"
        " AND sender_plain <> '' RETURNING id";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, key);
    stmt_text(s, 2, by);
    stmt_int(s, 3, w->now.wall_ms);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, RC_USAGE,
                    "that mail has no sender, for whom something could always be done");
    if (rc != RC_OK)
        return rc;
    *id = col_int(s, "id");
    return stmt_row(s, err) == RC_NOT_FOUND ? RC_OK : RC_BROKEN;
}

static enum rc is_made(struct writing *w, const char *key, bool *out, struct err *err)
{
    static const char find[] =
        "SELECT sender_rule.id FROM item JOIN sender_rule ON sender_rule.mailbox = item.mailbox"
        " AND sender_rule.sender = item.sender_plain WHERE item.key = $1"
        " AND sender_rule.ended_at IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, find, &s, err));
    stmt_text(s, 1, key);
    enum rc rc = stmt_row(s, err);

    *out = rc == RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc sender_rule_make(
    struct writing *w, const char *key, const char *by, const char *why, struct err *err)
{
    int64_t id = 0;
    bool made;

    TRY(is_made(w, key, &made, err));
    if (made)
        return RC_OK;
    TRY(add(w, key, by, &id, err));
    return tell(w, key, id, &(struct step){"", stands, why}, err);
}

static enum rc end(struct writing *w, int64_t id, char key[KEY_SIZE], struct err *err)
{
    static const char update[] = "UPDATE sender_rule SET ended_at = $1 WHERE id = $2"
                                 " AND ended_at IS NULL RETURNING key";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, w->now.wall_ms);
    stmt_int(s, 2, id);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "there is no such rule, or somebody has removed it");
    if (rc != RC_OK)
        return rc;
    TRY(col_copy(s, "key", key, KEY_SIZE, err));
    return stmt_row(s, err) == RC_NOT_FOUND ? RC_OK : RC_BROKEN;
}

static enum rc rule_end_once(
    void *self, int64_t id, const char *by, const char *why, struct instant now, struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    CLEANUP(str_clear) struct str text = STR_INIT;
    char key[KEY_SIZE];

    TRY(people_named(by, why, err));
    str_addf(&text, "%s: %s", by, why);
    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(end(&w, id, key, err));
    TRY(tell(&w, key, id, &(struct step){stands, "removed", str_z(&text)}, err));
    return writing_finish(&w, err);
}

enum rc operators_rule_end(
    void *self, int64_t id, const char *by, const char *why, struct instant now, struct err *err)
{
    return WRITE(self, rule_end_once(self, id, by, why, now, err));
}
