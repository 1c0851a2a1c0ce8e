/* SPDX-License-Identifier: Apache-2.0
 *
 * imap_p - what the files of this folder share: one session, and how a command of it is begun and
 * ended.
 *
 * Every command goes: session_ready or session_select; command_begin with its budget; one call of
 * libetpan; command_end with what that returned. command_end is where the vendor's codes become
 * ours, and where a connection that is in doubt is thrown away.
 */
#pragma once

#include "capabilities.h"
#include "guard.h"
#include "names.h"

#include <onecase/imap.h>
#include <libetpan/libetpan.h>

#define BUDGET_SMALL ((size_t)1024 * 1024)
#define BUDGET_LARGE ((size_t)64 * 1024 * 1024)

#define UIDS_AT_ONCE                                                                               \
    200 /* in one command: a lost connection repeats little, a command stays short */

/* Folders whose last look is remembered: inbox, filed-to folders, claim folder, evidence folder. */
#define LOOKS 8

struct look {
    struct str folder; /* on the wire */
    uint32_t uidnext;
};

/* The messages that a folder had when it was last listed whole on this connection. */
struct listed {
    struct str folder; /* on the wire */
    uint32_t uidvalidity;
    int64_t read_ms; /* when the eldest of them was asked for */
    struct mail_line *at;
    size_t count;
};

struct imap_mailbox {
    const struct endpoint *endpoint;
    const struct clock *clock;
    struct net *net;
    struct connection *connection; /* NULL while there is none */
    mailimap *session;             /* with it */
    const char *greeting;          /* what is left of the one that libetpan is given */
    struct guard guard;
    struct err why; /* of a read or write that failed */
    bool answered;  /* the last command had its tagged answer */
    unsigned capabilities;
    struct name_space names;
    struct str selected; /* the folder, on the wire; empty while there is none */
    bool writable;
    bool listed;      /* it was listed whole; whether that still holds the guard has heard */
    bool just_waited; /* nothing was said since an IDLE ended without news */
    int64_t renew_ms; /* of an IDLE */
    struct look looks[LOOKS]; /* from a folder's opening on, what is new in it is news */
    size_t look_count;        /* ever made; the eldest gives way */
    struct listed list;
};

/* low.c: libetpan's way to the connection. */
mailstream *low_stream(struct imap_mailbox *m);
enum rc low_write(struct imap_mailbox *m, struct slice octets, struct err *err);
/* The next line; *at NULL at `until_boot_ms`, or earlier where waiting was interrupted. */
enum rc
low_line(struct imap_mailbox *m, int64_t until_boot_ms, struct slice *line, struct err *err);

/* session.c */
int64_t imap_now(const struct imap_mailbox *m);
/* A connection that is signed in and, as far as can be seen, alive. */
enum rc session_ready(struct imap_mailbox *m, struct err *err) MUST_CHECK;
void session_drop(struct imap_mailbox *m);
/* Throws the connection away and tells why in its words. */
enum rc session_fail(struct imap_mailbox *m, enum rc rc, struct err *err, const char *format, ...)
    PRINTF(4, 5);
const char *session_name(const struct imap_mailbox *m);

/* select.c: opens the folder anew; `change`: for writing. RC_NOT_FOUND: there is none. */
enum rc select_folder(struct imap_mailbox *m, const char *folder, bool change, struct err *err)
    MUST_CHECK;
/* As it stands open, else anew; RC_CONFLICT under another UIDVALIDITY. */
enum rc select_seen(struct imap_mailbox *m,
                    const char *folder,
                    uint32_t uidvalidity,
                    bool change,
                    struct err *err) MUST_CHECK;
/* Some servers (Courier) add nothing to a folder that this session has open for reading. */
enum rc select_for_append(struct imap_mailbox *m,
                          const char *folder,
                          const struct str *wire,
                          struct err *err) MUST_CHECK;
/* Whether that folder stands open, for whatever, as it was last listed, as far as was heard. */
bool select_listed(const struct imap_mailbox *m, const char *folder);
/* The last look at the folder that is selected; NULL where none is remembered. */
struct look *select_looked(struct imap_mailbox *m);
/* Whether the server lists no such folder; false where it could not be asked. */
bool folder_missing(struct imap_mailbox *m, const char *wire);
/* Whether what the last commands answered was still of that UIDVALIDITY. */
enum rc select_still(struct imap_mailbox *m, uint32_t uidvalidity, struct err *err) MUST_CHECK;

