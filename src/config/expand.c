/* SPDX-License-Identifier: Apache-2.0 */
#include "reading.h"
#include "texts.h"

#include <stdlib.h>

static bool is_variable(struct slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.at[i];
        bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';

        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return name.len > 0;
}

static bool add_variable(struct reading *r, struct place place, struct slice name, struct str *out)
{
    CLEANUP(str_wipe) struct str copy = STR_INIT;

    str_add(&copy, name); /* it is in the middle of a text */
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): nobody here changes the environment */
    const char *value = getenv(str_z(&copy));

    if (value == NULL || !is_plain(slice_z(value))) {
        problem_at(r->problems, place, "%s: the environment variable %s %s", str_z(&r->path),
                   str_z(&copy),
                   value == NULL ? "is not set" : "holds control characters, such as line ends");
        return false;
    }
    str_addz(out, value);
    return true;
}

/* `text` begins with "${"; what was used is taken off it. */
static bool
take_variable(struct reading *r, struct place place, struct slice *text, struct str *out)
{
    size_t end = slice_find(*text, '}', 0);
    struct slice name = slice_cut(*text, 2, end - 2);

    if (end == text->len || !is_variable(name)) {
        problem_at(r->problems, place,
                   "%s: \"${\" begins no variable: expected ${NAME}, or $${ for ${ itself",
                   str_z(&r->path));
        return false;
    }
    *text = slice_cut(*text, end + 1, text->len);
    return add_variable(r, place, name, out);
}

/* One pass: what a variable holds is not looked into again. */
bool expand(struct reading *r, const struct node *value, struct str *out)
{
    struct slice rest = str_slice(&value->text);

    while (rest.len > 0) {
        if (slice_starts_nocase(rest, SLICE("$${"))) {
            str_addz(out, "${");
            rest = slice_cut(rest, 3, rest.len);
        } else if (slice_starts_nocase(rest, SLICE("${"))) {
            if (!take_variable(r, value->place, &rest, out))
                return false;
        } else {
            str_add(out, slice_cut(rest, 0, 1));
            rest = slice_cut(rest, 1, rest.len);
        }
    }
    return true;
}
