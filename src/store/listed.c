/* SPDX-License-Identifier: Apache-2.0 */
#include "listed.h"

#include "case_rows.h"
#include "decide.h"
#include "listed_plan.h"

#include <stdio.h>
#include <string.h>

#define SAID "by the list of an older system"

struct listing {
    struct writing *w;
    struct listed_plan *plan; /* of a dry run, in which nothing is written; else NULL */
    const struct listed_case *c;
    char case_key[KEY_SIZE];           /* "" while it has none */
    char fingerprint[DIGEST_HEX_SIZE]; /* of another case that has its mail; "" none has */
    struct slice taken;                /* the Message-ID of that mail */
    bool made, more;
};

/* ---- what is known of it ---------------------------------------------------------------------- */

static enum rc find_planned_case(struct listing *l, const struct planned_case *found)
{
    if (strcmp(found->mailbox, l->c->policy->mailbox) != 0)
        return RC_REFUSED;
    memcpy(l->case_key, found->key, sizeof l->case_key);
    return RC_OK;
}

/* RC_REFUSED: the reference stands for something else. */
static enum rc find_case(struct listing *l, struct err *err)
{
    const struct planned_case *planned = l->plan ? plan_case(l->plan, l->c->reference) : NULL;
    static const char find[] =
        "SELECT key, mailbox, CASE WHEN EXISTS (SELECT 1 FROM listed"
        " WHERE listed.key = case_record.key) THEN 1 ELSE 0 END AS listed FROM case_record"
        " WHERE reference = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (planned)
        return find_planned_case(l, planned);
    TRY(stmt_open(l->w->store->db, find, &s, err));
    stmt_text(s, 1, l->c->reference);
    enum rc rc = stmt_row(s, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    if (col_int(s, "listed") == 0 || strcmp(col_text(s, "mailbox"), l->c->policy->mailbox) != 0)
        return RC_REFUSED;
    return COL_COPY(s, "key", l->case_key, err);
}

static bool is_ours(const struct listing *l, const char *case_key)
{
    return l->case_key[0] && strcmp(case_key, l->case_key) == 0;
}

/* RC_NOT_FOUND: nobody has that mail. */
static enum rc find_mail(struct listing *l,
                         const char *key,
                         bool *ours,
                         char fingerprint[DIGEST_HEX_SIZE],
                         struct err *err)
{
    static const char find[] =
        "SELECT COALESCE(case_key, '') AS case_key, fingerprint FROM item WHERE key = $1";
    const struct planned_mail *planned = l->plan ? plan_mail(l->plan, key) : NULL;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (planned) {
        *ours = is_ours(l, planned->case_key);
        memcpy(fingerprint, planned->fingerprint, DIGEST_HEX_SIZE);
        return RC_OK;
    }
    TRY(stmt_open(l->w->store->db, find, &s, err));
    stmt_text(s, 1, key);
    TRY(stmt_row(s, err));
    *ours = is_ours(l, col_text(s, "case_key"));
    return col_copy(s, "fingerprint", fingerprint, DIGEST_HEX_SIZE, err);
}

/* A case of the same sender and subject, of about the same time. */
static enum rc find_alike(struct listing *l, const char *words, struct err *err)
{
    static const char find[] =
        "SELECT item.fingerprint FROM listed JOIN item ON item.key = listed.key"
        " WHERE listed.mailbox = $1 AND listed.words = $2 AND listed.words <> ''"
        " AND item.case_key = item.key"
        " AND item.fingerprint <> '' AND ($3 = 0 OR item.sent_at IS NULL"
        " OR (item.sent_at >= $4 - $5 AND item.sent_at <= $4 + $5)) ORDER BY item.key LIMIT 1";
    const char *mailbox = l->c->policy->mailbox;
    const char *planned = l->plan ? plan_alike(l->plan, mailbox, words, l->c) : NULL;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (planned) {
        memcpy(l->fingerprint, planned, sizeof l->fingerprint);
        return RC_OK;
    }
    TRY(stmt_open(l->w->store->db, find, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_text(s, 2, words);
    stmt_int(s, 3, l->c->has_date);
    stmt_int(s, 4, l->c->date_ms);
    stmt_int(s, 5, LISTED_NEAR_MS);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_OK)
        return COL_COPY(s, "fingerprint", l->fingerprint, err);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* ---- one mail --------------------------------------------------------------------------------- */

struct listed_mail {
    struct identity identity;
    struct slice message_id; /* "" is none */
    char words[DIGEST_HEX_SIZE], fingerprint[DIGEST_HEX_SIZE];
    bool first; /* of its case */
};

static void name_words(const struct listed_case *c, char out[DIGEST_HEX_SIZE])
{
    out[0] = '\0';
    if (c->from.len > 0 && c->subject.len > 0)
        listed_words(str_slice(&c->from), str_slice(&c->subject), out);
}

/* One of its own, unless another case has its mail. */
static void name_fingerprint(const struct listing *l, struct listed_mail *m)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    memcpy(m->fingerprint, l->fingerprint, sizeof m->fingerprint);
    if (m->fingerprint[0])
        return;
    str_addf(&text, "listed:%s", m->identity.key);

    const struct digest d = sha256_of(str_slice(&text));

    digest_hex(&d, m->fingerprint);
}

static int64_t date_of(const struct listing *l)
{
    return l->c->has_date ? l->c->date_ms : l->w->now.wall_ms;
}

static void bind_said(struct stmt *s, const struct listing *l, const struct str *plain)
{
    const struct listed_case *c = l->c;

    stmt_slice(s, 7, str_slice(&c->from));
    stmt_slice(s, 8, str_slice(plain));
    stmt_slice(s, 9, str_slice(&c->subject));
    stmt_when(s, 10, c->has_date ? c->date_ms : NOT_DUE);
    stmt_int(s, 11, date_of(l));
}

/* Its sender is no recipient: nobody is ever told of it. */
static enum rc add_item(struct listing *l, const struct listed_mail *m, struct err *err)
{
    static const char insert[] =
        "INSERT INTO item (key, mailbox, key_source, message_id, disposition, arrived_as, state,"
        " octets, size, source_digest, payload_digest, payload_version, fingerprint, signs, sender,"
        " recipient, sender_plain, subject, text, sent_at, internal_ms, case_key, created_at,"
        " completed_at, number, generation) VALUES ($1, $2, $3, $4, $5, 'adopted', 'complete', '', "
        "0, '', "
        "'',"
        " 0, $6, 0, $7, '', $8, $9, '', $10, $11, $12, $11, $13, " NEXT_NUMBER ","
        " (SELECT CAST(value AS BIGINT) FROM meta WHERE name = 'generation'))";
    CLEANUP(str_clear) struct str plain = STR_INIT;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    address_canonical(str_slice(&l->c->from), &plain);
    TRY(stmt_open(l->w->store->db, insert, &s, err));
    stmt_text(s, 1, m->identity.key);
    stmt_text(s, 2, l->c->policy->mailbox);
    stmt_text(s, 3, key_source_text(m->identity.source));
    stmt_blob(s, 4, m->message_id);
    stmt_text(s, 5, disposition_text(m->first ? DISPOSITION_CASE : DISPOSITION_APPEND));
    stmt_text(s, 6, m->first ? m->fingerprint : "");
    bind_said(s, l, &plain);
    stmt_text(s, 12, l->case_key);
    stmt_int(s, 13, l->w->now.wall_ms);
    return stmt_run(s, NULL, err);
}

static enum rc add_listed(struct listing *l, const struct listed_mail *m, struct err *err)
{
    static const char insert[] =
        "INSERT INTO listed (key, mailbox, known_by, words) VALUES ($1, $2, $3, $4)";
    const struct listed_case *c = l->c;
    char known_by[DIGEST_HEX_SIZE] = "";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (m->message_id.len > 0)
        listed_by_id(m->message_id, known_by);
    else if (c->has_date)
        listed_by_words(str_slice(&c->from), str_slice(&c->subject), c->date_ms, known_by);
    TRY(stmt_open(l->w->store->db, insert, &s, err));
    stmt_text(s, 1, m->identity.key);
    stmt_text(s, 2, c->policy->mailbox);
    stmt_text(s, 3, known_by);
    stmt_text(s, 4, m->first ? m->words : "");
    return stmt_run(s, NULL, err);
}

static enum rc add_effect(struct listing *l,
                          const struct listed_mail *m,
                          enum effect_kind kind,
                          const char *target,
                          enum effect_status status,
                          struct err *err)
{
    static const char insert[] =
        "INSERT INTO effect (key, kind, target, status, reason, item_number)"
        " VALUES ($1, $2, $3, $4, $5, " NUMBER_OF("$1") ")";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(l->w->store->db, insert, &s, err));
    stmt_text(s, 1, m->identity.key);
    stmt_text(s, 2, effect_kind_text(kind));
    stmt_text(s, 3, target);
    stmt_text(s, 4, effect_status_text(status));
    stmt_text(s, 5, status == EFFECT_SKIPPED ? skip_text(SKIP_FROM_BEFORE) : "");
    return stmt_run(s, NULL, err);
}

/* So that a copy of it may be filed: every condition of its disposition, as a person said. */
static enum rc add_acceptance(struct listing *l, const struct listed_mail *m, struct err *err)
{
    static const char insert[] =
        "INSERT INTO acceptance (key, name, holds, value, judged_at, item_number)"
        " VALUES ($1, $2, 1, $3, $4, " NUMBER_OF("$1") ")";
    static const unsigned conditions[] = {FILED_CASE, FILED_FILES, FILED_ANSWERED};

