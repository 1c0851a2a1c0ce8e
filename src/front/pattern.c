/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/front.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* One word of a pattern: what may stand at this place. */
struct word {
    const char *at;
    size_t len;
    struct slice value; /* of an option: the name of its value, or what it may be; empty: none */
    bool optional;
};

static bool is_option(const struct word *w)
{
    return w->len > 2 && strncmp(w->at, "--", 2) == 0;
}

static bool is_name(const char *at, size_t len)
{
    return len > 0 && isupper((unsigned char)at[0]);
}

static bool is_value(const struct word *w)
{
    return is_name(w->at, w->len);
}

static size_t span(const char *s)
{
    return strcspn(s, " ][");
}

/* Takes the next word off the pattern; false at its end. */
static bool next_word(const char **rest, struct word *out)
{
    const char *p = *rest + strspn(*rest, " ]");
    *out = (struct word){.optional = *p == '['};
    p += out->optional;
    if (*p == '\0')
        return false;
    out->at = p;
    out->len = span(p);
    p += out->len;
    if (is_option(out) && *p == ' ' && isalpha((unsigned char)p[1])) {
        out->value = (struct slice){p + 1, strcspn(p + 1, " ]")};
        p += 1 + out->value.len;
    }
    *rest = p;
    return true;
}

size_t pattern_words(const char *pattern, char *const *argv, size_t argc)
{
    struct word w;
    size_t n = 0;
    while (next_word(&pattern, &w) && !w.optional && !is_option(&w) && !is_value(&w) &&
           !memchr(w.at, '|', w.len)) {
        if (n >= argc || strlen(argv[n]) != w.len || strncmp(argv[n], w.at, w.len) != 0)
            return 0;
        n++;
    }
    return n;
}

/* Is `text` one of "a|b|c"? */
static bool one_of(struct slice choice, const char *text, size_t len)
{
    struct slice rest = choice, one;
    while (slice_next(&rest, '|', &one))
        if (one.len == len && memcmp(one.at, text, len) == 0)
            return true;
    return false;
}

static bool find_option(const char *pattern, const char *text, size_t len, struct word *out)
{
    while (next_word(&pattern, out))
        if (is_option(out) && one_of((struct slice){out->at, out->len}, text, len))
            return true;
    return false;
}

/* The word at the n-th place that is no option and no word of the pattern's own. */
static bool find_place(const char *pattern, size_t n, struct word *out)
{
    while (next_word(&pattern, out)) {
        bool choice = memchr(out->at, '|', out->len) != NULL;
        if (is_option(out) || (!is_value(out) && !choice && !out->optional))
            continue;
        if (n-- == 0)
            return true;
    }
    return false;
}

static enum rc
keep(struct args *out, const char *name, size_t length, const char *value, struct err *err)
{
    if (out->count == ARGS_MAX)
        return FAIL(err, RC_USAGE, "more is typed than can be meant");
    out->at[out->count].name = name;
    out->at[out->count].length = length;
    out->at[out->count++].value = value;
    return RC_OK;
}

static enum rc check_value(
    const char *option, size_t len, struct slice allowed, const char *value, struct err *err)
{
    if (is_name(allowed.at, allowed.len) || one_of(allowed, value, strlen(value)))
        return RC_OK;
    return FAIL(err, RC_USAGE, "%.*s takes %.*s, and not '%s'", (int)len, option, (int)allowed.len,
                allowed.at, value);
}

static enum rc take_option(const char *pattern,
                           char *const *argv,
                           size_t argc,
                           size_t *i,
                           struct args *out,
                           struct err *err)
{
    const char *text = argv[*i];
    const char *value = strchr(text, '=');
    size_t len = value ? (size_t)(value++ - text) : strlen(text);
    struct word w;
    if (!find_option(pattern, text, len, &w))
        return FAIL(err, RC_USAGE, "there is no option %.*s here", (int)len, text);
    if (w.value.len == 0 && value)
        return FAIL(err, RC_USAGE, "%.*s takes no value", (int)len, text);
    if (w.value.len == 0)
        return keep(out, text, len, "", err);
    if (!value && *i + 1 < argc)
        value = argv[++*i];
    if (!value)
        return FAIL(err, RC_USAGE, "%s needs a value: %.*s", text, (int)w.value.len, w.value.at);
    TRY(check_value(text, len, w.value, value, err));
    return keep(out, text, len, value, err);
}

static enum rc
take_place(const char *pattern, size_t place, const char *text, struct args *out, struct err *err)
{
    struct word w;
    if (!find_place(pattern, place, &w))
        return FAIL(err, RC_USAGE, "'%s' is one word too many", text);
    if (!is_value(&w) && !one_of((struct slice){w.at, w.len}, text, strlen(text)))
        return FAIL(err, RC_USAGE, "'%s' is not one of %.*s", text, (int)w.len, w.at);
    return keep(out, w.at, w.len, text, err);
}

static enum rc missing_place(const char *pattern, size_t place, struct err *err)
{
    struct word w;
    if (!find_place(pattern, place, &w) || w.optional)
        return RC_OK;
    return FAIL(err, RC_USAGE, "%.*s is missing", (int)w.len, w.at);
}

enum rc pattern_match(
    const char *pattern, char *const *argv, size_t argc, struct args *out, struct err *err)
{
    size_t place = 0;
    bool only_places = false;
    *out = (struct args){.count = 0};
    for (size_t i = pattern_words(pattern, argv, argc); i < argc; i++) {
        bool dashes = !only_places && strncmp(argv[i], "--", 2) == 0;
        enum rc rc = RC_OK;
        if (dashes && argv[i][2] == '\0')
            only_places = true;
        else
            rc = dashes ? take_option(pattern, argv, argc, &i, out, err)
                        : take_place(pattern, place++, argv[i], out, err);
        if (rc != RC_OK)
            return rc;
    }
    return missing_place(pattern, place, err);
}

const char *args_get(const struct args *args, const char *name)
{
    for (size_t i = 0; i < args->count; i++)
        if (args->at[i].length == strlen(name) &&
            strncmp(args->at[i].name, name, args->at[i].length) == 0)
            return args->at[i].value;
    return NULL;
}

bool args_has(const struct args *args, const char *name)
{
    return args_get(args, name) != NULL;
}
