/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "fuzzing.h"

#include <onecase/source.h>

#include <string.h>

static void assert_same(const struct source *a, const struct source *b)
{
    assert(a->size == b->size);
    assert(digest_eq(&a->octets, &b->octets));
    assert(digest_eq(&a->source_digest, &b->source_digest));
    assert(slice_eq(str_slice(&a->message_id), str_slice(&b->message_id)));
    assert(slice_eq(str_slice(&a->from), str_slice(&b->from)));
    assert(slice_eq(str_slice(&a->date), str_slice(&b->date)));
    assert(slice_eq(str_slice(&a->subject), str_slice(&b->subject)));
    assert(a->has_date == b->has_date && a->date_ms == b->date_ms);
}

/* Pieces of sizes that depend on the octets, so that a failure repeats; now and then an empty one. */
static void read_in_pieces(struct slice mail, struct source *out)
{
    struct source_reading *r = source_reading_new();
    uint32_t random = 2463534242u + (uint32_t)mail.len;

    while (mail.len > 0) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        random += (uint8_t)mail.at[0];

        size_t len = random % (random % 7 == 0 ? 64 : 4);
        struct slice piece = slice_cut(mail, 0, len);

        source_reading_add(r, piece);
        mail = slice_cut(mail, piece.len, mail.len);
    }
    source_reading_done(&r, out);
}

/* The two ways to a field agree. */
static void assert_field(struct slice mail, const char *name, const struct str *streamed)
{
    CLEANUP(str_clear) struct str value = STR_INIT;
    struct slice raw;

    if (header_first(mail, name, &raw)) {
        assert(raw.len == 0 || (raw.at >= mail.at && raw.at + raw.len <= mail.at + mail.len));
        header_unfold(raw, &value);
    }
    assert(slice_eq(str_slice(&value), str_slice(streamed)));
}

static void assert_message_id(struct slice mail, const struct str *streamed)
{
    CLEANUP(str_clear) struct str id = STR_INIT;
    struct slice raw;

    if (header_first(mail, "Message-ID", &raw))
        message_id_normalise(raw, &id);
    assert(slice_eq(str_slice(&id), str_slice(streamed)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(source_clear) struct source whole = SOURCE_INIT;
    CLEANUP(source_clear) struct source pieces = SOURCE_INIT;
    struct slice mail = input_of(data, size);
    struct digest octets = sha256_of(mail);

    source_of(mail, &whole);
    read_in_pieces(mail, &pieces);
    assert_same(&whole, &pieces);
    assert(digest_eq(&whole.octets, &octets));
    assert(whole.has_date != digest_eq(&whole.source_digest, &octets));
    assert_field(mail, "From", &whole.from);
    assert_field(mail, "Date", &whole.date);
    assert_field(mail, "Subject", &whole.subject);
    assert_message_id(mail, &whole.message_id);
    return 0;
}
