/* SPDX-License-Identifier: Apache-2.0 */
#include "destination_p.h"

#include <string.h>

static enum rc
check_template(const char *what, const char *text, const char *const *names, struct err *err)
{
    struct err why = ERR_INIT;
    if (mustache_check(slice_z(text), names, &why) == RC_OK)
        return RC_OK;
    return FAIL(err, RC_USAGE, "%s: %s", what, why.text);
}

static enum rc check_headers(const struct texts *headers, const char *const *names, struct err *err)
{
    for (size_t i = 0; i < headers->count; i++) {
        if (!strchr(headers->at[i], ':'))
            return FAIL(err, RC_USAGE, "headers: expected \"Name: value\"");
        TRY(check_template("headers", headers->at[i], names, err));
    }
    return RC_OK;
}

static enum rc check_statuses(const char *what, const struct texts *list, struct err *err)
{
    for (size_t i = 0; i < list->count; i++)
        if (!status_pattern_good(list->at[i]))
            return FAIL(err, RC_USAGE, "%s: expected statuses such as 404 or 4xx", what);
    return RC_OK;
}

static enum rc check_pointer(const char *what, const char *pointer, struct err *err)
{
    if (pointer_good(pointer))
        return RC_OK;
    return FAIL(err, RC_USAGE, "%s: expected a JSON pointer, such as /ticket/id", what);
}

/* Whether {{content}} stands in the body once is seen by filling it. */
static enum rc check_upload(const struct http_shape *shape, struct err *err)
{
    static const struct case_file file = {.file = "01-file", .type = {"text/plain", 10}};
    static const struct case_facts facts = {
        .key = "", .effect = "", .correlation = "", .reference = "", .file = &file};
    const struct asking asking = {shape, STEP_ATTACH, &facts, "", false, SLICE("")};
    struct filling filling;
    struct err why = ERR_INIT;
    CLEANUP(parcel_clear) struct parcel parcel = {0};
    if (shape->upload == UPLOAD_FORM && (!shape->field || !shape->field[0]))
        return FAIL(err, RC_USAGE, "field: expected the name of the form's field for the file");
    if (shape->field && strpbrk(shape->field, "\"\r\n"))
        return FAIL(err, RC_USAGE, "field: expected a name without quotes");
    if (shape->upload == UPLOAD_RAW && shape->body && shape->body[0])
        return FAIL(err, RC_USAGE, "body: with upload: raw the file is the body: expected none");
    filling_of(&asking, &filling);
    if (parcel_make(&asking, &filling, &parcel, &why) != RC_OK)
        return FAIL(err, RC_USAGE, "body: %s", why.text);
    return RC_OK;
}

static enum rc check_look(const struct http_shape *shape, const char *const *names, struct err *err)
{
    const char *list = shape->list ? shape->list : "";
    TRY(check_template("match", shape->match ? shape->match : "", names, err));
    TRY(check_pointer("list", list, err));
    TRY(check_pointer("sha256", shape->sha256 ? shape->sha256 : "", err));
    if (list[0] && !shape->key[0])
        return FAIL(err, RC_USAGE,
                    "key: expected a pointer to what tells the members of the list apart");
    return RC_OK;
}

static enum rc check_all_statuses(const struct http_shape *shape, struct err *err)
{
    TRY(check_statuses("done", &shape->done, err));
    TRY(check_statuses("exists", &shape->exists, err));
    TRY(check_statuses("later", &shape->later, err));
    return check_statuses("refused", &shape->refused, err);
}

enum rc http_session_check(const struct http_session *session, struct err *err)
{
    static const char *const no_names[] = {NULL};
    if (!session->path || !session->path[0])
        return RC_OK;
    TRY(check_template("path", session->path, no_names, err));
    TRY(check_headers(&session->headers, no_names, err));
    TRY(check_pointer("id", session->id, err));
    if (strpbrk(session->header, ": \t\r\n"))
        return FAIL(err, RC_USAGE,
                    "header: expected a name without a colon, such as Session-Token");
    return RC_OK;
}

enum rc http_shape_check(const struct http_shape *shape,
                         enum destination_step step,
                         bool acts,
                         struct err *err)
{
    const char *const *names = filling_names(step);
    struct err why = ERR_INIT;
    TRY(check_template("path", shape->path, names, err));
    TRY(check_headers(&shape->headers, names, err));
    if (body_check(shape->body, names, &why) != RC_OK)
        return FAIL(err, RC_USAGE, "body: %s", why.text);
    TRY(check_pointer("id", shape->id, err));
    TRY(check_pointer("key", shape->key, err));
    TRY(check_look(shape, names, err));
    TRY(check_all_statuses(shape, err));
    return acts && step == STEP_ATTACH ? check_upload(shape, err) : RC_OK;
}
