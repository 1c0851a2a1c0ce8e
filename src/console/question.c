/* SPDX-License-Identifier: Apache-2.0
 *
 * question - what a person is asked about a mail: what happened, what was looked for, what they can look
 * at themselves, and what follows from each answer. The words stand in question.html.
 */
#include "question.h"

#include <onecase/utf8.h>
#include <onecase/when.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what happened -------------------------------------------------------------------------------------- */

static const struct view_attempt *last_doubt(const struct view_item *i)
{
    for (size_t n = i->attempt_count; n-- > 0;)
        if (is_letter(i->attempt[n].kind) && strcmp(i->attempt[n].outcome, "unknown") == 0)
            return &i->attempt[n];
    return NULL;
}

static const struct view_attempt *last_letter(const struct view_item *i)
{
    for (size_t n = i->attempt_count; n-- > 0;)
        if (is_letter(i->attempt[n].kind))
            return &i->attempt[n];
    return NULL;
}

static void put_attempt(struct visit *v, struct fields *f, const struct view_attempt *a)
{
    if (!a)
        return;
    struct fields *row = put_row(f, "attempt");
    put_when(row, "at", a->armed_ms != NOT_DUE ? a->armed_ms : a->started_ms, v->now.wall_ms);
    put_flag(row, "lost", strcmp(a->phase, "lost") == 0);
    if (a->code != 0)
        put_number(row, "code", a->code);
    put(row, "stage", label("stage", a->stage));
}

/* All looks of one kind at one place. */
struct looks {
    int64_t times, last;
    bool found;
    size_t first; /* of them */
};

static bool same_look(const struct view_evidence *a, const struct view_evidence *b)
{
    return strcmp(a->evidence, b->evidence) == 0 && strcmp(a->place, b->place) == 0;
}

static struct looks looks_like(const struct view_item *i, size_t n)
{
    struct looks all = {.first = n};
    for (size_t k = i->evidence_count; k-- > 0;) {
        const struct view_evidence *e = &i->evidence[k];
        if (!same_look(e, &i->evidence[n]))
            continue;
        all.first = k;
        all.found |= e->found;
        all.last = e->seen_ms > all.last ? e->seen_ms : all.last;
        all.times++;
    }
    return all;
}

/* Of one kind and place: how often, until when, and whether it was found. */
static void put_findings(struct visit *v, struct fields *f, const struct view_item *i)
{
    for (size_t n = 0; n < i->evidence_count; n++) {
        struct looks all = looks_like(i, n);
        if (all.first != n)
            continue;
        struct fields *row = put_row(f, "findings");
        put(row, "looked", label("evidence", i->evidence[n].evidence));
        put(row, "place", i->evidence[n].place);
        put_flag(row, "found", all.found);
        if (all.times > 1)
            put_number(row, "times", all.times);
        put_when(row, "last", all.last, v->now.wall_ms);
    }
}

static enum rc
track_of(struct visit *v, const char *mailbox, struct view_track *out, struct err *err)
{
    const struct config_mailbox *m = config_find_mailbox(v->ops->config, mailbox);
    const struct views *views = v->ops->views;
    for (size_t i = 0; m && i < v->tracks; i++)
        if (v->tracked[i].mailbox == m->id) {
            *out = v->tracked[i].track;
            return RC_OK;
        }
    TRY(views->track(views->self, mailbox, out, err));
    if (m && v->tracks < LENGTH(v->tracked)) {
        v->tracked[v->tracks].mailbox = m->id;
        v->tracked[v->tracks++].track = *out;
    }
    return RC_OK;
}

static enum rc put_track(struct visit *v, struct fields *f, const char *mailbox, struct err *err)
{
    struct view_track track = {.looked = 0};
    TRY(track_of(v, mailbox, &track, err));
    if (track.looked < 2)
        return RC_OK;
    struct fields *row = put_row(f, "track");
    put_number(row, "looked", track.looked);
    put_number(row, "found", track.found);
    return RC_OK;
}

