/* SPDX-License-Identifier: Apache-2.0 */
#include "case_rows.h"

#include "store_p.h"

#include <stdio.h>
#include <string.h>

#define LISTED_MAX 50 /* addresses of one field that take part */

/* ---- the record ---------------------------------------------------------------------------- */

static enum rc try_reference(
    struct writing *w, const struct planned *p, const char *reference, bool *made, struct err *err)
{
    static const char insert[] =
        "INSERT INTO case_record (key, reference, mailbox, state, created_at)"
        " VALUES ($1, $2, $3, 'open', $4) ON CONFLICT (reference) DO NOTHING RETURNING key";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, p->key);
    stmt_text(s, 2, reference);
    stmt_text(s, 3, p->arrival->mailbox);
    stmt_int(s, 4, w->now.wall_ms);
    enum rc rc = stmt_row(s, err);

    *made = rc == RC_OK;
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    return stmt_run(s, NULL, err);
}

/* So that it can be found by its sender's words. */
static enum rc add_number(struct writing *w, const char *key, int64_t *number, struct err *err)
{
    static const char insert[] =
        "INSERT INTO case_number (key, item_number) VALUES ($1, " NUMBER_OF(
            "$1") ") RETURNING number AS id";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, key);
    return stmt_id(s, number, err);
}

enum rc
case_findable_add(struct writing *w, const char *key, const char *reference, struct err *err)
{
    static const char insert[] = "INSERT INTO case_search (rowid, reference, sender, subject)"
                                 " SELECT $1, $2, sender, subject FROM item WHERE key = $3";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    int64_t number;

    TRY(add_number(w, key, &number, err));
    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_int(s, 1, number);
    stmt_text(s, 2, reference);
    stmt_text(s, 3, key);
    return stmt_run(s, NULL, err);
}

static enum rc make_case(struct writing *w,
                         const struct planned *p,
                         char reference[REFERENCE_SIZE],
                         struct err *err)
{
    for (int digits = REFERENCE_DIGITS; digits <= REFERENCE_DIGITS_MAX; digits += 2) {
        bool made;

        reference_of(p->policy->reference_prefix, p->key, digits, reference);
        TRY(try_reference(w, p, reference, &made, err));
        if (made)
            return case_findable_add(w, p->key, reference, err);
    }
    return FAIL(err, RC_BROKEN, "ledger: item %.12s gets no reference: all are taken", p->key);
}

/* ---- who takes part ------------------------------------------------------------------------ */

enum rc case_participant_add(struct writing *w,
                             const char *case_key,
                             const struct policy *policy,
                             struct slice address,
                             struct err *err)
{
    static const char insert[] = "INSERT INTO case_participant (case_key, address, item_number)"
                                 " VALUES ($1, $2, " NUMBER_OF("$1") ") ON CONFLICT DO NOTHING";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(str_clear) struct str plain = STR_INIT;

    if (address.len == 0 || address_matches(address, &policy->own_addresses))
        return RC_OK;
    address_canonical(address, &plain);
    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, case_key);
    stmt_slice(s, 2, str_slice(&plain));
    return stmt_run(s, NULL, err);
}

static enum rc add_listed(struct writing *w,
                          const struct planned *p,
                          const char *case_key,
                          struct slice list,
                          struct err *err)
{
    struct slice address;

    for (int n = 0; n < LISTED_MAX && message_next(&list, &address); n++)
        TRY(case_participant_add(w, case_key, p->policy, address, err));
    return RC_OK;
}

/* From, Reply-To, To and Cc. Of mail by a list only From: the rest may be the list. */
static enum rc
add_participants(struct writing *w, const struct planned *p, const char *case_key, struct err *err)
{
    const struct message *m = p->arrival->message;
    const struct span lists[] = {m->reply_to, m->to, m->cc};

    TRY(case_participant_add(w, case_key, p->policy, message_slice(m, m->from), err));
    if (m->signs & SIGN_LIST_HEADER)
        return RC_OK;
    for (size_t i = 0; i < LENGTH(lists); i++)
        TRY(add_listed(w, p, case_key, message_slice(m, lists[i]), err));
    return RC_OK;
}

/* ---- its message --------------------------------------------------------------------------- */

