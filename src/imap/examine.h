/* SPDX-License-Identifier: Apache-2.0
 *
 * examine - what a server says of rights (RFC 4314), quotas (RFC 9208) and the folder of junk
 * (RFC 6154): readers of its lines, without their "* WORD ".
 */
#pragma once

#include <onecase/imap.h>

/* The rights at the end of a MYRIGHTS line; what is none is left out. */
void read_rights(struct slice line, struct str *out);

/* One resource of a QUOTA line, such as "STORAGE": what is used and the limit. False: not said. */
bool read_quota(struct slice line, const char *resource, int64_t *used, int64_t *limit);
/* Both of them, where they are fuller than what `out` has. */
void read_quotas(struct slice line, struct quota *out);

/* The name on the wire, where that LIST line is of the folder with this mark, such as "\\Junk"; else false. */
bool read_marked(struct slice line, const char *mark, struct str *name);

/* MESSAGES of a STATUS line; -1: not said. */
int64_t read_messages(struct slice line);