/* What a person can look for in the mail system themselves: the letter's own Message-ID, and when. */
static void put_look(struct visit *v, struct fields *f, const struct view_item *i)
{
    const struct config_mailbox *m = config_find_mailbox(v->ops->config, i->mailbox);
    const struct view_attempt *a = last_doubt(i);
    const struct view_effect *e = letter_of(i);
    char effect[EFFECT_ID_SIZE];
    CLEANUP(str_clear) struct str id = STR_INIT;
    if (!m || !a || !e || !m->acknowledgement.from_address)
        return;
    const char *at = strrchr(m->acknowledgement.from_address, '@');
    acknowledgement_id(i->key, e->target, effect);
    acknowledgement_message_id(effect, at ? at + 1 : "localhost", &id);
    struct fields *row = put_row(f, "look");
    int64_t from = a->armed_ms != NOT_DUE ? a->armed_ms : a->started_ms;
    put(row, "message_id", str_z(&id));
    put(row, "server", m->acknowledgement.smtp.host);
    put_when(row, "from", from - MINUTES(1), v->now.wall_ms);
    put_when(row, "until", from + m->acknowledgement.final_timeout_ms, v->now.wall_ms);
}

/* ---- answers --------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    enum decision decision;
    const char *button;
} buttons[] = {
    { DECIDE_SENT,          "It was sent"                    },
    { DECIDE_NOT_SENT,      "Send it again"                  },
    { DECIDE_NONE,          "None is needed"                 },
    { DECIDE_NEW_CASE,      "Make a case of its own"         },
    { DECIDE_APPEND,        "Add it to the first case"       },
    { DECIDE_DISMISS,       "It is the same mail"            },
    { DECIDE_READ_AGAIN,    "Read it once more"              },
    { DECIDE_DROP,          "File it, it is no request"      },
    { DECIDE_CASE_MADE,     "The case was made"              },
    { DECIDE_CASE_NOT_MADE, "Make the case"                  },
    { DECIDE_CASE_NONE,     "Go on without one there"        },
    { DECIDE_LET_THROUGH,   "Make a case all the same"       },
    { DECIDE_MUTE,          "File it, it is no request"      },
    { DECIDE_RESEND,        "Send the confirmation all the same" },
    { DECIDE_UNDO,          "Take the decision back"         },
};
/* clang-format on */

static const char *button_of(enum decision decision)
{
    for (size_t i = 0; i < LENGTH(buttons); i++)
        if (buttons[i].decision == decision)
            return buttons[i].button;
    return decision_meaning(decision);
}

static void put_button(struct fields *row, const struct decision_rule *r, const struct view_item *i)
{
    const char *answer = decision_in_short(r, i);
    if (answer)
        put_format(row, "button", "%c%s", toupper((unsigned char)answer[0]), answer + 1);
    else
        put(row, "button", button_of(r->decision));
}

static void put_answer(struct visit *v,
                       struct fields *f,
                       const struct view_item *i,
                       const struct decision_rule *r)
{
    struct fields *row = put_row(f, "answers");
    CLEANUP(str_clear) struct str follows = STR_INIT;
    int64_t from = i->not_sent_from_ms;
    consequence_words(r, i, &follows);
    put(row, "decision", decision_text(r->decision));
    put_button(row, r, i);
    put(row, "consequence", str_z(&follows));
    put_flag(row, "wants_id", wants_case_id(r, i));
    if (r->decision != DECIDE_NOT_SENT || from == NOT_DUE || from <= v->now.wall_ms)
        return;
    put_flag(row, "too_early", true);
    put_flag(row, "while_it_runs", from == INT64_MAX);
    put_when(row, "possible_from", from, v->now.wall_ms);
}

static void put_answers(struct visit *v, struct fields *f, const struct view_item *i)
{
    const struct decision_rule *rule[DECISION_COUNT];
    size_t count = decisions_fitting(i, rule);
    for (size_t n = 0; n < count; n++)
        put_answer(v, f, i, rule[n]);
    if (!may_be_taken_back(i))
        return;
    struct fields *row = put_row(f, "answers");
    put(row, "decision", decision_text(DECIDE_UNDO));
    put(row, "button", button_of(DECIDE_UNDO));
    put_format(row, "consequence", "'%s' is taken back, if nothing has left because of it",
               label("decision", last_decision(i)->decision));
}

/* Those that broke in the same minute or run, to be answered together. */
static enum rc put_alike(struct visit *v, struct fields *f, const char *key, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    TRY(views->alike(views->self, key, &view, err));
    const struct view_named *n = view.row;
    if (view.count == 0)
        return RC_OK;
    struct fields *alike = put_row(f, "alike");
    put_number(alike, "count", (int64_t)view.count);
    put_flag(alike, "one_other", view.count == 1);
    for (size_t i = 0; i < view.count && i < 12; i++) {
        struct fields *row = put_row(alike, "others");
        char room[16];
        text_copy(room, 13, n[i].key);
        put(row, "other_name", n[i].reference[0] ? n[i].reference : room);
    }
    put_flag(alike, "more", view.count > 12);
    return RC_OK;
}

