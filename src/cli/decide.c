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

static void say_paused(const struct mailbox_record *was, bool paused, const char *folder)
{
    const char *aside = folder ? ", and then kept aside" : "";
    const char *back = was->hold_folder[0] ? "; what was kept aside comes back" : "";
    if (paused)
        printf("%s: paused; arrivals go on being recorded%s\n", was->id, aside);
    else
        printf("%s: goes on%s\n", was->id, back);
}

/* Each mailbox that is meant has its row, though no service has looked at it yet. */
static enum rc
pause_one(struct call *call, const char *mailbox, bool paused, unsigned effects, struct err *err)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    const char *why, *folder = args_get(&call->args, "--hold");
    const struct ledger *l = call->ops->ledger;
    struct instant now = {.wall_ms = call->now_ms};
    struct mailbox_record record;
    TRY(decider(call, &by, &why, err));
    TRY(l->mailboxes->load(l->self, mailbox, &record, err));
    if (paused && folder)
        TRY(l->operators->hold(l->self, mailbox, folder, str_z(&by), why, now, err));
    TRY(l->people->pause(l->self, mailbox, paused, effects, str_z(&by), why, now, err));
    say_paused(&record, paused, folder);
    return RC_OK;
}

static int pause_all(struct call *call, bool paused, unsigned effects)
{
    const char *only;
    const struct config *c = call->ops->config;
    struct err err = ERR_INIT;
    if (asked_mailbox(call, &only, &err) != RC_OK)
        return failed(&err);
    for (size_t i = 0; i < c->mailboxes.count; i++) {
        const char *id = c->mailboxes.at[i].id;
        if (only && strcmp(only, id) != 0)
            continue;
        if (pause_one(call, id, paused, effects, &err) != RC_OK)
            return failed(&err);
    }
    return EXIT_DONE;
}

/* A folder that something else is watched in or filed to is no place to keep mail aside. */
static bool taken(const struct config *c, const char *folder)
{
    for (size_t i = 0; i < c->mailboxes.count; i++) {
        const struct config_folders *f = &c->mailboxes.at[i].folders;
        const char *const used[] = {f->inbox, f->processed, f->duplicates, f->unprocessable,
                                    f->claim};
        for (size_t k = 0; k < LENGTH(used); k++)
            if (strcmp(used[k], folder) == 0)
                return true;
    }
    return false;
}

int cmd_pause(struct call *call)
{
    const char *kind = args_get(&call->args, "--effect"), *hold = args_get(&call->args, "--hold");
    enum effect_kind which = EFFECT_CASE;
    if (kind && !effect_kind_parse(kind, &which))
        return usage("--effect takes one of case, attachment, acknowledgement, move, webhook");
    if (hold && (!*hold || strlen(hold) > 200 || taken(call->ops->config, hold)))
        return usage("--hold takes a folder that nothing is watched in or filed to");
    return pause_all(call, true, kind ? KIND(which) : 0);
}

int cmd_resume(struct call *call)
{
    return pause_all(call, false, 0);
}
