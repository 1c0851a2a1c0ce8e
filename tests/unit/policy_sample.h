/* SPDX-License-Identifier: Apache-2.0
 *
 * policy_sample - one ordinary mail, the default settings, and a ledger that knows nothing; a test
 * changes what it is about. The sample must not move once it is begun: its parts point at it.
 */
#pragma once

#include <onecase/policy.h>
#include <testing.h>

#include <string.h>

#define NOW_MS INT64_C(1772414100000)

struct sample {
    struct message message;
    struct policy policy;
    struct arrival arrival;
    struct known known;
    struct known_item item[4];
    struct known_case cases[4];
    struct verdict verdict;
    struct plan plan;
};

static const char *const sample_own[] = {"help@example.org", "desk@example.org"};
static const char *const sample_staff[] = {"*@staff.example.org"};
static const char *const sample_lists[] = {"team.example.org", "desk.example.org"};

static inline struct policy sample_policy(void)
{
    return (struct policy){
        .mailbox = "help",
        .reference_prefix = "HD-",
        .own_addresses = {sample_own, LENGTH(sample_own)},
        .staff = {sample_staff, LENGTH(sample_staff)},
        .own_lists = {sample_lists, LENGTH(sample_lists)},
        .tells = {[COMPLETION_ACCEPTED] = true, [COMPLETION_ACCEPTED_WITH_EXCEPTIONS] = true},
        .max_age_ms = INT64_C(7) * 24 * 3600 * 1000,
        .per_recipient = {10, 3600000},
        .total = {3000, 3600000},
        .per_sender = {30, 3600000},
        .list_copies = COPY_DUPLICATE,
        .gateway_copies = COPY_PROPOSE,
        .reopen_closed = true,
        .attachment_max = 25000000,
        .folder_processed = "Processed",
        .folder_duplicates = "Copies",
        .folder_unprocessable = "",
        .destination = "ledger",
    };
}

static inline void sample_keep(struct message *m, struct span *where, const char *text)
{
    *where = message_keep(m, slice_z(text));
}

static inline void sample_begin(struct sample *s)
{
    *s = (struct sample){.message = MESSAGE_INIT, .policy = sample_policy()};
    struct message *m = &s->message;

    sample_keep(m, &m->from, "ann@example.com");
    sample_keep(m, &m->subject, "Printer");
    sample_keep(m, &m->text, "It is on fire.");
    m->has_date = true;
    m->date_ms = NOW_MS - 60000;
    s->arrival = (struct arrival){
        .mailbox = "help",
        .folder = "INBOX",
        .uidvalidity = 1,
        .uid = 7,
        .internal_ms = NOW_MS - 1000,
        .octets = sha256_of(SLICE("octets")),
        .identity = identity_message_id("help", SLICE("<a1@example.org>")),
        .message_id = SLICE("<a1@example.org>"),
        .source_digest = sha256_of(SLICE("source")),
        .message = m,
    };
    s->known.item = s->item;
    s->known.cases = s->cases;
}

static inline void sample_end(struct sample *s)
{
    message_clear(&s->message);
    plan_clear(&s->plan);
}

/* An item that has the sample's key and is the very mail, but for its digests. */
static inline struct known_item *sample_know(struct sample *s)
{
    struct known_item *item = &s->item[s->known.items++];

    *item = (struct known_item){
        .disposition = DISPOSITION_CASE,
        .state = ITEM_IN_PROGRESS,
        .same_key = true,
        .source_digest = sha256_of(SLICE("another source")),
        .payload_digest = sha256_of(SLICE("another payload")),
        .payload_version = PAYLOAD_DIGEST_VERSION,
        .from = SLICE("ann@example.com"),
        .subject = SLICE("Printer"),
        .text = SLICE("Something else."),
        .has_date = true,
        .date_ms = s->message.date_ms,
    };
    snprintf(item->key, sizeof item->key, "%s", s->arrival.identity.key);
    return item;
}

static inline struct known_case *sample_case(struct sample *s, bool participant, bool open)
{
    struct known_case *c = &s->cases[s->known.case_count++];

    *c = (struct known_case){.participant = participant, .open = open};
    return c;
}

static inline const struct verdict *sample_judge(struct sample *s)
{
    policy_judge(&s->policy, &s->arrival, &s->known, NOW_MS, &s->verdict);
    return &s->verdict;
}

static inline const struct plan *sample_plan(struct sample *s)
{
    plan_clear(&s->plan);
    plan_make(&s->policy, &s->arrival, sample_judge(s), &s->plan);
    return &s->plan;
}

static inline const struct planned_effect *sample_effect(const struct plan *plan,
                                                         enum effect_kind kind)
{
    for (size_t i = 0; i < plan->effects; i++)
        if (plan->effect[i].kind == kind)
            return &plan->effect[i];
    return NULL;
}

static inline void sample_part(
    struct message *m, enum part_role role, const char *type, const char *name, int64_t size)
{
    struct span typed = message_keep(m, slice_z(type));
    struct span named = message_keep(m, slice_z(name));
    struct message_part *part = message_add_part(m);

    part->role = role;
    part->type = typed;
    part->name = named;
    part->size = size;
    part->sha256 = sha256_of(slice_z(name));
}
