/* SPDX-License-Identifier: Apache-2.0 */
#include "memory_mailbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory_mailbox *memory_mailbox_new(void)
{
    struct memory_mailbox *m = mem_new(1, sizeof *m);

    m->now_ms = INT64_C(1772355600000);
    (void)memory_mailbox_put(m, "INBOX", SLICE("x"));
    str_clear(&m->folders[0].mails[0].octets);
    m->folders[0].count = 0;
    return m;
}

void memory_mailbox_free(struct memory_mailbox **m)
{
    if (*m == NULL)
        return;
    for (size_t i = 0; i < (*m)->folder_count; i++) {
        struct memory_folder *f = &(*m)->folders[i];

        for (size_t k = 0; k < f->count; k++)
            str_clear(&f->mails[k].octets);
        free(f->mails);
    }
    free((*m)->folders);
    free(*m);
    *m = NULL;
}

struct memory_folder *memory_mailbox_folder(struct memory_mailbox *m, const char *folder)
{
    bool inbox = slice_eq_nocase(slice_z(folder), SLICE("INBOX"));

    for (size_t i = 0; i < m->folder_count; i++)
        if (strcmp(m->folders[i].name, inbox ? "INBOX" : folder) == 0)
            return &m->folders[i];
    return NULL;
}

struct memory_mail *memory_mailbox_mail(struct memory_folder *folder, uint32_t uid)
{
    for (size_t i = 0; i < folder->count; i++)
        if (folder->mails[i].uid == uid)
            return &folder->mails[i];
    return NULL;
}

static struct memory_folder *make_folder(struct memory_mailbox *m, const char *name)
{
    struct memory_folder *f = memory_mailbox_folder(m, name);

    if (f != NULL)
        return f;
    m->folders = mem_grow(m->folders, m->folder_count + 1, sizeof *m->folders);
    f = &m->folders[m->folder_count++];
    *f = (struct memory_folder){.uidvalidity = (uint32_t)(100 + m->folder_count), .uidnext = 1};
    snprintf(f->name, sizeof f->name, "%s", name);
    return f;
}

static uint32_t put(struct memory_folder *f, struct slice octets, int64_t internal_ms)
{
    struct memory_mail *mail;

    f->mails = mem_grow(f->mails, f->count + 1, sizeof *f->mails);
    mail = &f->mails[f->count++];
    *mail = (struct memory_mail){
        .uid = f->uidnext++, .internal_ms = internal_ms, .octets = STR_INIT, .deleted = false};
    str_add(&mail->octets, octets);
    return mail->uid;
}

uint32_t memory_mailbox_put(struct memory_mailbox *m, const char *folder, struct slice octets)
{
    return put(make_folder(m, folder), octets, m->now_ms);
}

static void take_out(struct memory_folder *f, const struct memory_mail *mail)
{
    size_t at = (size_t)(mail - f->mails);

    str_clear(&f->mails[at].octets);
    memmove(&f->mails[at], &f->mails[at + 1], (f->count - at - 1) * sizeof *f->mails);
    f->count--;
}

/* The port */

static enum rc failing(struct memory_mailbox *m, struct err *err)
{
    enum rc rc = m->fails_as;

    m->fails_as = RC_OK;
    return rc == RC_OK ? RC_OK : FAIL(err, rc, "memory: told to fail");
}

static enum rc
reach(struct memory_mailbox *m, const char *name, struct memory_folder **out, struct err *err)
{
    TRY(failing(m, err));
    *out = memory_mailbox_folder(m, name);
    return *out != NULL ? RC_OK
                        : FAIL(err, RC_NOT_FOUND, "memory: there is no folder \"%s\"", name);
}

static enum rc reach_seen(struct memory_mailbox *m,
                          const char *name,
                          uint32_t uidvalidity,
                          struct memory_folder **out,
                          struct err *err)
{
    TRY(reach(m, name, out, err));
    return (*out)->uidvalidity == uidvalidity
               ? RC_OK
               : FAIL(err, RC_CONFLICT, "memory: the folder has another UIDVALIDITY");
}

