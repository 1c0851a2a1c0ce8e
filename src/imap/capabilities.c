/* SPDX-License-Identifier: Apache-2.0 */
#include "capabilities.h"

/* clang-format off */
static const struct {
    const char *name;
    unsigned capability;
    const char *with;
    const char *without;
} rows[] = {
/*    name          capability      with it                                       without it */
    { "MOVE",       CAN_MOVE,       "UID MOVE: a message is moved whole",           "COPY, then \\Deleted, then UID EXPUNGE of that one" },
    { "UIDPLUS",    CAN_UIDPLUS,    "COPYUID says what was moved; UID EXPUNGE",     "a look says what was moved; without MOVE it stays behind as \\Deleted, since a plain EXPUNGE would take what others marked" },
    { "IDLE",       CAN_IDLE,       "new mail is announced, and looked for anyway", "new mail is looked for at each poll_interval" },
    { "NAMESPACE",  CAN_NAMESPACE,  "folders are made where the account's own are", "LIST gives the separator; folders are made at the top" },
};
/* clang-format on */

unsigned capability_of(struct slice name)
{
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (slice_eq_nocase(name, slice_z(rows[i].name)))
            return rows[i].capability;
    return 0;
}

void capabilities_describe(unsigned have, struct str *out)
{
    for (size_t i = 0; i < LENGTH(rows); i++) {
        bool there = (have & rows[i].capability) != 0;

        str_addf(out, "%s: %s: %s\n", rows[i].name, there ? "yes" : "no",
                 there ? rows[i].with : rows[i].without);
    }
}
