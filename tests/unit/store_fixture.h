/* SPDX-License-Identifier: Apache-2.0
 *
 * store_fixture - a ledger in memory with two runs and a mailbox, and mails that arrive in it.
 */
#pragma once

#include "ledger_place.h"
#include "store_p.h"

#include <onecase/when.h>
#include <testing.h>

#include <stdlib.h>
#include <string.h>

#define RUN_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define RUN_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define BOOT  "the present boot"
#define LEASE MINUTES(5)
#define NOON  INT64_C(1772452800000)

struct desk {
    struct store *store;
    struct ledger l;
    struct policy policy;
    struct instant now;
    struct err err;
};

/* What a test says of a mail; NULL is absent. */
struct mail {
    const char *id, *from, *reply_to, *to, *subject, *text, *in_reply_to, *references, *attachment;
    uint32_t uid, signs;
    uint32_t uidvalidity; /* 0: 7 */
    int64_t numbering;
    int64_t later_ms;      /* INTERNALDATE after noon */
    const char *transport; /* what differs between copies of one mail */
    const char *folder;    /* NULL: INBOX */
    const char *acknowledgement;
    const char *reference_key; /* a key rule's value */
    const char *action;        /* of a delivery report */
    bool proven, before_rewind, filed, unreadable;
};

struct arriving {
    struct message message;
    struct arrival arrival;
};

static const char *const own_addresses[] = {"help@example.org"};

static inline void must(struct desk *d, enum rc rc)
{
    if (rc != RC_OK)
        fail_msg("%s: %s", rc_text(rc), d->err.text);
}

static inline void enter(struct desk *d, const char *run, const char *host, const char *boot_id)
{
    struct run_facts facts = {.pid = 1, .version = "1", .name = "desk"};

    snprintf(facts.id, sizeof facts.id, "%s", run);
    snprintf(facts.host, sizeof facts.host, "%s", host);
    snprintf(facts.boot_id, sizeof facts.boot_id, "%s", boot_id);
    must(d, d->l.runs->enter(d->store, &facts, d->now, &d->err));
}

static inline void fill_policy(struct policy *p)
{
    *p = (struct policy){
        .mailbox = "help",
        .reference_prefix = "HD-",
        .own_addresses = {own_addresses, LENGTH(own_addresses)},
        .tells = {[COMPLETION_ACCEPTED] = true, [COMPLETION_ACCEPTED_WITH_EXCEPTIONS] = true},
        .max_age_ms = DAYS(7),
        .per_recipient = {10, HOURS(1)},
        .total = {3000, HOURS(1)},
        .per_sender = {30, HOURS(1)},
        .list_copies = COPY_DUPLICATE,
        .gateway_copies = COPY_PROPOSE,
        .reopen_closed = true,
        .attachment_max = 1000,
        .folder_processed = "Processed",
        .folder_duplicates = "Duplicates",
        .folder_unprocessable = "",
        .destination = "ledger",
    };
}

static inline int open_desk(void **state)
{
    struct desk *d = mem_new(1, sizeof *d);
    struct store_options options = {.path = ledger_place(":memory:"),
                                    .create = true,
                                    .secret_seed = sha256_of(SLICE("seed")),
                                    .now_ms = NOON,
                                    .host_clock = true};
    struct mailbox_record record;

    d->now = (struct instant){NOON, HOURS(1)};
    fill_policy(&d->policy);
    must(d, store_open(&options, &d->store, &d->err));
    d->l = store_ledger(d->store);
    must(d, d->l.mailboxes->load(d->store, "help", &record, &d->err));
    enter(d, RUN_B, "desk", BOOT);
    enter(d, RUN_A, "desk", BOOT);
    *state = d;
    return 0;
}

static inline int close_desk(void **state)
{
    struct desk *d = *state;

    must(d, store_check_chain(d->store, &d->err));
    store_close(&d->store);
    free(d);
    return 0;
}

#define AT_DESK(test) cmocka_unit_test_setup_teardown(test, open_desk, close_desk)

static inline void pass(struct desk *d, int64_t ms)
{
    d->now.wall_ms += ms;
    d->now.boot_ms += ms;
}

/* ---- mails --------------------------------------------------------------------------------- */

static inline struct span kept(struct message *m, const char *text)
{
    return message_keep(m, slice_z(text));
}

static inline void add_part(
    struct message *m, enum part_role role, const char *type, const char *name, const char *octets)
{
    struct span typed = kept(m, type), named = kept(m, name);
    struct message_part *part = message_add_part(m);

    part->role = role;
    part->type = typed;
    part->name = named;
    part->size = strncmp(octets, "big", 3) == 0 ? 5000 : (int64_t)strlen(octets);
    part->sha256 = sha256_of(slice_z(octets));
}

