/* SPDX-License-Identifier: Apache-2.0 */
#include "facts.h"
#include "addresses.h"
#include "charset.h"
#include "ids.h"
#include "words.h"

#include <onecase/identity.h>
#include <onecase/source.h>

/* Signs: rows of field, what its value must be, and what that is a sign of. */

enum match {
    MATCH_ANY,       /* the field is there at all */
    MATCH_NOT,       /* its first word is none of the words */
    MATCH_WORD,      /* one of its words is one of the words */
    MATCH_NULL_PATH, /* nothing, "<>", or a mailer-daemon */
};

/* clang-format off */
static const struct {
    const char *field; /* a trailing "*" stands for any rest */
    const char *words; /* lower case, each between blanks */
    enum match match;
    uint32_t sign;
} signs[] = {
    {"Auto-Submitted",            " no ",                          MATCH_NOT,       SIGN_AUTO_SUBMITTED},
    {"X-Autoreply",               " no ",                          MATCH_NOT,       SIGN_AUTO_SUBMITTED},
    {"X-Autorespond",             "",                              MATCH_ANY,       SIGN_AUTO_SUBMITTED},
    {"X-Auto-Reply-From",         "",                              MATCH_ANY,       SIGN_AUTO_SUBMITTED},
    {"List-*",                    "",                              MATCH_ANY,       SIGN_LIST_HEADER},
    {"Precedence",                " bulk list junk auto_reply ",   MATCH_WORD,      SIGN_BULK},
    {"X-Auto-Response-Suppress",  " all oof autoreply ",           MATCH_WORD,      SIGN_SUPPRESS},
    {"Return-Path",               "",                              MATCH_NULL_PATH, SIGN_NULL_PATH},
};
/* clang-format on */

static bool name_matches(struct slice name, const char *pattern)
{
    struct slice p = slice_z(pattern);

    if (p.at[p.len - 1] == '*')
        return slice_starts_nocase(name, slice_cut(p, 0, p.len - 1));
    return slice_eq_nocase(name, p);
}

static bool is_word_octet(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

/* Takes the next word of letters, digits, "-" and "_". */
static bool take_word(struct slice *rest, struct slice *word)
{
    size_t from = 0;

    while (from < rest->len && !is_word_octet(rest->at[from]))
        from++;

    size_t to = from;

    while (to < rest->len && is_word_octet(rest->at[to]))
        to++;
    *word = slice_cut(*rest, from, to - from);
    *rest = slice_cut(*rest, to, rest->len);
    return word->len > 0;
}

static bool is_one_of(struct slice word, const char *words)
{
    struct slice rest = slice_z(words);
    struct slice one;

    while (slice_next(&rest, ' ', &one))
        if (one.len > 0 && slice_eq_nocase(one, word))
            return true;
    return false;
}

static bool is_null_path(struct slice value)
{
    struct addresses list;
    struct mailbox_name who = {.address = STR_INIT};
    bool found;

    addresses_begin(&list, value);
    found = addresses_next(&list, &who) && who.address.len > 0;
    found = found && !slice_starts_nocase(str_slice(&who.address), SLICE("mailer-daemon"));
    if (!found)
        found = slice_trim(value).len > 0 && who.address.len == 0 && who.name.len > 0 &&
                !slice_starts_nocase(str_slice(&who.name), SLICE("mailer-daemon"));
    addresses_clear(&list);
    mailbox_name_clear(&who);
    return !found;
}

static bool value_matches(struct slice value, enum match match, const char *words)
{
    struct slice word;

    switch (match) {
    case MATCH_ANY:
        return true;
    case MATCH_NOT:
        return take_word(&value, &word) && !is_one_of(word, words);
    case MATCH_WORD:
        while (take_word(&value, &word))
            if (is_one_of(word, words))
                return true;
        return false;
    case MATCH_NULL_PATH:
        return is_null_path(value);
    }
    return false;
}

/* Of a field that stands twice every one counts: what one of them says against an answer, holds. */
static uint32_t read_signs(const struct fields *fields)
{
    uint32_t found = 0;

    for (size_t f = 0; f < fields->count; f++)
        for (size_t i = 0; i < LENGTH(signs); i++)
            if (name_matches(fields->at[f].name, signs[i].field) &&
                value_matches(fields->at[f].value, signs[i].match, signs[i].words))
                found |= signs[i].sign;
    return found;
}

/* Addresses */

static void read_from(const struct fields *fields, struct message *out)
{
    struct addresses list;
    struct mailbox_name who = {.address = STR_INIT};
    struct slice value;

    if (!fields_first(fields, "From", &value))
        return;
    addresses_begin(&list, value);
    while (out->from.len == 0 && addresses_next(&list, &who)) {
        out->from = message_keep(out, str_slice(&who.address));
        if (out->from.len > 0 || out->from_name.len == 0)
            out->from_name = message_keep(out, str_slice(&who.name));
    }
    addresses_clear(&list);
    mailbox_name_clear(&who);
}

static struct span read_list(const struct fields *fields,
                             const char *name,
                             const struct reader_limits *limits,
                             struct message *out)
{
    struct span list = {0, 0};
    struct addresses addresses;
    struct mailbox_name who = {.address = STR_INIT};
    struct slice value;
    int64_t count = 0;

    if (!fields_first(fields, name, &value))
        return list;
    addresses_begin(&addresses, value);
    while (addresses_next(&addresses, &who)) {
        if (who.address.len > 0 && count++ < limits->addresses)
            message_list_add(out, &list, str_slice(&who.address));
    }
    if (count > limits->addresses)
        out->signs |= SIGN_INCOMPLETE;
    addresses_clear(&addresses);
    mailbox_name_clear(&who);
    return list;
}

/* The rest */

static void read_subject(const struct fields *fields, struct message *out)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct slice value;

    if (!fields_first(fields, "Subject", &value))
        return;
    words_text(value, &text);
    out->subject = message_keep(out, str_slice(&text));
}

