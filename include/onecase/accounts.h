/* SPDX-License-Identifier: Apache-2.0
 *
 * accounts (port) - who may use the console and its interface: users, their sessions, tokens, and the
 * record of whose data they looked at.
 *
 * Passwords and tokens come here as they are kept (secret.h), never as they were said; a session or a
 * token is known by its digest. What was recorded of a look stays: nothing changes or removes it.
 */
#pragma once

#include <onecase/ledger.h>
#include <onecase/secret.h>
#include <onecase/views.h>

#define ACCOUNT_NAME_SIZE 65

/* Each may what those before it may. */
/* clang-format off */
#define ROLE_LIST(X) \
    X(ROLE_VIEWER,   "viewer",   "sees numbers and states; no addresses, subjects or texts")    \
    X(ROLE_OPERATOR, "operator", "sees mails, and decides")                                     \
    X(ROLE_OWNER,    "owner",    "approves what another has proposed")                          \
    X(ROLE_ADMIN,    "admin",    "sees who looked at what")
/* clang-format on */

enum role { ROLE_LIST(NAMED_ENUM) ROLE_COUNT };
const char *role_text(enum role role);
const char *role_meaning(enum role role);
bool role_parse(const char *text, enum role *out);

/* Letters, digits, ".", "-", "_" and "@"; begins with a letter or digit. */
bool account_name_valid(const char *name);

struct account {
    char name[ACCOUNT_NAME_SIZE];
    enum role role;
    char secret[SECRET_SIZE];
};

struct view_account {
    const char *name, *role;
    int64_t created_ms, seen_ms; /* last seen in a session; NOT_DUE: never */
};

struct view_look {
    int64_t id, at_ms;
    const char *person, *page, *key, *reference;
};

struct accounts {
    void *self;
    /* RC_CONFLICT: there is one of that name. */
    enum rc (*add)(void *self,
                   const char *name,
                   enum role role,
                   const char *secret,
                   struct instant now,
                   struct err *err);
    /* A new role, or a new secret (NULL: as it is; ROLE_COUNT: as it is). Ends their sessions. */
    enum rc (*change)(void *self,
                      const char *name,
                      enum role role,
                      const char *secret,
                      struct instant now,
                      struct err *err);
    enum rc (*remove)(void *self, const char *name, struct instant now, struct err *err);
    enum rc (*find)(void *self, const char *name, struct account *out, struct err *err);
    /* view_account, by name. */
    enum rc (*list)(void *self, struct view *out, struct err *err);

    enum rc (*add_token)(void *self,
                         const char *name,
                         enum role role,
                         const struct digest *token,
                         struct instant now,
                         struct err *err);
    enum rc (*end_token)(void *self, const char *name, struct instant now, struct err *err);
    enum rc (*find_token)(void *self,
                          const struct digest *token,
                          struct account *out,
                          struct err *err);
    /* view_account, by name. */
    enum rc (*tokens)(void *self, struct view *out, struct err *err);
};

struct session_limits {
    int64_t idle_ms, whole_ms;
    bool by_itself; /* no person asks, but a page: the session does not count as seen */
};

struct sessions {
    void *self;
    enum rc (*begin)(void *self,
                     const struct digest *session,
                     const char *name,
                     struct instant now,
                     struct err *err);
    /* Whose it is, with their role of today; counts as seen now, unless `by_itself`. RC_NOT_FOUND: it is none, or over. */
    enum rc (*find)(void *self,
                    const struct digest *session,
                    const struct session_limits *limits,
                    struct instant now,
                    struct account *out,
                    struct err *err);
    enum rc (*end)(void *self, const struct digest *session, struct instant now, struct err *err);
    /* How often a sign-in of this subject failed since then; subjects are digests. */
    enum rc (*failures)(
        void *self, const struct digest *subject, int64_t since_ms, int64_t *out, struct err *err);
    enum rc (*failed)(void *self,
                      const struct digest *subject,
                      size_t count,
                      struct instant now,
                      struct err *err);
    /* A person looked at a page with somebody's data: of that mail, or "". */
    enum rc (*looked)(void *self,
                      const char *person,
                      const char *page,
                      const char *key,
                      struct instant now,
                      struct err *err);
    /* view_look, newest first, below that id (0: from the newest). */
    enum rc (*looks)(void *self, int64_t below, size_t limit, struct view *out, struct err *err);
};
