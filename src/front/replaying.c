/* SPDX-License-Identifier: Apache-2.0
 *
 * replaying - which mails a replay is about, what it would do with each, and how that reads: for both
 * fronts.
 */
#include <onecase/front.h>
#include <stdlib.h>
#include <string.h>

void replay_plan_clear(struct replay_plan *p)
{
    mem_free(&p->item);
    str_clear(&p->selection);
}

/* ---- which mails ------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct condition {
    const char *name;
    enum choice_of of;
    const char *before; /* a person reads this, and then the value */
    const char *kind;   /* of word; NULL: the value as it is */
} conditions[] = {
    { "from",    CHOICE_FROM,    "from",                  NULL     },
    { "domain",  CHOICE_DOMAIN,  "from addresses of",     NULL     },
    { "mailbox", CHOICE_MAILBOX, "to",                    NULL     },
    { "reason",  CHOICE_REASON,  "waiting for a person:", "reason" },
    { "case",    CHOICE_CASE,    "of the case",           NULL     },
};
/* clang-format on */

struct where {
    const struct condition *condition; /* NULL: all */
    struct slice value;
};

static bool where_parse(const char *text, struct where *out)
{
    *out = (struct where){.condition = NULL};
    struct slice rest = slice_z(text), name;
    if (!strchr(text, '=') || !slice_next(&rest, '=', &name))
        return false;
    for (size_t i = 0; i < LENGTH(conditions); i++)
        if (slice_eqz(name, conditions[i].name))
            *out = (struct where){&conditions[i], rest};
    return out->condition != NULL;
}

static enum rc
add(const struct operations *ops, struct replay_plan *p, const struct view_item *i, struct err *err)
{
    const struct ledger *l = ops->ledger;
    p->item = mem_grow(p->item, p->count + 1, sizeof *p->item);
    struct replay_shown *s = &p->item[p->count];
    *s = (struct replay_shown){.key = ""};
    text_copy(s->key, sizeof s->key, i->key);
    text_copy(s->reference, sizeof s->reference, i->reference);
    text_copy(s->state, sizeof s->state, i->state);
    TRY(l->operators->replay_plan(l->self, s->key, p->resend, p->many, &s->result, err));
    p->sum.run_again += s->result.run_again;
    p->sum.proven_done += s->result.proven_done;
    p->sum.in_doubt += s->result.in_doubt;
    p->sum.of_programs += s->result.of_programs;
    p->count++;
    return RC_OK;
}

enum rc replay_plan_one(const struct operations *ops,
                        const struct view_item *item,
                        bool resend,
                        struct replay_plan *out,
                        struct err *err)
{
    *out = (struct replay_plan){.selection = STR_INIT, .resend = resend};
    str_addf(&out->selection, "replay %s%s", item->key, resend ? " resend" : "");
    TRY(add(ops, out, item, err));
    text_copy(out->plan, sizeof out->plan, out->item[0].result.plan);
    return RC_OK;
}

static int by_key(const void *a, const void *b)
{
    const struct replay_shown *x = a, *y = b;
    return strcmp(x->key, y->key);
}

static void plan_of_all(struct replay_plan *p)
{
    struct sha256 *h = sha256_new();
    if (p->count > 0)
        qsort(p->item, p->count, sizeof *p->item, by_key);
    for (size_t i = 0; i < p->count; i++)
        sha256_add(h, slice_z(p->item[i].result.plan));
    struct digest all = sha256_done(&h);
    digest_hex(&all, p->plan);
}

/* RC_REFUSED: they are more than `most`. */
static enum rc choose(const struct operations *ops,
                      const struct replay_choice *choice,
                      const struct where *where,
                      struct view *out,
                      struct err *err)
{
    CLEANUP(str_clear) struct str value = STR_INIT;
    const struct views *v = ops->views;
    char reference[REFERENCE_SIZE];
    size_t at = 0;
    struct view_choice asked = {.state = choice->state, .limit = choice->most};
    if (where->condition) {
        str_add(&value, where->value);
        asked.of = where->condition->of;
        asked.value = str_z(&value);
    }
    if (asked.of == CHOICE_CASE &&
        reference_find(ops->config->reference_prefix, where->value, &at, reference))
        asked.value = reference;
    asked.limit += choice->most ? 1 : 0;
    TRY(v->chosen(v->self, &asked, out, err));
    if (choice->most && out->count > choice->most)
        return FAIL(err, RC_REFUSED, "they are more than %zu mails", choice->most);
    return RC_OK;
}

