/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/acceptance.h>
#include <stdio.h>

static void say(struct acceptance_condition *c, bool holds, const char *value)
{
    c->holds = holds;
    snprintf(c->value, sizeof c->value, "%s", value);
}

static void case_condition(const struct acceptance_facts *f, struct acceptance_condition *c)
{
    say(c, f->case_read_back, f->case_read_back ? "read back" : "not found");
}

static void files_condition(const struct acceptance_facts *f, struct acceptance_condition *c)
{
    c->holds = f->files_hashed == f->files_planned;
    snprintf(c->value, sizeof c->value, "%u of %u hashed, %u exceptions", f->files_hashed,
             f->files_planned, f->exceptions);
}

static void answered_condition(const struct acceptance_facts *f, struct acceptance_condition *c)
{
    if (!f->has_acknowledgement)
        say(c, true, "none planned");
    else
        say(c, effect_settled(f->acknowledgement), effect_status_text(f->acknowledgement));
}

static void recorded_condition(const struct acceptance_facts *f, struct acceptance_condition *c)
{
    say(c, f->recorded, f->recorded ? "recorded" : "not recorded");
}

static void decided_condition(const struct acceptance_facts *f, struct acceptance_condition *c)
{
    say(c, f->decided, f->decided ? "decided" : "not decided");
}

/* clang-format off */
static const struct {
    unsigned bit;
    void (*judge)(const struct acceptance_facts *, struct acceptance_condition *);
} conditions[] = {
    { FILED_CASE,     case_condition     },
    { FILED_FILES,    files_condition    },
    { FILED_ANSWERED, answered_condition },
    { FILED_RECORDED, recorded_condition },
    { FILED_DECIDED,  decided_condition  },
};
/* clang-format on */

void acceptance_judge(const struct acceptance_facts *facts, struct acceptance *out)
{
    *out = (struct acceptance){0};
    if (facts->disposition >= DISPOSITION_COUNT)
        return;
    unsigned needed = dispositions[facts->disposition].filed_when;
    bool all = needed != FILED_NEVER;
    for (size_t i = 0; i < LENGTH(conditions); i++) {
        if (!(needed & conditions[i].bit))
            continue;
        struct acceptance_condition *c = &out->condition[out->count++];
        c->name = filed_text(conditions[i].bit);
        conditions[i].judge(facts, c);
        all = all && c->holds;
    }
    out->holds = all;
}
