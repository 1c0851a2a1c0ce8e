/* SPDX-License-Identifier: Apache-2.0 */
#include "decorate.h"

#include "point.h"

static struct mailbox real_mailbox;
static struct courier real_courier;

/* ---- mailbox ------------------------------------------------------------------------------------ */

AT_POINT(mailbox,
         open,
         (void *self, const char *folder, struct folder_state *out, struct err *err),
         self,
         folder,
         out,
         err)
AT_POINT(mailbox,
         list,
         (void *self,
          const char *folder,
          uint32_t uidvalidity,
          uint32_t first_uid,
          struct mail_line **out,
          size_t *count,
          struct err *err),
         self,
         folder,
         uidvalidity,
         first_uid,
         out,
         count,
         err)
AT_POINT(mailbox,
         unchanged,
         (void *self, const char *folder, bool *out, struct err *err),
         self,
         folder,
         out,
         err)
AT_POINT(mailbox,
         fetch,
         (void *self,
          const char *folder,
          uint32_t uidvalidity,
          const uint32_t *uid,
          size_t count,
          bool header_only,
          const struct fetch_sink *sink,
          struct err *err),
         self,
         folder,
         uidvalidity,
         uid,
         count,
         header_only,
         sink,
         err)
AT_POINT(mailbox,
         append,
         (void *self, const char *folder, struct slice octets, struct err *err),
         self,
         folder,
         octets,
         err)
AT_POINT(mailbox,
         remove,
         (void *self, const char *folder, uint32_t uidvalidity, uint32_t uid, struct err *err),
         self,
         folder,
         uidvalidity,
         uid,
         err)
AT_POINT(mailbox,
         search,
         (void *self,
          const char *folder,
          const char *header,
          const char *value,
          uint32_t *uidvalidity,
          uint32_t **out,
          size_t *count,
          struct err *err),
         self,
         folder,
         header,
         value,
         uidvalidity,
         out,
         count,
         err)
AT_POINT(mailbox,
         wait,
         (void *self, const char *folder, int64_t wait_ms, struct err *err),
         self,
         folder,
         wait_ms,
         err)

static void say_of_all(struct move_result *set, size_t count, enum moved moved)
{
    for (size_t i = 0; i < count; i++) {
        set[i].moved = moved;
        set[i].new_uidvalidity = set[i].new_uid = 0;
    }
}

static enum rc mailbox_move(void *self,
                            const char *folder,
                            uint32_t uidvalidity,
                            struct move_result *set,
                            size_t count,
                            const char *to,
                            struct err *err)
{
    struct point point = point_at("mailbox.move", "");
    enum rc rc;
    if (point.answers) {
        rc = point_answer(&point, err);
        say_of_all(set, count, rc == RC_UNKNOWN ? MOVED_UNKNOWN : MOVED_NOT);
        return rc;
    }
    rc = point_over(&point, real_mailbox.move(self, folder, uidvalidity, set, count, to, err), err);
    if (rc == RC_UNKNOWN)
        say_of_all(set, count, MOVED_UNKNOWN);
    return rc;
}

const struct mailbox *decorated_mailbox(const struct mailbox *real)
{
    static struct mailbox mailbox;
    real_mailbox = *real;
    mailbox = (struct mailbox){
        .self = real->self,
        .open = mailbox_open,
        .list = mailbox_list,
        .unchanged = mailbox_unchanged,
        .fetch = mailbox_fetch,
        .move = mailbox_move,
        .append = mailbox_append,
        .remove = mailbox_remove,
        .search = mailbox_search,
        .wait = mailbox_wait,
    };
    return &mailbox;
}

/* ---- courier ------------------------------------------------------------------------------------ */

AT_POINT(
    courier, begin, (void *self, const struct letter *letter, struct err *err), self, letter, err)
AT_POINT(courier,
         next,
         (void *self, int64_t until_boot_ms, struct courier_event *out, struct err *err),
         self,
         until_boot_ms,
         out,
         err)

static void courier_release(void *self, int64_t id)
{
    struct point point = point_at("courier.release", "");
    real_courier.release(self, id);
    point_left(&point);
}

static void courier_abandon(void *self, int64_t id)
{
    struct point point = point_at("courier.abandon", "");
    real_courier.abandon(self, id);
    point_left(&point);
}

static void courier_rest(void *self)
{
    struct point point = point_at("courier.rest", "");
    real_courier.rest(self);
    point_left(&point);
}

const struct courier *decorated_courier(const struct courier *real)
{
    static struct courier courier;
    if (!real)
        return NULL;
    real_courier = *real;
    courier = (struct courier){
        .self = real->self,
        .room = real->room,
        .begin = courier_begin,
        .next = courier_next,
        .release = courier_release,
        .abandon = courier_abandon,
        .rest = courier_rest,
    };
    return &courier;
}
