/* SPDX-License-Identifier: Apache-2.0 */
#include "mailboxes.h"

#include <stdio.h>
#include <string.h>

static const char *const services[] = {CIRCUIT_OF_LIST(CIRCUIT_WORD)};

static enum rc circuit_of(struct stmt *s, struct mailbox_record *record, struct err *err)
{
    for (size_t i = 0; i < CIRCUIT_OF_COUNT; i++) {
        struct circuit *c = &record->circuit[i];

        if (strcmp(col_text(s, "service"), services[i]) != 0)
            continue;
        if (!circuit_state_parse(col_text(s, "state"), &c->state))
            return FAIL(err, RC_BROKEN, "ledger: a circuit of %s is in no state", record->id);
        c->failures = (unsigned)col_int(s, "failures");
        c->since_ms = col_int(s, "since");
        c->next_probe_ms = col_int(s, "next_probe");
        return COL_COPY(s, "reason", c->reason, err);
    }
    return RC_OK;
}

enum rc circuits_read(struct db *db, struct mailbox_record *record, struct err *err)
{
    static const char find[] = "SELECT service, state, failures, since, next_probe, reason"
                               " FROM circuit WHERE mailbox = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, record->id);
    while ((rc = stmt_row(s, err)) == RC_OK)
        TRY(circuit_of(s, record, err));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* One that stands there as it is is left alone: that is nearly each of them, with every result. */
static enum rc write_circuit(struct writing *w,
                             const char *mailbox,
                             const char *service,
                             const struct circuit *c,
                             struct err *err)
{
    static const char set[] =
        "INSERT INTO circuit (mailbox, service, state, failures, since, next_probe, reason)"
        " SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT EXISTS (SELECT 1 FROM circuit"
        "  WHERE mailbox = $1 AND service = $2 AND state = $3 AND failures = $4 AND since = $5"
        "  AND next_probe = $6 AND reason = $7)"
        " ON CONFLICT (mailbox, service) DO UPDATE SET"
        " state = excluded.state, failures = excluded.failures, since = excluded.since,"
        " next_probe = excluded.next_probe, reason = excluded.reason";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, set, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_text(s, 2, service);
    stmt_text(s, 3, circuit_state_text(c->state));
    stmt_int(s, 4, c->failures);
    stmt_int(s, 5, c->since_ms);
    stmt_int(s, 6, c->next_probe_ms);
    stmt_text(s, 7, c->reason);
    return stmt_run(s, NULL, err);
}

/* Digests, blanks between. */
static void join(const char digest[STREAK_LENGTH][DIGEST_HEX_SIZE], unsigned count, struct str *out)
{
    for (unsigned i = 0; i < count && i < STREAK_LENGTH; i++)
        str_addf(out, "%s%s", i > 0 ? " " : "", digest[i]);
}

static enum rc write_streak(struct writing *w, const struct mailbox_record *record, struct err *err)
{
    static const char update[] = "UPDATE mailbox SET streak_code = $1, streak_length = $2,"
                                 " streak_recipients = $3, streak_keys = $4 WHERE id = $5";
    const struct streak *streak = &record->streak;
    CLEANUP(str_clear) struct str recipients = STR_INIT;
    CLEANUP(str_clear) struct str keys = STR_INIT;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    join(streak->recipient, streak->length, &recipients);
    join(streak->effect, streak->length, &keys);
    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, streak->code);
    stmt_int(s, 2, streak->length);
    stmt_text(s, 3, str_z(&recipients));
    stmt_text(s, 4, str_z(&keys));
    stmt_text(s, 5, record->id);
    return stmt_one(s, "a mailbox", err);
}

enum rc circuits_write(struct writing *w, const struct mailbox_record *record, struct err *err)
{
    for (size_t i = 0; i < CIRCUIT_OF_COUNT; i++)
        TRY(write_circuit(w, record->id, services[i], &record->circuit[i], err));
    return write_streak(w, record, err);
}
