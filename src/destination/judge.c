/* SPDX-License-Identifier: Apache-2.0 */
#include "destination_p.h"

#include <string.h>

/* clang-format off */
const struct http_status_row http_status_rows[] = {
    {200, 299, HTTP_DONE,    "it says so"},
    {301, 301, HTTP_LATER,   "it is elsewhere, for good: the URL is to be changed; nothing was done"},
    {307, 308, HTTP_LATER,   "it is elsewhere: the URL is to be changed; nothing was done"},
    {300, 399, HTTP_UNKNOWN, "such as 303, which many send after having made something"},
    {401, 401, HTTP_SIGN_IN, "the sign-in has expired or is wrong"},
    {403, 403, HTTP_LATER,   "a right is missing, for every case"},
    {404, 405, HTTP_REFUSED, "nothing there takes it: the URL or the path may be wrong"},
    {408, 408, HTTP_LATER,   "it did not get the whole request in time"},
    {409, 409, HTTP_EXISTS,  "a case with this key is there"},
    {412, 412, HTTP_EXISTS,  "If-None-Match: * met what is there"},
    {425, 425, HTTP_LATER,   "too early"},
    {429, 429, HTTP_LATER,   "too many; Retry-After says when"},
    {400, 499, HTTP_REFUSED, "it does not take this case"},
    {503, 503, HTTP_LATER,   "out of service; Retry-After says when"},
    {500, 599, HTTP_UNKNOWN, "it broke at it, or something between did"},
};
/* clang-format on */

const size_t http_status_row_count = LENGTH(http_status_rows);

#define TEXT_OF(name, text, meaning) [name] = text,

const char *http_verdict_text(enum http_verdict verdict)
{
    static const char *const texts[] = {HTTP_VERDICT_LIST(TEXT_OF)};
    return texts[verdict];
}

const char *guarantee_text(enum guarantee guarantee)
{
    static const char *const texts[] = {GUARANTEE_LIST(TEXT_OF)};
    return texts[guarantee];
}

bool status_pattern_good(const char *pattern)
{
    bool digits = strlen(pattern) == 3 && pattern[0] >= '1' && pattern[0] <= '5';
    for (size_t i = 1; digits && i < 3; i++)
        digits = pattern[i] == 'x' || (pattern[i] >= '0' && pattern[i] <= '9');
    return digits;
}

static bool matches(const char *pattern, int status)
{
    int part[] = {status / 100, status / 10 % 10, status % 10};
    for (size_t i = 0; i < 3; i++)
        if (pattern[i] != 'x' && pattern[i] - '0' != part[i])
            return false;
    return true;
}

static bool listed(const struct texts *list, int status)
{
    for (size_t i = 0; i < list->count; i++)
        if (matches(list->at[i], status))
            return true;
    return false;
}

/* The request's own lists come before the rules. */
static const char *own_list(const struct http_shape *shape, int status, enum http_verdict *verdict)
{
    const struct {
        const char *name;
        const struct texts *list;
        enum http_verdict verdict;
    } own[] = {
        {"done", &shape->done, HTTP_DONE},
        {"exists", &shape->exists, HTTP_EXISTS},
        {"later", &shape->later, HTTP_LATER},
        {"refused", &shape->refused, HTTP_REFUSED},
    };
    for (size_t i = 0; i < LENGTH(own); i++)
        if (listed(own[i].list, status)) {
            *verdict = own[i].verdict;
            return own[i].name;
        }
    return NULL;
}

static const struct http_status_row *row_of(int status)
{
    for (size_t i = 0; i < http_status_row_count; i++)
        if (status >= http_status_rows[i].from && status <= http_status_rows[i].to)
            return &http_status_rows[i];
    return NULL;
}

enum http_verdict http_judge(const struct http_shape *shape, int status)
{
    enum http_verdict verdict;
    const struct http_status_row *row = row_of(status);
    if (shape && own_list(shape, status, &verdict))
        return verdict;
    return row ? row->verdict : HTTP_UNKNOWN;
}

void status_because(const struct http_shape *shape, int status, struct str *out)
{
    enum http_verdict verdict;
    const char *list = own_list(shape, status, &verdict);
    const struct http_status_row *row = row_of(status);
    if (list)
        str_addf(out, "`%s` has it", list);
    else if (row && row->verdict != HTTP_DONE)
        str_addz(out, row->because);
}
