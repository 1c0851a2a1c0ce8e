/* SPDX-License-Identifier: Apache-2.0 */
#include "json_p.h"
#include <string.h>

/* ---- items ------------------------------------------------------------------------------------------ */

static json_t *effects(const struct view_item *item)
{
    json_t *list = json_array();
    for (size_t i = 0; i < item->effects; i++) {
        const struct view_effect *e = &item->effect[i];
        json_t *o = json_object();
        put(o, "kind", text(e->kind));
        put(o, "target", text(e->target));
        put(o, "status", text(e->status));
        put(o, "external_id", text_or_null(e->external_id));
        put_int(o, "attempts", e->attempts);
        put(o, "reason", text_or_null(e->reason));
        put(o, "error", text_or_null(e->error));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *delivery(const struct view_delivery *d)
{
    json_t *o = json_object();
    put_int(o, "id", d->id);
    put(o, "key", text(d->key));
    put(o, "mailbox", text(d->mailbox));
    put(o, "folder", text(d->folder));
    put_int(o, "uidvalidity", d->uidvalidity);
    put_int(o, "uid", d->uid);
    put(o, "class", text(d->class));
    put(o, "state", text(d->state));
    put(o, "case", text_or_null(d->reference));
    put(o, "seen_at", when(d->seen_ms));
    put(o, "run", text(d->run));
    return o;
}

static json_t *deliveries(const struct view_delivery *row, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, delivery(&row[i]));
    return list;
}

static json_t *attempts(const struct view_item *item)
{
    json_t *list = json_array();
    for (size_t i = 0; i < item->attempt_count; i++) {
        const struct view_attempt *a = &item->attempt[i];
        json_t *o = json_object();
        put(o, "kind", text(a->kind));
        put(o, "target", text(a->target));
        put_int(o, "number", a->number);
        put(o, "run", text(a->run));
        put(o, "phase", text(a->phase));
        put(o, "outcome", text_or_null(a->outcome));
        put(o, "stage", text_or_null(a->stage));
        put_int(o, "code", a->code);
        put(o, "started_at", when(a->started_ms));
        put(o, "armed_at", when(a->armed_ms));
        put(o, "ended_at", when(a->ended_ms));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *evidence(const struct view_item *item)
{
    json_t *list = json_array();
    for (size_t i = 0; i < item->evidence_count; i++) {
        const struct view_evidence *e = &item->evidence[i];
        json_t *o = json_object();
        put(o, "kind", text(e->kind));
        put(o, "target", text(e->target));
        put(o, "evidence", text(e->evidence));
        put(o, "found", json_boolean(e->found));
        put(o, "place", text_or_null(e->place));
        put(o, "seen_at", when(e->seen_ms));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *reports(const struct view_reports *all)
{
    json_t *list = json_array();
    for (size_t i = 0; i < all->count; i++) {
        json_t *o = json_object();
        put(o, "action", text(all->at[i].action));
        put(o, "key", text(all->at[i].key));
        put(o, "seen_at", when(all->at[i].seen_ms));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *approvals(const struct view_item *item)
{
    json_t *list = json_array();
    for (size_t i = 0; i < item->approval_count; i++) {
        const struct view_approval *a = &item->approval[i];
        json_t *o = json_object();
        put(o, "decision", text(a->decision));
        put(o, "by", text(a->by));
        put(o, "second", text_or_null(a->second));
        put(o, "reason", text(a->why));
        put(o, "decided_at", when(a->decided_ms));
        put(o, "undone_at", when(a->undone_ms));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *notes(const struct view_item *item)
{
    json_t *list = json_array();
    for (size_t i = 0; i < item->note_count; i++) {
        json_t *o = json_object();
        put(o, "noted_at", when(item->note[i].noted_ms));
        put(o, "text", text(item->note[i].text));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *acceptance(const struct view_item *item)
{
    json_t *list = json_array();
    for (size_t i = 0; i < item->condition_count; i++) {
        const struct view_condition *c = &item->condition[i];
        json_t *o = json_object();
        put(o, "name", text(c->name));
        put(o, "holds", json_boolean(c->holds));
        put(o, "value", text(c->value));
        json_array_append_new(list, o);
    }
    return list;
}

/* Where no time can be said it is for the end of its run that `not-sent` waits. */
static json_t *not_sent_from(int64_t from_ms)
{
    return from_ms == INT64_MAX ? json_null() : when(from_ms);
}

static json_t *not_sent_needs(int64_t from_ms)
{
    return from_ms == INT64_MAX ? json_string("run-gone") : json_null();
}

static json_t *item(const struct view_item *i, bool whole)
{
    json_t *o = json_object();
    put(o, "key", text(i->key));
    put(o, "key_source", text(i->key_source));
    put(o, "mailbox", text(i->mailbox));
    put(o, "message_id", i->message_id.len > 0 ? octets(i->message_id) : json_null());
    put(o, "digest", text_or_null(i->digest));
    put(o, "state", text(i->state));
    put(o, "disposition", text(i->disposition));
    put(o, "reason", text_or_null(i->reason));
    put(o, "case", text_or_null(i->reference));
    put(o, "completion_state", text_or_null(i->completion_state));
    put(o, "first_seen", when(i->first_seen_ms));
    put(o, "completed_at", when(i->completed_ms));
    put_int(o, "attempts", i->attempts);
    put_int(o, "deliveries", i->deliveries);
    put_int(o, "duplicates", i->duplicates);
    put(o, "not_sent_from", not_sent_from(i->not_sent_from_ms));
    put(o, "not_sent_needs", not_sent_needs(i->not_sent_from_ms));
    put(o, "effects", effects(i));
    if (!whole)
        return o;
    put(o, "delivery_list", deliveries(i->delivery, i->delivery_count));
    put(o, "attempt_list", attempts(i));
    put(o, "evidence_list", evidence(i));
    put(o, "report_list", reports(&i->reports));
    put(o, "approval_list", approvals(i));
    put(o, "acceptance", acceptance(i));
    put(o, "note_list", notes(i));
    return o;
}

void json_items(const struct view *view, bool whole, struct str *out)
{
    const struct view_item *row = view->row;
    if (whole && view->count == 1) {
        finish(item(row, true), out);
        return;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < view->count; i++)
        json_array_append_new(list, item(&row[i], whole));
    finish(list, out);
}

void json_deliveries(const struct view *view, struct str *out)
{
    finish(deliveries(view->row, view->count), out);
}

/* ---- cases ------------------------------------------------------------------------------------------ */

static json_t *attachments(const struct view_case *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->attachments; i++) {
        const struct view_attachment *a = &c->attachment[i];
        json_t *o = json_object();
        put(o, "name", text_or_null(a->name));
        put(o, "path", text_or_null(a->path));
        put(o, "type", text(a->type));
        put_int(o, "size", a->size);
        put(o, "sha256", text(a->sha256));
        put(o, "status", text(a->status));
        put(o, "reason", text_or_null(a->reason));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *marks(uint32_t signs)
{
    json_t *list = json_array();
    for (const char *word; (word = mark_word(&signs)) != NULL;)
        json_array_append_new(list, text(word));
    return list;
}

static json_t *messages(const struct view_case *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->message_count; i++) {
        const struct view_message *m = &c->message[i];
        json_t *o = json_object();
        put(o, "key", text(m->key));
        put(o, "from", text(m->from));
        put(o, "reply_to", text_or_null(m->reply_to));
        put(o, "subject", text(m->subject));
        put(o, "date", when(m->date_ms));
        put(o, "text", text(m->text));
        put(o, "direction", text(m->direction));
        put(o, "marks", marks(m->signs));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *one_case(const struct view_case *c, bool whole)
{
    json_t *o = json_object();
    put(o, "reference", text(c->reference));
    put(o, "key", text(c->key));
    put(o, "mailbox", text(c->mailbox));
    put(o, "from", text(c->from));
    put(o, "subject", text(c->subject));
    put(o, "created_at", when(c->created_ms));
    put(o, "state", text(c->state));
    put(o, "messages", whole ? messages(c) : json_integer(c->messages));
    put(o, "attachments", attachments(c));
    if (whole)
        put(o, "reports", reports(&c->reports));
    return o;
}

void json_cases(const struct view *view, bool whole, struct str *out)
{
    const struct view_case *row = view->row;
    if (whole && view->count == 1) {
        finish(one_case(row, true), out);
        return;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < view->count; i++)
        json_array_append_new(list, one_case(&row[i], whole));
    finish(list, out);
}

/* ---- status ----------------------------------------------------------------------------------------- */

static json_t *counts(const struct view_count *count, size_t n)
{
    json_t *o = json_object();
    for (size_t i = 0; i < n; i++)
        put_int(o, count[i].name, count[i].count);
    return o;
}

static json_t *states(const struct view_mailbox *m)
{
    json_t *o = json_object();
    for (size_t i = 0; i < ITEM_STATE_COUNT; i++)
        put_int(o, item_state_text((enum item_state)i), m->state[i]);
    put_int(o, "duplicate", m->duplicates);
    return o;
}

/* The circuit of the acknowledgements, else of the mailbox itself, else of the destination. */
static json_t *circuit(const struct view_mailbox *m)
{
    static const enum circuit_of order[] = {CIRCUIT_SMTP, CIRCUIT_IMAP, CIRCUIT_DESTINATION,
                                            CIRCUIT_SCANNER};
    for (size_t i = 0; i < LENGTH(order); i++) {
        const struct circuit *c = &m->circuit[order[i]];
        if (c->state == CIRCUIT_CLOSED)
            continue;
        json_t *o = json_object();
        put(o, "since", when(c->since_ms));
        put(o, "reason", text(c->reason));
        put(o, "next_probe", when(c->next_probe_ms));
        return o;
    }
    return json_null();
}

static json_t *claim(const struct view_mailbox *m)
{
    json_t *o = json_object();
    put(o, "owner", text_or_null(m->claim_owner));
    put(o, "ours", json_boolean(m->claimed && !(m->claim_owner && m->claim_owner[0])));
    return o;
}

static void add_secret(json_t *list, const char *server, int64_t expires_ms)
{
    if (expires_ms == 0)
        return;
    json_t *o = json_object();
    put(o, "server", text(server));
    put(o, "expires", when(expires_ms));
    json_array_append_new(list, o);
}

/* Of those whose day the configuration says. */
static json_t *secrets(const struct view_mailbox *m)
{
    json_t *list = json_array();
    add_secret(list, "imap", m->imap_secret_ms);
    add_secret(list, "smtp", m->smtp_secret_ms);
    return list;
}

static json_t *mailbox(const struct view_mailbox *m, int64_t now_ms)
{
    json_t *o = json_object();
    int64_t oldest =
        m->oldest_incomplete_ms == NOT_DUE ? 0 : (now_ms - m->oldest_incomplete_ms) / 1000;
    put(o, "id", text(m->id));
    put(o, "mode", text(m->mode));
    put(o, "states", states(m));
    put(o, "waiting", counts(m->waiting, m->waiting_count));
    put_int(o, "not_told", m->not_told);
    put_int(o, "backlog", m->backlog);
    put_int(o, "oldest_incomplete_seconds", oldest > 0 ? oldest : 0);
    put_int(o, "awaiting_choice", m->awaiting_choice);
    put(o, "circuit", circuit(m));
    put(o, "paused", json_boolean(m->paused));
    put(o, "claim", claim(m));
    put(o, "last_success", when(m->last_success_ms));
    put(o, "last_error", text_or_null(m->last_error));
    put(o, "secrets", secrets(m));
    return o;
}

void json_status(const struct view *view, int64_t backup_ms, int64_t now_ms, struct str *out)
{
    bool saved = backup_ms != NOT_DUE;
    const struct view_mailbox *row = view->row;
    json_t *list = json_array();
    for (size_t i = 0; i < view->count; i++)
        json_array_append_new(list, mailbox(&row[i], now_ms));
    json_t *o = json_object();
    put(o, "mailboxes", list);
    put(o, "last_backup", saved ? when(backup_ms) : json_null());
    put(o, "last_backup_age_seconds",
        saved ? json_integer((now_ms - backup_ms) / 1000) : json_null());
    finish(o, out);
}

/* ---- run --once -------------------------------------------------------------------------------------- */

void json_summary(const struct run_summary *s, struct str *out)
{
    json_t *o = json_object();
    put_int(o, "deliveries", s->deliveries);
    put_int(o, "new", s->new_items);
    put_int(o, "duplicates", s->duplicates);
    put_int(o, "conflicts", s->conflicts);
    put_int(o, "completed", s->completed);
    put_int(o, "deferred", s->deferred);
    put_int(o, "needs_reconciliation", s->needs_reconciliation);
    put_int(o, "awaiting_choice", s->awaiting_choice);
    finish(o, out);
}

/* ---- run --dry-run ----------------------------------------------------------------------------------- */

void json_would_be(const struct would_be *m, struct str *list)
{
    json_t *o = json_object();
    put(o, "mailbox", text(m->mailbox));
    put_int(o, "uid", m->uid);
    put(o, "class", text(m->class));
    put(o, "disposition", text(m->disposition));
    put(o, "case", text_or_null(m->reference));
    put(o, "reason", text_or_null(m->reason));
    put(o, "acknowledgement", m->skip ? text(m->skip[0] ? "skipped" : "planned") : json_null());
    put(o, "skipped_because", text_or_null(m->skip));
    char *dump = json_dumps(o, JSON_COMPACT);
    str_addf(list, "%s%s", list->len > 0 ? "," : "", dump ? dump : "null");
    free(dump);
    json_decref(o);
}

void json_would(struct slice list, const struct run_summary *s, struct str *out)
{
    CLEANUP(str_clear) struct str array = STR_INIT;
    json_t *o = json_object();
    str_addf(&array, "[%.*s]", (int)list.len, list.at);
    put(o, "messages", json_loadb(str_z(&array), array.len, 0, NULL));
    put_int(o, "awaiting_choice", s->awaiting_choice);
    finish(o, out);
}

/* ---- identify ---------------------------------------------------------------------------------------- */

static json_t *hex(const struct digest *d)
{
    char out[DIGEST_HEX_SIZE];
    digest_hex(d, out);
    return json_string(out);
}

static json_t *rules_tried(const struct identified *id)
{
    json_t *list = json_array();
    for (size_t i = 0; i < id->tried_count; i++) {
        json_t *one = json_object();
        put(one, "rule", text(id->tried[i].name));
        put(one, "fit", text(rule_fit_text(id->tried[i].fit)));
        json_array_append_new(list, one);
    }
    return list;
}

void json_identified(const struct identified *id, struct str *out)
{
    json_t *o = json_object();
    put(o, "key", text(id->identity.key));
    put(o, "key_source", text(key_source_text(id->identity.source)));
    put(o, "message_id", id->message_id.len > 0 ? octets(str_slice(&id->message_id)) : json_null());
    put(o, "immutable_id", octets(str_slice(&id->immutable_id)));
    put(o, "case", text(id->reference));
    put(o, "source_digest", hex(&id->source_digest));
    put(o, "payload_digest", id->readable ? hex(&id->payload_digest) : json_null());
    put(o, "fingerprint", id->readable ? hex(&id->fingerprint) : json_null());
    put(o, "rule", text_or_null(id->rule));
    put(o, "rules_tried", rules_tried(id));
    put(o, "dmarc", text_or_null(dmarc_text(id->dmarc)));
    put(o, "acknowledgement", text_or_null(skip_text(id->skip)));
    finish(o, out);
}

/* ---- template test ------------------------------------------------------------------------------------ */

void json_letter(const struct letter_shown *l, struct str *out)
{
    bool none = l->octets.len == 0;
    json_t *o = json_object();
    put(o, "mailbox", text(l->mailbox));
    put(o, "case", text(l->reference));
    put(o, "completion_state", text(completion_text(l->completion)));
    put(o, "to", l->skip == SKIP_NONE ? text(l->recipient) : json_null());
    put(o, "skipped", text_or_null(skip_text(l->skip)));
    put(o, "languages", text(l->languages));
    put(o, "language", text_or_null(l->language));
    put(o, "subject", none ? json_null() : octets(str_slice(&l->subject)));
    put(o, "text", none ? json_null() : octets(str_slice(&l->text)));
    put(o, "html", l->html.len == 0 ? json_null() : octets(str_slice(&l->html)));
    put(o, "octets", none ? json_null() : octets(str_slice(&l->octets)));
    finish(o, out);
}

/* ---- what was tried, and what was decided -------------------------------------------------------------- */

void json_checks(const struct check_result *result, size_t count, struct str *out)
{
    static const char *const findings[] = {"good", "warning", "bad"};
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *o = json_object();
        put(o, "finding", text(findings[result[i].finding]));
        put(o, "what", text(result[i].what));
        put(o, "mend", text_or_null(result[i].mend));
        json_array_append_new(list, o);
    }
    finish(list, out);
}

void json_decided(enum decision decision, const struct decision_result *result, struct str *out)
{
    json_t *o = json_object();
    put(o, "decision", text(decision_text(decision)));
    put(o, "state", text(item_state_text(result->state)));
    put(o, "case", text_or_null(result->reference));
    finish(o, out);
}

void json_not_yet(enum decision decision, int64_t from_ms, struct str *out)
{
    json_t *o = json_object();
    put(o, "decision", text(decision_text(decision)));
    put(o, "not_sent_from", not_sent_from(from_ms));
    put(o, "not_sent_needs", not_sent_needs(from_ms));
    finish(o, out);
}

void json_chosen(const char *mailbox, enum import_choice choice, struct str *out)
{
    json_t *o = json_object();
    put(o, "mailbox", text(mailbox));
    put(o, "choice", text(import_text(choice)));
    finish(o, out);
}

/* ---- what went wrong ----------------------------------------------------------------------------------- */

void json_error(const char *says, struct str *out)
{
    json_t *o = json_object();
    put(o, "error", text(says));
    finish(o, out);
}
