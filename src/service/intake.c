/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <stdlib.h>

/* So many workers may die of the same octets before they are held unread. */
#define DEATHS_MAX 3

/* One message on its way into the ledger. */
struct entering {
    const struct fetched *fetched;
    struct arrival arrival;
    struct message message;
    bool readable;
    struct identity *member; /* of arrival.member; owned */
};

static void entering_clear(struct service *s, struct entering *e)
{
    message_forget(s, &e->message);
    free(e->member);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* After an unexplained death every message is marked while it is read, and one that is marked too
 * often is held unread. */
static enum rc read_marked(struct service *s, struct entering *e, const char *path, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    const struct reader *reader = s->port->reader;
    unsigned deaths = 0;
    TRY(l->intake->begin_reading(l->self, s->record.id, &e->fetched->octets, &deaths, err));
    enum rc rc = deaths >= DEATHS_MAX
                     ? FAIL(err, RC_REFUSED, "reader: workers died of this message")
                     : reader->look(reader->self, path, &e->message, err);
    if (deaths >= DEATHS_MAX)
        return rc;
    TRY(l->intake->end_reading(l->self, s->record.id, &e->fetched->octets, err));
    return rc;
}

static enum rc read_one(struct service *s, struct entering *e, struct err *err)
{
    const struct reader *reader = s->port->reader;
    char path[BLOB_PATH_SIZE];
    blob_path_incoming(&e->fetched->octets, path);
    if (s->careful)
        return read_marked(s, e, path, err);
    if (shelf_has_room(s, e->fetched->source->size)) {
        struct err why = ERR_INIT; /* that may be of the files alone: looking tells */
        if (reader->read(reader->self, path, &e->message, &why) == RC_OK) {
            shelf_expect(s, e->fetched->source->size, &e->message);
            return RC_OK;
        }
    }
    return reader->look(reader->self, path, &e->message, err);
}

/* RC_OK: read, or held for a reason. Anything else: not now. */
static enum rc read_message(struct service *s, struct entering *e, struct err *err)
{
    struct err why = ERR_INIT;
    if (!e->fetched->whole) {
        bool empty = e->fetched->source->size == 0;
        e->arrival.held = empty ? REASON_UNPROCESSABLE : REASON_OVERSIZE;
        return RC_OK;
    }
    enum rc rc = read_one(s, e, &why);
    e->readable = rc == RC_OK;
    if (rc == RC_OK)
        return RC_OK;
    if (rc == RC_NOT_FOUND) { /* another run was quicker, and has these octets as an original */
        s->result->moved = true;
        rc = RC_CONFLICT;
    }
    if (rc != RC_REFUSED)
        return FAIL(err, rc, "%s", why.text);
    e->arrival.held = REASON_UNPROCESSABLE;
    log_event(LOG_WARN, "message.unprocessable", "mailbox=%s why=\"%s\"", s->record.id, why.text);
    return RC_OK;
}

/* ---- who is it? ------------------------------------------------------------------------------ */

/* Key rules may find the sender's own number in a header, and the own servers' word on the sender
 * stands there. */
static enum rc read_header(struct service *s, struct entering *e, struct str *out, struct err *err)
{
    const struct policy *policy = &s->set->policy;
    bool trusts = policy->authentication.authserv_id && policy->authentication.authserv_id[0];
    char path[BLOB_PATH_SIZE];
    if (!trusts && !key_rule_names(policy, &e->message))
        return RC_OK;
    blob_path_incoming(&e->fetched->octets, path);
    return blob_header(s->port->blobs, path, out, err);
}

/* What names a mail, whichever mailbox it is named in. */
struct naming {
    const struct fetched *fetched;
    const struct key_rule *rule; /* NULL: none names its sender */
    struct str value;            /* the sender's own number, with a rule */
    uint32_t uidvalidity;
};

static void naming_clear(struct naming *n)
{
    str_clear(&n->value);
}

/* UIDVALIDITY and UID say something in their own mailbox alone. */
static bool by_delivery(const struct naming *n)
{
    bool content = n->rule ? n->rule->digest : n->fetched->source->message_id.len == 0;
    return content && !n->fetched->whole;
}

static struct identity name_in(const struct naming *n, const char *mailbox)
{
    const struct fetched *f = n->fetched;
    if (by_delivery(n))
        return identity_delivery(mailbox, n->uidvalidity, f->line.uid);
    if (n->rule && !n->rule->digest)
        return identity_reference(mailbox, n->rule->space, str_slice(&n->value));
    if (!n->rule && f->source->message_id.len > 0)
        return identity_message_id(mailbox, str_slice(&f->source->message_id));
    return identity_digest(mailbox, &f->source->source_digest);
}

/* The configuration's rules come first: what a person said of a sender only sets its Message-ID aside. */
static enum rc
rule_of_person(struct service *s, struct entering *e, struct naming *n, struct err *err)
{
    static const struct key_rule by_content = {.space = "", .from = "", .digest = true};
    const struct ledger *l = s->port->ledger;
    bool apart = false;
    if (n->rule || e->fetched->source->message_id.len == 0)
        return RC_OK;
    TRY(l->intake->told_apart(l->self, s->record.id, message_slice(&e->message, e->message.from),
                              &apart, err));
    n->rule = apart ? &by_content : NULL;
    return RC_OK;
}

static enum rc find_rule(struct service *s, struct entering *e, struct naming *n, struct err *err)
{
    const struct policy *policy = &s->set->policy;
    CLEANUP(str_clear) struct str header = STR_INIT;
    if (!e->readable)
        return RC_OK;
    TRY(read_header(s, e, &header, err));
    authentication_mark(&policy->authentication, str_slice(&header), &e->message);
    n->rule = key_rule_find(policy, &e->message, str_slice(&header), &n->value);
    return rule_of_person(s, e, n, err);
}

static enum rc identify(struct service *s,
                        struct entering *e,
                        uint32_t uidvalidity,
                        struct identity *out,
                        struct err *err)
{
    const struct policy *policy = &s->set->policy;
    const struct texts *group = &policy->merge_across;
    CLEANUP(naming_clear) struct naming n = {.fetched = e->fetched, .uidvalidity = uidvalidity};
    TRY(find_rule(s, e, &n, err));
    bool own = group->count == 0 || by_delivery(&n);
    *out = name_in(&n, own ? policy->mailbox : policy_key_mailbox(policy));
    if (own)
        return RC_OK;
    e->member = mem_new(group->count, sizeof *e->member);
    for (size_t i = 0; i < group->count; i++)
        e->member[i] = name_in(&n, group->at[i]);
    return RC_OK;
}

/* Oversize copies are compared by size, From, Date and Subject: what can be had without the octets. */
static struct digest header_digest(const struct fetched *f)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    str_addf(&text, "%lld", (long long)f->line.size);
    const struct str *fields[] = {&f->source->from, &f->source->date, &f->source->subject};
    for (size_t i = 0; i < LENGTH(fields); i++) {
        str_addc(&text, '\n');
        str_add(&text, str_slice(fields[i]));
    }
    return sha256_of(str_slice(&text));
}

