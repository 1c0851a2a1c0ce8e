/* SPDX-License-Identifier: Apache-2.0
 *
 * texts - what the text of a setting must look like, type by type. Nothing is read but the text.
 */
#pragma once

#include <onecase/str.h>

bool is_plain(struct slice text);   /* no control characters */
bool is_address(struct slice text); /* local@domain */
bool is_pattern(struct slice text); /* the same with * for any text */
bool is_sender(struct slice text);  /* an address, or "Name <address>" */
bool is_reverse_path(struct slice text);
bool is_file_kind(struct slice text); /* type/subtype, type/ *, or .extension */
bool is_socket(struct slice text);    /* an absolute path that fits, or host:port */
bool is_prefix(struct slice text);
bool is_host(struct slice text);
bool is_header(struct slice text);
bool is_method(struct slice text);
bool is_listen(struct slice text);
bool is_ledger(struct slice text);
bool is_blobs(struct slice text);
bool is_template(struct slice text); /* a file below a folder */

/* Takes "Name <address>" or an address apart; false where it is neither. */
bool sender_split(struct slice text, struct slice *name, struct slice *address);