enum rc replay_plan_many(const struct operations *ops,
                         const struct replay_choice *choice,
                         struct replay_plan *out,
                         struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    struct where where = {.condition = NULL};
    enum item_state known;
    *out = (struct replay_plan){.selection = STR_INIT, .resend = choice->resend, .many = true};
    if (!item_state_parse(choice->state, &known))
        return FAIL(err, RC_USAGE,
                    "--state takes received, in_progress, complete or needs_reconciliation");
    if (choice->where && !where_parse(choice->where, &where))
        return FAIL(err, RC_USAGE,
                    "--where takes from=ADDRESS, domain=NAME, mailbox=ID, reason=WORD or "
                    "case=REFERENCE");
    str_addf(&out->selection, "replay %s%s%s%s", choice->state, choice->where ? " " : "",
             choice->where ? choice->where : "", choice->resend ? " resend" : "");
    TRY(choose(ops, choice, &where, &view, err));
    const struct view_item *row = view.row;
    for (size_t i = 0; i < view.count; i++)
        TRY(add(ops, out, &row[i], err));
    plan_of_all(out);
    return RC_OK;
}

/* ---- doing it ---------------------------------------------------------------------------------------- */

void replay_subject(const struct replay_plan *plan, struct str *out)
{
    str_add(out, str_slice(&plan->selection));
    str_addf(out, " %s", plan->plan);
}

enum rc replay_begin(const struct operations *ops,
                     const struct replay_plan *plan,
                     const struct decided_by *decided,
                     struct instant now,
                     struct bulk *out,
                     struct err *err)
{
    const struct ledger *l = ops->ledger;
    CLEANUP(mem_free) char(*key)[KEY_SIZE] = mem_new(plan->count + 1, sizeof *key);
    for (size_t i = 0; i < plan->count; i++)
        memcpy(key[i], plan->item[i].key, KEY_SIZE);
    const struct bulk_request request = {.selection = plan->selection.at,
                                         .by = decided->by,
                                         .why = decided->why,
                                         .second = decided->second,
                                         .resend = plan->resend,
                                         .key = (const char(*)[KEY_SIZE])key,
                                         .keys = plan->count};
    return l->operators->bulk_begin(l->self, &request, now, out, err);
}

/* ---- how it reads ------------------------------------------------------------------------------------ */

bool replay_choice_parse(const char *selection, struct str *room, struct replay_choice *out)
{
    struct slice rest = slice_z(selection);
    static const char again[] = " resend";
    enum item_state known;
    *out = (struct replay_choice){.resend = false};
    if (!slice_starts_nocase(rest, SLICE("replay ")))
        return false;
    rest = slice_cut(rest, strlen("replay "), rest.len);
    size_t end = rest.len >= strlen(again) ? rest.len - strlen(again) : rest.len;
    out->resend = slice_eqz(slice_cut(rest, end, rest.len), again);
    if (out->resend)
        rest.len = end;
    str_empty(room);
    str_add(room, rest);
    char *blank = strchr(room->at, ' ');
    out->state = room->at;
    if (blank) {
        *blank = '\0';
        out->where = blank + 1;
    }
    return item_state_parse(out->state, &known);
}

void selection_words(const char *selection, struct str *out)
{
    CLEANUP(str_clear) struct str room = STR_INIT;
    struct replay_choice choice;
    struct where where;
    if (!replay_choice_parse(selection, &room, &choice)) {
        str_addz(out, "one mail");
        return;
    }
    str_addf(out, "mails with the state '%s'", label("state", choice.state));
    if (choice.where && where_parse(choice.where, &where)) {
        CLEANUP(str_clear) struct str value = STR_INIT;
        str_add(&value, where.value);
        str_addf(out, ", %s %s", where.condition->before,
                 where.condition->kind ? label(where.condition->kind, str_z(&value))
                                       : str_z(&value));
    }
    if (choice.resend)
        str_addz(out, "; confirmations that were refused or given up, too");
}
