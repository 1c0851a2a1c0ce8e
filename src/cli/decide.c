/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <string.h>
#include <unistd.h>

/* ---- first-import, pause, resume ------------------------------------------------------------------------- */

int cmd_first_import(struct call *call)
{
    enum import_choice choice = IMPORT_NOT_ASKED;
    struct err err = ERR_INIT;
    const struct ledger *l = call->ops->ledger;
    const char *mailbox = args_get(&call->args, "MAILBOX");
    const char *by = args_get(&call->args, "--by");
    struct instant now = {.wall_ms = call->now_ms};
    if (!config_find_mailbox(call->ops->config, mailbox))
        return usage("there is no mailbox '%s' in the configuration", mailbox);
    import_parse(args_get(&call->args, "cases|full|adopt"), &choice);
    if (l->mailboxes->choose_import(l->self, mailbox, choice,
                                    by           ? by
                                    : getlogin() ? getlogin()
                                                 : "operator",
                                    now, &err) != RC_OK)
        return failed(&err);
    printf("Recorded: mail from before is taken as '%s'. The service goes on with it in its next "
           "turn.\n",
           import_text(choice));
    return EXIT_DONE;
}

static enum rc
pause_one(struct call *call, const char *mailbox, bool paused, unsigned effects, struct err *err)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    const char *why;
    const struct ledger *l = call->ops->ledger;
    struct instant now = {.wall_ms = call->now_ms};
    TRY(decider(call, &by, &why, err));
    return l->people->pause(l->self, mailbox, paused, effects, str_z(&by), why, now, err);
}

static int pause_all(struct call *call, bool paused, unsigned effects)
{
    const char *only = args_get(&call->args, "--mailbox");
    const struct config *c = call->ops->config;
    struct err err = ERR_INIT;
    if (only && !config_find_mailbox(c, only))
        return usage("there is no mailbox '%s' in the configuration", only);
    for (size_t i = 0; i < c->mailboxes.count; i++) {
        const char *id = c->mailboxes.at[i].id;
        if (only && strcmp(only, id) != 0)
            continue;
        if (pause_one(call, id, paused, effects, &err) != RC_OK)
            return failed(&err);
        printf("%s: %s\n", id, paused ? "paused; arrivals go on being recorded" : "goes on");
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