static bool proven(const struct service *s, const struct entering *e)
{
    CLEANUP(str_clear) struct str effect = STR_INIT;
    if (!e->readable)
        return false;
    str_add(&effect, message_slice(&e->message, e->message.acknowledgement));
    struct slice secret = {(const char *)s->ledger.secret.octet, DIGEST_SIZE};
    return acknowledgement_proven(secret, str_z(&effect),
                                  message_slice(&e->message, e->message.proof));
}

static enum import_choice
import_of(const struct service *s, uint32_t uidvalidity, const struct mail_line *line)
{
    return from_before(&s->record, uidvalidity, line) ? s->record.import : IMPORT_NOT_ASKED;
}

static enum rc enter(struct service *s,
                     const struct place *place,
                     const struct fetched *f,
                     bool filed,
                     struct entering *e,
                     struct err *err)
{
    *e = (struct entering){.fetched = f, .message = MESSAGE_INIT};
    struct identity identity;
    TRY(read_message(s, e, err));
    TRY(identify(s, e, place->uidvalidity, &identity, err));
    e->arrival = (struct arrival){
        .mailbox = s->set->policy.mailbox,
        .folder = place->folder,
        .uidvalidity = place->uidvalidity,
        .uid = f->line.uid,
        .numbering = s->record.numbering,
        .internal_ms = f->line.internal_ms,
        .size = f->whole ? f->source->size : f->line.size,
        .octets = f->octets,
        .identity = identity,
        .member = e->member,
        .message_id = str_slice(&f->source->message_id),
        .source_digest = f->whole ? f->source->source_digest : header_digest(f),
        .message = e->readable ? &e->message : NULL,
        .held = e->arrival.held,
        .import = filed ? IMPORT_NOT_ASKED : import_of(s, place->uidvalidity, &f->line),
        .before_rewind = filed || rewind_covers(&s->record.rewind, place->uidvalidity, f->line.uid,
                                                f->line.internal_ms),
        .proven = proven(s, e),
        .filed = filed,
    };
    return RC_OK;
}

