/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/policy.h>
#include <string.h>

/* What two mails under one key are compared by. */
struct side {
    struct slice from, subject, text;
    bool has_date;
    int64_t date_ms;
    bool listed; /* has List-* headers */
};

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t link_length(struct slice s)
{
    if (!slice_starts_nocase(s, SLICE("http://")) && !slice_starts_nocase(s, SLICE("https://")))
        return 0;
    size_t n = 0;
    while (n < s.len && !blank(s.at[n]) && s.at[n] != '>' && s.at[n] != '"' && s.at[n] != ')')
        n++;
    return n;
}

/* White space folded, links reduced to one mark: gateways rewrite them. */
static void comparable(struct slice text, struct str *out)
{
    text = slice_trim(text);
    for (size_t i = 0; i < text.len;) {
        size_t n = link_length(slice_cut(text, i, text.len));
        if (n > 0) {
            str_addz(out, "\x01");
            i += n;
        } else if (blank(text.at[i])) {
            str_addc(out, ' ');
            while (i < text.len && blank(text.at[i]))
                i++;
        } else {
            str_addc(out, text.at[i++]);
        }
    }
}

static bool text_within(struct slice inner, struct slice outer)
{
    CLEANUP(str_clear) struct str a = STR_INIT;
    CLEANUP(str_clear) struct str b = STR_INIT;
    comparable(inner, &a);
    comparable(outer, &b);
    return a.len > 0 && slice_has(str_slice(&b), str_slice(&a));
}

static bool same_head(const struct side *a, const struct side *b)
{
    return slice_eq_nocase(a->from, b->from) && a->has_date && b->has_date &&
           a->date_ms == b->date_ms && slice_eq(subject_core(a->subject), subject_core(b->subject));
}

static void attachment_hex(const struct message_part *part, char out[DIGEST_HEX_SIZE])
{
    digest_hex(&part->sha256, out);
}

static bool known_has(const struct known_item *known, const char *hex)
{
    for (size_t i = 0; i < known->attachment_hex.count; i++)
        if (strcmp(known->attachment_hex.at[i], hex) == 0)
            return true;
    return false;
}

static bool message_has(const struct message *m, const char *hex)
{
    for (size_t i = 0; i < m->part_count; i++) {
        char mine[DIGEST_HEX_SIZE];
        attachment_hex(&m->parts[i], mine);
        if (m->parts[i].role == PART_ATTACHMENT && strcmp(mine, hex) == 0)
            return true;
    }
    return false;
}

/* Every attachment of the message is one of the known item's. */
static bool message_brings_nothing(const struct known_item *known, const struct message *m)
{
    for (size_t i = 0; i < m->part_count; i++) {
        char hex[DIGEST_HEX_SIZE];
        attachment_hex(&m->parts[i], hex);
        if (m->parts[i].role == PART_ATTACHMENT && !known_has(known, hex))
            return false;
    }
    return true;
}

static bool known_brings_nothing(const struct known_item *known, const struct message *m)
{
    for (size_t i = 0; i < known->attachment_hex.count; i++)
        if (!message_has(m, known->attachment_hex.at[i]))
            return false;
    return true;
}

enum delivery_class copy_compare(const struct known_item *first, const struct message *second)
{
    struct side a = {first->from,     first->subject, first->text,
                     first->has_date, first->date_ms, (first->signs & SIGN_LIST_HEADER) != 0};
    struct side b = {message_slice(second, second->from),
                     message_slice(second, second->subject),
                     message_slice(second, second->text),
                     second->has_date,
                     second->date_ms,
                     (second->signs & SIGN_LIST_HEADER) != 0};
    if (!same_head(&a, &b))
        return CLASS_CONFLICT;
    bool second_adds_none = message_brings_nothing(first, second);
    bool first_adds_none = known_brings_nothing(first, second);
    if (!a.listed && b.listed && second_adds_none && text_within(a.text, b.text))
        return CLASS_LIST_COPY;
    if (a.listed && !b.listed && first_adds_none && text_within(b.text, a.text))
        return CLASS_LIST_COPY;
    bool within = text_within(a.text, b.text) || text_within(b.text, a.text);
    return within && first_adds_none && second_adds_none ? CLASS_GATEWAY_COPY : CLASS_CONFLICT;
}
