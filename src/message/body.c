/* SPDX-License-Identifier: Apache-2.0 */
#include "body.h"
#include "charset.h"
#include "leaf.h"
#include "marks.h"
#include "unpack.h"

#include <stdlib.h>

#define SEEN_PARTS_MAX 8

/* clang-format off */
/* Parts that say what a report is about, or are what it reports. */
static const char *const telling[] = {
    "message/delivery-status", "message/global-delivery-status",
    "message/disposition-notification", "message/global-disposition-notification",
    "message/feedback-report",
    "message/rfc822", "message/global", "text/rfc822-headers", "message/global-headers",
};
static const char *const reports_alone[] = {
    "message/delivery-status", "message/global-delivery-status", "message/disposition-notification",
};
/* clang-format on */

static bool type_is(const struct node *node, const char *type)
{
    return slice_eqz(str_slice(&node->type), type);
}

static bool is_one_of(const struct node *node, const char *const types[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (type_is(node, types[i]))
            return true;
    return false;
}

/* Is it a branch of an alternative, directly or as what a multipart/related is about? */
static bool is_branch(const struct tree *tree, const struct node *node)
{
    size_t above = node->above;

    while (above != NODE_TOP && type_is(&tree->at[above], "multipart/related"))
        above = tree->at[above].above;
    return above != NODE_TOP && type_is(&tree->at[above], "multipart/alternative");
}

/* Contract section 3, "Attachment". */
static bool is_attachment(const struct tree *tree, const struct node *node)
{
    if (node->attachment || !leaf_is_text(node))
        return true;
    return node->name.len > 0 && !(leaf_is_html(node) && is_branch(tree, node));
}

/* The plain branch of an alternative that has a name is an attachment, and the text as well. */
static bool is_named_branch(const struct tree *tree, const struct node *node)
{
    return !node->attachment && type_is(node, "text/plain") && is_branch(tree, node);
}

/* What of each node may be shown. */
struct shown {
    const struct tree *tree;
    struct leaf_text *kept; /* one a node */
    bool *body;             /* its text is in body position */
};

static bool is_blank(struct slice text)
{
    return slice_trim(text).len == 0;
}

/* Does the node, or anything in it, have text to show: plain, or of any kind? */
static bool has_text(const struct shown *s, size_t node, bool plain)
{
    const struct tree *tree = s->tree;

    if (!tree->at[node].multipart)
        return s->body[node] && (!plain || !leaf_is_html(&tree->at[node])) &&
               !is_blank(str_slice(&s->kept[node].text));
    for (size_t i = node + 1; i < tree->count && tree->at[i].above != NODE_TOP; i++) {
        size_t above = tree->at[i].above;

        if (above < node)
            break; /* what is in a node stands right after it */
        if (s->body[i] && (!plain || !leaf_is_html(&tree->at[i])) &&
            !is_blank(str_slice(&s->kept[i].text)))
            return true;
    }
    return false;
}

static void add_paragraph(struct str *out, struct slice text)
{
    while (text.len > 0 && (text.at[0] == '\n' || text.at[0] == '\r'))
        text = slice_cut(text, 1, text.len);
    while (text.len > 0 && slice_trim(slice_cut(text, text.len - 1, 1)).len == 0)
        text.len--;
    if (is_blank(text))
        return;
    if (out->len > 0)
        str_addz(out, "\n\n");
    str_add(out, text);
}

/* The branch of an alternative to show, or NODE_TOP. */
static size_t choose(const struct shown *s, size_t alternative)
{
    for (int plain = 1; plain >= 0; plain--)
        for (size_t i = alternative + 1; i < s->tree->count; i++)
            if (s->tree->at[i].above == alternative && has_text(s, i, plain != 0))
                return i;
    return NODE_TOP;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as multiparts are nested, which the prescan limits */
static void compose(const struct shown *s, size_t node, struct str *out)
{
    const struct tree *tree = s->tree;

    if (!tree->at[node].multipart) {
        if (s->body[node])
            add_paragraph(out, str_slice(&s->kept[node].text));
        return;
    }
    if (type_is(&tree->at[node], "multipart/alternative")) {
        size_t branch = choose(s, node);

        if (branch != NODE_TOP)
            compose(s, branch, out);
        return;
    }
    for (size_t i = node + 1; i < tree->count && tree->at[i].above >= node; i++)
        if (tree->at[i].above == node)
            compose(s, i, out);
}

/* Reading */

struct job {
    struct leaf_job leaf;
    struct shown shown;
    struct body *seen;
};

static void keep_seen(struct body *b, const struct node *node, struct slice octets)
{
    b->seen = mem_grow(b->seen, b->count + 1, sizeof *b->seen);
    b->seen[b->count] = (struct seen){.type = STR_INIT};
    str_add(&b->seen[b->count].type, str_slice(&node->type));
    str_add(&b->seen[b->count].octets, octets);
    b->count++;
}

/* The text of what is an attachment and shown all the same: decoded once more, into nothing but
 * memory. */
static enum rc discard_begin(void *self, enum part_role role, struct str *file, struct err *err)
{
    (void)self, (void)role, (void)err;
    str_empty(file);
    return RC_OK;
}

static enum rc discard_add(void *self, struct slice octets, struct err *err)
{
    (void)self, (void)octets, (void)err;
    return RC_OK;
}

static enum rc discard_end(void *self, struct err *err)
{
    (void)self, (void)err;
    return RC_OK;
}

static enum rc decode_shown(struct job *j, size_t place, struct err *err)
{
    static const struct spool nowhere = {NULL, discard_begin, discard_add, discard_end};
    CLEANUP(message_clear) struct message unused = MESSAGE_INIT;
    struct leaf_job again = {j->leaf.tree, {j->leaf.sink.limits, &nowhere, &unused, 0}, 0};

    str_empty(&j->shown.kept[place].text);
    return leaf_read_text(&again, &j->leaf.tree->at[place], &j->shown.kept[place], err);
}

static bool is_telling(const struct body *seen, const struct node *node)
{
    return (seen->report || seen->suspect) && seen->count < SEEN_PARTS_MAX &&
           is_one_of(node, telling, LENGTH(telling));
}

static enum rc read_leaf(struct job *j, size_t place, struct err *err)
{
    const struct tree *tree = j->leaf.tree;
    const struct node *node = &tree->at[place];
    struct leaf_text *kept = &j->shown.kept[place];
    bool tells = is_telling(j->seen, node);
    size_t start = unpack_wants(node) ? SIZE_MAX : tells ? SEEN_MAX : 0;

    j->shown.body[place] = !is_attachment(tree, node);
    if (j->shown.body[place])
        return leaf_read_text(&j->leaf, node, kept, err);
    TRY(leaf_read_attachment(&j->leaf, node, start, kept, err));
    if (tells)
        keep_seen(j->seen, node, str_slice(&kept->start));
    if (unpack_wants(node))
        TRY(unpack_tnef(&j->leaf.sink, str_slice(&kept->start), err));
    j->shown.body[place] = is_named_branch(tree, node);
    return j->shown.body[place] ? decode_shown(j, place, err) : RC_OK;
}

/* Texts of kinds that nobody reads as they stand. */
static const char *const illegible[] = {
    "text/rtf",        "text/css",        "text/javascript",     "text/xml",
    "text/x-amp-html", "text/watch-html", "text/rfc822-headers",
};

/* Kinds of texts that are not known are shown like plain ones (RFC 2046, section 4.1.4). */
static bool is_legible(const struct node *node)
{
    return slice_starts_nocase(str_slice(&node->type), SLICE("text/")) &&
           !is_one_of(node, illegible, LENGTH(illegible));
}

/* Nothing is in body position: the first inline text that is an attachment, for its name or its
 * kind. */
static enum rc show_inline(struct job *j, struct str *text, struct err *err)
{
    const struct tree *tree = j->leaf.tree;

    for (size_t i = 0; i < tree->count && text->len == 0; i++) {
        if (tree->at[i].multipart || tree->at[i].attachment || !is_legible(&tree->at[i]))
            continue;
        TRY(decode_shown(j, i, err));
        add_paragraph(text, str_slice(&j->shown.kept[i].text));
    }
    return RC_OK;
}

static enum rc read_all(struct job *j, struct str *text, struct err *err)
{
    const struct tree *tree = j->leaf.tree;

    for (size_t i = 0; i < tree->count; i++)
        if (!tree->at[i].multipart)
            TRY(read_leaf(j, i, err));
    if (tree->count > 0)
        compose(&j->shown, 0, text);
    return text->len > 0 ? RC_OK : show_inline(j, text, err);
}

static void note_report(const struct tree *tree, struct body *b)
{
    if (tree->count == 0)
        return;
    b->report = type_is(&tree->at[0], "multipart/report") ||
                is_one_of(&tree->at[0], reports_alone, LENGTH(reports_alone));
    str_add(&b->report_type, str_slice(&tree->at[0].report_type));
}

enum rc body_read(const struct tree *tree,
                  const struct reader_limits *limits,
                  const struct spool *spool,
                  struct body *seen,
                  struct message *out,
                  struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct job j = {
        .leaf = {tree, {limits, spool, out, 0}, 0},
        .shown = {tree, mem_new(tree->count, sizeof(struct leaf_text)),
                  mem_new(tree->count, sizeof(bool))},
        .seen = seen,
    };

    note_report(tree, seen);

    enum rc rc = read_all(&j, &text, err);
    struct slice shown = utf8_beginning(str_slice(&text), (size_t)limits->text_octets);

    if (shown.len < text.len)
        out->signs |= SIGN_INCOMPLETE;
    out->text = message_keep(out, shown);
    out->signs |= marks_of_text(shown);
    for (size_t i = 0; i < tree->count; i++) {
        out->signs |= tree->at[i].marks;
        str_clear(&j.shown.kept[i].text);
        str_clear(&j.shown.kept[i].start);
    }
    free(j.shown.kept);
    free(j.shown.body);
    return rc;
}

void body_clear(struct body *b)
{
    for (size_t i = 0; i < b->count; i++) {
        str_clear(&b->seen[i].type);
        str_clear(&b->seen[i].octets);
    }
    free(b->seen);
    str_clear(&b->report_type);
    *b = (struct body){.seen = NULL};
}
