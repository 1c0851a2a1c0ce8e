/* SPDX-License-Identifier: Apache-2.0 */
#include "reserve.h"

#include "store_p.h"

static void hex_or_empty(const struct digest *d, char out[DIGEST_HEX_SIZE])
{
    out[0] = '\0';
    if (!digest_is_zero(d))
        digest_hex(d, out);
}

/* The columns are bound in four groups; texts must live until the row is written. */
struct item_texts {
    char octets[DIGEST_HEX_SIZE], source[DIGEST_HEX_SIZE];
    char payload[DIGEST_HEX_SIZE], fingerprint[DIGEST_HEX_SIZE];
};

static void bind_identity(struct stmt *s, const struct item_row *row)
{
    const struct verdict *v = row->verdict;

    stmt_text(s, 1, v->identity.key);
    stmt_text(s, 2, row->arrival->mailbox);
    stmt_text(s, 3, key_source_text(v->identity.source));
    stmt_blob(s, 4, row->arrival->message_id);
    stmt_text(s, 5, disposition_text(v->disposition));
    stmt_text(s, 6, item_state_text(v->state));
    stmt_text(s, 7, reason_text(v->reason));
    stmt_text(s, 8, row->first_key);
}

static void bind_digests(struct stmt *s, const struct item_row *row, struct item_texts *t)
{
    const struct message *m = row->arrival->message;
    struct digest fingerprint = {{0}};

    if (m)
        fingerprint = message_fingerprint(m);
    hex_or_empty(&row->arrival->octets, t->octets);
    hex_or_empty(&row->arrival->source_digest, t->source);
    hex_or_empty(&row->known->payload, t->payload);
    hex_or_empty(&fingerprint, t->fingerprint);
    stmt_text(s, 9, t->octets);
    stmt_int(s, 10, row->arrival->size);
    stmt_text(s, 11, t->source);
    stmt_text(s, 12, t->payload);
    stmt_int(s, 13, m ? PAYLOAD_DIGEST_VERSION : 0);
    stmt_text(s, 14, t->fingerprint);
}

/* A muted sender's mail is one that was held and has been decided. */
static enum disposition arrived_as(const struct verdict *v)
{
    bool muted = v->flood && v->disposition == DISPOSITION_DISMISSED;

    return muted ? DISPOSITION_HELD : v->disposition;
}

static void bind_message(struct stmt *s, const struct item_row *row)
{
    static const struct message none = MESSAGE_INIT;
    const struct message *m = row->arrival->message ? row->arrival->message : &none;

    stmt_int(s, 15, m->signs);
    stmt_slice(s, 16, message_slice(m, m->from));
    stmt_slice(s, 17, policy_recipient(m));
    stmt_slice(s, 18, str_slice(&row->known->sender));
    stmt_slice(s, 19, str_slice(&row->known->recipient));
    stmt_text(s, 20, row->known->names_ack);
    stmt_slice(s, 21, message_slice(m, m->subject));
    stmt_slice(s, 22, message_slice(m, m->text));
    stmt_when(s, 23, m->has_date ? m->date_ms : NOT_DUE);
    stmt_int(s, 24, row->arrival->internal_ms);
    stmt_slice(s, 32, message_slice(m, m->author));
    stmt_text(s, 33, disposition_text(arrived_as(row->verdict)));
}

static void bind_lease(struct writing *w, struct stmt *s, const struct item_row *row)
{
    bool complete = row->verdict->state == ITEM_COMPLETE;

    stmt_text(s, 25, complete ? NULL : w->run);
    stmt_when(s, 26, complete ? NOT_DUE : w->lease_now_ms + row->lease_ms);
    stmt_int(s, 27, complete ? 0 : 1);
    stmt_when(s, 28, complete ? NOT_DUE : w->now.wall_ms);
    stmt_int(s, 29, w->now.wall_ms);
    stmt_when(s, 30, complete ? w->now.wall_ms : NOT_DUE);
    stmt_text(s, 31, row->known->languages);
}

static enum rc
insert_item(struct writing *w, const struct item_row *row, bool *won, struct err *err)
{
    static const char insert[] =
        "INSERT INTO item (key, mailbox, key_source, message_id, disposition, arrived_as, state,"
        " reason, first_key, octets, size, source_digest, payload_digest, payload_version,"
        " fingerprint, signs, sender, recipient, sender_plain, recipient_plain, names_ack,"
        " subject, text, sent_at, internal_ms, lease_run, lease_boot, fence, next_due,"
        " created_at, completed_at, languages, author, number, generation)"
        " VALUES ($1, $2, $3, $4, $5, $33, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,"
        " $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, " NEXT_NUMBER
        ","
        " (SELECT CAST(value AS BIGINT) FROM meta WHERE name = 'generation'))"
        " ON CONFLICT (key) DO NOTHING RETURNING key";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct item_texts texts;

    TRY(stmt_open(w->store->db, insert, &s, err));
    bind_identity(s, row);
    bind_digests(s, row, &texts);
    bind_message(s, row);
    bind_lease(w, s, row);
    enum rc rc = stmt_row(s, err);

    *won = rc == RC_OK;
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    return stmt_run(s, NULL, err);
}

enum rc item_add(struct writing *w, const struct item_row *row, bool *won, struct err *err)
{
    TRY(insert_item(w, row, won, err));
    if (!*won)
        return RC_OK;
    return event_add(w,
                     &(struct event){.mailbox = row->arrival->mailbox,
                                     .key = row->verdict->identity.key,
                                     .subject = "item",
                                     .what = "reserve",
                                     .to = item_state_text(row->verdict->state),
                                     .actor = actor_text(BY_SERVICE)},
                     err);
}
