/* SPDX-License-Identifier: Apache-2.0 */
#include "json_p.h"
#include <string.h>

/* Contract section 8: the duplicate report, whose totals must add up. */

/* Each number where its name says: "decided.waiting" is in "decided". */
static void figures(json_t *o, const struct view_duplicates *d, enum figure_part part)
{
    for (const struct report_figure *f = report_figure(part, NULL); f; f = report_figure(part, f)) {
        const char *dot = strchr(f->name, '.');
        put_int(o, dot ? dot + 1 : f->name, figure_count(d, f));
    }
}

static json_t *totals(const struct view_duplicates *d)
{
    json_t *o = json_object(), *decided = json_object();
    figures(decided, d, FIGURE_DECIDED);
    figures(o, d, FIGURE_ARRIVALS);
    figures(o, d, FIGURE_NEW);
    figures(o, d, FIGURE_AGAIN);
    figures(o, d, FIGURE_BECAME);
    put(o, "decided", decided);
    figures(o, d, FIGURE_OUTCOME);
    return o;
}

static json_t *boundaries(const struct view_duplicates *d)
{
    json_t *o = json_object();
    figures(o, d, FIGURE_BOUNDARY);
    return o;
}

/* With the kinds that were there. */
static json_t *days(const struct view_duplicates *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->days; i++) {
        json_t *o = json_object(), *classes = json_object();
        for (size_t c = 0; c < DELIVERY_CLASS_COUNT; c++)
            if (d->day[i].count[c] > 0)
                put_int(classes, delivery_class_text((enum delivery_class)c), d->day[i].count[c]);
        put(o, "day", text(d->day[i].date));
        put_int(o, "duplicates", d->day[i].sum);
        put(o, "classes", classes);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *counts(const char *name, const struct view_count *row, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *o = json_object();
        put(o, name, text(row[i].name));
        put_int(o, "duplicates", row[i].count);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *keys(const struct view_duplicates *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->keys; i++) {
        json_t *o = json_object();
        const struct view_key *k = &d->key[i];
        put(o, "key", text(k->key));
        put(o, "case", text_or_null(k->reference));
        put_int(o, "deliveries", k->deliveries);
        put(o, "classes", parts(slice_z(k->classes), ','));
        put(o, "first_seen", when(k->first_seen_ms));
        put(o, "last_seen", when(k->last_seen_ms));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *late(const struct view_duplicates *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->late_count; i++) {
        json_t *o = json_object();
        const struct view_decision *l = &d->late[i];
        put(o, "key", text(l->key));
        put(o, "case", text_or_null(l->reference));
        put(o, "decision", text(l->decision));
        put(o, "by", text(l->by));
        put(o, "decided_at", when(l->decided_ms));
        json_array_append_new(list, o);
    }
    return list;
}

void json_duplicates(const struct view *view, struct str *out)
{
    const struct view_duplicates *d = view->row;
    json_t *o = json_object();
    put(o, "since", when(d->since_ms));
    put(o, "until", when(d->until_ms));
    put(o, "totals", totals(d));
    put(o, "boundaries", boundaries(d));
    put(o, "by_day", days(d));
    put(o, "by_mailbox", counts("mailbox", d->mailbox, d->mailboxes));
    put(o, "by_sender_domain", counts("domain", d->domain, d->domains));
    put(o, "keys", keys(d));
    put(o, "late_decisions", late(d));
    finish(o, out);
}
