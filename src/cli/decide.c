/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <string.h>

/* ---- first-import, pause, resume ------------------------------------------------------------------------- */

int cmd_first_import(struct call *call)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    CLEANUP(str_clear) struct str out = STR_INIT;
    enum import_choice choice = IMPORT_NOT_ASKED;
    struct err err = ERR_INIT;
    const struct ledger *l = call->ops->ledger;
    struct instant now = {.wall_ms = call->now_ms};
    const char *mailbox;
    decider_or_account(call, &by);
    (void)import_parse(args_get(&call->args, "cases|full|adopt"), &choice);
    if (asked_mailbox(call, &mailbox, &err) != RC_OK ||
        l->mailboxes->choose_import(l->self, mailbox, choice, str_z(&by), now, &err) != RC_OK)
        return failed(&err);
    if (call->json) {
        json_chosen(mailbox, choice, &out);
        print(&out);
        return EXIT_DONE;
    }
    printf("Recorded: mail from before is taken as '%s'. The next run goes on with it.\n",
           import_text(choice));
    return EXIT_DONE;
}

static enum rc
pause_one(struct call *call, const char *mailbox, bool paused, unsigned effects, struct err *err)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    struct mailbox_record record;
    const char *why;
    const struct ledger *l = call->ops->ledger;
    struct instant now = {.wall_ms = call->now_ms};
    TRY(decider(call, &by, &why, err));
    TRY(l->mailboxes->load(l->self, mailbox, &record, err)); /* makes it, before the first look */
    return l->people->pause(l->self, mailbox, paused, effects, str_z(&by), why, now, err);
}

static int pause_all(struct call *call, bool paused, unsigned effects)
{
    const struct config *c = call->ops->config;
    const char *only;
    struct err err = ERR_INIT;
    if (asked_mailbox(call, &only, &err) != RC_OK)
        return failed(&err);
    for (size_t i = 0; i < c->mailboxes.count; i++) {
        const char *id = c->mailboxes.at[i].id;
        if (only && strcmp(only, id) != 0)
            continue;
        if (pause_one(call, id, paused, effects, &err) != RC_OK)
            return failed(&err);
        printf("%s %s\n", id, paused ? "is paused; arrivals go on being recorded" : "goes on");
    }
    return EXIT_DONE;
}

int cmd_pause(struct call *call)
{
    const char *kind = args_get(&call->args, "--effect");
    enum effect_kind which = EFFECT_CASE;
    if (kind && !effect_kind_parse(kind, &which))
        return usage("--effect takes one of case, attachment, acknowledgement, move, webhook");
    return pause_all(call, true, kind ? KIND(which) : 0);
}

int cmd_resume(struct call *call)
{
    return pause_all(call, false, 0);
}
