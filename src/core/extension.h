/* SPDX-License-Identifier: Apache-2.0
 *
 * extension - what files of a media type are usually called.
 */
#pragma once

#include <onecase/str.h>

/* With its dot; empty where the type is not known. Static text. */
const char *extension_of(struct slice type);
