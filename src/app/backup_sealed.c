/* SPDX-License-Identifier: Apache-2.0 */
#include "backup_sealed.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a piece may have beside what is inside, for all recipients and the lengths between. */
#define SEALED_MOST (SEALED_PIECE + SEALED_PIECE / 4)

/* ---- what is sealed already ------------------------------------------------------------------------ */

static int by_plain(const void *a, const void *b)
{
    const struct sealed_file *one = a, *other = b;
    return memcmp(&one->plain, &other->plain, sizeof one->plain);
}

/* "sealed/DIGEST/SIZE/N" */
static bool read_line(const char *path, struct sealed_file *out, size_t *number)
{
    struct slice rest = slice_z(path), word;
    char *end = NULL;
    *out = (struct sealed_file){.size = -1};
    for (int depth = 0; depth < 2; depth++)
        if (!slice_next(&rest, '/', &word))
            return false;
    if ((!slice_eqz(word, MANIFEST_INNER) && !digest_from_hex(word, &out->plain)) || rest.len == 0)
        return false;
    out->size = strtoll(rest.at, &end, 10);
    *number = *end == '/' ? (size_t)strtoull(end + 1, &end, 10) : 0;
    return *end == '\0' && out->size >= 0;
}

static struct sealed_file *keep(struct sealed_files *files, const struct sealed_file *found)
{
    struct sealed_file *new = mem_new(1, sizeof *new);
    *new = *found;
    struct sealed_file **kept = tsearch(new, &files->tree, by_plain);
    if (!kept)
        abort();
    if (*kept != new) {
        **kept = *found;
        free(new);
    }
    return *kept;
}

void sealed_files_learn(struct sealed_files *files, const struct manifest *m, size_t first)
{
    struct sealed_file *last = NULL;
    for (size_t i = first; i < m->files; i++) {
        struct sealed_file found;
        size_t number;
        if (!read_line(m->file[i].path, &found, &number))
            continue;
        found.in = m;
        found.first = i;
        found.pieces = 1;
        if (number == 1)
            last = keep(files, &found);
        else if (last && by_plain(last, &found) == 0 && number == last->pieces + 1)
            last->pieces++;
    }
}

const struct sealed_file *sealed_files_find(const struct sealed_files *files,
                                            const struct digest *plain)
{
    const struct sealed_file wanted = {.plain = *plain};
    struct sealed_file *const *found = tfind(&wanted, &files->tree, by_plain);
    return found ? *found : NULL;
}

bool sealed_file_is_whole(const struct sealed_file *file)
{
    size_t size = (size_t)file->size;
    return file->pieces == (size == 0 ? 1 : (size - 1) / SEALED_PIECE + 1);
}

void sealed_files_clear(struct sealed_files *files)
{
    while (files->tree) {
        struct sealed_file *top = *(struct sealed_file **)files->tree;
        (void)tdelete(top, &files->tree, by_plain);
        free(top);
    }
}

/* ---- writing ----------------------------------------------------------------------------------------- */

void sealed_begin(struct sealed_writing *w, const struct recipients *to, struct blob_store *store)
{
    *w = (struct sealed_writing){.to = to, .store = store, .hash = sha256_new()};
}

static enum rc end_piece(struct sealed_writing *w, struct err *err)
{
    char path[BLOB_PATH_SIZE];
    TRY(seal_end(&w->piece, &w->octets, err));
    const struct digest octets = sha256_of(str_slice(&w->octets));
    blob_path_pooled(&octets, path);
    TRY(blob_put(w->store, path, str_slice(&w->octets), err));
    manifest_add(&w->pieces, path, &octets, (int64_t)w->octets.len);
    str_empty(&w->octets);
    return RC_OK;
}

static enum rc begin_piece(struct sealed_writing *w, struct err *err)
{
    w->left = SEALED_PIECE;
    return seal_begin(w->to, &w->piece, err);
}

static enum rc
add_to_piece(struct sealed_writing *w, struct slice octets, size_t *taken, struct err *err)
{
    if (w->piece && w->left == 0)
        TRY(end_piece(w, err));
    if (!w->piece)
        TRY(begin_piece(w, err));
    *taken = octets.len < w->left ? octets.len : w->left;
    w->left -= *taken;
    return seal_add(w->piece, slice_cut(octets, 0, *taken), &w->octets, err);
}

enum rc sealed_add(void *writing, struct slice octets, struct err *err)
{
    struct sealed_writing *w = writing;
    sha256_add(w->hash, octets);
    w->size += (int64_t)octets.len;
    for (size_t taken; octets.len > 0; octets = slice_cut(octets, taken, octets.len))
        TRY(add_to_piece(w, octets, &taken, err));
    return RC_OK;
}

