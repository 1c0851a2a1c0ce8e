/* SPDX-License-Identifier: Apache-2.0 */
#include "report_numbers.h"

#include <string.h>

/* The rows behind a figure are the facts that its number counts: one table for both, so that they cannot
 * differ, not even for a period that is past. */

struct found {
    int64_t id, at_ms;
    char key[KEY_SIZE], reference[REFERENCE_SIZE], mailbox[NAME_SIZE];
    const char *what; /* of a table of words */
};

/* The newest of those below an id, newest first. */
struct newest {
    struct report_number number;
    int64_t below;
    struct found *at;
    size_t count, limit;
};

static const char *what_of(const struct report_fact *f)
{
    switch (f->kind) {
    case FACT_ARRIVAL:
        return delivery_class_text(f->class);
    case FACT_TRY:
        return outcome_text(OUTCOME_UNKNOWN);
    case FACT_DOUBLE:
        break;
    }
    return outcome_text(OUTCOME_DONE);
}

static void tell(void *ctx, const struct report_fact *f)
{
    struct newest *n = ctx;
    size_t place = 0;

    if (f->id >= n->below || !report_number_counts(&n->number, f))
        return;
    while (place < n->count && n->at[place].id > f->id)
        place++;
    if (place == n->limit)
        return;
    size_t behind = n->count - place - (n->count == n->limit);

    memmove(&n->at[place + 1], &n->at[place], behind * sizeof *n->at);
    n->count += n->count < n->limit;
    struct found *row = &n->at[place];

    *row = (struct found){.id = f->id, .at_ms = f->at_ms, .what = what_of(f)};
    text_copy(row->key, sizeof row->key, f->key);
    text_copy(row->reference, sizeof row->reference, f->reference);
    text_copy(row->mailbox, sizeof row->mailbox, f->mailbox);
}

static void show(const struct newest *n, struct view *out)
{
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_figure_row));

    for (size_t i = 0; i < n->count; i++) {
        struct view_figure_row *r = view_rows_add(out, &rows);

        r->id = n->at[i].id;
        r->at_ms = n->at[i].at_ms;
        r->key = view_text(out, n->at[i].key);
        r->mailbox = view_text(out, n->at[i].mailbox);
        r->reference = view_text(out, n->at[i].reference);
        r->what = n->at[i].what;
    }
    out->row = rows.at;
    out->count = rows.count;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
enum rc view_figure(void *self,
                    const char *name,
                    int64_t since_ms,
                    int64_t until_ms,
                    int64_t below,
                    size_t limit,
                    struct view *out,
                    struct err *err)
{
    struct store *store = self;
    const struct report_period period = {since_ms, until_ms};
    CLEANUP(mem_free) struct found *room = mem_new(limit + 1, sizeof *room);
    struct newest n = {.below = below > 0 ? below : INT64_MAX, .at = room, .limit = limit};

    if (!report_number_find(name, &n.number))
        return FAIL(err, RC_NOT_FOUND, "there is no such figure in the report");
    TRY(report_facts(store->db, &period, tell, &n, err));
    show(&n, out);
    return RC_OK;
}
