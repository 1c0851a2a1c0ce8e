/* SPDX-License-Identifier: Apache-2.0 */
#include "destination_p.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 16

/* Those that are known before the case is, those after, and those of a file. */
static const char *const all_names[FILL_COUNT] = {
    "key", "effect", "correlation", "reference", "from", "subject", "text",   "html",
    "id",  "number", "file",        "name",      "type", "size",    "sha256", "content"};
#define OF_NEW  8
#define OF_CASE 9

const char *const *filling_names(enum destination_step step)
{
    static const char *names[STEP_COUNT][FILL_COUNT + 1];
    size_t count = step == STEP_CREATE ? OF_NEW : step == STEP_ATTACH ? FILL_COUNT : OF_CASE;
    for (size_t i = 0; i < count; i++)
        names[step][i] = all_names[i];
    return names[step];
}

static void of_file(const struct case_file *f, struct filling *out)
{
    snprintf(out->number, sizeof out->number, "%u", f->number);
    snprintf(out->size, sizeof out->size, "%" PRId64, f->size);
    digest_hex(&f->sha256, out->sha256);
    const struct slice value[] = {
        slice_z(out->number), slice_z(f->file),     f->name, f->type,
        slice_z(out->size),   slice_z(out->sha256),
    };
    for (size_t i = 0; i < LENGTH(value); i++)
        out->value[OF_CASE + i].text = value[i];
}

void filling_of(const struct asking *asking, struct filling *out)
{
    const struct case_facts *f = asking->facts;
    const struct slice value[OF_CASE] = {
        slice_z(f->key),
        slice_z(f->effect),
        slice_z(f->correlation),
        slice_z(f->reference),
        f->from,
        f->subject,
        f->text,
        asking->html,
        slice_z(asking->id),
    };
    *out = (struct filling){0};
    for (size_t i = 0; i < FILL_COUNT; i++)
        out->value[i] = (struct mustache_value){.name = all_names[i], .text = SLICE("")};
    for (size_t i = 0; i < OF_CASE; i++)
        if (value[i].at)
            out->value[i].text = value[i];
    if (f->file)
        of_file(f->file, out);
    out->scope = (struct mustache_scope){out->value, FILL_COUNT};
}

/* ---- path and headers ------------------------------------------------------------------------- */

/* The template's own text stays as it is written: only values are of strangers. */
struct encoded {
    struct str text[FILL_COUNT];
    struct filling filling;
};

static void encoded_clear(struct encoded *e)
{
    for (size_t i = 0; i < FILL_COUNT; i++)
        str_clear(&e->text[i]);
}

static void percent(struct slice value, struct str *out)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    for (size_t i = 0; i < value.len; i++) {
        if (value.at[i] && strchr(plain, value.at[i]))
            str_addc(out, value.at[i]);
        else
            str_addf(out, "%%%02X", (unsigned char)value.at[i]);
    }
}

static void one_line(struct slice value, struct str *out)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.at[i];
        str_addc(out, c < ' ' || c == 0x7f ? ' ' : value.at[i]);
    }
}

static void render(const char *text,
                   const struct filling *filling,
                   void (*encode)(struct slice value, struct str *out),
                   struct str *out)
{
    CLEANUP(encoded_clear) struct encoded e = {.filling = *filling};
    e.filling.scope.value = e.filling.value;
    for (size_t i = 0; i < FILL_COUNT; i++) {
        encode(filling->value[i].text, &e.text[i]);
        e.filling.value[i].text = str_slice(&e.text[i]);
    }
    mustache_render(slice_z(text), &e.filling.scope, out);
}

void fill_path(const char *path, const struct filling *filling, struct str *url)
{
    render(path, filling, percent, url);
}

void fill_header(const char *header, const struct filling *filling, struct str *out)
{
    render(header, filling, one_line, out);
}

/* ---- body: read as JSON first, filled after ---------------------------------------------------- */

static void json_free(json_t **json)
{
    json_decref(*json);
}

static json_t *body_read(const char *body, struct err *err)
{
    json_error_t error;
    json_t *json = json_loads(body, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!json)
        (void)FAIL(err, RC_USAGE, "line %d, column %d: that is no JSON: %s", error.line,
                   error.column, error.text);
    return json;
}

static json_t *filled(const json_t *text, const struct filling *filling)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    mustache_render((struct slice){json_string_value(text), json_string_length(text)},
                    &filling->scope, &out);
    json_t *value = json_stringn(str_z(&out), out.len);
    return value ? value : json_string(""); /* no UTF-8; the ledger's texts are */
}

/* NOLINTBEGIN(misc-no-recursion): as deep as DEPTH_MAX, which body_check holds it to */

static void fill_all(json_t *json, const struct filling *filling)
{
    const char *name;
    json_t *value;
    size_t i;
    json_object_foreach(json, name, value)
    {
        if (json_is_string(value))
            json_object_set_new(json, name, filled(value, filling));
        else
            fill_all(value, filling);
    }
    json_array_foreach(json, i, value)
    {
        if (json_is_string(value))
            json_array_set_new(json, i, filled(value, filling));
        else
            fill_all(value, filling);
    }
}

static enum rc check_all(json_t *json, unsigned depth, const char *const *names, struct err *err);

static enum rc
check_members(json_t *json, unsigned depth, const char *const *names, struct err *err)
{
    const char *name;
    json_t *value;
    json_object_foreach(json, name, value) TRY(check_all(value, depth, names, err));
    return RC_OK;
}

static enum rc check_items(json_t *json, unsigned depth, const char *const *names, struct err *err)
{
    json_t *value;
    size_t i;
    json_array_foreach(json, i, value) TRY(check_all(value, depth, names, err));
    return RC_OK;
}

static enum rc check_all(json_t *json, unsigned depth, const char *const *names, struct err *err)
{
    if (depth > DEPTH_MAX)
        return FAIL(err, RC_USAGE, "more than %d levels", DEPTH_MAX);
    if (json_is_string(json))
        return mustache_check(slice_z(json_string_value(json)), names, err);
    TRY(check_members(json, depth + 1, names, err));
    return check_items(json, depth + 1, names, err);
}

/* NOLINTEND(misc-no-recursion) */

enum rc body_check(const char *body, const char *const *names, struct err *err)
{
    if (!body || !body[0])
        return RC_OK;
    CLEANUP(json_free) json_t *json = body_read(body, err);
    return json ? check_all(json, 0, names, err) : RC_USAGE;
}

enum rc fill_body(const char *body, const struct filling *filling, struct str *out, struct err *err)
{
    if (!body || !body[0])
        return RC_OK;
    CLEANUP(json_free) json_t *json = body_read(body, err);
    if (!json)
        return RC_USAGE;
    fill_all(json, filling);
    CLEANUP(mem_free) char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
    str_addz(out, text);
    return RC_OK;
}

/* ---- forms ------------------------------------------------------------------------------------- */

enum rc fill_form(const char *body,
                  const struct filling *filling,
                  const char *boundary,
                  struct str *out,
                  struct err *err)
{
    const char *name;
    json_t *value;
    if (!body || !body[0])
        return RC_OK;
    CLEANUP(json_free) json_t *json = body_read(body, err);
    if (!json_is_object(json))
        return json ? FAIL(err, RC_USAGE, "expected an object: each member is a field of the form")
                    : RC_USAGE;
    fill_all(json, filling);
    json_object_foreach(json, name, value)
    {
        CLEANUP(mem_free)
        char *text = json_is_string(value) ? mem_text(json_string_value(value))
                                           : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        str_addf(out, "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n", boundary,
                 name, text);
    }
    return RC_OK;
}
