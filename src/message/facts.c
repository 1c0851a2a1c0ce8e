/* SPDX-License-Identifier: Apache-2.0 */
#include "facts.h"
#include "addresses.h"
#include "charset.h"
#include "ids.h"
#include "signs.h"
#include "words.h"

#include <onecase/identity.h>
#include <onecase/language.h>
#include <onecase/source.h>

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

static void add_list(const struct fields *fields,
                     const char *name,
                     const struct reader_limits *limits,
                     struct message *out,
                     struct span *list)
{
    struct addresses addresses;
    struct mailbox_name who = {.address = STR_INIT};
    struct slice value;
    int64_t count = 0;

    if (!fields_first(fields, name, &value))
        return;
    addresses_begin(&addresses, value);
    while (addresses_next(&addresses, &who)) {
        if (who.address.len > 0 && count++ < limits->addresses)
            message_list_add(out, list, str_slice(&who.address));
    }
    if (count > limits->addresses)
        out->signs |= SIGN_INCOMPLETE;
    addresses_clear(&addresses);
    mailbox_name_clear(&who);
}

static struct span read_list(const struct fields *fields,
                             const char *name,
                             const struct reader_limits *limits,
                             struct message *out)
{
    struct span list = {0, 0};

    add_list(fields, name, limits, out, &list);
    return list;
}

/* Each is one address; the list grows at its end, so nothing else is kept in between. */
static void
read_author(const struct fields *fields, const struct reader_limits *limits, struct message *out)
{
    add_list(fields, "X-Original-From", limits, out, &out->author);
    add_list(fields, "X-Original-Sender", limits, out, &out->author);
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

/* Tags alone are kept of what it says. */
static void read_language(const struct fields *fields, struct message *out)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    char tags[LANGUAGES_SIZE];
    struct slice value;

    if (!fields_first(fields, "Content-Language", &value))
        return;
    words_unfold(value, &text);
    language_list(str_slice(&text), tags);
    out->language = message_keep(out, slice_z(tags));
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
    read_identity(head, out);
    read_from(fields, out);
    read_subject(fields, out);
    out->signs |= signs_read(fields, message_slice(out, out->subject));
    read_list_id(fields, out);
    read_language(fields, out);
    read_acknowledgement(fields, out);
    out->reply_to = read_list(fields, "Reply-To", limits, out);
    out->to = read_list(fields, "To", limits, out);
    out->cc = read_list(fields, "Cc", limits, out);
    read_author(fields, limits, out);
    out->in_reply_to = read_ids(fields, "In-Reply-To", limits, out);
    out->references = read_ids(fields, "References", limits, out);
}

/* Local parts that mail systems write reports with, at any domain. */
static bool is_mail_system(struct slice from)
{
    static const char *const systems[] = {
        "mailer-daemon@",
        "mailer_daemon@",
        "mailerdaemon@",
        "mail-daemon@",
        "mdaemon@",
        "postmaster@",
        "microsoftexchange329e71ec88ae4615bbc36ab6ce41109e@",
    };

    for (size_t i = 0; i < LENGTH(systems); i++)
        if (slice_starts_nocase(from, slice_z(systems[i])))
            return true;
    return slice_eq_nocase(from, SLICE("mailer-daemon"));
}

bool facts_suspect_report(const struct message *m)
{
    return (m->signs & (SIGN_NULL_PATH | SIGN_DELIVERY_REPORT)) != 0 ||
           is_mail_system(message_slice(m, m->from)) ||
           is_mail_system(message_slice(m, m->from_name));
}
