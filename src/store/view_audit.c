/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

#include <onecase/blobs.h>

/* ---- what must stand on the disk ------------------------------------------------------------ */

static void
add_file(struct stmt *s, struct view *view, struct view_rows *rows, const char path[BLOB_PATH_SIZE])
{
    struct view_file *f = view_rows_add(view, rows);
    f->key = view_text(view, col_text(s, "key"));
    f->sha256 = view_text(view, col_text(s, "sha256"));
    f->path = view_text(view, path);
}

/* Keys are lower-case hex: what comes after 'f' is beyond all that begin alike. */
#define KEYS "key >= $1 AND key < $1 || 'g' AND "

static enum rc originals(
    struct db *db, const char *keys, struct view *view, struct view_rows *rows, struct err *err)
{
    static const char find[] = "SELECT key, octets AS sha256 FROM item WHERE " KEYS
                               "original_kept = 1 AND octets <> '' AND original_gone IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char path[BLOB_PATH_SIZE];
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, keys);
    EACH_ROW(s, rc, err)
    {
        blob_path_original(col_text(s, "key"), path);
        add_file(s, view, rows, path);
    }
    return END_OF_ROWS(rc);
}

static enum rc attachments(
    struct db *db, const char *keys, struct view *view, struct view_rows *rows, struct err *err)
{
    static const char find[] = "SELECT key, stored_name, sha256 FROM attachment WHERE " KEYS
                               "status = 'stored' AND gone IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char path[BLOB_PATH_SIZE];
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, keys);
    EACH_ROW(s, rc, err)
    {
        blob_path_attachment(col_text(s, "key"), col_text(s, "stored_name"), path);
        add_file(s, view, rows, path);
    }
    return END_OF_ROWS(rc);
}

enum rc view_files(void *self, const char *keys, struct view *out, struct err *err)
{
    struct store *store = self;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_file));

    TRY(originals(store->db, keys, out, &rows, err));
    TRY(attachments(store->db, keys, out, &rows, err));
    out->row = rows.at;
    out->count = rows.count;
    return RC_OK;
}

enum rc view_fetched(void *self, struct view *out, struct err *err)
{
    static const char find[] = "SELECT key, octets AS sha256 FROM item WHERE original_kept = 0"
                               " AND octets <> '' AND disposition <> 'adopted'";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_file));
    char path[BLOB_PATH_SIZE];
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    EACH_ROW(s, rc, err)
    {
        struct digest octets;

        if (!digest_from_hex(col_slice(s, "sha256"), &octets))
            return FAIL(err, RC_BROKEN, "ledger: a mail has no digest");
        blob_path_incoming(&octets, path);
        add_file(s, out, &rows, path);
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

enum rc view_counted(void *self, int64_t *out, struct err *err)
{
    static const char find[] = "SELECT COUNT(*) AS count FROM item";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, find, &s, err));
    TRY(stmt_row(s, err));
    *out = col_int(s, "count");
    return RC_OK;
}

/* ---- what waits under incoming/ -------------------------------------------------------------- */

enum rc view_incoming(void *self, const char *octets, bool *recorded, bool *wanted, struct err *err)
{
    static const char find[] =
        "SELECT EXISTS (SELECT 1 FROM delivery WHERE mailbox IN (SELECT id FROM mailbox)"
        "  AND octets = $1) AS recorded, EXISTS (SELECT 1 FROM item"
        "  WHERE octets = $1 AND original_kept = 0 AND disposition <> 'adopted') AS wanted";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, octets);
    TRY(stmt_row(s, err));
    *recorded = col_int(s, "recorded") != 0;
    *wanted = col_int(s, "wanted") != 0;
    return RC_OK;
}