/* command.c */
void command_begin(struct imap_mailbox *m, size_t budget);
enum rc command_end(struct imap_mailbox *m, int result, const char *doing, struct err *err)
    MUST_CHECK;

/* uids.c: sets of UIDs. */
struct uids {
    uint32_t *at;
    size_t count, room;
};
void uids_clear(struct uids *u);
void uids_add(struct uids *u, uint32_t uid);
void uids_sort(struct uids *u);
bool uids_has(const struct uids *u, uint32_t uid);                /* of a sorted one */
struct mailimap_set *uids_set(const uint32_t *uid, size_t count); /* at least one */
void uids_from_set(struct uids *out, const struct mailimap_set *set);

/* search.c: `key` is taken over. Sorted. */
enum rc search_uids(struct imap_mailbox *m,
                    struct mailimap_search_key *key,
                    struct uids *out,
                    struct err *err) MUST_CHECK;
/* Of that UID and later ones (and the last one in any case), those that are not \Deleted. */
enum rc
search_undeleted(struct imap_mailbox *m, uint32_t first_uid, struct uids *out, struct err *err)
    MUST_CHECK;
/* Which of these are in the folder; `undeleted`: and not \Deleted. */
enum rc search_present(struct imap_mailbox *m,
                       const uint32_t *uid,
                       size_t count,
                       bool undeleted,
                       struct uids *out,
                       struct err *err) MUST_CHECK;

/* append.c: makes a folder and subscribes to it; one that is there is RC_OK. */
enum rc folder_make(struct imap_mailbox *m, const char *wire, struct err *err) MUST_CHECK;

/* list.c: lines of these UIDs that are there and not \Deleted, sorted. Owned by the caller. */
struct lines {
    struct mail_line *at;
    size_t count, room;
};
void lines_add(struct lines *lines, const struct mail_line *line);
enum rc fetch_lines(struct imap_mailbox *m,
                    const uint32_t *uid,
                    size_t count,
                    struct lines *out,
                    struct err *err) MUST_CHECK;

/* change.c: +FLAGS.SILENT \Deleted, and UID EXPUNGE where that is there. */
enum rc change_delete(struct imap_mailbox *m, const uint32_t *uid, size_t count, struct err *err)
    MUST_CHECK;
enum rc change_expunge(struct imap_mailbox *m, const uint32_t *uid, size_t count, struct err *err)
    MUST_CHECK;

/* The port's functions, each in the file of its name. */
enum rc imap_list(void *self,
                  const char *folder,
                  uint32_t uidvalidity,
                  uint32_t first_uid,
                  struct mail_line **out,
                  size_t *count,
                  struct err *err);
enum rc imap_fetch(void *self,
                   const char *folder,
                   uint32_t uidvalidity,
                   const uint32_t *uid,
                   size_t count,
                   bool header_only,
                   const struct fetch_sink *sink,
                   struct err *err);
enum rc imap_move(void *self,
                  const char *folder,
                  uint32_t uidvalidity,
                  struct move_result *set,
                  size_t count,
                  const char *to,
                  struct err *err);
enum rc imap_append(void *self, const char *folder, struct slice octets, struct err *err);
enum rc
imap_remove(void *self, const char *folder, uint32_t uidvalidity, uint32_t uid, struct err *err);
enum rc imap_search(void *self,
                    const char *folder,
                    const char *header,
                    const char *value,
                    uint32_t *uidvalidity,
                    uint32_t **out,
                    size_t *count,
                    struct err *err);
enum rc imap_unchanged(void *self, const char *folder, bool *out, struct err *err);
enum rc imap_wait(void *self, const char *folder, int64_t wait_ms, struct err *err);

/* listed.c: of `found`, which ascends, what is known goes to `out`; what is to be asked for stays. */
void listed_take(const struct imap_mailbox *m,
                 uint32_t uidvalidity,
                 struct uids *found,
                 struct lines *out);
/* Remembers a whole list of the folder that is selected, in the order of its UIDs. */
void listed_keep(struct imap_mailbox *m, uint32_t uidvalidity, const struct lines *lines);
void listed_clear(struct listed *k);
