/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/policy.h>
#include <string.h>

/* What two mails under one key are compared by. */
struct side {
    struct slice from, subject, text;
    struct slice author;  /* list: those whose place a list's From may have taken */
    struct slice answers; /* list: who is answered instead, Reply-To and Cc */
    bool has_date;
    int64_t date_ms;
    bool listed; /* has List-* headers */
};

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* ---- texts --------------------------------------------------------------------------------- */

/* The length of the white space at the front, that which does not break or has no width included. */
static size_t blank_length(struct slice s)
{
    static const struct slice wide[] = {SLICE_INIT("\u00A0"), SLICE_INIT("\u200B"),
                                        SLICE_INIT("\uFEFF")};
    if (s.len > 0 && blank(s.at[0]))
        return 1;
    for (size_t i = 0; i < LENGTH(wide); i++)
        if (slice_starts_nocase(s, wide[i]))
            return wide[i].len;
    return 0;
}

static size_t link_length(struct slice s)
{
    static const struct slice starts[] = {SLICE_INIT("http://"), SLICE_INIT("https://"),
                                          SLICE_INIT("www.")};
    bool link = false;
    for (size_t i = 0; i < LENGTH(starts); i++)
        link = link || slice_starts_nocase(s, starts[i]);
    size_t n = 0;
    while (link && n < s.len && !blank(s.at[n]) && s.at[n] != '>' && s.at[n] != '"' &&
           s.at[n] != ')')
        n++;
    return n;
}

/* What stands after a link and before the next word: gateways put the end of a sentence apart from it,
 * and add where it leads. */
static size_t after_link(struct slice s)
{
    size_t n = 0;
    while (n < s.len) {
        size_t more = blank_length(slice_cut(s, n, s.len));
        if (more == 0 && slice_find(SLICE("<>()[]\"'.,;:!?"), s.at[n], 0) < 15)
            more = 1;
        if (more == 0)
            more = link_length(slice_cut(s, n, s.len));
        if (more == 0)
            return n;
        n += more;
    }
    return n;
}

static size_t add_link(struct slice text, size_t link, struct str *out)
{
    while (out->len > 0 && slice_find(SLICE(" <(["), out->at[out->len - 1], 0) < 4)
        out->len--;
    str_addz(out, "\x01");
    return link + after_link(slice_cut(text, link, text.len));
}

/* White space folded; where `links` may have been rewritten, those are reduced to one mark. */
static void comparable(struct slice text, bool links, struct str *out)
{
    for (size_t i = 0; i < text.len;) {
        struct slice rest = slice_cut(text, i, text.len);
        size_t white = blank_length(rest);
        size_t link = links && white == 0 ? link_length(rest) : 0;
        if (link > 0) {
            i += add_link(rest, link, out);
        } else if (white > 0) {
            if (out->len > 0 && out->at[out->len - 1] != ' ')
                str_addc(out, ' ');
            i += white;
        } else {
            str_addc(out, text.at[i++]);
        }
    }
}

enum within { APART, WITHIN, WITHIN_EMPTY };