static enum rc
memory_open(void *self, const char *folder, struct folder_state *out, struct err *err)
{
    struct memory_mailbox *m = self;
    struct memory_folder *f;

    TRY(reach(self, folder, &f, err));
    m->listed[0] = '\0';
    *out = (struct folder_state){
        .uidvalidity = f->uidvalidity, .uidnext = f->uidnext, .exists = (uint32_t)f->count};
    return RC_OK;
}

/* Differs where UIDs or \Deleted do. */
static uint64_t print_of(const struct memory_folder *f)
{
    uint64_t print = (uint64_t)f->uidvalidity << 32 | f->uidnext;

    for (size_t i = 0; i < f->count; i++)
        print = print * 1099511628211u + f->mails[i].uid * 2u + f->mails[i].deleted;
    return print;
}

static void
remember_list(struct memory_mailbox *m, const struct memory_folder *f, uint32_t first_uid)
{
    bool whole = first_uid <= 1;

    snprintf(m->listed, sizeof m->listed, "%s", whole ? f->name : "");
    m->print = print_of(f);
}

static struct mail_line line_of(const struct memory_mail *mail)
{
    return (struct mail_line){
        .uid = mail->uid, .internal_ms = mail->internal_ms, .size = (int64_t)mail->octets.len};
}

static enum rc memory_list(void *self,
                           const char *folder,
                           uint32_t uidvalidity,
                           uint32_t first_uid,
                           struct mail_line **out,
                           size_t *count,
                           struct err *err)
{
    struct memory_folder *f;

    TRY(reach_seen(self, folder, uidvalidity, &f, err));
    *out = mem_new(f->count + 1, sizeof **out);
    *count = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->mails[i].uid >= first_uid && !f->mails[i].deleted)
            (*out)[(*count)++] = line_of(&f->mails[i]);
    remember_list(self, f, first_uid);
    return RC_OK;
}

static enum rc memory_unchanged(void *self, const char *folder, bool *out, struct err *err)
{
    struct memory_mailbox *m = self;
    struct memory_folder *f;

    *out = false;
    TRY(reach(m, folder, &f, err));
    *out = strcmp(m->listed, f->name) == 0 && m->print == print_of(f);
    return RC_OK;
}

static struct slice header_of(struct slice octets)
{
    for (size_t at = 0; at + 4 <= octets.len; at++)
        if (slice_eq(slice_cut(octets, at, 4), SLICE("\r\n\r\n")))
            return slice_cut(octets, 0, at + 4);
    return octets;
}

static enum rc give(const struct memory_mail *mail,
                    bool header_only,
                    const struct fetch_sink *sink,
                    struct err *err)
{
    struct mail_line line = line_of(mail);
    struct slice octets = str_slice(&mail->octets);

    if (header_only)
        octets = header_of(octets);
    TRY(sink->begin(sink->ctx, &line, err));
    for (size_t at = 0; at < octets.len; at += 4096)
        TRY(sink->add(sink->ctx, slice_cut(octets, at, 4096), err));
    return sink->end(sink->ctx, err);
}

static enum rc memory_fetch(void *self,
                            const char *folder,
                            uint32_t uidvalidity,
                            const uint32_t *uid,
                            size_t count,
                            bool header_only,
                            const struct fetch_sink *sink,
                            struct err *err)
{
    struct memory_folder *f;

    TRY(reach_seen(self, folder, uidvalidity, &f, err));
    for (size_t i = 0; i < count; i++) {
        const struct memory_mail *mail = memory_mailbox_mail(f, uid[i]);

        if (mail != NULL)
            TRY(give(mail, header_only, sink, err));
    }
    return RC_OK;
}

