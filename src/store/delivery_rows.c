/* SPDX-License-Identifier: Apache-2.0 */
#include "reserve.h"

#include "store_p.h"

#include <stdio.h>
#include <string.h>

static enum rc read_reservation(struct stmt *s, struct reservation *out, struct err *err)
{
    *out = (struct reservation){.delivery = col_int(s, "id"),
                                .octets_wanted = col_int(s, "octets_wanted") == 1};
    TRY(COL_COPY(s, "key", out->key, err));
    TRY(COL_COPY(s, "reference", out->reference, err));
    if (!delivery_class_parse(col_text(s, "class"), &out->class) ||
        !disposition_parse(col_text(s, "disposition"), &out->disposition) ||
        !item_state_parse(col_text(s, "state"), &out->state))
        return FAIL(err, RC_BROKEN, "ledger: delivery %lld is of no class or its item in no state",
                    (long long)out->delivery);
    out->reserved = out->state == ITEM_COMPLETE ? RESERVED_SETTLED : RESERVED_HELD;
    return RC_OK;
}

enum rc delivery_recorded(struct db *db,
                          const struct arrival *arrival,
                          struct reservation *out,
                          struct err *err)
{
    static const char find[] =
        "SELECT delivery.id, delivery.key, case_record.reference, delivery.class,"
        " item.disposition, item.state,"
        " CASE WHEN item.original_kept = 0 AND item.octets = delivery.octets"
        " AND item.disposition <> 'adopted' THEN 1 ELSE 0 END AS octets_wanted FROM delivery"
        " JOIN item ON item.key = delivery.key"
        " LEFT JOIN case_record ON case_record.key = item.case_key"
        " WHERE delivery.mailbox = $1 AND delivery.folder = $2 AND delivery.uidvalidity = $3"
        " AND delivery.uid = $4 AND delivery.class <> 'replayed' AND delivery.stale = 0";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, arrival->mailbox);
    stmt_text(s, 2, arrival->folder);
    stmt_int(s, 3, arrival->uidvalidity);
    stmt_int(s, 4, arrival->uid);
    TRY(stmt_row(s, err));
    return read_reservation(s, out, err);
}

/* ---- a new one ----------------------------------------------------------------------------- */

static enum rc add_line(struct writing *w,
                        const struct arrival *arrival,
                        const struct delivery_row *row,
                        int64_t id,
                        struct err *err)
{
    struct subject subject = subject_of("delivery", id);

    if (row->won)
        return RC_OK;
    return event_add(w,
                     &(struct event){.mailbox = arrival->mailbox,
                                     .key = row->key,
                                     .subject = subject.text,
                                     .what = delivery_class_text(row->class),
                                     .to = "duplicate",
                                     .actor = actor_text(BY_SERVICE)},
                     err);
}

static void bind_source(struct stmt *s, const struct arrival *arrival)
{
    stmt_text(s, 2, arrival->mailbox);
    stmt_text(s, 3, arrival->folder);
    stmt_int(s, 4, arrival->uidvalidity);
    stmt_int(s, 5, arrival->uid);
    stmt_int(s, 6, arrival->internal_ms);
    stmt_int(s, 7, arrival->size);
}

/* No row back: another run recorded it meanwhile. Its item is not ours to make. */
static enum rc returned_id(struct stmt *s, int64_t *id, struct err *err)
{
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, RC_CONFLICT, "ledger: the delivery was recorded by another run");
    if (rc != RC_OK)
        return rc;
    *id = col_int(s, "id");
    return stmt_run(s, NULL, err);
}

enum rc delivery_add(struct writing *w,
                     const struct arrival *arrival,
                     const struct delivery_row *row,
                     int64_t *id,
                     struct err *err)
{
    static const char insert[] =
        "INSERT INTO delivery (key, mailbox, folder, uidvalidity, uid, internal_ms, size, octets,"
        " class, won, move_to, left_folder, run, seen_at, item_number)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, " NUMBER_OF(
            "$1") ")"
                  " ON CONFLICT DO NOTHING RETURNING id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char octets[DIGEST_HEX_SIZE] = "";

    if (!digest_is_zero(&arrival->octets))
        digest_hex(&arrival->octets, octets);
    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, row->key);
    bind_source(s, arrival);
    stmt_text(s, 8, octets);
    stmt_text(s, 9, delivery_class_text(row->class));
    stmt_int(s, 10, row->won);
    stmt_text(s, 11, row->move_to);
    stmt_int(s, 12, arrival->filed);
    stmt_text(s, 13, w->run);
    stmt_int(s, 14, w->now.wall_ms);
    TRY(returned_id(s, id, err));
    return add_line(w, arrival, row, *id, err);
}
