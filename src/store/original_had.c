/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include <string.h>

static enum rc
write_item(struct writing *w, const char *key, const struct large_original *o, struct err *err)
{
    static const char update[] =
        "UPDATE item SET octets = $1, size = $2, source_digest = $3, original_kept = 1"
        " WHERE key = $4 AND disposition = 'held' AND reason = 'oversize'";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char octets[DIGEST_HEX_SIZE], source[DIGEST_HEX_SIZE];

    digest_hex(&o->octets, octets);
    digest_hex(&o->source_digest, source);
    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, octets);
    stmt_int(s, 2, o->size);
    stmt_text(s, 3, source);
    stmt_text(s, 4, key);
    return stmt_one(s, "the item", err);
}

static enum rc
write_delivery(struct writing *w, const char *key, const struct large_original *o, struct err *err)
{
    static const char update[] =
        "UPDATE delivery SET octets = $1, size = $2 WHERE " OF_KEY("delivery", "$3") " AND won = 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char octets[DIGEST_HEX_SIZE];

    digest_hex(&o->octets, octets);
    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, octets);
    stmt_int(s, 2, o->size);
    stmt_text(s, 3, key);
    return stmt_one(s, "a delivery", err);
}

static enum rc original_had_once(void *self,
                                 const char *key,
                                 const struct large_original *original,
                                 struct instant now,
                                 struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(write_item(&w, key, original, err));
    TRY(write_delivery(&w, key, original, err));
    TRY(event_add(&w,
                  &(struct event){.key = key,
                                  .subject = "item",
                                  .what = "original",
                                  .to = "kept",
                                  .actor = actor_text(BY_PERSON)},
                  err));
    return writing_finish(&w, err);
}

enum rc operators_original_had(void *self,
                               const char *key,
                               const struct large_original *original,
                               struct instant now,
                               struct err *err)
{
    return WRITE(self, original_had_once(self, key, original, now, err));
}
