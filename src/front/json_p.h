/* SPDX-License-Identifier: Apache-2.0
 *
 * json_p - what the objects of JSON are made of.
 *
 * A text is a sender's, an operator's or a program's: what is no UTF-8 in it is replaced, visibly, as the
 * library has no value for it and the field would be lost.
 */
#pragma once

#include <onecase/front.h>
#include <onecase/utf8.h>
#include <onecase/when.h>
#include <jansson.h>
#include <stdlib.h>

static inline json_t *octets(struct slice value)
{
    json_t *whole = json_stringn(value.at, value.len);
    CLEANUP(str_clear) struct str mended = STR_INIT;
    if (whole)
        return whole;
    utf8_mend(value, &mended);
    return json_stringn(str_z(&mended), mended.len);
}

static inline json_t *text(const char *value)
{
    return octets(slice_z(value));
}

static inline json_t *text_or_null(const char *value)
{
    return value && value[0] ? text(value) : json_null();
}

/* Null where it never was, or is not due. */
static inline json_t *when(int64_t at_ms)
{
    char out[WHEN_TEXT_SIZE];
    if (at_ms == NOT_DUE || at_ms == 0)
        return json_null();
    when_text(at_ms, out);
    return json_string(out);
}

static inline void put(json_t *object, const char *name, json_t *value)
{
    json_object_set_new(object, name, value);
}

static inline void put_int(json_t *object, const char *name, int64_t value)
{
    put(object, name, json_integer(value));
}

/* The parts of a text, by what stands between them; none of an empty text. */
static inline json_t *parts(struct slice all, char by)
{
    json_t *list = json_array();
    struct slice one;
    while (all.len > 0 && slice_next(&all, by, &one))
        json_array_append_new(list, octets(one));
    return list;
}

/* Writes it, and frees it. */
static inline void finish(json_t *value, struct str *out)
{
    char *dump = json_dumps(value, JSON_INDENT(2));
    str_addz(out, dump ? dump : "null");
    str_addc(out, '\n');
    free(dump);
    json_decref(value);
}
