/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <onecase/listed.h>
#include <onecase/source.h>
#include <onecase/when.h>

#include <stdlib.h>

#define PROBLEMS_TOLD 100
#define WHITE         " \t\r\n,;"

WORDS(fate_words, LISTED_FATE_LIST);
DEFINE_TEXT(listed_fate_text, listed_fate, fate_words)

static void case_clear(struct listed_case *c)
{
    str_clear(&c->message_ids);
    str_clear(&c->from);
    str_clear(&c->subject);
}

void listed_cases_clear(struct listed *l)
{
    for (size_t i = 0; i < l->count; i++)
        case_clear(&l->at[i]);
    free(l->at);
    str_clear(&l->problems);
    str_clear(&l->unused);
    *l = (struct listed){.count = 0};
}

/* ---- what a mail is known by ------------------------------------------------------------------ */

static void
digest_fields(const char *kind, struct slice a, struct slice b, char out[DIGEST_HEX_SIZE])
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct digest d;

    str_addf(&text, "%s\n%zu:", kind, a.len);
    str_add(&text, a);
    str_add(&text, b);
    d = sha256_of(str_slice(&text));
    digest_hex(&d, out);
}

void listed_by_id(struct slice message_id, char out[DIGEST_HEX_SIZE])
{
    digest_fields("message-id", message_id, SLICE_EMPTY, out);
}

/* Without case, white space folded, prefixes and tags: older systems write subjects anew. */
static void plain_subject(struct slice subject, struct str *out)
{
    struct slice core = subject_core(subject);
    bool blank = false;

    for (size_t i = 0; i < core.len; i++) {
        char c = core.at[i];

        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            blank = out->len > 0;
            continue;
        }
        if (blank)
            str_addc(out, ' ');
        blank = false;
        str_addc(out, c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c);
    }
}

void listed_words(struct slice from, struct slice subject, char out[DIGEST_HEX_SIZE])
{
    CLEANUP(str_clear) struct str address = STR_INIT;
    CLEANUP(str_clear) struct str plain = STR_INIT;

    address_canonical(from, &address);
    plain_subject(subject, &plain);
    digest_fields("words", str_slice(&address), str_slice(&plain), out);
}

void listed_by_words(struct slice from,
                     struct slice subject,
                     int64_t date_ms,
                     char out[DIGEST_HEX_SIZE])
{
    CLEANUP(str_clear) struct str second = STR_INIT;
    char words[DIGEST_HEX_SIZE];

    listed_words(from, subject, words);
    str_addf(&second, "%lld", (long long)(date_ms / 1000));
    digest_fields("words-at", slice_z(words), str_slice(&second), out);
}

static bool same_address(struct slice listed, struct slice found)
{
    CLEANUP(str_clear) struct str a = STR_INIT;
    CLEANUP(str_clear) struct str b = STR_INIT;

    address_canonical(listed, &a);
    address_canonical(found, &b);
    return slice_eq(str_slice(&a), str_slice(&b));
}

static bool same_subject(struct slice listed, struct slice found)
{
    CLEANUP(str_clear) struct str a = STR_INIT;
    CLEANUP(str_clear) struct str b = STR_INIT;

    plain_subject(listed, &a);
    plain_subject(found, &b);
    return slice_eq(str_slice(&a), str_slice(&b));
}

bool listed_is(const struct known_item *item, const struct message *message)
{
    if (!message)
        return false;
    int64_t apart = item->date_ms > message->date_ms ? item->date_ms - message->date_ms
                                                     : message->date_ms - item->date_ms;
    bool dated = item->has_date && message->has_date;

    if (item->from.len > 0 && !same_address(item->from, message_slice(message, message->from)))
        return false;
    if (item->subject.len > 0 &&
        !same_subject(item->subject, message_slice(message, message->subject)))
        return false;
    if (!item->same_key || item->id_shared)
        return dated && item->date_ms / 1000 == message->date_ms / 1000;
    return !dated || apart <= LISTED_NEAR_MS;
}

/* ---- reading the list ------------------------------------------------------------------------- */

struct reading {
    const struct listed_settings *set;
    struct listed *out;
    struct csv_reading csv;
    struct csv_record record;
    size_t column_of[CSV_FIELDS_MAX]; /* index into columns, or LENGTH(columns) */
    size_t named;
};

