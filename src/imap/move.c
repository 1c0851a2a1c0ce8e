/* SPDX-License-Identifier: Apache-2.0 */
#include "imap_p.h"

/* One set being moved. What a message came to is read off COPYUID where the server has it, and else
 * from a look: it was there before the command, the command was answered OK, it is gone. */
struct moving {
    struct imap_mailbox *m;
    struct move_result *set;
    size_t count;
    const char *to;             /* on the wire */
    struct uids present;        /* there before, and not \Deleted */
    struct uids source, target; /* of COPYUID, in step */
    uint32_t target_uidvalidity;
};

static void moving_clear(struct moving *v)
{
    uids_clear(&v->present);
    uids_clear(&v->source);
    uids_clear(&v->target);
}

static struct move_result *result_of(struct moving *v, uint32_t uid)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->set[i].uid == uid)
            return &v->set[i];
    return NULL;
}

static void set_all(struct moving *v, const struct uids *of, enum moved moved)
{
    for (size_t i = 0; i < v->count; i++)
        if (uids_has(of, v->set[i].uid))
            v->set[i].moved = moved;
}

/* What COPYUID names is in the target. */
static void note_copied(struct moving *v, enum moved moved)
{
    for (size_t i = 0; i < v->source.count; i++) {
        struct move_result *r = result_of(v, v->source.at[i]);

        if (r == NULL)
            continue;
        r->moved = moved;
        r->new_uidvalidity = i < v->target.count ? v->target_uidvalidity : 0;
        r->new_uid = i < v->target.count ? v->target.at[i] : 0;
    }
}

typedef int command_fn(mailimap *session,
                       struct mailimap_set *set,
                       const char *mb,
                       uint32_t *uidvalidity,
                       struct mailimap_set **source,
                       struct mailimap_set **target);

static enum rc run_once(struct moving *v, command_fn *command, const char *doing, struct err *err)
{
    struct mailimap_set *set = uids_set(v->present.at, v->present.count);
    struct mailimap_set *source = NULL;
    struct mailimap_set *target = NULL;
    int result;

    command_begin(v->m, BUDGET_SMALL);
    result = command(v->m->session, set, v->to, &v->target_uidvalidity, &source, &target);
    mailimap_set_free(set);
    if (result == MAILIMAP_NO_ERROR) {
        uids_from_set(&v->source, source);
        uids_from_set(&v->target, target);
        if (source != NULL)
            mailimap_set_free(source);
        if (target != NULL)
            mailimap_set_free(target);
    }
    return command_end(v->m, result, doing, err);
}

/* Makes the target where it is missing; some servers say so only by a plain no. */
static enum rc run(struct moving *v, command_fn *command, const char *doing, struct err *err)
{
    enum rc rc = run_once(v, command, doing, err);

    if (rc != RC_NOT_FOUND && !(rc == RC_DEFERRED && folder_missing(v->m, v->to)))
        return rc;
    TRY(folder_make(v->m, v->to, err));
    return run_once(v, command, doing, err);
}

static enum rc look(struct moving *v, struct uids *there, struct err *err)
{
    return search_present(v->m, v->present.at, v->present.count, true, there, err);
}

/* What a MOVE did to a message that COPYUID does not name. Gone though the server said OK: with COPYUID
 * it would have named what it moved, so somebody else was faster; else that OK is its word. */
static enum moved judge(const struct moving *v, bool is_there, bool said_ok)
{
    if (is_there)
        return MOVED_NOT;
    if (!said_ok)
        return MOVED_UNKNOWN;
    return (v->m->capabilities & CAN_UIDPLUS) != 0 ? MOVED_ABSENT : MOVED_YES;
}

static enum rc judge_all(struct moving *v, bool said_ok, struct err *err)
{
    CLEANUP(uids_clear) struct uids there = {NULL, 0, 0};
    bool unknown = false;

    if (look(v, &there, err) != RC_OK)
        return RC_UNKNOWN;
    for (size_t i = 0; i < v->count; i++) {
        struct move_result *r = &v->set[i];

        if (!uids_has(&v->present, r->uid) || r->moved == MOVED_YES)
            continue;
        r->moved = judge(v, uids_has(&there, r->uid), said_ok);
        unknown = unknown || r->moved == MOVED_UNKNOWN;
    }
    return unknown ? RC_UNKNOWN : RC_OK;
}

/* RC_UNKNOWN where no answer came; those results stay unknown. */
static enum rc by_move(struct moving *v, struct err *err)
{
    struct err unused = ERR_INIT;
    enum rc rc;

