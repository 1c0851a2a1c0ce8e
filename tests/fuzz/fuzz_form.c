/* SPDX-License-Identifier: Apache-2.0 */
/* links: front console */
#include "form.h"
#include "fuzzing.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(form_clear) struct form form = {.count = 0};
    CLEANUP(str_clear) struct str coded = STR_INIT;
    CLEANUP(form_clear) struct form again = {.count = 0};
    struct err err = ERR_INIT;

    if (form_parse(input_of(data, size), &form, &err) != RC_OK)
        return 0;
    for (size_t i = 0; i < form.count; i++) {
        str_addz(&coded, i > 0 ? "&" : "");
        url_add(&coded, form.field[i].name);
        str_addc(&coded, '=');
        url_add(&coded, form.field[i].value);
    }
    assert(form_parse(str_slice(&coded), &again, &err) == RC_OK && again.count == form.count);
    for (size_t i = 0; i < form.count; i++)
        assert(strcmp(form.field[i].value, again.field[i].value) == 0);
    return 0;
}
