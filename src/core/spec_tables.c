/* SPDX-License-Identifier: Apache-2.0 */
#include "spec_p.h"

#include "markdown.h"

#include <onecase/backoff.h>
#include <onecase/capability.h>
#include <onecase/decision.h>
#include <onecase/scan.h>
#include <onecase/webhook.h>

#define LAST ((const char *)NULL)

static void add_code(struct str *list, const char *word)
{
    str_addf(list, "%s`%s`", list->len > 0 ? ", " : "", word);
}

static void cell_of_list(struct str *out, const struct str *list)
{
    md_cell(out, list->len > 0 ? str_z(list) : "–");
}

static void cell_of_kinds(struct str *out, unsigned kinds)
{
    CLEANUP(str_clear) struct str list = STR_INIT;

    for (unsigned kind = 0; kinds != KIND_ANY && kind < EFFECT_KIND_COUNT; kind++)
        if (kinds & KIND(kind))
            add_code(&list, effect_kind_text((enum effect_kind)kind));
    if (kinds == KIND_ANY)
        str_addz(&list, "any");
    cell_of_list(out, &list);
}

static void cell_of_conditions(struct str *out, unsigned filed_when)
{
    CLEANUP(str_clear) struct str list = STR_INIT;

    for (unsigned bit = 1; bit <= FILED_DECIDED; bit <<= 1)
        if (filed_when & bit)
            add_code(&list, filed_text(bit));
    cell_of_list(out, &list);
}

static void cell_of_planned(struct str *out, const struct disposition_rule *d)
{
    CLEANUP(str_clear) struct str list = STR_INIT;

    for (unsigned kind = 0; kind < EFFECT_KIND_COUNT; kind++) {
        if (d->effects & KIND(kind))
            add_code(&list, effect_kind_text((enum effect_kind)kind));
        if (d->if_configured & KIND(kind))
            str_addz(&list, " if configured");
    }
    cell_of_list(out, &list);
}

void spec_dispositions(struct str *out, const char *title)
{
    md_head(out, title, "disposition", "when", "effects planned", "starts as", "filed when",
            "its sender is told", LAST);
    for (size_t i = 0; i < DISPOSITION_COUNT; i++) {
        const struct disposition_rule *d = &dispositions[i];

        md_code(out, disposition_text(d->disposition));
        md_cell(out, d->when);
        cell_of_planned(out, d);
        md_code(out, item_state_text(d->starts));
        cell_of_conditions(out, d->filed_when);
        md_code(out, completion_text(d->completion));
        md_end(out);
    }
}

/* ---- transitions --------------------------------------------------------------------------- */

void spec_item_transitions(struct str *out, const char *title)
{
    md_head(out, title, "from", "on", "to", "by", "because", LAST);
    for (size_t i = 0; i < item_transition_count; i++) {
        const struct item_transition *t = &item_transitions[i];

        md_code(out, item_state_text(t->from));
        md_code(out, item_event_text(t->on));
        md_code(out, item_state_text(t->to));
        md_cell(out, actor_text(t->by));
        md_cell(out, t->because);
        md_end(out);
    }
}

void spec_effect_transitions(struct str *out, const char *title)
{
    md_head(out, title, "kinds", "from", "on", "to", "by", "because", LAST);
    for (size_t i = 0; i < effect_transition_count; i++) {
        const struct effect_transition *t = &effect_transitions[i];

        cell_of_kinds(out, t->kinds);
        md_code(out, effect_status_text(t->from));
        md_code(out, effect_event_text(t->on));
        md_code(out, effect_status_text(t->to));
        md_cell(out, actor_text(t->by));
        md_cell(out, t->because);
        md_end(out);
    }
}

void spec_attempt_transitions(struct str *out, const char *title)
{
    md_head(out, title, "from", "what is learned", "to", "by", "because", LAST);
    for (size_t i = 0; i < attempt_transition_count; i++) {
        const struct attempt_transition *t = &attempt_transitions[i];

        md_code(out, attempt_phase_text(t->from));
        md_code(out, outcome_text(t->with));
        md_code(out, attempt_phase_text(t->to));
        md_cell(out, actor_text(t->by));
        md_cell(out, t->because);
        md_end(out);
    }
}

void spec_circuit_transitions(struct str *out, const char *title)
{
    md_head(out, title, "from", "on", "to", "because", LAST);
    for (size_t i = 0; i < circuit_transition_count; i++) {
        const struct circuit_transition *t = &circuit_transitions[i];

        md_code(out, circuit_state_text(t->from));
        md_code(out, circuit_event_text(t->on));
        md_code(out, circuit_state_text(t->to));
        md_cell(out, t->because);
        md_end(out);
    }
}