/* ---- another mail under the same identifier ------------------------------------------------------------------ */

#define LINES_MAX 120

struct lines {
    struct slice at[LINES_MAX];
    size_t count;
    bool cut;
};

static void split(const char *text, struct lines *out)
{
    struct slice rest = slice_z(text), line;
    *out = (struct lines){.count = 0};
    while (rest.len > 0 && slice_next(&rest, '\n', &line)) {
        if (out->count == LINES_MAX) {
            out->cut = true;
            return;
        }
        out->at[out->count++] = slice_trim(line);
    }
}

static void put_pair(struct fields *f, const struct slice *left, const struct slice *right)
{
    struct fields *row = put_row(f, "lines");
    bool same = left && right && slice_eq(*left, *right);
    if (left)
        put_slice(row, "left", *left);
    if (right)
        put_slice(row, "right", *right);
    put_flag(row, "left_differs", left && !same);
    put_flag(row, "right_differs", right && !same);
}

/* How many lines two texts have in common from line i of one and j of the other on. */
static unsigned char *in_common(const struct lines *a, const struct lines *b)
{
    size_t width = b->count + 1;
    unsigned char *left = mem_new((a->count + 1) * width, sizeof *left);
    for (size_t i = a->count; i-- > 0;)
        for (size_t j = b->count; j-- > 0;) {
            unsigned char down = left[(i + 1) * width + j], over = left[i * width + j + 1];
            unsigned char most = down > over ? down : over;
            if (slice_eq(a->at[i], b->at[j]))
                most = (unsigned char)(left[(i + 1) * width + j + 1] + 1);
            left[i * width + j] = most;
        }
    return left;
}

/* Lines side by side, the longest common ones beside each other. */
static void compare(struct fields *f, const struct lines *a, const struct lines *b)
{
    CLEANUP(mem_free) unsigned char *left = in_common(a, b);
    size_t width = b->count + 1, i = 0, j = 0;
    while (i < a->count || j < b->count) {
        bool both = i < a->count && j < b->count;
        int down = i < a->count ? left[(i + 1) * width + j] : -1;
        int over = j < b->count ? left[i * width + j + 1] : -1;
        if (both && (slice_eq(a->at[i], b->at[j]) || down == over))
            put_pair(f, &a->at[i++], &b->at[j++]);
        else if (down > over)
            put_pair(f, &a->at[i++], NULL);
        else
            put_pair(f, NULL, &b->at[j++]);
    }
}

static void put_field(struct fields *f, const char *name, const char *left, const char *right)
{
    struct fields *row = put_row(f, "compared");
    put(row, "field", name);
    put(row, "first_has", left[0] ? left : "(nothing)");
    put(row, "second_has", right[0] ? right : "(nothing)");
    put_flag(row, "differs", strcmp(left, right) != 0);
}

static void date_text(int64_t at_ms, char out[32])
{
    out[0] = '\0';
    if (at_ms != NOT_DUE)
        period_exact(at_ms, out);
}

static void put_sides(struct visit *v,
                      struct fields *f,
                      const struct view_item *first,
                      const struct view_item *second)
{
    char first_date[32], second_date[32], first_size[32], second_size[32], room[16];
    CLEANUP(mem_free) struct lines *lines = mem_new(2, sizeof *lines);
    struct fields *both = put_row(f, "conflict");
    bool same_sender = slice_eq_nocase(slice_z(first->sender), slice_z(second->sender));
    date_text(first->sent_ms, first_date);
    date_text(second->sent_ms, second_date);
    snprintf(first_size, sizeof first_size, "%" PRId64 " octets", first->size);
    snprintf(second_size, sizeof second_size, "%" PRId64 " octets", second->size);
    put(both, "first_name", item_name(first, room));
    put(both, "first_shown", first->reference[0] ? first->reference : "the first mail");
    put_field(both, "From", first->sender, second->sender);
    put_field(both, "Subject", first->subject, second->subject);
    put_field(both, "Date", first_date, second_date);
    put_field(both, "Size", first_size, second_size);
    split(first->text ? first->text : "", &lines[0]);
    split(second->text ? second->text : "", &lines[1]);
    compare(both, &lines[0], &lines[1]);
    put_flag(both, "cut", lines[0].cut || lines[1].cut);
    put_flag(both, "gateway", strcmp(second->reason, reason_text(REASON_GATEWAY_COPY)) == 0);
    put_flag(both, "same_sender", same_sender);
    put(both, "sender_rule", second->sender);
    put_flag(both, "may_always", may_be_always(second));
    (void)v;
}

