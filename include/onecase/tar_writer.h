/* SPDX-License-Identifier: Apache-2.0
 *
 * tar_writer - one new tar file, written front to back.
 *
 * The same entries in the same order give the same octets: every entry has mode 0600, no owner, and the
 * time that it is given. The file has its name only once it is whole and durable; until then it is
 * NAME.XXXXXX beside it, which tar_drop removes. RC_USAGE: there is a file of that name already, and
 * nothing is ever overwritten. A name that ends with .gz or .gz.cms is compressed. RC_BROKEN: it cannot be written; the text says which and why.
 */
#pragma once

#include <onecase/digest.h>
#include <onecase/err.h>
#include <onecase/seal.h>

struct tar; /* owned by who began it */

/* `to`, which is borrowed until the end: what is written is sealed to them; NULL: it is not. */
enum rc tar_begin(const char *name, const struct recipients *to, struct tar **out, struct err *err)
    MUST_CHECK;
/* The next entry, of exactly so many octets; tar_add brings them. */
enum rc tar_entry(struct tar *tar, const char *path, int64_t size, int64_t at_ms, struct err *err)
    MUST_CHECK;
enum rc tar_add(struct tar *tar, struct slice octets, struct err *err) MUST_CHECK;
/* Gives the file its name, and its digest and size; frees and nulls, also on failure. */
enum rc tar_end(struct tar **tar, struct digest *out, int64_t *size, struct err *err) MUST_CHECK;
void tar_drop(struct tar **tar); /* for CLEANUP: as if it had never begun */
