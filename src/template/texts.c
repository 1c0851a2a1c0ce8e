/* SPDX-License-Identifier: Apache-2.0 */
#include "texts.h"

#include <onecase/mustache.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEMPLATE_MAX  ((size_t)256 * 1024)
#define LANGUAGES_MAX 64 /* templates of one name */

/* ---- one file ------------------------------------------------------------------------------------ */

static enum rc read_file(const char *path, struct str *out, struct err *err)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return FAIL(err, RC_REFUSED, "%s:1: the template cannot be read: %s", path,
                    strerror(errno));
    char piece[4096];
    for (size_t n; out->len <= TEMPLATE_MAX && (n = fread(piece, 1, sizeof piece, f)) > 0;)
        str_add(out, (struct slice){piece, n});
    bool bad = ferror(f) != 0;
    fclose(f);
    if (bad || out->len > TEMPLATE_MAX)
        return FAIL(err, RC_REFUSED, "%s:1: the template cannot be read, or is larger than 256 kB",
                    path);
    return RC_OK;
}

static enum rc check_fields(const char *path, struct slice text, struct err *err)
{
    const char *known[LETTER_FIELDS_MAX] = {NULL};
    for (size_t i = 0; letter_fields[i].name; i++)
        known[i] = letter_fields[i].name;
    struct err why = ERR_INIT;
    enum rc rc = mustache_check(text, known, &why);
    return rc == RC_OK ? RC_OK : FAIL(err, rc, "%s:%s", path, why.text);
}

static bool value_of(struct slice line, struct slice field, struct slice *out)
{
    if (!slice_starts_nocase(line, field))
        return false;
    *out = slice_trim(slice_cut(line, field.len, line.len));
    return true;
}

/* The language stands in the file's name or in its second line; where in both, they agree. */
static enum rc
take_language(const char *path, struct slice said, int line, struct text *t, struct err *err)
{
    char tag[LANGUAGES_SIZE];
    if (!language_valid(said))
        return FAIL(err, RC_REFUSED, "%s:%d: '%.*s' is no language; expected one such as de", path,
                    line, (int)(said.len < 40 ? said.len : 40), said.at);
    language_list(said, tag);
    if (t->language[0] && strcmp(t->language, tag) != 0)
        return FAIL(err, RC_REFUSED, "%s:%d: the language is %s, and that of the file's name %s",
                    path, line, tag, t->language);
    text_copy(t->language, sizeof t->language, tag);
    return RC_OK;
}

/* "Subject: …", perhaps "Content-Language: …", an empty line, the text. */
static enum rc split(const char *path, struct text *t, struct err *err)
{
    struct slice rest = str_slice(&t->octets);
    struct slice line = SLICE_EMPTY, said;
    int number = 1;
    slice_next(&rest, '\n', &line);
    if (!value_of(slice_trim(line), SLICE("Subject:"), &t->subject))
        return FAIL(err, RC_REFUSED, "%s:1: the first line must be 'Subject: ...'", path);
    bool more = slice_next(&rest, '\n', &line);
    number++;
    if (more && value_of(slice_trim(line), SLICE("Content-Language:"), &said)) {
        TRY(take_language(path, said, number, t, err));
        more = slice_next(&rest, '\n', &line);
        number++;
    }
    if (!more || slice_trim(line).len > 0)
        return FAIL(err, RC_REFUSED,
                    "%s:%d: an empty line must follow the subject and the Content-Language", path,
                    number);
    t->body = rest;
    return RC_OK;
}

/* acknowledgement.html stands beside acknowledgement.txt. */
static enum rc load_html(const char *path, struct text *t, struct err *err)
{
    CLEANUP(str_clear) struct str html = STR_INIT;
    struct slice stem = slice_z(path);
    const char *dot = strrchr(path, '.');
    if (dot && !strchr(dot, '/'))
        stem.len = (size_t)(dot - path);
    str_add(&html, stem);
    str_addz(&html, ".html");
    TRY(read_file(str_z(&html), &t->html, err));
    return check_fields(str_z(&html), str_slice(&t->html), err);
}

