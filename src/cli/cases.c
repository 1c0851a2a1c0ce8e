/* SPDX-License-Identifier: Apache-2.0
 *
 * case --close and its kin, suspects: what a person does with cases.
 */
#include "cli_p.h"

#include <onecase/when.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *option;
    enum case_act act;
    const char *does; /* shown before */
} acts[] = {
    { "--close",         CASE_CLOSE,         "Closes the case"                                       },
    { "--reopen",        CASE_REOPEN,        "Opens the case again; nobody is told"                  },
    { "--merge-into",    CASE_MERGE,         "Merges the case into another; replies go there; nobody is told" },
    { "--unmerge",       CASE_UNMERGE,       "Takes the case out of the other, and opens it"         },
    { "--withdraw",      CASE_WITHDRAW,      "Takes the case away at its destination; here it stays, and nobody is told" },
    { "--hold",          CASE_HOLD,          "Holds the case: retention leaves it alone"              },
    { "--release",       CASE_RELEASE,       "Holds the case no longer"                              },
    { "--authoritative", CASE_AUTHORITATIVE, "Takes the others of the same words for copies of it and closes them; nobody is told" },
    { "--different",     CASE_DIFFERENT,     "Takes the others of the same words for other cases"    },
};
/* clang-format on */

static size_t which(const struct args *args, size_t *found)
{
    size_t at = 0;
    *found = 0;
    for (size_t i = 0; i < LENGTH(acts); i++)
        if (args_has(args, acts[i].option)) {
            at = i;
            (*found)++;
        }
    return at;
}

static bool tells_closed(const struct call *call, const char *mailbox)
{
    const struct config_mailbox *m = config_find_mailbox(call->ops->config, mailbox);
    return m && m->acknowledgement.enabled && m->acknowledgement.templates[COMPLETION_CLOSED][0];
}

static enum rc mailbox_of(const struct call *call, char out[NAME_SIZE], struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    TRY(one_case(call, &view, err));
    const struct view_case *c = view.row;
    text_copy(out, NAME_SIZE, c->mailbox);
    return RC_OK;
}

static int done(const struct case_request *request, const struct case_result *r)
{
    printf("Recorded.");
    if (r->there)
        printf(" It will be %s at %s, too.", request->act == CASE_CLOSE ? "closed" : "taken away",
               request->there);
    if (request->act == CASE_CLOSE)
        printf(" %s",
               r->told ? "Its sender will be told, once."
                       : "Nobody is told: no letter is configured for it, or it was told before, "
                         "or it was never to be told.");
    if (r->others > 0)
        printf(" Others: %zu.", r->others);
    printf("\n");
    return EXIT_DONE;
}

/* What was typed, for as long as it is needed. */
struct typed_case {
    struct str by, reference, into;
    char mailbox[NAME_SIZE];
    struct case_request request;
};

static void typed_case_clear(struct typed_case *t)
{
    str_clear(&t->by);
    str_clear(&t->reference);
    str_clear(&t->into);
}

static enum rc read_typed(struct call *call, struct typed_case *t, struct err *err)
{
    TRY(decider(call, &t->by, &t->request.why, err));
    TRY(mailbox_of(call, t->mailbox, err));
    typed_name(call, "REFERENCE", &t->reference);
    typed_name(call, "--merge-into", &t->into);
    t->request.reference = str_z(&t->reference);
    t->request.into = t->into.len > 0 ? str_z(&t->into) : NULL;
    t->request.by = str_z(&t->by);
    t->request.tells = tells_closed(call, t->mailbox);
    return RC_OK;
}

static int do_it(const struct call *call, struct case_request *request)
{
    request->there = config_act_there(call->ops->config, request->act == CASE_CLOSE);
    struct case_result result;
    struct instant now = {.wall_ms = call->now_ms};
    struct err err = ERR_INIT;
    const struct ledger *l = call->ops->ledger;
    if (l->operators->case_act(l->self, request, now, &result, &err) != RC_OK)
        return failed(&err);
    return done(request, &result);
}