static void name_pieces(const struct sealed_writing *w, const char *name, struct manifest *out)
{
    for (size_t i = 0; i < w->pieces.files; i++) {
        char path[BLOB_PATH_SIZE];
        snprintf(path, sizeof path, "sealed/%s/%" PRId64 "/%zu", name, w->size, i + 1);
        manifest_add(out, path, &w->pieces.file[i].octets, w->pieces.file[i].size);
    }
}

enum rc sealed_end(struct sealed_writing *w,
                   const struct digest *plain,
                   struct manifest *out,
                   struct err *err)
{
    char name[DIGEST_HEX_SIZE] = MANIFEST_INNER;
    const struct digest found = sha256_done(&w->hash);
    if (plain && !digest_eq(&found, plain))
        return FAIL(err, RC_REFUSED, "backup: a file is not what was stored");
    if (!w->piece && w->pieces.files == 0)
        TRY(begin_piece(w, err)); /* of nothing */
    if (w->piece)
        TRY(end_piece(w, err));
    if (plain)
        digest_hex(plain, name);
    name_pieces(w, name, out);
    return RC_OK;
}

void sealed_drop(struct sealed_writing *w)
{
    sha256_drop(&w->hash);
    seal_drop(&w->piece);
    manifest_clear(&w->pieces);
    str_clear(&w->octets);
}

/* ---- reading ----------------------------------------------------------------------------------------- */

void sealed_reader_open(struct sealed_reader *r,
                        const struct blobs *folder,
                        const struct manifest *manifest,
                        const struct seal_key *key)
{
    *r = (struct sealed_reader){.folder = folder, .manifest = manifest, .key = key};
    sealed_files_learn(&r->files, manifest, 0);
}

void sealed_reader_close(struct sealed_reader *r)
{
    sealed_files_clear(&r->files);
}

static enum rc changed(struct err *err)
{
    return FAIL(err, RC_REFUSED, "backup: a file is not what was saved");
}

static enum rc gather(void *ctx, struct slice octets, struct err *err)
{
    struct str *out = ctx;
    if (octets.len > SEALED_MOST - out->len)
        return changed(err);
    str_add(out, octets);
    return RC_OK;
}

static enum rc read_piece(struct sealed_reader *r,
                          const struct manifest_file *piece,
                          const struct blob_sink *to,
                          struct err *err)
{
    CLEANUP(str_clear) struct str sealed = STR_INIT;
    CLEANUP(str_wipe) struct str opened = STR_INIT;
    blob_path_pooled(&piece->octets, r->at);
    TRY(r->folder->read(r->folder->self, r->at, &(struct blob_sink){&sealed, gather}, err));
    const struct digest found = sha256_of(str_slice(&sealed));
    if (!digest_eq(&found, &piece->octets))
        return changed(err);
    r->opens_not = seal_open(r->key, str_slice(&sealed), &opened, err) != RC_OK;
    if (r->opens_not)
        return RC_REFUSED;
    return to->add(to->ctx, str_slice(&opened), err);
}

static enum rc read_file(struct sealed_reader *r,
                         const struct digest *plain,
                         const struct blob_sink *to,
                         struct err *err)
{
    const struct sealed_file *f = sealed_files_find(&r->files, plain);
    for (size_t i = 0; f && i < f->pieces; i++)
        TRY(read_piece(r, &f->in->file[f->first + i], to, err));
    return f ? RC_OK : FAIL(err, RC_NOT_FOUND, "backup: a file is not in it");
}

static enum rc
read_pooled(void *self, const char *path, const struct blob_sink *sink, struct err *err)
{
    struct sealed_reader *r = self;
    const char *name = strrchr(path, '/');
    struct digest plain;
    text_copy(r->at, sizeof r->at, path);
    if (!name || !digest_from_hex(slice_z(name + 1), &plain))
        return FAIL(err, RC_USAGE, "backup: not the path of a file in it");
    return read_file(r, &plain, sink, err);
}

struct blobs sealed_reader_port(struct sealed_reader *r)
{
    return (struct blobs){.self = r, .read = read_pooled};
}

static enum rc add_text(void *ctx, struct slice octets, struct err *err)
{
    (void)err;
    str_add(ctx, octets);
    return RC_OK;
}

enum rc sealed_reader_manifest(struct sealed_reader *r, struct manifest *out, struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    TRY(read_file(r, &(struct digest){{0}}, &(struct blob_sink){&text, add_text}, err));
    return manifest_read(str_slice(&text), out, err);
}
