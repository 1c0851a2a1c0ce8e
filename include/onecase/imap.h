/* SPDX-License-Identifier: Apache-2.0
 *
 * imap - the mailbox port over a real connection.
 *
 * Folders are named as people write them: UTF-8, "/" between levels. On the wire they get the
 * server's separator, the prefix of the personal namespace, and modified UTF-7; INBOX is INBOX.
 *
 * What a server lacks is done otherwise, by the table in capability.h. Where it has neither MOVE nor
 * UIDPLUS, a moved message stays behind, marked \Deleted, until somebody expunges: we never expunge
 * what others marked. Reading uses EXAMINE; SELECT only before a change.
 *
 * Not made for two threads. What the endpoint points to must outlive the mailbox.
 */
#pragma once

#include <onecase/clock.h>
#include <onecase/connection.h>
#include <onecase/mailbox.h>
#include <onecase/quota.h>

struct imap_mailbox;

/* `wake_fd`: waiting for news ends when it can be read; -1 is none. */
struct imap_mailbox *imap_mailbox_new(const struct endpoint *endpoint,
                                      const struct clock *clock,
                                      int wake_fd) MUST_CHECK;
void imap_mailbox_free(struct imap_mailbox *mailbox); /* never waits */
/* IDLE is renewed so often: before a router between forgets the connection, and before the server's 30
 * minutes. 4 minutes where it is not set. */
void imap_mailbox_renew(struct imap_mailbox *mailbox, int64_t idle_ms);
struct mailbox imap_mailbox_port(struct imap_mailbox *mailbox);

/* Connects if need be, and says line by line what the server has and what is used in its place where
 * it has not; for `doctor`. */
enum rc imap_mailbox_describe(struct imap_mailbox *mailbox, struct str *out, struct err *err)
    MUST_CHECK;

/* The rest is for `doctor`, too; the quota is the worker's as well. What the server does not say is RC_OK and nothing; what it refuses to say
 * is a failure. */

/* The words of CAPABILITY. */
enum rc imap_mailbox_offers(struct imap_mailbox *mailbox, struct str *out, struct err *err)
    MUST_CHECK;

/* What the account may do in a folder, a letter each (RFC 4314); where the server has ACL. */
enum rc imap_mailbox_rights(struct imap_mailbox *mailbox,
                            const char *folder,
                            struct str *out,
                            struct err *err) MUST_CHECK;

/* Of several that a folder counts to, the fullest. RC_NOT_FOUND: the server has no QUOTA. */
enum rc imap_mailbox_quota(struct imap_mailbox *mailbox,
                           const char *folder,
                           struct quota *out,
                           struct err *err) MUST_CHECK;

/* The folder that the server marks as that of junk, as people write it, and how many messages lie in it;
 * -1 where that is not known. */
enum rc imap_mailbox_junk(struct imap_mailbox *mailbox,
                          struct str *name,
                          int64_t *messages,
                          struct err *err) MUST_CHECK;

/* The folder that the server marks as that of sent mail, as people write it; "" where it marks none. */
enum rc imap_mailbox_sent(struct imap_mailbox *mailbox, struct str *name, struct err *err)
    MUST_CHECK;

/* Deletes a folder of our own, with all that is in it. */
enum rc imap_mailbox_drop_folder(struct imap_mailbox *mailbox, const char *folder, struct err *err)
    MUST_CHECK;
