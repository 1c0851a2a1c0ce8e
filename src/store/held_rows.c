/* SPDX-License-Identifier: Apache-2.0 */
#include "held_rows.h"

#include <stdio.h>
#include <string.h>

void held_clear(struct held *h)
{
    str_clear(&h->message_id);
}

/* ---- the arrival --------------------------------------------------------------------------- */

static bool key_source_parse(const char *text, enum key_source *out)
{
    for (enum key_source source = KEY_REFERENCE; source < KEY_SOURCE_COUNT; source++) {
        if (strcmp(key_source_text(source), text) == 0) {
            *out = source;
            return true;
        }
    }
    return false;
}

static void read_digest(struct stmt *s, const char *name, struct digest *out)
{
    if (!digest_from_hex(col_slice(s, name), out))
        *out = (struct digest){{0}};
}

static enum rc read_texts(struct stmt *s, struct held *h, struct err *err)
{
    TRY(COL_COPY(s, "mailbox", h->mailbox, err));
    TRY(COL_COPY(s, "key", h->key, err));
    TRY(COL_COPY(s, "first_key", h->first_key, err));
    TRY(COL_COPY(s, "folder", h->folder, err));
    str_add(&h->message_id, col_slice(s, "message_id"));
    if (!delivery_class_parse(col_text(s, "class"), &h->class) ||
        !key_source_parse(col_text(s, "key_source"), &h->arrival.identity.source))
        return FAIL(err, RC_BROKEN, "decide: item %.12s is of no class or source", h->key);
    return RC_OK;
}

/* It was there before the ledger went back in time: what was forgotten may have decided and answered it.
 * What is found in the folder of filed mail always was. */
static bool before_rewind(struct stmt *s, const struct arrival *a, const struct policy *policy)
{
    bool filed = policy && strcmp(col_text(s, "folder"), policy->folder_processed) == 0;
    struct rewind r = {(uint32_t)col_int(s, "rewind_uidvalidity"),
                       (uint32_t)col_int(s, "rewind_uidnext"), col_int(s, "rewind_at")};

    return filed || rewind_covers(&r, a->uidvalidity, a->uid, a->internal_ms);
}

static void read_numbers(struct stmt *s, const struct policy *policy, struct held *h)
{
    struct arrival *a = &h->arrival;

    h->delivery = col_int(s, "delivery");
    h->unread = col_slice(s, "payload_digest").len == 0;
    a->uidvalidity = (uint32_t)col_int(s, "uidvalidity");
    a->uid = (uint32_t)col_int(s, "uid");
    a->internal_ms = col_int(s, "internal_ms");
    a->size = col_int(s, "size");
    a->filed = col_int(s, "left_folder") != 0;
    a->before_rewind = before_rewind(s, a, policy);
    read_digest(s, "octets", &a->octets);
    read_digest(s, "source_digest", &a->source_digest);
}

static void point(struct held *h, const struct decision_request *request)
{
    struct arrival *a = &h->arrival;

    a->mailbox = h->mailbox;
    a->folder = h->folder;
    a->message_id = str_slice(&h->message_id);
    a->message = request->message;
    memcpy(a->identity.key, h->key, sizeof h->key);
}

enum rc held_load(struct deciding *d, struct held *out, struct err *err)
{
    static const char find[] =
        "SELECT item.key, item.mailbox, item.key_source, COALESCE(item.first_key, '') AS first_key,"
        " item.message_id, item.octets, item.size, item.source_digest, item.payload_digest,"
        " delivery.id AS delivery, delivery.folder, delivery.uidvalidity, delivery.uid,"
        " delivery.internal_ms, delivery.class, delivery.left_folder,"
        " mailbox.rewind_uidvalidity, mailbox.rewind_uidnext, mailbox.rewind_at"
        " FROM item JOIN delivery ON " OF_ITEM(
            "delivery") " AND delivery.won = 1"
                        " JOIN mailbox ON mailbox.id = delivery.mailbox"
                        " WHERE item.key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(d->w->store->db, find, &s, err));
    stmt_text(s, 1, d->request->key);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, RC_BROKEN, "decide: item %.12s has no delivery", d->request->key);
    if (rc != RC_OK)
        return rc;
    read_numbers(s, d->request->policy, out);
    TRY(read_texts(s, out, err));
    point(out, d->request);
    return RC_OK;
}

/* ---- what an unread one says after all ----------------------------------------------------- */

struct reading {
    struct str sender, recipient; /* plain */
    char payload[DIGEST_HEX_SIZE], fingerprint[DIGEST_HEX_SIZE];
    char languages[LANGUAGES_SIZE];
};

static void reading_clear(struct reading *r)
{
    str_clear(&r->sender);
    str_clear(&r->recipient);
}

static void read_message(const struct message *m, struct reading *r)
{
    const struct digest payload = message_payload_digest(m);
    const struct digest fingerprint = message_fingerprint(m);

    address_canonical(message_slice(m, m->from), &r->sender);
    address_canonical(policy_recipient(m), &r->recipient);
    digest_hex(&payload, r->payload);
    digest_hex(&fingerprint, r->fingerprint);
}

static void bind_reading(struct stmt *s, const struct message *m, const struct reading *r)
{
    stmt_slice(s, 2, message_slice(m, m->from));
    stmt_slice(s, 3, policy_recipient(m));
    stmt_slice(s, 4, str_slice(&r->sender));
    stmt_slice(s, 5, str_slice(&r->recipient));
    stmt_slice(s, 6, message_slice(m, m->subject));
    stmt_slice(s, 7, message_slice(m, m->text));
    stmt_when(s, 8, m->has_date ? m->date_ms : NOT_DUE);
    stmt_text(s, 9, r->payload);
    stmt_int(s, 10, PAYLOAD_DIGEST_VERSION);
    stmt_text(s, 11, r->fingerprint);
    stmt_int(s, 12, m->signs);
    stmt_text(s, 13, r->languages);
}

enum rc held_fill(struct deciding *d, const struct held *h, struct err *err)
{
    static const char update[] =
        "UPDATE item SET sender = $2, recipient = $3, sender_plain = $4, recipient_plain = $5,"
        " subject = $6, text = $7, sent_at = $8, payload_digest = $9, payload_version = $10,"
        " fingerprint = $11, signs = $12, languages = $13 WHERE key = $1";
    CLEANUP(reading_clear) struct reading r = {.sender = STR_INIT};
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (!h->unread || h->arrival.message == NULL)
        return RC_OK;
    read_message(h->arrival.message, &r);
    policy_languages(d->request->policy, h->arrival.message, r.languages);
    TRY(stmt_open(d->w->store->db, update, &s, err));
    stmt_text(s, 1, h->key);
    bind_reading(s, h->arrival.message, &r);
    return stmt_one(s, "the item", err);
}

/* ---- the first mail's case ----------------------------------------------------------------- */

enum rc
held_first_case(struct deciding *d, const struct held *h, struct known_case *out, struct err *err)
{
    static const char find[] = "SELECT case_record.key, case_record.reference, case_record.state"
                               " FROM item JOIN case_record ON case_record.key = item.case_key"
                               " WHERE item.key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(d->w->store->db, find, &s, err));
    stmt_text(s, 1, h->first_key);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, RC_CONFLICT, "decide: the first mail has no case to append to");
    if (rc != RC_OK)
        return rc;
    *out =
        (struct known_case){.open = strcmp(col_text(s, "state"), "open") == 0, .participant = true};
    TRY(COL_COPY(s, "key", out->key, err));
    return COL_COPY(s, "reference", out->reference, err);
}