/* ---- reserving ------------------------------------------------------------------------------- */

static void count(struct tick_result *r, const struct reservation *got)
{
    if (!got->new_delivery)
        return;
    r->moved = true;
    r->deliveries++;
    if (got->class == CLASS_FIRST)
        r->new_items++;
    else if (got->class == CLASS_CONFLICT ||
             (got->class == CLASS_GATEWAY_COPY && got->state == ITEM_NEEDS_RECONCILIATION))
        r->conflicts++;
    else
        r->duplicates++;
}

void incoming_forget(struct service *s, const struct digest *octets)
{
    char path[BLOB_PATH_SIZE];
    struct err err = ERR_INIT;
    blob_path_incoming(octets, path);
    if (s->port->blobs->forget(s->port->blobs->self, path, &err) != RC_OK)
        log_event(LOG_WARN, "incoming.left", "why=\"%s\"", err.text);
}

/* Octets that no original is made of are not needed once their delivery is recorded: those of copies,
 * and of mail that is only remembered. */
static void forget_octets(struct service *s, const struct arrival *a, const struct reservation *got)
{
    if (!got->octets_wanted && !digest_is_zero(&a->octets))
        incoming_forget(s, &a->octets);
}

static void reserved(struct service *s,
                     struct entering *e,
                     const struct arrival *a,
                     const struct reservation *got)
{
    count(s->result, got);
    log_event(LOG_NOTE, "delivery.recorded", "key=%s case=%s class=%s uid=%u", got->key,
              got->reference, delivery_class_text(got->class), (unsigned)a->uid);
    forget_octets(s, a, got);
    if (got->octets_wanted)
        shelf_put(s, &a->octets, a->size, &e->message);
}

static enum rc reserve(
    struct service *s, struct entering *e, const struct arrival *arrival, size_t n, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    CLEANUP(mem_free) struct reservation *out = mem_new(n, sizeof *out);
    TRY(l->intake->reserve(l->self, s->run.id, service_now(s), s->set->lease_ms, &s->set->policy,
                           arrival, n, out, err));
    for (size_t i = 0; i < n; i++)
        reserved(s, &e[i], &arrival[i], &out[i]);
    return RC_OK;
}

/* A batch that cannot be written is repeated one by one; what still fails stays in the mailbox. */
static enum rc reserve_batch(
    struct service *s, struct entering *e, const struct arrival *arrival, size_t n, struct err *err)
{
    struct err why = ERR_INIT;
    enum rc rc = reserve(s, e, arrival, n, &why);
    if (rc == RC_OK || n == 1)
        return rc == RC_OK ? RC_OK : FAIL(err, rc, "%s", why.text);
    if (rc == RC_DEFERRED || rc == RC_UNKNOWN || rc == RC_CONFLICT)
        return FAIL(err, rc, "%s", why.text);
    for (size_t i = 0; i < n; i++) {
        rc = reserve(s, &e[i], &arrival[i], 1, &why);
        if (rc == RC_DEFERRED || rc == RC_UNKNOWN)
            return FAIL(err, rc, "%s", why.text);
        s->left_over |= rc != RC_OK;
        if (rc != RC_OK)
            log_event(LOG_ERROR, "delivery.unrecorded", "uid=%u why=\"%s\"",
                      (unsigned)arrival[i].uid, why.text);
    }
    return RC_OK;
}

enum rc intake_reserve(struct service *s,
                       const struct place *place,
                       const struct fetched_set *caught,
                       bool filed,
                       struct err *err)
{
    struct entering *e = mem_new(caught->count, sizeof *e);
    struct arrival *arrival = mem_new(caught->count, sizeof *arrival);
    size_t n = 0;
    enum rc rc = RC_OK;
    for (size_t i = 0; i < caught->count && rc == RC_OK; i++) {
        rc = enter(s, place, &caught->at[i], filed, &e[n], err);
        if (rc == RC_OK)
            arrival[n] = e[n].arrival;
        n++;
    }
    if (rc == RC_OK)
        rc = reserve_batch(s, e, arrival, n, err);
    for (size_t i = 0; i < n; i++)
        entering_clear(s, &e[i]);
    shelf_expect_none(s);
    free(arrival);
    free(e);
    return rc;
}
