/* SPDX-License-Identifier: Apache-2.0 */
#include "destination_p.h"

#include <onecase/utf8.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHAPE_DEPTH 6
#define SHAPE_NAMES 20

static void json_free(json_t **json)
{
    json_decref(*json);
}

bool pointer_good(const char *pointer)
{
    if (pointer[0] != '\0' && pointer[0] != '/')
        return false;
    for (const char *at = strchr(pointer, '~'); at; at = strchr(at + 1, '~'))
        if (at[1] != '0' && at[1] != '1')
            return false;
    return true;
}

/* "~1" is "/", "~0" is "~". */
static void unescape(struct slice token, struct str *out)
{
    for (size_t i = 0; i < token.len; i++) {
        bool escape = token.at[i] == '~' && i + 1 < token.len;
        if (escape)
            i++;
        str_addc(out, !escape ? token.at[i] : token.at[i] == '1' ? '/' : '~');
    }
}

static const json_t *step(const json_t *from, struct slice token)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    unescape(token, &name);
    if (json_is_object(from))
        return json_object_get(from, str_z(&name));
    char *end;
    unsigned long index = strtoul(str_z(&name), &end, 10);
    bool number = name.len > 0 && name.len < 8 && *end == '\0' && str_z(&name)[0] != '-';
    return number ? json_array_get(from, index) : NULL;
}

static bool as_text(const json_t *value, char *out, size_t room)
{
    int length = -1;
    if (json_is_string(value))
        length = snprintf(out, room, "%s", json_string_value(value));
    else if (json_is_integer(value))
        length = snprintf(out, room, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_boolean(value))
        length = snprintf(out, room, "%s", json_is_true(value) ? "true" : "false");
    return length > 0 && (size_t)length < room;
}

/* What stands there, borrowed; NULL: nothing. "/" alone is the whole, as "" is. */
static const json_t *at_pointer(const json_t *whole, const char *pointer)
{
    const json_t *value = whole;
    struct slice rest = slice_z(pointer[0] ? pointer + 1 : "");
    bool last = rest.len == 0;
    while (value && !last) {
        size_t end = slice_find(rest, '/', 0);
        value = step(value, slice_cut(rest, 0, end));
        last = end == rest.len;
        rest = slice_cut(rest, end + 1, rest.len);
    }
    return value;
}

enum pointed pointer_get(struct slice text, const char *pointer, char *out, size_t room)
{
    CLEANUP(json_free)
    json_t *whole = json_loadb(text.at, text.len, JSON_DECODE_ANY, NULL);
    out[0] = '\0';
    if (!whole)
        return POINTED_NO_JSON;
    const json_t *value = at_pointer(whole, pointer);
    if (value && as_text(value, out, room))
        return POINTED_VALUE;
    out[0] = '\0';
    return POINTED_NOTHING;
}

/* ---- a look-up's answer ------------------------------------------------------------------------- */

bool answer_matches(const char *pattern, const char *wanted, const char *there)
{
    size_t length = strlen(pattern);
    bool before = length > 0 && pattern[0] == '*';
    bool after = length > 1 && pattern[length - 1] == '*';
    size_t rest = strlen(there), given = strlen(wanted);
    if (before && after)
        return strstr(there, wanted) != NULL;
    if (before)
        return rest >= given && strcmp(there + rest - given, wanted) == 0;
    return after ? strncmp(there, wanted, given) == 0 : strcmp(there, wanted) == 0;
}

/* A text of any length may be searched; what else there is has a short one. */
static bool key_is(const struct http_shape *shape, const json_t *item, const char *wanted)
{
    char text[64] = "";
    const json_t *there = at_pointer(item, shape->key);
    const char *pattern = shape->match ? shape->match : "";
    if (json_is_string(there))
        return answer_matches(pattern, wanted, json_string_value(there));
    return there && as_text(there, text, sizeof text) && answer_matches(pattern, wanted, text);
}

