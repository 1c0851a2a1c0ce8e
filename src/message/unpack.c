/* SPDX-License-Identifier: Apache-2.0 */
#include "unpack.h"
#include "tnef.h"
#include "uu_text.h"

#define UNKNOWN_TYPE SLICE("application/octet-stream")

enum rc unpack_text(struct part_sink *sink, struct slice text, struct str *shown, struct err *err)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    CLEANUP(str_clear) struct str octets = STR_INIT;
    struct slice before;

    str_empty(shown);
    while (uu_text_next(&text, (size_t)sink->limits->decoded_octets, &before, &name, &octets)) {
        const struct part_label label = {PART_ATTACHMENT, UNKNOWN_TYPE, str_slice(&name)};

        str_add(shown, before);
        TRY(part_file_write(sink, &label, str_slice(&octets), err));
    }
    str_add(shown, text);
    return RC_OK;
}

bool unpack_wants(const struct node *node)
{
    static const char *const types[] = {"application/ms-tnef", "application/vnd.ms-tnef"};

    for (size_t i = 0; i < LENGTH(types); i++)
        if (slice_eqz(str_slice(&node->type), types[i]))
            return true;
    return slice_eq_nocase(str_slice(&node->name), SLICE("winmail.dat"));
}

/* A type is of letters, digits and a few marks, with one slash; anything else is none. */
static struct slice type_of(const struct tnef_file *file)
{
    struct slice type = str_slice(&file->type);
    size_t slashes = 0;

    for (size_t i = 0; i < type.len; i++) {
        slashes += type.at[i] == '/';
        if (type.at[i] <= ' ' || type.at[i] >= 0x7F || (type.at[i] >= 'A' && type.at[i] <= 'Z'))
            return UNKNOWN_TYPE;
    }
    return slashes == 1 && type.len > 2 && type.len < 128 ? type : UNKNOWN_TYPE;
}

enum rc unpack_tnef(struct part_sink *sink, struct slice octets, struct err *err)
{
    struct tnef tnef;
    struct tnef_file file = {.name = STR_INIT};
    enum rc rc = RC_OK;

    if (!tnef_begin(&tnef, octets)) {
        sink->out->signs |= SIGN_INCOMPLETE;
        return RC_OK;
    }
    while (rc == RC_OK && tnef_next(&tnef, &file)) {
        const struct part_label label = {PART_ATTACHMENT, type_of(&file), str_slice(&file.name)};

        rc = part_file_write(sink, &label, file.octets, err);
    }
    tnef_clear(&tnef);
    tnef_file_clear(&file);
    return rc;
}
