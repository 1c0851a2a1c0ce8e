/* SPDX-License-Identifier: Apache-2.0 */
#include "form.h"

#include <onecase/front.h>
#include <onecase/utf8.h>
#include <stdlib.h>
#include <string.h>

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The octet of "%41" there, or -1. */
static int percent_at(struct slice text, size_t i)
{
    if (text.at[i] != '%' || i + 2 >= text.len)
        return -1;
    int high = digit_of(text.at[i + 1]), low = digit_of(text.at[i + 2]);
    return high >= 0 && low >= 0 ? high * 16 + low : -1;
}

/* A percent sign that is none stands for itself, as browsers have it. */
static void decode(struct slice text, struct str *out)
{
    for (size_t i = 0; i < text.len; i++) {
        int octet = percent_at(text, i);
        char c = octet >= 0 ? (char)octet : text.at[i] == '+' ? ' ' : text.at[i];
        str_addc(out, c == '\0' ? '?' : c);
        i += octet >= 0 ? 2 : 0;
    }
}

/* Adds one text with its NUL, and gives where it begins. */
static size_t add_text(struct slice coded, struct str *texts)
{
    CLEANUP(str_clear) struct str raw = STR_INIT;
    size_t at = texts->len;
    decode(coded, &raw);
    utf8_mend(str_slice(&raw), texts);
    str_addc(texts, '\0');
    return at;
}

static size_t count_fields(struct slice text)
{
    struct slice one;
    size_t n = 0;
    while (text.len > 0 && slice_next(&text, '&', &one))
        n += one.len > 0;
    return n;
}

enum rc form_parse(struct slice text, struct form *out, struct err *err)
{
    struct str texts = STR_INIT;
    struct slice one, name;
    size_t count = count_fields(text);
    *out = (struct form){.count = 0};
    if (count > FORM_FIELDS_MAX)
        return FAIL(err, RC_USAGE, "a form has at most %d fields", FORM_FIELDS_MAX);
    CLEANUP(mem_free) size_t *at = mem_new(2 * count + 1, sizeof *at);
    while (text.len > 0 && slice_next(&text, '&', &one)) {
        if (one.len == 0)
            continue;
        slice_next(&one, '=', &name);
        at[2 * out->count] = add_text(name, &texts);
        at[2 * out->count + 1] = add_text(one, &texts);
        out->count++;
    }
    out->text = texts.at;
    out->field = mem_new(count + 1, sizeof *out->field);
    for (size_t i = 0; i < out->count; i++) {
        out->field[i].name = out->text + at[2 * i];
        out->field[i].value = out->text + at[2 * i + 1];
    }
    return RC_OK;
}

void form_clear(struct form *form)
{
    free(form->field);
    free(form->text);
    *form = (struct form){.count = 0};
}

const char *form_next(const struct form *form, const char *name, size_t *at)
{
    for (; *at < form->count; ++*at)
        if (strcmp(form->field[*at].name, name) == 0)
            return form->field[(*at)++].value;
    return NULL;
}

bool form_has_value(const struct form *form, const char *name, const char *value)
{
    const char *given;
    size_t at = 0;
    while ((given = form_next(form, name, &at)) != NULL)
        if (strcmp(given, value) == 0)
            return true;
    return false;
}

const char *form_get(const struct form *form, const char *name)
{
    size_t at = 0;
    const char *value = form_next(form, name, &at);
    return value ? value : "";
}

bool form_has(const struct form *form, const char *name)
{
    return form_get(form, name)[0] != '\0';
}

void url_add(struct str *out, const char *text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (; *text; text++)
        if (strchr(plain, *text))
            str_addc(out, *text);
        else
            str_addf(out, "%%%02X", (unsigned)(unsigned char)*text);
}
