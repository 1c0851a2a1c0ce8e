/* SPDX-License-Identifier: Apache-2.0 */
/* links: imap */
#include "ask.h"
#include "fuzzing.h"
#include "guard.h"
#include "names.h"

#include <string.h>

/* What is shown to people holds no control character, and a name that can be written comes back. */
static void read_name(const struct name_space *ns, struct slice wire)
{
    CLEANUP(str_clear) struct str shown = STR_INIT;
    CLEANUP(str_clear) struct str again = STR_INIT;
    CLEANUP(str_clear) struct str twice = STR_INIT;

    name_from_wire(ns, wire, &shown);
    for (size_t i = 0; i < shown.len; i++)
        assert((unsigned char)shown.at[i] >= ' ' && shown.at[i] != 0x7F);
    if (name_to_wire(ns, str_z(&shown), &again, NULL) != RC_OK)
        return;
    name_from_wire(ns, str_slice(&again), &twice);
    assert(slice_eq_nocase(str_slice(&twice), str_slice(&shown)));
}

/* The input is what follows "* NAMESPACE ", up to its first LF, and then all that a server says. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice rest = input_of(data, size);
    struct slice line = SLICE_EMPTY;
    CLEANUP(name_space_clear) struct name_space ns = {.delimiter = '\0'};
    struct name_space plain = {.delimiter = '\0'};
    struct guard guard = {.literal = 0};

    slice_next(&rest, '\n', &line);
    read_namespace(line, &ns);
    read_name(&plain, rest);
    while (rest.len > 0 && guard_take(&guard, slice_cut(rest, 0, 7)) == NULL)
        rest = slice_cut(rest, 7, rest.len);
    return 0;
}