/* ---- what must have left a folder ----------------------------------------------------------- */

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
enum rc view_left(void *self,
                  const char *mailbox,
                  const char *folder,
                  uint32_t uidvalidity,
                  uint32_t after,
                  struct view *out,
                  struct err *err)
{
    static const char find[] =
        "SELECT uid, key FROM delivery WHERE mailbox = $1 AND folder = $2 AND uidvalidity = $3"
        " AND uid > $4 AND class <> 'replayed' AND stale = 0 AND left_folder = 1"
        " ORDER BY uid LIMIT 5000";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_left));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_text(s, 2, folder);
    stmt_int(s, 3, uidvalidity);
    stmt_int(s, 4, after);
    EACH_ROW(s, rc, err)
    {
        struct view_left *l = view_rows_add(out, &rows);
        l->uid = (uint32_t)col_int(s, "uid");
        l->key = view_text(out, col_text(s, "key"));
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

/* ---- what the ledger says against itself ------------------------------------------------------ */

static const char no_case[] = "SELECT item.key FROM item WHERE item.disposition = 'case'"
                              " AND NOT EXISTS (SELECT 1 FROM case_record"
                              " WHERE case_record.key = item.key) ORDER BY item.key";
static const char not_settled[] =
    "SELECT DISTINCT item.key FROM item CROSS JOIN effect WHERE " OF_ITEM(
        "effect") " AND effect.status IN ('planned', 'attempting', 'deferred', 'unknown')"
                  " AND effect.kind IN ('case', 'attachment', 'acknowledgement')"
                  " AND item.state = 'complete' ORDER BY item.key";
static const char not_accepted[] =
    "SELECT item.key FROM item WHERE item.state = 'complete'"
    " AND item.disposition IN ('case', 'append') AND (NOT EXISTS (SELECT 1 FROM acceptance"
    " WHERE " OF_ITEM(
        "acceptance") ") OR EXISTS (SELECT 1 FROM acceptance"
                      " WHERE " OF_ITEM(
                          "acceptance") " AND acceptance.holds = 0)) ORDER BY item.key";
static const char not_stored[] =
    "SELECT DISTINCT attachment.key FROM attachment JOIN item ON item.key = attachment.key"
    " WHERE attachment.status = 'stored' AND NOT EXISTS (SELECT 1 FROM effect WHERE " OF_ITEM(
        "effect") " AND effect.kind = 'attachment' AND effect.target = attachment.stored_name"
                  " AND effect.status = 'done') ORDER BY attachment.key";
static const char no_reason[] = "SELECT item.key FROM item WHERE item.reason = ''"
                                " AND item.state = 'needs_reconciliation' ORDER BY item.key";
/* It would not be found by its mail. Item by item, so that nothing has to be kept but what is found. */
#define OTHER_NUMBER(table, at)                                                                    \
    "SELECT item.key FROM " table " CROSS JOIN item WHERE item.key = " table "." at " AND " table  \
    ".item_number IS DISTINCT FROM item.number"
/* clang-format off */
static const char other_number[] =
    OTHER_NUMBER("delivery", "key")
    " UNION " OTHER_NUMBER("effect", "key")
    " UNION " OTHER_NUMBER("event", "key")
    " UNION " OTHER_NUMBER("note", "key")
    " UNION " OTHER_NUMBER("acceptance", "key")
    " UNION " OTHER_NUMBER("case_message", "key")
    " UNION " OTHER_NUMBER("case_number", "key")
    " UNION " OTHER_NUMBER("case_participant", "case_key")
    " ORDER BY key";
/* clang-format on */

/* clang-format off */
static const struct {
    const char *find, *says;
} contradictions[] = {
    { no_case,      "it should have a case, and has none" },
    { not_settled,  "it is complete, and one of its steps is not settled" },
    { not_accepted, "it is complete, and the conditions for filing it do not hold" },
    { not_stored,   "an attachment counts as stored, and its step is not done" },
    { no_reason,    "it waits for a person, and does not say why" },
    { other_number, "something that belongs to it has another number" },
};
/* clang-format on */

enum rc view_contradictions(void *self, struct view *out, struct err *err)
{
    struct store *store = self;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_contradiction));

    TRY(tx_read(store->db, &tx, err));
    for (size_t i = 0; i < LENGTH(contradictions); i++) {
        CLEANUP(stmt_done) struct stmt *s = NULL;
        enum rc rc;

        TRY(stmt_open(store->db, contradictions[i].find, &s, err));
        EACH_ROW(s, rc, err)
        {
            struct view_contradiction *c = view_rows_add(out, &rows);
            c->key = view_text(out, col_text(s, "key"));
            c->says = contradictions[i].says;
        }
        if (rc != RC_NOT_FOUND)
            return rc;
    }
    out->row = rows.at;
    out->count = rows.count;
    return RC_OK;
}
