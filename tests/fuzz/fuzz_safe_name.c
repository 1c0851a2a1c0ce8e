/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "fuzzing.h"

#include <onecase/safe_name.h>
#include <onecase/utf8.h>

#include <string.h>

static void assert_character(uint32_t c)
{
    assert(c != UTF8_BAD);
    assert(c >= 0x20 && !(c >= 0x7F && c <= 0x9F));
    assert(c != '/' && c != '\\' && c != ':');
    assert(!(c >= 0x202A && c <= 0x202E) && !(c >= 0x2066 && c <= 0x2069));
    assert(c != 0x200E && c != 0x200F && c != 0x061C);
}

static void assert_safe(struct slice name)
{
    struct slice rest = name;

    assert(name.len >= 1 && name.len <= SAFE_NAME_MAX);
    assert(name.at[0] != '.' && name.at[0] != ' ');
    assert(name.at[name.len - 1] != '.' && name.at[name.len - 1] != ' ');
    while (rest.len > 0)
        assert_character(utf8_next(&rest));
}

/* The input is the type up to its first LF, and then the name. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(str_clear) struct str safe = STR_INIT;
    CLEANUP(str_clear) struct str again = STR_INIT;
    char stored[STORED_NAME_SIZE];
    struct slice name = input_of(data, size);
    struct slice type = SLICE_EMPTY;

    slice_next(&name, '\n', &type);
    safe_name(name, type, &safe);
    assert_safe(str_slice(&safe));
    safe_name(str_slice(&safe), type, &again);
    assert(slice_eq(str_slice(&safe), str_slice(&again)));
    stored_name((unsigned)size % 2 + 1, name, type, stored);
    assert(strlen(stored) == safe.len + 3);
    assert(strcmp(stored + 3, str_z(&safe)) == 0);
    return 0;
}
