/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/item.h>
#include <onecase/spec.h>

/* A name that Promela takes: said-done is said_done. */
static void add_name(struct str *out, const char *prefix, const char *text)
{
    str_addz(out, prefix);
    for (; *text; text++)
        str_addc(out, *text == '-' ? '_' : *text);
}

typedef const char *(*text_fn)(size_t at);

static const char *status_at(size_t at)
{
    return effect_status_text((enum effect_status)at);
}

static const char *event_at(size_t at)
{
    return effect_event_text((enum effect_event)at);
}

static const char *actor_at(size_t at)
{
    return actor_text((enum actor)at);
}

static const char *item_state_at(size_t at)
{
    return item_state_text((enum item_state)at);
}

static const char *item_event_at(size_t at)
{
    return item_event_text((enum item_event)at);
}

static void add_type(struct str *out, const char *type, const char *prefix, text_fn text, size_t n)
{
    str_addf(out, "mtype:%s = {", type);
    for (size_t i = 0; i < n; i++) {
        str_addz(out, i > 0 ? ", " : " ");
        add_name(out, prefix, text(i));
    }
    str_addz(out, " };\n");
}

struct row {
    const char *from, *on, *by, *to;
};

static void open_step(struct str *out, const char *name)
{
    str_addf(out, "\ninline %s_step(state, event, actor)\n{\n    if\n", name);
}

static void add_row(struct str *out, const char *event_prefix, const struct row *row)
{
    add_name(out, "    :: state == ", row->from);
    str_addz(out, " && event == ");
    add_name(out, event_prefix, row->on);
    add_name(out, " && actor == by_", row->by);
    add_name(out, " -> state = ", row->to);
    str_addc(out, '\n');
}

static void close_step(struct str *out)
{
    str_addz(out, "    :: else -> assert(false) /* no such row */\n    fi\n}\n");
}

static void add_effect_step(struct str *out, enum effect_kind kind)
{
    open_step(out, effect_kind_text(kind));
    for (size_t i = 0; i < effect_transition_count; i++) {
        const struct effect_transition *t = &effect_transitions[i];
        const struct row row = {effect_status_text(t->from), effect_event_text(t->on),
                                actor_text(t->by), effect_status_text(t->to)};

        if (t->kinds & KIND(kind))
            add_row(out, "on_", &row);
    }
    close_step(out);
}

static void add_item_step(struct str *out)
{
    open_step(out, "item");
    for (size_t i = 0; i < item_transition_count; i++) {
        const struct item_transition *t = &item_transitions[i];
        const struct row row = {item_state_text(t->from), item_event_text(t->on), actor_text(t->by),
                                item_state_text(t->to)};

        add_row(out, "item_on_", &row);
    }
    close_step(out);
}

void spec_print_promela(struct str *out)
{
    str_addz(out,
             "/* Printed from the tables of src/core by tests/check_spec --fix; not for editing.\n"
             " * A step that the table does not have, or has for another actor, is an error. */\n");
    add_type(out, "status", "", status_at, EFFECT_STATUS_COUNT);
    add_type(out, "event", "on_", event_at, EFFECT_EVENT_COUNT);
    add_type(out, "actor", "by_", actor_at, ACTOR_COUNT);
    add_type(out, "state", "", item_state_at, ITEM_STATE_COUNT);
    add_type(out, "item_event", "item_on_", item_event_at, ITEM_EVENT_COUNT);
    add_effect_step(out, EFFECT_ACKNOWLEDGEMENT);
    add_effect_step(out, EFFECT_MOVE);
    add_item_step(out);
}
