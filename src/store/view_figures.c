/* SPDX-License-Identifier: Apache-2.0 */
#include "report_numbers.h"

#include <stdlib.h>
#include <string.h>

/* The rows behind a number of the duplicate report are the facts that it counts: one table for both, so
 * that they cannot differ, not even for a period that is past. */

struct found {
    int64_t id, at_ms;
    char key[KEY_SIZE], reference[REFERENCE_SIZE], mailbox[NAME_SIZE];
    const char *what; /* of a table of words */
};

struct newest {
    struct report_number number;
    int64_t below;
    struct found *at;
    size_t count, limit; /* limit: 0 is all */
};

static void newest_clear(struct newest *n)
{
    free(n->at);
    n->at = NULL;
}

static const char *what_of(const struct report_fact *f)
{
    switch (f->kind) {
    case FACT_ARRIVAL:
        return delivery_class_text(f->class);
    case FACT_TRY:
        return "acknowledgement-unknown";
    case FACT_FOUND_THERE:
        return "case-found";
    case FACT_DOUBLE:
        break;
    }
    return "acknowledgement-doubled";
}

static int newest_first(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->id < y->id ? 1 : x->id > y->id ? -1 : 0;
}

static void keep_newest(struct newest *n)
{
    if (n->count > 0)
        qsort(n->at, n->count, sizeof *n->at, newest_first);
    if (n->limit > 0 && n->count > n->limit)
        n->count = n->limit;
}

static void tell(void *ctx, const struct report_fact *f)
{
    struct newest *n = ctx;

    if (f->id >= n->below || !report_number_counts(&n->number, f))
        return;
    if (n->limit > 0 && n->count == 2 * n->limit)
        keep_newest(n);
    n->at = mem_grow(n->at, n->count + 1, sizeof *n->at);
    struct found *row = &n->at[n->count++];

    *row = (struct found){.id = f->id, .at_ms = f->at_ms, .what = what_of(f)};
    text_copy(row->key, sizeof row->key, f->key);
    text_copy(row->reference, sizeof row->reference, f->reference);
    text_copy(row->mailbox, sizeof row->mailbox, f->mailbox);
}

static void show(const struct newest *n, struct view *out)
{
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_report_row));

    for (size_t i = 0; i < n->count; i++) {
        struct view_report_row *r = view_rows_add(out, &rows);

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

enum rc
view_duplicate_rows(void *self, const struct view_figure *asked, struct view *out, struct err *err)
{
    struct store *store = self;
    const struct report_period period = {asked->since_ms, asked->until_ms};
    CLEANUP(str_clear) struct str names = STR_INIT;
    CLEANUP(newest_clear)
    struct newest n = {.below = asked->below > 0 ? asked->below : INT64_MAX, .limit = asked->limit};

    if (!report_number_find(asked->number, &n.number)) {
        report_number_names(&names);
        return FAIL(err, RC_USAGE, "the report has no number '%s'; it has %s", asked->number,
                    str_z(&names));
    }
    TRY(report_facts(store->db, &period, tell, &n, err));
    keep_newest(&n);
    show(&n, out);
    return RC_OK;
}