static inline void write_message(const struct mail *mail, struct message *m)
{
    const char *text = mail->text ? mail->text : "It has jammed.";

    m->from = kept(m, mail->from ? mail->from : "ann@example.com");
    if (mail->reply_to)
        message_list_add(m, &m->reply_to, slice_z(mail->reply_to));
    if (mail->to)
        message_list_add(m, &m->to, slice_z(mail->to));
    m->subject = kept(m, mail->subject ? mail->subject : "Printer");
    m->text = kept(m, text);
    m->message_id = kept(m, mail->id);
    if (mail->in_reply_to)
        message_list_add(m, &m->in_reply_to, slice_z(mail->in_reply_to));
    if (mail->references)
        message_list_add(m, &m->references, slice_z(mail->references));
    m->acknowledgement = kept(m, mail->acknowledgement);
    m->report_action = kept(m, mail->action);
    m->has_date = true;
    m->date_ms = NOON;
    m->signs = mail->signs;
    add_part(m, PART_TEXT, "text/plain", "", text);
    if (mail->attachment)
        add_part(m, PART_ATTACHMENT, "text/csv", mail->attachment, mail->attachment);
}

static inline struct digest said(const struct mail *mail)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    str_addf(&text, "%s|%s|%s", mail->from ? mail->from : "", mail->subject ? mail->subject : "",
             mail->text ? mail->text : "");
    return sha256_of(str_slice(&text));
}

static inline struct digest sent(const struct mail *mail)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct digest source = said(mail);

    str_add(&text, (struct slice){(const char *)source.octet, DIGEST_SIZE});
    str_addf(&text, "%s|%s", mail->id ? mail->id : "", mail->transport ? mail->transport : "");
    return sha256_of(str_slice(&text));
}

static inline struct identity identity_of(const struct mail *mail)
{
    struct digest source = said(mail);

    if (mail->reference_key)
        return identity_reference("help", "orders", slice_z(mail->reference_key));
    return mail->id ? identity_message_id("help", slice_z(mail->id))
                    : identity_digest("help", &source);
}

static inline void write_arrival(const struct mail *mail, struct arriving *a)
{
    *a = (struct arriving){.message = MESSAGE_INIT};
    write_message(mail, &a->message);
    a->arrival = (struct arrival){
        .mailbox = "help",
        .folder = mail->folder ? mail->folder : "INBOX",
        .uidvalidity = mail->uidvalidity ? mail->uidvalidity : 7,
        .uid = mail->uid,
        .numbering = mail->numbering,
        .internal_ms = NOON + mail->later_ms,
        .size = 100,
        .octets = sent(mail),
        .identity = identity_of(mail),
        .message_id = slice_z(mail->id),
        .source_digest = said(mail),
        .message = mail->unreadable ? NULL : &a->message,
        .held = mail->unreadable ? REASON_UNPROCESSABLE : REASON_NONE,
        .before_rewind = mail->before_rewind,
        .proven = mail->proven,
        .filed = mail->filed,
    };
}

#define BATCH_MAX 80

static inline enum rc try_batch(
    struct desk *d, const char *run, const struct mail *mail, size_t count, struct reservation *out)
{
    static struct arriving arriving[BATCH_MAX];
    static struct arrival arrival[BATCH_MAX];

    for (size_t i = 0; i < count; i++) {
        write_arrival(&mail[i], &arriving[i]);
        arrival[i] = arriving[i].arrival;
        if (mail[i].folder && strcmp(mail[i].folder, "elsewhere") == 0)
            arrival[i].mailbox = "nowhere";
    }
    enum rc rc = d->l.intake->reserve(d->store, run, d->now, LEASE, &d->policy, arrival, count, out,
                                      &d->err);

    for (size_t i = 0; i < count; i++)
        message_clear(&arriving[i].message);
    return rc;
}

static inline struct reservation arrive(struct desk *d, const char *run, const struct mail *mail)
{
    struct reservation out;

    must(d, try_batch(d, run, mail, 1, &out));
    return out;
}

#define ARRIVE(d, ...) arrive((d), RUN_A, &(struct mail){__VA_ARGS__})

/* ---- looking ------------------------------------------------------------------------------- */

/* The first column named `v` of the first row; the text lives until the next call. $1 is `key`. */
static inline const char *look(struct desk *d, const char *sql, const char *key)
{
    static char text[2000];
    CLEANUP(stmt_done) struct stmt *s = NULL;

    must(d, stmt_open(d->store->db, sql, &s, &d->err));
    if (key)
        stmt_text(s, 1, key);
    enum rc rc = stmt_row(s, &d->err);

    if (rc == RC_NOT_FOUND)
        return "(no row)";
    must(d, rc);
    snprintf(text, sizeof text, "%s", col_null(s, "v") ? "(null)" : col_text(s, "v"));
    return text;
}