static enum rc
put_conflict(struct visit *v, struct fields *f, const struct view_item *i, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    if (!i->first_key || !i->first_key[0] || !may(v, ROLE_OPERATOR))
        return RC_OK;
    TRY(views->item(views->self, i->first_key, &view, err));
    put_sides(v, f, view.row, i);
    return RC_OK;
}

/* ---- the whole of it ---------------------------------------------------------------------------------------- */

/* The template has a section for each: "is_acknowledgement-unknown" would be no name, so these are. */
/* clang-format off */
static const struct { enum reason reason; const char *flag; } asked[] = {
    { REASON_UNKNOWN_SENT,  "is_doubt"         },
    { REASON_REPLY_WAITS,   "is_refused"       },
    { REASON_GAVE_UP,       "is_given_up"      },
    { REASON_CONFLICT,      "is_conflict"      },
    { REASON_GATEWAY_COPY,  "is_gateway_copy"  },
    { REASON_UNPROCESSABLE, "is_unreadable"    },
    { REASON_OVERSIZE,      "is_oversize"      },
    { REASON_CASE_FLOOD,    "is_flood"         },
    { REASON_UNKNOWN_CASE,  "is_case_doubt"    },
    { REASON_CASE_REFUSED,  "is_case_refused"  },
    { REASON_DESTINATION_GONE, "is_destination_gone" },
    { REASON_FILE_DIFFERS,  "is_file_differs"  },
    { REASON_ORIGINAL_LOST, "is_original_lost" },
};
/* clang-format on */

static void put_reason(struct fields *f, const struct view_item *i)
{
    bool waits = strcmp(i->state, item_state_text(ITEM_NEEDS_RECONCILIATION)) == 0;
    for (size_t n = 0; waits && n < LENGTH(asked); n++)
        if (strcmp(i->reason, reason_text(asked[n].reason)) == 0)
            put_flag(f, asked[n].flag, true);
    put_flag(f, "is_not_told", !waits && i->not_told);
}

static void put_typed(struct visit *v, struct fields *f)
{
    const struct form *form = &v->request->form;
    put(f, "typed_reason", form_get(form, "reason"));
    put(f, "typed_id", form_get(form, "external_id"));
    put_flag(f, "typed_all_like", form_has(form, "all_like"));
    put_flag(f, "two_person", v->ops->config->approval == CONFIG_TWO_PERSON);
    put_flag(f, "may_approve", may(v, ROLE_OWNER));
}

static void put_notes(struct visit *v, struct fields *f, const struct view_item *i)
{
    for (size_t n = 0; n < i->note_count; n++) {
        struct fields *row = put_row(f, "notes");
        put(row, "note", i->note[n].text);
        put_when(row, "noted", i->note[n].noted_ms, v->now.wall_ms);
    }
}

#define TEXT_MOST 2000

/* Whether it is a request is seen by what it says, and it has no case whose page would show that. */
static void put_text(struct visit *v, struct fields *f, const struct view_item *i)
{
    if (i->reference[0] || !may(v, ROLE_OPERATOR))
        return;
    struct slice text = slice_z(i->text), shown = utf8_cut(text, TEXT_MOST);
    put_slice(f, "mail_text", shown);
    put_flag(f, "text_goes_on", shown.len < text.len);
}

enum rc put_question(struct visit *v, struct fields *f, const struct view_item *i, struct err *err)
{
    const struct view_attempt *doubt = last_doubt(i);
    char token[DIGEST_HEX_SIZE];
    form_token(v, token);
    put(f, "form_token", token);
    put_reason(f, i);
    put_text(v, f, i);
    put(f, "asked", question_words(i));
    put_flag(f, "has_case", i->reference[0] != '\0');
    put_attempt(v, f, doubt ? doubt : last_letter(i));
    put_findings(v, f, i);
    put_look(v, f, i);
    put_notes(v, f, i);
    put_answers(v, f, i);
    put_typed(v, f);
    TRY(put_track(v, f, i->mailbox, err));
    TRY(put_alike(v, f, i->key, err));
    return put_conflict(v, f, i, err);
}

bool has_question(const struct view_item *i)
{
    return i->not_told || strcmp(i->state, item_state_text(ITEM_NEEDS_RECONCILIATION)) == 0;
}

void question_markup(struct visit *v, struct fields *f, struct fields *into)
{
    CLEANUP(str_clear) struct str markup = STR_INIT;
    fields_render(f, templates_get(v->console->templates, "question"), &markup);
    put_markup(into, "question", str_slice(&markup));
}
