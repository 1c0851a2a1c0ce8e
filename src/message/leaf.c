/* SPDX-License-Identifier: Apache-2.0 */
#include "leaf.h"
#include "charset.h"
#include "flowed.h"
#include "html.h"
#include "prescan.h"
#include "unpack.h"

#define PIECE 65536

bool leaf_is_html(const struct node *node)
{
    return slice_eqz(str_slice(&node->type), "text/html");
}

bool leaf_is_text(const struct node *node)
{
    return leaf_is_html(node) || slice_eqz(str_slice(&node->type), "text/plain");
}

bool leaf_is_enriched(const struct node *node)
{
    return slice_eqz(str_slice(&node->type), "text/enriched") ||
           slice_eqz(str_slice(&node->type), "text/richtext");
}

static struct part_label label_of(const struct node *node, enum part_role role)
{
    return (struct part_label){role, str_slice(&node->type), str_slice(&node->name)};
}

/* The octets of a leaf, decoded piece by piece */

struct reading {
    struct leaf_job *job;
    const struct node *node;
    struct decoder decoder;
    int64_t at;
    char piece[PIECE];
};

static void reading_free(struct reading **r)
{
    if (*r != NULL)
        decoder_clear(&(*r)->decoder);
    mem_free(r);
}

static struct reading *reading_new(struct leaf_job *job, const struct node *node)
{
    struct reading *r = mem_new(1, sizeof *r);

    r->job = job;
    r->node = node;
    r->at = node->from;
    decoder_init(&r->decoder, node->transfer);
    return r;
}

/* Adds the next decoded octets to `out`. *more is false once that were the last. */
static enum rc read_on(struct reading *r, struct str *out, bool *more, struct err *err)
{
    int64_t left = r->node->to - r->at;
    size_t room = left < PIECE ? (size_t)(left > 0 ? left : 0) : PIECE;
    size_t got = octet_view_read(&r->job->tree->view, r->at, r->piece, room);
    size_t before = out->len;

    r->at += (int64_t)got;
    decoder_add(&r->decoder, (struct slice){r->piece, got}, out);
    *more = got > 0 && r->at < r->node->to;
    if (!*more)
        decoder_end(&r->decoder, out);
    r->job->decoded += (int64_t)(out->len - before);
    if (r->job->decoded > r->job->sink.limits->decoded_octets)
        return limit_refuse(LIMIT_decoded_octets, r->job->sink.limits, err);
    return RC_OK;
}

static void keep_beginning(struct slice octets, size_t most, struct str *kept)
{
    if (kept->len < most)
        str_add(kept, slice_cut(octets, 0, most - kept->len));
}

enum rc leaf_read_attachment(struct leaf_job *job,
                             const struct node *node,
                             size_t keep_start,
                             struct leaf_text *kept,
                             struct err *err)
{
    CLEANUP(part_file_clear) struct part_file f = {.sink = &job->sink};
    CLEANUP(reading_free) struct reading *r = reading_new(job, node);
    CLEANUP(str_clear) struct str octets = STR_INIT;
    const struct part_label label = label_of(node, PART_ATTACHMENT);
    bool more = true;

    TRY(part_file_begin(&f, &job->sink, &label, err));
    while (more) {
        str_empty(&octets);
        TRY(read_on(r, &octets, &more, err));
        TRY(part_file_add(&f, str_slice(&octets), err));
        keep_beginning(str_slice(&octets), keep_start, &kept->start);
    }
    return part_file_end(&f, err);
}

/* Texts */

/* Turns CRLF, and CR alone, into LF in place: how a text was encoded on its way shall make no
 * difference. */
static void end_with_lf(struct str *text)
{
    size_t to = 0;

    for (size_t at = 0; at < text->len; at++) {
        bool end = text->at[at] == '\r';

        text->at[to++] = end ? '\n' : text->at[at];
        at += end && at + 1 < text->len && text->at[at + 1] == '\n';
    }
    if (text->at != NULL)
        text->at[to] = '\0';
    text->len = to;
}

static struct slice charset_of(const struct node *node, struct slice octets)
{
    if (node->charset.len > 0 || !leaf_is_html(node))
        return str_slice(&node->charset);
    return html_charset(octets);
}

/* Adds at most `most` octets of what a person is shown of a text; false where that is not all. */
static bool add_shown(
    const struct node *node, struct slice text, size_t most, size_t html_most, struct str *out)
{
    CLEANUP(str_clear) struct str plain = STR_INIT;

    if (leaf_is_html(node)) {
        struct slice html = utf8_beginning(text, html_most);

        return html_to_text(html, most, out) && html.len == text.len;
    }
    if (leaf_is_enriched(node))
        enriched_to_text(text, &plain);
    else if (node->flowed)
        flowed_to_text(text, node->delete_blank, &plain);
    else
        str_add(&plain, text);
    str_add(out, utf8_beginning(str_slice(&plain), most));
    return plain.len <= most;
}

static void
keep_text(struct leaf_job *job, const struct node *node, struct slice text, struct str *kept)
{
    const struct reader_limits *limits = job->sink.limits;

    if (!add_shown(node, text, (size_t)limits->text_octets, (size_t)limits->html_octets, kept))
        job->sink.out->signs |= SIGN_INCOMPLETE;
}

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Words in lines, as no encoder of base64 writes them. */
static bool is_prose(struct slice text)
{
    size_t gaps = 0;

    for (size_t i = 1; i + 1 < text.len; i++)
        gaps += text.at[i] == ' ' && !is_white(text.at[i - 1]) && !is_white(text.at[i + 1]);
    return gaps > 2 && gaps >= text.len / 40 && utf8_fits(text);
}

/* A text that says it is base64 and is not: what it decodes to is no text, and what it is, is. */
static void undo_wrong_base64(struct leaf_job *job, const struct node *node, struct str *octets)
{
    CLEANUP(str_clear) struct str raw = STR_INIT;
    CLEANUP(mem_free) char *piece = mem_new(PIECE, 1);
    size_t got = 1;

    for (int64_t at = node->from; got > 0 && at < node->to; at += (int64_t)got) {
        size_t room = node->to - at < PIECE ? (size_t)(node->to - at) : PIECE;

        got = octet_view_read(&job->tree->view, at, piece, room);
        str_add(&raw, (struct slice){piece, got});
    }
    if (!is_prose(str_slice(&raw)))
        return;
    str_empty(octets);
    str_add(octets, str_slice(&raw));
}

enum rc leaf_read_text(struct leaf_job *job,
                       const struct node *node,
                       struct leaf_text *kept,
                       struct err *err)
{
    CLEANUP(reading_free) struct reading *r = reading_new(job, node);
    CLEANUP(str_clear) struct str octets = STR_INIT;
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str shown = STR_INIT;
    const struct part_label label = label_of(node, PART_TEXT);
    bool more = true;

    str_add(&octets, str_slice(&node->prologue));
    while (more)
        TRY(read_on(r, &octets, &more, err));
    if (node->transfer == TRANSFER_BASE64 && !utf8_fits(str_slice(&octets)))
        undo_wrong_base64(job, node, &octets);
    charset_decode(charset_of(node, str_slice(&octets)), str_slice(&octets), CHARSET_TEXT, &text);
    end_with_lf(&text);
    TRY(part_file_write(&job->sink, &label, str_slice(&text), err));
    if (leaf_is_html(node))
        str_add(&shown, str_slice(&text));
    else
        TRY(unpack_text(&job->sink, str_slice(&text), &shown, err));
    keep_text(job, node, str_slice(&shown), &kept->text);
    return RC_OK;
}
