/* SPDX-License-Identifier: Apache-2.0 */
#include "imap_p.h"

#include <onecase/distance.h>
#include <stdlib.h>
#include <string.h>

static bool is_selected(const struct imap_mailbox *m, const struct str *wire, bool change)
{
    return m->selected.len > 0 && strcmp(str_z(&m->selected), str_z(wire)) == 0 &&
           (m->writable || !change);
}

/* Some servers say no to a folder that is missing without a code for it. */
bool folder_missing(struct imap_mailbox *m, const char *wire)
{
    clist *list = NULL;
    bool missing;
    int result;

    if (m->session == NULL)
        return false;
    command_begin(m, BUDGET_SMALL);
    result = mailimap_list(m->session, "", wire, &list);
    if (command_end(m, result, "look for a folder", NULL) != RC_OK)
        return false;
    missing = clist_begin(list) == NULL;
    mailimap_list_result_free(list);
    return missing;
}

#define NAMES_MOST 160 /* octets of names in a message: enough to find the right one */

/* A folder that there is, as people write it. */
struct named {
    struct str name;
    size_t distance; /* from the one that is missing */
};

static int nearer(const void *left, const void *right)
{
    const struct named *a = left;
    const struct named *b = right;

    return a->distance != b->distance ? (a->distance < b->distance ? -1 : 1)
                                      : strcmp(str_z(&a->name), str_z(&b->name));
}

static size_t count_of(const clist *list)
{
    size_t count = 0;

    for (clistiter *i = clist_begin(list); i != NULL; i = clist_next(i))
        count++;
    return count;
}

/* The nearest first: it is probably the one that was meant. */
static struct named *
sort_names(const struct imap_mailbox *m, const clist *list, const char *meant, size_t *count)
{
    struct named *names = mem_new(count_of(list) + 1, sizeof *names);

    *count = 0;
    for (clistiter *i = clist_begin(list); i != NULL; i = clist_next(i)) {
        const struct mailimap_mailbox_list *one = clist_content(i);
        struct named *n = &names[(*count)++];

        name_from_wire(&m->names, slice_z(one->mb_name), &n->name);
        n->distance = slice_distance(slice_z(meant), str_slice(&n->name));
    }
    qsort(names, *count, sizeof *names, nearer);
    return names;
}

/* 'a', 'b' and 3 more */
static void
tell_names(const struct imap_mailbox *m, const clist *list, const char *meant, struct str *out)
{
    size_t count;
    size_t told = 0;
    struct named *names = sort_names(m, list, meant, &count);

    for (size_t i = 0; i < count; i++) {
        if (told == i && out->len + names[i].name.len <= NAMES_MOST) {
            str_addf(out, "%s'%s'", told > 0 ? ", " : "", str_z(&names[i].name));
            told++;
        }
        str_clear(&names[i].name);
    }
    if (count > told)
        str_addf(out, "%s %zu more", told > 0 ? " and" : "only", count - told);
    free(names);
}

/* The folders that there are, for whoever misspelt one; nothing where they cannot be had. */
static void list_folders(struct imap_mailbox *m, const char *meant, struct str *out)
{
    clist *list = NULL;
    int result;

    command_begin(m, BUDGET_LARGE);
    result = mailimap_list(m->session, "", "*", &list);
    if (command_end(m, result, "list folders", NULL) != RC_OK)
        return;
    tell_names(m, list, meant, out);
    mailimap_list_result_free(list);
}

static enum rc missing_folder(struct imap_mailbox *m, const char *folder, struct err *err)
{
    CLEANUP(str_clear) struct str names = STR_INIT;

    list_folders(m, folder, &names);
    return FAIL(err, RC_NOT_FOUND, "%s: there is no folder '%s'; check `folders`%s%s",
                session_name(m), folder, names.len > 0 ? "; there are " : "", str_z(&names));
}

static enum rc
not_selected(struct imap_mailbox *m, const char *folder, const struct str *wire, struct err *err)
{
    bool missing;

    if (m->session == NULL || err->rc == RC_REFUSED)
        return err->rc;
    missing = err->rc == RC_NOT_FOUND || folder_missing(m, str_z(wire));
    if (missing && m->session != NULL)
        return missing_folder(m, folder, err);
    return err->rc;
}

static enum rc check_writable(struct imap_mailbox *m, const char *folder, struct err *err)
{
    m->writable = m->session->imap_selection_info->sel_perm == MAILIMAP_MAILBOX_READWRITE;
    if (m->writable)
        return RC_OK;
    return FAIL(err, RC_REFUSED,
                "%s: the account may only read in '%s'; have the server's administrator give it "
                "the right to change",
                session_name(m), folder);
}