static int act(struct call *call, size_t which_one)
{
    CLEANUP(typed_case_clear)
    struct typed_case t = {.by = STR_INIT, .request = {.act = acts[which_one].act}};
    CLEANUP(str_clear) struct str subject = STR_INIT;
    struct second_person person;
    struct err err = ERR_INIT;
    if (read_typed(call, &t, &err) != RC_OK)
        return failed(&err);
    printf("%s.\n", acts[which_one].does);
    fflush(stdout);
    str_addf(&subject, "case %s %s %s", t.request.reference, acts[which_one].option,
             t.request.into ? t.request.into : "");
    const struct decided decided = {str_z(&subject), "", t.request.by, t.request.why,
                                    args_has(&call->args, "--approve")};
    int status = second_person(call, &decided, &person);
    if (!person.go_on)
        return status;
    struct case_request request = t.request;
    request.by = person.first;
    request.second = person.second;
    return do_it(call, &request);
}

int cmd_one_case(struct call *call)
{
    size_t found, at = which(&call->args, &found);
    if (found > 1)
        return usage("case takes one of --close, --reopen, --merge-into R, --unmerge, --withdraw, "
                     "--hold and --release");
    return found == 1 ? act(call, at) : cmd_case(call);
}

/* ---- suspects ------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct sheet_column columns[] = {
    { "reference",   "CASE",    NULL,    SHEET_TEXT },
    { "like",        "LIKE",    NULL,    SHEET_TEXT },
    { "from",        "FROM",    NULL,    SHEET_TEXT },
    { "subject",     "SUBJECT", NULL,    SHEET_TEXT },
    { "created_at",  "SINCE",   NULL,    SHEET_WHEN },
    { "state",       "STATE",   "state", SHEET_TEXT },
    { "mailbox",     "MAILBOX", NULL,    SHEET_TEXT },
    { "key",         "KEY",     NULL,    SHEET_TEXT },
};
/* clang-format on */

static enum rc key_of(const struct call *call, char out[KEY_SIZE], struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    TRY(one_case(call, &view, err));
    const struct view_case *c = view.row;
    text_copy(out, KEY_SIZE, c->key);
    return RC_OK;
}

static void list(const struct view *view, struct sheet *sheet)
{
    const struct view_suspect *v = view->row, *first = v;
    for (size_t i = 0; i < view->count; i++) {
        char at[WHEN_TEXT_SIZE];
        if (strcmp(v[i].fingerprint, first->fingerprint) != 0)
            first = &v[i];
        when_text(v[i].created_ms, at);
        const char *like = first == &v[i] ? NULL : first->reference;
        const char *cell[] = {v[i].reference, like,         v[i].from, v[i].subject, at,
                              v[i].state,     v[i].mailbox, v[i].key};
        sheet_row(sheet, cell);
    }
}

static int show(const struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(sheet_free) struct sheet *sheet = sheet_new("Suspects", columns, LENGTH(columns));
    char key[KEY_SIZE];
    struct err err = ERR_INIT;
    const struct views *v = call->ops->views;
    bool one = args_has(&call->args, "REFERENCE");
    if ((one && key_of(call, key, &err) != RC_OK) ||
        v->suspects(v->self, one ? key : NULL, &view, &err) != RC_OK)
        return failed(&err);
    if (view.count > 0)
        list(&view, sheet);
    if (view.count > 0 || call->json)
        return show_sheet(call, sheet, call->json ? SHEET_JSON : SHEET_TABLE);
    plain_wrap("No two cases have the same words under different identifiers.", 0, call->width,
               stdout);
    return EXIT_DONE;
}

int cmd_suspects(struct call *call)
{
    size_t found, at = which(&call->args, &found);
    if (found > 1 || (found == 1 && !args_has(&call->args, "REFERENCE")))
        return usage("suspects takes a REFERENCE with one of --authoritative and --different");
    return found == 1 ? act(call, at) : show(call);
}
