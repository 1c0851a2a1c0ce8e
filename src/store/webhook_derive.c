/* SPDX-License-Identifier: Apache-2.0 */
#include "webhooks_p.h"

#include <stdlib.h>
#include <string.h>

/* Lines of the chain that one transaction looks at: the write lock is held for a few milliseconds. */
#define LINES_AT_ONCE 200

/* A line that makes posts. */
struct found {
    int64_t number;
    char key[KEY_SIZE], hash[DIGEST_HEX_SIZE], reason[32];
    unsigned events;
};

struct deriving {
    struct store *store;
    const struct webhook_wish *wish;
    int64_t from, to; /* the lines (from, to] are looked at */
    struct found found[LINES_AT_ONCE];
    size_t count;
};

static bool wants_mailbox(const struct webhook_wish *w, const char *mailbox)
{
    for (size_t i = 0; i < w->mailboxes; i++)
        if (strcmp(w->mailbox[i], mailbox) == 0)
            return true;
    return w->mailboxes == 0;
}

static enum rc read_place(struct deriving *d, bool *more, struct err *err)
{
    static const char find[] =
        "SELECT read_to, (SELECT COALESCE(MAX(number), 0) FROM event) AS last FROM webhook"
        " WHERE name = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(d->store->db, find, &s, err));
    stmt_text(s, 1, d->wish->name);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "ledger: no webhook '%s' is enlisted", d->wish->name);
    if (rc != RC_OK)
        return rc;
    d->from = col_int(s, "read_to");
    int64_t last = col_int(s, "last");
    d->to = last - d->from > LINES_AT_ONCE ? d->from + LINES_AT_ONCE : last;
    *more = d->to < last;
    return RC_OK;
}

static enum rc note_line(struct deriving *d, struct stmt *s, unsigned events, struct err *err)
{
    struct found *f = &d->found[d->count++];

    f->number = col_int(s, "number");
    f->events = events;
    TRY(COL_COPY(s, "key", f->key, err));
    TRY(COL_COPY(s, "hash", f->hash, err));
    return COL_COPY(s, "reason", f->reason, err);
}

static enum rc read_line(struct deriving *d, struct stmt *s, struct err *err)
{
    char arrived_as[16], key_source[16], subject[40], what[40], from[24], to[24];

    TRY(COL_COPY(s, "arrived_as", arrived_as, err));
    TRY(COL_COPY(s, "key_source", key_source, err));
    TRY(COL_COPY(s, "subject", subject, err));
    TRY(COL_COPY(s, "what", what, err));
    TRY(COL_COPY(s, "from_state", from, err));
    TRY(COL_COPY(s, "to_state", to, err));
    const struct webhook_line line = {subject, what, from, to, arrived_as, key_source};
    unsigned events = webhook_events_of(&line) & d->wish->events;

    if (events == 0 || !wants_mailbox(d->wish, col_text(s, "mailbox")))
        return RC_OK;
    return note_line(d, s, events, err);
}

/* Only lines about mails and cases: what their steps went through is nobody's event. */
static enum rc read_lines(struct deriving *d, struct err *err)
{
    static const char find[] =
        "SELECT event.number, event.key, event.mailbox, event.subject, event.what,"
        " event.from_state, event.to_state, event.hash, item.arrived_as, item.key_source,"
        " item.reason FROM event JOIN item ON item.key = event.key"
        " WHERE event.number > $1 AND event.number <= $2 AND (event.subject IN ('item', 'case')"
        " OR event.to_state = 'duplicate') ORDER BY event.number";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(d->store->db, find, &s, err));
    stmt_int(s, 1, d->from);
    stmt_int(s, 2, d->to);
    while ((rc = stmt_row(s, err)) == RC_OK)
        TRY(read_line(d, s, err));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc add_post(struct deriving *d,
                        const struct found *f,
                        enum webhook_event event,
                        struct instant now,
                        struct err *err)
{
    static const char insert[] =
        "INSERT INTO webhook_outbox (message_id, webhook, key, event, type, reason, status,"
        " created_at) VALUES ($1, $2, $3, $4, $5, $6, 'planned', $7)"
        " ON CONFLICT (message_id) DO NOTHING";
    bool waits = event == WEBHOOK_ASKS || event == WEBHOOK_CONFLICT;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char id[WEBHOOK_ID_SIZE];

    webhook_id(d->wish->name, f->hash, event, id);
    TRY(stmt_open(d->store->db, insert, &s, err));
    stmt_text(s, 1, id);
    stmt_text(s, 2, d->wish->name);
    stmt_text(s, 3, f->key);
    stmt_int(s, 4, f->number);
    stmt_text(s, 5, webhook_event_text(event));
    stmt_text(s, 6, waits ? f->reason : "");
    stmt_int(s, 7, now.wall_ms);
    return stmt_run(s, NULL, err);
}

static enum rc add_posts(struct deriving *d, struct instant now, struct err *err)
{
    for (size_t i = 0; i < d->count; i++)
        for (unsigned event = 0; event < WEBHOOK_EVENT_COUNT; event++)
            if (d->found[i].events & 1u << event)
                TRY(add_post(d, &d->found[i], (enum webhook_event)event, now, err));
    return RC_OK;
}

/* Another that came first has made them. */
static enum rc go_on_from(struct deriving *d, struct err *err)
{
    static const char update[] = "UPDATE webhook SET read_to = $1 WHERE name = $2 AND read_to = $3";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(d->store->db, update, &s, err));
    stmt_int(s, 1, d->to);
    stmt_text(s, 2, d->wish->name);
    stmt_int(s, 3, d->from);
    return stmt_one(s, "a webhook", err);
}

static enum rc derive(struct deriving *d, struct instant now, bool *more, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(read_place(d, more, err));
    if (d->to == d->from) /* nothing has happened: the write lock is left to those who work */
        return RC_OK;
    TRY(tx_begin_in(d->store->db, "webhooks:", &tx, err));
    TRY(read_place(d, more, err));
    TRY(read_lines(d, err));
    TRY(add_posts(d, now, err));
    TRY(go_on_from(d, err));
    return tx_commit_plain(&tx, err);
}

static enum rc derive_once(
    void *self, const struct webhook_wish *wish, struct instant now, bool *more, struct err *err)
{
    CLEANUP(mem_free) struct deriving *d = mem_new(1, sizeof *d);

    d->store = self;
    d->wish = wish;
    return derive(d, now, more, err);
}

enum rc webhooks_derive(
    void *self, const struct webhook_wish *wish, struct instant now, bool *more, struct err *err)
{
    return WRITE(self, derive_once(self, wish, now, more, err));
}
