/* SPDX-License-Identifier: Apache-2.0
 *
 * print_spec [promela] - prints the core's tables; for tests/check_spec.
 */
#include <onecase/spec.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    if (argc > 1 && strcmp(argv[1], "promela") == 0)
        spec_print_promela(&text);
    else
        spec_print(&text);
    return fwrite(text.at, 1, text.len, stdout) == text.len ? 0 : 74;
}
