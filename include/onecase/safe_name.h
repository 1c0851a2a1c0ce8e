/* SPDX-License-Identifier: Apache-2.0
 *
 * safe_name - an attachment's file name as it may stand on a disk (contract section 6).
 */
#pragma once

#include <onecase/str.h>

#define SAFE_NAME_MAX    120                 /* octets of NAME */
#define STORED_NAME_SIZE (SAFE_NAME_MAX + 8) /* "NN-" or longer number, NAME, NUL */

/* The base name of `decoded` (UTF-8, NFC) without separators, control, bidirectional and other unseen
 * characters, leading and trailing dots and blanks, and not a device name of any system; at most
 * SAFE_NAME_MAX octets, cut between characters before its extension. A colon and octets that are no
 * UTF-8 become "_". Where nothing is left: "attachment" and the usual extension of `type`. Never
 * empty; always a single path component. */
void safe_name(struct slice decoded, struct slice type, struct str *out);

/* "NN-NAME": the number from 01 (at least two digits) makes it unique within its item. A number of
 * more than six digits leaves NAME less room. */
void stored_name(unsigned number,
                 struct slice decoded,
                 struct slice type,
                 char out[STORED_NAME_SIZE]);
