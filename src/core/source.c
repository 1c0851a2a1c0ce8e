/* SPDX-License-Identifier: Apache-2.0 */
#include "header_scan.h"

#include <onecase/source.h>

#include <stdlib.h>
#include <string.h>

#define LF       SLICE("\n")
#define LOOK_MAX 256
#define HELD_MAX 4096

enum field { FIELD_MESSAGE_ID, FIELD_FROM, FIELD_DATE, FIELD_SUBJECT, FIELD_COUNT };

static const struct slice field_names[FIELD_COUNT] = {
    [FIELD_MESSAGE_ID] = SLICE_INIT("Message-ID"),
    [FIELD_FROM] = SLICE_INIT("From"),
    [FIELD_DATE] = SLICE_INIT("Date"),
    [FIELD_SUBJECT] = SLICE_INIT("Subject"),
};

/* `out` is the result in the making: its texts and its date are there once the header is over. */
struct source_reading {
    struct sha256 *octets;
    struct source out;
    size_t crs; /* line_ends_before */
    struct header_scan scan;
    bool seen[FIELD_COUNT];
    struct str raw[FIELD_COUNT];
    struct str *value;      /* of the field being read, or NULL where it is not kept */
    struct sha256 *skipped; /* lines of the header that are no fields; NULL without any */
    struct sha256 *digest;  /* the source digest in the making; NULL without a valid Date */
    size_t line_ends;       /* seen in the body and not hashed: they may be trailing ones */
    size_t held_len;
    char held[HELD_MAX]; /* of the body, to be hashed many lines at once */
};

void source_clear(struct source *s)
{
    str_clear(&s->message_id);
    str_clear(&s->from);
    str_clear(&s->date);
    str_clear(&s->subject);
    *s = (struct source)SOURCE_INIT;
}

struct source_reading *source_reading_new(void)
{
    struct source_reading *r = mem_new(1, sizeof *r);

    r->octets = sha256_new();
    header_scan_init(&r->scan);
    return r;
}

void source_reading_drop(struct source_reading **r)
{
    if (*r == NULL)
        return;
    sha256_drop(&(*r)->octets);
    sha256_drop(&(*r)->skipped);
    sha256_drop(&(*r)->digest);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        str_clear(&(*r)->raw[i]);
    source_clear(&(*r)->out);
    free(*r);
    *r = NULL;
}

/* The header */

/* The first field of each wanted name counts, even if it is empty and a later one is not. */
static void choose_value(struct source_reading *r)
{
    r->value = NULL;
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (r->seen[i] || !header_scan_is(&r->scan, field_names[i]))
            continue;
        r->seen[i] = true;
        r->value = &r->raw[i];
    }
}

static void keep_value(struct source_reading *r, struct slice what)
{
    if (r->value != NULL)
        str_add(r->value, what);
}

/* What stands between the fields by somebody's mistake is neither field nor body, and yet two
 * mails that differ in it are not the same. */
static void hash_skipped(struct source_reading *r, struct slice what)
{
    if (r->skipped == NULL)
        r->skipped = sha256_new();
    sha256_add(r->skipped, what);
}

static void begin_digest(struct source_reading *r)
{
    const struct str *const fields[] = {&r->out.from, &r->out.date, &r->out.subject};

    r->digest = sha256_new();
    for (size_t i = 0; i < LENGTH(fields); i++) {
        sha256_add(r->digest, str_slice(fields[i]));
        sha256_add(r->digest, LF);
    }
}

static void header_ends(struct source_reading *r)
{
    header_unfold(str_slice(&r->raw[FIELD_FROM]), &r->out.from);
    header_unfold(str_slice(&r->raw[FIELD_DATE]), &r->out.date);
    header_unfold(str_slice(&r->raw[FIELD_SUBJECT]), &r->out.subject);
    r->out.has_date = date_parse(str_slice(&r->out.date), &r->out.date_ms);
    if (r->out.has_date)
        begin_digest(r);
}

static void header_octet(struct source_reading *r, char c)
{
    struct slice octet = {&c, 1};

    switch (header_scan_octet(&r->scan, c)) {
    case HEADER_FIELD:
        choose_value(r);
        break;
    case HEADER_OCTET:
        keep_value(r, octet);
        break;
    case HEADER_FOLD:
        keep_value(r, LF);
        keep_value(r, octet);
        break;
    case HEADER_SKIPPED_FIRST:
        hash_skipped(r, header_scan_line(&r->scan));
        hash_skipped(r, octet);
        break;
    case HEADER_SKIPPED:
        hash_skipped(r, octet);
        break;
    case HEADER_END:
        header_ends(r);
        break;
    case HEADER_NOTHING:
        break;
    }
}

