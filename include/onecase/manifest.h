/* SPDX-License-Identifier: Apache-2.0
 *
 * manifest - what one backup holds: which octets stood under which path, and whose ledger it was.
 *
 * The text is lines: what it is, facts, a line "SHA256 SIZE PATH" for each file in the order in which it
 * was added, and last "end SHA256" over all that stands above. So one that was cut or changed is known.
 * A path is one of ours (incoming/…, items/…, or ledger.db): whoever reads a manifest need not ask
 * where it leads. RC_BROKEN: it is none, or not whole.
 *
 * Of a backup that is sealed it says less: of which recipients, how many files of how many octets, and
 * for each piece of what is sealed the SHA-256 and size of the piece as it lies there, with a path
 * sealed/DIGEST/SIZE/N: the SHA-256 and size of what is inside, and which piece of it this is, from 1
 * on, those of one file in order. Which file has that digest is said by another manifest, one of a
 * backup that is not sealed: it is sealed, too, and its pieces are sealed/manifest/SIZE/N.
 */
#pragma once

#include <onecase/blobs.h>

#define MANIFEST_LEDGER     "ledger.db"
#define MANIFEST_INNER      "manifest" /* in the place of a digest: the other manifest */
#define MANIFEST_NAMES_SIZE 520        /* of eight recipients, "HEX HEX" */

struct manifest_file {
    char *path; /* owned */
    struct digest octets;
    int64_t size;
};

struct manifest {
    int64_t taken_ms;
    char version[32];           /* of the program */
    char ledger[65];            /* its id */
    int64_t event;              /* number of the last line of its event chain */
    char hash[DIGEST_HEX_SIZE]; /* of that line; "" where there is none */
    int64_t mails;
    char sealed_to
        [MANIFEST_NAMES_SIZE];     /* SHA-256 of the recipients' certificates; "": not sealed */
    int64_t inside, inside_octets; /* where it is sealed: files, and their octets */
    struct manifest_file *file;    /* owned */
    size_t files;
};

void manifest_add(struct manifest *m, const char *path, const struct digest *octets, int64_t size);
void manifest_write(const struct manifest *m, struct str *out);
/* The same in parts, for one that grows: what stands above its files, those from that one on, and the last
 * line of what was written so far. */
void manifest_write_head(const struct manifest *m, struct str *out);
void manifest_write_files(const struct manifest *m, size_t first, struct str *out);
void manifest_write_end(struct str *text);
enum rc manifest_read(struct slice text, struct manifest *out, struct err *err) MUST_CHECK;
/* NULL: it has no such file. */
const struct manifest_file *manifest_find(const struct manifest *m, const char *path);
void manifest_clear(struct manifest *m); /* for CLEANUP */
