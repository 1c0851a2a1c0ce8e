/* SPDX-License-Identifier: Apache-2.0
 *
 * connection - the way to one mail server: TCP, verified TLS, sign-in, then octets both ways.
 *
 * IMAP and SMTP alike. A certificate is verified, chain and host name, and STARTTLS is never done
 * without; nothing secret leaves before that, and never by a weaker way than configured. An answer
 * that stops coming, comes too slowly, or never ends is a failure: each step has its deadline and
 * its budget of octets. The end of the stream is a failure too, never zero octets. A failure stays:
 * every later call on that connection fails at once with the same words.
 *
 * No call waits but net_wait, which waits for all connections of its net at once. A name, a user or
 * a secret with a line break or a NUL is refused. Texts name the server, what went wrong and what to
 * try; they hold no secret and no address. Makes SIGPIPE ignored where nobody handles it.
 *
 * RC_DEFERRED: the server or the way to it failed. RC_REFUSED: somebody must change something: a
 * certificate, the sign-in, a setting.
 */
#pragma once

#include <onecase/clock.h>
#include <onecase/err.h>
#include <onecase/str.h>

enum protocol { PROTOCOL_IMAP, PROTOCOL_SMTP };
enum security { SECURITY_TLS, SECURITY_STARTTLS, SECURITY_NONE };

/* Only what is named is used, whatever else the server offers; SIGN_IN_PASSWORD is the strongest of
 * those by password that it offers. */
enum sign_in {
    SIGN_IN_NONE,
    SIGN_IN_PASSWORD,
    SIGN_IN_SCRAM_SHA_256,
    SIGN_IN_SCRAM_SHA_1,
    SIGN_IN_CRAM_MD5,
    SIGN_IN_PLAIN,
    SIGN_IN_LOGIN,
    SIGN_IN_XOAUTH2,
    SIGN_IN_OAUTHBEARER,
};

/* Where a password or an access token comes from, asked at each sign-in. */
struct secret_source {
    void *ctx;
    /* RC_OK with *wait_fd -1: `out` has it. With another: not yet; ask again when that can be read. */
    enum rc (*get)(void *ctx, struct str *out, int *wait_fd, struct err *err);
    /* The server did not take what it gave last. True: the next is a fresh one. May be NULL. */
    bool (*refused)(void *ctx);
};

/* Borrowed by whoever is made with it, and all it points to. A text that is NULL or "" is not given. */
struct endpoint {
    const char *host;
    uint16_t port;
    enum security security;
    bool allow_plaintext; /* SECURITY_NONE also beyond this machine */
    enum sign_in sign_in;
    const char *username;
    const char *secret; /* the password or token; not given: ask the source */
    struct secret_source source;
    const char *ca_file; /* an authority besides the system's */
    const char *proxy;   /* a URL as curl reads it */
    int64_t timeout_ms;  /* of each step */
};

/* A set of connections that are waited for together. */
struct net;

struct net *net_new(const struct clock *clock) MUST_CHECK;
void net_free(struct net *net); /* its connections must be gone */

/* Makes waiting that has a time to end at end, too, when `fd` can be read; -1 is none. */
void net_wake_on(struct net *net, int fd);

/* Waits until one of its connections can go on or has passed its deadline, until a signal, or until
 * `until_boot_ms`. May return early; look again. */
void net_wait(struct net *net, int64_t until_boot_ms);

struct connection;

struct connection *
connection_new(struct net *net, enum protocol protocol, const struct endpoint *endpoint) MUST_CHECK;

/* Closes in order, without waiting; what the system still holds for the server may arrive. */
void connection_free(struct connection *c);

/* Closes so that nothing more leaves, not even what the system still holds. */
void connection_drop(struct connection *c);

/* Goes on with connecting and signing in. *open: that is done. */
enum rc connection_open(struct connection *c, bool *open, struct err *err) MUST_CHECK;

/* What it may take from here on: no octet for timeout_ms, or fewer than CONNECTION_SLOWEST a second
 * for longer, or more than `budget` octets received, is a failure. A timeout of 0 is none. */
#define CONNECTION_SLOWEST 8192
void connection_limit(struct connection *c, int64_t timeout_ms, size_t budget);

/* *got 0: nothing there yet. */
enum rc connection_get(struct connection *c, char *into, size_t room, size_t *got, struct err *err)
    MUST_CHECK;

/* The next line without its end. Its `at` is NULL where no whole line is there yet; otherwise it is
 * good until the next call. A line longer than CONNECTION_LINE is a failure. */
#define CONNECTION_LINE 8192
enum rc connection_line(struct connection *c, struct slice *line, struct err *err) MUST_CHECK;

/* *taken is how many of the octets were handed over, perhaps 0; the rest must follow unchanged. */
enum rc connection_put(struct connection *c, struct slice octets, size_t *taken, struct err *err)
    MUST_CHECK;

/* Whether it still stands, as far as can be seen without waiting: not closed, no BYE. What has come is
 * taken in and kept for connection_get. */
bool connection_alive(struct connection *c);

/* What EHLO or CAPABILITY offered before the sign-in, over TLS where there is TLS: the lines. */
struct slice connection_offers(const struct connection *c);

/* The line of the server that ended connecting or signing in; empty where it was none. */
struct slice connection_answer(const struct connection *c);

/* The last few hundred octets received. They may be of a message: pick lines of the protocol. */
struct slice connection_recent(const struct connection *c);

/* Puts a failure of the caller's own finding on the connection: from here on it is broken. */
enum rc connection_fail(struct connection *c, enum rc rc, struct err *err, const char *format, ...)
    PRINTF(4, 5);

/* "imap imap.example.org:993", for texts. */
const char *connection_name(const struct connection *c);

/* Makes a server's words fit to show: one line, printable, without addresses, cut to `size`. */
void server_words(struct slice said, char *into, size_t size);