    for (size_t i = 0; i < LENGTH(conditions); i++) {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(l->w->store->db, insert, &s, err));
        stmt_text(s, 1, m->identity.key);
        stmt_text(s, 2, filed_text(conditions[i]));
        stmt_text(s, 3, SAID);
        stmt_int(s, 4, l->w->now.wall_ms);
        TRY(stmt_run(s, NULL, err));
    }
    return RC_OK;
}

static enum rc add_case(struct listing *l, struct err *err)
{
    static const char insert[] =
        "INSERT INTO case_record (key, reference, mailbox, state, created_at)"
        " VALUES ($1, $2, $3, $4, $5)";
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(l->w->store->db, insert, &s, err));
        stmt_text(s, 1, l->case_key);
        stmt_text(s, 2, l->c->reference);
        stmt_text(s, 3, l->c->policy->mailbox);
        stmt_text(s, 4, l->c->closed ? "closed" : "open");
        stmt_int(s, 5, date_of(l));
        TRY(stmt_run(s, NULL, err));
    }
    return case_findable_add(l->w, l->case_key, l->c->reference, err);
}

static enum rc add_message(struct listing *l, const struct listed_mail *m, struct err *err)
{
    static const char insert[] =
        "INSERT INTO case_message (case_key, key, direction, message_id, sender, reply_to, subject,"
        " sent_at, text, created_at, item_number)"
        " VALUES ($1, $2, 'in', $3, $4, '', $5, $6, '', $7, " NUMBER_OF("$2") ")";
    const struct listed_case *c = l->c;
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(l->w->store->db, insert, &s, err));
        stmt_text(s, 1, l->case_key);
        stmt_text(s, 2, m->identity.key);
        stmt_blob(s, 3, m->message_id);
        stmt_slice(s, 4, str_slice(&c->from));
        stmt_slice(s, 5, str_slice(&c->subject));
        stmt_when(s, 6, c->has_date ? c->date_ms : NOT_DUE);
        stmt_int(s, 7, l->w->now.wall_ms);
        TRY(stmt_run(s, NULL, err));
    }
    return case_participant_add(l->w, l->case_key, c->policy, str_slice(&c->from), err);
}

