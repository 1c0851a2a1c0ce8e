/* SPDX-License-Identifier: Apache-2.0
 *
 * decide - walks through what waits for a person, one mail at a time, by single keys.
 */
#include "cli_p.h"

#include <onecase/when.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KEY_ALWAYS  'w'
#define KEY_COLUMN  5
#define NAME_COLUMN 14
#define TEXT_SHOWN  400

/* One decision that was taken on this walk, for `u`. */
struct taken {
    char key[KEY_SIZE];
    size_t at;  /* where in the queue it stands */
    bool final; /* it cannot be taken back whatever has left */
};

struct walk {
    struct call *call;
    struct str by, why;
    const struct view_item *row; /* newest first, as the view has them */
    size_t count, at;            /* at: from the oldest on */
    struct taken *taken;
    size_t takens;
    size_t decided, skipped;
    bool others; /* the same for those that broke with it */
    bool again;  /* the page stands: only the key is asked for again */
    bool over;
};

/* The mail that is being looked at, as it stands now. */
struct looking {
    struct view view, first, like;
    const struct view_item *item;
    const struct decision_rule *rule[DECISION_COUNT];
    size_t rules;
};

static void walk_clear(struct walk *w)
{
    str_clear(&w->by);
    str_clear(&w->why);
    free(w->taken);
}

static void looking_clear(struct looking *l)
{
    view_clear(&l->view);
    view_clear(&l->first);
    view_clear(&l->like);
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct { enum decision decision; char key; } decision_keys[] = {
    { DECIDE_SENT,          's' }, /* sent */
    { DECIDE_NOT_SENT,      'a' }, /* again */
    { DECIDE_NONE,          'n' }, /* none */
    { DECIDE_NEW_CASE,      'c' }, /* case */
    { DECIDE_APPEND,        'p' }, /* part of the first */
    { DECIDE_DISMISS,       'd' }, /* duplicate */
    { DECIDE_READ_AGAIN,    'r' }, /* read */
    { DECIDE_DROP,          'f' }, /* file */
    { DECIDE_CASE_MADE,     'm' }, /* made */
    { DECIDE_CASE_NOT_MADE, 'x' },
    { DECIDE_CASE_NONE,     'g' }, /* go on without */
    { DECIDE_LET_THROUGH,   'l' }, /* let through */
    { DECIDE_MUTE,          'i' }, /* ignore */
    { DECIDE_RESEND,        'e' },
};
/* clang-format on */

static char key_of(enum decision decision)
{
    for (size_t i = 0; i < LENGTH(decision_keys); i++)
        if (decision_keys[i].decision == decision)
            return decision_keys[i].key;
    return '\0';
}

/* ---- one page ------------------------------------------------------------------------------------------ */

static void key_line(const struct walk *w, char key, const char *text)
{
    printf("  %c  ", key);
    plain_wrap(text, KEY_COLUMN, w->call->width, stdout);
}

static void say(const struct walk *w, const char *text)
{
    plain_wrap(text, 0, w->call->width, stdout);
}

static void said_at(const struct walk *w, const char *name, int64_t at_ms)
{
    char when[32];
    when_cell(w->call, at_ms, when);
    say_line(w->call, name, when);
}

/* The beginning of its text, as one paragraph. */
static void say_text(const struct walk *w, const struct view_item *item)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct slice rest = slice_trim(slice_z(item->text)), word;
    bool whole = rest.len <= TEXT_SHOWN;
    rest = slice_cut(rest, 0, TEXT_SHOWN);
    while (rest.len > 0 && slice_next(&rest, '\n', &word)) {
        str_addf(&text, "%s%.*s", text.len > 0 ? " " : "", (int)slice_trim(word).len,
                 slice_trim(word).at);
    }
    if (text.len > 0 && !whole)
        str_addz(&text, " ...");
    say_line(w->call, "Text", text.len > 0 ? str_z(&text) : NULL);
}

