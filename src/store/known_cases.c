/* SPDX-License-Identifier: Apache-2.0 */
#include "known.h"
#include "numbers.h"

#include <stdio.h>
#include <string.h>

#define REFERENCES_MAX 50 /* the last ones, which are the nearest */
#define IDS_MAX        10 /* of In-Reply-To, and of what a report is about */
#define CASES_MAX      8
#define MERGES_MAX     16

struct following {
    struct db *db;
    const struct policy *policy;
    const struct arrival *arrival;
    struct gathered *g;
};

/* ---- cases --------------------------------------------------------------------------------- */

struct found_case {
    struct known_case known;
    char merged_into[KEY_SIZE];
};

static enum rc
read_case(const struct following *f, const char *key, struct found_case *out, struct err *err)
{
    static const char one[] =
        "SELECT key, reference, state, merged_into, CASE WHEN EXISTS (SELECT 1"
        " FROM case_participant AS p WHERE " OF_KEY_AT(
            "p", "case_key",
            "$1") " AND p.address = $2)"
                  " THEN 1 ELSE 0 END AS participant FROM case_record WHERE key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(f->db, one, &s, err));
    stmt_text(s, 1, key);
    stmt_text(s, 2, str_z(&f->g->sender));
    TRY(stmt_row(s, err));
    snprintf(out->known.key, KEY_SIZE, "%s", col_text(s, "key"));
    snprintf(out->known.reference, REFERENCE_SIZE, "%s", col_text(s, "reference"));
    out->known.open = strcmp(col_text(s, "state"), "open") == 0;
    snprintf(out->merged_into, KEY_SIZE, "%s", col_text(s, "merged_into"));
    out->known.participant = out->known.participant || col_int(s, "participant") == 1;
    return RC_OK;
}

/* The case, or the one that it was merged into; a participant of either is one. */
static enum rc
find_case(const struct following *f, const char *key, struct known_case *out, struct err *err)
{
    struct found_case found = {0};

    snprintf(found.merged_into, KEY_SIZE, "%s", key);
    for (int merges = 0; found.merged_into[0] && merges < MERGES_MAX; merges++) {
        char next[KEY_SIZE];

        memcpy(next, found.merged_into, sizeof next);
        TRY(read_case(f, next, &found, err));
    }
    *out = found.known;
    return RC_OK;
}

