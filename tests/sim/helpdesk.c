/* SPDX-License-Identifier: Apache-2.0 */
#include "helpdesk.h"

#include "world.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void file_becomes_visible(struct world *world, void *arg)
{
    struct child *child = arg;

    child->visible = true;
    tell(world, "%s shows at the help desk", child->id);
}

static void becomes_visible(struct world *world, void *arg)
{
    struct record *record = arg;

    record->visible = true;
    tell(world, "%s shows at the help desk", record->id);
}

struct record *helpdesk_find(struct world *world, const char *key)
{
    for (size_t i = 0; i < world->helpdesk.records; i++)
        if (strcmp(world->helpdesk.record[i].key, key) == 0)
            return &world->helpdesk.record[i];
    return NULL;
}

size_t helpdesk_count(const struct world *world, const char *key)
{
    size_t count = 0;

    for (size_t i = 0; i < world->helpdesk.records; i++)
        count += strcmp(world->helpdesk.record[i].key, key) == 0;
    return count;
}

bool helpdesk_has(const struct world *world, const char *id)
{
    for (size_t i = 0; i < world->helpdesk.records; i++)
        if (strcmp(world->helpdesk.record[i].id, id) == 0)
            return true;
    return false;
}

void helpdesk_allow(struct world *world, const char *key, const char *file)
{
    struct helpdesk *desk = &world->helpdesk;
    struct permission *p = &desk->permission[desk->permissions++];

    assert(desk->permissions <= RECORDS_MAX);
    snprintf(p->key, sizeof p->key, "%s", key);
    snprintf(p->file, sizeof p->file, "%s", file);
}

size_t helpdesk_allowed(const struct world *world, const char *key, const char *file)
{
    size_t count = 0;

    for (size_t i = 0; i < world->helpdesk.permissions; i++)
        count += strcmp(world->helpdesk.permission[i].key, key) == 0 &&
                 strcmp(world->helpdesk.permission[i].file, file) == 0;
    return count;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool is_child(const struct child *c, const char *key, const char *file)
{
    return strcmp(c->key, key) == 0 && strcmp(c->file, file) == 0;
}

struct child *helpdesk_child(struct world *world, const char *key, const char *file)
{
    for (size_t i = 0; i < world->helpdesk.children; i++)
        if (is_child(&world->helpdesk.child[i], key, file))
            return &world->helpdesk.child[i];
    return NULL;
}

size_t helpdesk_children(const struct world *world, const char *key, const char *file)
{
    size_t count = 0;

    for (size_t i = 0; i < world->helpdesk.children; i++)
        count += is_child(&world->helpdesk.child[i], key, file);
    return count;
}

static struct child *file_is_there(struct world *world, const struct case_facts *facts)
{
    struct helpdesk *desk = &world->helpdesk;

    if (world->scenario.desk_kind == DESK_CONDITIONAL)
        return helpdesk_child(world, facts->key, facts->file->file);
    for (size_t i = 0; world->scenario.desk_kind == DESK_IDEMPOTENT && i < desk->children; i++)
        if (strcmp(desk->child[i].effect, facts->effect) == 0)
            return &desk->child[i];
    return NULL;
}

struct child *helpdesk_attach(struct world *world,
                              const struct case_facts *facts,
                              int64_t visible_after_ms,
                              bool *adopted)
{
    struct helpdesk *desk = &world->helpdesk;
    struct child *child = file_is_there(world, facts);

    *adopted = child != NULL && world->scenario.desk_kind == DESK_CONDITIONAL;
    if (child != NULL)
        return child;
    assert(desk->children < RECORDS_MAX);
    child = &desk->child[desk->children++];
    snprintf(child->key, sizeof child->key, "%s", facts->key);
    snprintf(child->effect, sizeof child->effect, "%s", facts->effect);
    snprintf(child->file, sizeof child->file, "%s", facts->file->file);
    snprintf(child->id, sizeof child->id, "F-%zu", desk->children);
    world->moved++;
    tell(world, "the help desk adds file %u of %s to its case %s, as %s", facts->file->number,
         mail_label(world, facts->key), facts->id, child->id);
    if (visible_after_ms == 0)
        child->visible = true;
    else
        timeline_after(world, visible_after_ms, file_becomes_visible, child);
    return child;
}

void helpdesk_close(struct world *world, const char *id)
{
    for (size_t i = 0; i < world->helpdesk.records; i++)
        if (strcmp(world->helpdesk.record[i].id, id) == 0)
            world->helpdesk.record[i].closed = true;
    tell(world, "the help desk closes its case %s", id);
    world->moved++;
}

bool helpdesk_has_closed(const struct world *world, const char *key)
{
    for (size_t i = 0; i < world->helpdesk.records; i++)
        if (strcmp(world->helpdesk.record[i].key, key) == 0 && world->helpdesk.record[i].closed)
            return true;
    return false;
}

/* ---- cases and replies ------------------------------------------------------------------------- */

static struct record *made_with(struct helpdesk *desk, const char *effect)
{
    for (size_t i = 0; i < desk->records; i++)
        if (strcmp(desk->record[i].effect, effect) == 0)
            return &desk->record[i];
    return NULL;
}

/* What the kind of guarantee knows of a second request. */
static struct record *is_there(struct world *world, const struct case_facts *facts)
{
    switch (world->scenario.desk_kind) {
    case DESK_CONDITIONAL:
        return helpdesk_find(world, facts->key);
    case DESK_IDEMPOTENT:
        return made_with(&world->helpdesk, facts->effect);
    case DESK_LOOK:
    case DESK_NOTHING:
        break;
    }
    return NULL;
}

struct record *helpdesk_make(struct world *world,
                             const struct case_facts *facts,
                             enum destination_step step,
                             int64_t visible_after_ms,
                             bool *adopted)
{
    struct helpdesk *desk = &world->helpdesk;
    struct record *record = is_there(world, facts);

    *adopted = record != NULL && world->scenario.desk_kind == DESK_CONDITIONAL;
    if (record != NULL)
        return record;
    assert(desk->records < RECORDS_MAX);
    record = &desk->record[desk->records++];
    snprintf(record->key, sizeof record->key, "%s", facts->key);
    snprintf(record->effect, sizeof record->effect, "%s", facts->effect);
    snprintf(record->id, sizeof record->id, "T-%zu", desk->records);
    world->moved++;
    if (step == STEP_CREATE)
        tell(world, "the help desk makes case %s of %s", record->id, mail_label(world, facts->key));
    else
        tell(world, "the help desk adds %s to its case %s, as %s", mail_label(world, facts->key),
             facts->id, record->id);
    if (visible_after_ms == 0)
        record->visible = true;
    else
        timeline_after(world, visible_after_ms, becomes_visible, record);
    return record;
}