static bool
take(const struct http_shape *shape, const json_t *item, const char *wanted, struct found *out)
{
    const json_t *id = shape->id[0] ? at_pointer(item, shape->id) : NULL;
    const json_t *sha256 =
        shape->sha256 && shape->sha256[0] ? at_pointer(item, shape->sha256) : NULL;
    *out = (struct found){.same = !shape->key[0] || key_is(shape, item, wanted)};
    if (sha256)
        (void)as_text(sha256, out->sha256, sizeof out->sha256);
    return !shape->id[0] || (id && as_text(id, out->id, sizeof out->id));
}

static enum pointed of_members(const struct http_shape *shape,
                               const json_t *list,
                               const char *wanted,
                               struct found *out)
{
    const json_t *item;
    size_t i;
    json_array_foreach(list, i,
                       item) if (take(shape, item, wanted, out) && out->same) return POINTED_VALUE;
    return json_is_array(list) || json_is_null(list) ? POINTED_NOTHING : POINTED_NO_JSON;
}

enum pointed answer_find(const struct http_shape *shape,
                         struct slice json,
                         const char *wanted,
                         struct found *out)
{
    CLEANUP(json_free)
    json_t *whole = json_loadb(json.at, json.len, JSON_DECODE_ANY, NULL);
    *out = (struct found){.same = false};
    if (!whole)
        return POINTED_NO_JSON;
    if (shape->list && shape->list[0])
        return of_members(shape, at_pointer(whole, shape->list), wanted, out);
    return take(shape, whole, wanted, out) ? POINTED_VALUE : POINTED_NOTHING;
}

/* ---- what a refusal says ------------------------------------------------------------------------- */

