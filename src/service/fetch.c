/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <stdlib.h>

/* One FETCH under way: its octets go to incoming/ and to the source reading at the same time. */
struct fetching {
    struct service *s;
    struct fetched *out;
    size_t got;
    bool header_only;
    struct blob_writing *writing;
    struct source_reading *reading;
};

static enum rc begin(void *ctx, const struct mail_line *line, struct err *err)
{
    struct fetching *f = ctx;
    f->out = mem_grow(f->out, f->got + 1, sizeof *f->out);
    f->out[f->got] = (struct fetched){.line = *line};
    f->reading = source_reading_new();
    if (f->header_only)
        return RC_OK;
    const struct blobs *blobs = f->s->port->blobs;
    return blobs->begin(blobs->self, &f->writing, err);
}

static enum rc add(void *ctx, struct slice octets, struct err *err)
{
    struct fetching *f = ctx;
    source_reading_add(f->reading, octets);
    if (!f->writing)
        return RC_OK;
    const struct blobs *blobs = f->s->port->blobs;
    return blobs->add(blobs->self, f->writing, octets, err);
}

/* Of a message that the disk refuses nothing is reserved. */
static enum rc end(void *ctx, struct err *err)
{
    struct fetching *f = ctx;
    struct fetched *now = &f->out[f->got];
    const struct blobs *blobs = f->s->port->blobs;
    CLEANUP(source_clear) struct source source = SOURCE_INIT;
    source_reading_done(&f->reading, &source);
    if (f->writing && source.size > 0) {
        now->octets = source.octets;
        TRY(blobs->keep_incoming(blobs->self, &f->writing, &now->octets, err));
        now->whole = true;
    }
    now->source = mem_new(1, sizeof *now->source);
    *now->source = source;
    source = (struct source)SOURCE_INIT;
    f->got++;
    return RC_OK;
}

static void drop_rest(struct fetching *f)
{
    const struct blobs *blobs = f->s->port->blobs;
    if (f->writing)
        blobs->drop(blobs->self, &f->writing);
    if (f->reading)
        source_reading_drop(&f->reading);
}

static enum rc fetch_some(struct fetching *f,
                          const struct place *place,
                          const uint32_t *uid,
                          size_t count,
                          struct err *err)
{
    if (count == 0)
        return RC_OK;
    const struct mailbox *m = f->s->port->mailbox;
    struct fetch_sink sink = {.ctx = f, .begin = begin, .add = add, .end = end};
    enum rc rc = m->fetch(m->self, place->folder, place->uidvalidity, uid, count, f->header_only,
                          &sink, err);
    drop_rest(f);
    return rc;
}

static bool oversize(const struct service *s, const struct mail_line *line)
{
    return s->set->max_message_size > 0 && line->size > s->set->max_message_size;
}

static size_t
choose(struct service *s, const struct mail_line *line, size_t count, bool large, uint32_t *uid)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (oversize(s, &line[i]) == large)
            uid[n++] = line[i].uid;
    return n;
}

/* Only what is durable counts as come, also where the connection broke behind it. */
static enum rc settled(struct service *s, struct fetched_set *set, enum rc fetch, struct err *err)
{
    const struct blobs *blobs = s->port->blobs;
    struct err why = ERR_INIT;
    enum rc rc = blobs->settle(blobs->self, &why);
    if (rc == RC_OK)
        return fetch;
    fetched_clear(set);
    set->taken = rc == RC_CONFLICT;
    return FAIL(err, rc, "%s", why.text);
}

static enum rc fetch_set(struct service *s,
                         const struct place *place,
                         const struct mail_line *line,
                         size_t count,
                         struct fetched_set *out,
                         struct err *err)
{
    CLEANUP(mem_free) uint32_t *uid = mem_new(count, sizeof *uid);
    struct fetching f = {.s = s};
    size_t n = choose(s, line, count, false, uid);
    enum rc rc = fetch_some(&f, place, uid, n, err);
    if (rc == RC_OK) {
        f.header_only = true;
        n = choose(s, line, count, true, uid);
        rc = fetch_some(&f, place, uid, n, err);
    }
    *out = (struct fetched_set){.at = f.out, .count = f.got};
    return settled(s, out, rc, err);
}

static void append(struct fetched_set *to, struct fetched_set *one)
{
    to->at = mem_grow(to->at, to->count + one->count, sizeof *to->at);
    for (size_t i = 0; i < one->count; i++)
        to->at[to->count++] = one->at[i];
    free(one->at);
}

