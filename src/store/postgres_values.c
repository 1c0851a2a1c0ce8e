/* SPDX-License-Identifier: Apache-2.0
 *
 * An array of one dimension, as octets (array_recv): how many dimensions, whether there is a NULL, of which type,
 * how many, counted from 1; then each value after its length, which is -1 for NULL.
 */
#include "postgres_p.h"

#define NO_VALUE UINT32_MAX

static void add_number(struct str *out, uint64_t number, int octets)
{
    for (int shift = 8 * (octets - 1); shift >= 0; shift -= 8)
        str_addc(out, (char)(unsigned char)(number >> shift & 0xFF));
}

static void add_value(struct values *list, struct slice value)
{
    add_number(&list->octets, value.len, 4);
    str_add(&list->octets, value);
    list->count++;
}

void values_slice(struct values *list, struct slice text)
{
    CLEANUP(str_clear) struct str own = STR_INIT;
    bool mended = list->of == VALUES_OF_TEXTS && postgres_mend(text, &own);

    add_value(list, mended ? str_slice(&own) : text);
}

void values_number(struct values *list, int64_t value)
{
    add_number(&list->octets, 8, 4);
    add_number(&list->octets, (uint64_t)value, 8);
    list->count++;
}

void values_null(struct values *list)
{
    add_number(&list->octets, NO_VALUE, 4);
    list->count++;
    list->nulls = true;
}

void postgres_write_values(const struct values *list, struct str *out)
{
    static const Oid types[] = {[VALUES_OF_TEXTS] = TYPE_TEXT,
                                [VALUES_OF_OCTETS] = TYPE_BYTEA,
                                [VALUES_OF_NUMBERS] = TYPE_BIGINT};

    add_number(out, 1, 4);
    add_number(out, list->nulls ? 1 : 0, 4);
    add_number(out, types[list->of], 4);
    add_number(out, (uint32_t)list->count, 4);
    add_number(out, 1, 4);
    str_add(out, str_slice(&list->octets));
}
