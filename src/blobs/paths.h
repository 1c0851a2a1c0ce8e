/* SPDX-License-Identifier: Apache-2.0
 *
 * paths - which names may stand under data_dir, and how much of one a person is shown.
 */
#pragma once

#include <onecase/blobs.h>

bool path_is_key(const char *key);   /* 64 lower-case hex digits */
bool path_is_name(const char *name); /* "NN-NAME": one component, no control characters */
bool path_is_under(const char *path, const char *folder); /* folder is "tmp", "incoming", "items" */

/* How many octets of `path` may stand in an error: a file's name as its sender wrote it may not. */
int path_shown(const char *path);