/* NULL `ack`: named as a message or by its reference. A case named twice is there once. */
static enum rc
add_case(const struct following *f, const char *key, const struct named_ack *ack, struct err *err)
{
    struct known *known = &f->g->known;
    struct known_case found;
    size_t i = 0;
    enum rc rc = find_case(f, key, &found, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    while (i < known->case_count && strcmp(known->cases[i].key, found.key) != 0)
        i++;
    if (i == known->case_count) {
        if (known->case_count == CASES_MAX)
            return RC_OK;
        known->cases = mem_grow(known->cases, known->case_count + 1, sizeof found);
        known->cases[known->case_count++] = found;
    }
    if (ack && !known->cases[i].by_acknowledgement) {
        known->cases[i].by_acknowledgement = true;
        snprintf(known->cases[i].acknowledged_key, KEY_SIZE, "%s", ack->key);
    }
    return RC_OK;
}

/* ---- our acknowledgements ------------------------------------------------------------------ */

static bool ack_is_there(const struct gathered *g, int64_t effect)
{
    for (size_t i = 0; i < g->acks; i++)
        if (g->ack[i].effect == effect)
            return true;
    return g->acks == NAMED_ACKS_MAX;
}

static enum rc follow_ack(const struct following *f, const char *effect_id, struct err *err)
{
    static const char by_id[] =
        "SELECT effect.id, effect.key, effect.status, item.case_key FROM effect"
        " JOIN item ON item.key = effect.key WHERE effect.ack_id = $1 AND effect.ack_id <> ''";
    struct gathered *g = f->g;
    struct named_ack ack;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (!g->names_ack[0])
        snprintf(g->names_ack, sizeof g->names_ack, "%s", effect_id);
    TRY(stmt_open(f->db, by_id, &s, err));
    stmt_text(s, 1, effect_id);
    enum rc rc = stmt_row(s, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    ack.effect = col_int(s, "id");
    if (ack_is_there(g, ack.effect))
        return RC_OK;
    snprintf(ack.key, sizeof ack.key, "%s", col_text(s, "key"));
    if (!effect_status_parse(col_text(s, "status"), &ack.status))
        return FAIL(err, RC_BROKEN, "ledger: effect %lld has no status", (long long)ack.effect);
    snprintf(ack.case_key, sizeof ack.case_key, "%s", col_text(s, "case_key"));
    g->ack[g->acks++] = ack;
    return ack.case_key[0] ? add_case(f, ack.case_key, &ack, err) : RC_OK;
}

/* ---- ids and references -------------------------------------------------------------------- */

/* The first case that holds the message; the same mail in another mailbox has a case there. */
static enum rc follow_message(const struct following *f, struct slice id, struct err *err)
{
    static const char by_message[] =
        "SELECT m.case_key FROM case_message AS m JOIN case_record AS c ON c.key = m.case_key"
        " WHERE m.message_id = $1 AND c.mailbox = $2 ORDER BY m.id LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char key[KEY_SIZE];

    TRY(stmt_open(f->db, by_message, &s, err));
    stmt_blob(s, 1, id);
    stmt_text(s, 2, f->arrival->mailbox);
    enum rc rc = stmt_row(s, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    snprintf(key, sizeof key, "%s", col_text(s, "case_key"));
    return add_case(f, key, NULL, err);
}

static enum rc follow_id(const struct following *f, struct slice id, struct err *err)
{
    char effect_id[EFFECT_ID_SIZE];

    if (id.len == 0)
        return RC_OK;
    if (acknowledgement_named(id, effect_id))
        return follow_ack(f, effect_id, err);
    return follow_message(f, id, err);
}

static size_t list_length(struct slice list)
{
    struct slice item;
    size_t n = 0;

    while (message_next(&list, &item))
        n++;
    return n;
}

/* The last `most` ids of a list, the last one first: it is the nearest. */
static enum rc
follow_list(const struct following *f, struct slice list, size_t most, struct err *err)
{
    struct slice nearest[REFERENCES_MAX], item;
    size_t length = list_length(list), count = 0;

    for (size_t i = 0; message_next(&list, &item); i++)
        if (i + most >= length)
            nearest[count++] = item;
    while (count > 0)
        TRY(follow_id(f, nearest[--count], err));
    return RC_OK;
}

static enum rc follow_reference(const struct following *f, const char *reference, struct err *err)
{
    static const char by_reference[] = "SELECT key FROM case_record WHERE reference = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char key[KEY_SIZE];

    TRY(stmt_open(f->db, by_reference, &s, err));
    stmt_text(s, 1, reference);
    enum rc rc = stmt_row(s, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    snprintf(key, sizeof key, "%s", col_text(s, "key"));
    return add_case(f, key, NULL, err);
}

static enum rc follow_subject(const struct following *f, struct slice subject, struct err *err)
{
    char reference[REFERENCE_SIZE];
    size_t at = 0;

    for (int found = 0; found < IDS_MAX; found++) {
        if (!reference_find(f->policy->reference_prefix, subject, &at, reference))
            return RC_OK;
        TRY(follow_reference(f, reference, err));
        at++;
    }
    return RC_OK;
}

/* Our own copy, by the EFFECT that its proof is about. */
static enum rc follow_proof(const struct following *f, struct slice own, struct err *err)
{
    char effect_id[EFFECT_ID_SIZE];

    if (!f->arrival->proven || own.len != EFFECT_ID_SIZE - 1)
        return RC_OK;
    snprintf(effect_id, sizeof effect_id, "%.*s", (int)own.len, own.at);
    return follow_ack(f, effect_id, err);
}

enum rc known_cases(struct db *db,
                    const struct policy *policy,
                    const struct arrival *arrival,
                    struct gathered *g,
                    struct err *err)
{
    const struct following f = {db, policy, arrival, g};
    const struct message *m = arrival->message;

    TRY(follow_proof(&f, message_slice(m, m->acknowledgement), err));
    TRY(follow_list(&f, message_slice(m, m->in_reply_to), IDS_MAX, err));
    TRY(follow_list(&f, message_slice(m, m->reported), IDS_MAX, err));
    TRY(follow_list(&f, message_slice(m, m->references), REFERENCES_MAX, err));
    return follow_subject(&f, message_slice(m, m->subject), err);
}
