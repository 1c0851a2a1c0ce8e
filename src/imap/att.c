/* SPDX-License-Identifier: Apache-2.0 */
#include "att.h"

#include <onecase/when.h>

/* The zone is +hhmm as one number: 530, -800. */
static int64_t instant_of(const struct mailimap_date_time *d)
{
    int64_t minutes = d->dt_zone / 100 * 60 + d->dt_zone % 100;

    return DAYS(when_days(d->dt_year, d->dt_month, d->dt_day)) + HOURS(d->dt_hour) +
           MINUTES(d->dt_min - minutes) + SECONDS(d->dt_sec);
}

static bool is_date(const struct mailimap_date_time *d)
{
    return d != NULL && d->dt_month >= 1 && d->dt_month <= 12 && d->dt_year > 0 &&
           d->dt_year < 10000;
}

static void read_static(const struct mailimap_msg_att_static *from, struct att *out)
{
    const struct mailimap_msg_att_body_section *body = from->att_data.att_body_section;

    if (from->att_type == MAILIMAP_MSG_ATT_UID) {
        out->uid = from->att_data.att_uid;
    } else if (from->att_type == MAILIMAP_MSG_ATT_RFC822_SIZE) {
        out->size = from->att_data.att_rfc822_size;
        out->has_size = true;
    } else if (from->att_type == MAILIMAP_MSG_ATT_INTERNALDATE) {
        out->has_date = is_date(from->att_data.att_internal_date);
        out->internal_ms = out->has_date ? instant_of(from->att_data.att_internal_date) : 0;
    } else if (from->att_type == MAILIMAP_MSG_ATT_BODY_SECTION) {
        out->has_body = true;
        out->body = body->sec_body_part;
        out->body_len = body->sec_length;
    }
}

static void read_dynamic(const struct mailimap_msg_att_dynamic *from, struct att *out)
{
    if (from == NULL || from->att_list == NULL)
        return;
    for (clistiter *i = clist_begin(from->att_list); i != NULL; i = clist_next(i)) {
        const struct mailimap_flag_fetch *flag = clist_content(i);

        if (flag->fl_flag != NULL && flag->fl_flag->fl_type == MAILIMAP_FLAG_DELETED)
            out->deleted = true;
    }
}

void att_read(const struct mailimap_msg_att *from, struct att *out)
{
    *out = (struct att){.uid = 0};
    for (clistiter *i = clist_begin(from->att_list); i != NULL; i = clist_next(i)) {
        const struct mailimap_msg_att_item *item = clist_content(i);

        if (item->att_type == MAILIMAP_MSG_ATT_ITEM_STATIC)
            read_static(item->att_data.att_static, out);
        else if (item->att_type == MAILIMAP_MSG_ATT_ITEM_DYNAMIC)
            read_dynamic(item->att_data.att_dyn, out);
    }
}

static struct mailimap_fetch_type *type_of(enum wanted wanted)
{
    struct mailimap_fetch_type *type = mailimap_fetch_type_new_fetch_att_list_empty();

    mailimap_fetch_type_new_fetch_att_list_add(type, mailimap_fetch_att_new_uid());
    switch (wanted) {
    case WANT_LINE:
        mailimap_fetch_type_new_fetch_att_list_add(type, mailimap_fetch_att_new_flags());
        mailimap_fetch_type_new_fetch_att_list_add(type, mailimap_fetch_att_new_internaldate());
        mailimap_fetch_type_new_fetch_att_list_add(type, mailimap_fetch_att_new_rfc822_size());
        break;
    case WANT_HEADER:
        mailimap_fetch_type_new_fetch_att_list_add(
            type, mailimap_fetch_att_new_body_peek_section(mailimap_section_new_header()));
        break;
    case WANT_WHOLE:
        mailimap_fetch_type_new_fetch_att_list_add(
            type, mailimap_fetch_att_new_body_peek_section(mailimap_section_new(NULL)));
        break;
    }
    return type;
}

/* The handlers are heeded only where there is one for progress too. */
static void no_progress(size_t current, size_t maximum, void *ctx)
{
    (void)current;
    (void)maximum;
    (void)ctx;
}

static void set_handlers(struct imap_mailbox *m, const struct fetch_to *to)
{
    mailimap_set_progress_callback(m->session, no_progress, no_progress, NULL);
    mailimap_set_msg_att_handler(m->session, to->att, to->ctx);
    mailimap_set_msg_body_handler(m->session, to->body, to->ctx);
}

enum rc att_fetch(struct imap_mailbox *m,
                  const uint32_t *uid,
                  size_t count,
                  enum wanted wanted,
                  const struct fetch_to *to,
                  struct err *err)
{
    static const struct fetch_to nowhere = {NULL, NULL, NULL};
    struct mailimap_set *set = uids_set(uid, count);
    struct mailimap_fetch_type *type = type_of(wanted);
    clist *list = NULL;
    int result;

    set_handlers(m, to);
    result = mailimap_uid_fetch(m->session, set, type, &list);
    set_handlers(m, &nowhere);
    mailimap_set_free(set);
    mailimap_fetch_type_free(type);
    if (result == MAILIMAP_NO_ERROR && list != NULL) /* after a failure it may dangle */
        mailimap_fetch_list_free(list);
    return command_end(m, result, "fetch messages", err);
}
