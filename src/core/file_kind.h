/* SPDX-License-Identifier: Apache-2.0
 *
 * file_kind - what a file may be, whatever its sender says: by its name's extension, and by what its
 * first octets show.
 */
#pragma once

#include <onecase/str.h>

/* Is a file of that declared type, seen type (both may be empty) and safe name one of the `refused`:
 * a type, "type" with "*", or an extension such as ".exe"? */
bool file_kind_is(struct slice refused, struct slice type, struct slice seen, struct slice name);
