/* SPDX-License-Identifier: Apache-2.0 */
#include "policy_p.h"

#include <string.h>

/* clang-format off */
static const struct {
    uint32_t signs;
    enum skip skip;
} by_sign[] = {
    { SIGN_DELIVERY_REPORT | SIGN_OTHER_REPORT, SKIP_REPORT         },
    { SIGN_AUTO_SUBMITTED,                      SKIP_AUTO_SUBMITTED },
    { SIGN_NULL_PATH,                           SKIP_NULL_PATH      },
    { SIGN_SUPPRESS,                            SKIP_SUPPRESS       },
};

/* Programs that answer for a mail system, whomever they ask to be answered. */
static const char *const system_senders[] = {
    "mailer-daemon@*", "postmaster@*",
};

/* Local parts that nobody reads; * stands for anything. Without the +tag. */
static const char *const nobody[] = {
    "no-reply*@*",      "noreply*@*",       "no_reply*@*",      "no.reply*@*",
    "do-not-reply*@*",  "do_not_reply*@*",  "donotreply*@*",    "*-no-reply@*",
    "*.no-reply@*",     "*_no-reply@*",     "*-noreply@*",      "*.noreply@*",
    "*_noreply@*",      "bounce@*",         "bounces@*",        "bounce-*@*",
    "*-bounces@*",
};
/* clang-format on */

static bool own_list(const struct policy *policy, const struct message *message)
{
    struct slice list = message_slice(message, message->list_id);
    for (size_t i = 0; list.len > 0 && i < policy->own_lists.count; i++)
        if (slice_eq_nocase(list, slice_z(policy->own_lists.at[i])))
            return true;
    return false;
}

enum skip skip_by_signs(const struct policy *policy, const struct message *message)
{
    for (size_t i = 0; i < LENGTH(by_sign); i++)
        if (message->signs & by_sign[i].signs)
            return by_sign[i].skip;
    bool ours = own_list(policy, message);
    if (!ours && (message->signs & SIGN_LIST_HEADER))
        return SKIP_LIST_MAIL;
    if (!ours && (message->signs & SIGN_BULK))
        return SKIP_BULK;
    bool forged = policy->skip_dmarc_fail && (message->signs & SIGN_DMARC_FAIL);
    return forged ? SKIP_DMARC_FAIL : SKIP_NONE;
}

enum skip skip_by_address(const struct policy *policy, const struct message *message)
{
    static const struct texts systems = {system_senders, LENGTH(system_senders)};
    static const struct texts nobodies = {nobody, LENGTH(nobody)};
    struct slice to = policy_recipient(message);
    struct slice from = message_slice(message, message->from);
    if (!address_usable(to))
        return SKIP_NO_ADDRESS;
    if (address_matches(to, &policy->own_addresses) ||
        address_matches(from, &policy->own_addresses))
        return SKIP_OWN_ADDRESS;
    if (address_matches(to, &policy->staff) || address_matches(from, &policy->staff))
        return SKIP_STAFF;
    if (address_matches(to, &systems) || address_matches(from, &systems))
        return SKIP_NO_REPLY;
    return address_matches(to, &nobodies) ? SKIP_NO_REPLY : SKIP_NONE;
}