/* The case is that mail's from here on. */
static enum rc begin_case(struct listing *l, struct listed_mail *m, struct err *err)
{
    if (!l->fingerprint[0] && m->words[0])
        TRY(find_alike(l, m->words, err));
    memcpy(l->case_key, m->identity.key, sizeof l->case_key);
    name_fingerprint(l, m);
    return RC_OK;
}

static enum rc add_case_rows(struct listing *l, const struct listed_mail *m, struct err *err)
{
    TRY(add_case(l, err));
    return add_effect(l, m, EFFECT_ACKNOWLEDGEMENT, "", EFFECT_SKIPPED, err);
}

static enum rc add_mail_rows(struct listing *l, const struct listed_mail *m, struct err *err)
{
    TRY(add_item(l, m, err));
    TRY(add_listed(l, m, err));
    TRY(add_effect(l, m, EFFECT_CASE, "ledger", EFFECT_DONE, err));
    TRY(add_acceptance(l, m, err));
    TRY(m->first ? add_case_rows(l, m, err) : RC_OK);
    return add_message(l, m, err);
}

/* What of all these rows later lines of the list are compared with. */
static void plan_rows(struct listing *l, const struct listed_mail *m)
{
    struct planned_mail mail = {.fingerprint = ""};
    struct planned_case made = {.mailbox = l->c->policy->mailbox};

    memcpy(mail.key, m->identity.key, sizeof mail.key);
    memcpy(mail.case_key, l->case_key, sizeof mail.case_key);
    if (m->first) {
        memcpy(mail.fingerprint, m->fingerprint, sizeof mail.fingerprint);
        memcpy(made.reference, l->c->reference, sizeof made.reference);
        memcpy(made.key, l->case_key, sizeof made.key);
        plan_add_case(l->plan, &made);
        plan_add_words(l->plan, made.mailbox, m->words, l->c, m->fingerprint);
    }
    plan_add_mail(l->plan, &mail);
}

