/* SPDX-License-Identifier: Apache-2.0
 *
 * token_p - what the files of this folder share.
 */
#pragma once

#include <onecase/token.h>

#define TOKEN_MOST   ((size_t)16 * 1024)
#define ANSWER_MOST  ((size_t)64 * 1024)
#define ASSUMED_LIFE INT64_C(300000) /* where the endpoint does not say */

/* What one fetch came to. */
struct token_result {
    enum rc rc;
    int64_t life_ms;  /* of the token; 0: it is not kept */
    int64_t pause_ms; /* the endpoint wants to be left alone for so long; 0: it did not say */
    struct str token;
    struct str refresh; /* a refresh token that could not be stored; usually empty */
    struct err err;
};

#define TOKEN_RESULT_INIT                                                                          \
    {                                                                                              \
        RC_OK, 0, 0, STR_INIT, STR_INIT, ERR_INIT                                                  \
    }

void token_result_clear(struct token_result *f); /* for CLEANUP */

static inline bool is_given(const char *setting)
{
    return setting != NULL && setting[0] != '\0';
}

/* An access token: printable, one word, not too long. */
bool token_is_one(struct slice text);

/* file.c: the text of a small file, its blank ends cut off. */
enum rc
token_file_read(const char *what, const char *path, size_t most, struct str *out, struct err *err)
    MUST_CHECK;
/* Puts a new text into the place of the file, durably; the old one or the new one is there, always. */
enum rc token_file_replace(const char *path, struct slice text, struct err *err) MUST_CHECK;
/* Waits for the lock beside the file; -1 where there can be none. Closing it gives it back. */
int token_file_lock(const char *path);

/* command.c: runs it and takes what it prints. */
enum rc token_command_run(const char *command, struct str *out, struct err *err) MUST_CHECK;

/* grant.c: the form that the endpoint is sent. `refresh` is the refresh token, or "". */
enum rc token_grant_form(const struct token_settings *s,
                         const char *refresh,
                         int64_t wall_ms,
                         struct str *out,
                         struct err *err) MUST_CHECK;

/* answer.c: what the endpoint's answer means. `*refresh` gets a new refresh token, if there is one. */
void token_answer_read(const struct token_settings *s,
                       int status,
                       struct slice body,
                       struct token_result *out,
                       struct str *refresh);

/* fetch.c: what the child does. `kept` is the refresh token in memory, or "". */
void token_fetch(const struct token_settings *s,
                 const char *kept,
                 int64_t wall_ms,
                 struct token_result *out);

/* child.c: a child that fetches; its result is read from `fd` as it comes. */
struct token_child {
    int pid; /* 0: there is none */
    int fd;
    struct str heard;
};

enum rc token_child_start(struct token_child *c,
                          const struct token_settings *s,
                          const char *kept,
                          int64_t wall_ms,
                          struct err *err) MUST_CHECK;
/* True once it has ended; `out` then has what it came to. */
bool token_child_listen(struct token_child *c, struct token_result *out);
void token_child_end(struct token_child *c);
