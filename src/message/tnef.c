/* SPDX-License-Identifier: Apache-2.0 */
#include "tnef.h"
#include "charset.h"
#include "words.h"

#include <stdio.h>

#define SIGNATURE 0x223E9F78U

/* Attributes of the stream */
#define LEVEL_ATTACHMENT 2
#define ATT_RENDERING    0x00069002U /* begins an attachment */
#define ATT_TITLE        0x00018010U
#define ATT_DATA         0x0006800FU
#define ATT_PROPERTIES   0x00069005U
#define ATT_CODEPAGE     0x00069007U

/* MAPI properties of an attachment */
#define PROPERTY_DATA      0x3701
#define PROPERTY_NAME      0x3704
#define PROPERTY_LONG_NAME 0x3707
#define PROPERTY_TYPE      0x370E

#define MAPI_STRING  0x001E
#define MAPI_UNICODE 0x001F
#define MAPI_OBJECT  0x000D
#define MAPI_BINARY  0x0102
#define MAPI_MANY    0x1000
#define NAMED_FROM   0x8000
#define GUID_SIZE    16

/* clang-format off */
/* Octets of a value whose type has a fixed length, filled up to four. */
static const struct {
    uint16_t type;
    uint32_t octets;
} fixed[] = {
    {0x0002, 4}, {0x0003, 4}, {0x0004, 4}, {0x0005, 8}, {0x0006, 8}, {0x0007, 8},
    {0x000A, 4}, {0x000B, 4}, {0x0014, 8}, {0x0040, 8}, {0x0048, 16},
};
/* clang-format on */

/* Numbers, least significant octet first. False where too little is left. */
static bool take_number(struct slice *rest, size_t octets, uint32_t *out)
{
    if (rest->len < octets)
        return false;
    *out = 0;
    for (size_t i = 0; i < octets; i++)
        *out |= (uint32_t)(uint8_t)rest->at[i] << (8 * i);
    *rest = slice_cut(*rest, octets, rest->len);
    return true;
}

static bool take_octets(struct slice *rest, size_t octets, struct slice *out)
{
    if (rest->len < octets)
        return false;
    *out = slice_cut(*rest, 0, octets);
    *rest = slice_cut(*rest, octets, rest->len);
    return true;
}

static bool skip(struct slice *rest, size_t octets)
{
    struct slice unused;

    return take_octets(rest, octets, &unused);
}

/* Texts end with a NUL of their own. */
static void set_text(struct str *out, const char *label, struct slice octets)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    charset_decode(slice_z(label), octets, CHARSET_HEADER, &text);

    size_t end = text.len;
    const struct slice nul = SLICE("\xEF\xBF\xBD");

    while (end >= nul.len && slice_eq(slice_cut(str_slice(&text), end - nul.len, nul.len), nul))
        end -= nul.len;
    text.len = end;
    words_plain(&text);
    str_empty(out);
    str_add(out, slice_trim(str_slice(&text)));
}

static void set_narrow(struct tnef *t, struct str *out, struct slice octets)
{
    char label[24];

    snprintf(label, sizeof label, "cp%u", (unsigned)t->codepage);
    while (octets.len > 0 && octets.at[octets.len - 1] == '\0')
        octets.len--;
    set_text(out, label, octets);
}

/* Properties */

static uint32_t fixed_size(uint32_t type)
{
    for (size_t i = 0; i < LENGTH(fixed); i++)
        if (fixed[i].type == type)
            return fixed[i].octets;
    return 0;
}

/* The rest of the name of a property that has one of its own: a set, and a number or a text. */
static bool skip_name(struct slice *rest)
{
    uint32_t kind;
    uint32_t length;

    if (!skip(rest, GUID_SIZE) || !take_number(rest, 4, &kind) || !take_number(rest, 4, &length))
        return false;
    return kind == 0 || skip(rest, (length + 3) / 4 * (size_t)4);
}

