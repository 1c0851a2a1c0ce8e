/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <stdlib.h>
#include <string.h>

/* ---- which item --------------------------------------------------------------------------------------- */

static enum rc
full_key(const struct call *call, const char *name, char out[KEY_SIZE], struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *v = call->ops->views;
    TRY(v->item(v->self, name, &view, err));
    const struct view_item *i = view.row;
    text_copy(out, KEY_SIZE, i->key);
    return RC_OK;
}

/* What a decision means for a mail as it stands; nothing where it does not fit. */
struct meant {
    struct str follows;
    const char *answer; /* NULL: as its meaning says */
    bool wants_id;
};

static void meant_clear(struct meant *m)
{
    str_clear(&m->follows);
}

static void
meant_now(const struct call *call, enum decision decision, const char *key, struct meant *out)
{
    CLEANUP(view_clear) struct view view = {0};
    struct err err = ERR_INIT;
    const struct views *v = call->ops->views;
    *out = (struct meant){.wants_id = decision == DECIDE_CASE_MADE};
    if (v->item(v->self, key, &view, &err) != RC_OK)
        return;
    const struct decision_rule *rule = decision_fitting(decision, view.row);
    if (!rule)
        return;
    consequence_words(rule, view.row, &out->follows);
    out->answer = decision_in_short(rule, view.row);
    out->wants_id = wants_case_id(rule, view.row);
}

/* ---- how it went --------------------------------------------------------------------------------------- */

static int
not_yet(const struct call *call, enum decision decision, const char *name, int64_t from_ms)
{
    CLEANUP(str_clear) struct str possible = STR_INIT;
    CLEANUP(str_clear) struct str out = STR_INIT;
    not_sent_words(from_ms, call->now_ms, &possible);
    fprintf(
        stderr,
        "onecase: %s: not yet, as the mail server may still take it. Nothing was changed. It is "
        "%s%s.\n",
        name, str_z(&possible),
        from_ms == INT64_MAX ? "; where that is gone for good, --run-gone says so" : "");
    if (call->json) {
        json_not_yet(decision, from_ms, &out);
        print(&out);
    }
    return EXIT_NOT_YET;
}

/* "HD-7K3M9QWX needs your decision: confirmation in doubt", and what was decided before. */
static void as_it_stands(const struct call *call, const struct view_item *i)
{
    const struct view_approval *last = last_decision(i);
    bool asks = strcmp(i->state, item_state_text(ITEM_NEEDS_RECONCILIATION)) == 0;
    char room[16], when[32];
    fprintf(stderr, "onecase: %s %s%s%s%s. Nothing was changed.\n", name_of_item(i, room),
            asks ? "" : "is ", label("state", i->state), i->reason[0] ? ": " : "",
            label("reason", i->reason));
    if (!last)
        return;
    CLEANUP(str_clear) struct str by = STR_INIT;
    plain_text(last->by, &by);
    when_cell(call, last->decided_ms, when);
    fprintf(stderr, "'%s' was decided at %s by %s.\n", label("decision", last->decision), when,
            str_z(&by));
}

/* Which state it is in, who was first, and what fits now. */
static int does_not_fit(const struct call *call, const char *key, enum decision decision)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str typed = STR_INIT;
    struct err err = ERR_INIT;
    const struct views *v = call->ops->views;
    if (v->item(v->self, key, &view, &err) != RC_OK)
        return failed(&err);
    decision_typed(decision, &typed);
    const struct view_item *item = view.row;
    as_it_stands(call, item);
    if (item->let_go)
        fprintf(stderr, "Contents of it were let go by retention: nothing is decided about it any "
                        "more.\n");
    if (item->let_go)
        return EXIT_NO;
    if (decision == DECIDE_UNDO) {
        fprintf(
            stderr, "%s\n",
            last_decision(view.row)
                ? "That cannot be taken back: something has left because of it, or a case was made."
                : "There is no decision to take back.");
        return EXIT_NO;
    }
    fprintf(stderr, "%s does not fit that. What can be decided about it now:\n", str_z(&typed));
    if (choices(call, view.row, stderr) == 0)
        fprintf(stderr, "  nothing\n");
    return EXIT_NO;
}

static void decided(const struct call *call,
                    enum decision decision,
                    const char *answer,
                    const struct decision_result *r)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    if (call->json) {
        json_decided(decision, r, &out);
        print(&out);
        return;
    }
    bool asks = r->state == ITEM_NEEDS_RECONCILIATION;
    printf("Recorded: %s.\n%s %s%s now.\n", answer ? answer : decision_meaning(decision),
           r->reference[0] ? r->reference : "It", asks ? "" : "is ",
           label("state", item_state_text(r->state)));
}

/* ---- one mail ----------------------------------------------------------------------------------------- */

/* "100MB": octets, or with KB, MB, GB. */
enum rc size_typed(const char *text, int64_t *out, struct err *err)
{
    static const struct {
        const char *unit;
        int64_t octets;
    } units[] = {{"", 1},
                 {"B", 1},
                 {"KB", INT64_C(1) << 10},
                 {"MB", INT64_C(1) << 20},
                 {"GB", INT64_C(1) << 30}};
    char *end;
    long long n = strtoll(text, &end, 10);
    for (size_t i = 0; i < LENGTH(units); i++)
        if (end != text && n > 0 && n <= 1 << 30 && strcmp(end, units[i].unit) == 0) {
            *out = n * units[i].octets;
            return RC_OK;
        }
    return FAIL(err, RC_USAGE, "--max-size takes a size such as 100MB");
}

static enum rc asked_size(const struct call *call, int64_t *out, struct err *err)
{
    const char *text = args_get(&call->args, "--max-size");
    *out = 0;
    return text ? size_typed(text, out, err) : RC_OK;
}

