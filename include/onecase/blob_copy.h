/* SPDX-License-Identifier: Apache-2.0
 *
 * blob_copy - files of one store into another, for backup and restore.
 *
 * A backup keeps each content once, as files/KK/SHA256: what many mails carry is copied and kept once,
 * and what is there already is not copied again. Whatever comes out of here as done is durable under
 * its name, was read back and has the digest that was expected. Every call may be repeated after any
 * failure or crash.
 */
#pragma once

#include <onecase/blob_store.h>

void blob_path_pooled(const struct digest *octets, char out[BLOB_PATH_SIZE]);
/* Makes the file `spool` of tmp/ the file `path` (files/…, items/…, incoming/… or tmp/…), with every
 * folder above. The spool file stays. RC_CONFLICT: other octets stand there. RC_BROKEN: the spool
 * file is not what was expected. */
enum rc blob_place(struct blob_store *store,
                   const char *spool,
                   const char *path,
                   const struct digest *octets,
                   struct err *err) MUST_CHECK;
/* Makes a new file of these octets at `path`, as blob_place does. */
enum rc blob_put(struct blob_store *store, const char *path, struct slice octets, struct err *err)
    MUST_CHECK;
/* Copies `from_path` of another store. RC_NOT_FOUND: it is not there; RC_REFUSED: it is there, and is
 * not what was expected; nothing was kept then. */
enum rc blob_copy(struct blob_store *to,
                  const char *path,
                  const struct blobs *from,
                  const char *from_path,
                  const struct digest *octets,
                  struct err *err) MUST_CHECK;
