/* SPDX-License-Identifier: Apache-2.0 */
#include "destination_p.h"

#include <stdio.h>
#include <string.h>

void parcel_clear(struct parcel *p)
{
    str_clear(&p->body);
    str_clear(&p->after);
    str_clear(&p->type);
}

/* ---- in base 64, inside the body ---------------------------------------------------------------- */

/* Where the mark stands, if it stands there once. */
static const char *only_place(const struct str *text, const char *mark)
{
    const char *at = strstr(str_z(text), mark);
    return at && !strstr(at + 1, mark) ? at : NULL;
}

static enum rc fill_marked(const char *body,
                           const struct filling *filling,
                           const char *mark,
                           struct str *out,
                           struct err *err)
{
    struct filling marked = *filling;
    marked.value[FILL_COUNT - 1].text = slice_z(mark);
    marked.scope.value = marked.value;
    str_empty(out);
    return fill_body(body, &marked, out, err);
}

/* What strangers write may look like a mark: one that is nowhere in the body by itself is taken. */
static enum rc
fill_around(const char *body, const struct filling *filling, struct parcel *p, struct err *err)
{
    CLEANUP(str_clear) struct str whole = STR_INIT;
    char mark[32] = "";
    TRY(fill_marked(body, filling, "", &whole, err));
    for (unsigned number = 0; number == 0 || strstr(str_z(&whole), mark); number++)
        snprintf(mark, sizeof mark, "content-goes-here-%u.", number);
    TRY(fill_marked(body, filling, mark, &whole, err));
    const char *place = only_place(&whole, mark);
    if (!place)
        return FAIL(err, RC_USAGE, "expected {{content}} in it once: the file in base 64");
    str_add(&p->body, (struct slice){str_z(&whole), (size_t)(place - str_z(&whole))});
    str_addz(&p->after, place + strlen(mark));
    str_addz(&p->type, "application/json");
    return RC_OK;
}

/* ---- as a field of a form ------------------------------------------------------------------------ */

/* As browsers write it: quotes and line breaks percent-encoded. */
static void add_quoted(struct str *out, struct slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.at[i];
        if (c < ' ' || c == '"' || c == 0x7f)
            str_addf(out, "%%%02X", c);
        else
            str_addc(out, name.at[i]);
    }
}

/* Of what a sender calls a type only what can be one. */
static void add_type(struct str *out, struct slice type)
{
    bool good = type.len > 0 && type.len < 128;
    for (size_t i = 0; i < type.len; i++)
        good = good && type.at[i] > ' ' && type.at[i] < 0x7f && !strchr("\"\\;,", type.at[i]);
    str_add(out, good ? type : SLICE("application/octet-stream"));
}

static enum rc fill_around_form(const struct asking *asking,
                                const struct filling *filling,
                                struct parcel *p,
                                struct err *err)
{
    const struct case_file *f = asking->facts->file;
    char boundary[64];
    snprintf(boundary, sizeof boundary, "onecase-%.32s", asking->facts->effect);
    TRY(fill_form(asking->shape->body, filling, boundary, &p->body, err));
    str_addf(&p->body, "--%s\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"", boundary,
             asking->shape->field);
    add_quoted(&p->body, slice_z(f->file));
    str_addz(&p->body, "\"\r\nContent-Type: ");
    add_type(&p->body, f->type);
    str_addz(&p->body, "\r\n\r\n");
    str_addf(&p->after, "\r\n--%s--\r\n", boundary);
    str_addf(&p->type, "multipart/form-data; boundary=%s", boundary);
    return RC_OK;
}

/* ---- either way ---------------------------------------------------------------------------------- */

static enum rc fill_parcel(const struct asking *asking,
                           const struct filling *filling,
                           struct parcel *p,
                           struct err *err)
{
    switch (asking->shape->upload) {
    case UPLOAD_BASE64:
        return fill_around(asking->shape->body, filling, p, err);
    case UPLOAD_FORM:
        return fill_around_form(asking, filling, p, err);
    case UPLOAD_RAW:
        add_type(&p->type, asking->facts->file->type);
        break;
    }
    return RC_OK;
}

enum rc parcel_make(const struct asking *asking,
                    const struct filling *filling,
                    struct parcel *out,
                    struct err *err)
{
    const struct http_shape *shape = asking->shape;
    const struct case_file *f = asking->facts->file;
    out->uploads = f && asking->step == STEP_ATTACH && !asking->look;
    if (!out->uploads) {
        if (shape->body && shape->body[0])
            str_addz(&out->type, "application/json");
        return fill_body(shape->body, filling, &out->body, err);
    }
    TRY(fill_parcel(asking, filling, out, err));
    out->upload = (struct http_upload){.read = f->read,
                                       .ctx = f->ctx,
                                       .size = f->size,
                                       .base64 = shape->upload == UPLOAD_BASE64,
                                       .after = str_slice(&out->after)};
    return RC_OK;
}
