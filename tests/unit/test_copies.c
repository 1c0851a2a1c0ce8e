/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "policy_sample.h"

/* What two mails under one key are compared by; the defaults are one ordinary mail. */
struct look {
    const char *from, *subject, *text;
    const char *files; /* names, blanks between */
    const char *reply_to, *cc, *author;
    bool listed, undated;
    int64_t later_ms;
};

#define CONFLICT CLASS_CONFLICT
#define LIST     CLASS_LIST_COPY
#define GATEWAY  CLASS_GATEWAY_COPY

static const char *either(const char *given, const char *otherwise)
{
    return given ? given : otherwise;
}

static void fill_message(struct message *m, const struct look *look)
{
    struct slice rest = slice_z(either(look->files, "")), name;

    sample_keep(m, &m->from, either(look->from, "ann@example.com"));
    sample_keep(m, &m->subject, either(look->subject, "Printer on fire"));
    sample_keep(m, &m->text, either(look->text, "Please come quickly."));
    m->has_date = !look->undated;
    m->date_ms = NOW_MS + look->later_ms;
    m->signs = look->listed ? SIGN_LIST_HEADER : 0;
    if (look->reply_to)
        message_list_add(m, &m->reply_to, slice_z(look->reply_to));
    if (look->cc)
        message_list_add(m, &m->cc, slice_z(look->cc));
    if (look->author)
        message_list_add(m, &m->author, slice_z(look->author));
    sample_part(m, PART_TEXT, "text/plain", "", 20);
    while (slice_next(&rest, ' ', &name)) {
        CLEANUP(str_clear) struct str z = STR_INIT;

        str_add(&z, name);
        sample_part(m, PART_ATTACHMENT, "image/png", str_z(&z), 1);
    }
}

struct hashes {
    char hex[8][DIGEST_HEX_SIZE];
    const char *at[8];
};

/* The same as the ledger remembers it. */
static struct known_item remembered(const struct message *m, struct hashes *h)
{
    struct known_item item = {
        .same_key = true,
        .signs = m->signs,
        .from = message_slice(m, m->from),
        .subject = message_slice(m, m->subject),
        .text = message_slice(m, m->text),
        .has_date = m->has_date,
        .date_ms = m->date_ms,
        .author = message_slice(m, m->author),
        .recipient = policy_recipient(m),
    };

    for (size_t i = 0; i < m->part_count; i++)
        if (m->parts[i].role == PART_ATTACHMENT &&
            !attachment_is_container(message_slice(m, m->parts[i].type),
                                     message_slice(m, m->parts[i].name), m->signs)) {
            digest_hex(&m->parts[i].sha256, h->hex[item.attachment_hex.count]);
            h->at[item.attachment_hex.count] = h->hex[item.attachment_hex.count];
            item.attachment_hex.count++;
        }
    item.attachment_hex.at = h->at;
    return item;
}

static enum delivery_class compare(const struct look *first, const struct look *second)
{
    CLEANUP(message_clear) struct message a = MESSAGE_INIT;
    CLEANUP(message_clear) struct message b = MESSAGE_INIT;
    struct hashes h;

    fill_message(&a, first);
    fill_message(&b, second);
    struct known_item item = remembered(&a, &h);

    return copy_compare(&item, &b);
}

