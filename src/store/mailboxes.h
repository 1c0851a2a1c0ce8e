/* SPDX-License-Identifier: Apache-2.0
 *
 * mailboxes - the row of a mailbox, for the files of this folder that write it.
 */
#pragma once

#include "store_p.h"

/* The circuits and the streak of a mailbox. Written as they are: the last writer wins. */
enum rc circuits_read(struct db *db, struct mailbox_record *record, struct err *err) MUST_CHECK;
enum rc circuits_write(struct writing *w, const struct mailbox_record *record, struct err *err)
    MUST_CHECK;

/* Writes all else of the row, but what a person sets (the choice about old mail, the pause), if its
 * version is still the record's; RC_CONFLICT. The caller counts the record's version up once that is
 * durable. */
enum rc mailbox_write(struct writing *w, const struct mailbox_record *record, struct err *err)
    MUST_CHECK;
/* In the transaction that records an arrival: RC_CONFLICT where the inbox was renumbered since it was
 * listed; else its UID counts for `uidnext`. */
enum rc mailbox_numbers(struct writing *w, const struct arrival *arrival, struct err *err)
    MUST_CHECK;
enum rc
mailbox_event(struct writing *w, const char *mailbox, const struct event *event, struct err *err)
    MUST_CHECK;
/* A person's decision about a mailbox: who and why, erasable, by the number of its line. */
enum rc mailbox_note(struct writing *w, const char *by, const char *why, struct err *err)
    MUST_CHECK;

/* ---- rewind.c */
enum rc
mailboxes_rewind(void *self, struct mailbox_record *record, struct instant now, struct err *err)
    MUST_CHECK;