static void say_mail(const struct walk *w, const struct view_item *i)
{
    say_line(w->call, "From", i->sender[0] ? i->sender : "not known, as it could not be read");
    say_line(w->call, "Subject", i->subject);
    say_text(w, i);
    said_at(w, "Arrived", i->first_seen_ms);
}

/* What it is held against. */
static void say_first(const struct walk *w, const struct looking *l)
{
    if (l->first.count == 0)
        return;
    const struct view_item *first = l->first.row;
    heading(w->call, "The first mail under this identifier");
    say_line(w->call, "Case", first->reference);
    say_mail(w, first);
}

/* Tries, findings, notes and decisions, as the whole story has them. */
static void say_story(const struct walk *w, const struct view_item *i)
{
    CLEANUP(story_clear) struct story s = {.count = 0};
    story_of(i, &s);
    heading(w->call, "What happened");
    for (size_t n = 0; n < s.count; n++) {
        CLEANUP(str_clear) struct str text = STR_INIT;
        char when[32];
        str_addf(&text, "%s%s%s", s.at[n].what, s.at[n].text.len > 0 ? ": " : "",
                 str_z(&s.at[n].text));
        when_cell(w->call, s.at[n].at_ms, when);
        printf("%-*s", NAME_COLUMN, when);
        plain_wrap(str_z(&text), NAME_COLUMN, w->call->width, stdout);
    }
}

static bool in_doubt(const struct view_item *i)
{
    return strcmp(i->reason, reason_text(REASON_UNKNOWN_SENT)) == 0;
}

/* The same on every try. */
static void letter_id(const struct call *call, const struct view_item *i, struct str *out)
{
    const struct config_mailbox *m = config_find_mailbox(call->ops->config, i->mailbox);
    const struct view_effect *letter = letter_of(i);
    char effect[EFFECT_ID_SIZE];
    const char *at = m ? strrchr(m->acknowledgement.from_address, '@') : NULL;
    if (!letter || !at || !letter->target[0])
        return;
    acknowledgement_id(i->key, letter->target, effect);
    acknowledgement_message_id(effect, at + 1, out);
}

/* What the person can look for in the mail server's log or in a folder of sent mail. */
static void say_where_to_look(const struct walk *w, const struct view_item *i)
{
    CLEANUP(str_clear) struct str id = STR_INIT;
    if (!in_doubt(i))
        return;
    letter_id(w->call, i, &id);
    heading(w->call, "What you can look for yourself");
    say(w, "In the mail server's log, or among what was sent: a mail with this reference in its "
           "subject, or with this Message-ID. The case stands and can be worked on, whatever you "
           "decide.");
    say_line(w->call, "Reference", i->reference);
    say_line(w->call, "Message-ID", id.len > 0 ? str_z(&id) : NULL);
}

static void say_choice(const struct walk *w, const struct looking *l, size_t n)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str possible = STR_INIT;
    const struct decision_rule *r = l->rule[n];
    const char *answer = decision_in_short(r, l->item);
    str_addf(&text, "%s: ", answer ? answer : label("decision", decision_text(r->decision)));
    consequence_words(r, l->item, &text);
    if (r->decision == DECIDE_NOT_SENT && strcmp(l->item->state, "complete") != 0)
        not_sent_words(l->item->not_sent_from_ms, w->call->now_ms, &possible);
    if (possible.len > 0)
        str_addf(&text, " (%s)", str_z(&possible));
    key_line(w, key_of(r->decision), str_z(&text));
}

static void say_others(const struct walk *w, const struct looking *l)
{
    char text[160];
    if (l->like.count == 0)
        return;
    snprintf(text, sizeof text,
             "%zu %s for the same reason and broke with it: answer %s together (now %s)",
             l->like.count, l->like.count == 1 ? "other waits" : "others wait",
             l->like.count == 1 ? "both" : "all", w->others ? "on" : "off");
    key_line(w, 'o', text);
}