static void copies_are_told_from_conflicts_whichever_came_first(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        struct look direct, other;
        enum delivery_class class, other_way_round;
    } rows[] = {
        {"a list adds a tag and a footer",
         {0}, {.listed = true, .subject = "[team] Printer on fire", .text = "Please come quickly.\n--\nTo leave the list"}, LIST, LIST},
        {"a list adds nothing",                 {0}, {.listed = true}, LIST, LIST},
        {"a list adds two tags",                {0}, {.listed = true, .subject = "[a] [b] Printer on fire"}, LIST, LIST},
        {"a tag after the reply prefix",        {.subject = "Re: Printer"}, {.listed = true, .subject = "Re: [team] Printer"}, LIST, LIST},
        {"a tag at the end",                    {0}, {.listed = true, .subject = "Printer on fire [team 17]"}, LIST, LIST},
        {"a tag that was there already",        {.subject = "[T-1] Printer"}, {.listed = true, .subject = "[team] [T-1] Printer"}, LIST, LIST},
        {"folded white space",                  {.text = "Please  come\r\nquickly."}, {.listed = true, .subject = "Printer  on fire "}, LIST, LIST},
        {"white space around",                  {.text = " Please come quickly.\n"}, {.listed = true}, LIST, LIST},
        {"white space taken out",               {.text = "Comequickly"}, {.listed = true, .text = "Come quickly"}, CONFLICT, CONFLICT},
        {"a link taken out",                    {.text = "(http://a)"}, {.listed = true, .text = "()"}, CONFLICT, CONFLICT},
        {"another tag",                         {.subject = "[db1] Disk full"}, {.listed = true, .subject = "[db2] Disk full"}, CONFLICT, CONFLICT},
        {"a reply prefix is no tag",            {0}, {.listed = true, .subject = "Re: Printer on fire"}, CONFLICT, CONFLICT},
        {"another word",                        {0}, {.listed = true, .subject = "[team] Printer on"}, CONFLICT, CONFLICT},
        {"one word more",                       {0}, {.listed = true, .subject = "[team] Printer on fire again"}, CONFLICT, CONFLICT},
        {"words in another order",              {.subject = "a b"}, {.listed = true, .subject = "b a"}, CONFLICT, CONFLICT},
        {"a bracket that does not close",       {0}, {.listed = true, .subject = "[team Printer on fire"}, CONFLICT, CONFLICT},
        {"another sender",                      {0}, {.listed = true, .from = "bo@example.com"}, CONFLICT, CONFLICT},
        {"the sender in capitals",              {0}, {.listed = true, .from = "Ann@Example.com"}, LIST, LIST},
        {"a list writes in its own name, answers go to the sender",
         {0}, {.listed = true, .from = "team@lists.example.org", .reply_to = "ann@example.com", .subject = "[team] Printer on fire"}, LIST, LIST},
        {"a list writes in its own name and says whose it was",
         {0}, {.listed = true, .from = "team@groups.example.org", .reply_to = "team@groups.example.org", .author = "Ann@Example.com"}, LIST, LIST},
        {"a list writes in its own name, the sender is copied",
         {0}, {.listed = true, .from = "team@lists.example.org", .reply_to = "team@lists.example.org", .cc = "ann@example.com"}, LIST, CONFLICT},
        {"a list writes in its own name and says nothing",
         {0}, {.listed = true, .from = "team@lists.example.org"}, CONFLICT, CONFLICT},
        {"a list writes for somebody else",
         {0}, {.listed = true, .from = "team@lists.example.org", .reply_to = "bo@example.com"}, CONFLICT, CONFLICT},
        {"another sender who is answered elsewhere, no list",
         {0}, {.from = "bo@example.com", .reply_to = "ann@example.com"}, CONFLICT, CONFLICT},
        {"nobody, answered elsewhere",
         {.from = ""}, {.listed = true, .from = "team@lists.example.org", .reply_to = ""}, CONFLICT, CONFLICT},
        {"a list that rewrites links",          {.text = "See http://a.example/x now"}, {.listed = true, .text = "See https://lists.example/?u=1 now"}, GATEWAY, GATEWAY},
        {"another link by the same list",       {.text = "Pay at http://a.example"}, {.listed = true, .text = "Pay at http://b.example"}, GATEWAY, GATEWAY},
        {"blanks that do not break",            {.text = "Please come quickly."}, {.listed = true, .text = "Please\u00A0come quickly.\u200B"}, LIST, LIST},
        {"another date",                        {0}, {.listed = true, .later_ms = 1000}, CONFLICT, CONFLICT},
        {"no date on either",                   {.undated = true}, {.listed = true, .undated = true}, CONFLICT, CONFLICT},
        {"no date on one",                      {0}, {.listed = true, .undated = true}, CONFLICT, CONFLICT},
        {"another text",                        {0}, {.listed = true, .text = "Please do not come."}, CONFLICT, CONFLICT},
        {"the list cut the text",               {0}, {.listed = true, .text = "Please come"}, GATEWAY, GATEWAY},
        {"an empty text is within no other",    {.text = ""}, {.listed = true, .text = "To leave the list"}, CONFLICT, CONFLICT},
        {"both texts empty",                    {.text = ""}, {.listed = true, .text = ""}, GATEWAY, GATEWAY},
        {"the same file",                       {.files = "a.png"}, {.listed = true, .files = "a.png"}, LIST, LIST},
        {"the same files in another order",     {.files = "a.png b.png"}, {.listed = true, .files = "b.png a.png"}, LIST, LIST},
        {"the list dropped the file",           {.files = "a.png"}, {.listed = true}, LIST, CONFLICT},
        {"the list brings a file",              {0}, {.listed = true, .files = "a.png"}, CONFLICT, CONFLICT},
        {"the list brings a file more",         {.files = "a.png"}, {.listed = true, .files = "a.png b.png"}, CONFLICT, CONFLICT},
        {"the list dropped the second file",    {.files = "a.png b.png"}, {.listed = true, .files = "a.png"}, LIST, CONFLICT},
        {"the list brings another file",        {.files = "a.png"}, {.listed = true, .files = "b.png"}, CONFLICT, CONFLICT},
        {"a gateway adds a tag",                {0}, {.subject = "[EXTERNAL] Printer on fire"}, GATEWAY, GATEWAY},
        {"in braces",                           {0}, {.subject = "{Spam?} Printer on fire"}, GATEWAY, GATEWAY},
        {"between stars",                       {0}, {.subject = "***SPAM*** Printer on fire"}, GATEWAY, GATEWAY},
        {"stars that do not close",             {0}, {.subject = "***SPAM Printer on fire"}, CONFLICT, CONFLICT},
        {"two stars are no tag",                {0}, {.subject = "*** Printer on fire"}, CONFLICT, CONFLICT},
        {"text added at the start",             {0}, {.text = "From outside!\n\nPlease come quickly."}, GATEWAY, GATEWAY},
        {"text added at the end",               {0}, {.text = "Please come quickly.\n\nConfidential."}, GATEWAY, GATEWAY},
        {"text added in the middle",            {0}, {.text = "Please, please come quickly."}, CONFLICT, CONFLICT},
        {"rewritten links",
         {.text = "See http://example.com/a?b=c now"}, {.text = "See https://safe.example.net/?u=http%3A now"}, GATEWAY, GATEWAY},
        {"a rewritten link in brackets",
         {.text = "See <http://example.com/a> now"}, {.text = "See <https://safe.example.net/x> now"}, GATEWAY, GATEWAY},
        {"in quotation marks and parentheses",
         {.text = "(http://a) \"http://b\" end"}, {.text = "(https://c.d) \"HTTPS://e\" end"}, GATEWAY, GATEWAY},
        {"the end of the sentence apart from the link",
         {.text = "See https://a.example/x. Then call."}, {.text = "See https://urldefense.example/v3/__https://a.example/x__;!!Ab$ . Then call."}, GATEWAY, GATEWAY},
        {"a link without its scheme",
         {.text = "See www.example.com for more"}, {.text = "See https://safe.example.net/?u=www.example.com for more"}, GATEWAY, GATEWAY},
        {"where a link leads, which now differs from what it says",
         {.text = "See https://a.example/x\nYours"}, {.text = "See https://a.example/x <https://safe.example.net/?url=x>\nYours"}, GATEWAY, GATEWAY},
        {"an outer mark without brackets",      {0}, {.subject = "EXTERNAL: Printer on fire"}, GATEWAY, GATEWAY},
        {"in parentheses",                      {0}, {.subject = "(EXT) Printer on fire"}, GATEWAY, GATEWAY},
        {"a word that begins alike is none",    {.subject = "cord: broken"}, {.subject = "Extension cord: broken"}, CONFLICT, CONFLICT},
        {"one link more",                       {.text = "See http://a now"}, {.text = "See now"}, CONFLICT, CONFLICT},
        {"a gateway that changes nothing we see", {0}, {0}, GATEWAY, GATEWAY},
        {"both by lists",                       {.listed = true}, {.listed = true, .subject = "[b] Printer on fire"}, GATEWAY, GATEWAY},
        {"a gateway that brings a file",        {0}, {.files = "a.png"}, CONFLICT, CONFLICT},
        {"a gateway that takes a file",         {.files = "a.png"}, {0}, CONFLICT, CONFLICT},
        {"a tag, and another text",             {0}, {.subject = "[x] Printer on fire", .text = "No."}, CONFLICT, CONFLICT},
        {"both empty, other files",             {.text = "", .files = "a.png"}, {.text = "", .files = "b.png"}, CONFLICT, CONFLICT},
        {"no subject, and a tag",               {.subject = ""}, {.subject = "[x]"}, GATEWAY, GATEWAY},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        assert_int_equal(compare(&row->direct, &row->other), row->class);
        assert_int_equal(compare(&row->other, &row->direct), row->other_way_round);
    }
}

