/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/identity.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#define KEY_SOURCE_TEXT(name, text, meaning) [name] = (text),
static const char *const key_source_texts[] = {KEY_SOURCE_LIST(KEY_SOURCE_TEXT)};
#undef KEY_SOURCE_TEXT

static_assert(LENGTH(key_source_texts) == KEY_SOURCE_COUNT, "each key source has its word");

const char *key_source_text(enum key_source source)
{
    return (unsigned)source < KEY_SOURCE_COUNT ? key_source_texts[source] : "?";
}

bool name_valid(struct slice name)
{
    if (name.len == 0 || name.len >= NAME_SIZE)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.at[i];
        bool first = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        bool later = i > 0 && (c == '.' || c == '_' || c == '-');

        if (!first && !later)
            return false;
    }
    return true;
}

/* The key of an immutable id that is `kind` and `value` one after the other. */
static void key_of(const char *mailbox, const char *kind, struct slice value, char out[KEY_SIZE])
{
    struct sha256 *h = sha256_new();

    sha256_add(h, slice_z(mailbox));
    sha256_add(h, SLICE(":"));
    sha256_add(h, slice_z(kind));
    sha256_add(h, value);

    struct digest d = sha256_done(&h);

    digest_hex(&d, out);
}

void intake_key(const char *mailbox, struct slice immutable_id, char out[KEY_SIZE])
{
    key_of(mailbox, "", immutable_id, out);
}

struct identity identity_reference(const char *mailbox, const char *space, struct slice value)
{
    struct identity id = {.source = KEY_REFERENCE};
    CLEANUP(str_clear) struct str kind = STR_INIT;

    str_addf(&kind, "reference:%s:", space);
    key_of(mailbox, str_z(&kind), value, id.key);
    return id;
}

struct identity identity_message_id(const char *mailbox, struct slice normalised)
{
    struct identity id = {.source = KEY_MESSAGE_ID};

    intake_key(mailbox, normalised, id.key);
    return id;
}

static struct identity of_digest(enum key_source source,
                                 const char *mailbox,
                                 const char *kind,
                                 const struct digest *digest)
{
    struct identity id = {.source = source};
    char hex[DIGEST_HEX_SIZE];

    digest_hex(digest, hex);
    key_of(mailbox, kind, slice_z(hex), id.key);
    return id;
}

struct identity identity_digest(const char *mailbox, const struct digest *source_digest)
{
    return of_digest(KEY_DIGEST, mailbox, "digest:", source_digest);
}

struct identity identity_conflict(const char *mailbox, const struct digest *source_digest)
{
    return of_digest(KEY_CONFLICT, mailbox, "conflict:", source_digest);
}

struct identity identity_listed(const char *mailbox, const char *reference)
{
    struct identity id = {.source = KEY_REFERENCE};

    key_of(mailbox, "listed:", slice_z(reference), id.key);
    return id;
}

struct identity identity_delivery(const char *mailbox, uint32_t uidvalidity, uint32_t uid)
{
    struct identity id = {.source = KEY_DELIVERY};
    char value[24]; /* two numbers of ten digits */

    snprintf(value, sizeof value, "%" PRIu32 ":%" PRIu32, uidvalidity, uid);
    key_of(mailbox, "delivery:", slice_z(value), id.key);
    return id;
}
