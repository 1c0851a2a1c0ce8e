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

enum within { APART, WITHIN, WITHIN_EMPTY };

static enum within text_within(struct slice inner, struct slice outer)
{
    CLEANUP(str_clear) struct str a = STR_INIT;
    CLEANUP(str_clear) struct str b = STR_INIT;
    comparable(inner, &a);
    comparable(outer, &b);
    if (a.len == 0)
        return WITHIN_EMPTY;
    return slice_has(str_slice(&b), str_slice(&a)) ? WITHIN : APART;
}

/* ---- subjects that are equal but for a tag -------------------------------------------------- */

/* The length of the tag that `s` begins with, or 0: what lists and gateways put into subjects. */
static size_t tag_length(struct slice s)
{
    static const struct {
        struct slice open, close;
    } tags[] = {
        {SLICE_INIT("["), SLICE_INIT("]")},
        {SLICE_INIT("{"), SLICE_INIT("}")},
        {SLICE_INIT("***"), SLICE_INIT("***")},
    };
    for (size_t i = 0; i < LENGTH(tags); i++) {
        if (!slice_starts_nocase(s, tags[i].open))
            continue;
        for (size_t at = tags[i].open.len; at + tags[i].close.len <= s.len; at++)
            if (slice_starts_nocase(slice_cut(s, at, s.len), tags[i].close))
                return at + tags[i].close.len;
    }
    return 0;
}

/* Takes the next tag, or the next run without white space, off the front. */
static bool next_word(struct slice *rest, struct slice *word, bool *tag)
{
    *rest = slice_trim(*rest);
    size_t n = tag_length(*rest);
    *tag = n > 0;
    while (!*tag && n < rest->len && !blank(rest->at[n]))
        n++;
    *word = slice_cut(*rest, 0, n);
    *rest = slice_cut(*rest, n, rest->len);
    return n > 0;
}

/* `longer` is `shorter` with tags put in. A reply prefix is no tag: an answer is another mail. */
static bool only_tags_added(struct slice shorter, struct slice longer)
{
    struct slice wanted, word;
    bool tag, wanted_tag;
    bool more = next_word(&shorter, &wanted, &wanted_tag);
    while (next_word(&longer, &word, &tag)) {
        if (more && slice_eq(word, wanted))
            more = next_word(&shorter, &wanted, &wanted_tag);
        else if (!tag)
            return false;
    }
    return !more;
}

static bool same_head(const struct side *a, const struct side *b)
{
    return slice_eq_nocase(a->from, b->from) && a->has_date && b->has_date &&
           a->date_ms == b->date_ms &&
           (only_tags_added(a->subject, b->subject) || only_tags_added(b->subject, a->subject));
}

/* ---- attachments --------------------------------------------------------------------------- */

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

/* A list may drop attachments, so its copy may have fewer. But where the list's came first and the
 * direct one brings what the case lacks, it is no mere copy: taking it for one would lose a file. */
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
    bool adds_none = second_adds_none && known_brings_nothing(first, second);
    enum within in_second = text_within(a.text, b.text);
    enum within in_first = text_within(b.text, a.text);
    if (!a.listed && b.listed && second_adds_none && in_second == WITHIN)
        return CLASS_LIST_COPY;
    if (a.listed && !b.listed && adds_none && in_first == WITHIN)
        return CLASS_LIST_COPY;
    bool both_empty = in_second == WITHIN_EMPTY && in_first == WITHIN_EMPTY;
    bool within = in_second == WITHIN || in_first == WITHIN || both_empty;
    return within && adds_none ? CLASS_GATEWAY_COPY : CLASS_CONFLICT;
}
