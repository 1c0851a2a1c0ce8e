/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/ledger.h>
#include <stdlib.h>

void work_item_clear(struct work_item *item)
{
    for (size_t i = 0; i < item->attachments; i++) {
        free(item->attachment[i].name);
        free(item->attachment[i].type);
    }
    for (size_t i = 0; i < item->effects; i++)
        str_clear(&item->effect[i].letter);
    free(item->attachment);
    free(item->delivery);
    free(item->effect);
    free(item->message_id);
    free(item->recipient);
    free(item->subject);
    free(item->sender);
    free(item->text);
    *item = (struct work_item){0};
}

void work_items_free(struct work_item *item, size_t count)
{
    for (size_t i = 0; i < count; i++)
        work_item_clear(&item[i]);
    free(item);
}
