/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/message.h>
#include <testing.h>

static void a_subject_is_compared_without_prefixes_and_tags(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        const char *core;
    } rows[] = {
        {"Printer jammed",                            "Printer jammed"},
        {" \t Printer jammed \r\n",                   "Printer jammed"},
        {"Re: Printer jammed",                        "Printer jammed"},
        {"RE : Printer jammed",                       "Printer jammed"},
        {"re:Printer jammed",                         "Printer jammed"},
        {"Re: Fwd: AW: Printer jammed",               "Printer jammed"},
        {"Re[2]: Printer jammed",                     "Printer jammed"},
        {"Re(3): Printer jammed",                     "Printer jammed"},
        {"Re^4: Printer jammed",                      "Printer jammed"},
        {"Re[90]: Printer jammed",                    "Printer jammed"},
        {"Re5: Printer jammed",                       "Printer jammed"},
        {"回复\uFF1APrinter jammed",                   "Printer jammed"},
        {"答复: 转发: Printer jammed",                  "Printer jammed"},
        {"[HD-AB2Y08K6] Printer jammed",              "Printer jammed"},
        {"Re: [HD-AB2Y08K6] Re: [team] Printer",      "Printer"},
        {"[a][b]Printer jammed",                      "Printer jammed"},
        {"Printer jammed [HD-AB2Y08K6]",              "Printer jammed"},
        {"Printer jammed (fwd)",                      "Printer jammed"},
        {"Re: Printer [a] (Fwd) [b]",                 "Printer"},
        {"Printer [floor 3] jammed",                  "Printer [floor 3] jammed"},
        {"Regarding: Printer",                        "Regarding: Printer"},
        {"Report: Printer",                           "Report: Printer"},
        {"Re Printer",                                "Re Printer"},
        {"Re[x]: Printer",                            "Re[x]: Printer"},
        {"Re[2: Printer",                             "Re[2: Printer"},
        {"Re",                                        "Re"},
        {"Re:",                                       "Re:"},
        {"Re: Re:",                                   "Re:"},
        {"[urgent]",                                  "[urgent]"},
        {"Re: [urgent]",                              "[urgent]"},
        {"[open Printer",                             "[open Printer"},
        {"Printer close]",                            "Printer close]"},
        {"(fwd)",                                     "(fwd)"},
        {"",                                          ""},
        {" ",                                         ""},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows)
        assert_true(slice_eqz(subject_core(slice_z(row->name)), row->core));
}

static void many_prefixes_cost_no_more_than_their_length(void **state)
{
    static const char *const pieces[] = {"Re: ", "[a]", "[", "]", "(fwd) ", "Re[2"};

    (void)state;
    for (size_t i = 0; i < LENGTH(pieces); i++) {
        CLEANUP(str_clear) struct str subject = STR_INIT;

        str_addz(&subject, "[");
        while (subject.len < 1000000)
            str_addz(&subject, pieces[i]);
        assert_true(subject_core(str_slice(&subject)).len > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_subject_is_compared_without_prefixes_and_tags),
        cmocka_unit_test(many_prefixes_cost_no_more_than_their_length),
    };

    return RUN_TESTS(tests);
}
