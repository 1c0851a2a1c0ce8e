/* SPDX-License-Identifier: Apache-2.0 */

#include <onecase/message.h>
#include <onecase/utf8.h>

#include <stddef.h>
#include <string.h>

/* The flat form: MAGIC, the head's numbers, a span for each of `texts`, the parts, the pool.
 * Numbers are unsigned, least significant octet first. The length of the whole follows from the
 * head and is checked before anything else is read. */

#define MAGIC     SLICE("onecase\3") /* its last octet is the version */
#define SPAN_SIZE 8
#define PART_SIZE (1 + 4 * SPAN_SIZE + 8 + DIGEST_SIZE)
#define HEAD_SIZE (8 + 4 + 4 + 4 + 1 + 8)

/* Instants that a date of 1990 to 9999 can be, whatever its zone. */
#define EARLIEST_MS (INT64_C(631152000000) - ZONE_MS)
#define LATEST_MS   (INT64_C(253402300800000) + ZONE_MS)
#define ZONE_MS     (100 * INT64_C(3600000))

/* What a text may hold. */
enum text_kind {
    TEXT_FREE, /* UTF-8 without NUL */
    TEXT_LINE, /* the same without line ends: it may come to stand in a header */
    TEXT_LIST, /* such lines, each with its LF */
    TEXT_ID,   /* any octets: ids are kept as they are */
    TEXT_IDS,  /* such ids, each with its LF */
    TEXT_FILE, /* the path of a spool file, which leads nowhere else */
};

/* clang-format off */
static const struct {
    size_t offset;
    enum text_kind kind;
} texts[] = {
    {offsetof(struct message, from),            TEXT_LINE},
    {offsetof(struct message, from_name),       TEXT_FREE},
    {offsetof(struct message, reply_to),        TEXT_LIST},
    {offsetof(struct message, to),              TEXT_LIST},
    {offsetof(struct message, cc),              TEXT_LIST},
    {offsetof(struct message, author),          TEXT_LIST},
    {offsetof(struct message, subject),         TEXT_FREE},
    {offsetof(struct message, text),            TEXT_FREE},
    {offsetof(struct message, message_id),      TEXT_ID},
    {offsetof(struct message, in_reply_to),     TEXT_IDS},
    {offsetof(struct message, references),      TEXT_IDS},
    {offsetof(struct message, list_id),         TEXT_LINE},
    {offsetof(struct message, acknowledgement), TEXT_LINE},
    {offsetof(struct message, proof),           TEXT_LINE},
    {offsetof(struct message, reported),        TEXT_IDS},
    {offsetof(struct message, report_action),   TEXT_LINE},
    {offsetof(struct message, language),        TEXT_LINE},
};
/* clang-format on */

#define FIXED_SIZE (HEAD_SIZE + LENGTH(texts) * SPAN_SIZE)

#define SIGN_BIT(name, bit, meaning) | (bit)
static const uint32_t known_signs = (0 SIGN_LIST(SIGN_BIT)) & ~(uint32_t)SIGNS_OF_SERVERS;
#undef SIGN_BIT

/* Writing */

static void put(struct str *out, uint64_t number, size_t octets)
{
    for (size_t i = 0; i < octets; i++)
        str_addc(out, (char)(uint8_t)(number >> (8 * i)));
}

static void put_span(struct str *out, struct span s)
{
    put(out, s.at, 4);
    put(out, s.len, 4);
}

static void put_part(struct str *out, const struct message_part *part)
{
    put(out, part->role, 1);
    put_span(out, part->type);
    put_span(out, part->name);
    put_span(out, part->seen);
    put_span(out, part->file);
    put(out, (uint64_t)part->size, 8);
    str_add(out, (struct slice){(const char *)part->sha256.octet, DIGEST_SIZE});
}

void message_write(const struct message *m, struct str *out)
{
    str_empty(out);
    str_add(out, MAGIC);
    put(out, m->pool.len, 4);
    put(out, m->part_count, 4);
    put(out, m->signs, 4);
    put(out, m->has_date, 1);
    put(out, m->has_date ? (uint64_t)m->date_ms : 0, 8);
    for (size_t i = 0; i < LENGTH(texts); i++) {
        struct span s;

        memcpy(&s, (const char *)m + texts[i].offset, sizeof s);
        put_span(out, s);
    }
    for (size_t i = 0; i < m->part_count; i++)
        put_part(out, &m->parts[i]);
    str_add(out, str_slice(&m->pool));
}

/* Reading: `rest` has been found long enough, so taking cannot fail. */

static uint64_t take(struct slice *rest, size_t octets)
{
    uint64_t number = 0;

    for (size_t i = 0; i < octets; i++)
        number |= (uint64_t)(uint8_t)rest->at[i] << (8 * i);
    *rest = slice_cut(*rest, octets, rest->len);
    return number;
}

static struct span take_span(struct slice *rest)
{
    struct span s;

    s.at = (uint32_t)take(rest, 4);
    s.len = (uint32_t)take(rest, 4);
    return s;
}

