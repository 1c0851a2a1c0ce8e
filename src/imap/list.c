/* SPDX-License-Identifier: Apache-2.0 */
#include "att.h"

#include <stdlib.h>

void lines_add(struct lines *lines, const struct mail_line *line)
{
    if (lines->count == lines->room) {
        lines->room = lines->room * 2 + 64;
        lines->at = mem_grow(lines->at, lines->room, sizeof *lines->at);
    }
    lines->at[lines->count++] = *line;
}

static int compare(const void *a, const void *b)
{
    const struct mail_line *left = a;
    const struct mail_line *right = b;

    return (left->uid > right->uid) - (left->uid < right->uid);
}

/* One set of UIDs being asked for. */
struct asking {
    struct uids wanted; /* sorted */
    struct uids seen;   /* answered, \Deleted or not */
    struct lines *out;
};

static void asking_clear(struct asking *a)
{
    uids_clear(&a->wanted);
    uids_clear(&a->seen);
}

/* Answers that were not asked for say less, or of others. */
static void on_line(struct mailimap_msg_att *from, void *ctx)
{
    struct asking *a = ctx;
    struct att att;

    att_read(from, &att);
    if (!att.has_date || !att.has_size || !uids_has(&a->wanted, att.uid))
        return;
    uids_add(&a->seen, att.uid);
    if (!att.deleted)
        lines_add(a->out, &(struct mail_line){
                              .uid = att.uid, .internal_ms = att.internal_ms, .size = att.size});
}

/* Those that were not answered must be gone, or \Deleted. */
static enum rc check_unseen(struct imap_mailbox *m, struct asking *a, struct err *err)
{
    CLEANUP(uids_clear) struct uids unseen = {NULL, 0, 0};
    CLEANUP(uids_clear) struct uids present = {NULL, 0, 0};

    uids_sort(&a->seen);
    for (size_t i = 0; i < a->wanted.count; i++)
        if (!uids_has(&a->seen, a->wanted.at[i]))
            uids_add(&unseen, a->wanted.at[i]);
    if (unseen.count == 0)
        return RC_OK;
    TRY(search_present(m, unseen.at, unseen.count, true, &present, err));
    if (present.count == 0)
        return RC_OK;
    return FAIL(err, RC_DEFERRED,
                "%s: it lists %zu messages of which it then says nothing; it is tried again",
                session_name(m), present.count);
}

static enum rc
ask(struct imap_mailbox *m, const uint32_t *uid, size_t count, struct lines *out, struct err *err)
{
    CLEANUP(asking_clear) struct asking a = {.out = out};
    struct fetch_to to = {.att = on_line, .body = NULL, .ctx = &a};

    for (size_t i = 0; i < count; i++)
        uids_add(&a.wanted, uid[i]);
    uids_sort(&a.wanted);
    command_begin(m, BUDGET_SMALL + count * 4096);
    TRY(att_fetch(m, a.wanted.at, a.wanted.count, WANT_LINE, &to, err));
    return check_unseen(m, &a, err);
}

enum rc fetch_lines(
    struct imap_mailbox *m, const uint32_t *uid, size_t count, struct lines *out, struct err *err)
{
    size_t kept = 0;

    for (size_t from = 0; from < count; from += UIDS_AT_ONCE) {
        size_t some = count - from < UIDS_AT_ONCE ? count - from : UIDS_AT_ONCE;

        TRY(ask(m, uid + from, some, out, err));
    }
    if (out->count > 0)
        qsort(out->at, out->count, sizeof *out->at, compare);
    for (size_t i = 0; i < out->count; i++) /* one that was answered twice counts once */
        if (kept == 0 || out->at[kept - 1].uid != out->at[i].uid)
            out->at[kept++] = out->at[i];
    out->count = kept;
    return RC_OK;
}

/* "5:*" finds the last message even where its UID is lower. */
static enum rc
find_from(struct imap_mailbox *m, uint32_t first_uid, struct uids *out, struct err *err)
{
    struct uids all = {NULL, 0, 0};
    enum rc rc = search_undeleted(m, first_uid, &all, err);

    for (size_t i = 0; i < all.count && rc == RC_OK; i++)
        if (all.at[i] >= first_uid)
            uids_add(out, all.at[i]);
    uids_clear(&all);
    return rc;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
enum rc imap_list(void *self,
                  const char *folder,
                  uint32_t uidvalidity,
                  uint32_t first_uid,
                  struct mail_line **out,
                  size_t *count,
                  struct err *err)
{
    struct imap_mailbox *m = self;
    CLEANUP(uids_clear) struct uids found = {NULL, 0, 0};
    struct lines lines = {NULL, 0, 0};
    enum rc rc;

    TRY(select_seen(m, folder, uidvalidity, false, err));
    m->listed = m->guard.changed = false;
    TRY(find_from(m, first_uid, &found, err));
    uids_sort(&found);
    if (first_uid <= 1)
        listed_take(m, uidvalidity, &found, &lines);
    rc = fetch_lines(m, found.at, found.count, &lines, err);
    m->listed = rc == RC_OK && first_uid <= 1;
    m->guard.fetched = false; /* that was asked for */
    if (rc == RC_OK)
        rc = select_still(m, uidvalidity, err);
    if (rc != RC_OK) {
        free(lines.at);
        return rc;
    }
    if (first_uid <= 1)
        listed_keep(m, uidvalidity, &lines);
    *out = lines.at;
    *count = lines.count;
    return RC_OK;
}