#define LOOK(d, sql, key)  look((d), "SELECT " sql, (key))
#define COUNT(d, sql, key) strtoll(LOOK((d), "COUNT(*) AS v FROM " sql, (key)), NULL, 10)

/* A change made behind the program's back, to set a scene. */
static inline void scene(struct desk *d, const char *sql)
{
    must(d, db_run(d->store->db, sql, &d->err));
    ledger_count_on(d->store->db);
}

/* ---- working ------------------------------------------------------------------------------- */

struct claimed {
    struct work_item *item;
    size_t count;
};

static inline void claimed_clear(struct claimed *c)
{
    work_items_free(c->item, c->count);
    *c = (struct claimed){0};
}

static inline struct claimed claim(struct desk *d, const char *run, size_t limit)
{
    struct claimed c;

    must(d,
         d->l.work->claim(d->store, run, "help", d->now, LEASE, limit, &c.item, &c.count, &d->err));
    return c;
}

static inline struct work_effect *effect_in(struct work_item *item, enum effect_kind kind)
{
    for (size_t i = 0; i < item->effects; i++)
        if (item->effect[i].kind == kind && strcmp(item->effect[i].target, "ledger") != 0)
            return &item->effect[i];
    fail_msg("item %s has no such effect", item->key);
    return NULL;
}

static inline enum rc
try_commit(struct desk *d, const char *run, const struct change *change, size_t count)
{
    return d->l.work->commit(d->store, run, d->now, change, count, NULL, &d->err);
}

static inline struct change step(const struct work_item *item,
                                 const struct work_effect *effect,
                                 enum effect_status from,
                                 enum effect_event on)
{
    return (struct change){
        .what = CHANGE_EFFECT,
        .key = item->key,
        .fence = item->fence,
        .effect = {.effect = effect->id, .from = from, .on = on, .due_ms = NOT_DUE}};
}

static inline struct change arm(const struct work_item *item, const struct work_effect *effect)
{
    struct change c = step(item, effect, effect->status, ON_ARM);

    if (effect->kind == EFFECT_ACKNOWLEDGEMENT) {
        c.effect.target = "accepted";
        c.effect.letter_date_ms = NOON;
    }
    return c;
}

static inline struct change
ended(const struct work_item *item, const struct work_effect *effect, enum outcome outcome)
{
    struct change c = step(item, effect, EFFECT_ATTEMPTING, outcome_event(outcome));

    c.effect.outcome = outcome;
    c.effect.stage = STAGE_END_OF_DATA;
    c.effect.counts = true;
    return c;
}

static inline struct change item_step_to(const struct work_item *item, enum item_event on)
{
    return (struct change){
        .what = CHANGE_ITEM,
        .key = item->key,
        .fence = item->fence,
        .item = {.from = item->state, .on = on, .release = true, .due_ms = NOT_DUE}};
}

static inline struct change give_back(const struct work_item *item, int64_t due_ms)
{
    return (struct change){.what = CHANGE_ITEM,
                           .key = item->key,
                           .fence = item->fence,
                           .item = {.keep = true, .release = true, .due_ms = due_ms}};
}

static inline struct change accept_item(const struct work_item *item, const struct acceptance *a)
{
    return (struct change){
        .what = CHANGE_ACCEPTANCE, .key = item->key, .fence = item->fence, .acceptance = a};
}

#define COMMIT(d, run, ...)                                                                        \
    do {                                                                                           \
        const struct change all_[] = {__VA_ARGS__};                                                \
        must((d), try_commit((d), (run), all_, LENGTH(all_)));                                     \
    } while (0)

static const struct acceptance held_acceptance = {
    .condition = {{"case", true, "read back"}}, .count = 1, .holds = true};

/* Takes the one item that is due through everything that is planned for it. */
static inline void complete(struct desk *d, const char *run)
{
    CLEANUP(claimed_clear) struct claimed c = claim(d, run, 1);
    struct work_item *item = c.item;

    assert_int_equal(c.count, 1);
    COMMIT(d, run, accept_item(item, &held_acceptance));
    for (size_t i = 0; i < item->effects; i++) {
        struct work_effect *e = &item->effect[i];

        if (e->status == EFFECT_PLANNED)
            COMMIT(d, run, arm(item, e), ended(item, e, OUTCOME_DONE));
    }
    if (item->state == ITEM_IN_PROGRESS)
        COMMIT(d, run, item_step_to(item, ITEM_ON_COMPLETE));
    else
        COMMIT(d, run, give_back(item, NOT_DUE));
}