static void problem(struct reading *r, struct csv_place place, const char *column, const char *what)
{
    if (r->out->problem_count++ >= PROBLEMS_TOLD)
        return;
    str_addf(&r->out->problems, "%u:%u: %s%s%s\n", place.line, place.column, column,
             column[0] ? ": " : "", what);
}

/* Has it every octet in `letters`, digits or ASCII letters? */
static bool all_of(struct slice text, const char *others)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');

        if (!plain && !(c && strchr(others, c)))
            return false;
    }
    return true;
}

/* What would be read as the beginning of a key where somebody types it. */
static bool is_like_a_key(struct slice text)
{
    bool letters = false;

    for (size_t i = 0; i < text.len; i++) {
        if (!(text.at[i] && strchr("0123456789abcdefABCDEF", text.at[i])))
            return false;
        letters = letters || text.at[i] > '9';
    }
    return letters;
}

static bool take_reference(struct reading *r, struct slice text, struct listed_case *out)
{
    char own[REFERENCE_SIZE];
    size_t at = 0;

    if (text.len == 0 || text.len > LISTED_REFERENCE || !all_of(text, "._-") ||
        !all_of(slice_cut(text, 0, 1), "") || is_like_a_key(text) ||
        reference_find(r->set->policy[0].reference_prefix, text, &at, own))
        return false;
    memcpy(out->reference, text.at, text.len);
    out->reference[text.len] = '\0';
    return true;
}

static struct slice next_id(struct slice *rest)
{
    size_t from = 0, to;

    while (from < rest->len && strchr(WHITE, rest->at[from]))
        from++;
    to = from;
    if (to < rest->len && rest->at[to] == '<')
        to = slice_find(*rest, '>', to);
    else
        while (to < rest->len && !strchr(WHITE, rest->at[to]))
            to++;
    to += to < rest->len && rest->at[to] == '>';

    struct slice id = slice_cut(*rest, from, to - from);

    *rest = slice_cut(*rest, to, rest->len);
    return id;
}

static bool take_message_id(struct reading *r, struct slice text, struct listed_case *out)
{
    CLEANUP(str_clear) struct str one = STR_INIT;
    struct slice id;
    (void)r;

    for (size_t n = 0; (id = next_id(&text)).len > 0; n++) {
        message_id_normalise(id, &one);
        if (n == LISTED_IDS_MOST || one.len <= 2)
            return false;
        str_add(&out->message_ids, str_slice(&one));
        str_addc(&out->message_ids, '\n');
    }
    return true;
}

/* "Ann <ann@example.com>" says who it is between its brackets. */
static bool take_from(struct reading *r, struct slice text, struct listed_case *out)
{
    size_t from = slice_find(text, '<', 0);
    (void)r;

    if (from < text.len)
        text = slice_cut(text, from + 1, slice_find(text, '>', from) - from - 1);
    if (text.len == 0)
        return true;
    if (!address_usable(text))
        return false;
    str_add(&out->from, text);
    return true;
}

static bool take_subject(struct reading *r, struct slice text, struct listed_case *out)
{
    (void)r;
    str_add(&out->subject, text);
    return true;
}

static bool take_date(struct reading *r, struct slice text, struct listed_case *out)
{
    (void)r;
    out->has_date = when_parse(text, &out->date_ms) || date_parse(text, &out->date_ms);
    return out->has_date || text.len == 0;
}

static bool take_state(struct reading *r, struct slice text, struct listed_case *out)
{
    (void)r;
    out->closed = slice_eq_nocase(text, SLICE("closed"));
    return out->closed || text.len == 0 || slice_eq_nocase(text, SLICE("open"));
}

static bool take_mailbox(struct reading *r, struct slice text, struct listed_case *out)
{
    for (size_t i = 0; i < r->set->policies; i++)
        if (slice_eqz(text, r->set->policy[i].mailbox))
            out->policy = &r->set->policy[i];
    return text.len == 0 || out->policy;
}

/* clang-format off */
static const struct {
    const char *name;
    bool (*take)(struct reading *, struct slice, struct listed_case *);
    const char *allowed;
} columns[] = {
    { "reference",  take_reference,  "it takes up to 40 letters, digits, '.', '_' and '-', a letter or digit first, and nothing of the "
                                     "form of a reference or key of onecase; put a word such as OLD- before it" },
    { "message_id", take_message_id, "it takes up to 50 Message-IDs with white space between them" },
    { "from",       take_from,       "it takes one address, such as ann@example.com" },
    { "subject",    take_subject,    "" },
    { "date",       take_date,       "it takes a date and time with its zone, such as 2026-03-02T09:15:00+08:00, or as in a mail's header" },
    { "state",      take_state,      "it takes open or closed" },
    { "mailbox",    take_mailbox,    "it takes the id of a mailbox of the configuration" },
};
/* clang-format on */
#define NO_COLUMN LENGTH(columns)

