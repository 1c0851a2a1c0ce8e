/* SPDX-License-Identifier: Apache-2.0 */
#include "reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void close_file(FILE **file)
{
    if (*file != NULL)
        fclose(*file);
}

/* At most one octet more than a configuration may have. False and errno where it cannot be. */
static bool read_whole(const char *path, struct str *out)
{
    CLEANUP(close_file) FILE *file = fopen(path, "re");
    char piece[4096];
    size_t got = 1;

    if (file == NULL)
        return false;
    while (got > 0 && out->len <= TREE_OCTETS_MAX) {
        got = fread(piece, 1, sizeof piece, file);
        str_add(out, (struct slice){piece, got});
    }
    return ferror(file) == 0;
}

/* The folder of the file, from the root on: the service may change its own. */
static void folder_of(const char *path, struct str *out)
{
    const char *slash = strrchr(path, '/');
    char here[4096];

    if (path[0] != '/')
        str_addz(out, getcwd(here, sizeof here) != NULL ? here : ".");
    if (slash == NULL)
        return;
    if (path[0] != '/')
        str_addc(out, '/');
    str_add(out, (struct slice){path, (size_t)(slash - path)});
}

static void cannot_read(struct problems *problems)
{
    char reason[96];
    int error = errno;

    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    problem_at(problems, (struct place){1, 1},
               "the configuration cannot be read: %s; name another file with -c or $ONECASE_CONFIG",
               reason);
}

static struct config *new_config(const char *path)
{
    struct config_memory *memory = memory_new();
    struct config *config = memory_get(memory, 1, sizeof *config);

    config->memory = memory;
    config->path = memory_text(memory, slice_z(path));
    return config;
}

struct config *reading_config(const char *path,
                              struct slice text,
                              const char *templates_dir,
                              struct problems *problems)
{
    CLEANUP(tree_free) struct node *root = yaml_tree_read(text, problems);
    CLEANUP(config_free) struct config *config = new_config(path);
    CLEANUP(str_clear) struct str folder = STR_INIT;

    if (root == NULL)
        return NULL;
    folder_of(path, &folder);
    CLEANUP(reading_clear)
    struct reading r = {
        .problems = problems,
        .config = config,
        .context = {config->memory, str_z(&folder)},
    };

    reading_all(&r, root);
    derive_all(&r, templates_dir);
    check_all(&r);
    return problems->count == 0 ? STEAL(config) : NULL;
}

enum rc
config_load(const char *path, const char *templates_dir, struct config **out, struct str *problems)
{
    CLEANUP(problems_clear) struct problems found = {NULL, 0};
    CLEANUP(str_wipe) struct str text = STR_INIT;
    struct config *config = NULL;

    if (read_whole(path, &text))
        config = reading_config(path, str_slice(&text), templates_dir, &found);
    else
        cannot_read(&found);
    problems_print(&found, path, problems);
    if (config == NULL)
        return RC_USAGE;
    *out = config;
    return RC_OK;
}

/* The struct itself is part of its memory. */
void config_free(struct config **config)
{
    if (*config == NULL)
        return;
    struct config_memory *memory = (*config)->memory;

    memory_free(&memory);
    *config = NULL;
}
