/* SPDX-License-Identifier: Apache-2.0 */
#include "dry_run.h"

#include "scratch.h"
#include "wire.h"

#include <onecase/log.h>
#include <stdio.h>
#include <string.h>

struct trial {
    struct wired wired;
    struct scratch scratch;
    struct store *copy;
    struct ledger ledger;
    struct views views;
    struct service_ports ports;
};

/* ---- a ledger that may be written ------------------------------------------------------------------- */

static enum rc copy_ledger(struct trial *t, struct err *err)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    str_addf(&path, "%s/ledger.db", t->scratch.path);
    struct store_options options = {.path = str_z(&path), .create = true, .skip_check = true};
    digest_random(&options.secret_seed);
    TRY(store_open(&options, &t->copy, err));
    TRY(store_copy(t->copy, t->wired.data.store, err));
    t->ledger = store_ledger(t->copy);
    t->views = store_views(t->copy);
    return RC_OK;
}

/* What is kept aside stays there: the copy of the ledger knows nothing of it. */
static enum rc forget_hold(struct trial *t,
                           const struct mailbox_record *record,
                           struct instant now,
                           struct err *err)
{
    const struct ledger *l = &t->ledger;
    if (!record->hold_folder[0])
        return RC_OK;
    TRY(l->people->pause(l->self, record->id, false, 0, "dry-run", "nothing is changed", now, err));
    return l->operators->hold_over(l->self, record->id, now, err);
}

/* Mail is taken in, and no step runs. */
static enum rc hold_steps(struct trial *t, struct err *err)
{
    struct mailbox_record record;
    const char *id = t->wired.mailbox->id;
    struct instant now = clock_now(&t->wired.clock);
    TRY(t->ledger.mailboxes->load(t->ledger.self, id, &record, err));
    TRY(forget_hold(t, &record, now, err));
    return t->ledger.people->pause(t->ledger.self, id, true, 0, "dry-run", "nothing is changed",
                                   now, err);
}

static enum rc prepare(struct trial *t, struct err *err)
{
    TRY(scratch_open(&t->scratch, err));
    TRY(copy_ledger(t, err));
    TRY(wire_move_in(&t->wired, t->scratch.path, err));
    t->ports = t->wired.ports;
    t->ports.ledger = &t->ledger;
    t->ports.blobs = &t->scratch.blobs;
    t->ports.files = &t->scratch.files;
    t->ports.courier = NULL;
    t->wired.settings.claim_folder = ""; /* a claim would be a change */
    return RC_OK;
}

/* ---- what was seen ------------------------------------------------------------------------------------ */

/* Why no acknowledgement would be sent: "" one would, NULL where none is planned. */
static const char *skip_of(const struct view_item *i)
{
    for (size_t n = 0; n < i->effects; n++) {
        const struct view_effect *e = &i->effect[n];
        if (strcmp(e->kind, effect_kind_text(EFFECT_ACKNOWLEDGEMENT)) == 0)
            return strcmp(e->status, effect_status_text(EFFECT_SKIPPED)) == 0 ? e->reason : "";
    }
    return NULL;
}

static enum rc tell(struct trial *t,
                    const struct view_delivery *d,
                    const struct run_request *request,
                    struct err *err)
{
    CLEANUP(view_clear) struct view view = {.count = 0};
    TRY(t->views.item(t->views.self, d->key, &view, err));
    const struct view_item *i = view.row;
    bool copy = strcmp(d->state, "duplicate") == 0;
    const struct would_be message = {
        .mailbox = d->mailbox,
        .uid = d->uid,
        .class = d->class,
        .disposition = i->disposition,
        .reference = d->reference,
        .reason = copy ? "" : i->reason,
        .copy = copy,
        .skip = copy ? NULL : skip_of(i),
    };
    request->would(request->ctx, &message);
    return RC_OK;
}

static enum rc
tell_all(struct trial *t, const char *run, const struct run_request *request, struct err *err)
{
    CLEANUP(view_clear) struct view view = {.count = 0};
    struct view_filter filter = {.mailbox = t->wired.mailbox->id, .older_than_ms = NOT_DUE};
    TRY(t->views.deliveries(t->views.self, &filter, &view, err));
    const struct view_delivery *row = view.row;
    for (size_t i = view.count; i > 0; i--) /* oldest first */
        if (strcmp(row[i - 1].run, run) == 0)
            TRY(tell(t, &row[i - 1], request, err));
    return RC_OK;
}

static enum rc
look(struct trial *t, const struct run_request *request, struct run_summary *out, struct err *err)
{
    CLEANUP(service_free) struct service *service = NULL;
    struct tick_result r = {.moved = true};
    TRY(service_new(&t->ports, &t->wired.settings, &service, err));
    TRY(hold_steps(t, err));
    while (r.moved) {
        TRY(service_tick(service, &r, err));
        out->deliveries += r.deliveries;
    }
    out->mailbox_failed = r.mailbox_failed;
    out->awaiting_choice = r.awaiting_choice;
    return tell_all(t, service_run(service), request, err);
}

enum rc dry_run(const struct config *config,
                const struct config_mailbox *mailbox,
                const struct run_request *request,
                struct run_summary *out,
                struct err *err)
{
    struct trial t = {.copy = NULL};
    *out = (struct run_summary){0};
    log_threshold(LOG_WARN);
    enum rc rc = wire_open(config, mailbox, &t.wired, err);
    if (rc == RC_OK)
        rc = prepare(&t, err);
    if (rc == RC_OK)
        rc = look(&t, request, out, err);
    store_close(&t.copy);
    wire_close(&t.wired);
    scratch_close(&t.scratch);
    return rc;
}
