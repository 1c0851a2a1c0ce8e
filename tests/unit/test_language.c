/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "policy_sample.h"

static void tags_alone_are_taken_from_what_a_sender_wrote(void **state)
{
    static const struct {
        const char *name, *field, *list;
    } rows[] = {
        {"one", "de", "de"},
        {"in capitals", "DE-at", "de-at"},
        {"a list", "mi, en", "mi en"},
        {"without commas", "de fr", "de fr"},
        {"comments", "(German, de) de (x(y)z), fr", "de fr"},
        {"a comment that never ends", "de (en, fr", "de"},
        {"what is none", "d, de-, de--at, 1de, abcdefghi, de_at, fr", "fr"},
        {"a quality", "de;q=0.5, en", "de en"},
        {"a line's end", "de\r\nBcc: x", ""},
        {"hostile", "<script>,{{x}},de\"", ""},
        {"nothing", "", ""},
        {"more than fit",
         "de-aaaaaaaa-bbbbbbbb-cccccccc-dd, fr-aaaaaaaa-bbbbbbbb-cccccccc-dd, "
         "es-aaaaaaaa-bbbbbbbb-cccccccc-dd, en",
         "de-aaaaaaaa-bbbbbbbb-cccccccc-dd fr-aaaaaaaa-bbbbbbbb-cccccccc-dd"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        char list[LANGUAGES_SIZE];

        language_list(slice_z(row->field), list);
        assert_string_equal(list, row->list);
    }
}

static void the_language_that_serves_best_is_picked(void **state)
{
    static const char *const spoken[] = {"", "de", "en", "pt-br", "zh-hant-tw", "zh"};
    static const struct {
        const char *name, *wished;
        size_t at;
    } rows[] = {
        {"itself", "en", 2},
        {"a variety of it", "de-ch-1996", 1},
        {"another variety", "pt", 3},
        {"the nearest", "zh-hant-tw-x", 4},
        {"the shorter one", "zh-hans", 5},
        {"the second wish", "xx de", 1},
        {"none", "ja", 6},
        {"no wish", "", 6},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(language_pick(row->wished, spoken, LENGTH(spoken)), row->at);
}

static void a_rule_says_more_than_the_mail(void **state)
{
    static const struct language_rule rules[] = {
        {"*@example.net", "hilfe@example.org", "fr"},
        {"*@example.net", "", "es"},
        {"", "hilfe@example.org", "DE"},
    };
    static const struct {
        const char *name, *from, *to, *cc, *said, *languages;
    } rows[] = {
        {"both match", "a@example.net", "Hilfe@example.org", "", "en", "fr"},
        {"the sender", "a@example.net", "help@example.org", "", "en", "es"},
        {"our address", "a@example.com", "hilfe@example.org", "", "en", "de"},
        {"our address in Cc", "a@example.com", "b@example.com", "hilfe@example.org", "en", "de"},
        {"no rule", "a@example.com", "help@example.org", "", "en fr", "en fr"},
        {"nothing", "a@example.com", "help@example.org", "", "", ""},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;
        char languages[LANGUAGES_SIZE];

        sample_begin(&s);
        s.policy.language_rule = rules;
        s.policy.language_rules = LENGTH(rules);
        sample_keep(&s.message, &s.message.from, row->from);
        message_list_add(&s.message, &s.message.to, slice_z(row->to));
        message_list_add(&s.message, &s.message.cc, slice_z(row->cc));
        sample_keep(&s.message, &s.message.language, row->said);
        policy_languages(&s.policy, &s.message, languages);
        assert_string_equal(languages, row->languages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_alone_are_taken_from_what_a_sender_wrote),
        cmocka_unit_test(the_language_that_serves_best_is_picked),
        cmocka_unit_test(a_rule_says_more_than_the_mail),
    };

    return RUN_TESTS(tests);
}
