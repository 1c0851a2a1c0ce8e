/* SPDX-License-Identifier: Apache-2.0 */
#include "postgres_fault.h"
#include "postgres_p.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define BROKEN_OFF "57014"

/* A transaction holds everybody else up; a report may take its time. */
#define SILENCE_IN_TX_S 60
#define SILENCE_S       600

bool postgres_good(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

/* Waits until the socket has something for us, or takes something from us. False: silence. */
static bool wait_for(struct postgres *db, short events)
{
    int left = db->in_tx ? SILENCE_IN_TX_S : SILENCE_S;
    struct pollfd fd = {PQsocket(db->connection), events, 0};

    for (; left > 0 && fd.fd >= 0; left--) {
        int ready = poll(&fd, 1, 1000);

        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
    return false;
}

static bool flush(struct postgres *db)
{
    int left;

    while ((left = PQflush(db->connection)) == 1)
        if (!wait_for(db, POLLIN | POLLOUT) || !PQconsumeInput(db->connection))
            return false;
    return left == 0;
}

static bool arrived(struct postgres *db)
{
    while (PQisBusy(db->connection))
        if (!wait_for(db, POLLIN) || !PQconsumeInput(db->connection))
            return false;
    return true;
}

static PGresult *better(PGresult *before, PGresult *now)
{
    if (before != NULL && !postgres_good(before)) {
        PQclear(now);
        return before;
    }
    PQclear(before);
    return now;
}

static PGresult *lost(struct postgres *db, PGresult *result)
{
    PQclear(result);
    postgres_disconnect(db);
    return NULL;
}

/* An answer that came before the connection went is an answer. */
PGresult *postgres_answer(struct postgres *db)
{
    PGresult *last = NULL;

    if (!flush(db))
        return lost(db, NULL);
    for (;;) {
        if (!arrived(db))
            return lost(db, last);

        PGresult *next = PQgetResult(db->connection);

        if (next == NULL)
            break;
        last = better(last, next);
    }
    if (PQstatus(db->connection) != CONNECTION_OK) {
        const char *state = PQresultErrorField(last, PG_DIAG_SQLSTATE);

        if (state == NULL && !(last != NULL && postgres_good(last)))
            return lost(db, last);
        postgres_disconnect(db);
    }
    return last;
}

PGresult *postgres_ask(struct postgres *db, const char *sql)
{
    if (!PQsendQuery(db->connection, sql))
        return lost(db, NULL);
    return postgres_answer(db);
}

void postgres_says(const char *message, struct str *out)
{
    size_t len = strcspn(message, "\r\n");

    str_add(out, slice_trim((struct slice){message, len}));
}

/* What a value was is nobody's business: the text of a data exception is left out. */
enum rc postgres_failure(
    struct postgres *db, const PGresult *result, bool at_commit, const char *where, struct err *err)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const struct postgres_fault *fault = postgres_fault_of(state);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    enum rc rc = at_commit ? fault->at_commit : fault->rc;

    db->db.passing = fault->passing;
    if (state != NULL && strcmp(state, BROKEN_OFF) == 0 && db->db.longest_ms > 0 && !at_commit)
        return db_took_too_long(&db->db, err);
    if (state == NULL)
        return err_set(err, rc, where, "ledger '%s': %s%s", db->db.path, fault->remedy,
                       postgres_became(rc));
    return err_set(err, rc, where, "ledger '%s': %s%s (%s%s%s)", db->db.path, fault->remedy,
                   postgres_became(rc), text != NULL && strncmp(state, "22", 2) != 0 ? text : "",
                   text != NULL && strncmp(state, "22", 2) != 0 ? ", " : "", state);
}
