/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports front */
#include <onecase/front.h>
#include <testing.h>

#include <string.h>

#define WORDS 12

/* Splits at blanks, in place; "_" stands for an empty word. */
static size_t split(char *text, char *argv[WORDS])
{
    size_t n = 0;

    for (char *at = text; *at && n < WORDS;) {
        argv[n++] = at;
        at += strcspn(at, " ");
        if (*at)
            *at++ = '\0';
        if (strcmp(argv[n - 1], "_") == 0)
            argv[n - 1][0] = '\0';
    }
    return n;
}

static void the_patterns_own_words_are_counted(void **state)
{
    static const struct {
        const char *name, *pattern, *typed;
        size_t words;
    } rows[] = {
        {"one word", "status [--json]", "status", 1},
        {"two words", "report duplicates [--since D]", "report duplicates", 2},
        {"the first of two", "report duplicates [--since D]", "report", 0},
        {"another second word", "report duplicates [--since D]", "report nothing", 0},
        {"a longer word", "item KEY", "items", 0},
        {"a shorter word", "items [--json]", "item", 0},
        {"a value after it", "item KEY", "item abc", 1},
        {"a choice after it", "completion bash|zsh|fish", "completion bash", 1},
        {"an option without brackets", "pause --by NAME", "pause --by ann", 1},
        {"nothing typed", "status", "", 0},
    };

    (void)state;
    FOR_EACH(row, rows) {
        char typed[100], *argv[WORDS];

        text_copy(typed, sizeof typed, row->typed);
        size_t argc = split(typed, argv);

        assert_int_equal(pattern_words(row->pattern, argv, argc), row->words);
    }
}

/* ---- what fits ----------------------------------------------------------------------------- */

static void what_is_typed_is_found_under_its_name(void **state)
{
    static const struct {
        const char *name, *pattern, *typed, *asked, *value;
    } rows[] = {
        {"a value", "item KEY", "item abc", "KEY", "abc"},
        {"an option's value", "items [--state S]", "items --state open", "--state", "open"},
        {"an option's value after =", "items [--state S]", "items --state=open", "--state", "open"},
        {"an empty value after =", "items [--state S]", "items --state=", "--state", ""},
        {"an empty word as a value", "items [--state S]", "items --state _", "--state", ""},
        {"a value that looks like an option", "items [--state S]", "items --state --x", "--state",
         "--x"},
        {"an option without a value", "items [--json]", "items --json", "--json", ""},
        {"an option that is not typed", "items [--json]", "items", "--json", NULL},
        {"an option before a value", "item KEY [--json]", "item --json abc", "KEY", "abc"},
        {"one of a choice", "completion bash|zsh", "completion zsh", "bash|zsh", "zsh"},
        {"one of an option's choice", "resolve [--flood let-through|mute]", "resolve --flood mute",
         "--flood", "mute"},
        {"one of two options", "case R [--close|--reopen]", "case r --reopen", "--reopen", ""},
        {"what may be left out", "replay [KEY]", "replay", "KEY", NULL},
        {"several in one pair of brackets", "replay [--approve --by NAME --reason TEXT]",
         "replay --reason why --approve", "--reason", "why"},
        {"without brackets it may still be missing", "pause --by NAME", "pause", "--by", NULL},
        {"what follows -- is no option", "item KEY", "item -- --json", "KEY", "--json"},
        {"a value of one dash", "item KEY", "item -", "KEY", "-"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        char typed[100], *argv[WORDS];
        struct args args;
        struct err err = ERR_INIT;

        text_copy(typed, sizeof typed, row->typed);
        size_t argc = split(typed, argv);

        assert_int_equal(pattern_match(row->pattern, argv, argc, &args, &err), RC_OK);
        assert_int_equal(args_has(&args, row->asked), row->value != NULL);
        if (row->value)
            assert_string_equal(args_get(&args, row->asked), row->value);
    }
}

static void the_first_of_an_option_that_is_typed_twice_holds(void **state)
{
    char typed[] = "items --state a --state b", *argv[WORDS];
    struct args args;
    struct err err = ERR_INIT;
    size_t argc = split(typed, argv);

    (void)state;
    assert_int_equal(pattern_match("items [--state S]", argv, argc, &args, &err), RC_OK);
    assert_string_equal(args_get(&args, "--state"), "a");
}

/* ---- what does not -------------------------------------------------------------------------- */

static void what_does_not_fit_is_told_with_what_is_allowed(void **state)
{
    static const struct {
        const char *name, *pattern, *typed, *text;
    } rows[] = {
        {"an unknown option", "items [--json]", "items --colour",
         "there is no option --colour here"},
        {"an unknown option with a value", "items [--json]", "items --colour=red",
         "there is no option --colour here"},
        {"an option cut short", "items [--state S]", "items --stat x",
         "there is no option --stat here"},
        {"a missing value", "items [--state S]", "items --state", "--state needs a value: S"},
        {"a missing choice", "resolve [--flood let-through|mute]", "resolve --flood",
         "--flood needs a value: let-through|mute"},
        {"a value too many", "items [--json]", "items --json=yes", "--json takes no value"},
        {"none of a choice", "completion bash|zsh", "completion sh", "'sh' is not one of bash|zsh"},
        {"none of an option's choice", "resolve [--flood let-through|mute]", "resolve --flood let",
         "--flood takes let-through|mute, and not 'let'"},
        {"a whole choice typed as it stands", "completion bash|zsh", "completion bash|zsh",
         "'bash|zsh' is not one of bash|zsh"},
        {"a word too many", "status", "status help", "'help' is one word too many"},
        {"a missing value", "item KEY", "item", "KEY is missing"},
        {"a missing choice", "completion bash|zsh", "completion", "bash|zsh is missing"},
        {"the second of two", "first-import MAILBOX cases|full", "first-import help",
         "cases|full is missing"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        char typed[100], *argv[WORDS];
        struct args args;
        struct err err = ERR_INIT;

        text_copy(typed, sizeof typed, row->typed);
        size_t argc = split(typed, argv);

        assert_int_equal(pattern_match(row->pattern, argv, argc, &args, &err), RC_USAGE);
        assert_string_equal(err.text, row->text);
    }
}

static void more_words_than_can_be_meant_are_refused(void **state)
{
    char word[] = "--json", *argv[ARGS_MAX + 2];
    struct args args;
    struct err err = ERR_INIT;

    (void)state;
    argv[0] = (char[]){"items"};
    for (size_t i = 1; i < LENGTH(argv); i++)
        argv[i] = word;
    assert_int_equal(pattern_match("items [--json]", argv, LENGTH(argv), &args, &err), RC_USAGE);
    assert_int_equal(pattern_match("items [--json]", argv, LENGTH(argv) - 1, &args, &err), RC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_patterns_own_words_are_counted),
        cmocka_unit_test(what_is_typed_is_found_under_its_name),
        cmocka_unit_test(the_first_of_an_option_that_is_typed_twice_holds),
        cmocka_unit_test(what_does_not_fit_is_told_with_what_is_allowed),
        cmocka_unit_test(more_words_than_can_be_meant_are_refused),
    };

    return RUN_TESTS(tests);
}
