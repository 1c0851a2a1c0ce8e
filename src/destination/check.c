/* SPDX-License-Identifier: Apache-2.0 */
#include "destination_p.h"

#include <string.h>

static enum rc check_template(const char *what, const char *text, struct err *err)
{
    struct err why = ERR_INIT;
    if (mustache_check(slice_z(text), http_destination_names, &why) == RC_OK)
        return RC_OK;
    return FAIL(err, RC_USAGE, "%s: %s", what, why.text);
}

static enum rc check_headers(const struct texts *headers, struct err *err)
{
    for (size_t i = 0; i < headers->count; i++) {
        if (!strchr(headers->at[i], ':'))
            return FAIL(err, RC_USAGE, "headers: expected \"Name: value\"");
        TRY(check_template("headers", headers->at[i], err));
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

enum rc http_shape_check(const struct http_shape *shape, struct err *err)
{
    struct err why = ERR_INIT;
    TRY(check_template("path", shape->path, err));
    TRY(check_headers(&shape->headers, err));
    if (body_check(shape->body, &why) != RC_OK)
        return FAIL(err, RC_USAGE, "body: %s", why.text);
    TRY(check_pointer("id", shape->id, err));
    TRY(check_pointer("key", shape->key, err));
    TRY(check_statuses("done", &shape->done, err));
    TRY(check_statuses("exists", &shape->exists, err));
    TRY(check_statuses("later", &shape->later, err));
    return check_statuses("refused", &shape->refused, err);
}