static enum rc write_rows(struct listing *l, const struct listed_mail *m, struct err *err)
{
    TRY(add_mail_rows(l, m, err));
    return event_add(l->w,
                     &(struct event){.mailbox = l->c->policy->mailbox,
                                     .key = m->identity.key,
                                     .subject = "item",
                                     .what = "list",
                                     .to = item_state_text(ITEM_COMPLETE),
                                     .actor = actor_text(BY_PERSON)},
                     err);
}

static enum rc add_mail(struct listing *l, struct listed_mail *m, struct err *err)
{
    name_words(l->c, m->words);
    m->first = !l->case_key[0];
    TRY(m->first ? begin_case(l, m, err) : RC_OK);
    if (l->plan)
        plan_rows(l, m);
    else
        TRY(write_rows(l, m, err));
    l->made = l->made || m->first;
    l->more = true;
    return RC_OK;
}

/* ---- one case of the list --------------------------------------------------------------------- */

static struct identity name_id(const struct listing *l, struct slice message_id)
{
    return identity_message_id(policy_key_mailbox(l->c->policy), message_id);
}

/* A form may give one Message-ID to all that it sends. Where lines that speak against each other have one, it names
 * none of their mails. */
static enum rc look_at_its_id(struct listing *l, const char *key, struct err *err)
{
    static const char update[] =
        "UPDATE listed SET known_by = '' WHERE key = $1 AND known_by <> ''"
        " AND ((words <> '' AND $2 <> '' AND words <> $2) OR EXISTS (SELECT 1 FROM item"
        "  WHERE item.key = listed.key AND $3 = 1"
        "  AND (item.sent_at < $4 - $5 OR item.sent_at > $4 + $5)))";
    char words[DIGEST_HEX_SIZE];
    CLEANUP(stmt_done) struct stmt *s = NULL;

    name_words(l->c, words);
    TRY(stmt_open(l->w->store->db, update, &s, err));
    stmt_text(s, 1, key);
    stmt_text(s, 2, words);
    stmt_int(s, 3, l->c->has_date);
    stmt_int(s, 4, l->c->date_ms);
    stmt_int(s, 5, LISTED_NEAR_MS);
    return stmt_run(s, NULL, err);
}

/* Which of its mails is another case's? Before anything is written, since that says what it is like. */
static enum rc look_for_doubles(struct listing *l, struct err *err)
{
    struct slice rest = str_slice(&l->c->message_ids), id;

    while (slice_next(&rest, '\n', &id)) {
        const struct identity named = name_id(l, id);
        char fingerprint[DIGEST_HEX_SIZE];
        bool ours;
        enum rc rc = find_mail(l, named.key, &ours, fingerprint, err);

        if (rc != RC_OK && rc != RC_NOT_FOUND)
            return rc;
        if (rc == RC_NOT_FOUND || ours)
            continue;
        TRY(l->plan ? RC_OK : look_at_its_id(l, named.key, err));
        if (l->taken.len > 0)
            continue;
        l->taken = id;
        memcpy(l->fingerprint, fingerprint, sizeof fingerprint);
    }
    return RC_OK;
}

static enum rc list_mails(struct listing *l, struct err *err)
{
    struct slice rest = str_slice(&l->c->message_ids), id;

