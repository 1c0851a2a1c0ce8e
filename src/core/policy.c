/* SPDX-License-Identifier: Apache-2.0 */
#include "policy_p.h"
#include "words.h"

#include <onecase/listed.h>
#include <onecase/policy.h>

WORDS(class_words, DELIVERY_CLASS_LIST);
WORDS(skip_words, SKIP_LIST);
WORDS(import_words, IMPORT_LIST);
WORDS(exception_words, EXCEPTION_LIST);
DEFINE_TEXT(delivery_class_text, delivery_class, class_words)
DEFINE_TEXT(skip_text, skip, skip_words)
DEFINE_TEXT(import_text, import_choice, import_words)
DEFINE_TEXT(exception_text, exception, exception_words)
DEFINE_PARSE(delivery_class_parse, delivery_class, class_words)
DEFINE_PARSE(skip_parse, skip, skip_words)
DEFINE_PARSE(import_parse, import_choice, import_words)
DEFINE_PARSE(exception_parse, exception, exception_words)

const char *policy_key_mailbox(const struct policy *policy)
{
    return policy->merge_across.count > 0 ? policy->merge_across.at[0] : policy->mailbox;
}

struct judging {
    const struct policy *policy;
    const struct arrival *arrival;
    const struct known *known;
    int64_t now_ms;
};

/* ---- is its sender answered? --------------------------------------------------------------- */

static enum skip skip_judge(const struct judging *j, enum disposition disposition)
{
    const struct message *m = j->arrival->message;
    bool exceptions = plan_has_exceptions(j->policy, m);
    if (!m || !j->policy->tells[completion_of(disposition, exceptions)])
        return SKIP_NOT_CONFIGURED;
    enum skip skip = skip_by_signs(j->policy, m);
    if (skip == SKIP_NONE)
        skip = skip_by_address(j->policy, m);
    if (skip != SKIP_NONE)
        return skip;
    if (j->arrival->import == IMPORT_CASES)
        return SKIP_FROM_BEFORE;
    if (j->now_ms - j->arrival->internal_ms > j->policy->max_age_ms)
        return SKIP_TOO_OLD;
    const struct limit *limit = &j->policy->per_recipient;
    if (limit->count > 0 && j->known->recipient_told >= limit->count)
        return SKIP_RECIPIENT_LIMIT;
    return SKIP_NONE;
}

/* ---- in which language? --------------------------------------------------------------------- */

static bool from_matches(const char *pattern, const struct message *m)
{
    return !pattern[0] || address_matches(message_slice(m, m->from), &(struct texts){&pattern, 1});
}

static bool any_matches(const char *pattern, struct slice list)
{
    struct slice address;
    while (message_next(&list, &address))
        if (address_matches(address, &(struct texts){&pattern, 1}))
            return true;
    return false;
}

static bool to_matches(const char *pattern, const struct message *m)
{
    return !pattern[0] || any_matches(pattern, message_slice(m, m->to)) ||
           any_matches(pattern, message_slice(m, m->cc));
}

void policy_languages(const struct policy *policy,
                      const struct message *message,
                      char out[LANGUAGES_SIZE])
{
    for (size_t i = 0; i < policy->language_rules; i++) {
        const struct language_rule *rule = &policy->language_rule[i];
        if (!from_matches(rule->from, message) || !to_matches(rule->to, message))
            continue;
        language_list(slice_z(rule->language), out);
        return;
    }
    language_list(message_slice(message, message->language), out);
}

/* ---- is it a copy of what is known? -------------------------------------------------------- */

static bool
same_mail(const struct known_item *item, const struct digest *source, const struct message *message)
{
    if (!digest_is_zero(source) && digest_eq(&item->source_digest, source))
        return true;
    if (!message || item->payload_version != PAYLOAD_DIGEST_VERSION)
        return false;
    struct digest payload = message_payload_digest(message);
    return digest_eq(&item->payload_digest, &payload);
}

/* Its sender wrote to a list and to us: the list's copy came first and was not answered. What came by
 * a list that is not our own is not answered here either. */
static bool is_direct_copy(const struct judging *j, const struct known_item *item)
{
    const struct message *m = j->arrival->message;
    bool told = item->disposition == DISPOSITION_CASE || item->disposition == DISPOSITION_APPEND;
    return told && m && (item->signs & SIGN_LIST_HEADER) && !j->policy->look_only &&
           skip_judge(j, item->disposition) == SKIP_NONE;
}

