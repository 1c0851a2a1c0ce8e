/* SPDX-License-Identifier: Apache-2.0 */
#include "known.h"

#include "flood.h"
#include "told.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX 32 /* compared with: conflicts under one key may be many */

void known_clear(struct gathered *g)
{
    for (size_t i = 0; i < g->kept_count; i++)
        free(g->kept[i]);
    free(g->kept);
    free(g->known.item);
    free(g->known.cases);
    str_clear(&g->sender);
    str_clear(&g->recipient);
    *g = (struct gathered){0};
}

static void *keep(struct gathered *g, void *memory)
{
    g->kept = mem_grow(g->kept, g->kept_count + 1, sizeof *g->kept);
    g->kept[g->kept_count++] = memory;
    return memory;
}

static struct slice keep_slice(struct gathered *g, struct slice text)
{
    char *copy = keep(g, mem_new(text.len + 1, 1));

    memcpy(copy, text.at, text.len);
    return (struct slice){copy, text.len};
}

/* ---- the message itself, seen before ------------------------------------------------------- */

/* A message is the same one where octets and INTERNALDATE agree and it may have come from there: it
 * left its folder, its folder was renumbered, or it stands in another. */
static enum rc
gather_same_octets(struct db *db, const struct arrival *a, struct gathered *g, struct err *err)
{
    static const char same[] =
        "SELECT key, left_folder FROM delivery"
        " WHERE mailbox = $1 AND octets = $2 AND internal_ms = $3 AND class <> 'replayed'"
        " AND (left_folder = 1 OR stale = 1 OR folder <> $4 OR uidvalidity <> $5)"
        " ORDER BY left_folder, id DESC LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char octets[DIGEST_HEX_SIZE];

    if (digest_is_zero(&a->octets))
        return RC_OK;
    digest_hex(&a->octets, octets);
    TRY(stmt_open(db, same, &s, err));
    stmt_text(s, 1, a->mailbox);
    stmt_text(s, 2, octets);
    stmt_int(s, 3, a->internal_ms);
    stmt_text(s, 4, a->folder);
    stmt_int(s, 5, a->uidvalidity);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_OK) {
        snprintf(g->same_octets_key, KEY_SIZE, "%s", col_text(s, "key"));
        g->known.same_octets_key = g->same_octets_key;
        g->known.same_octets_filed = col_int(s, "left_folder") == 1;
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* ---- items that it may be a copy of -------------------------------------------------------- */

static void read_digest(struct stmt *s, const char *column, struct digest *out)
{
    *out = (struct digest){{0}};
    if (!digest_from_hex(col_slice(s, column), out))
        *out = (struct digest){{0}};
}

static enum rc
gather_attachments(struct db *db, struct known_item *item, struct gathered *g, struct err *err)
{
    static const char attachments[] =
        "SELECT sha256, type, name FROM attachment WHERE key = $1 ORDER BY number";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(mem_free) const char **hex = NULL;
    size_t count = 0;
    enum rc rc;

    TRY(stmt_open(db, attachments, &s, err));
    stmt_text(s, 1, item->key);
    while ((rc = stmt_row(s, err)) == RC_OK) {
        if (attachment_is_container(col_slice(s, "type"), col_slice(s, "name"), item->signs))
            continue;
        hex = mem_grow(hex, count + 1, sizeof *hex);
        hex[count++] = keep_slice(g, col_slice(s, "sha256")).at;
    }
    if (rc != RC_NOT_FOUND)
        return rc;
    item->attachment_hex.count = count;
    if (count > 0)
        item->attachment_hex.at = keep(g, STEAL(hex));
    return RC_OK;
}

static void read_item(struct stmt *s, struct gathered *g, struct known_item *item)
{
    snprintf(item->first_key, KEY_SIZE, "%s", col_text(s, "first_key"));
    if (!disposition_parse(col_text(s, "disposition"), &item->disposition))
        item->disposition = DISPOSITION_HELD;
    if (!item_state_parse(col_text(s, "state"), &item->state))
        item->state = ITEM_NEEDS_RECONCILIATION;
    read_digest(s, "source_digest", &item->source_digest);
    read_digest(s, "payload_digest", &item->payload_digest);
    item->payload_version = (int)col_int(s, "payload_version");
    item->listed = col_int(s, "listed") > 0;
    item->id_shared = col_int(s, "listed") == 2;
    item->signs = (uint32_t)col_int(s, "signs");
    item->from = keep_slice(g, col_slice(s, "sender"));
    item->subject = keep_slice(g, col_slice(s, "subject"));
    item->text = keep_slice(g, col_slice(s, "text"));
    item->author = keep_slice(g, col_slice(s, "author"));
    item->recipient = keep_slice(g, col_slice(s, "recipient"));
    item->has_date = !col_null(s, "sent_at");
    item->date_ms = col_int(s, "sent_at");
}

static enum rc
gather_item(struct db *db, const char *key, bool same_key, struct gathered *g, struct err *err)
{
    static const char one[] =
        "SELECT first_key, disposition, state, source_digest, payload_digest, payload_version,"
        " signs, sender, author, recipient, subject, text, sent_at,"
        " COALESCE((SELECT CASE WHEN known_by = '' THEN 2 ELSE 1 END FROM listed"
        " WHERE listed.key = item.key), 0) AS listed FROM item WHERE key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct known_item item = {.same_key = same_key};

    for (size_t i = 0; i < g->known.items; i++)
        if (strcmp(g->known.item[i].key, key) == 0)
            return RC_OK;
    snprintf(item.key, KEY_SIZE, "%s", key);
    TRY(stmt_open(db, one, &s, err));
    stmt_text(s, 1, item.key);
    enum rc rc = stmt_row(s, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? FAIL(err, RC_BROKEN, "ledger: item %s is gone", item.key) : rc;
    read_item(s, g, &item);
    TRY(gather_attachments(db, &item, g, err));
    g->known.item = mem_grow(g->known.item, g->known.items + 1, sizeof item);
    g->known.item[g->known.items++] = item;
    return RC_OK;
}

/* By what it would be found among those that an older system has listed; "" where that cannot be. */
static void
listed_names(const struct arrival *a, char by_id[DIGEST_HEX_SIZE], char by_words[DIGEST_HEX_SIZE])
{
    const struct message *m = a->message;

    by_id[0] = by_words[0] = '\0';
    if (a->message_id.len > 0)
        listed_by_id(a->message_id, by_id);
    if (m && m->has_date)
        listed_by_words(message_slice(m, m->from), message_slice(m, m->subject), m->date_ms,
                        by_words);
}

/* A mailbox in which a mail is looked for, and the key that it would have there. */
struct named {
    const char *mailbox, *key;
};

/* The one under its key first; then what is surely the same mail, then the other conflicts. */
static enum rc gather_in(struct db *db,
                         const struct arrival *a,
                         const struct named *in,
                         struct gathered *g,
                         struct err *err)
{
    static const char candidates[] =
        "SELECT key, 0 AS place, 1 AS same_key FROM item WHERE key = $1"
        " UNION ALL SELECT key, CASE WHEN source_digest = $2 OR payload_digest = $3 THEN 1"
        " ELSE 3 END AS place, 1 AS same_key FROM item WHERE first_key = $1"
        " UNION ALL SELECT key, 2 AS place, 0 AS same_key FROM item"
        " WHERE mailbox = $4 AND source_digest = $2 AND message_id = $5 AND key <> $1"
        " AND (first_key IS NULL OR first_key <> $1)"
        " UNION ALL SELECT key, 4 AS place, 0 AS same_key FROM item WHERE key = $6 AND key <> $1"
        " UNION ALL SELECT key, 2 AS place, 0 AS same_key FROM listed"
        " WHERE mailbox = $4 AND known_by IN ($8, $9) AND known_by <> '' AND key <> $1"
        " ORDER BY place, key LIMIT $7";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char source[DIGEST_HEX_SIZE], payload[DIGEST_HEX_SIZE];
    char by_id[DIGEST_HEX_SIZE], by_words[DIGEST_HEX_SIZE];
    enum rc rc;

    listed_names(a, by_id, by_words);

    digest_hex(&a->source_digest, source);
    digest_hex(&g->payload, payload);
    TRY(stmt_open(db, candidates, &s, err));
    stmt_text(s, 1, in->key);
    stmt_text(s, 2, digest_is_zero(&a->source_digest) ? NULL : source);
    stmt_text(s, 3, digest_is_zero(&g->payload) ? NULL : payload);
    stmt_text(s, 4, in->mailbox);
    stmt_blob(s, 5, a->message_id);
    stmt_text(s, 6, g->known.same_octets_key);
    stmt_int(s, 7, ITEMS_MAX);
    stmt_text(s, 8, by_id);
    stmt_text(s, 9, by_words);
    while ((rc = stmt_row(s, err)) == RC_OK)
        TRY(gather_item(db, col_text(s, "key"), col_int(s, "same_key") == 1, g, err));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc gather_items(struct db *db,
                            const struct policy *policy,
                            const struct arrival *a,
                            struct gathered *g,
                            struct err *err)
{
    TRY(gather_in(db, a, &(struct named){a->mailbox, a->identity.key}, g, err));
    for (size_t i = 0; a->member && i < policy->merge_across.count; i++)
        TRY(gather_in(db, a, &(struct named){policy->merge_across.at[i], a->member[i].key}, g,
                      err));
    return RC_OK;
}

static enum rc is_taken(struct db *db, const char *key, bool *out, struct err *err)
{
    static const char find[] = "SELECT 1 AS one FROM item WHERE key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, key);
    enum rc rc = stmt_row(s, err);

    *out = rc == RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* In one pass of the group's order: its own mailbox's item counts more than any other's. */
enum rc
known_name(struct db *db, const struct policy *policy, struct arrival *arrival, struct err *err)
{
    bool found = false;

    for (size_t i = 0; arrival->member && i < policy->merge_across.count; i++) {
        bool own = strcmp(policy->merge_across.at[i], arrival->mailbox) == 0;
        bool taken;

        if (found && !own)
            continue;
        TRY(is_taken(db, arrival->member[i].key, &taken, err));
        if (taken)
            arrival->identity = arrival->member[i];
        found = found || taken;
    }
    return RC_OK;
}

/* ---- the limits, by INTERNALDATE ----------------------------------------------------------- */

struct window {
    const char *mailbox, *address;
    struct limit limit;
    int64_t until_ms;
};

/* `sql` counts the items of a mailbox ($1) by an address ($2) after $3 and up to $4, at most $5. */
static enum rc count_window(
    struct db *db, const char *sql, const struct window *window, unsigned *out, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;

    *out = 0;
    if (window->limit.count == 0)
        return RC_OK;
    TRY(stmt_open(db, sql, &s, err));
    stmt_text(s, 1, window->mailbox);
    stmt_text(s, 2, window->address);
    stmt_int(s, 3, window->until_ms - window->limit.window_ms);
    stmt_int(s, 4, window->until_ms);
    stmt_int(s, 5, window->limit.count);
    TRY(stmt_row(s, err));
    *out = (unsigned)col_int(s, "n");
    return RC_OK;
}

enum rc known_limits(struct db *db,
                     const struct policy *policy,
                     const struct arrival *a,
                     struct gathered *g,
                     struct err *err)
{
    static const char sender[] =
        "SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM item WHERE mailbox = $1"
        " AND sender_plain = $2 AND arrived_as = 'case'"
        " AND internal_ms > $3 AND internal_ms <= $4 LIMIT $5) AS recent";
    static const char recipient[] =
        "SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM item WHERE mailbox = $1"
        " AND recipient_plain = $2 AND tells = 1"
        " AND internal_ms > $3 AND internal_ms <= $4 LIMIT $5) AS recent";
    struct window by_sender = {a->mailbox, str_z(&g->sender), policy->per_sender, a->internal_ms};
    struct window by_recipient = {a->mailbox, str_z(&g->recipient), policy->per_recipient,
                                  a->internal_ms};

    TRY(count_window(db, sender, &by_sender, &g->known.sender_cases, err));
    TRY(count_window(db, recipient, &by_recipient, &g->known.recipient_told, err));
    if (policy->per_sender.count > 0)
        TRY(flood_read(db, a, str_slice(&g->sender), policy->per_sender.window_ms, &g->known.flood,
                       err));
    if (policy->total.count == 0)
        return RC_OK;
    return told_within(db, a->mailbox, a->internal_ms, policy->total.window_ms,
                       &g->known.total_told, err);
}

enum rc known_gather(struct db *db,
                     const struct policy *policy,
                     const struct arrival *arrival,
                     struct gathered *out,
                     struct err *err)
{
    const struct message *m = arrival->message;

    if (m) {
        out->payload = message_payload_digest(m);
        address_canonical(message_slice(m, m->from), &out->sender);
        address_canonical(policy_recipient(m), &out->recipient);
        policy_languages(policy, m, out->languages);
    }
    TRY(gather_same_octets(db, arrival, out, err));
    TRY(gather_items(db, policy, arrival, out, err));
    if (m)
        TRY(known_cases(db, policy, arrival, out, err));
    if (!m || out->known.items > 0)
        return RC_OK;
    return known_limits(db, policy, arrival, out, err);
}
