/* SPDX-License-Identifier: Apache-2.0 */
#include "letter.h"

#include <stdlib.h>
#include <string.h>

#define LINE_MOST    998
#define ADDRESS_MOST 320

static void take_size(struct slice words, struct offers *offers)
{
    struct slice number = SLICE_EMPTY;
    char text[24] = "";

    offers->size = true;
    while (number.len == 0 && slice_next(&words, ' ', &number))
        continue;
    if (number.len < sizeof text)
        memcpy(text, number.at, number.len);
    offers->size_most = strtoll(text, NULL, 10);
}

struct offers offers_of(struct slice ehlo_lines)
{
    struct offers offers = {.size = false};
    struct slice line;

    while (slice_next(&ehlo_lines, '\n', &line)) {
        struct slice word = SLICE_EMPTY;
        struct slice words = line;

        (void)slice_next(&words, ' ', &word);
        if (slice_eq_nocase(word, SLICE("SIZE")))
            take_size(words, &offers);
        else if (slice_eq_nocase(word, SLICE("8BITMIME")))
            offers.eight_bit = true;
        else if (slice_eq_nocase(word, SLICE("SMTPUTF8")))
            offers.utf8 = true;
        else if (slice_eq_nocase(word, SLICE("PIPELINING")))
            offers.pipelining = true;
    }
    return offers;
}

static bool is_wide(struct slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.at[i] >= 0x80)
            return true;
    return false;
}

/* Blanks and brackets only within quotes; control characters nowhere. */
bool address_may_be_sent(const char *address)
{
    bool quoted = false;

    for (const char *at = address; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7F)
            return false;
        if (quoted && *at == '\\' && at[1] > ' ')
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && strchr(" <>\\", *at) != NULL)
            return false;
    }
    return !quoted && strlen(address) <= ADDRESS_MOST;
}

/* Where the header ends: at the first empty line, or at the end. */
static struct slice header_of(struct slice octets)
{
    for (size_t at = 0; at < octets.len; at = slice_find(octets, '\n', at) + 1)
        if (octets.at[at] == '\r')
            return slice_cut(octets, 0, at);
    return octets;
}

static const char *line_fault(struct slice line, bool ended)
{
    bool has_cr = line.len > 0 && line.at[line.len - 1] == '\r';

    if (ended && !has_cr)
        return "a bare LF";
    if (slice_find(line, '\r', 0) < line.len - has_cr || (!ended && has_cr))
        return "a bare CR";
    if (slice_find(line, '\0', 0) < line.len)
        return "a NUL";
    return line.len - has_cr > LINE_MOST ? "a line of more than 998 octets" : NULL;
}

static const char *octets_fault(struct slice octets)
{
    const char *fault = octets.len == 0 ? "nothing" : NULL;

    for (size_t from = 0; from < octets.len && fault == NULL;) {
        size_t end = slice_find(octets, '\n', from);

        fault = line_fault(slice_cut(octets, from, end - from), end < octets.len);
        from = end + 1;
    }
    return fault;
}

enum rc letter_check(const struct letter *letter, struct needs *out, struct err *err)
{
    const char *fault = octets_fault(letter->octets);
    const char *copy_to = letter->copy_to != NULL ? letter->copy_to : "";

    if (fault != NULL)
        return FAIL(err, RC_REFUSED, "smtp: the letter holds %s and may not be sent", fault);
    if (letter->recipient[0] == '\0' || !address_may_be_sent(letter->recipient))
        return FAIL(err, RC_REFUSED, "smtp: its recipient is no address that may be sent");
    if (!address_may_be_sent(letter->sender) || !address_may_be_sent(copy_to))
        return FAIL(err, RC_REFUSED, "smtp: `envelope_from` or `copy_to` is no address");
    *out = (struct needs){
        .size = (int64_t)letter->octets.len,
        .eight_bit = is_wide(letter->octets),
        .utf8 = is_wide(slice_z(letter->recipient)) || is_wide(slice_z(letter->sender)) ||
                is_wide(slice_z(copy_to)) || is_wide(header_of(letter->octets)),
    };
    return RC_OK;
}

const char *letter_missing(const struct needs *needs, const struct offers *offers)
{
    if (needs->utf8 && !offers->utf8)
        return "the server does not take addresses or headers beyond ASCII (SMTPUTF8)";
    if (needs->eight_bit && !offers->eight_bit)
        return "the server does not take 8-bit octets (8BITMIME)";
    if (offers->size && offers->size_most > 0 && needs->size > offers->size_most)
        return "the server does not take a message of that size (SIZE)";
    return NULL;
}

void letter_mail(const char *sender,
                 const struct needs *needs,
                 const struct offers *offers,
                 struct str *out)
{
    str_addf(out, "MAIL FROM:<%s>", sender);
    if (offers->size)
        str_addf(out, " SIZE=%lld", (long long)needs->size);
    if (needs->eight_bit)
        str_addz(out, " BODY=8BITMIME");
    if (needs->utf8)
        str_addz(out, " SMTPUTF8");
    str_addz(out, "\r\n");
}

void letter_body(struct slice octets, size_t *from, struct str *out)
{
    size_t room = out->len + LETTER_PIECE;

    while (*from < octets.len && out->len < room) {
        size_t end = slice_find(octets, '\n', *from);
        struct slice line = slice_cut(octets, *from, end + 1 - *from);

        if (line.at[0] == '.')
            str_addc(out, '.');
        str_add(out, line);
        if (end == octets.len)
            str_addz(out, "\r\n");
        *from += line.len;
    }
}
