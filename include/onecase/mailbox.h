/* SPDX-License-Identifier: Apache-2.0
 *
 * mailbox (port) - one account on an IMAP server (RFC 9051), by intent.
 *
 * One connection, opened when needed, thrown away after any failure that leaves it in doubt; every
 * call has an absolute deadline of the adapter's configuration. UIDs only, and every call that takes
 * UIDs takes the UIDVALIDITY they were seen with: another one is RC_CONFLICT and nothing was done.
 * No call sets \Seen, none expunges what it did not itself move.
 *
 * RC_DEFERRED: the server or the way to it failed, nothing was done. RC_REFUSED: this will not work
 * until somebody changes something (sign-in, rights); the text says what. RC_NOT_FOUND: there is no such
 * folder. RC_UNKNOWN only from move and append: it may have been done; look.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/str.h>
#include <stdint.h>

struct folder_state {
    uint32_t uidvalidity;
    uint32_t uidnext;
    uint32_t exists;
};

struct mail_line {
    uint32_t uid;
    int64_t internal_ms; /* INTERNALDATE */
    int64_t size;        /* RFC822.SIZE; some servers are wrong (I13) */
};

/* Takes the octets of fetched messages as they stream in. begin names the message, add brings its
 * octets in order, end says whether the whole came. A result other than RC_OK ends the fetch. */
struct fetch_sink {
    void *ctx;
    enum rc (*begin)(void *ctx, const struct mail_line *line, struct err *err);
    enum rc (*add)(void *ctx, struct slice octets, struct err *err);
    enum rc (*end)(void *ctx, struct err *err);
};

enum moved { MOVED_NOT, MOVED_YES, MOVED_ABSENT, MOVED_UNKNOWN };

struct move_result {
    uint32_t uid;                      /* in: the message */
    enum moved moved;                  /* out: never guessed; COPYUID or a look says so */
    uint32_t new_uidvalidity, new_uid; /* out: where it stands now, if known; else 0 */
};

struct mailbox {
    void *self;
    /* Opens a folder, for reading where the account may do no more. Creates nothing. */
    enum rc (*open)(void *self, const char *folder, struct folder_state *out, struct err *err);
    /* Every message of the folder from `first_uid` on that is not \Deleted, in UID order. `out` is
     * owned by the caller (free). */
    enum rc (*list)(void *self,
                    const char *folder,
                    uint32_t uidvalidity,
                    uint32_t first_uid,
                    struct mail_line **out,
                    size_t *count,
                    struct err *err);
    /* Whether the folder is still as the last `list` from its first UID on found it: asked in one round trip at
     * most, and in none where it is known. `out` is false also where that cannot be told, because another
     * folder or another connection was opened since, and after a failure. */
    enum rc (*unchanged)(void *self, const char *folder, bool *out, struct err *err);
    /* Streams the messages named, or with `header_only` their header blocks. A message that is gone
     * is passed over. RC_DEFERRED after some: those whose `end` was called are whole. */
    enum rc (*fetch)(void *self,
                     const char *folder,
                     uint32_t uidvalidity,
                     const uint32_t *uid,
                     size_t count,
                     bool header_only,
                     const struct fetch_sink *sink,
                     struct err *err);
    /* Moves a set, creating `to` where missing. Every result is filled, also on failure. */
    enum rc (*move)(void *self,
                    const char *folder,
                    uint32_t uidvalidity,
                    struct move_result *set,
                    size_t count,
                    const char *to,
                    struct err *err);
    /* Adds a message of ours, creating the folder where missing. */
    enum rc (*append)(void *self, const char *folder, struct slice octets, struct err *err);
    /* Removes one message: one that we appended, or one whose copy was just proven to stand in its
     * target folder (a COPY whose run died before it could mark the source). Gone already is RC_OK. */
    enum rc (*remove)(
        void *self, const char *folder, uint32_t uidvalidity, uint32_t uid, struct err *err);
    /* UIDs of messages with that header field containing that text; a caller checks what it finds.
     * `out` is owned by the caller (free). */
    enum rc (*search)(void *self,
                      const char *folder,
                      const char *header,
                      const char *value,
                      uint32_t *uidvalidity,
                      uint32_t **out,
                      size_t *count,
                      struct err *err);
    /* Waits for news in `folder` at most `wait_ms`; a hint only. RC_OK also when nothing came. */
    enum rc (*wait)(void *self, const char *folder, int64_t wait_ms, struct err *err);
};
