/* SPDX-License-Identifier: Apache-2.0 */
#include "listed_plan.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct alike { /* one case */
    char fingerprint[DIGEST_HEX_SIZE];
    bool has_date;
    int64_t date_ms;
};

struct planned_words {
    char words[DIGEST_HEX_SIZE]; /* first */
    const char *mailbox;         /* borrowed */
    struct alike *at;            /* owned */
    size_t count;
};

/* Each of them begins with the text by which it is looked for. */
static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int by_words(const void *a, const void *b)
{
    const struct planned_words *one = a, *other = b;
    int order = strcmp(one->words, other->words);

    return order != 0 ? order : strcmp(one->mailbox, other->mailbox);
}

static void *found(void *const *tree, const void *wanted, int (*by)(const void *, const void *))
{
    void *const *node = tfind(wanted, tree, by);

    return node != NULL ? *node : NULL;
}

/* A copy of it, or what stands there already. */
static void *keep(void **tree, const void *what, size_t size, int (*by)(const void *, const void *))
{
    void *new = mem_new(1, size);
    void **node;

    memcpy(new, what, size);
    node = tsearch(new, tree, by);
    if (node == NULL)
        abort();
    if (*node != new)
        free(new);
    return *node;
}

/* ---- looking ------------------------------------------------------------------------------------- */

const struct planned_case *plan_case(const struct listed_plan *plan, const char *reference)
{
    return found(&plan->cases, reference, by_text);
}

const struct planned_mail *plan_mail(const struct listed_plan *plan, const char *key)
{
    return found(&plan->mails, key, by_text);
}

static struct planned_words words_of(const char *mailbox, const char *words)
{
    struct planned_words w = {.mailbox = mailbox};

    text_copy(w.words, sizeof w.words, words);
    return w;
}

static bool is_near(const struct alike *a, const struct listed_case *c)
{
    return !c->has_date || !a->has_date ||
           (a->date_ms >= c->date_ms - LISTED_NEAR_MS && a->date_ms <= c->date_ms + LISTED_NEAR_MS);
}

const char *plan_alike(const struct listed_plan *plan,
                       const char *mailbox,
                       const char *words,
                       const struct listed_case *c)
{
    const struct planned_words wanted = words_of(mailbox, words);
    const struct planned_words *w = found(&plan->words, &wanted, by_words);

    for (size_t i = 0; w != NULL && i < w->count; i++)
        if (is_near(&w->at[i], c))
            return w->at[i].fingerprint;
    return NULL;
}

/* ---- adding -------------------------------------------------------------------------------------- */

void plan_add_mail(struct listed_plan *plan, const struct planned_mail *mail)
{
    (void)keep(&plan->mails, mail, sizeof *mail, by_text);
}

void plan_add_case(struct listed_plan *plan, const struct planned_case *made)
{
    (void)keep(&plan->cases, made, sizeof *made, by_text);
}

void plan_add_words(struct listed_plan *plan,
                    const char *mailbox,
                    const char *words,
                    const struct listed_case *c,
                    const char *fingerprint)
{
    const struct planned_words named = words_of(mailbox, words);
    struct planned_words *w;

    if (words[0] == '\0')
        return;
    w = keep(&plan->words, &named, sizeof named, by_words);
    w->at = mem_grow(w->at, w->count + 1, sizeof *w->at);
    w->at[w->count] = (struct alike){.has_date = c->has_date, .date_ms = c->date_ms};
    text_copy(w->at[w->count++].fingerprint, DIGEST_HEX_SIZE, fingerprint);
}

static void clear(void **tree, int (*by)(const void *, const void *), bool has_list)
{
    while (*tree != NULL) {
        void *top = *(void **)*tree;

        (void)tdelete(top, tree, by);
        if (has_list)
            free(((struct planned_words *)top)->at);
        free(top);
    }
}

void listed_plan_clear(struct listed_plan *plan)
{
    clear(&plan->cases, by_text, false);
    clear(&plan->mails, by_text, false);
    clear(&plan->words, by_words, true);
}