static void
move_one(struct memory_mailbox *m, const char *folder, struct move_result *result, const char *to)
{
    struct memory_folder *target = make_folder(m, to);
    struct memory_folder *f = memory_mailbox_folder(m, folder);
    struct memory_mail *mail = memory_mailbox_mail(f, result->uid);

    if (mail == NULL || mail->deleted) {
        result->moved = MOVED_ABSENT;
        return;
    }
    *result =
        (struct move_result){.uid = result->uid,
                             .moved = MOVED_YES,
                             .new_uidvalidity = target->uidvalidity,
                             .new_uid = put(target, str_slice(&mail->octets), mail->internal_ms)};
    take_out(f, memory_mailbox_mail(f, result->uid));
}

static enum rc memory_move(void *self,
                           const char *folder,
                           uint32_t uidvalidity,
                           struct move_result *set,
                           size_t count,
                           const char *to,
                           struct err *err)
{
    struct memory_folder *f;

    for (size_t i = 0; i < count; i++)
        set[i] = (struct move_result){.uid = set[i].uid, .moved = MOVED_NOT};
    TRY(reach_seen(self, folder, uidvalidity, &f, err));
    for (size_t i = 0; i < count; i++)
        move_one(self, folder, &set[i], to);
    return RC_OK;
}

static enum rc memory_append(void *self, const char *folder, struct slice octets, struct err *err)
{
    TRY(failing(self, err));
    if (octets.len == 0 || slice_find(octets, '\0', 0) < octets.len)
        return FAIL(err, RC_REFUSED, "memory: a message that is empty or holds a NUL");
    (void)memory_mailbox_put(self, folder, octets);
    return RC_OK;
}

static enum rc
memory_remove(void *self, const char *folder, uint32_t uidvalidity, uint32_t uid, struct err *err)
{
    struct memory_folder *f;
    struct memory_mail *mail;

    TRY(reach_seen(self, folder, uidvalidity, &f, err));
    mail = memory_mailbox_mail(f, uid);
    if (mail != NULL)
        take_out(f, mail);
    return RC_OK;
}

/* Field and value in one line of the header, without case, as servers do it. */
static bool has_field(struct slice octets, const char *header, const char *value)
{
    struct slice rest = header_of(octets);
    struct slice line;
    size_t len = strlen(header);

    while (slice_next(&rest, '\n', &line))
        if (slice_starts_nocase(line, slice_z(header)) && line.len > len && line.at[len] == ':' &&
            slice_has_nocase(slice_cut(line, len + 1, line.len), slice_z(value)))
            return true;
    return false;
}

static enum rc memory_search(void *self,
                             const char *folder,
                             const char *header,
                             const char *value,
                             uint32_t *uidvalidity,
                             uint32_t **out,
                             size_t *count,
                             struct err *err)
{
    struct memory_folder *f;

    if (strpbrk(value, "\"\\\r\n") != NULL || value[0] == '\0')
        return FAIL(err, RC_USAGE, "memory: such a value cannot be searched for");
    TRY(reach(self, folder, &f, err));
    *uidvalidity = f->uidvalidity;
    *out = mem_new(f->count + 1, sizeof **out);
    *count = 0;
    for (size_t i = 0; i < f->count; i++)
        if (has_field(str_slice(&f->mails[i].octets), header, value))
            (*out)[(*count)++] = f->mails[i].uid;
    return RC_OK;
}

static enum rc memory_wait(void *self, const char *folder, int64_t wait_ms, struct err *err)
{
    struct memory_mailbox *m = self;
    struct memory_folder *f;

    TRY(reach(m, folder, &f, err));
    m->waited_ms += wait_ms;
    return RC_OK;
}

struct mailbox memory_mailbox_port(struct memory_mailbox *m)
{
    return (struct mailbox){
        .self = m,
        .open = memory_open,
        .list = memory_list,
        .unchanged = memory_unchanged,
        .fetch = memory_fetch,
        .move = memory_move,
        .append = memory_append,
        .remove = memory_remove,
        .search = memory_search,
        .wait = memory_wait,
    };
}