void spec_post_transitions(struct str *out, const char *title)
{
    md_head(out, title, "from", "on", "to", "because", LAST);
    for (size_t i = 0; i < post_transition_count; i++) {
        const struct post_transition *t = &post_transitions[i];

        md_code(out, effect_status_text(t->from));
        md_code(out, post_event_text(t->on));
        md_code(out, effect_status_text(t->to));
        md_cell(out, t->because);
        md_end(out);
    }
}

/* ---- whose fault --------------------------------------------------------------------------- */

static void cell_of_fault(struct str *out, const struct fault_row *row)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    str_addz(&text, row->fault == FAULT_NONE ? row->because : fault_text(row->fault));
    if (row->outcome != OUTCOME_NONE)
        str_addf(&text, ": `%s`", outcome_text(row->outcome));
    md_cell(out, str_z(&text));
}

void spec_fault_grid(struct str *out, const char *title)
{
    md_head(out, title, "stage", reply_class_text(REPLY_LATER), reply_class_text(REPLY_NEVER),
            reply_class_text(REPLY_NEVER_ITEM), reply_class_text(REPLY_NONE),
            reply_class_text(REPLY_DONE), LAST);
    for (unsigned stage = 0; stage < STAGE_COUNT; stage++) {
        md_cell(out, stage_text((enum stage)stage));
        for (unsigned reply = 0; reply < REPLY_COUNT; reply++)
            cell_of_fault(out, fault_of((enum stage)stage, (enum reply_class)reply));
        md_end(out);
    }
}

void spec_fault_rows(struct str *out, const char *title)
{
    md_head(out, title, "stage", "reply", "fault", "outcome", "because", LAST);
    for (size_t i = 0; i < fault_row_count; i++) {
        const struct fault_row *row = &fault_rows[i];

        md_cell(out, stage_text(row->stage));
        md_cell(out, reply_class_text(row->reply));
        md_cell(out, fault_text(row->fault));
        md_code(out, outcome_text(row->outcome));
        md_cell(out, row->because);
        md_end(out);
    }
}

void spec_scan_rows(struct str *out, const char *title)
{
    md_head(out, title, "answer", "fault", "outcome", "because", LAST);
    for (size_t i = 0; i < scan_row_count; i++) {
        const struct scan_row *row = &scan_rows[i];

        md_cell(out, scan_text(row->answer));
        md_cell(out, fault_text(row->fault));
        md_code(out, outcome_text(row->outcome));
        md_cell(out, row->because);
        md_end(out);
    }
}

/* ---- decisions ----------------------------------------------------------------------------- */

static void cell_of_question(struct str *out, const struct decision_rule *r)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    if (r->kind == EFFECT_KIND_COUNT)
        str_addf(&text, "an item that waits for `%s`", reason_text(r->reason));
    else
        str_addf(&text, "`%s` that is `%s`", effect_kind_text(r->kind),
                 effect_status_text(r->status));
    md_cell(out, str_z(&text));
}

static void cell_of_answer(struct str *out, const struct decision_rule *r)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    const struct effect_transition *t = effect_find(r->kind, r->status, r->on);

    if (r->kind == EFFECT_KIND_COUNT)
        str_addf(&text, "it becomes `%s`", disposition_text(r->becomes));
    else
        str_addf(&text, "`%s`: it is `%s`", effect_event_text(r->on),
                 t ? effect_status_text(t->to) : "?");
    md_cell(out, str_z(&text));
}

void spec_decisions(struct str *out, const char *title)
{
    md_head(out, title, "decision", "about", "causes", "may something leave", "can be taken back",
            "consequence", LAST);
    for (size_t i = 0; i < decision_rule_count; i++) {
        const struct decision_rule *r = &decision_rules[i];

        md_code(out, decision_text(r->decision));
        cell_of_question(out, r);
        cell_of_answer(out, r);
        md_cell(out, r->may_leave ? "yes" : "no");
        md_cell(out, r->undo == EFFECT_EVENT_COUNT ? "no" : "while nothing has left");
        md_cell(out, r->consequence);
        md_end(out);
    }
}

/* ---- servers ------------------------------------------------------------------------------- */

#define CAPABILITY_ROW(name, bit, word, with, without) {word, with, without},

static const struct {
    const char *word, *with, *without;
} capabilities[] = {CAPABILITY_LIST(CAPABILITY_ROW)};

void spec_capabilities(struct str *out, const char *title)
{
    md_head(out, title, "capability", "where it is there", "where it is not", LAST);
    for (size_t i = 0; i < LENGTH(capabilities); i++) {
        md_code(out, capabilities[i].word);
        md_cell(out, capabilities[i].with);
        md_cell(out, capabilities[i].without);
        md_end(out);
    }
}