static void say_keys(const struct walk *w, const struct looking *l)
{
    heading(w->call, "What you can do");
    for (size_t n = 0; n < l->rules; n++)
        say_choice(w, l, n);
    if (may_be_always(l->item))
        key_line(
            w, KEY_ALWAYS,
            "always a case of its own, for this sender: later mail is told apart by what it says; "
            "'onecase rules' lists it and takes it back");
    say_others(w, l);
    key_line(w, 'k', "skip it: nothing is lost, it stays here, and no time runs out");
    key_line(w, 't', "leave a note and skip it");
    if (w->takens > 0 && !w->taken[w->takens - 1].final)
        key_line(w, 'u', "undo the last decision of this walk, if nothing has left because of it");
    key_line(w, 'q', "quit");
}

static void say_page(const struct walk *w, const struct looking *l)
{
    char room[16], head[200];
    snprintf(head, sizeof head, "%zu of %zu: %s, mailbox %s", w->at + 1, w->count,
             name_of_item(l->item, room), l->item->mailbox);
    heading(w->call, head);
    plain_wrap(question_words(l->item), 0, w->call->width, stdout);
    printf("\n");
    say_mail(w, l->item);
    say_first(w, l);
    say_story(w, l->item);
    say_where_to_look(w, l->item);
    say_keys(w, l);
}

/* ---- deciding ------------------------------------------------------------------------------------------ */

/* Some decisions take one more word. */
static bool ask_more(const struct looking *l,
                     struct decision_request *request,
                     int64_t *max_size,
                     struct str *room)
{
    struct err err = ERR_INIT;
    bool large = strcmp(l->item->reason, reason_text(REASON_OVERSIZE)) == 0;
    const struct decision_rule *rule = decision_fitting(request->decision, l->item);
    *max_size = 0;
    if (rule && wants_case_id(rule, l->item)) {
        if (!line_read("The case's id at its destination:", room) || room->len == 0)
            return false;
        request->external_id = str_z(room);
    }
    if (request->decision == DECIDE_READ_AGAIN && large) {
        if (!line_read("Fetch it up to which size (such as 100MB)?", room))
            return false;
        if (size_typed(str_z(room), max_size, &err) != RC_OK) {
            printf("That is no size: nothing was changed.\n");
            return false;
        }
    }
    return true;
}

static bool is_final(const struct looking *l, enum decision decision)
{
    for (size_t n = 0; n < l->rules; n++)
        if (l->rule[n]->decision == decision)
            return l->rule[n]->undo == EFFECT_EVENT_COUNT;
    return false;
}

static void note_taken(struct walk *w, const char *key, bool final)
{
    w->taken = mem_grow(w->taken, w->takens + 1, sizeof *w->taken);
    text_copy(w->taken[w->takens].key, KEY_SIZE, key);
    w->taken[w->takens].final = final;
    w->taken[w->takens++].at = w->at;
}

static enum rc
decide_one(struct walk *w, const struct decision_request *asked, const char *key, int64_t max_size)
{
    struct decision_request request = *asked;
    struct decision_result result;
    struct instant now = {.wall_ms = w->call->now_ms};
    struct err err = ERR_INIT;
    request.key = key;
    enum rc rc = decide_about(w->call->ops, &request, max_size, now, &result, &err);
    if (rc == RC_DEFERRED && result.possible_from_ms > 0) {
        CLEANUP(str_clear) struct str possible = STR_INIT;
        not_sent_words(result.possible_from_ms, w->call->now_ms, &possible);
        str_addz(&possible, ". Nothing was changed.");
        say(w, "Not yet, as the mail server may still take it:");
        say(w, str_z(&possible));
        return rc;
    }
    if (rc == RC_CONFLICT)
        say(w, "Somebody or something was first: it is no longer so that this could be decided. "
               "Nothing was changed.");
    else if (rc != RC_OK)
        say(w, err.text);
    if (rc != RC_OK)
        return rc;
    printf("Recorded: %s.%s%s\n", decision_meaning(request.decision),
           result.reference[0] ? " " : "", result.reference);
    return RC_OK;
}

