/* SPDX-License-Identifier: Apache-2.0 */
#include "imap_p.h"

#include <onecase/when.h>
#include <stdlib.h>

#define IDLE_RENEW MINUTES(4)

static void remember(struct imap_mailbox *m, uint32_t uidnext)
{
    struct look *look = select_looked(m);

    if (look == NULL) {
        look = &m->looks[m->look_count++ % LOOKS];
        str_empty(&look->folder);
        str_add(&look->folder, str_slice(&m->selected));
    }
    look->uidnext = uidnext;
}

static enum rc imap_open(void *self, const char *folder, struct folder_state *out, struct err *err)
{
    struct imap_mailbox *m = self;
    const struct mailimap_selection_info *info;

    TRY(select_folder(m, folder, false, err));
    info = m->session->imap_selection_info;
    if (info->sel_uidvalidity == 0 || info->sel_uidnext == 0)
        return session_fail(m, RC_REFUSED, err,
                            "it gives folder '%s' no UIDVALIDITY or no UIDNEXT, so that messages "
                            "cannot be told apart; ask the server's administrator",
                            folder);
    *out = (struct folder_state){.uidvalidity = info->sel_uidvalidity,
                                 .uidnext = info->sel_uidnext,
                                 .exists = info->sel_exists};
    remember(m, info->sel_uidnext);
    return RC_OK;
}

struct imap_mailbox *
imap_mailbox_new(const struct endpoint *endpoint, const struct clock *clock, int wake_fd)
{
    struct imap_mailbox *m = mem_new(1, sizeof *m);

    m->endpoint = endpoint;
    m->clock = clock;
    m->net = net_new(clock);
    m->greeting = "";
    m->renew_ms = IDLE_RENEW;
    net_wake_on(m->net, wake_fd);
    mmap_string_set_ceil(BUDGET_LARGE); /* else libetpan keeps long lines in files of its own */
    return m;
}

void imap_mailbox_renew(struct imap_mailbox *m, int64_t idle_ms)
{
    m->renew_ms = idle_ms;
}

void imap_mailbox_free(struct imap_mailbox *m)
{
    size_t taken;

    if (m == NULL)
        return;
    if (m->connection != NULL)
        (void)!connection_put(m->connection, SLICE("Z1 LOGOUT\r\n"), &taken, NULL);
    session_drop(m);
    str_clear(&m->selected);
    for (size_t i = 0; i < LOOKS; i++)
        str_clear(&m->looks[i].folder);
    net_free(m->net);
    free(m);
}

struct mailbox imap_mailbox_port(struct imap_mailbox *mailbox)
{
    return (struct mailbox){
        .self = mailbox,
        .open = imap_open,
        .list = imap_list,
        .unchanged = imap_unchanged,
        .fetch = imap_fetch,
        .move = imap_move,
        .append = imap_append,
        .remove = imap_remove,
        .search = imap_search,
        .wait = imap_wait,
    };
}

enum rc imap_mailbox_describe(struct imap_mailbox *m, struct str *out, struct err *err)
{
    TRY(session_ready(m, err));
    capabilities_describe(m->capabilities, out);
    return RC_OK;
}