/* The key and the date are read by the code that makes the key. */
static void read_identity(struct slice head, struct message *out)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct slice value;

    if (header_first(head, "Message-ID", &value)) {
        message_id_normalise(value, &text);
        out->message_id = message_keep(out, str_slice(&text));
    }
    if (header_first(head, "Date", &value)) {
        header_unfold(value, &text);
        out->has_date = date_parse(str_slice(&text), &out->date_ms);
        if (!out->has_date)
            out->date_ms = 0;
    }
}

/* The value as one line of UTF-8. */
static struct span keep_line(const struct fields *fields, const char *name, struct message *out)
{
    CLEANUP(str_clear) struct str raw = STR_INIT;
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct slice value;

    if (!fields_first(fields, name, &value))
        return (struct span){0, 0};
    words_unfold(value, &raw);
    charset_decode_raw(str_slice(&raw), &text);
    words_plain(&text);
    return message_keep(out, slice_trim(str_slice(&text)));
}

static void read_list_id(const struct fields *fields, struct message *out)
{
    struct span whole = keep_line(fields, "List-Id", out);
    struct slice text = message_slice(out, whole);
    size_t open = slice_find(text, '<', 0);
    size_t close = slice_find(text, '>', open);

    if (open < text.len && close < text.len)
        whole = (struct span){whole.at + (uint32_t)open + 1, (uint32_t)(close - open - 1)};
    out->list_id = whole.len > 0 ? whole : (struct span){0, 0};
}

/* Our own mark, or an id of ours: the mail's own, or what Exchange put in its place. */
static void read_acknowledgement(const struct fields *fields, struct message *out)
{
    CLEANUP(str_clear) struct str id = STR_INIT;
    char effect[EFFECT_ID_SIZE];
    struct slice value;

    out->proof = keep_line(fields, "X-Onecase-Proof", out);
    out->acknowledgement = keep_line(fields, "X-Onecase-Acknowledgement", out);
    if (out->acknowledgement.len > 0)
        return;
    if (acknowledgement_named(message_slice(out, out->message_id), effect)) {
        out->acknowledgement = message_keep(out, slice_z(effect));
        return;
    }
    if (!fields_first(fields, "X-Microsoft-Original-Message-ID", &value))
        return;
    message_id_normalise(value, &id);
    if (acknowledgement_named(str_slice(&id), effect))
        out->acknowledgement = message_keep(out, slice_z(effect));
}

static struct span read_ids(const struct fields *fields,
                            const char *name,
                            const struct reader_limits *limits,
                            struct message *out)
{
    struct span list = {0, 0};
    struct slice value;

    if (fields_first(fields, name, &value) &&
        !ids_add(value, (size_t)limits->references, out, &list))
        out->signs |= SIGN_INCOMPLETE;
    return list;
}

void facts_read(struct slice head,
                const struct fields *fields,
                const struct reader_limits *limits,
                struct message *out)
{
    out->signs |= read_signs(fields);
    read_identity(head, out);
    read_from(fields, out);
    read_subject(fields, out);
    read_list_id(fields, out);
    read_acknowledgement(fields, out);
    out->reply_to = read_list(fields, "Reply-To", limits, out);
    out->to = read_list(fields, "To", limits, out);
    out->cc = read_list(fields, "Cc", limits, out);
    out->in_reply_to = read_ids(fields, "In-Reply-To", limits, out);
    out->references = read_ids(fields, "References", limits, out);
}

bool facts_suspect_report(const struct fields *fields, const struct message *m)
{
    struct slice value;

    return (m->signs & SIGN_NULL_PATH) != 0 ||
           fields_first(fields, "X-Failed-Recipients", &value) ||
           slice_starts_nocase(message_slice(m, m->from), SLICE("mailer-daemon@")) ||
           slice_starts_nocase(message_slice(m, m->from), SLICE("postmaster@"));
}
