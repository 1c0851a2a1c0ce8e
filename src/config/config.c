/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"
#include "texts.h"

#include <onecase/config.h>

#include <string.h>

const struct config_mailbox *config_find_mailbox(const struct config *config, const char *id)
{
    for (size_t i = 0; i < config->mailboxes.count; i++)
        if (strcmp(config->mailboxes.at[i].id, id) == 0)
            return &config->mailboxes.at[i];
    return NULL;
}

const struct config_destination *config_find_destination(const struct config *config)
{
    for (size_t i = 0; i < config->destinations.count; i++)
        if (strcmp(config->destinations.at[i].name, config->destination) == 0)
            return &config->destinations.at[i];
    return NULL;
}

const struct config_webhook *config_find_webhook(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->webhooks.count; i++)
        if (strcmp(config->webhooks.at[i].name, name) == 0)
            return &config->webhooks.at[i];
    return NULL;
}

struct config_place config_part_place(const struct config_request *request, const char *text)
{
#define NAME_OF(part) #part,
    static const char *const names[] = {CONFIG_PART_LIST(NAME_OF)};
    size_t length = strcspn(text, ":");

    for (size_t i = 0; i < CONFIG_PART_COUNT; i++)
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
            return request->place[i];
    return request->place[0];
}

const char *config_act_there(const struct config *config, bool closes)
{
    const struct config_destination *d = config_find_destination(config);

    return d && (closes ? d->close : d->remove).method[0] != '\0' ? d->name : NULL;
}

struct authentication config_authentication(const struct config *config)
{
    const struct config_authentication *a = &config->authentication;

    return (struct authentication){a->authserv_id, a->hops, a->placed == CONFIG_PLACED_BELOW};
}

static struct texts merged_with(const struct config *config, const char *mailbox)
{
    for (size_t i = 0; i < config->merge_across.count; i++)
        if (strcmp(config->merge_across.at[i], mailbox) == 0)
            return config->merge_across;
    return (struct texts){NULL, 0};
}

void config_policy(const struct config *config,
                   const struct config_mailbox *mailbox,
                   struct policy *out)
{
    const struct config_acknowledgement *a = &mailbox->acknowledgement;
    const struct config_destination *desk = config_find_destination(config);

    *out = (struct policy){
        .mailbox = mailbox->id,
        .merge_across = merged_with(config, mailbox->id),
        .reference_prefix = config->reference_prefix,
        .own_addresses = mailbox->own_addresses,
        .staff = config->staff,
        .own_lists = a->own_lists,
        .refuse_types = config->refuse_types,
        .authentication = config_authentication(config),
        .skip_dmarc_fail = config->authentication.skip_on_fail,
        .look_only = mailbox->mode == CONFIG_LOOK_ONLY,
        .max_age_ms = a->max_age_ms,
        .per_recipient = a->per_recipient_limit,
        .total = a->total_limit,
        .per_sender = config->per_sender_limit,
        .list_copies = config->list_copies,
        .gateway_copies = config->gateway_copies,
        .reopen_closed = config->closed == CONFIG_REOPEN,
        .attachment_max = config->attachment_max_size,
        .attachment_count = config->attachment_max_count,
        .attachment_name_max = config->attachment_max_name,
        .language_rule = a->language_rules.at,
        .language_rules = a->language_rules.count,
        .folder_processed = mailbox->folders.processed,
        .folder_duplicates = mailbox->folders.duplicates,
        .folder_unprocessable = mailbox->folders.unprocessable,
        .destination = config->destination,
        .destination_appends = desk && desk->append.method[0] != '\0',
        .destination_attaches = desk && desk->attach.method[0] != '\0',
    };
    for (size_t i = 0; i < COMPLETION_COUNT; i++)
        out->tells[i] = a->enabled && a->templates[i] != NULL && a->templates[i][0] != '\0';
}

/* FIXED settings are texts of the file's own block. */
void config_needs_restart(const struct config *old, const struct config *new, struct str *out)
{
    for (size_t i = 0; i < settings.rows; i++) {
        const struct setting *s = &settings.row[i];
        const char *before;
        const char *after;

        if ((s->flags & FIXED) == 0)
            continue;
        memcpy(&before, (const char *)old + s->at, sizeof before);
        memcpy(&after, (const char *)new + s->at, sizeof after);
        if (strcmp(before, after) != 0)
            str_addf(out, "%s%s", out->len > 0 ? ", " : "", s->key);
    }
}

/* The first octet that is zeroed would end a text: its length comes first. */
static void blot(const char *secret)
{
    const union {
        const char *given;
        volatile char *octet; /* it lies in the configuration's own memory, or is a preset "" */
    } as = {.given = secret};
    size_t length = secret != NULL ? strlen(secret) : 0;

    if (as.octet == NULL)
        return;
    for (size_t i = 0; i < length; i++)
        as.octet[i] = '\0';
}

static void forget_server(struct config_server *s)
{
    blot(s->password);
    blot(s->proxy);
    blot(s->auth.token_command);
    blot(s->auth.client_secret);
}

bool config_is_ledger(const char *place)
{
    return is_ledger(slice_z(place));
}

bool config_is_blobs(const char *place)
{
    return is_blobs(slice_z(place));
}

void config_forget_secrets(struct config *config)
{
    for (size_t i = 0; i < config->mailboxes.count; i++) {
        forget_server(&config->mailboxes.at[i].imap);
        forget_server(&config->mailboxes.at[i].acknowledgement.smtp);
    }
    forget_server(&config->acknowledgement.smtp);
    for (size_t i = 0; i < config->destinations.count; i++) {
        blot(config->destinations.at[i].password);
        blot(config->destinations.at[i].authorization);
        blot(config->destinations.at[i].proxy);
    }
    for (size_t i = 0; i < config->webhooks.count; i++) {
        blot(config->webhooks.at[i].url); /* some hold a token */
        blot(config->webhooks.at[i].secret);
        blot(config->webhooks.at[i].proxy);
    }
}