static enum within text_within(struct slice inner, struct slice outer, bool links)
{
    CLEANUP(str_clear) struct str a = STR_INIT;
    CLEANUP(str_clear) struct str b = STR_INIT;
    comparable(inner, links, &a);
    comparable(outer, links, &b);
    struct slice trimmed = slice_trim(str_slice(&a));
    if (trimmed.len == 0)
        return WITHIN_EMPTY;
    return slice_has(str_slice(&b), trimmed) ? WITHIN : APART;
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
    static const struct slice words[] = {
        SLICE_INIT("EXTERNAL:"),    SLICE_INIT("EXTERN:"),    SLICE_INIT("EXT:"),
        SLICE_INIT("SPAM:"),        SLICE_INIT("(EXTERNAL)"), SLICE_INIT("(EXTERN)"),
        SLICE_INIT("(EXT)"),        SLICE_INIT("<EXTERNAL>"), SLICE_INIT("<EXT>"),
        SLICE_INIT("**EXTERNAL**"),
    };
    for (size_t i = 0; i < LENGTH(words); i++)
        if (slice_starts_nocase(s, words[i]))
            return words[i].len;
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

/* ---- senders ------------------------------------------------------------------------------- */

static bool list_has(struct slice list, struct slice address)
{
    struct slice one;
    while (message_next(&list, &one))
        if (slice_eq_nocase(one, address))
            return true;
    return false;
}

/* A list that writes in its own name says whose place it took, in a field of its own or by who is
 * answered ("Ann via Team"). */
static bool same_sender(const struct side *a, const struct side *b)
{
    if (slice_eq_nocase(a->from, b->from))
        return true;
    if (a->listed == b->listed || a->from.len == 0 || b->from.len == 0)
        return false;
    const struct side *list = a->listed ? a : b, *direct = a->listed ? b : a;
    return list_has(list->author, direct->from) || list_has(list->answers, direct->from);
}

static bool same_head(const struct side *a, const struct side *b)
{
    return same_sender(a, b) && a->has_date && b->has_date && a->date_ms == b->date_ms &&
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

/* What Exchange packs files into (TNEF): they stand beside it, if it could be unpacked. */
bool attachment_is_container(struct slice type, struct slice name, uint32_t signs)
{
    bool tnef = slice_eqz(type, "application/ms-tnef") ||
                slice_eqz(type, "application/vnd.ms-tnef") ||
                slice_eq_nocase(name, SLICE("winmail.dat"));
    return tnef && (signs & SIGN_INCOMPLETE) == 0;
}

static bool is_container(const struct message *m, const struct message_part *part)
{
    return attachment_is_container(message_slice(m, part->type), message_slice(m, part->name),
                                   m->signs);
}

/* Every attachment of the message is one of the known item's. */
static bool message_brings_nothing(const struct known_item *known, const struct message *m)
{
    for (size_t i = 0; i < m->part_count; i++) {
        char hex[DIGEST_HEX_SIZE];
        attachment_hex(&m->parts[i], hex);
        if (m->parts[i].role == PART_ATTACHMENT && !is_container(m, &m->parts[i]) &&
            !known_has(known, hex))
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

static struct side side_of_known(const struct known_item *known)
{
    return (struct side){.from = known->from,
                         .subject = known->subject,
                         .text = known->text,
                         .author = known->author,
                         .answers = known->recipient,
                         .has_date = known->has_date,
                         .date_ms = known->date_ms,
                         .listed = (known->signs & SIGN_LIST_HEADER) != 0};
}

static struct side side_of_message(const struct message *m, struct str *answers)
{
    str_add(answers, message_slice(m, m->reply_to));
    str_add(answers, message_slice(m, m->cc));
    return (struct side){.from = message_slice(m, m->from),
                         .subject = message_slice(m, m->subject),
                         .text = message_slice(m, m->text),
                         .author = message_slice(m, m->author),
                         .answers = str_slice(answers),
                         .has_date = m->has_date,
                         .date_ms = m->date_ms,
                         .listed = (m->signs & SIGN_LIST_HEADER) != 0};
}

/* A list may drop attachments, so its copy may have fewer. But where the list's came first and the
 * direct one brings what the case lacks, it is no mere copy: taking it for one would lose a file. */
enum delivery_class copy_compare(const struct known_item *first, const struct message *second)
{
    CLEANUP(str_clear) struct str answers = STR_INIT;
    struct side a = side_of_known(first), b = side_of_message(second, &answers);
    if (!same_head(&a, &b))
        return CLASS_CONFLICT;
    bool second_adds_none = message_brings_nothing(first, second);
    bool adds_none = second_adds_none && known_brings_nothing(first, second);
    if (!a.listed && b.listed && second_adds_none && text_within(a.text, b.text, false) == WITHIN)
        return CLASS_LIST_COPY;
    if (a.listed && !b.listed && adds_none && text_within(b.text, a.text, false) == WITHIN)
        return CLASS_LIST_COPY;
    enum within in_second = text_within(a.text, b.text, true);
    enum within in_first = text_within(b.text, a.text, true);
    bool both_empty = in_second == WITHIN_EMPTY && in_first == WITHIN_EMPTY;
    bool within = in_second == WITHIN || in_first == WITHIN || both_empty;
    return within && adds_none ? CLASS_GATEWAY_COPY : CLASS_CONFLICT;
}
