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

/* Local parts that nobody reads; a trailing * stands for anything. */
static const char *const nobody[] = {
    "mailer-daemon@*", "postmaster@*", "no-reply*@*",  "noreply*@*",     "no_reply*@*",
    "do-not-reply*@*", "donotreply*@*", "bounce@*",     "bounces@*",      "bounces+*@*",
    "bounce-*@*",      "*-bounces@*",   "*-no-reply@*", "*-noreply@*",
};
/* clang-format on */

static bool own_list(const struct policy *policy, const struct message *message)
{
    struct slice list = message_slice(message, message->list_id);
    for (size_t i = 0; i < policy->own_lists.count; i++)
        if (slice_eq_nocase(list, slice_z(policy->own_lists.at[i])))
            return list.len > 0;
    return false;
}

enum skip skip_by_signs(const struct policy *policy, const struct message *message)
{
    for (size_t i = 0; i < LENGTH(by_sign); i++)
        if (message->signs & by_sign[i].signs)
            return by_sign[i].skip;
    if (own_list(policy, message))
        return SKIP_NONE;
    if (message->signs & SIGN_LIST_HEADER)
        return SKIP_LIST_MAIL;
    return message->signs & SIGN_BULK ? SKIP_BULK : SKIP_NONE;
}

/* One addr-spec that can stand in RCPT: a local part, one domain, nothing that ends a line. */
static bool usable(struct slice address)
{
    size_t at = address.len;
    for (size_t i = 0; i < address.len; i++) {
        unsigned char c = (unsigned char)address.at[i];
        if (c <= ' ' || c == 0x7f || c == '<' || c == '>')
            return false;
        if (c == '@')
            at = i;
    }
    return at > 0 && at + 1 < address.len && address.len <= 254;
}

enum skip skip_by_address(const struct policy *policy, const struct message *message)
{
    static const struct texts nobodies = {nobody, LENGTH(nobody)};
    struct slice to = policy_recipient(message);
    struct slice from = message_slice(message, message->from);
    if (!usable(to))
        return SKIP_NO_ADDRESS;
    if (address_matches(to, &policy->own_addresses) ||
        address_matches(from, &policy->own_addresses))
        return SKIP_OWN_ADDRESS;
    if (address_matches(to, &policy->staff) || address_matches(from, &policy->staff))
        return SKIP_STAFF;
    return address_matches(to, &nobodies) ? SKIP_NO_REPLY : SKIP_NONE;
}
