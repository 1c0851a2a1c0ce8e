/* SPDX-License-Identifier: Apache-2.0
 *
 * err - what a caller can do about a failure, and one sentence for a person.
 *
 * Every fallible function returns enum rc, must be checked, and fills the struct err given last.
 * The err is untouched on success, so one err serves a sequence of calls. Its text is complete
 * enough to print: subsystem, object, cause, remedy. It never holds a subject, an address, a body
 * or a secret. No allocation: failing must not fail.
 */
#pragma once

#include <onecase/scope.h>
#include <assert.h>

/* clang-format off */
#define RC_LIST(X) \
/*    name           text           what the caller can do */                                     \
    X(RC_OK,         "ok",          "go on")                                                      \
    X(RC_DEFERRED,   "deferred",    "surely not done; later may work")                            \
    X(RC_REFUSED,    "refused",     "surely not done; never will be for this item")               \
    X(RC_CONFLICT,   "conflict",    "somebody moved it first; look again")                        \
    X(RC_UNKNOWN,    "unknown",     "may have happened; evidence or a person decides")            \
    X(RC_NOT_FOUND,  "not-found",   "it is not there")                                            \
    X(RC_USAGE,      "usage",       "the asker's mistake")                                        \
    X(RC_BROKEN,     "broken",      "this installation cannot go on as it is")
/* clang-format on */

#define RC_ENUM(name, text, meaning) name,
enum rc { RC_LIST(RC_ENUM) RC_COUNT };
#undef RC_ENUM

#define ERR_TEXT_SIZE 480

struct err {
    enum rc rc;
    const char *where;        /* the function that failed; static text */
    char text[ERR_TEXT_SIZE]; /* always terminated; cut, never overrun */
};

/* clang-format off */
#define ERR_INIT {RC_OK, "", ""}
/* clang-format on */

/* Fills `err` (which may be NULL) and returns `rc`: return FAIL(err, RC_X, "imap: ..."). */
#define FAIL(err, rc, ...) err_failure(err_set((err), (rc), __func__, __VA_ARGS__))

/* A failure is never RC_OK; said here, so that whoever reads one function alone knows it too. */
static inline enum rc err_failure(enum rc rc)
{
    assert(rc != RC_OK);
    return rc;
}

enum rc err_set(struct err *err, enum rc rc, const char *where, const char *format, ...)
    PRINTF(4, 5);

/* Puts "prefix: " before the text that is there; returns the rc that is there. */
enum rc err_prefix(struct err *err, const char *format, ...) PRINTF(2, 3);

/* The stable lower-case word of an rc ("deferred"); "?" for a value that is none. */
const char *rc_text(enum rc rc);

/* Hands a failure on as it is. */
#define TRY(call)                                                                                  \
    __extension__({                                                                                \
        enum rc try_rc_ = (call);                                                                  \
        if (try_rc_ != RC_OK)                                                                      \
            return try_rc_;                                                                        \
    })
