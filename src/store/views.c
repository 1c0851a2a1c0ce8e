/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

struct views store_views(struct store *store)
{
    return (struct views){
        .self = store,
        .mailboxes = view_mailboxes,
        .items = view_items,
        .item = view_one_item,
        .alike = view_alike,
        .events = view_events,
        .files = view_files,
        .fetched = view_fetched,
        .counted = view_counted,
        .retained = view_retained,
        .of_person = view_of_person,
        .leaving = view_leaving,
        .erasures = view_erasures,
        .incoming = view_incoming,
        .left = view_left,
        .contradictions = view_contradictions,
        .decisions = view_decisions,
        .runs = view_runs,
        .suspects = view_suspects,
        .sender_rules = view_sender_rules,
        .proposals = view_proposals,
        .asked = view_asked,
        .item_page = view_item_page,
        .case_page = view_case_page,
        .hours = view_hours,
        .latency = view_latency,
        .track = view_track_of,
        .deliveries = view_deliveries,
        .cases = view_cases,
        .one_case = view_one_case,
        .webhooks = view_webhooks,
        .dead_letters = view_dead_letters,
        .channels = view_channels,
        .numbers = view_numbers,
        .duplicates = view_duplicates_of,
        .duplicate_rows = view_duplicate_rows,
    };
}