    while (slice_next(&rest, '\n', &id)) {
        struct listed_mail m = {.identity = name_id(l, id), .message_id = id};
        char fingerprint[DIGEST_HEX_SIZE];
        bool ours;
        enum rc rc = find_mail(l, m.identity.key, &ours, fingerprint, err);

        if (rc == RC_NOT_FOUND)
            rc = add_mail(l, &m, err);
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

/* None of its mails is its own: it goes by its reference. */
static enum rc list_by_reference(struct listing *l, struct err *err)
{
    struct listed_mail m = {.identity =
                                identity_listed(policy_key_mailbox(l->c->policy), l->c->reference),
                            .message_id = l->taken};

    return l->case_key[0] ? RC_OK : add_mail(l, &m, err);
}

/* As of one that is seen for the first time: it agrees with the ledger as it is. */
static enum rc make_mailbox(struct listing *l, struct err *err)
{
    static const char insert[] =
        "INSERT INTO mailbox (id, generation)"
        " SELECT $1, CAST(value AS BIGINT) FROM meta WHERE name = 'generation'"
        " ON CONFLICT (id) DO NOTHING";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(l->w->store->db, insert, &s, err));
    stmt_text(s, 1, l->c->policy->mailbox);
    return stmt_run(s, NULL, err);
}

static enum rc list_case(struct listing *l, struct err *err)
{
    TRY(l->plan ? RC_OK : make_mailbox(l, err));
    TRY(look_for_doubles(l, err));
    TRY(list_mails(l, err));
    return list_by_reference(l, err);
}

static enum listed_fate fate_of(const struct listing *l)
{
    if (l->made)
        return l->fingerprint[0] ? LISTED_DOUBLED : LISTED_NEW;
    return l->more ? LISTED_MORE : LISTED_THERE;
}

static enum rc list_one(struct listing *l, enum listed_fate *fate, struct err *err)
{
    enum rc rc = find_case(l, err);

    *fate = LISTED_REFUSED;
    if (rc != RC_OK)
        return rc == RC_REFUSED ? RC_OK : rc;
    TRY(list_case(l, err));
    *fate = fate_of(l);
    return RC_OK;
}

/* ---- the list --------------------------------------------------------------------------------- */

/* Who said so, once for all of one transaction. */
static enum rc
record(struct writing *w, const struct listed_request *request, const char *key, struct err *err)
{
    static const char insert[] =
        "INSERT INTO approval (key, decision, from_state, person,"
        " decided_at, undone_at) VALUES ($1, 'import-cases', $2, $3, $4, $4)"
        " RETURNING id";
    int64_t id;
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(w->store->db, insert, &s, err));
        stmt_text(s, 1, key);
        stmt_text(s, 2, item_state_text(ITEM_COMPLETE));
        stmt_text(s, 3, request->by);
        stmt_int(s, 4, w->now.wall_ms);
        TRY(stmt_id(s, &id, err));
    }
    const struct subject subject = subject_of("approval", id);

    return note_add(w, key, subject.text, request->why, err);
}

static enum rc list_all(struct writing *w,
                        struct listed_plan *plan,
                        const struct listed_request *request,
                        enum listed_fate *fate,
                        struct err *err)
{
    char first[KEY_SIZE] = "";

    for (size_t i = 0; i < request->count; i++) {
        struct listing l = {.w = w, .plan = plan, .c = &request->at[i]};

        TRY(list_one(&l, &fate[i], err));
        if (l.more && !first[0])
            memcpy(first, l.case_key, sizeof first);
    }
    return first[0] && !plan ? record(w, request, first, err) : RC_OK;
}

static enum rc list_once(void *self,
                         const struct listed_request *request,
                         struct instant now,
                         enum listed_fate *fate,
                         struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(list_all(&w, NULL, request, fate, err));
    /* From this commit on these cases are known; before it, the list is read again. */
    return writing_finish(&w, err);
}

/* It only reads, each time for itself: others go on writing meanwhile. */
static enum rc plan_once(struct store *store,
                         const struct listed_request *request,
                         struct instant now,
                         enum listed_fate *fate,
                         struct err *err)
{
    CLEANUP(listed_plan_clear) struct listed_plan plan = {.cases = NULL};
    struct writing none = WRITING_NONE; /* it never begins */

    none.store = store;
    none.now = now;
    return list_all(&none, &plan, request, fate, err);
}

enum rc operators_list_cases(void *self,
                             const struct listed_request *request,
                             struct instant now,
                             enum listed_fate *fate,
                             struct err *err)
{
    if (request->dry_run)
        return WRITE(self, plan_once(self, request, now, fate, err));
    TRY(people_named(request->by, request->why, err));
    return WRITE(self, list_once(self, request, now, fate, err));
}
