/* SPDX-License-Identifier: Apache-2.0
 *
 * token - where an access token comes from: a file, a command, or an OAuth 2.0 token endpoint
 * (RFC 6749: client credentials, refresh token; RFC 7523: a service account's signed assertion).
 *
 * A file is read at each sign-in. A command is run at each sign-in, without a shell, and an endpoint
 * is asked over HTTPS, each in a child process with a deadline, so that nobody else waits for it. What
 * an endpoint gave is kept in memory until shortly before it expires; each process asks for itself.
 * An endpoint that fails is asked again with growing pauses, or when it says (Retry-After).
 *
 * A refresh token is read from its file under a lock beside it (FILE.lock), and where the endpoint
 * gives another one that takes its place in the file, durably, before the access token is used. Where
 * the file cannot be written the new one is kept in memory, for as long as the process lives.
 *
 * RC_DEFERRED: not now. RC_REFUSED: somebody must change something. Texts quote the endpoint's error
 * and its description, bounded and cleaned; they hold no secret and no address.
 */
#pragma once

#include <onecase/clock.h>
#include <onecase/err.h>
#include <onecase/str.h>

/* Borrowed, and all it points to, for as long as the source lives. NULL or "" is not given. */
struct token_settings {
    const char *file;    /* the first of these three that is given */
    const char *command; /* words between blanks: the program and its arguments */
    const char *url;
    const char *client_id, *client_secret, *scope;
    const char *refresh_token_file;
    const char *key_file; /* a service account's key, as Google hands it out (JSON) */
    const char *subject;  /* whom the service account acts for */
    const char *ca_file;  /* an authority besides the system's */
    const char *proxy;
    int64_t timeout_ms; /* of the command, or of the whole request; at least a second */
};

struct token_source;

struct token_source *token_source_new(const struct token_settings *settings,
                                      const struct clock *clock) MUST_CHECK;
void token_source_free(struct token_source **source); /* for CLEANUP; ends what is under way */

/* RC_OK with *wait_fd -1: `out` has it. With another: not yet; ask again when that can be read, which
 * is at the deadline at the latest. `source` is a struct token_source. */
enum rc token_source_get(void *source, struct str *out, int *wait_fd, struct err *err) MUST_CHECK;

/* A server did not take what came last. True: that was kept from before, and the next is a fresh one. */
bool token_source_refused(void *source);
