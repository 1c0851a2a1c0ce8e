/* SPDX-License-Identifier: Apache-2.0
 *
 * capability - what an IMAP server may have, and what is used when: the one table of it.
 *
 * Those with a bit change what the mailbox port does, and `doctor` says which are there. The others are
 * named so that nobody has to wonder: whatever a server has of them, the same is done.
 */
#pragma once

#include <onecase/scope.h>

/* clang-format off */
#define CAPABILITY_LIST(X) \
/*    name                 word                where it is there                                  where it is not */ \
    X(CAN_MOVE,      1,    "MOVE",             "UID MOVE: a message is moved whole",              "COPY, then \\Deleted, then UID EXPUNGE of that one")                       \
    X(CAN_UIDPLUS,   2,    "UIDPLUS",          "COPYUID says what was moved; UID EXPUNGE",        "a look says what was moved; without MOVE it stays behind as \\Deleted, since a plain EXPUNGE would take what others marked") \
    X(CAN_IDLE,      4,    "IDLE",             "new mail is announced, and looked for anyway",    "new mail is looked for at each poll_interval")                            \
    X(CAN_NAMESPACE, 8,    "NAMESPACE",        "folders are made where the account's own are",    "LIST gives the separator; folders are made at the top")                   \
    X(CAN_QUOTA,     32,   "QUOTA",            "how full the mailbox is, is asked every hour",    "how full the mailbox is, is not known")                                   \
    X(CAN_UIDNEXT,   0,    "UIDNEXT on opening", "it is taken from there",                        "STATUS asks for it (Courier)")                                            \
    X(CAN_TRYCREATE, 0,    "TRYCREATE",        "the folder is made, and subscribed to",           "LIST says whether the folder is missing; then the same")                  \
    X(CAN_LITERALS,  0,    "LITERAL+",         "not used: a literal waits until the server wants it", "the same")                                                            \
    X(CAN_SPECIAL,   0,    "SPECIAL-USE",      "not used: folders are named in the configuration", "the same")                                                               \
    X(CAN_UTF8,      0,    "UTF8=ACCEPT",      "not enabled: names are written in modified UTF-7", "the same")                                                               \
    X(MUST_UTF8,     16,   "UTF8=ONLY",        "UTF8=ACCEPT is enabled: names are written in UTF-8", "names are written in modified UTF-7")                                  \
    X(CAN_KEYWORDS,  0,    "keywords (PERMANENTFLAGS \\*)", "not used: what a deployment claims, it claims by a message", "the same")
/* clang-format on */

#define CAPABILITY_ENUM(name, bit, word, with, without) name = (bit),
enum capability { CAPABILITY_LIST(CAPABILITY_ENUM) };
#undef CAPABILITY_ENUM
