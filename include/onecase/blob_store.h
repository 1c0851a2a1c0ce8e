/* SPDX-License-Identifier: Apache-2.0
 *
 * blob_store - the port of blobs.h, made of the few operations of files.h.
 *
 * A file is written under tmp/ and made durable there; then its final name is given to it by link,
 * which fails where the name is taken. The folders that this changed are made durable by settle, each
 * once however many files went there, those above first. So a final name never shows half a file, and
 * what was settled survives a power cut right after it. A name that is taken is compared by SHA-256: equal octets are RC_OK, others
 * RC_CONFLICT and left alone. Every call may be repeated after any failure or crash.
 *
 * Besides what blobs.h says: RC_USAGE for a key, name or path that is none of ours. After a file
 * could not be made durable its octets are not trusted again: the temporary name is removed.
 *
 * Leftovers of a killed run stay under tmp/; posix_files_sweep removes them by age. Nobody may
 * remove the folders incoming/, items/ and items/KK/ while a store is in use.
 */
#pragma once

#include <onecase/blobs.h>
#include <onecase/files.h>

struct blob_store;

struct blob_store *blob_store_new(const struct files *files) MUST_CHECK; /* copies the port */
struct blobs blob_store_port(struct blob_store *store);                  /* valid until free */
void blob_store_free(struct blob_store **store);                         /* for CLEANUP */
