/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <string.h>

#define TYPED_WIDTH 28

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

void decision_typed(enum decision decision, struct str *out)
{
    for (size_t i = 0; i < LENGTH(typed); i++)
        if (typed[i].decision == decision)
            str_addf(out, "%s%s%s", typed[i].option, typed[i].value[0] ? " " : "", typed[i].value);
}

enum rc decision_of(const struct args *args, enum decision *out, struct err *err)
{
    size_t found = 0;
    for (size_t i = 0; i < LENGTH(typed); i++) {
        const char *value = args_get(args, typed[i].option);
        if (!value || strcmp(value, typed[i].value) != 0)
            continue;
        *out = typed[i].decision;
        found++;
    }
    if (found == 1)
        return RC_OK;
    return FAIL(err, RC_USAGE,
                "resolve takes one decision of --acknowledgement, --conflict, "
                "--unprocessable, --case, --flood, --resend-acknowledgement and "
                "--undo; 'onecase item KEY' shows what fits");
}

/* ---- what fits a mail as it stands --------------------------------------------------------------------- */

static bool has_step(const struct view_item *i, enum effect_kind kind, enum effect_status status)
{
    for (size_t n = 0; n < i->effects; n++)
        if (strcmp(i->effect[n].kind, effect_kind_text(kind)) == 0 &&
            strcmp(i->effect[n].status, effect_status_text(status)) == 0)
            return true;
    return false;
}

static bool fits(const struct decision_rule *r, const struct view_item *i, enum reason reason)
{
    if (r->kind != EFFECT_KIND_COUNT)
        return has_step(i, r->kind, r->status);
    return reason != REASON_NONE && r->reason == reason;
}

const struct view_approval *last_decision(const struct view_item *item)
{
    enum decision decision;
    for (size_t n = item->approval_count; n-- > 0;)
        if (decision_parse(item->approval[n].decision, &decision) && decision != DECIDE_UNDO &&
            item->approval[n].undone_ms == NOT_DUE)
            return &item->approval[n];
    return NULL;
}

/* Some decisions are final whatever they were about. */
static bool may_be_taken_back(const struct view_approval *a)
{
    enum decision decision;
    if (!a || !decision_parse(a->decision, &decision))
        return false;
    for (size_t n = 0; n < decision_rule_count; n++)
        if (decision_rules[n].decision == decision && decision_rules[n].undo != EFFECT_EVENT_COUNT)
            return true;
    return false;
}

static enum reason asked_reason(const struct view_item *i)
{
    enum reason reason = REASON_NONE;
    if (strcmp(i->state, item_state_text(ITEM_NEEDS_RECONCILIATION)) == 0)
        (void)reason_parse(i->reason, &reason);
    return reason;
}

const struct decision_rule *decision_fitting(enum decision decision, const struct view_item *item)
{
    for (size_t n = 0; n < decision_rule_count; n++)
        if (decision_rules[n].decision == decision &&
            fits(&decision_rules[n], item, asked_reason(item)))
            return &decision_rules[n];
    return NULL;
}

static void
one_choice(const struct call *call, enum decision decision, const char *consequence, FILE *out)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    decision_typed(decision, &name);
    fprintf(out, "  %-*s", TYPED_WIDTH, str_z(&name));
    plain_wrap(consequence, TYPED_WIDTH + 2, call->width, out);
}

size_t choices(const struct call *call, const struct view_item *item, FILE *out)
{
    enum reason reason = asked_reason(item);
    size_t count = 0;
    for (size_t n = 0; n < decision_rule_count; n++)
        if (fits(&decision_rules[n], item, reason)) {
            one_choice(call, decision_rules[n].decision, decision_rules[n].consequence, out);
            count++;
        }
    const struct view_approval *last = last_decision(item);
    if (may_be_taken_back(last)) {
        CLEANUP(str_clear) struct str what = STR_INIT;
        str_addf(&what, "takes '%s' back, if nothing has left because of it",
                 label("decision", last->decision));
        one_choice(call, DECIDE_UNDO, str_z(&what), out);
        count++;
    }
    return count;
}
