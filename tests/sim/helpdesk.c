/* SPDX-License-Identifier: Apache-2.0 */
#include "helpdesk.h"

#include "world.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void becomes_visible(struct world *world, void *arg)
{
    struct record *record = arg;

    record->visible = true;
    tell(world, "case %s shows at the help desk", record->id);
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

struct record *helpdesk_make(struct world *world, const char *key, int64_t visible_after_ms)
{
    struct helpdesk *desk = &world->helpdesk;
    struct record *record = helpdesk_find(world, key);

    if (record != NULL && world->scenario.desk_unique)
        return record;
    assert(desk->records < RECORDS_MAX);
    record = &desk->record[desk->records++];
    snprintf(record->key, sizeof record->key, "%s", key);
    snprintf(record->id, sizeof record->id, "T-%zu", desk->records);
    world->moved++;
    tell(world, "the help desk makes case %s of %s", record->id, mail_label(world, key));
    if (visible_after_ms == 0)
        record->visible = true;
    else
        timeline_after(world, visible_after_ms, becomes_visible, record);
    return record;
}
