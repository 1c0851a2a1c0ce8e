/* SPDX-License-Identifier: Apache-2.0
 *
 * settings - the table of all that may be configured.
 *
 * A row is one key: what it may be, where it lands in struct config, its default, and its sentence.
 * From the rows come the reader, every error text, the defaults and the printed reference. A new
 * setting is a new row and a new member of its struct; nothing else.
 */
#pragma once

#include <onecase/str.h>

/* clang-format off */
#define VALUE_TYPE_LIST(X) \
/*    name                  lands in        min and max are of */                          \
    X(VALUE_TEXT,           "const char *", "octets")                                       \
    X(VALUE_LOWER,          "const char *", "octets")                                       \
    X(VALUE_NAME,           "const char *", "")                                             \
    X(VALUE_FLAG,           "bool",         "")                                             \
    X(VALUE_NUMBER,         "unsigned",     "the number")                                   \
    X(VALUE_DURATION,       "int64_t",      "milliseconds")                                 \
    X(VALUE_DATE,           "int64_t",      "")                                             \
    X(VALUE_OCTETS,         "int64_t",      "octets")                                       \
    X(VALUE_LIMIT,          "struct limit", "")                                             \
    X(VALUE_CHOICE,         "an enum",      "")                                             \
    X(VALUE_ADDRESS,        "const char *", "")                                             \
    X(VALUE_PATTERN,        "const char *", "")                                             \
    X(VALUE_SENDER,         "const char *", "")                                             \
    X(VALUE_REVERSE_PATH,   "const char *", "")                                             \
    X(VALUE_MIME_TYPE,      "const char *", "")                                             \
    X(VALUE_LANGUAGE,       "const char *", "")                                             \
    X(VALUE_SOCKET,         "const char *", "")                                             \
    X(VALUE_FILE,           "const char *", "")                                             \
    X(VALUE_FOLDER,         "const char *", "")                                             \
    X(VALUE_TEMPLATE,       "const char *", "")                                             \
    X(VALUE_PREFIX,         "const char *", "")                                             \
    X(VALUE_ZONE,           "const char *", "")                                             \
    X(VALUE_HOST,           "const char *", "")                                             \
    X(VALUE_HEADER,         "const char *", "")                                             \
    X(VALUE_METHOD,         "const char *", "")                                             \
    X(VALUE_LINES,          "const char *", "octets")                                       \
    X(VALUE_LISTEN,         "const char *", "")                                             \
    X(VALUE_REGEX,          "const char *", "")                                             \
    X(VALUE_LEDGER,         "const char *", "")                                             \
    X(VALUE_BLOBS,          "const char *", "")                                             \
    X(VALUE_BLOCK,          "its struct",   "")                                             \
    X(VALUE_BLOCKS,         "pointer and count", "entries")
/* clang-format on */

#define VALUE_ENUM(name, lands, of) name,
enum value_type { VALUE_TYPE_LIST(VALUE_ENUM) VALUE_TYPE_COUNT };
#undef VALUE_ENUM

/* clang-format off */
enum setting_flag {
    REQUIRED = 1 << 0,    /* must be given, where its block is there at all */
    OPTIONAL = 1 << 1,    /* a block that need not be there */
    MANY     = 1 << 2,    /* a list of such values; lands in a struct texts */
    SECRET   = 1 << 3,    /* no error or listing may show it */
    SIGN_IN  = 1 << 4,    /* one of the ways to sign in: a block that has any has none from elsewhere */
    INHERITS = 1 << 5,    /* begins as the general acknowledgement */
    FIXED    = 1 << 6,    /* taken up by a new start only */
    BLANK    = 1 << 7,    /* may be "", although its default is not */
    SHOWN    = 1 << 8,    /* the reference has its example in force, as all that is REQUIRED */
};
/* clang-format on */

struct setting {
    const char *key;
    enum value_type type;
    unsigned flags;
    size_t at;          /* in the struct of its block */
    const char *preset; /* its default as it would be written; NULL: none, or it is found out */
    int64_t min, max;
    const char *says;         /* one sentence */
    const char *example;      /* for the reference, where there is no default */
    const char *const *words; /* of a choice: in the order of its enum, NULL at the end */
    const struct block *block;
};

struct block {
    const struct setting *row;
    size_t rows;
    size_t size; /* of its struct */
};

extern const struct block settings; /* the file */

const struct setting *block_find(const struct block *block, struct slice key);
/* The key that was meant, or NULL. */
const char *block_nearest(const struct block *block, struct slice key);
