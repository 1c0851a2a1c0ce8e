/* SPDX-License-Identifier: Apache-2.0 */
#include "imap_p.h"

#include <string.h>

enum rc search_uids(struct imap_mailbox *m,
                    struct mailimap_search_key *key,
                    struct uids *out,
                    struct err *err)
{
    clist *found = NULL;
    int result;

    command_begin(m, BUDGET_LARGE);
    result = mailimap_uid_search(m->session, NULL, key, &found);
    mailimap_search_key_free(key);
    TRY(command_end(m, result, "search", err));
    for (clistiter *i = clist_begin(found); i != NULL; i = clist_next(i))
        uids_add(out, *(const uint32_t *)clist_content(i));
    mailimap_search_result_free(found);
    uids_sort(out);
    return RC_OK;
}

/* Of that set, and not \Deleted. */
static struct mailimap_search_key *undeleted_of(struct mailimap_search_key *of)
{
    struct mailimap_search_key *key = mailimap_search_key_new_multiple_empty();
    struct mailimap_search_key *undeleted = mailimap_search_key_new_all();

    undeleted->sk_type = MAILIMAP_SEARCH_KEY_UNDELETED;
    mailimap_search_key_multiple_add(key, of);
    mailimap_search_key_multiple_add(key, undeleted);
    return key;
}

enum rc
search_undeleted(struct imap_mailbox *m, uint32_t first_uid, struct uids *out, struct err *err)
{
    struct mailimap_set *set = mailimap_set_new_interval(first_uid, 0);

    return search_uids(m, undeleted_of(mailimap_search_key_new_uid(set)), out, err);
}

enum rc search_present(struct imap_mailbox *m,
                       const uint32_t *uid,
                       size_t count,
                       bool undeleted,
                       struct uids *out,
                       struct err *err)
{
    for (size_t from = 0; from < count; from += UIDS_AT_ONCE) {
        size_t some = count - from < UIDS_AT_ONCE ? count - from : UIDS_AT_ONCE;
        struct mailimap_search_key *key = mailimap_search_key_new_uid(uids_set(uid + from, some));

        if (undeleted)
            key = undeleted_of(key);
        TRY(search_uids(m, key, out, err));
    }
    return RC_OK;
}

/* Within the quotes that libetpan puts, and without a charset to name. */
static bool is_plain(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if (*at < ' ' || *at == 0x7F || *at == '"' || *at == '\\')
            return false;
    return text[0] != '\0';
}

static bool is_field_name(const char *name)
{
    for (const char *at = name; *at != '\0'; at++)
        if (*at <= ' ' || *at >= 0x7F || strchr(":\"\\(){}%*]", *at) != NULL)
            return false;
    return name[0] != '\0';
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
enum rc imap_search(void *self,
                    const char *folder,
                    const char *header,
                    const char *value,
                    uint32_t *uidvalidity,
                    uint32_t **out,
                    size_t *count,
                    struct err *err)
{
    struct imap_mailbox *m = self;
    CLEANUP(uids_clear) struct uids found = {NULL, 0, 0};

    if (!is_field_name(header) || !is_plain(value))
        return FAIL(err, RC_USAGE, "imap: such a header field or value cannot be searched for");
    TRY(select_folder(m, folder, false, err));
    *uidvalidity = m->session->imap_selection_info->sel_uidvalidity;
    TRY(search_uids(m, mailimap_search_key_new_header(mem_text(header), mem_text(value)), &found,
                    err));
    TRY(select_still(m, *uidvalidity, err));
    *count = found.count;
    uids_add(&found, 0); /* so that there is something to free */
    *out = STEAL(found.at);
    return RC_OK;
}
