/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- which item --------------------------------------------------------------------------------------- */

static enum rc
full_key(struct call *call, char out[KEY_SIZE], char mailbox[NAME_SIZE], struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *v = call->ops->views;
    TRY(v->item(v->self, args_get(&call->args, "KEY"), &view, err));
    const struct view_item *i = view.row;
    text_copy(out, KEY_SIZE, i->key);
    text_copy(mailbox, NAME_SIZE, i->mailbox);
    return RC_OK;
}

/* ---- resolve ------------------------------------------------------------------------------------------ */

/* clang-format off */
static const struct {
    const char *option, *value;
    enum decision decision;
} typed[] = {
    { "--acknowledgement",        "sent",        DECIDE_SENT          },
    { "--acknowledgement",        "not-sent",    DECIDE_NOT_SENT      },
    { "--acknowledgement",        "none",        DECIDE_NONE          },
    { "--conflict",               "new-case",    DECIDE_NEW_CASE      },
    { "--conflict",               "append",      DECIDE_APPEND        },
    { "--conflict",               "dismiss",     DECIDE_DISMISS       },
    { "--unprocessable",          "retry",       DECIDE_READ_AGAIN    },
    { "--unprocessable",          "dismiss",     DECIDE_DROP          },
    { "--case",                   "made",        DECIDE_CASE_MADE     },
    { "--case",                   "not-made",    DECIDE_CASE_NOT_MADE },
    { "--flood",                  "let-through", DECIDE_LET_THROUGH   },
    { "--flood",                  "mute",        DECIDE_MUTE          },
    { "--undo",                   "",            DECIDE_UNDO          },
    { "--resend-acknowledgement", "",            DECIDE_RESEND        },
};
/* clang-format on */

static enum rc which_decision(const struct args *args, enum decision *out, struct err *err)
{
    size_t found = 0;
    CLEANUP(str_clear) struct str allowed = STR_INIT;
    for (size_t i = 0; i < LENGTH(typed); i++) {
        const char *value = args_get(args, typed[i].option);
        str_addf(&allowed, "%s%s%s%s", i > 0 ? ", " : "", typed[i].option,
                 typed[i].value[0] ? " " : "", typed[i].value);
        if (value && strcmp(value, typed[i].value) == 0) {
            *out = typed[i].decision;
            found++;
        }
    }
    if (found == 1)
        return RC_OK;
    return FAIL(err, RC_USAGE, "resolve takes one decision of: %s", str_z(&allowed));
}

/* What a decision makes of a held mail is planned from its original. */
static bool wants_original(enum decision decision)
{
    return decision == DECIDE_NEW_CASE || decision == DECIDE_APPEND ||
           decision == DECIDE_READ_AGAIN || decision == DECIDE_LET_THROUGH;
}

static void said_not_yet(const struct call *call, const struct err *err, int64_t from_ms)
{
    char when[32];
    when_cell(call, from_ms, when);
    if (from_ms > 0 && from_ms < INT64_MAX)
        fprintf(stderr, "onecase: %s\nIt is possible from %s.\n", err->text, when);
    else
        fprintf(
            stderr,
            "onecase: %s\nIt is possible once that run has ended; --run-gone says that it has.\n",
            err->text);
}

static int decided(const struct call *call, enum decision decision, const struct decision_result *r)
{
    if (call->json) {
        printf("{\"decision\": \"%s\", \"state\": \"%s\", \"case\": \"%s\"}\n",
               decision_text(decision), item_state_text(r->state), r->reference);
        return EXIT_DONE;
    }
    printf("Recorded: %s.%s%s\n", decision_meaning(decision), r->reference[0] ? " Case " : "",
           r->reference);
    printf("It is %s now.\n", label("state", item_state_text(r->state)));
    return EXIT_DONE;
}

static enum rc prepare(struct call *call,
                       struct decision_request *request,
                       char key[KEY_SIZE],
                       struct policy *policy,
                       struct message *message,
                       struct err *err)
{
    char mailbox[NAME_SIZE];
    TRY(full_key(call, key, mailbox, err));
    const struct config_mailbox *m = config_find_mailbox(call->ops->config, mailbox);
    if (!m)
        return FAIL(err, RC_USAGE,
                    "mailbox '%s' is no longer in the configuration; decide with one that has it",
                    mailbox);
    config_policy(call->ops->config, m, policy);
    request->key = key;
    request->policy = policy;
    request->final_timeout_ms = m->acknowledgement.final_timeout_ms;
    request->evidence_wait_ms = m->acknowledgement.evidence.wait_ms;
    if (!wants_original(request->decision))
        return RC_OK;
    TRY(call->ops->read_original(call->ops->self, key, message, err));
    request->message = message;
    return RC_OK;
}

static int resolve(struct call *call, struct decision_request *request, struct message *message)
{
    char key[KEY_SIZE];
    struct policy policy;
    struct decision_result result = {.possible_from_ms = 0};
    struct instant now = {.wall_ms = call->now_ms};
    struct err err = ERR_INIT;
    if (prepare(call, request, key, &policy, message, &err) != RC_OK)
        return failed(&err);
    const struct ledger *l = call->ops->ledger;
    enum rc rc = l->people->decide(l->self, request, now, &result, &err);
    if (rc == RC_DEFERRED) {
        said_not_yet(call, &err, result.possible_from_ms);
        return EXIT_NOT_YET;
    }
    return rc == RC_OK ? decided(call, request->decision, &result) : failed(&err);
}

int cmd_resolve(struct call *call)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    CLEANUP(message_clear) struct message message = MESSAGE_INIT;
    struct decision_request request = {.run_gone = args_has(&call->args, "--run-gone"),
                                       .external_id = args_get(&call->args, "--id")};
    struct err err = ERR_INIT;
    if (which_decision(&call->args, &request.decision, &err) != RC_OK ||
        decider(call, &by, &request.why, &err) != RC_OK)
        return failed(&err);
    request.by = str_z(&by);
    return resolve(call, &request, &message);
}

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