static enum rc
load_one(const struct letter_settings *settings, const char *path, struct text *t, struct err *err)
{
    TRY(read_file(path, &t->octets, err));
    TRY(check_fields(path, str_slice(&t->octets), err));
    TRY(split(path, t, err));
    return settings->html ? load_html(path, t, err) : RC_OK;
}

/* ---- one a language ------------------------------------------------------------------------------ */

/* The tag of "STEM.TAG.EXTENSION"; empty where the name is not of that form. */
static struct slice tag_of(const char *name, struct slice stem, struct slice extension)
{
    struct slice whole = slice_z(name);
    if (whole.len <= stem.len + extension.len + 1 || whole.at[stem.len] != '.' ||
        !slice_eq(slice_cut(whole, 0, stem.len), stem) ||
        !slice_eq(slice_cut(whole, whole.len - extension.len, extension.len), extension))
        return SLICE_EMPTY;
    struct slice tag = slice_cut(whole, stem.len + 1, whole.len - extension.len - stem.len - 1);
    return language_valid(tag) ? tag : SLICE_EMPTY;
}

static bool wanted(const struct letter_settings *settings, struct slice tag)
{
    for (size_t i = 0; i < settings->languages.count; i++)
        if (slice_eq_nocase(tag, slice_z(settings->languages.at[i])))
            return true;
    return settings->languages.count == 0;
}

static enum rc load_language(const struct letter_settings *settings,
                             const char *name,
                             struct slice tag,
                             struct text_set *set,
                             struct err *err)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    struct text *t = &set->at[set->count];
    if (!wanted(settings, tag) || set->count == LANGUAGES_MAX)
        return RC_OK;
    set->count++;
    str_addf(&path, "%s/%s", settings->templates_dir, name);
    TRY(take_language(str_z(&path), tag, 1, t, err));
    return load_one(settings, str_z(&path), t, err);
}

static enum rc load_languages(const struct letter_settings *settings,
                              const char *file,
                              struct text_set *set,
                              struct err *err)
{
    const char *dot = strrchr(file, '.');
    struct slice stem = {file, dot ? (size_t)(dot - file) : strlen(file)};
    struct slice extension = slice_z(dot ? dot : "");
    struct dirent **entry = NULL;
    int count = scandir(settings->templates_dir, &entry, NULL, alphasort);
    enum rc rc = RC_OK;
    for (int i = 0; i < count; i++) {
        struct slice tag = tag_of(entry[i]->d_name, stem, extension);
        if (rc == RC_OK && tag.len > 0)
            rc = load_language(settings, entry[i]->d_name, tag, set, err);
        free(entry[i]);
    }
    free(entry);
    return rc;
}

enum rc texts_load(const struct letter_settings *settings,
                   const char *file,
                   struct text_set *out,
                   struct err *err)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    if (!file || !file[0])
        return RC_OK;
    str_addf(&path, "%s/%s", settings->templates_dir, file);
    out->at = mem_new(LANGUAGES_MAX, sizeof *out->at);
    out->count = 1;
    TRY(load_one(settings, str_z(&path), &out->at[0], err));
    return load_languages(settings, file, out, err);
}

void texts_clear(struct text_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        str_clear(&set->at[i].octets);
        str_clear(&set->at[i].html);
    }
    free(set->at);
    *set = (struct text_set){NULL, 0};
}

const struct text *
texts_pick(const struct text_set *set, const struct letter_settings *settings, const char *wished)
{
    const char *spoken[LANGUAGES_MAX];
    for (size_t i = 0; i < set->count; i++)
        spoken[i] =
            i > 0 || wanted(settings, slice_z(set->at[0].language)) ? set->at[i].language : "";
    if (set->count == 0)
        return NULL;
    size_t found = language_pick(wished ? wished : "", spoken, set->count);
    if (found == set->count && settings->language)
        found = language_pick(settings->language, spoken, set->count);
    return &set->at[found < set->count ? found : 0];
}
