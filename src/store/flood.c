/* SPDX-License-Identifier: Apache-2.0 */
#include "flood.h"

#include "store_p.h"

#include <string.h>

static void digest_of(struct slice sender, char out[DIGEST_HEX_SIZE])
{
    struct digest digest = sha256_of(sender);

    digest_hex(&digest, out);
}

enum rc flood_read(struct db *db,
                   const struct arrival *arrival,
                   struct slice sender,
                   int64_t window_ms,
                   enum flood *out,
                   struct err *err)
{
    static const char find[] = "SELECT said FROM flood WHERE mailbox = $1 AND sender = $2"
                               " AND last > $3 AND said <> ''";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char digest[DIGEST_HEX_SIZE];

    *out = FLOOD_UNDECIDED;
    digest_of(sender, digest);
    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, arrival->mailbox);
    stmt_text(s, 2, digest);
    stmt_int(s, 3, arrival->internal_ms - window_ms);
    enum rc rc = stmt_row(s, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    *out = strcmp(col_text(s, "said"), "mute") == 0 ? FLOOD_MUTED : FLOOD_LET_THROUGH;
    return RC_OK;
}

/* A flood that was over begins anew: what was said about the last one means nothing for it. */
enum rc flood_note(struct writing *w,
                   const struct arrival *arrival,
                   struct slice sender,
                   int64_t window_ms,
                   struct err *err)
{
    static const char upsert[] =
        "INSERT INTO flood (mailbox, sender, said, last) VALUES ($1, $2, '', $3)"
        " ON CONFLICT (mailbox, sender) DO UPDATE SET"
        " said = CASE WHEN flood.last > $4 THEN flood.said ELSE '' END,"
        " last = CASE WHEN flood.last > $3 THEN flood.last ELSE $3 END";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char digest[DIGEST_HEX_SIZE];

    digest_of(sender, digest);
    TRY(stmt_open(w->store->db, upsert, &s, err));
    stmt_text(s, 1, arrival->mailbox);
    stmt_text(s, 2, digest);
    stmt_int(s, 3, arrival->internal_ms);
    stmt_int(s, 4, arrival->internal_ms - window_ms);
    return stmt_run(s, NULL, err);
}

static const char *word_of(enum decision decision)
{
    if (decision == DECIDE_MUTE)
        return "mute";
    return decision == DECIDE_LET_THROUGH ? "let-through" : "";
}

struct sender {
    char mailbox[NAME_SIZE], digest[DIGEST_HEX_SIZE];
};

static enum rc find_sender(struct db *db, const char *key, struct sender *out, struct err *err)
{
    static const char find[] = "SELECT mailbox, sender_plain FROM item WHERE key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, key);
    TRY(stmt_row(s, err));
    digest_of(col_slice(s, "sender_plain"), out->digest);
    return COL_COPY(s, "mailbox", out->mailbox, err);
}

enum rc flood_say(struct writing *w, const char *key, enum decision decision, struct err *err)
{
    static const char update[] = "UPDATE flood SET said = $1 WHERE mailbox = $2 AND sender = $3";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct sender sender;

    TRY(find_sender(w->store->db, key, &sender, err));
    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, word_of(decision));
    stmt_text(s, 2, sender.mailbox);
    stmt_text(s, 3, sender.digest);
    return stmt_run(s, NULL, err);
}
