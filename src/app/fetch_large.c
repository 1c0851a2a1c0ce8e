/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch_large.h"

#include <onecase/source.h>
#include <inttypes.h>
#include <string.h>

struct catching {
    const struct blobs *blobs;
    int64_t max_size;
    struct blob_writing *writing;
    struct source_reading *reading;
    struct large_original got;
    bool whole;
};

static enum rc begin(void *ctx, const struct mail_line *line, struct err *err)
{
    struct catching *c = ctx;
    (void)line;
    c->reading = source_reading_new();
    return c->blobs->begin(c->blobs->self, &c->writing, err);
}

/* What the server says of a size may be wrong: what comes is counted. */
static enum rc add(void *ctx, struct slice octets, struct err *err)
{
    struct catching *c = ctx;
    c->got.size += (int64_t)octets.len;
    if (c->got.size > c->max_size)
        return FAIL(err, RC_USAGE, "the message is larger than %" PRId64 " octets", c->max_size);
    source_reading_add(c->reading, octets);
    return c->blobs->add(c->blobs->self, c->writing, octets, err);
}

static enum rc end(void *ctx, struct err *err)
{
    struct catching *c = ctx;
    CLEANUP(source_clear) struct source source = SOURCE_INIT;
    source_reading_done(&c->reading, &source);
    c->got.source_digest = source.source_digest;
    c->got.octets = source.octets;
    TRY(c->blobs->keep_incoming(c->blobs->self, &c->writing, &c->got.octets, err));
    c->whole = true;
    return RC_OK;
}

static void catching_clear(struct catching *c)
{
    if (c->writing)
        c->blobs->drop(c->blobs->self, &c->writing);
    if (c->reading)
        source_reading_drop(&c->reading);
}

static enum rc fetch(const struct config_mailbox *m,
                     const struct view_delivery *d,
                     struct catching *c,
                     struct err *err)
{
    struct clock clock = system_clock();
    struct endpoint endpoint = wire_endpoint(&m->imap);
    struct imap_mailbox *imap = imap_mailbox_new(&endpoint, &clock, -1);
    struct mailbox port = imap_mailbox_port(imap);
    const struct fetch_sink sink = {.ctx = c, .begin = begin, .add = add, .end = end};
    enum rc rc = port.fetch(port.self, d->folder, d->uidvalidity, &d->uid, 1, false, &sink, err);
    imap_mailbox_free(imap);
    if (rc == RC_OK && !c->whole)
        return FAIL(err, RC_NOT_FOUND, "the message is no longer in the mailbox");
    return rc;
}

static const struct view_delivery *arrival_of(const struct view_item *i)
{
    for (size_t n = 0; n < i->delivery_count; n++)
        if (i->delivery[n].folder[0])
            return &i->delivery[n];
    return NULL;
}

static enum rc catch_it(const struct config *config,
                        const struct view_item *i,
                        struct catching *c,
                        struct err *err)
{
    const struct config_mailbox *m = config_find_mailbox(config, i->mailbox);
    const struct view_delivery *d = arrival_of(i);
    if (strcmp(i->reason, reason_text(REASON_OVERSIZE)) != 0)
        return FAIL(err, RC_USAGE, "--max-size is for a mail that is held for its size");
    if (!m || !d)
        return FAIL(err, RC_USAGE, "mailbox '%s' is no longer in the configuration", i->mailbox);
    if (d->size > c->max_size)
        return FAIL(err, RC_USAGE, "the message has %" PRId64 " octets: more than --max-size says",
                    d->size);
    return fetch(m, d, c, err);
}

enum rc fetch_large(const struct config *config,
                    struct wired_data *data,
                    const char *key,
                    int64_t max_size,
                    struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(catching_clear) struct catching c = {.blobs = &data->blobs, .max_size = max_size};
    const struct views *v = &data->views;
    const struct ledger *l = &data->ledger;
    struct clock clock = system_clock();
    TRY(v->item(v->self, key, &view, err));
    const struct view_item *i = view.row;
    TRY(catch_it(config, i, &c, err));
    TRY(data->blobs.settle(data->blobs.self, err));
    TRY(data->blobs.keep_original(data->blobs.self, &c.got.octets, i->key, err));
    TRY(data->blobs.settle(data->blobs.self, err));
    return l->operators->original_had(l->self, i->key, &c.got, clock_now(&clock), err);
}