static void
settle_by(const struct judging *j, size_t of, enum delivery_class class, struct verdict *out)
{
    out->settled_by = true;
    out->of = of;
    out->class = class;
    out->disposition = j->known->item[of].disposition;
    out->state = j->known->item[of].state;
    out->files_copy = out->disposition != DISPOSITION_ADOPTED &&
                      j->arrival->import != IMPORT_ADOPT && !j->policy->look_only;
    out->direct_copy = is_direct_copy(j, &j->known->item[of]);
}

/* Octets and INTERNALDATE of a delivery that is known: the same message, seen again. */
static bool seen_again(const struct judging *j, struct verdict *out)
{
    if (!j->known->same_octets_key)
        return false;
    for (size_t i = 0; i < j->known->items; i++) {
        if (strcmp(j->known->item[i].key, j->known->same_octets_key) == 0) {
            settle_by(j, i, j->known->same_octets_filed ? CLASS_RETURNED : CLASS_REOBSERVED, out);
            return true;
        }
    }
    return false;
}

static bool is_copy_of(const struct judging *j, const struct known_item *item)
{
    if (item->listed)
        return listed_is(item, j->arrival->message);
    return !item->same_key || same_mail(item, &j->arrival->source_digest, j->arrival->message);
}

static bool redelivered(const struct judging *j, struct verdict *out)
{
    for (size_t i = 0; i < j->known->items; i++) {
        if (is_copy_of(j, &j->known->item[i])) {
            settle_by(j, i, CLASS_REDELIVERED, out);
            return true;
        }
    }
    return false;
}

/* A list's copy of the first mail under the key is a duplicate by rule, whichever came first. */
static bool list_copy(const struct judging *j, struct verdict *out)
{
    if (!j->arrival->message || j->policy->list_copies != COPY_DUPLICATE)
        return false;
    for (size_t i = 0; i < j->known->items; i++) {
        const struct known_item *item = &j->known->item[i];
        if (!item->same_key || item->listed ||
            copy_compare(item, j->arrival->message) != CLASS_LIST_COPY)
            continue;
        settle_by(j, i, CLASS_LIST_COPY, out);
        return true;
    }
    return false;
}

/* How a copy that is not filed as a list's is to be treated; COPY_CONFLICT where it is none. */
static enum copy_rule gateway_copy(const struct judging *j)
{
    enum copy_rule rule = COPY_CONFLICT;
    for (size_t i = 0; j->arrival->message && i < j->known->items; i++) {
        const struct known_item *item = &j->known->item[i];
        enum delivery_class class = CLASS_CONFLICT;
        if (item->same_key && !item->listed)
            class = copy_compare(item, j->arrival->message);
        if (class == CLASS_GATEWAY_COPY && j->policy->gateway_copies < rule)
            rule = j->policy->gateway_copies;
        if (class == CLASS_LIST_COPY && j->policy->list_copies < rule)
            rule = j->policy->list_copies;
    }
    return rule;
}

static bool key_is_taken(const struct known *known)
{
    for (size_t i = 0; i < known->items; i++)
        if (known->item[i].same_key && !known->item[i].first_key[0])
            return true;
    return false;
}

/* ---- what is it for? ----------------------------------------------------------------------- */

static void hold(struct verdict *out, enum reason reason)
{
    out->disposition = DISPOSITION_HELD;
    out->state = dispositions[DISPOSITION_HELD].starts;
    out->reason = reason;
}

static void be(struct verdict *out, enum disposition disposition)
{
    out->disposition = disposition;
    out->state = dispositions[disposition].starts;
}

/* Another mail under a key that is taken: an item of its own, for a person or filed by rule. */
static void conflict(const struct judging *j, struct verdict *out)
{
    enum copy_rule rule = gateway_copy(j);
    bool copy = rule != COPY_CONFLICT;
    out->class = copy ? CLASS_GATEWAY_COPY : CLASS_CONFLICT;
    out->identity = identity_conflict(policy_key_mailbox(j->policy), &j->arrival->source_digest);
    hold(out, copy ? REASON_GATEWAY_COPY : REASON_CONFLICT);
    if (rule == COPY_DUPLICATE && !j->policy->look_only) {
        be(out, DISPOSITION_DISMISSED);
        out->reason = REASON_NONE;
    }
}

static bool is_automatic(uint32_t signs)
{
    return (signs &
            (SIGN_AUTO_SUBMITTED | SIGN_DELIVERY_REPORT | SIGN_OTHER_REPORT | SIGN_NULL_PATH)) != 0;
}

