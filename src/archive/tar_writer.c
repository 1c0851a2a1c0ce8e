/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/tar_writer.h>

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tar {
    struct archive *to;
    struct str name, unfinished; /* as it will be called, as it is called */
    struct sha256 *hash;
    int64_t size;
    int64_t left; /* octets of the entry that are still to come */
    int fd;
    struct sealing *sealing; /* NULL: it is not sealed */
    struct str sealed;
    struct err why; /* that it cannot be sealed */
};

static enum rc cannot(const struct tar *t, struct err *err)
{
    const char *why = archive_error_string(t->to);
    return FAIL(err, RC_BROKEN, "'%s' cannot be written: %s", str_z(&t->name),
                why ? why : strerror(errno));
}

static bool write_all(struct tar *t, struct slice octets)
{
    sha256_add(t->hash, octets);
    t->size += (int64_t)octets.len;
    while (octets.len > 0) {
        ssize_t n = write(t->fd, octets.at, octets.len);
        if (n < 0 && errno != EINTR)
            return false;
        octets = slice_cut(octets, n > 0 ? (size_t)n : 0, octets.len);
    }
    return true;
}

static bool write_sealed(struct tar *t)
{
    bool is_written = write_all(t, str_slice(&t->sealed));
    str_empty(&t->sealed);
    return is_written;
}

/* Called by the library with whole records. */
static la_ssize_t write_some(struct archive *to, void *tar, const void *octets, size_t count)
{
    struct tar *t = tar;
    const struct slice all = {octets, count};
    bool is_sealed = !t->sealing || seal_add(t->sealing, all, &t->sealed, &t->why) == RC_OK;
    if (is_sealed && (t->sealing ? write_sealed(t) : write_all(t, all)))
        return (la_ssize_t)count;
    archive_set_error(to, errno, "%s", is_sealed ? strerror(errno) : t->why.text);
    return -1;
}

static enum rc open_beside(struct tar *t, struct err *err)
{
    char *unfinished;
    if (access(str_z(&t->name), F_OK) == 0)
        return FAIL(err, RC_USAGE, "'%s' is there already; name another file with --to",
                    str_z(&t->name));
    str_addf(&t->unfinished, "%s.XXXXXX", str_z(&t->name));
    unfinished = t->unfinished.at;
    t->fd = mkstemp(unfinished); /* mode 0600 */
    if (t->fd < 0)
        return FAIL(err, RC_BROKEN, "'%s' cannot be written: %s", str_z(&t->name), strerror(errno));
    return RC_OK;
}

static bool ends_with(const struct str *name, struct slice end)
{
    return name->len >= end.len &&
           slice_eq(slice_cut(str_slice(name), name->len - end.len, end.len), end);
}

/* Without the time, so that the same entries still give the same octets. */
static bool compresses_as_named(struct tar *t)
{
    if (!ends_with(&t->name, SLICE(".gz")) && !ends_with(&t->name, SLICE(".gz.cms")))
        return true;
    return archive_write_add_filter_gzip(t->to) == ARCHIVE_OK &&
           archive_write_set_filter_option(t->to, "gzip", "timestamp", NULL) == ARCHIVE_OK;
}

enum rc tar_begin(const char *name, const struct recipients *to, struct tar **out, struct err *err)
{
    CLEANUP(tar_drop) struct tar *t = mem_new(1, sizeof *t);
    t->fd = -1;
    str_addz(&t->name, name);
    TRY(open_beside(t, err));
    TRY(to ? seal_begin(to, &t->sealing, err) : RC_OK);
    t->hash = sha256_new();
    t->to = archive_write_new();
    if (!t->to)
        abort();
    /* GNU's own format: it takes names as octets, whatever the locale. */
    if (archive_write_set_format_gnutar(t->to) != ARCHIVE_OK || !compresses_as_named(t) ||
        archive_write_open(t->to, t, NULL, write_some, NULL) != ARCHIVE_OK)
        return cannot(t, err);
    *out = STEAL(t);
    return RC_OK;
}

static void entry_free(struct archive_entry **entry)
{
    archive_entry_free(*entry);
}

enum rc tar_entry(struct tar *t, const char *path, int64_t size, int64_t at_ms, struct err *err)
{
    CLEANUP(entry_free) struct archive_entry *entry = archive_entry_new();
    if (!entry)
        abort();
    archive_entry_copy_pathname(entry, path);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0600);
    archive_entry_set_size(entry, size);
    archive_entry_set_mtime(entry, at_ms / 1000, 0);
    t->left = size;
    return archive_write_header(t->to, entry) == ARCHIVE_OK ? RC_OK : cannot(t, err);
}

enum rc tar_add(struct tar *t, struct slice octets, struct err *err)
{
    if ((int64_t)octets.len > t->left)
        return FAIL(err, RC_BROKEN, "'%s': a file has become longer while it was read",
                    str_z(&t->name));
    if (archive_write_data(t->to, octets.at, octets.len) != (la_ssize_t)octets.len)
        return cannot(t, err);
    t->left -= (int64_t)octets.len;
    return RC_OK;
}

static enum rc give_name(struct tar *t, struct err *err)
{
    if (archive_write_close(t->to) != ARCHIVE_OK)
        return cannot(t, err);
    if (t->sealing) {
        TRY(seal_end(&t->sealing, &t->sealed, err));
        if (!write_sealed(t))
            return cannot(t, err);
    }
    if (fsync(t->fd) != 0 || rename(str_z(&t->unfinished), str_z(&t->name)) != 0)
        return FAIL(err, RC_BROKEN, "'%s' cannot be written: %s", str_z(&t->name), strerror(errno));
    str_clear(&t->unfinished);
    return RC_OK;
}

enum rc tar_end(struct tar **tar, struct digest *out, int64_t *size, struct err *err)
{
    CLEANUP(tar_drop) struct tar *t = STEAL(*tar);
    TRY(give_name(t, err));
    *out = sha256_done(&t->hash);
    *size = t->size;
    return RC_OK;
}

void tar_drop(struct tar **tar)
{
    struct tar *t = *tar;
    if (!t)
        return;
    if (t->to)
        (void)archive_write_free(t->to);
    if (t->hash)
        sha256_drop(&t->hash);
    if (t->fd >= 0)
        (void)close(t->fd);
    if (t->unfinished.len > 0)
        (void)unlink(str_z(&t->unfinished));
    seal_drop(&t->sealing);
    str_clear(&t->sealed);
    str_clear(&t->unfinished);
    str_clear(&t->name);
    free(t);
    *tar = NULL;
}