/* Whether the person whose walk this is decides, or only proposes. */
static bool may_go_on(struct walk *w,
                      struct decision_request *request,
                      const struct looking *l,
                      const struct view *like,
                      struct second_person *person)
{
    CLEANUP(str_clear) struct str subject = STR_INIT;
    decision_subject(request, l->item->key, like, &subject);
    str_addz(&subject, request->always ? " always" : "");
    const struct decided decided = {str_z(&subject), l->item->key, str_z(&w->by), str_z(&w->why),
                                    true};
    int status = second_person(w->call, &decided, person);
    request->by = person->first;
    request->second = person->second[0] ? person->second : NULL;
    return status == EXIT_DONE && person->go_on;
}

static void decide(struct walk *w, const struct looking *l, enum decision decision, bool always)
{
    CLEANUP(str_clear) struct str room = STR_INIT;
    static const struct view nobody = {.count = 0};
    const struct view *like = w->others ? &l->like : &nobody;
    const struct view_named *other = like->row;
    struct decision_request request = {
        .decision = decision, .why = str_z(&w->why), .always = always};
    struct second_person person;
    int64_t max_size;
    if (!ask_more(l, &request, &max_size, &room)) {
        w->again = true;
        return;
    }
    if (!may_go_on(w, &request, l, like, &person)) {
        w->at++;
        return;
    }
    enum rc rc = decide_one(w, &request, l->item->key, max_size);
    w->again = rc != RC_OK && rc != RC_CONFLICT;
    if (rc != RC_OK)
        return;
    w->decided++;
    note_taken(w, l->item->key, is_final(l, decision));
    request.always = false; /* it is said of the one that is shown */
    for (size_t i = 0; i < like->count; i++) {
        if (decide_one(w, &request, other[i].key, 0) != RC_OK)
            continue;
        w->decided++;
        note_taken(w, other[i].key, is_final(l, decision));
    }
    w->others = false;
    w->at++;
}

static void undo(struct walk *w)
{
    struct decision_request request = {
        .decision = DECIDE_UNDO, .by = str_z(&w->by), .why = str_z(&w->why)};
    struct decision_result result;
    struct instant now = {.wall_ms = w->call->now_ms};
    struct err err = ERR_INIT;
    if (w->takens == 0) {
        printf("There is nothing to undo on this walk.\n");
        w->again = true;
        return;
    }
    const struct taken *last = &w->taken[w->takens - 1];
    request.key = last->key;
    if (decide_about(w->call->ops, &request, 0, now, &result, &err) != RC_OK) {
        say(w, "That cannot be taken back: something has left because of it, or a case was made.");
        return;
    }
    printf("Taken back. It waits again.\n");
    w->at = last->at;
    w->decided--;
    w->takens--;
}

static void leave_note(struct walk *w, const struct looking *l)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    const struct ledger *ledger = w->call->ops->ledger;
    struct instant now = {.wall_ms = w->call->now_ms};
    struct err err = ERR_INIT;
    if (!line_read("Your note:", &text) || text.len == 0)
        return;
    if (ledger->operators->note(ledger->self, l->item->key, str_z(&w->by), str_z(&text), now,
                                &err) != RC_OK) {
        say(w, err.text);
        return;
    }
    printf("Noted. It stays here.\n");
    w->skipped++;
    w->at++;
}

/* ---- the walk ------------------------------------------------------------------------------------------ */

static bool decision_by_key(const struct looking *l, int key, enum decision *out)
{
    for (size_t n = 0; n < l->rules; n++)
        if (key_of(l->rule[n]->decision) == key) {
            *out = l->rule[n]->decision;
            return true;
        }
    return false;
}