static void take_part(struct slice *rest, struct message_part *out)
{
    out->role = (enum part_role)take(rest, 1);
    out->type = take_span(rest);
    out->name = take_span(rest);
    out->seen = take_span(rest);
    out->file = take_span(rest);
    out->size = (int64_t)take(rest, 8);
    memcpy(out->sha256.octet, rest->at, DIGEST_SIZE);
    *rest = slice_cut(*rest, DIGEST_SIZE, rest->len);
}

/* Takes the whole apart if it has the length that its head says. */
static bool take_message(struct slice octets, struct message *m)
{
    struct slice rest = slice_cut(octets, MAGIC.len, octets.len);

    if (octets.len < FIXED_SIZE || !slice_eq(slice_cut(octets, 0, MAGIC.len), MAGIC))
        return false;

    uint64_t pool_len = take(&rest, 4);
    uint64_t part_count = take(&rest, 4);

    if (octets.len != FIXED_SIZE + part_count * PART_SIZE + pool_len)
        return false;
    m->signs = (uint32_t)take(&rest, 4);

    uint64_t has_date = take(&rest, 1);

    m->has_date = has_date != 0;
    m->date_ms = (int64_t)take(&rest, 8);
    for (size_t i = 0; i < LENGTH(texts); i++) {
        struct span s = take_span(&rest);

        memcpy((char *)m + texts[i].offset, &s, sizeof s);
    }
    for (uint64_t i = 0; i < part_count; i++)
        take_part(&rest, message_add_part(m));
    str_add(&m->pool, rest);
    return has_date <= 1;
}

/* Checking: the message was taken apart, but every value in it is still anything. */

static bool has_none_of(struct slice text, const char *octets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_find(text, octets[i], 0) != text.len)
            return false;
    return true;
}

static bool is_list(struct slice text)
{
    return text.len == 0 || text.at[text.len - 1] == '\n';
}

static bool is_path_octet(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

/* A name, or a path below tmp/ whose components do not begin with a dot. */
static bool is_spool_path(struct slice path)
{
    struct slice component;
    bool below_tmp = slice_eq(slice_cut(path, 0, 4), SLICE("tmp/"));
    struct slice rest = slice_cut(path, below_tmp ? 4 : 0, path.len);

    if (path.len > 0 && path.at[path.len - 1] == '/')
        return false;
    while (slice_next(&rest, '/', &component)) {
        if (component.len == 0 || component.at[0] == '.' || (rest.len > 0 && !below_tmp))
            return false;
        for (size_t i = 0; i < component.len; i++)
            if (!is_path_octet(component.at[i]))
                return false;
    }
    return true;
}

static bool text_holds(struct slice text, enum text_kind kind)
{
    switch (kind) {
    case TEXT_FREE:
        return has_none_of(text, "", 1) && utf8_valid(text);
    case TEXT_LINE:
        return has_none_of(text, "\0\r\n", 3) && utf8_valid(text);
    case TEXT_LIST:
        return has_none_of(text, "\0\r", 2) && utf8_valid(text) && is_list(text);
    case TEXT_ID:
        return true;
    case TEXT_IDS:
        return is_list(text);
    case TEXT_FILE:
        return is_spool_path(text);
    }
    return false;
}

/* `budget` bounds the work of all texts together by the length of the pool: spans may share
 * octets, but not so that few octets have to be looked at often. */
static bool text_sound(const struct message *m, struct span s, enum text_kind kind, size_t *budget)
{
    if ((size_t)s.at + s.len > m->pool.len || s.len > *budget)
        return false;
    *budget -= s.len;
    return text_holds(message_slice(m, s), kind);
}

static bool part_sound(const struct message *m, const struct message_part *part, size_t *budget)
{
    return (part->role == PART_TEXT || part->role == PART_ATTACHMENT) && part->size >= 0 &&
           text_sound(m, part->type, TEXT_LINE, budget) &&
           text_sound(m, part->name, TEXT_FREE, budget) &&
           text_sound(m, part->seen, TEXT_LINE, budget) &&
           text_sound(m, part->file, TEXT_FILE, budget);
}

static bool date_sound(const struct message *m)
{
    return m->has_date ? m->date_ms >= EARLIEST_MS && m->date_ms < LATEST_MS : m->date_ms == 0;
}

static const char *fault_of(const struct message *m)
{
    size_t budget = 2 * m->pool.len;

    if ((m->signs & ~known_signs) != 0)
        return "a sign is not known";
    if (!date_sound(m))
        return "the date is out of range";
    for (size_t i = 0; i < LENGTH(texts); i++) {
        struct span s;

        memcpy(&s, (const char *)m + texts[i].offset, sizeof s);
        if (!text_sound(m, s, texts[i].kind, &budget))
            return "a text is not what it may be";
    }
    for (size_t i = 0; i < m->part_count; i++)
        if (!part_sound(m, &m->parts[i], &budget))
            return "a part is not what it may be";
    return NULL;
}

enum rc message_read(struct slice octets, struct message *out, struct err *err)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    const char *fault = "its length is not what it says";

    if (take_message(octets, &m))
        fault = fault_of(&m);
    if (fault != NULL)
        return FAIL(err, RC_REFUSED, "reader: its answer is no message: %s", fault);
    message_clear(out);
    *out = m;
    m = (struct message)MESSAGE_INIT;
    return RC_OK;
}