static bool tells_why(const char *name)
{
    static const char *const names[] = {"error",        "errors",  "error_message", "errorMessages",
                                        "errorMessage", "message", "messages",      "detail",
                                        "details",      "code",    "description",   "title",
                                        "reason",       "field",   "type"};
    for (size_t i = 0; i < LENGTH(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* A short text may stand anywhere by itself; a long one that stands there was quoted. */
#define QUOTED_LEAST 4

static void leave_out(struct slice of_mail, struct str *words)
{
    struct slice own = slice_trim(of_mail);
    CLEANUP(str_clear) struct str left = STR_INIT;
    if (own.len < QUOTED_LEAST)
        return;
    for (size_t at = 0; at < words->len;) {
        struct slice rest = slice_cut(str_slice(words), at, words->len);
        bool here = rest.len >= own.len && memcmp(rest.at, own.at, own.len) == 0;
        str_add(&left, here ? SLICE("***") : slice_cut(rest, 0, 1));
        at += here ? own.len : 1;
    }
    str_empty(words);
    str_add(words, str_slice(&left));
}

static void add_words(const char *words, const struct case_facts *facts, struct str *out)
{
    CLEANUP(str_clear) struct str own = STR_INIT;
    str_addz(&own, words);
    leave_out(facts->text, &own);
    leave_out(facts->subject, &own);
    leave_out(facts->from, &own);
    if (own.len > 0)
        str_addf(out, "%s%s", out->len > 0 ? "; " : "", str_z(&own));
}

/* NOLINTBEGIN(misc-no-recursion): no deeper than SHAPE_DEPTH */

/* What stands in a member that tells why, however deep, and in lists of such. */
static void refusal_add(
    json_t *json, bool tells, unsigned depth, const struct case_facts *facts, struct str *out)
{
    const char *name;
    json_t *value;
    size_t i;
    if (tells && json_is_string(json))
        add_words(json_string_value(json), facts, out);
    if (depth >= SHAPE_DEPTH)
        return;
    json_object_foreach(json, name, value)
        refusal_add(value, tells_why(name), depth + 1, facts, out);
    json_array_foreach(json, i, value) refusal_add(value, tells, depth + 1, facts, out);
}

static void first_line(struct slice text, const struct case_facts *facts, struct str *out)
{
    CLEANUP(str_clear) struct str line = STR_INIT;
    struct slice own = slice_trim(text);
    str_add(&line, slice_cut(own, 0, slice_find(own, '\n', 0)));
    if (!memchr(own.at, '<', own.len)) /* a page is for browsers */
        add_words(str_z(&line), facts, out);
}

void refusal_of(struct slice body, const struct case_facts *facts, char *out, size_t room)
{
    CLEANUP(json_free)
    json_t *json = json_loadb(body.at, body.len, JSON_DECODE_ANY, NULL);
    CLEANUP(str_clear) struct str words = STR_INIT;
    if (json)
        refusal_add(json, json_is_array(json) || json_is_string(json), 0, facts, &words);
    else if (body.len > 0)
        first_line(body, facts, &words);
    struct slice fits = utf8_cut(str_slice(&words), room - 1);
    snprintf(out, room, "%.*s", (int)fits.len, fits.at ? fits.at : "");
}

/* ---- what an answer is made of -------------------------------------------------------------------- */

/* A name is the product's; one that looks like an address is somebody's. */
static void name_add(const char *name, struct str *out)
{
    bool somebody = name[0] && strchr(name + 1, '@') != NULL && strchr(name, '.') != NULL;
    str_addf(out, "%.40s", somebody ? "***" : name);
}

static void shape_add(json_t *json, unsigned depth, struct str *out)
{
    static const char *const kinds[] = {
        [JSON_OBJECT] = "object",       [JSON_ARRAY] = "list",  [JSON_STRING] = "text",
        [JSON_INTEGER] = "number",      [JSON_REAL] = "number", [JSON_TRUE] = "true or false",
        [JSON_FALSE] = "true or false", [JSON_NULL] = "null",
    };
    const char *name;
    json_t *value;
    size_t names = 0;
    if (json_is_array(json) && json_array_size(json) > 0 && depth < SHAPE_DEPTH) {
        str_addf(out, "[%zu of ", json_array_size(json));
        shape_add(json_array_get(json, 0), depth + 1, out);
        str_addc(out, ']');
        return;
    }
    if (!json_is_object(json) || depth >= SHAPE_DEPTH) {
        str_addz(out, kinds[json_typeof(json)]);
        return;
    }
    str_addc(out, '{');
    json_object_foreach(json, name, value)
    {
        str_addz(out, names ? ", " : "");
        name_add(name, out);
        str_addz(out, ": ");
        shape_add(value, depth + 1, out);
        if (++names == SHAPE_NAMES) {
            str_addz(out, ", ...");
            break;
        }
    }
    str_addc(out, '}');
}

/* NOLINTEND(misc-no-recursion) */

void shape_of(struct slice text, struct str *out)
{
    CLEANUP(json_free)
    json_t *json = json_loadb(text.at, text.len, JSON_DECODE_ANY, NULL);
    if (json)
        shape_add(json, 0, out);
    else if (text.len == 0)
        str_addz(out, "empty");
    else
        str_addf(out, "%zu octets that are no JSON", text.len);
}

/* ---- what does not fit -------------------------------------------------------------------------- */

static void amiss_in_list(const struct http_shape *shape, const json_t *whole, struct str *out)
{
    if (!json_is_array(at_pointer(whole, shape->list)))
        str_addf(out, "there is no list at `list` %s", shape->list);
    else
        str_addf(out, "no member of the list has what is looked for at `key` %s", shape->key);
}

static bool has_text(const json_t *whole, const char *pointer)
{
    char text[EXTERNAL_ID_SIZE];
    const json_t *there = at_pointer(whole, pointer);
    return json_is_string(there) || (there && as_text(there, text, sizeof text));
}

void amiss_of(const struct http_shape *shape,
              struct slice text,
              const char *wanted,
              struct str *out)
{
    CLEANUP(json_free)
    json_t *whole = json_loadb(text.at, text.len, JSON_DECODE_ANY, NULL);
    if (!whole || shape->whole)
        return;
    if (shape->list && shape->list[0])
        amiss_in_list(shape, whole, out);
    else if (shape->key[0] && !has_text(whole, shape->key))
        str_addf(out, "there is nothing at `key` %s", shape->key);
    else if (shape->key[0] && !key_is(shape, whole, wanted))
        str_addf(out, "there is something else than was sent at `key` %s", shape->key);
    else if (shape->id[0] && !has_text(whole, shape->id))
        str_addf(out, "there is nothing at `id` %s", shape->id);
}