static void use_property(struct tnef *t, uint32_t type, uint32_t id, struct slice value)
{
    struct str *text = id == PROPERTY_TYPE ? &t->type : &t->name;
    bool wanted = id == PROPERTY_TYPE || id == PROPERTY_LONG_NAME ||
                  (id == PROPERTY_NAME && t->name.len == 0);

    if (wanted && type == MAPI_UNICODE)
        set_text(text, "utf-16le", value);
    else if (wanted && type == MAPI_STRING)
        set_narrow(t, text, value);
    else if (id == PROPERTY_DATA && (type == MAPI_BINARY || type == MAPI_OBJECT))
        t->octets = type == MAPI_OBJECT ? slice_cut(value, GUID_SIZE, value.len) : value;
}

/* One value of a type with a length of its own; filled up to four octets. */
static bool take_long_value(struct slice *rest, struct slice *value)
{
    uint32_t length;

    return take_number(rest, 4, &length) && take_octets(rest, length, value) &&
           (skip(rest, (4 - length % 4) % 4) || rest->len == 0);
}

static bool take_property(struct tnef *t, struct slice *rest)
{
    uint32_t type;
    uint32_t id;
    uint32_t count = 1;
    struct slice value;

    if (!take_number(rest, 2, &type) || !take_number(rest, 2, &id) ||
        (id >= NAMED_FROM && !skip_name(rest)))
        return false;

    bool many = (type & MAPI_MANY) != 0;
    uint32_t size = fixed_size(type & ~(uint32_t)MAPI_MANY);

    if ((many || size == 0) && !take_number(rest, 4, &count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (size > 0 ? !skip(rest, size) : !take_long_value(rest, &value))
            return false;
        if (size == 0 && !many)
            use_property(t, type, id, value);
    }
    return true;
}

static void read_properties(struct tnef *t, struct slice rest)
{
    uint32_t count;

    if (!take_number(&rest, 4, &count))
        return;
    while (count-- > 0 && take_property(t, &rest))
        ;
}

/* The stream */

static void use_attribute(struct tnef *t, uint32_t id, struct slice value)
{
    struct slice codepage = value;

    if (id == ATT_CODEPAGE)
        take_number(&codepage, 4, &t->codepage);
    else if (id == ATT_TITLE && t->name.len == 0)
        set_narrow(t, &t->name, value);
    else if (id == ATT_DATA)
        t->octets = value;
    else if (id == ATT_PROPERTIES)
        read_properties(t, value);
}

static bool give(struct tnef *t, struct tnef_file *out)
{
    bool any = t->within && (t->octets.len > 0 || t->name.len > 0);

    str_empty(&out->name);
    str_empty(&out->type);
    str_add(&out->name, str_slice(&t->name));
    str_add(&out->type, str_slice(&t->type));
    out->octets = t->octets;
    str_empty(&t->name);
    str_empty(&t->type);
    t->octets = SLICE_EMPTY;
    return any;
}

bool tnef_begin(struct tnef *t, struct slice octets)
{
    uint32_t signature;

    *t = (struct tnef){.rest = octets, .codepage = 1252, .octets = SLICE_EMPTY};
    return take_number(&t->rest, 4, &signature) && signature == SIGNATURE && skip(&t->rest, 2);
}

bool tnef_next(struct tnef *t, struct tnef_file *out)
{
    uint32_t level;
    uint32_t id;
    uint32_t length;
    struct slice value;

    while (take_number(&t->rest, 1, &level) && take_number(&t->rest, 4, &id) &&
           take_number(&t->rest, 4, &length) && take_octets(&t->rest, length, &value)) {
        bool begins = level == LEVEL_ATTACHMENT && id == ATT_RENDERING;
        bool given = begins && give(t, out);

        t->within |= begins;
        skip(&t->rest, 2); /* a checksum */
        if (level == LEVEL_ATTACHMENT || id == ATT_CODEPAGE)
            use_attribute(t, id, value);
        if (given)
            return true;
    }
    t->rest = SLICE_EMPTY;
    return give(t, out) && !(t->within = false);
}

void tnef_clear(struct tnef *t)
{
    str_clear(&t->name);
    str_clear(&t->type);
}

void tnef_file_clear(struct tnef_file *f)
{
    str_clear(&f->name);
    str_clear(&f->type);
}
