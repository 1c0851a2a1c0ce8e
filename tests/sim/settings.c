/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include "deployment.h"
#include "world.h"

static const char *const own_addresses[] = {OWN_ADDRESS};
static const char *const refused_types[] = {"application/x-msdownload"};

void settings_policy(const struct world *world, struct policy *out)
{
    *out = (struct policy){
        .mailbox = MAILBOX_ID,
        .reference_prefix = PREFIX,
        .own_addresses = {own_addresses, LENGTH(own_addresses)},
        .refuse_types = {refused_types, LENGTH(refused_types)},
        .tells = {[COMPLETION_ACCEPTED] = true, [COMPLETION_ACCEPTED_WITH_EXCEPTIONS] = true},
        .max_age_ms = DAYS(7),
        .per_recipient = {10, HOURS(1)},
        .total = {3000, HOURS(1)},
        .per_sender = {30, HOURS(1)},
        .list_copies = COPY_DUPLICATE,
        .gateway_copies = COPY_PROPOSE,
        .reopen_closed = true,
        .attachment_max = INT64_C(25) << 20,
        .folder_processed = PROCESSED,
        .folder_duplicates = PROCESSED,
        .folder_unprocessable = "",
        .destination = world->scenario.desk ? "desk" : "ledger",
        .destination_appends = world->scenario.desk && world->scenario.desk_appends,
        .destination_attaches = world->scenario.desk && world->scenario.desk_attaches,
    };
}

void settings_of(const struct run *run, struct service_settings *out)
{
    *out = (struct service_settings){
        .inbox = INBOX,
        .claim_folder = CLAIM,
        .name = run->deployment->name,
        .node = run->node,
        .environment = "simulation",
        .owner = "desk@" OWN_DOMAIN,
        .version = run->world->scenario.server && run->number % 2 == 0 ? "1" : "0",
        .sender = OWN_ADDRESS,
        .domain = OWN_DOMAIN,
        .copy_to = "",
        .evidence_folder = run->world->scenario.evidence_folder ? SENT : "",
        .take_over = "",
        .first_import_recent_ms = HOURS(1),
        .max_message_size = INT64_C(50) << 20,
        .lease_ms = LEASE,
        .final_timeout_ms = FINAL_TIMEOUT,
        .evidence_wait_ms = EVIDENCE_WAIT,
        .give_up_after_ms = HOURS(48),
        .poll_ms = run->world->scenario.poll_ms,
        .disk_reserve = INT64_C(1) << 30,
        .settle_ms = SETTLE,
        .retry = {SECONDS(5), MINUTES(15)},
        .batch = 4,
    };
    settings_policy(run->world, &out->policy);
}