static void answer(struct walk *w, const struct looking *l)
{
    enum decision decision;
    printf("\nYour key: ");
    int key = key_read();
    if (key == 'q' || key == KEY_END) {
        w->over = true;
    } else if (decision_by_key(l, key, &decision)) {
        decide(w, l, decision, false);
    } else if (key == KEY_ALWAYS && may_be_always(l->item)) {
        decide(w, l, DECIDE_NEW_CASE, true);
    } else if (key == 'k') {
        w->skipped++;
        w->at++;
        w->others = false;
    } else if (key == 't') {
        leave_note(w, l);
    } else if (key == 'u') {
        undo(w);
    } else if (key == 'o' && l->like.count > 0) {
        w->others = !w->others;
        w->again = true;
        printf("Answered together: %s.\n", w->others ? "on" : "off");
    } else {
        printf("No such key. Nothing was changed.\n");
        w->again = true;
    }
}

/* RC_NOT_FOUND: it waits no more, as it was answered with another, or by somebody else. */
static enum rc look(const struct walk *w, struct looking *l, struct err *err)
{
    const struct views *v = w->call->ops->views;
    const char *key = w->row[w->count - 1 - w->at].key;
    TRY(v->item(v->self, key, &l->view, err));
    l->item = l->view.row;
    if (strcmp(l->item->state, item_state_text(ITEM_NEEDS_RECONCILIATION)) != 0)
        return RC_NOT_FOUND;
    if (l->item->first_key[0])
        TRY(v->item(v->self, l->item->first_key, &l->first, err));
    l->rules = decisions_fitting(l->item, l->rule);
    return v->alike(v->self, key, &l->like, err);
}

static enum rc one_stop(struct walk *w, struct err *err)
{
    CLEANUP(looking_clear) struct looking l = {.rules = 0};
    enum rc rc = look(w, &l, err);
    if (rc == RC_NOT_FOUND) {
        w->at++;
        return RC_OK;
    }
    if (rc != RC_OK)
        return rc;
    say_page(w, &l);
    do {
        w->again = false;
        answer(w, &l);
    } while (w->again);
    return RC_OK;
}

/* A blank one is asked for again; false: nothing more will come. */
static bool ask_until_said(const char *prompt, struct str *out)
{
    do
        if (!line_read(prompt, out))
            return false;
    while (slice_trim(str_slice(out)).len == 0);
    return true;
}

/* Once, for all that is decided on this walk. */
static bool who_and_why(struct walk *w)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    const char *by = args_get(&w->call->args, "--by"), *why = args_get(&w->call->args, "--reason");
    if (by && slice_trim(slice_z(by)).len > 0)
        str_addz(&name, by);
    else if (!ask_until_said("Your name:", &name))
        return false;
    decider_named(str_z(&name), &w->by);
    if (why && slice_trim(slice_z(why)).len > 0) {
        str_addz(&w->why, why);
        return true;
    }
    return ask_until_said("Why (recorded with each):", &w->why);
}

static int walk_through(struct walk *w)
{
    struct err err = ERR_INIT;
    char text[160];
    snprintf(text, sizeof text,
             "%zu %s your decision, the oldest first. Nothing is changed before you press a key.",
             w->count, w->count == 1 ? "mail needs" : "mails need");
    say(w, text);
    if (!who_and_why(w))
        w->over = true;
    while (!w->over && w->at < w->count)
        if (one_stop(w, &err) != RC_OK)
            return failed(&err);
    printf("\n%zu decided, %zu skipped, %zu not looked at.\n", w->decided, w->skipped,
           w->count - w->at);
    return EXIT_DONE;
}

int cmd_decide(struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(walk_clear) struct walk w = {.call = call, .by = STR_INIT, .why = STR_INIT};
    struct view_filter filter = {.state = item_state_text(ITEM_NEEDS_RECONCILIATION),
                                 .older_than_ms = NOT_DUE};
    struct err err = ERR_INIT;
    const struct views *v = call->ops->views;
    if (asked_mailbox(call, &filter.mailbox, &err) != RC_OK ||
        call->ops->prove_runs(call->ops->self, &err) != RC_OK ||
        v->items(v->self, &filter, &view, &err) != RC_OK)
        return failed(&err);
    w.row = view.row;
    w.count = view.count;
    if (view.count > 0)
        return walk_through(&w);
    printf("Nothing waits for your decision.\n");
    return EXIT_DONE;
}
