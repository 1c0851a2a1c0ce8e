/* SPDX-License-Identifier: Apache-2.0 */
#include "bundle.h"

#include <sys/stat.h>
#include <unistd.h>

enum rc bundle_begin(struct bundle *b, const struct bundle_place *place, struct err *err)
{
    *b = (struct bundle){.top = place->top, .sums = STR_INIT};
    return tar_begin(place->file, place->to, &b->tar, err);
}

static enum rc
entry(struct bundle *b, const char *path, int64_t size, int64_t at_ms, struct err *err)
{
    CLEANUP(str_clear) struct str inside = STR_INIT;
    str_addf(&inside, "%s/%s", b->top, path);
    return tar_entry(b->tar, str_z(&inside), size, at_ms, err);
}

static void count(struct bundle *b, const char *path, const struct digest *digest, int64_t octets)
{
    char hex[DIGEST_HEX_SIZE];
    digest_hex(digest, hex);
    str_addf(&b->sums, "%s  %s\n", hex, path);
    b->files++;
    b->octets += octets;
}

enum rc
bundle_put(struct bundle *b, const char *path, struct slice octets, int64_t at_ms, struct err *err)
{
    struct digest digest = sha256_of(octets);
    TRY(entry(b, path, (int64_t)octets.len, at_ms, err));
    TRY(tar_add(b->tar, octets, err));
    count(b, path, &digest, (int64_t)octets.len);
    return RC_OK;
}

static enum rc cannot_read(const char *path, struct err *err)
{
    return FAIL(err, RC_BROKEN, "'%s' cannot be read whole", path);
}

enum rc bundle_copy(
    struct bundle *b, const char *path, int fd, int64_t at_ms, struct digest *out, struct err *err)
{
    static char room[65536];
    struct stat facts;
    int64_t octets = 0;
    ssize_t n;
    if (fstat(fd, &facts) != 0)
        return cannot_read(path, err);
    TRY(entry(b, path, facts.st_size, at_ms, err));
    CLEANUP(sha256_drop) struct sha256 *h = sha256_new();
    for (; (n = read(fd, room, sizeof room)) > 0; octets += n) {
        sha256_add(h, (struct slice){room, (size_t)n});
        TRY(tar_add(b->tar, (struct slice){room, (size_t)n}, err));
    }
    if (n < 0 || octets != facts.st_size)
        return cannot_read(path, err);
    *out = sha256_done(&h);
    count(b, path, out, octets);
    return RC_OK;
}

enum rc
bundle_end(struct bundle *b, int64_t at_ms, struct digest *out, int64_t *size, struct err *err)
{
    TRY(entry(b, "SHA256SUMS", (int64_t)b->sums.len, at_ms, err));
    TRY(tar_add(b->tar, str_slice(&b->sums), err));
    return tar_end(&b->tar, out, size, err);
}

void bundle_clear(struct bundle *b)
{
    tar_drop(&b->tar);
    str_clear(&b->sums);
}
