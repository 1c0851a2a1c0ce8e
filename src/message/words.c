/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"
#include "charset.h"
#include "transfer.h"

#define CHARSET_LABEL_MAX 63

struct word {
    struct slice label;
    bool base64;
    struct slice text;
    size_t length; /* of the whole word */
};

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* "=?" label "?" B or Q "?" text "?=". The text may hold blanks, which the standard forbids. */
static bool word_at(struct slice s, struct word *out)
{
    struct slice front = slice_cut(s, 2, CHARSET_LABEL_MAX + 1);
    size_t label = slice_find(front, '?', 0);
    size_t text = 2 + label + 3;

    if (!slice_eq(slice_cut(s, 0, 2), SLICE("=?")) || label == 0 || label == front.len ||
        slice_find(slice_cut(front, 0, label), ' ', 0) < label || text > s.len ||
        s.at[text - 1] != '?' || slice_find(SLICE("BbQq"), s.at[text - 2], 0) == 4)
        return false;
    out->label = slice_cut(front, 0, label);
    out->base64 = s.at[text - 2] == 'B' || s.at[text - 2] == 'b';
    for (size_t end = text; end + 1 < s.len; end++) {
        if (s.at[end] != '?' || s.at[end + 1] != '=')
            continue;
        out->text = slice_cut(s, text, end - text);
        out->length = end + 2;
        return true;
    }
    return false;
}

/* Where the last word can end: beyond it none is looked for, so that many beginnings cost little. */
static size_t last_end(struct slice s)
{
    for (size_t at = s.len; at >= 2; at--)
        if (s.at[at - 2] == '?' && s.at[at - 1] == '=')
            return at;
    return 0;
}

static void decode_q(struct slice text, struct str *out)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        int high = c == '=' && i + 2 < text.len ? hex_value(text.at[i + 1]) : -1;
        int low = high >= 0 ? hex_value(text.at[i + 2]) : -1;

        if (low >= 0) {
            str_addc(out, (char)(high * 16 + low));
            i += 2;
        } else if (c != '\r' && c != '\n') {
            str_addc(out, c == '_' ? ' ' : c);
        }
    }
}

/* Words of one charset so far, decoded but not converted, and the raw text after them. */
struct joining {
    struct slice label;
    struct str octets;
    struct slice between;
    bool after_word;
};

static void joining_clear(struct joining *j)
{
    str_clear(&j->octets);
}

static bool is_blank(struct slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_white(s.at[i]))
            return false;
    return true;
}

static void convert_words(struct joining *j, struct str *out)
{
    if (j->octets.len > 0)
        charset_decode(j->label, str_slice(&j->octets), CHARSET_HEADER, out);
    str_empty(&j->octets);
}

static void convert_between(struct joining *j, struct str *out)
{
    if (j->between.len > 0)
        charset_decode_raw(j->between, out);
    j->between.len = 0;
}

static void add_word(struct joining *j, const struct word *word, struct str *out)
{
    if (!j->after_word || !is_blank(j->between)) {
        convert_words(j, out);
        convert_between(j, out);
    }
    j->between.len = 0;
    if (!slice_eq_nocase(j->label, word->label))
        convert_words(j, out);
    j->label = word->label;
    if (word->base64)
        transfer_decode(TRANSFER_BASE64, word->text, &j->octets);
    else
        decode_q(word->text, &j->octets);
    j->after_word = true;
}

void words_decode(struct slice raw, struct str *out)
{
    CLEANUP(joining_clear)
    struct joining j = {.label = SLICE_EMPTY, .octets = STR_INIT, .between = {raw.at, 0}};
    size_t end = last_end(raw);

    for (size_t at = 0; at < raw.len;) {
        struct word word;

        if (at < end && word_at(slice_cut(raw, at, raw.len), &word)) {
            add_word(&j, &word, out);
            at += word.length;
            j.between.at = raw.at + at;
        } else {
            j.between.len++;
            at++;
        }
    }
    convert_words(&j, out);
    convert_between(&j, out);
}

size_t words_length(struct slice raw)
{
    struct word word;

    return word_at(slice_cut(raw, 0, WORD_MAX), &word) ? word.length : 0;
}

bool words_present(struct slice raw)
{
    size_t end = last_end(raw);
    struct word word;

    for (size_t at = 0; at < end; at++)
        if (word_at(slice_cut(raw, at, raw.len), &word))
            return true;
    return false;
}

/* Folds and control characters */

void words_unfold(struct slice raw, struct str *out)
{
    str_empty(out);
    raw = slice_trim(raw);
    for (size_t i = 0; i < raw.len; i++)
        if (raw.at[i] != '\r' && raw.at[i] != '\n')
            str_addc(out, raw.at[i]);
}

/* Two octets of a C1 control, three of a separator, are one blank and as many less octets. */
static size_t control_length(struct slice s)
{
    uint8_t c = (uint8_t)s.at[0];

    if (c < ' ' || c == 0x7F)
        return 1;
    if (c == 0xC2 && s.len > 1 && (uint8_t)s.at[1] < 0xA0)
        return 2;
    if (slice_eq(slice_cut(s, 0, 3), SLICE("\xE2\x80\xA8")) ||
        slice_eq(slice_cut(s, 0, 3), SLICE("\xE2\x80\xA9")))
        return 3;
    return 0;
}

static void blank_controls(struct str *text, bool keep_tabs)
{
    size_t to = 0;

    for (size_t at = 0; at < text->len;) {
        size_t control = control_length(slice_cut(str_slice(text), at, text->len));

        if (keep_tabs && text->at[at] == '\t')
            control = 0;

        text->at[to++] = control > 0 ? ' ' : text->at[at];
        at += control > 0 ? control : 1;
    }
    if (text->at != NULL)
        text->at[to] = '\0';
    text->len = to;
}

void words_plain(struct str *text)
{
    blank_controls(text, false);
}

void words_text(struct slice raw, struct str *out)
{
    CLEANUP(str_clear) struct str unfolded = STR_INIT;
    CLEANUP(str_clear) struct str text = STR_INIT;

    words_unfold(raw, &unfolded);
    words_decode(str_slice(&unfolded), &text);
    blank_controls(&text, true);
    str_empty(out);
    str_add(out, slice_trim(str_slice(&text)));
}