/* `key` is the whole one. */
static int resolve(const struct call *call, const struct decision_request *asked, const char *key)
{
    struct decision_request request = *asked;
    struct decision_result result;
    struct instant now = {.wall_ms = call->now_ms};
    CLEANUP(meant_clear) struct meant meant = {.answer = NULL};
    int64_t max_size;
    struct err err = ERR_INIT;
    request.key = key;
    meant_now(call, asked->decision, key, &meant);
    if (asked_size(call, &max_size, &err) != RC_OK)
        return failed(&err);
    enum rc rc = decide_about(call->ops, &request, max_size, now, &result, &err);
    if (rc == RC_DEFERRED && result.possible_from_ms > 0)
        return not_yet(call, asked->decision, key, result.possible_from_ms);
    if (rc == RC_CONFLICT)
        return does_not_fit(call, key, asked->decision);
    if (rc != RC_OK)
        return failed(&err);
    decided(call, asked->decision, meant.answer, &result);
    return EXIT_DONE;
}

/* ---- and the others like it ----------------------------------------------------------------------------- */

static void say_always(const struct call *call, const struct decision_request *request)
{
    if (request->always && !call->json)
        printf(
            "Later mail of its sender is told apart by what it says; 'onecase rules' lists it.\n");
}

/* Each stands for itself: one that cannot be answered so does not keep the others from it. */
static int resolve_all(const struct call *call,
                       const struct decision_request *request,
                       const char *name,
                       const struct view *like)
{
    const struct view_named *row = like->row;
    struct decision_request other = *request;
    int status = resolve(call, request, name);
    if (status == EXIT_DONE)
        say_always(call, request);
    other.always = false; /* it is said of the one that was named */
    for (size_t i = 0; status == EXIT_DONE && i < like->count; i++) {
        if (!call->json)
            printf("%s: ", row[i].reference[0] ? row[i].reference : row[i].key);
        fflush(stdout);
        int one = resolve(call, &other, row[i].key);
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
        printf("%zu others wait for the same reason and broke in the same minute or run, or are of "
               "the same flood or help desk; the same is decided for them.\n",
               out->count);
    fflush(stdout);
    return RC_OK;
}

/* What follows is said before it is done. */
static void say_what_follows(const struct call *call, enum decision decision, const char *key)
{
    CLEANUP(meant_clear) struct meant meant = {.answer = NULL};
    CLEANUP(str_clear) struct str text = STR_INIT;
    meant_now(call, decision, key, &meant);
    if (call->json || meant.follows.len == 0)
        return;
    str_addf(&text, "What follows: %s.", str_z(&meant.follows));
    plain_wrap(str_z(&text), 0, call->width, stdout);
    fflush(stdout);
}

/* The id of a case at its destination belongs to one decision, which cannot do without; one about what goes by no id,
 * such as a closing, has none. */
static enum rc check_id(const struct call *call,
                        const struct decision_request *request,
                        const char *key,
                        struct err *err)
{
    CLEANUP(meant_clear) struct meant meant = {.answer = NULL};
    if (request->decision != DECIDE_CASE_MADE || request->external_id)
        return RC_OK;
    meant_now(call, request->decision, key, &meant);
    return !meant.wants_id
               ? RC_OK
               : FAIL(err, RC_USAGE,
                      "--case made needs the case's ID at its destination: --case made ID");
}

static int resolve_asked(const struct call *call, const struct decision_request *asked)
{
    CLEANUP(view_clear) struct view like = {0};
    CLEANUP(str_clear) struct str subject = STR_INIT;
    char key[KEY_SIZE];
    struct second_person person;
    struct decision_request request = *asked;
    CLEANUP(str_clear) struct str name = STR_INIT;
    struct err err = ERR_INIT;
    typed_name(call, "KEY", &name);
    if (full_key(call, str_z(&name), key, &err) != RC_OK ||
        check_id(call, &request, key, &err) != RC_OK || find_alike(call, key, &like, &err) != RC_OK)
        return failed(&err);
    decision_subject(&request, key, &like, &subject);
    str_addz(&subject, request.always ? " always" : "");
    const struct decided decided = {str_z(&subject), key, request.by, request.why,
                                    args_has(&call->args, "--approve")};
    int status = second_person(call, &decided, &person);
    if (!person.go_on)
        return status;
    request.by = person.first;
    request.second = person.second;
    say_what_follows(call, request.decision, key);
    return resolve_all(call, &request, key, &like);
}

static enum rc check_no_id(const struct decision_request *request, struct err *err)
{
    if (!request->external_id || request->decision == DECIDE_CASE_MADE)
        return RC_OK;
    return FAIL(err, RC_USAGE, "an ID is given with --case made alone");
}

static enum rc check_always(const struct decision_request *request, struct err *err)
{
    if (!request->always || request->decision == DECIDE_NEW_CASE)
        return RC_OK;
    return FAIL(err, RC_USAGE, "--always goes with --conflict new-case alone");
}

int cmd_resolve(struct call *call)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    struct decision_request request = {.run_gone = args_has(&call->args, "--run-gone"),
                                       .always = args_has(&call->args, "--always"),
                                       .external_id = args_get(&call->args, "ID")};
    struct err err = ERR_INIT;
    if (decision_of(&call->args, &request.decision, &err) != RC_OK ||
        check_always(&request, &err) != RC_OK || check_no_id(&request, &err) != RC_OK ||
        decider(call, &by, &request.why, &err) != RC_OK)
        return failed(&err);
    request.by = str_z(&by);
    if (call->ops->prove_runs(call->ops->self, &err) != RC_OK)
        return failed(&err);
    return resolve_asked(call, &request);
}