    set_all(v, &v->present, MOVED_UNKNOWN);
    rc = run(v, mailimap_uidplus_uid_move, "move messages", err);
    note_copied(v, MOVED_YES);
    if (rc == RC_OK && v->source.count == v->present.count)
        return RC_OK;
    if (v->m->session == NULL && !v->m->answered)
        return RC_UNKNOWN;
    if (v->m->session == NULL) {
        set_all(v, &v->present, MOVED_NOT);
        return rc;
    }
    if (judge_all(v, rc == RC_OK, rc == RC_OK ? err : &unused) != RC_OK)
        return RC_UNKNOWN;
    return rc;
}

/* Which were copied: what COPYUID names, and then the others were gone before; without it, what is
 * still there after an OK. */
static enum rc judge_copy(struct moving *v, struct uids *copied, struct err *err)
{
    if (v->source.count == 0)
        return look(v, copied, err);
    for (size_t i = 0; i < v->source.count; i++)
        if (uids_has(&v->present, v->source.at[i]))
            uids_add(copied, v->source.at[i]);
    uids_sort(copied);
    for (size_t i = 0; i < v->count; i++)
        if (uids_has(&v->present, v->set[i].uid) && !uids_has(copied, v->set[i].uid))
            v->set[i].moved = MOVED_ABSENT;
    return RC_OK;
}

/* From the mark on the message is filed: nobody lists it any more. Expunging it is tidying up. */
static enum rc delete_copied(struct moving *v, const struct uids *copied, struct err *err)
{
    struct err unused = ERR_INIT;

    if (copied->count == 0)
        return RC_OK;
    if (change_delete(v->m, copied->at, copied->count, err) != RC_OK)
        return RC_UNKNOWN;
    set_all(v, copied, MOVED_YES);
    (void)!change_expunge(v->m, copied->at, copied->count, &unused);
    return RC_OK;
}

/* A failure after the copy leaves the message in both folders: not known, and the look finds both. */
static enum rc by_copy(struct moving *v, struct err *err)
{
    CLEANUP(uids_clear) struct uids copied = {NULL, 0, 0};
    enum rc rc;

    set_all(v, &v->present, MOVED_UNKNOWN);
    rc = run(v, mailimap_uidplus_uid_copy, "copy messages", err);
    note_copied(v, MOVED_UNKNOWN);
    if (rc != RC_OK && v->m->answered) {
        set_all(v, &v->present, MOVED_NOT);
        return rc;
    }
    if (rc != RC_OK || judge_copy(v, &copied, err) != RC_OK)
        return RC_UNKNOWN;
    return delete_copied(v, &copied, err);
}

static enum rc move_some(struct moving *v, struct err *err)
{
    CLEANUP(uids_clear) struct uids wanted = {NULL, 0, 0};
    enum rc rc;

    for (size_t i = 0; i < v->count; i++)
        uids_add(&wanted, v->set[i].uid);
    uids_sort(&wanted);
    TRY(search_present(v->m, wanted.at, wanted.count, true, &v->present, err));
    for (size_t i = 0; i < v->count; i++)
        v->set[i].moved = uids_has(&v->present, v->set[i].uid) ? MOVED_NOT : MOVED_ABSENT;
    if (v->present.count == 0)
        return RC_OK;
    rc = (v->m->capabilities & CAN_MOVE) != 0 ? by_move(v, err) : by_copy(v, err);
    if (rc == RC_UNKNOWN)
        err->rc = rc;
    return rc;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
enum rc imap_move(void *self,
                  const char *folder,
                  uint32_t uidvalidity,
                  struct move_result *set,
                  size_t count,
                  const char *to,
                  struct err *err)
{
    struct imap_mailbox *m = self;
    CLEANUP(str_clear) struct str wire = STR_INIT;
    enum rc rc = RC_OK;

    for (size_t i = 0; i < count; i++)
        set[i] = (struct move_result){.uid = set[i].uid, .moved = MOVED_NOT};
    TRY(select_seen(m, folder, uidvalidity, true, err));
    TRY(name_to_wire(&m->names, to, &wire, err));
    for (size_t from = 0; from < count && rc == RC_OK; from += UIDS_AT_ONCE) {
        CLEANUP(moving_clear) struct moving v = {.m = m, .to = str_z(&wire)};

        v.set = set + from;
        v.count = count - from < UIDS_AT_ONCE ? count - from : UIDS_AT_ONCE;
        rc = move_some(&v, err);
    }
    return rc;
}
