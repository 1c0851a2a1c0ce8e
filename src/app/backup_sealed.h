/* SPDX-License-Identifier: Apache-2.0
 *
 * backup_sealed - the files of a sealed backup: written in pieces, and read by who has the key.
 *
 * A piece is one sealed text of at most so many octets inside, so that nobody needs more room than that
 * for any file. It lies in the folder under its own SHA-256, as any other file there, and is read back
 * as one; which pieces are which file is said by the manifest.
 */
#pragma once

#include <onecase/blob_copy.h>
#include <onecase/manifest.h>
#include <onecase/seal.h>

#define SEALED_PIECE ((size_t)4 << 20)

/* ---- what is sealed already ------------------------------------------------------------------------ */

/* One content. */
struct sealed_file {
    struct digest plain;       /* of what is inside; zero: the inner manifest */
    int64_t size;              /* inside */
    const struct manifest *in; /* borrowed */
    size_t first, pieces;      /* its lines there */
};

/* Are its lines those of all its pieces? Of one that was interrupted the last may be missing. */
bool sealed_file_is_whole(const struct sealed_file *file);

struct sealed_files {
    void *tree; /* of struct sealed_file, owned */
};

/* From the line `first` of it on; what was known of the same content before is forgotten. */
void sealed_files_learn(struct sealed_files *files, const struct manifest *m, size_t first);
/* NULL: there is none. Borrowed, until it is learned anew. */
const struct sealed_file *sealed_files_find(const struct sealed_files *files,
                                            const struct digest *plain);
void sealed_files_clear(struct sealed_files *files); /* for CLEANUP */

/* ---- writing ----------------------------------------------------------------------------------------- */

struct sealed_writing {
    const struct recipients *to; /* borrowed */
    struct blob_store *store;    /* borrowed */
    struct manifest pieces;
    struct sha256 *hash;
    int64_t size; /* inside, so far */
    struct sealing *piece;
    size_t left; /* octets that the piece may still take */
    struct str octets;
};

void sealed_begin(struct sealed_writing *w, const struct recipients *to, struct blob_store *store);
/* A blob_sink. */
enum rc sealed_add(void *writing, struct slice octets, struct err *err) MUST_CHECK;
/* All pieces stand, were read back, and have their lines in `out`. `plain` NULL: it is the inner
 * manifest. RC_REFUSED: what was added has another digest; `out` is as it was. */
enum rc sealed_end(struct sealed_writing *w,
                   const struct digest *plain,
                   struct manifest *out,
                   struct err *err) MUST_CHECK;
void sealed_drop(struct sealed_writing *w); /* for CLEANUP, also after sealed_end */

/* ---- reading ----------------------------------------------------------------------------------------- */

struct sealed_reader {
    const struct blobs *folder; /* borrowed, all three */
    const struct manifest *manifest;
    const struct seal_key *key;
    struct sealed_files files;
    char at[BLOB_PATH_SIZE]; /* the file in the folder that was looked at last */
    bool opens_not;          /* that one is whole, and this key does not open it */
};

void sealed_reader_open(struct sealed_reader *r,
                        const struct blobs *folder,
                        const struct manifest *manifest,
                        const struct seal_key *key);
void sealed_reader_close(struct sealed_reader *r); /* for CLEANUP */
/* A port that reads alone: files/KK/SHA256 is what is inside. RC_REFUSED: a piece is not what was
 * saved, or cannot be opened. */
struct blobs sealed_reader_port(struct sealed_reader *r);
/* The inner manifest. */
enum rc sealed_reader_manifest(struct sealed_reader *r, struct manifest *out, struct err *err)
    MUST_CHECK;
