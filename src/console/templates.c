/* SPDX-License-Identifier: Apache-2.0 */
#include "console_p.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEMPLATE_MAX ((size_t)256 * 1024)

struct template
{
    char name[64]; /* without ".html" */
    struct str text;
};

struct templates {
    struct template *at;
    size_t count;
    char mark[DIGEST_HEX_SIZE];
};

static void close_file(FILE **file)
{
    if (*file)
        fclose(*file);
}

static void close_folder(DIR **folder)
{
    if (*folder)
        closedir(*folder);
}

static enum rc read_one(const char *path, struct str *out, struct err *err)
{
    CLEANUP(close_file) FILE *file = fopen(path, "re");
    char piece[4096];
    size_t n;
    if (!file)
        return FAIL(err, RC_BROKEN, "console: %s cannot be read: %s", path, strerror(errno));
    while (out->len <= TEMPLATE_MAX && (n = fread(piece, 1, sizeof piece, file)) > 0)
        str_add(out, (struct slice){piece, n});
    if (out->len > TEMPLATE_MAX)
        return FAIL(err, RC_BROKEN, "console: %s is too large", path);
    return RC_OK;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

static enum rc add(struct templates *t, const char *folder, const char *name, struct err *err)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    struct err why = ERR_INIT;
    bool page = ends_with(name, ".html");
    str_addf(&path, "%s/%s", folder, name);
    t->at = mem_grow(t->at, t->count + 1, sizeof *t->at);
    struct template *one = &t->at[t->count++];
    *one = (struct template){.text = STR_INIT};
    text_copy(one->name, sizeof one->name, name);
    if (page)
        one->name[strlen(one->name) - 5] = '\0';
    TRY(read_one(str_z(&path), &one->text, err));
    if (page && mustache_check(str_slice(&one->text), NULL, &why) != RC_OK)
        return FAIL(err, RC_BROKEN, "%s:%s", str_z(&path), why.text);
    return RC_OK;
}

static int by_name(const void *a, const void *b)
{
    const struct template *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static void mark(struct templates *t)
{
    struct sha256 *h = sha256_new();
    for (size_t i = 0; i < t->count; i++)
        sha256_add(h, str_slice(&t->at[i].text));
    struct digest d = sha256_done(&h);
    digest_hex(&d, t->mark);
    t->mark[12] = '\0';
}

enum rc templates_read(const char *folder, struct templates **out, struct err *err)
{
    CLEANUP(close_folder) DIR *dir = opendir(folder);
    CLEANUP(templates_free) struct templates *t = mem_new(1, sizeof *t);
    if (!dir)
        return FAIL(err, RC_BROKEN, "console: its templates are not in %s: %s", folder,
                    strerror(errno));
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): nobody else reads this folder here */
    for (struct dirent *e; (e = readdir(dir));)
        if (ends_with(e->d_name, ".html") || ends_with(e->d_name, ".css") ||
            ends_with(e->d_name, ".js") || ends_with(e->d_name, ".svg") ||
            ends_with(e->d_name, ".yaml"))
            TRY(add(t, folder, e->d_name, err));
    if (t->count > 0)
        qsort(t->at, t->count, sizeof *t->at, by_name);
    mark(t);
    if (templates_get(t, "frame").len == 0)
        return FAIL(err, RC_BROKEN, "console: there is no frame.html in %s", folder);
    *out = STEAL(t);
    return RC_OK;
}

void templates_free(struct templates **templates)
{
    struct templates *t = *templates;
    if (!t)
        return;
    for (size_t i = 0; i < t->count; i++)
        str_clear(&t->at[i].text);
    free(t->at);
    free(t);
    *templates = NULL;
}

struct slice templates_get(const struct templates *templates, const char *name)
{
    for (size_t i = 0; i < templates->count; i++)
        if (strcmp(templates->at[i].name, name) == 0)
            return str_slice(&templates->at[i].text);
    return SLICE_EMPTY;
}

const char *templates_mark(const struct templates *templates)
{
    return templates->mark;
}
