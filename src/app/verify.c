/* SPDX-License-Identifier: Apache-2.0 */
#include "verify.h"

#include <onecase/when.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What has lain in the inbox for so long, with a service that polls, should be recorded. */
#define SETTLED_MS MINUTES(10)

void verify_tell(struct verifying *v, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args); /* NOLINT: an old analyzer's va_list */
    va_end(args);
    v->tell(v->ctx, line);
}

/* ---- the ledger against itself ---------------------------------------------------------------------------- */

static enum rc verify_ledger(struct verifying *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    struct err why = ERR_INIT;
    const struct views *views = &v->data->views;
    if (store_check(v->data->store, &why) != RC_OK)
        verify_tell(v, "ledger: %s", why.text);
    if (store_check_chain(v->data->store, &why) != RC_OK)
        verify_tell(v, "events: %s", why.text);
    TRY(views->contradictions(views->self, &view, err));
    const struct view_contradiction *c = view.row;
    for (size_t i = 0; i < view.count; i++)
        verify_tell(v, "mail %.12s: %s", c[i].key, c[i].says);
    v->out->items_wrong = (int64_t)view.count;
    return RC_OK;
}

/* ---- the ledger against a mailbox --------------------------------------------------------------------------- */

struct inbox {
    const struct config_mailbox *m;
    const struct mailbox *port;
    struct folder_state state;
    struct mail_line *line; /* owned */
    size_t lines;
};

static bool lies_there(const struct inbox *in, uint32_t uid)
{
    for (size_t i = 0; i < in->lines; i++)
        if (in->line[i].uid == uid)
            return true;
    return false;
}

/* `after` becomes the last UID of this page; 0: it was the last page. */
static enum rc
gone_page(struct verifying *v, const struct inbox *in, uint32_t *after, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = &v->data->views;
    TRY(views->left(views->self, in->m->id, in->m->folders.inbox, in->state.uidvalidity, *after,
                    &view, err));
    const struct view_left *left = view.row;
    *after = view.count > 0 ? left[view.count - 1].uid : 0;
    for (size_t i = 0; i < view.count; i++)
        if (lies_there(in, left[i].uid))
            verify_tell(v,
                        "mailbox %s: message %u of mail %.12s is recorded as filed, and lies in "
                        "the inbox",
                        in->m->id, (unsigned)left[i].uid, left[i].key);
    return RC_OK;
}

static enum rc gone_and_there(struct verifying *v, const struct inbox *in, struct err *err)
{
    uint32_t after = 0;
    if (in->lines == 0)
        return RC_OK;
    do
        TRY(gone_page(v, in, &after, err));
    while (after > 0);
    return RC_OK;
}

static enum rc awaiting_of(struct verifying *v, const char *id, int64_t *out, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = &v->data->views;
    *out = 0;
    TRY(views->mailboxes(views->self, 0, &view, err));
    const struct view_mailbox *m = view.row;
    for (size_t i = 0; i < view.count; i++)
        if (slice_eqz(slice_z(m[i].id), id))
            *out = m[i].awaiting_choice;
    return RC_OK;
}

/* Mail from before that waits for the choice is counted and not recorded. */
static enum rc there_and_unknown(struct verifying *v, const struct inbox *in, struct err *err)
{
    const struct ledger *l = &v->data->ledger;
    struct clock clock = system_clock();
    int64_t before = clock_now(&clock).wall_ms - SETTLED_MS, unknown = 0, awaiting;
    CLEANUP(mem_free) struct sighting *at = mem_new(in->lines + 1, sizeof *at);
    for (size_t i = 0; i < in->lines; i++)
        at[i] = (struct sighting){.uid = in->line[i].uid, .internal_ms = in->line[i].internal_ms};
    TRY(l->intake->unseen(l->self, in->m->id, in->m->folders.inbox, in->state.uidvalidity, at,
                          in->lines, err));
    TRY(awaiting_of(v, in->m->id, &awaiting, err));
    for (size_t i = 0; i < in->lines; i++)
        unknown += at[i].unseen && in->line[i].internal_ms < before;
    if (unknown > awaiting)
        verify_tell(v,
                    "mailbox %s: %lld messages older than 10 minutes lie in the inbox and are "
                    "recorded nowhere",
                    in->m->id, (long long)(unknown - awaiting));
    return RC_OK;
}

static enum rc compare(struct verifying *v, struct inbox *in, struct err *err)
{
    struct err why = ERR_INIT;
    enum rc rc = in->port->open(in->port->self, in->m->folders.inbox, &in->state, &why);
    if (rc == RC_OK)
        rc = in->port->list(in->port->self, in->m->folders.inbox, in->state.uidvalidity, 1,
                            &in->line, &in->lines, &why);
    if (rc != RC_OK) {
        verify_tell(v, "mailbox %s: it cannot be compared: %s", in->m->id, why.text);
        v->out->mailbox_failed = true;
        return RC_OK;
    }
    v->out->messages += (int64_t)in->lines;
    TRY(gone_and_there(v, in, err));
    return there_and_unknown(v, in, err);
}

static enum rc verify_mailbox(struct verifying *v, const struct config_mailbox *m, struct err *err)
{
    struct clock clock = system_clock();
    struct endpoint endpoint = wire_endpoint(&m->imap);
    struct imap_mailbox *imap = imap_mailbox_new(&endpoint, &clock, -1);
    struct mailbox port = imap_mailbox_port(imap);
    struct inbox in = {.m = m, .port = &port};
    enum rc rc = compare(v, &in, err);
    free(in.line);
    imap_mailbox_free(imap);
    return rc;
}

enum rc verify_all(const struct config *config,
                   struct wired_data *data,
                   void (*tell)(void *ctx, const char *what),
                   void *ctx,
                   struct verified *out,
                   struct err *err)
{
    struct verifying v = {.config = config, .data = data, .tell = tell, .ctx = ctx, .out = out};
    *out = (struct verified){.files = 0};
    TRY(verify_ledger(&v, err));
    TRY(verify_files(&v, err));
    for (size_t i = 0; i < config->mailboxes.count; i++)
        TRY(verify_mailbox(&v, &config->mailboxes.at[i], err));
    return RC_OK;
}
