/* SPDX-License-Identifier: Apache-2.0 */
#include "bundle.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MODE   0600
#define FOLDER_MODE 0700

static void close_file(FILE **file)
{
    if (*file)
        fclose(*file);
    *file = NULL;
}

enum rc bundle_begin(struct bundle *b, const char *folder, struct err *err)
{
    *b = (struct bundle){.folder = folder, .sums = STR_INIT};
    if (mkdir(folder, FOLDER_MODE) == 0)
        return RC_OK;
    if (errno == EEXIST)
        return FAIL(err, RC_USAGE, "'%s' is there already; name another folder with --to", folder);
    return FAIL(err, RC_BROKEN, "'%s' cannot be made: %s", folder, strerror(errno));
}

/* The folders that lead to a file. */
static enum rc make_folders(const struct bundle *b, const char *path, struct err *err)
{
    for (const char *end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
        CLEANUP(str_clear) struct str folder = STR_INIT;
        str_addf(&folder, "%s/%.*s", b->folder, (int)(end - path), path);
        if (mkdir(str_z(&folder), FOLDER_MODE) != 0 && errno != EEXIST)
            return FAIL(err, RC_BROKEN, "'%s' cannot be made: %s", str_z(&folder), strerror(errno));
    }
    return RC_OK;
}

static enum rc open_new(const struct bundle *b, const char *path, FILE **out, struct err *err)
{
    CLEANUP(str_clear) struct str whole = STR_INIT;
    TRY(make_folders(b, path, err));
    str_addf(&whole, "%s/%s", b->folder, path);
    *out = fopen(str_z(&whole), "wbx");
    if (!*out)
        return FAIL(err, RC_BROKEN, "'%s' cannot be written: %s", str_z(&whole), strerror(errno));
    (void)chmod(str_z(&whole), FILE_MODE);
    return RC_OK;
}

static enum rc close_new(FILE **file, const char *path, struct err *err)
{
    int status = fflush(*file);
    bool failed = status != 0 || ferror(*file) != 0;
    close_file(file);
    return failed
               ? FAIL(err, RC_BROKEN, "'%s' could not be written whole: %s", path, strerror(errno))
               : RC_OK;
}

static void count(struct bundle *b, const char *path, const struct digest *digest, int64_t octets)
{
    char hex[DIGEST_HEX_SIZE];
    digest_hex(digest, hex);
    str_addf(&b->sums, "%s  %s\n", hex, path);
    b->files++;
    b->octets += octets;
}

enum rc bundle_put(struct bundle *b, const char *path, struct slice octets, struct err *err)
{
    CLEANUP(close_file) FILE *file = NULL;
    struct digest digest = sha256_of(octets);
    TRY(open_new(b, path, &file, err));
    (void)fwrite(octets.at, 1, octets.len, file);
    TRY(close_new(&file, path, err));
    count(b, path, &digest, (int64_t)octets.len);
    return RC_OK;
}

enum rc bundle_copy(
    struct bundle *b, const char *path, const char *from, struct digest *out, struct err *err)
{
    CLEANUP(close_file) FILE *source = fopen(from, "rb");
    CLEANUP(close_file) FILE *file = NULL;
    static char room[65536];
    int64_t octets = 0;
    if (!source)
        return FAIL(err, errno == ENOENT ? RC_NOT_FOUND : RC_BROKEN, "'%s' cannot be read: %s",
                    from, strerror(errno));
    TRY(open_new(b, path, &file, err));
    CLEANUP(sha256_drop) struct sha256 *h = sha256_new();
    for (size_t n; (n = fread(room, 1, sizeof room, source)) > 0; octets += (int64_t)n) {
        sha256_add(h, (struct slice){room, n});
        (void)fwrite(room, 1, n, file);
    }
    if (ferror(source))
        return FAIL(err, RC_BROKEN, "'%s' cannot be read", from);
    TRY(close_new(&file, path, err));
    *out = sha256_done(&h);
    count(b, path, out, octets);
    return RC_OK;
}

enum rc bundle_end(struct bundle *b, struct err *err)
{
    CLEANUP(close_file) FILE *file = NULL;
    TRY(open_new(b, "SHA256SUMS", &file, err));
    (void)fwrite(str_z(&b->sums), 1, b->sums.len, file);
    return close_new(&file, "SHA256SUMS", err);
}

void bundle_clear(struct bundle *b)
{
    str_clear(&b->sums);
}
