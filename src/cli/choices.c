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
    { "--case",                   "none",        DECIDE_CASE_NONE     },
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

static void one_choice(
    const struct call *call, enum decision decision, bool id, const char *consequence, FILE *out)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    decision_typed(decision, &name);
    str_addz(&name, id ? " ID" : "");
    fprintf(out, "  %-*s", TYPED_WIDTH, str_z(&name));
    plain_wrap(consequence, TYPED_WIDTH + 2, call->width, out);
}

size_t choices(const struct call *call, const struct view_item *item, FILE *out)
{
    const struct decision_rule *rule[DECISION_COUNT];
    size_t count = decisions_fitting(item, rule);
    for (size_t n = 0; n < count; n++) {
        CLEANUP(str_clear) struct str follows = STR_INIT;
        consequence_words(rule[n], item, &follows);
        one_choice(call, rule[n]->decision, wants_case_id(rule[n], item), str_z(&follows), out);
    }
    if (!may_be_taken_back(item))
        return count;
    CLEANUP(str_clear) struct str what = STR_INIT;
    str_addf(&what, "takes '%s' back, if nothing has left because of it",
             label("decision", last_decision(item)->decision));
    one_choice(call, DECIDE_UNDO, false, str_z(&what), out);
    return count + 1;
}