static bool named_acknowledgement(const struct known *known, size_t *out)
{
    for (size_t i = 0; i < known->case_count; i++) {
        if (known->cases[i].by_acknowledgement) {
            *out = i;
            return true;
        }
    }
    return false;
}

static void join(struct verdict *out, enum disposition disposition, size_t which)
{
    be(out, disposition);
    out->joins = true;
    out->joined = which;
    out->linked = false;
}

/* With our proof it is ours, also where the ledger has forgotten the case it names. */
static bool by_own_hand(const struct judging *j, struct verdict *out)
{
    size_t which;
    if (!j->arrival->proven)
        return false;
    if (named_acknowledgement(j->known, &which))
        join(out, DISPOSITION_EVIDENCE, which);
    else
        be(out, DISPOSITION_EVIDENCE);
    return true;
}

static bool report(const struct judging *j, struct verdict *out)
{
    size_t which;
    if (!is_automatic(j->arrival->message->signs) || !named_acknowledgement(j->known, &which))
        return false;
    join(out, DISPOSITION_REPORT, which);
    return true;
}

/* An own address as sender is forged, or a loop: it opens no case to anybody. */
static bool from_staff(const struct judging *j)
{
    struct slice from = message_slice(j->arrival->message, j->arrival->message->from);
    return address_matches(from, &j->policy->staff) &&
           !address_matches(from, &j->policy->own_addresses);
}

/* Mail programs write References into what is forwarded, too: it is a matter of its own. */
static bool is_forwarded(const struct judging *j)
{
    return subject_is_forward(message_slice(j->arrival->message, j->arrival->message->subject));
}

/* A reply joins a case only by a participant or staff; a stranger's is a case of its own, linked. */
static bool reply(const struct judging *j, struct verdict *out)
{
    bool automatic = is_automatic(j->arrival->message->signs);
    bool staff = from_staff(j), forwarded = is_forwarded(j);
    for (size_t i = 0; i < j->known->case_count; i++) {
        const struct known_case *c = &j->known->cases[i];
        bool may = (c->participant || staff) && !forwarded;
        if (may && (c->open || (j->policy->reopen_closed && !automatic))) {
            join(out, DISPOSITION_APPEND, i);
            return true;
        }
        if (!out->linked) {
            out->linked = true;
            out->joined = i;
        }
    }
    return false;
}

static bool over_case_rate(const struct judging *j)
{
    const struct limit *limit = &j->policy->per_sender;
    return limit->count > 0 && j->known->sender_cases >= limit->count;
}

/* One question for each flood: what a person said holds while the flood goes on. */
static void new_case(const struct judging *j, struct verdict *out)
{
    bool muted = j->known->flood == FLOOD_MUTED;
    out->flood = muted || over_case_rate(j);
    if (muted)
        be(out, DISPOSITION_DISMISSED);
    else if (out->flood && j->known->flood != FLOOD_LET_THROUGH)
        hold(out, REASON_CASE_FLOOD);
    else
        be(out, DISPOSITION_CASE);
}

static void disposition_judge(const struct judging *j, struct verdict *out)
{
    if (j->policy->look_only || j->arrival->import == IMPORT_ADOPT)
        be(out, DISPOSITION_ADOPTED);
    else if (j->arrival->held != REASON_NONE)
        hold(out, j->arrival->held);
    else if (!j->arrival->message)
        hold(out, REASON_UNPROCESSABLE);
    else if (by_own_hand(j, out) || report(j, out) || reply(j, out))
        return;
    else
        new_case(j, out);
}

void policy_judge(const struct policy *policy,
                  const struct arrival *arrival,
                  const struct known *known,
                  int64_t now_ms,
                  struct verdict *out)
{
    struct judging j = {policy, arrival, known, now_ms};
    *out = (struct verdict){.class = CLASS_FIRST, .identity = arrival->identity};
    if (seen_again(&j, out) || redelivered(&j, out) || list_copy(&j, out))
        return;
    if (key_is_taken(known)) {
        conflict(&j, out);
        return;
    }
    disposition_judge(&j, out);
    if (out->disposition != DISPOSITION_CASE && out->disposition != DISPOSITION_APPEND)
        return;
    out->skip = skip_judge(&j, out->disposition);
    const struct limit *total = &policy->total;
    out->ack_waits =
        out->skip == SKIP_NONE && total->count > 0 && known->total_told >= total->count;
}