/* A text that has the octets of a file is no attachment. */
static void only_attachments_count_as_files(void **state)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    struct look plain = {0};
    struct hashes h;

    (void)state;
    fill_message(&m, &plain);
    struct known_item item = remembered(&m, &h);

    assert_int_equal(copy_compare(&item, &m), GATEWAY);
    digest_hex(&m.parts[0].sha256, h.hex[0]);
    h.at[0] = h.hex[0];
    item.attachment_hex.count = 1;
    assert_int_equal(copy_compare(&item, &m), CONFLICT);
}

/* Exchange packs files into one: they stand beside it once it is unpacked. */
static void a_container_brings_nothing_where_it_was_unpacked(void **state)
{
    static const struct {
        const char *name, *type, *file;
        uint32_t signs;
        enum delivery_class class;
    } rows[] = {
        {"of its type", "application/ms-tnef", "", 0, GATEWAY},
        {"of its other type", "application/vnd.ms-tnef", "", 0, GATEWAY},
        {"by its name", "application/octet-stream", "WINMAIL.DAT", 0, GATEWAY},
        {"not unpacked", "application/ms-tnef", "winmail.dat", SIGN_INCOMPLETE, CONFLICT},
        {"another file", "application/octet-stream", "a.dat", 0, CONFLICT},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(message_clear) struct message plain = MESSAGE_INIT;
        CLEANUP(message_clear) struct message packed = MESSAGE_INIT;
        struct look look = {.files = "a.pdf"};
        struct hashes h;

        fill_message(&plain, &look);
        fill_message(&packed, &look);
        sample_part(&packed, PART_ATTACHMENT, row->type, row->file, 1);
        packed.signs |= row->signs;
        struct known_item item = remembered(&plain, &h);

        assert_int_equal(copy_compare(&item, &packed), row->class);
        item = remembered(&packed, &h);
        assert_int_equal(copy_compare(&item, &plain), row->class);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_told_from_conflicts_whichever_came_first),
        cmocka_unit_test(only_attachments_count_as_files),
        cmocka_unit_test(a_container_brings_nothing_where_it_was_unpacked),
    };

    return RUN_TESTS(tests);
}
