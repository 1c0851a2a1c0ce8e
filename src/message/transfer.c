/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer.h"
#include "base64.h"

/* clang-format off */
static const struct {
    const char *name;
    enum transfer transfer;
} names[] = {
    {"base64",           TRANSFER_BASE64},
    {"base-64",          TRANSFER_BASE64},
    {"x-base64",         TRANSFER_BASE64},
    {"b64",              TRANSFER_BASE64},
    {"quoted-printable", TRANSFER_QUOTED},
    {"quoted_printable", TRANSFER_QUOTED},
    {"quotedprintable",  TRANSFER_QUOTED},
    {"qp",               TRANSFER_QUOTED},
    {"x-uuencode",       TRANSFER_UU},
    {"uuencode",         TRANSFER_UU},
    {"x-uue",            TRANSFER_UU},
    {"uue",              TRANSFER_UU},
};
/* clang-format on */

static bool is_name_octet(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

static struct slice first_word(struct slice raw)
{
    size_t from = 0;

    while (from < raw.len && !is_name_octet(raw.at[from]))
        from++;

    size_t to = from;

    while (to < raw.len && is_name_octet(raw.at[to]))
        to++;
    return slice_cut(raw, from, to - from);
}

enum transfer transfer_named(struct slice raw)
{
    struct slice name = first_word(raw);

    for (size_t i = 0; i < LENGTH(names); i++)
        if (slice_eq_nocase(name, slice_z(names[i].name)))
            return names[i].transfer;
    return TRANSFER_NONE;
}

int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Quoted-printable: `held` is a "=" and what followed it while it may still be one of
 *   = X Y         an octet
 *   = blanks CR   a soft line end
 * and is let out as it stands once it can be neither. */

static bool goes_on(struct slice held, char c)
{
    char last = held.at[held.len - 1];

    if (held.len == 1)
        return hex_value(c) >= 0 || c == ' ' || c == '\t' || c == '\r';
    return (last == ' ' || last == '\t') && (c == ' ' || c == '\t' || c == '\r');
}

/* Takes an octet after a "=". False where neither can be meant: then that "=" was itself. */
static bool quoted_follows(struct decoder *d, char c, struct str *out)
{
    struct slice held = str_slice(&d->held);

    if (goes_on(held, c)) {
        str_addc(&d->held, c);
        return true;
    }
    if (held.len == 2 && hex_value(held.at[1]) >= 0 && hex_value(c) >= 0)
        str_addc(out, (char)(hex_value(held.at[1]) * 16 + hex_value(c)));
    else if (c != '\n' || hex_value(held.at[held.len - 1]) >= 0)
        return false;
    str_empty(&d->held);
    return true;
}

static void quoted_octet(struct decoder *d, char c, struct str *out)
{
    if (d->held.len > 0 && quoted_follows(d, c, out))
        return;
    str_add(out, str_slice(&d->held));
    str_empty(&d->held);
    str_addc(c == '=' ? &d->held : out, c);
}

/* At the end a "=" with nothing but blanks was a soft line end. */
static void quoted_end(struct decoder *d, struct str *out)
{
    if (d->held.len > 1 && hex_value(d->held.at[1]) >= 0)
        str_add(out, str_slice(&d->held));
    str_empty(&d->held);
}

/* uuencode: line by line, `held` is the line so far. */

static unsigned uu_value(struct slice line, size_t at)
{
    return at < line.len ? ((unsigned)(uint8_t)line.at[at] - 32) & 63 : 0;
}

static void uu_line(struct slice line, struct str *out)
{
    unsigned left = uu_value(line, 0);

    for (size_t at = 1; left > 0; at += 4) {
        unsigned bits = uu_value(line, at) << 18 | uu_value(line, at + 1) << 12 |
                        uu_value(line, at + 2) << 6 | uu_value(line, at + 3);

        for (unsigned shift = 24; shift > 0 && left > 0; left--) {
            shift -= 8;
            str_addc(out, (char)(uint8_t)(bits >> shift));
        }
    }
}

static void uu_end_of_line(struct decoder *d, struct str *out)
{
    struct slice line = str_slice(&d->held);

    while (line.len > 0 && line.at[line.len - 1] == '\r')
        line.len--;
    if (!d->within)
        d->within = !d->over && line.len > 6 && slice_eq(slice_cut(line, 0, 6), SLICE("begin "));
    else if (slice_eq(slice_cut(line, 0, 3), SLICE("end")))
        d->over = !(d->within = false);
    else if (line.len > 0 && line.len <= 64 + 64)
        uu_line(line, out);
    str_empty(&d->held);
}

static void uu_octet(struct decoder *d, char c, struct str *out)
{
    if (c == '\n')
        uu_end_of_line(d, out);
    else if (d->held.len < 256)
        str_addc(&d->held, c);
}

/* All of them */

void decoder_init(struct decoder *d, enum transfer transfer)
{
    *d = (struct decoder){.transfer = transfer, .held = STR_INIT};
}

static void add_octet(struct decoder *d, char c, struct str *out)
{
    if (d->transfer == TRANSFER_BASE64)
        base64_octet(d, c, out);
    else if (d->transfer == TRANSFER_QUOTED)
        quoted_octet(d, c, out);
    else
        uu_octet(d, c, out);
}

void decoder_add(struct decoder *d, struct slice octets, struct str *out)
{
    if (d->transfer == TRANSFER_NONE) {
        str_add(out, octets);
        return;
    }
    for (size_t i = 0; i < octets.len; i++) {
        if (d->transfer == TRANSFER_BASE64)
            i += base64_groups(d, slice_cut(octets, i, octets.len), out);
        if (i < octets.len)
            add_octet(d, octets.at[i], out);
    }
}

void decoder_end(struct decoder *d, struct str *out)
{
    if (d->transfer == TRANSFER_BASE64)
        base64_end(d, out);
    else if (d->transfer == TRANSFER_QUOTED)
        quoted_end(d, out);
    else if (d->transfer == TRANSFER_UU)
        uu_end_of_line(d, out);
}

void decoder_clear(struct decoder *d)
{
    str_clear(&d->held);
}

void transfer_decode(enum transfer transfer, struct slice octets, struct str *out)
{
    CLEANUP(decoder_clear) struct decoder d;

    decoder_init(&d, transfer);
    decoder_add(&d, octets, out);
    decoder_end(&d, out);
}