/* The body */

static void hash_held(struct source_reading *r)
{
    sha256_add(r->digest, (struct slice){r->held, r->held_len});
    r->held_len = 0;
}

/* Of a line at most what is looked through at once, so that there is room for it. */
static void hash_later(struct source_reading *r, struct slice some)
{
    if (some.len > sizeof r->held - r->held_len)
        hash_held(r);
    memcpy(r->held + r->held_len, some.at, some.len);
    r->held_len += some.len;
}

static void hash_line_ends(struct source_reading *r)
{
    for (; r->line_ends > 0; r->line_ends--)
        hash_later(r, LF);
}

/* Octets without CR and LF; where there is no valid Date, the body is not looked at. */
static void body_text(struct source_reading *r, struct slice text)
{
    if (r->digest == NULL)
        return;
    hash_line_ends(r);
    hash_later(r, text);
}

/* Of a line, or of what is looked through of it at once: where an LF is far, CRs may still be near. */
static size_t line_length(struct slice octets)
{
    size_t most = octets.len < LOOK_MAX ? octets.len : LOOK_MAX;
    const char *lf = memchr(octets.at, '\n', most);
    const char *cr = memchr(octets.at, '\r', lf != NULL ? (size_t)(lf - octets.at) : most);

    if (cr != NULL)
        return (size_t)(cr - octets.at);
    return lf != NULL ? (size_t)(lf - octets.at) : most;
}

/* The octets */

static bool in_body(const struct source_reading *r)
{
    return r->scan.place == HEADER_OVER;
}

static void line_end(struct source_reading *r)
{
    if (in_body(r))
        r->line_ends++;
    else
        header_octet(r, '\n');
}

/* Takes at least one octet off the front and says how many: a line's text at once in the body,
 * which is most of a mail. */
static size_t take(struct source_reading *r, struct slice octets)
{
    char c = octets.at[0];

    for (size_t ends = line_ends_before(&r->crs, c); ends > 0; ends--)
        line_end(r);
    if (c == '\r' || c == '\n')
        return 1;
    if (!in_body(r)) {
        header_octet(r, c);
        return 1;
    }
    size_t len = line_length(octets);

    body_text(r, slice_cut(octets, 0, len));
    if (octets.len < len + 2 || octets.at[len] != '\r' || octets.at[len + 1] != '\n')
        return len;
    r->line_ends++;
    return len + 2;
}

void source_reading_add(struct source_reading *r, struct slice octets)
{
    sha256_add(r->octets, octets);
    r->out.size += (int64_t)octets.len;
    while (octets.len > 0)
        octets = slice_cut(octets, take(r, octets), octets.len);
}

/* The end of the octets ends the line and the header, as an empty line would. */
static void octets_end(struct source_reading *r)
{
    for (; r->crs > 0; r->crs--)
        line_end(r);
    if (in_body(r))
        return;
    if (r->scan.place != HEADER_LINE_START)
        line_end(r);
    r->scan.place = HEADER_OVER;
    header_ends(r);
}

static struct digest source_digest(struct source_reading *r)
{
    hash_held(r);
    if (r->skipped != NULL) {
        char hex[DIGEST_HEX_SIZE];
        struct digest skipped = sha256_done(&r->skipped);

        digest_hex(&skipped, hex);
        sha256_add(r->digest, LF);
        sha256_add(r->digest, slice_z(hex));
    }
    return sha256_done(&r->digest);
}

void source_reading_done(struct source_reading **reading, struct source *out)
{
    struct source_reading *r = *reading;

    octets_end(r);
    message_id_normalise(str_slice(&r->raw[FIELD_MESSAGE_ID]), &r->out.message_id);
    r->out.octets = sha256_done(&r->octets);
    r->out.source_digest = r->out.has_date ? source_digest(r) : r->out.octets;
    source_clear(out);
    *out = r->out;
    r->out = (struct source)SOURCE_INIT;
    source_reading_drop(reading);
}

void source_of(struct slice octets, struct source *out)
{
    struct source_reading *r = source_reading_new();

    source_reading_add(r, octets);
    source_reading_done(&r, out);
}