/* "Message-ID" and "message id" are message_id. */
static bool is_named(struct slice text, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < text.len && i < length; i++) {
        char c = text.at[i];

        c = c == '-' || c == ' ' ? '_' : c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
        if (c != name[i])
            return false;
    }
    return text.len == length;
}

static size_t column_named(struct slice text)
{
    size_t c = 0;

    while (c < LENGTH(columns) && !is_named(text, columns[c].name))
        c++;
    return c;
}

static void name_column(struct reading *r, size_t field)
{
    struct slice text = slice_trim(csv_field(&r->record, field));
    size_t c = column_named(text);

    for (size_t i = 0; c < NO_COLUMN && i < field; i++)
        if (r->column_of[i] == c)
            problem(r, r->record.field[field].place, columns[c].name, "this column is there twice");
    r->column_of[field] = c;
    if (c < NO_COLUMN)
        return;
    str_addz(&r->out->unused, r->out->unused.len > 0 ? ", " : "");
    str_add(&r->out->unused, slice_cut(text, 0, 40));
}

static bool has_column(const struct reading *r, size_t column)
{
    for (size_t i = 0; i < r->named; i++)
        if (r->column_of[i] == column)
            return true;
    return false;
}

static bool read_names(struct reading *r)
{
    struct csv_place place = {1, 1};
    struct err err = ERR_INIT;
    enum rc rc = csv_next(&r->csv, &r->record, &place, &err);

    if (rc == RC_REFUSED)
        problem(r, place, "", err.text);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return false;
    for (size_t i = 0; i < r->record.fields; i++)
        name_column(r, i);
    r->named = r->record.fields;
    if (has_column(r, 0))
        return true;
    problem(r, place, "",
            "the first line names the columns, with commas between them: reference (needed), "
            "message_id, "
            "from, subject, date, state, mailbox");
    return false;
}

static void check_case(struct reading *r, struct listed_case *c)
{
    struct csv_place place = r->record.field[0].place;

    if (!c->policy)
        (void)take_mailbox(r, slice_z(r->set->mailbox), c);
    if (!c->policy)
        problem(r, place, "mailbox",
                "which one? Name it in a column mailbox, or for the whole list by --mailbox");
    if (c->message_ids.len == 0 && (c->from.len == 0 || c->subject.len == 0 || !c->has_date))
        problem(r, place, "",
                "a late copy could not be recognised: give message_id, or from, subject and date");
}

static void read_case(struct reading *r)
{
    struct listed_case c = {.line = r->record.field[0].place.line};

    for (size_t i = 0; i < r->record.fields && i < r->named; i++) {
        size_t column = r->column_of[i];

        if (column < NO_COLUMN &&
            !columns[column].take(r, slice_trim(csv_field(&r->record, i)), &c))
            problem(r, r->record.field[i].place, columns[column].name, columns[column].allowed);
    }
    if (r->record.fields != r->named)
        problem(r, r->record.field[0].place, "",
                "it has another number of fields than the first line: put fields with commas in "
                "quotes");
    else
        check_case(r, &c);
    r->out->at = mem_grow(r->out->at, r->out->count + 1, sizeof c);
    r->out->at[r->out->count++] = c;
}

static void read_cases(struct reading *r)
{
    struct csv_place place = {1, 1};
    struct err err = ERR_INIT;
    enum rc rc;

    while ((rc = csv_next(&r->csv, &r->record, &place, &err)) != RC_NOT_FOUND) {
        if (r->out->count == LISTED_MOST) {
            problem(r, place, "", "a list takes up to 20000 cases: split it");
            return;
        }
        if (rc == RC_OK)
            read_case(r);
        else
            problem(r, place, "", err.text);
    }
}

void listed_read(struct slice text, const struct listed_settings *settings, struct listed *out)
{
    struct reading *r = mem_new(1, sizeof *r);

    *out = (struct listed){.count = 0};
    r->set = settings;
    r->out = out;
    csv_begin(&r->csv, text);
    if (read_names(r))
        read_cases(r);
    csv_record_clear(&r->record);
    free(r);
}
