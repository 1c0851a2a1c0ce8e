/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <onecase/policy.h>
#include <onecase/source.h>
#include <regex.h>
#include <string.h>

/* A subject longer than this is nobody's reference. */
#define SUBJECT_MAX 4096

WORDS(fit_words, RULE_FIT_LIST);
DEFINE_TEXT(rule_fit_text, rule_fit, fit_words)

static bool names(const struct key_rule *rule, const struct message *message)
{
    const struct texts from = {&rule->from, 1};
    return address_matches(message_slice(message, message->from), &from);
}

bool key_rule_names(const struct policy *policy, const struct message *message)
{
    for (size_t i = 0; i < policy->key_rules; i++)
        if (names(&policy->key_rule[i], message))
            return true;
    return false;
}

static bool in_header(const struct key_rule *rule, struct slice header, struct str *value)
{
    struct slice raw;
    if (!rule->header || !rule->header[0] || !header_first(header, rule->header, &raw))
        return false;
    header_unfold(raw, value);
    return value->len > 0;
}

/* The expression must match the subject from end to end; its first group, or else all of it, counts. */
static bool in_subject(const struct key_rule *rule, struct slice subject, struct str *value)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    regex_t pattern;
    regmatch_t at[2];
    if (!rule->subject || !rule->subject[0] || subject.len > SUBJECT_MAX)
        return false;
    str_add(&text, subject);
    if (regcomp(&pattern, rule->subject, REG_EXTENDED) != 0)
        return false;
    bool whole = regexec(&pattern, str_z(&text), LENGTH(at), at, 0) == 0 && at[0].rm_so == 0 &&
                 (size_t)at[0].rm_eo == strlen(str_z(&text));
    regfree(&pattern);
    if (!whole)
        return false;
    regmatch_t *number = at[1].rm_so >= 0 ? &at[1] : &at[0];
    str_add(value,
            slice_cut(subject, (size_t)number->rm_so, (size_t)(number->rm_eo - number->rm_so)));
    return value->len > 0;
}

enum rule_fit key_rule_fit(const struct key_rule *rule,
                           const struct message *message,
                           struct slice header,
                           struct str *value)
{
    str_empty(value);
    if (!names(rule, message))
        return RULE_OTHER_SENDER;
    if (rule->dmarc_pass && !(message->signs & SIGN_DMARC_PASS))
        return RULE_NO_PASS;
    if (rule->digest || in_header(rule, header, value) ||
        in_subject(rule, message_slice(message, message->subject), value))
        return RULE_FITS;
    str_empty(value);
    return rule->header && rule->header[0] ? RULE_NO_HEADER : RULE_NO_SUBJECT;
}

const struct key_rule *key_rule_find(const struct policy *policy,
                                     const struct message *message,
                                     struct slice header,
                                     struct str *value)
{
    for (size_t i = 0; i < policy->key_rules; i++)
        if (key_rule_fit(&policy->key_rule[i], message, header, value) == RULE_FITS)
            return &policy->key_rule[i];
    return NULL;
}
