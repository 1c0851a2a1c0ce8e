/* SPDX-License-Identifier: Apache-2.0 */
#include "offers.h"

#include <string.h>

#define OFFERS_MOST 8192

static void keep(struct slice line, struct str *offers)
{
    if (offers->len + line.len < OFFERS_MOST) {
        str_add(offers, line);
        str_addc(offers, '\n');
    }
}

/* A banner, or the reply to STARTTLS, begins anew. */
static void hear_smtp(struct slice line, struct str *offers)
{
    if (slice_starts_nocase(line, SLICE("220")))
        str_empty(offers);
    else if (slice_starts_nocase(line, SLICE("250")))
        keep(slice_cut(line, 4, line.len), offers);
}

/* A tagged line that no CAPABILITY line came before is the reply to STARTTLS. */
static void hear_imap(struct slice line, struct str *offers, bool *fresh)
{
    if (slice_starts_nocase(line, SLICE("* CAPABILITY "))) {
        str_empty(offers);
        keep(slice_cut(line, strlen("* CAPABILITY "), line.len), offers);
        *fresh = true;
    } else if (!slice_starts_nocase(line, SLICE("*"))) {
        if (!*fresh)
            str_empty(offers);
        *fresh = false;
    }
}

void offers_hear(enum protocol protocol, struct slice line, struct str *offers, bool *fresh)
{
    line = slice_trim(line);
    if (protocol == PROTOCOL_SMTP)
        hear_smtp(line, offers);
    else
        hear_imap(line, offers, fresh);
}

/* "AUTH PLAIN LOGIN" of SMTP (and the old "AUTH=PLAIN LOGIN"); "AUTH=PLAIN AUTH=LOGIN" of IMAP. */
static bool
next_mechanism(enum protocol protocol, struct slice *line, bool *in_auth, struct slice *out)
{
    struct slice word;

    while (slice_next(line, ' ', &word)) {
        bool pair = slice_starts_nocase(word, SLICE("AUTH="));

        if (protocol == PROTOCOL_SMTP && slice_eq_nocase(word, SLICE("AUTH"))) {
            *in_auth = true;
            continue;
        }
        if (pair)
            word = slice_cut(word, strlen("AUTH="), word.len);
        *in_auth = *in_auth || (protocol == PROTOCOL_SMTP && pair);
        if (word.len > 0 && (pair || *in_auth)) {
            *out = word;
            return true;
        }
    }
    return false;
}

bool offers_mechanism(enum protocol protocol, struct slice offers, const char *mechanism)
{
    struct slice line;
    struct slice word;

    while (slice_next(&offers, '\n', &line)) {
        bool in_auth = false;

        while (next_mechanism(protocol, &line, &in_auth, &word))
            if (slice_eq_nocase(word, slice_z(mechanism)))
                return true;
    }
    return false;
}

void offers_mechanisms(enum protocol protocol, struct slice offers, struct str *out)
{
    struct slice line;
    struct slice word;

    while (slice_next(&offers, '\n', &line)) {
        bool in_auth = false;

        while (next_mechanism(protocol, &line, &in_auth, &word)) {
            if (out->len > 0)
                str_addc(out, ' ');
            str_add(out, word);
        }
    }
}

bool offers_word(struct slice offers, const char *word)
{
    struct slice line;
    struct slice one;

    while (slice_next(&offers, '\n', &line))
        while (slice_next(&line, ' ', &one))
            if (slice_eq_nocase(one, slice_z(word)))
                return true;
    return false;
}
