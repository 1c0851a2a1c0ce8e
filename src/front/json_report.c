/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/front.h>
#include <onecase/when.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Contract section 8: the duplicate report, whose totals must add up. */

static void put(json_t *object, const char *name, int64_t value)
{
    json_object_set_new(object, name, json_integer(value));
}

static json_t *when(int64_t at_ms)
{
    char out[WHEN_TEXT_SIZE];
    when_text(at_ms, out);
    return at_ms == NOT_DUE ? json_null() : json_string(out);
}

/* Each number where its name says: "decided.waiting" is in "decided". */
static void figures(json_t *o, const struct view_duplicates *d, enum figure_part part)
{
    for (const struct report_figure *f = report_figure(part, NULL); f; f = report_figure(part, f)) {
        const char *dot = strchr(f->name, '.');
        put(o, dot ? dot + 1 : f->name, figure_count(d, f));
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
    json_object_set_new(o, "decided", decided);
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
                put(classes, delivery_class_text((enum delivery_class)c), d->day[i].count[c]);
        json_object_set_new(o, "day", json_string(d->day[i].date));
        put(o, "duplicates", d->day[i].sum);
        json_object_set_new(o, "classes", classes);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *counts(const char *name, const struct view_count *row, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *o = json_object();
        json_object_set_new(o, name, json_string(row[i].name));
        put(o, "duplicates", row[i].count);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *classes(const char *joined)
{
    json_t *list = json_array();
    struct slice rest = slice_z(joined), one;
    while (rest.len > 0 && slice_next(&rest, ',', &one))
        json_array_append_new(list, json_stringn(one.at, one.len));
    return list;
}

static json_t *keys(const struct view_duplicates *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->keys; i++) {
        json_t *o = json_object();
        const struct view_key *k = &d->key[i];
        json_object_set_new(o, "key", json_string(k->key));
        json_object_set_new(
            o, "case", k->reference && k->reference[0] ? json_string(k->reference) : json_null());
        put(o, "deliveries", k->deliveries);
        json_object_set_new(o, "classes", classes(k->classes));
        json_object_set_new(o, "first_seen", when(k->first_seen_ms));
        json_object_set_new(o, "last_seen", when(k->last_seen_ms));
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
        json_object_set_new(o, "key", json_string(l->key));
        json_object_set_new(o, "case", l->reference[0] ? json_string(l->reference) : json_null());
        json_object_set_new(o, "decision", json_string(l->decision));
        json_object_set_new(o, "by", json_string(l->by));
        json_object_set_new(o, "decided_at", when(l->decided_ms));
        json_array_append_new(list, o);
    }
    return list;
}

void json_duplicates(const struct view *view, struct str *out)
{
    const struct view_duplicates *d = view->row;
    json_t *o = json_object();
    json_object_set_new(o, "since", when(d->since_ms));
    json_object_set_new(o, "until", when(d->until_ms));
    json_object_set_new(o, "totals", totals(d));
    json_object_set_new(o, "boundaries", boundaries(d));
    json_object_set_new(o, "by_day", days(d));
    json_object_set_new(o, "by_mailbox", counts("mailbox", d->mailbox, d->mailboxes));
    json_object_set_new(o, "by_sender_domain", counts("domain", d->domain, d->domains));
    json_object_set_new(o, "keys", keys(d));
    json_object_set_new(o, "late_decisions", late(d));
    char *dump = json_dumps(o, JSON_INDENT(2));
    str_addz(out, dump ? dump : "null");
    str_addc(out, '\n');
    free(dump);
    json_decref(o);
}
