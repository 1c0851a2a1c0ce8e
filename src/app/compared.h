/* SPDX-License-Identifier: Apache-2.0
 *
 * compared - files that an earlier call of migrate-blobs has copied, read back and compared, so that the last one,
 * for which the service stands, reads only what is new.
 *
 * One is known by its path, its octets and its size there. What is not there any more, or has another size, is
 * unknown. Until a call has ended with the service stopped they are kept in data_dir, as 32 octets each.
 */
#pragma once

#include "stored.h"

struct compared;

/* `to` is at `place`; it is listed where anything is known of it. */
enum rc compared_open(const char *data_dir,
                      const struct stored *to,
                      const char *place,
                      struct compared **out,
                      struct err *err) MUST_CHECK;
void compared_close(struct compared **c); /* for CLEANUP */
bool compared_before(const struct compared *c, const char *path, const struct digest *octets);
enum rc compared_add(struct compared *c,
                     const char *path,
                     const struct digest *octets,
                     int64_t size,
                     struct err *err) MUST_CHECK;
/* The move is over. */
void compared_forget(struct compared *c);
