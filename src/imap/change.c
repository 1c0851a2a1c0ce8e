/* SPDX-License-Identifier: Apache-2.0 */
#include "imap_p.h"

static struct mailimap_store_att_flags *add_deleted(void)
{
    struct mailimap_flag_list *flags = mailimap_flag_list_new_empty();

    mailimap_flag_list_add(flags, mailimap_flag_new_deleted());
    return mailimap_store_att_flags_new_add_flags_silent(flags);
}

enum rc change_delete(struct imap_mailbox *m, const uint32_t *uid, size_t count, struct err *err)
{
    struct mailimap_set *set = uids_set(uid, count);
    struct mailimap_store_att_flags *flags = add_deleted();
    int result;

    command_begin(m, BUDGET_SMALL);
    result = mailimap_uid_store(m->session, set, flags);
    mailimap_store_att_flags_free(flags);
    mailimap_set_free(set);
    return command_end(m, result, "mark messages \\Deleted", err);
}

/* Of these only, which takes UIDPLUS; without it they stay, marked, until somebody expunges. */
enum rc change_expunge(struct imap_mailbox *m, const uint32_t *uid, size_t count, struct err *err)
{
    struct mailimap_set *set;
    int result;

    if ((m->capabilities & CAN_UIDPLUS) == 0)
        return RC_OK;
    set = uids_set(uid, count);
    command_begin(m, BUDGET_SMALL);
    result = mailimap_uid_expunge(m->session, set);
    mailimap_set_free(set);
    return command_end(m, result, "expunge messages of ours", err);
}

enum rc
imap_remove(void *self, const char *folder, uint32_t uidvalidity, uint32_t uid, struct err *err)
{
    struct imap_mailbox *m = self;

    TRY(select_seen(m, folder, uidvalidity, true, err));
    TRY(change_delete(m, &uid, 1, err));
    return change_expunge(m, &uid, 1, err);
}
