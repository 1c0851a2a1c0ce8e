/* SPDX-License-Identifier: Apache-2.0
 *
 * message_bench - parses a mail at hand in this process, and keeps what was spooled.
 */
#pragma once

#include "parse.h"

#include <testing.h>

#include <stdlib.h>
#include <string.h>

#define SPOOLED_MAX 2100

struct bench {
    struct message message;
    struct str spooled[SPOOLED_MAX];
    size_t files;
    struct err err;
};

/* GMime forgets what it had registered for message/rfc822 when we register another class: 64 octets,
 * once in a process. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#define LOSSES_ARE_FORGIVEN()     __lsan_disable()
#define LOSSES_ARE_NOT_FORGIVEN() __lsan_enable()
#else
#define LOSSES_ARE_FORGIVEN()     (void)0
#define LOSSES_ARE_NOT_FORGIVEN() (void)0
#endif

static inline void bench_prepare(void)
{
    static bool prepared;

    LOSSES_ARE_FORGIVEN();
    if (!prepared)
        parse_prepare();
    LOSSES_ARE_NOT_FORGIVEN();
    prepared = true;
}

static enum rc bench_file(void *self, enum part_role role, struct str *file, struct err *err)
{
    struct bench *b = self;

    (void)role;
    (void)err;
    assert_true(b->files < SPOOLED_MAX);
    str_addf(file, "tmp/file-%zu", b->files++);
    return RC_OK;
}

static enum rc bench_octets(void *self, struct slice octets, struct err *err)
{
    struct bench *b = self;

    (void)err;
    str_add(&b->spooled[b->files - 1], octets);
    return RC_OK;
}

static enum rc bench_end(void *self, struct err *err)
{
    (void)self, (void)err;
    return RC_OK;
}

static inline void bench_clear(struct bench *b)
{
    message_clear(&b->message);
    for (size_t i = 0; i < b->files; i++)
        str_clear(&b->spooled[i]);
    b->files = 0;
}

static inline enum rc
bench_parse(struct bench *b, struct slice mail, const struct reader_limits *limits)
{
    struct octets octets = octets_of_memory(mail);
    const struct spool spool = {b, bench_file, bench_octets, bench_end};

    bench_prepare();
    bench_clear(b);
    b->err = (struct err)ERR_INIT;
    return parse_message(&octets, limits, &spool, &b->message, &b->err);
}

/* Parses, and holds the result against what it says of itself and against its flat form. */
static inline void bench_read(struct bench *b, struct slice mail)
{
    CLEANUP(str_clear) struct str flat = STR_INIT;
    CLEANUP(message_clear) struct message again = MESSAGE_INIT;

    if (bench_parse(b, mail, &reader_limits_default) != RC_OK)
        fail_msg("%s", b->err.text);
    assert_int_equal(b->files, b->message.part_count);
    for (size_t i = 0; i < b->files; i++) {
        struct digest is = sha256_of(str_slice(&b->spooled[i]));

        assert_int_equal(b->message.parts[i].size, b->spooled[i].len);
        assert_true(digest_eq(&b->message.parts[i].sha256, &is));
    }
    message_write(&b->message, &flat);
    if (message_read(str_slice(&flat), &again, &b->err) != RC_OK)
        fail_msg("%s", b->err.text);
}

static inline void bench_assert_text(const struct bench *b, struct span is, const char *wanted)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    str_add(&text, message_slice(&b->message, is));
    assert_string_equal(str_z(&text), wanted);
}