static enum rc
add_message(struct writing *w, const struct planned *p, const char *case_key, struct err *err)
{
    static const char insert[] =
        "INSERT INTO case_message (case_key, key, direction, message_id, sender, reply_to,"
        " subject, sent_at, text, created_at, item_number)"
        " VALUES ($1, $2, 'in', $3, $4, $5, $6, $7, $8, $9, " NUMBER_OF("$2") ")";
    const struct message *m = p->arrival->message;
    struct slice reply_to = message_slice(m, m->reply_to), first = SLICE_EMPTY;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    message_next(&reply_to, &first);
    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, case_key);
    stmt_text(s, 2, p->key);
    stmt_blob(s, 3, p->arrival->message_id);
    stmt_slice(s, 4, message_slice(m, m->from));
    stmt_slice(s, 5, first);
    stmt_slice(s, 6, message_slice(m, m->subject));
    stmt_when(s, 7, m->has_date ? m->date_ms : NOT_DUE);
    stmt_slice(s, 8, message_slice(m, m->text));
    stmt_int(s, 9, w->now.wall_ms);
    return stmt_run(s, NULL, err);
}

/* A reply by somebody who may opens a closed case. */
static enum rc reopen(struct writing *w, const struct planned *p, struct err *err)
{
    static const char update[] =
        "UPDATE case_record SET state = 'open' WHERE key = $1 AND state = 'closed'";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (p->named->open)
        return RC_OK;
    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, p->named->key);
    TRY(stmt_one(s, "a case", err));
    return event_add(w,
                     &(struct event){.mailbox = p->arrival->mailbox,
                                     .key = p->named->key,
                                     .subject = "case",
                                     .what = "reopen",
                                     .from = "closed",
                                     .to = "open",
                                     .actor = actor_text(BY_SERVICE)},
                     err);
}

/* ---- reports and links --------------------------------------------------------------------- */

static enum rc add_report(struct writing *w, const struct planned *p, struct err *err)
{
    static const char insert[] = "INSERT INTO bounce (key, report_key, action, recorded_at)"
                                 " VALUES ($1, $2, $3, $4)";
    const struct message *m = p->arrival->message;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, p->named->acknowledged_key);
    stmt_text(s, 2, p->key);
    stmt_slice(s, 3, message_slice(m, m->report_action));
    stmt_int(s, 4, w->now.wall_ms);
    return stmt_run(s, NULL, err);
}

enum rc case_link_add(
    struct writing *w, const char *from_key, const char *to_key, const char *kind, struct err *err)
{
    static const char insert[] = "INSERT INTO case_link (from_key, to_key, kind, made_at)"
                                 " VALUES ($1, $2, $3, $4)"
                                 " ON CONFLICT (from_key, to_key, kind) DO NOTHING";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, from_key);
    stmt_text(s, 2, to_key);
    stmt_text(s, 3, kind);
    stmt_int(s, 4, w->now.wall_ms);
    return stmt_run(s, NULL, err);
}

static enum rc add_case(struct writing *w,
                        const struct planned *p,
                        char reference[REFERENCE_SIZE],
                        struct err *err)
{
    TRY(make_case(w, p, reference, err));
    TRY(add_message(w, p, p->key, err));
    TRY(add_participants(w, p, p->key, err));
    if (!p->verdict->linked || !p->named)
        return RC_OK;
    /* a stranger's, or a matter that a participant forwards */
    bool closed = p->named->participant && !p->named->open;
    return case_link_add(w, p->key, p->named->key, closed ? "closed" : "stranger", err);
}

enum rc case_rows_add(struct writing *w,
                      const struct planned *p,
                      const char **case_key,
                      char reference[REFERENCE_SIZE],
                      struct err *err)
{
    *case_key = NULL;
    reference[0] = '\0';
    if (p->verdict->disposition == DISPOSITION_CASE) {
        *case_key = p->key;
        return add_case(w, p, reference, err);
    }
    if (!p->verdict->joins || !p->named)
        return RC_OK;
    *case_key = p->named->key;
    snprintf(reference, REFERENCE_SIZE, "%s", p->named->reference);
    if (p->verdict->disposition == DISPOSITION_REPORT)
        return add_report(w, p, err);
    if (p->verdict->disposition != DISPOSITION_APPEND)
        return RC_OK;
    TRY(add_message(w, p, p->named->key, err));
    TRY(add_participants(w, p, p->named->key, err));
    return reopen(w, p, err);
}
