/* SPDX-License-Identifier: Apache-2.0
 *
 * names - a folder's name as people write it, and as the server wants it (RFC 3501 5.1.3, RFC 2342).
 */
#pragma once

#include <onecase/err.h>
#include <onecase/str.h>

struct name_space {
    char delimiter;    /* between levels; NUL: there are none */
    bool utf8;         /* names go as they are (RFC 6855); else in modified UTF-7 */
    struct str prefix; /* of our own folders, on the wire; often empty, or "INBOX." */
    struct str
        others; /* prefixes of other people's and shared folders, on the wire, LF after each */
};

void name_space_clear(struct name_space *ns);

/* Adds the name as people write it; octets that encode nothing stay as they are, but for control
 * characters, which are left out. For people to read: another name may look the same. */
void name_from_wire(const struct name_space *ns, struct slice wire, struct str *out);

/* Adds the name on the wire to `out`. RC_REFUSED: not UTF-8, or with control characters. */
enum rc
name_to_wire(const struct name_space *ns, const char *folder, struct str *out, struct err *err)
    MUST_CHECK;