static void read_uidnext(struct imap_mailbox *m, const struct mailimap_mailbox_data_status *status)
{
    for (clistiter *i = clist_begin(status->st_info_list); i != NULL; i = clist_next(i)) {
        const struct mailimap_status_info *info = clist_content(i);

        if (info->st_att == MAILIMAP_STATUS_ATT_UIDNEXT)
            m->session->imap_selection_info->sel_uidnext = info->st_value;
    }
}

/* Some servers (Courier) open a folder without saying UIDNEXT, and say it when asked. A no leaves it
 * unknown, and that is then told as what is wrong. */
static enum rc ask_uidnext(struct imap_mailbox *m, const char *wire, struct err *err)
{
    struct mailimap_status_att_list *want = mailimap_status_att_list_new_empty();
    struct mailimap_mailbox_data_status *status = NULL;
    enum rc rc;
    int result;

    mailimap_status_att_list_add(want, MAILIMAP_STATUS_ATT_UIDNEXT);
    command_begin(m, BUDGET_SMALL);
    result = mailimap_status(m->session, wire, want, &status);
    mailimap_status_att_list_free(want);
    if (result == MAILIMAP_NO_ERROR) {
        read_uidnext(m, status);
        mailimap_mailbox_data_status_free(status);
    }
    rc = command_end(m, result, "ask for UIDNEXT", err);
    return rc != RC_OK && m->session != NULL ? RC_OK : rc;
}

static enum rc do_select(struct imap_mailbox *m,
                         const char *folder,
                         const struct str *wire,
                         bool change,
                         struct err *err)
{
    struct err why = ERR_INIT;
    int result;

    str_empty(&m->selected);
    m->writable = m->listed = false;
    command_begin(m, BUDGET_SMALL);
    result = change ? mailimap_select(m->session, str_z(wire))
                    : mailimap_examine(m->session, str_z(wire));
    if (command_end(m, result, "open a folder", &why) != RC_OK) {
        enum rc rc = not_selected(m, folder, wire, &why);

        *err = why;
        return rc;
    }
    if (m->session->imap_selection_info->sel_uidnext == 0)
        TRY(ask_uidnext(m, str_z(wire), err));
    str_add(&m->selected, str_slice(wire));
    return change ? check_writable(m, folder, err) : RC_OK;
}

enum rc select_for_append(struct imap_mailbox *m,
                          const char *folder,
                          const struct str *wire,
                          struct err *err)
{
    bool reading = is_selected(m, wire, false) && !m->writable;

    return reading ? do_select(m, folder, wire, true, err) : RC_OK;
}

enum rc select_folder(struct imap_mailbox *m, const char *folder, bool change, struct err *err)
{
    CLEANUP(str_clear) struct str wire = STR_INIT;

    TRY(session_ready(m, err));
    TRY(name_to_wire(&m->names, folder, &wire, err));
    return do_select(m, folder, &wire, change, err);
}

static enum rc
select_if_need_be(struct imap_mailbox *m, const char *folder, bool change, struct err *err)
{
    CLEANUP(str_clear) struct str wire = STR_INIT;

    TRY(session_ready(m, err));
    TRY(name_to_wire(&m->names, folder, &wire, err));
    return is_selected(m, &wire, change) ? RC_OK : do_select(m, folder, &wire, change, err);
}

enum rc select_seen(
    struct imap_mailbox *m, const char *folder, uint32_t uidvalidity, bool change, struct err *err)
{
    TRY(select_if_need_be(m, folder, change, err));
    return select_still(m, uidvalidity, err);
}

enum rc select_still(struct imap_mailbox *m, uint32_t uidvalidity, struct err *err)
{
    const struct mailimap_selection_info *info = m->session->imap_selection_info;

    if (info != NULL && info->sel_uidvalidity == uidvalidity && uidvalidity != 0 &&
        m->guard.uidvalidity == uidvalidity)
        return RC_OK;
    str_empty(&m->selected); /* the next call opens it anew */
    return FAIL(err, RC_CONFLICT,
                "%s: the folder has another UIDVALIDITY than it had (%u, was %u); it is read anew",
                session_name(m), info != NULL ? (unsigned)info->sel_uidvalidity : 0,
                (unsigned)uidvalidity);
}

bool select_listed(const struct imap_mailbox *m, const char *folder)
{
    CLEANUP(str_clear) struct str wire = STR_INIT;

    return m->listed && !m->guard.changed && !m->guard.fetched &&
           name_to_wire(&m->names, folder, &wire, NULL) == RC_OK && is_selected(m, &wire, false);
}

struct look *select_looked(struct imap_mailbox *m)
{
    for (size_t i = 0; i < LOOKS; i++)
        if (m->looks[i].folder.len > 0 &&
            strcmp(str_z(&m->looks[i].folder), str_z(&m->selected)) == 0)
            return &m->looks[i];
    return NULL;
}
