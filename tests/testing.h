/* SPDX-License-Identifier: Apache-2.0
 *
 * testing - what every unit test includes: cmocka with the headers it forgets to include itself.
 *
 * Tests are case tables. FOR_EACH walks one, and names the row that was at work if an assertion
 * fails, by its first member, which is a sentence:
 *
 *     static const struct { const char *name; int in, out; } rows[] = { ... };
 *     FOR_EACH(row, rows)
 *         assert_int_equal(double_of(row->in), row->out);
 */
#pragma once

/* cmocka.h needs these four before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <onecase/scope.h>
#include <stdio.h>

/* Names the row on every step, since a failed assertion leaves by longjmp. */
#define FOR_EACH(row, rows)                                                                        \
    for (__typeof__(&(rows)[0]) row = (rows);                                                      \
         row < (rows) + LENGTH(rows) && (print_message("    %s\n", row->name), 1); row++)

#define RUN_TESTS(tests) cmocka_run_group_tests_name(__FILE__, (tests), NULL, NULL)