/* One whose name is taken stays in the mailbox; the others of its set come. */
static enum rc fetch_one_by_one(struct service *s,
                                const struct place *place,
                                const struct mail_line *line,
                                size_t count,
                                struct fetched_set *out,
                                struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        struct fetched_set one = {0};
        struct err why = ERR_INIT;
        enum rc rc = fetch_set(s, place, &line[i], 1, &one, &why);
        if (one.count > 0)
            append(out, &one);
        s->left_over |= one.taken;
        if (one.taken)
            log_event(LOG_ERROR, "message.not-kept", "mailbox=%s uid=%u why=\"%s\"", s->record.id,
                      (unsigned)line[i].uid, why.text);
        else if (rc != RC_OK)
            return FAIL(err, rc, "%s", why.text);
    }
    return RC_OK;
}

enum rc fetch_messages(struct service *s,
                       const struct place *place,
                       const struct mail_line *line,
                       size_t count,
                       struct fetched_set *out,
                       struct err *err)
{
    struct err why = ERR_INIT;
    enum rc rc = fetch_set(s, place, line, count, out, &why);
    if (out->taken)
        return fetch_one_by_one(s, place, line, count, out, err);
    return rc == RC_OK ? rc : FAIL(err, rc, "%s", why.text);
}

void fetched_clear(struct fetched_set *c)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->at[i].source)
            source_clear(c->at[i].source);
        free(c->at[i].source);
    }
    free(c->at);
    *c = (struct fetched_set){0};
}

/* ---- only looking ---------------------------------------------------------------------------- */

struct looking {
    const struct mail_line *line;
    size_t count, at;
    struct digest *out;
    struct sha256 *hash;
};

static enum rc look_begin(void *ctx, const struct mail_line *line, struct err *err)
{
    struct looking *l = ctx;
    (void)err;
    for (l->at = 0; l->at < l->count && l->line[l->at].uid != line->uid; l->at++)
        ;
    l->hash = sha256_new();
    return RC_OK;
}

static enum rc look_add(void *ctx, struct slice octets, struct err *err)
{
    struct looking *l = ctx;
    (void)err;
    sha256_add(l->hash, octets);
    return RC_OK;
}

static enum rc look_end(void *ctx, struct err *err)
{
    struct looking *l = ctx;
    (void)err;
    struct digest d = sha256_done(&l->hash);
    if (l->at < l->count)
        l->out[l->at] = d;
    return RC_OK;
}

enum rc fetch_digests(struct service *s,
                      const struct place *place,
                      const struct mail_line *line,
                      size_t count,
                      struct digest *out,
                      struct err *err)
{
    if (count == 0)
        return RC_OK;
    CLEANUP(mem_free) uint32_t *uid = mem_new(count, sizeof *uid);
    for (size_t i = 0; i < count; i++)
        uid[i] = line[i].uid;
    struct looking l = {.line = line, .count = count, .out = out};
    struct fetch_sink sink = {.ctx = &l, .begin = look_begin, .add = look_add, .end = look_end};
    const struct mailbox *m = s->port->mailbox;
    enum rc rc =
        m->fetch(m->self, place->folder, place->uidvalidity, uid, count, false, &sink, err);
    if (l.hash)
        sha256_drop(&l.hash);
    if (rc != RC_OK)
        return rc;
    for (size_t i = 0; i < count; i++)
        if (digest_is_zero(&out[i]))
            return FAIL(err, RC_DEFERRED,
                        "a message that '%s' lists is not given; it is tried again", place->folder);
    return RC_OK;
}

/* ---- one header ------------------------------------------------------------------------------ */

#define HEADER_MAX ((size_t)1024 * 1024)

struct heading {
    struct str *out;
    bool came; /* it may be empty */
};

static enum rc header_begin(void *ctx, const struct mail_line *line, struct err *err)
{
    struct heading *h = ctx;
    (void)line;
    (void)err;
    h->came = true;
    str_empty(h->out);
    return RC_OK;
}

static enum rc header_add(void *ctx, struct slice octets, struct err *err)
{
    struct heading *h = ctx;
    (void)err;
    if (h->out->len < HEADER_MAX)
        str_add(h->out, slice_cut(octets, 0, HEADER_MAX - h->out->len));
    return RC_OK;
}

static enum rc header_end(void *ctx, struct err *err)
{
    (void)ctx;
    (void)err;
    return RC_OK;
}

enum rc fetch_header(
    struct service *s, const struct place *place, uint32_t uid, struct str *out, struct err *err)
{
    struct heading h = {.out = out};
    struct fetch_sink sink = {
        .ctx = &h, .begin = header_begin, .add = header_add, .end = header_end};
    const struct mailbox *m = s->port->mailbox;
    str_empty(out);
    TRY(m->fetch(m->self, place->folder, place->uidvalidity, &uid, 1, true, &sink, err));
    return h.came
               ? RC_OK
               : FAIL(err, RC_NOT_FOUND, "a message that '%s' lists is not given", place->folder);
}
