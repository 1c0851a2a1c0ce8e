/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports service blobs */
#include "service_p.h"

#include <testing.h>

#define MAILS 200
#define MB    (INT64_C(1024) * 1024)

/* A reader, and what of its files lies under tmp/. */
struct bench {
    size_t files, most; /* there now, and ever at once */
    size_t looked;
};

static enum rc read_one(void *self, const char *path, struct message *out, struct err *err)
{
    struct bench *b = self;
    struct span file = message_keep(out, SLICE("tmp/part"));
    struct message_part *part = message_add_part(out);

    (void)path, (void)err;
    part->role = PART_ATTACHMENT;
    part->file = file;
    b->files++;
    b->most = b->files > b->most ? b->files : b->most;
    return RC_OK;
}

static enum rc look_at_one(void *self, const char *path, struct message *out, struct err *err)
{
    struct bench *b = self;

    (void)path, (void)err;
    message_add_part(out)->role = PART_ATTACHMENT;
    b->looked++;
    return RC_OK;
}

static enum rc forget(void *self, const char *path, struct err *err)
{
    struct bench *b = self;

    (void)err;
    b->files -= slice_eqz(slice_z(path), "tmp/part");
    return RC_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc reserve(void *self,
                       const char *run,
                       struct instant now,
                       int64_t lease_ms,
                       const struct policy *policy,
                       const struct arrival *arrival,
                       size_t count,
                       struct reservation *out,
                       struct err *err)
{
    (void)self, (void)run, (void)now, (void)lease_ms, (void)policy, (void)arrival, (void)err;
    for (size_t i = 0; i < count; i++)
        out[i] = (struct reservation){.octets_wanted = true};
    return RC_OK;
}

static struct instant now(void *self)
{
    (void)self;
    return (struct instant){.wall_ms = 1, .boot_ms = 1};
}

/* One set of so many mails of that size comes, and their turn ends. */
static struct bench come(size_t count, int64_t size)
{
    static const struct ledger_intake intake = {.reserve = reserve};
    struct bench b = {0};
    const struct ledger ledger = {.intake = &intake};
    const struct reader reader = {&b, read_one, look_at_one};
    const struct blobs blobs = {.self = &b, .forget = forget};
    const struct clock clock = {NULL, now};
    const struct service_ports ports = {
        .ledger = &ledger, .reader = &reader, .blobs = &blobs, .clock = &clock};
    const struct service_settings set = {.lease_ms = 1};
    struct tick_result result = {0};
    struct service s = {.port = &ports, .set = &set, .result = &result};
    struct source source = {.size = size};
    struct fetched mail[MAILS];
    const struct place inbox = {"INBOX", 1};
    struct err err = ERR_INIT;

    for (size_t i = 0; i < count; i++)
        mail[i] =
            (struct fetched){.whole = true, .octets = {{(unsigned char)i, 1}}, .source = &source};
    assert_int_equal(
        intake_reserve(&s, &inbox, &(struct fetched_set){mail, count, false}, false, &err), RC_OK);
    assert_int_equal(b.files + b.looked, count);
    shelf_clear(&s);
    assert_int_equal(b.files, 0);
    return b;
}

static void a_set_of_large_mails_takes_no_more_of_the_disk_than_is_said(void **state)
{
    (void)state;
    struct bench b = come(MAILS, 20 * MB);

    assert_int_equal(b.most, 6); /* of 128 MB */
    assert_int_equal(b.looked, MAILS - 6);
}

static void a_set_of_small_mails_is_decoded_once(void **state)
{
    (void)state;
    assert_int_equal(come(MAILS, MB / 10).looked, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_of_large_mails_takes_no_more_of_the_disk_than_is_said),
        cmocka_unit_test(a_set_of_small_mails_is_decoded_once),
    };

    return RUN_TESTS(tests);
}
