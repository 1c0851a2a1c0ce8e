/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <string.h>

/* ---- which item --------------------------------------------------------------------------------------- */

static enum rc full_key(const struct call *call,
                        const char *name,
                        char out[KEY_SIZE],
                        char mailbox[NAME_SIZE],
                        struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *v = call->ops->views;
    TRY(v->item(v->self, name, &view, err));
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

static void
decided(const struct call *call, enum decision decision, const struct decision_result *r)
{
    if (call->json) {
        printf("{\"decision\": \"%s\", \"state\": \"%s\", \"case\": \"%s\"}\n",
               decision_text(decision), item_state_text(r->state), r->reference);
        return;
    }
    printf("Recorded: %s.%s%s\n", decision_meaning(decision), r->reference[0] ? " Case " : "",
           r->reference);
    printf("It is %s now.\n", label("state", item_state_text(r->state)));
}

/* ---- one mail ----------------------------------------------------------------------------------------- */

/* A decision about one mail, with all that it is judged by. */
struct deciding {
    struct decision_request request;
    char key[KEY_SIZE];
    struct policy policy;
    struct message message; /* owned */
};

static void deciding_clear(struct deciding *d)
{
    message_clear(&d->message);
}

static enum rc
prepare(const struct call *call, struct deciding *d, const char *name, struct err *err)
{
    char mailbox[NAME_SIZE];
    TRY(full_key(call, name, d->key, mailbox, err));
    const struct config_mailbox *m = config_find_mailbox(call->ops->config, mailbox);
    if (!m)
        return FAIL(err, RC_USAGE,
                    "mailbox '%s' is no longer in the configuration; decide with one that has it",
                    mailbox);
    config_policy(call->ops->config, m, &d->policy);
    d->request.key = d->key;
    d->request.policy = &d->policy;
    d->request.final_timeout_ms = m->acknowledgement.final_timeout_ms;
    d->request.evidence_wait_ms = m->acknowledgement.evidence.wait_ms;
    if (!wants_original(d->request.decision))
        return RC_OK;
    TRY(call->ops->read_original(call->ops->self, d->key, &d->message, err));
    d->request.message = &d->message;
    return RC_OK;
}

static int resolve(const struct call *call, const struct decision_request *asked, const char *name)
{
    CLEANUP(deciding_clear) struct deciding d = {.request = *asked, .message = MESSAGE_INIT};
    struct decision_result result = {.possible_from_ms = 0};
    struct instant now = {.wall_ms = call->now_ms};
    struct err err = ERR_INIT;
    if (prepare(call, &d, name, &err) != RC_OK)
        return failed(&err);
    const struct ledger *l = call->ops->ledger;
    enum rc rc = l->people->decide(l->self, &d.request, now, &result, &err);
    if (rc == RC_DEFERRED) {
        said_not_yet(call, &err, result.possible_from_ms);
        return EXIT_NOT_YET;
    }
    if (rc != RC_OK)
        return failed(&err);
    decided(call, d.request.decision, &result);
    return EXIT_DONE;
}

/* ---- and the others like it ----------------------------------------------------------------------------- */

/* Each stands for itself: one that cannot be answered so does not keep the others from it. */
static int resolve_all(const struct call *call,
                       const struct decision_request *request,
                       const char *name,
                       const struct view *like)
{
    const struct view_named *row = like->row;
    int status = resolve(call, request, name);
    for (size_t i = 0; status == EXIT_DONE && i < like->count; i++) {
        if (!call->json)
            printf("%s: ", row[i].reference[0] ? row[i].reference : row[i].key);
        fflush(stdout);
        int one = resolve(call, request, row[i].key);
        status = one != EXIT_DONE ? EXIT_NO : status;
    }
    return status;
}

static enum rc
find_alike(const struct call *call, const char *key, struct view *out, struct err *err)
{
    const struct views *v = call->ops->views;
    if (!args_has(&call->args, "--all-like"))
        return RC_OK;
    TRY(v->alike(v->self, key, out, err));
    if (!call->json)
        printf("%zu others wait for the same reason and broke in the same minute or run; the same "
               "is decided for them.\n",
               out->count);
    fflush(stdout);
    return RC_OK;
}

/* What is decided, as one text, for the second person. */
static void subject_of(const struct decision_request *request,
                       const char *key,
                       const struct view *like,
                       struct str *out)
{
    const struct view_named *row = like->row;
    str_addf(out, "resolve %s %s %s", key, decision_text(request->decision),
             request->external_id ? request->external_id : "");
    for (size_t i = 0; i < like->count; i++)
        str_addf(out, " %s", row[i].key);
}

static int resolve_asked(const struct call *call, const struct decision_request *request)
{
    CLEANUP(view_clear) struct view like = {0};
    CLEANUP(str_clear) struct str subject = STR_INIT;
    char key[KEY_SIZE], mailbox[NAME_SIZE];
    struct second_person person;
    struct err err = ERR_INIT;
    if (full_key(call, args_get(&call->args, "KEY"), key, mailbox, &err) != RC_OK ||
        find_alike(call, key, &like, &err) != RC_OK)
        return failed(&err);
    subject_of(request, key, &like, &subject);
    int status = second_person(call, str_z(&subject), key, request->by, request->why, &person);
    if (!person.go_on)
        return status;
    struct decision_request decided = *request;
    decided.by = person.first;
    decided.second = person.second;
    return resolve_all(call, &decided, key, &like);
}

int cmd_resolve(struct call *call)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    struct decision_request request = {.run_gone = args_has(&call->args, "--run-gone"),
                                       .external_id = args_get(&call->args, "--id")};
    struct err err = ERR_INIT;
    if (which_decision(&call->args, &request.decision, &err) != RC_OK ||
        decider(call, &by, &request.why, &err) != RC_OK)
        return failed(&err);
    request.by = str_z(&by);
    if (call->ops->prove_runs(call->ops->self, &err) != RC_OK)
        return failed(&err);
    return resolve_asked(call, &request);
}
