/* SPDX-License-Identifier: Apache-2.0 */
#include "compared.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct listed {
    struct digest path; /* as it is listed */
    int64_t size;
};

struct compared {
    const struct stored *to;
    struct str path, place;
    FILE *more;
    struct digest *known; /* in order */
    size_t knows;
    struct listed *listed; /* in order; of an object store */
    size_t lists;
};

/* ---- names ---------------------------------------------------------------------------------------- */

static struct digest
name_of(const struct compared *c, const char *path, const struct digest *octets, int64_t size)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    char hex[DIGEST_HEX_SIZE];
    digest_hex(octets, hex);
    str_addf(&text, "%s\n%s\n%s\n%" PRId64, str_z(&c->place), path, hex, size);
    return sha256_of(str_slice(&text));
}

/* A listed one begins with a digest, too. */
static int by_digest(const void *a, const void *b)
{
    return memcmp(a, b, DIGEST_SIZE);
}

/* ---- what is there -------------------------------------------------------------------------------- */

static enum rc list_one(void *ctx, const char *path, int64_t size, struct err *err)
{
    struct compared *c = ctx;
    (void)err;
    c->listed = mem_grow(c->listed, c->lists + 1, sizeof *c->listed);
    c->listed[c->lists++] = (struct listed){sha256_of(slice_z(path)), size};
    return RC_OK;
}

static enum rc list(struct compared *c, struct err *err)
{
    if (!c->to->s3 || c->knows == 0)
        return RC_OK;
    TRY(s3_files_list(c->to->s3, list_one, c, err));
    if (c->lists > 0)
        qsort(c->listed, c->lists, sizeof *c->listed, by_digest);
    return RC_OK;
}

static bool size_there(const struct compared *c, const char *path, int64_t *size)
{
    struct err none = ERR_INIT;
    char name[BLOB_PATH_SIZE];
    if (!c->to->s3)
        return stored_size(c->to, path, size, &none) == RC_OK;
    if (!s3_listed_path(path, name, sizeof name) || c->lists == 0)
        return false;
    const struct digest digest = sha256_of(slice_z(name));
    const struct listed *found =
        bsearch(&digest, c->listed, c->lists, sizeof *c->listed, by_digest);
    if (found)
        *size = found->size;
    return found != NULL;
}

/* ---- what is known -------------------------------------------------------------------------------- */

/* What a call that was killed has half written is not read. */
static void read_known(struct compared *c)
{
    struct digest one;
    FILE *f = fopen(str_z(&c->path), "re");
    if (!f)
        return;
    while (fread(&one, sizeof one, 1, f) == 1) {
        c->known = mem_grow(c->known, c->knows + 1, sizeof one);
        c->known[c->knows++] = one;
    }
    (void)fclose(f);
    if (c->knows > 0)
        qsort(c->known, c->knows, sizeof *c->known, by_digest);
}

static enum rc cannot(const struct compared *c, struct err *err)
{
    return FAIL(err, RC_BROKEN, "'%s' cannot be written: %s", str_z(&c->path), strerror(errno));
}

/* A half record at its end would shift all that come after it. */
static enum rc open_more(struct compared *c, struct err *err)
{
    mode_t before = umask(S_IRWXG | S_IRWXO);
    c->more = fopen(str_z(&c->path), "ae");
    (void)umask(before);
    if (!c->more || ftruncate(fileno(c->more), (off_t)(c->knows * sizeof *c->known)) != 0)
        return cannot(c, err);
    return RC_OK;
}

enum rc compared_open(const char *data_dir,
                      const struct stored *to,
                      const char *place,
                      struct compared **out,
                      struct err *err)
{
    CLEANUP(compared_close) struct compared *c = mem_new(1, sizeof *c);
    c->to = to;
    str_addf(&c->path, "%s/moving-files", data_dir);
    str_addz(&c->place, place);
    read_known(c);
    TRY(list(c, err));
    TRY(open_more(c, err));
    *out = STEAL(c);
    return RC_OK;
}

void compared_close(struct compared **c)
{
    if (!*c)
        return;
    if ((*c)->more)
        (void)fclose((*c)->more);
    str_clear(&(*c)->path);
    str_clear(&(*c)->place);
    free((*c)->known);
    free((*c)->listed);
    free(*c);
    *c = NULL;
}

bool compared_before(const struct compared *c, const char *path, const struct digest *octets)
{
    int64_t size;
    if (c->knows == 0 || !size_there(c, path, &size))
        return false;
    const struct digest name = name_of(c, path, octets, size);
    return bsearch(&name, c->known, c->knows, sizeof *c->known, by_digest) != NULL;
}

enum rc compared_add(struct compared *c,
                     const char *path,
                     const struct digest *octets,
                     int64_t size,
                     struct err *err)
{
    const struct digest name = name_of(c, path, octets, size);
    return fwrite(&name, sizeof name, 1, c->more) == 1 && fflush(c->more) == 0 ? RC_OK
                                                                               : cannot(c, err);
}

void compared_forget(struct compared *c)
{
    (void)unlink(str_z(&c->path));
}
