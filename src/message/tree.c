/* SPDX-License-Identifier: Apache-2.0 */
#include "parameters.h"
#include "part_head.h"
#include "tree_gmime.h"
#include "tree_p.h"

#include <stdlib.h>
#include <string.h>

static const char *const leaf_messages[] = {"rfc822", "rfc2822", "global", "news"};

void tree_prepare(void)
{
    g_mime_init();
    for (size_t i = 0; i < LENGTH(leaf_messages); i++)
        g_mime_object_register_type("message", leaf_messages[i], GMIME_TYPE_PART);
}

/* From GMime's objects to nodes */

struct walk {
    struct tree *tree;
    const struct reader_limits *limits;
    const struct node_fields *top; /* what the mail's own header says of the top */
};

static struct slice raw_field(GMimeObject *object, const char *name)
{
    GMimeHeaderList *list = g_mime_object_get_header_list(object);
    GMimeHeader *header = g_mime_header_list_get_header(list, name);

    return slice_z(header != NULL ? g_mime_header_get_raw_value(header) : NULL);
}

/* GMime takes the last of several types for what the part is. */
static struct slice last_type(GMimeObject *object)
{
    GMimeHeaderList *list = g_mime_object_get_header_list(object);

    for (int i = g_mime_header_list_get_count(list); i-- > 0;) {
        GMimeHeader *header = g_mime_header_list_get_header_at(list, i);

        if (slice_eq_nocase(slice_z(g_mime_header_get_name(header)), SLICE("Content-Type")))
            return slice_z(g_mime_header_get_raw_value(header));
    }
    return SLICE_EMPTY;
}

static bool view_has(const struct octet_view *v, int64_t at, struct slice octets)
{
    char seen[4];

    return at >= 0 && octet_view_read(v, at, seen, octets.len) == octets.len &&
           memcmp(seen, octets.at, octets.len) == 0;
}

/* The line end before a delimiter is the delimiter's. GMime takes as many octets for it as the
 * delimiter line's own end has, which is wrong where a mail has ends of both kinds. */
static int64_t exact_end(const struct octet_view *v, int64_t from, int64_t to)
{
    if (view_has(v, to, SLICE("\n--")))
        return to > from && view_has(v, to - 1, SLICE("\r")) ? to - 1 : to;
    if (!view_has(v, to, SLICE("\r")) && view_has(v, to + 1, SLICE("\n--")))
        return to + 1;
    return to;
}

static void set_range(struct node *node, const struct octet_view *view, GMimeObject *object)
{
    GMimeDataWrapper *content =
        GMIME_IS_PART(object) ? g_mime_part_get_content((GMimePart *)object) : NULL;
    GMimeStream *stream = content != NULL ? g_mime_data_wrapper_get_stream(content) : NULL;

    if (stream == NULL)
        return;
    node->from = stream->bound_start;
    node->to = exact_end(view, node->from, stream->bound_end);
}

static struct node_fields fields_of(GMimeObject *object)
{
    struct node_fields raw = {
        raw_field(object, "Content-Type"),
        raw_field(object, "Content-Disposition"),
        raw_field(object, "Content-Transfer-Encoding"),
    };

    if (GMIME_IS_MULTIPART(object) !=
        slice_starts_nocase(slice_trim(raw.type), SLICE("multipart/")))
        raw.type = last_type(object);
    return raw;
}

/* What a leaf's own header says, where it says it, counts more than what GMime kept of it. */
static void look_again(const struct fields *head, struct node_fields *raw)
{
    struct slice type;

    fields_first(head, "Content-Disposition", &raw->disposition);
    fields_first(head, "Content-Transfer-Encoding", &raw->transfer);
    if (fields_first(head, "Content-Type", &type) &&
        !slice_starts_nocase(slice_trim(type), SLICE("multipart/")))
        raw->type = type;
}

/* Fills what the header of a part says. Its range is set. */
static void describe_part(struct walk *w, struct node *node, GMimeObject *object, const char *usual)
{
    CLEANUP(str_clear) struct str octets = STR_INIT;
    CLEANUP(fields_clear) struct fields head = {.at = NULL};
    struct node_fields raw = fields_of(object);

    if (!GMIME_IS_MULTIPART(object)) {
        part_head_read(&w->tree->view, node->from, w->limits->header_octets, &octets);
        fields_read(str_slice(&octets), &head);
        look_again(&head, &raw);
    }
    node_describe(node, &raw, usual, w->limits);
}

/* A multipart without parts is a text: what stands where its parts should be. */
static void set_prologue(struct node *node, GMimeObject *object)
{
    str_empty(&node->type);
    str_addz(&node->type, "text/plain");
    node->multipart = false;
    str_addz(&node->prologue, g_mime_multipart_get_prologue((GMimeMultipart *)object));
}

static int parts_of(GMimeObject *object)
{
    return GMIME_IS_MULTIPART(object) ? g_mime_multipart_get_count((GMimeMultipart *)object) : 0;
}

static bool is_digest(const struct tree *tree, size_t above)
{
    return above != NODE_TOP && slice_eqz(str_slice(&tree->at[above].type), "multipart/digest");
}

/* Adds the node of an object alone. */
static void add_node(struct walk *w, GMimeObject *object, size_t above)
{
    const char *usual = is_digest(w->tree, above) ? "message/rfc822" : "text/plain";
    struct node *node = tree_add(w->tree, above);

    if (!GMIME_IS_MULTIPART(object))
        set_range(node, &w->tree->view, object);
    if (above == NODE_TOP)
        node_describe(node, w->top, usual, w->limits);
    else
        describe_part(w, node, object, usual);
    node->multipart = parts_of(object) > 0;
    if (GMIME_IS_MULTIPART(object) && !node->multipart)
        set_prologue(node, object);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as multiparts are nested, which the prescan limits */
static void walk_object(struct walk *w, GMimeObject *object, size_t above)
{
    size_t place = w->tree->count;

    add_node(w, object, above);
    for (int i = 0; i < parts_of(object); i++)
        walk_object(w, g_mime_multipart_get_part((GMimeMultipart *)object, i), place);
}

/* The view's header: a type that GMime takes for a multipart, whatever the mail calls it. */
static void set_head(struct octet_view *view, struct slice type, struct slice boundary)
{
    str_empty(&view->head);
    str_addz(&view->head, "Content-Type: ");
    str_addz(&view->head,
             slice_eqz(type, "multipart/digest") ? "multipart/digest" : "multipart/mixed");
    str_addz(&view->head, "; boundary=\"");
    for (size_t i = 0; i < boundary.len; i++) {
        if (boundary.at[i] == '"' || boundary.at[i] == '\\')
            str_addc(&view->head, '\\');
        str_addc(&view->head, boundary.at[i]);
    }
    str_addz(&view->head, "\"\r\n\r\n");
}

static void read_parts(struct walk *w, struct slice type, struct slice boundary)
{
    struct tree *tree = w->tree;

    set_head(&tree->view, type, boundary);

    GMimeMessage *message = tree_parse(tree, w->limits);
    GMimeObject *top = message != NULL ? g_mime_message_get_mime_part(message) : NULL;

    /* one that neither opens nor closes is none: its boundary is not that of the body */
    if (top != NULL && (parts_of(top) > 0 ||
                        (GMIME_IS_MULTIPART(top) && ((GMimeMultipart *)top)->write_end_boundary)))
        walk_object(w, top, NODE_TOP);
    if (message != NULL)
        g_object_unref(message);
}

/* The whole body is one leaf. */
static void read_leaf(struct walk *w)
{
    struct node *node = tree_add(w->tree, NODE_TOP);

    node_describe(node, w->top, "text/plain", w->limits);
    if (slice_starts_nocase(str_slice(&node->type), SLICE("multipart/"))) {
        str_empty(&node->type);
        str_addz(&node->type, "text/plain");
        node->transfer = TRANSFER_NONE;
        w->tree->incomplete = true;
    }
    str_empty(&w->tree->view.head);
    node->from = 0;
    node->to = octet_view_size(&w->tree->view);
}

/* "multipart/mixed", or "multipart" alone as some programs write it. */
static bool is_multipart(struct slice type)
{
    return slice_starts_nocase(type, SLICE("multipart/")) || slice_eqz(type, "multipart");
}

static void read_multipart(struct walk *w, const struct parameters *type)
{
    CLEANUP(str_clear) struct str boundary = STR_INIT;
    struct slice value = str_slice(&type->value);

    if (parameters_raw(type, "boundary", &boundary) && boundary.len > 0 &&
        slice_find(str_slice(&boundary), '\0', 0) == boundary.len)
        read_parts(w, value, slice_trim(str_slice(&boundary)));
    if (w->tree->count == 0 && boundary_guess(&w->tree->view, &boundary)) {
        w->tree->incomplete = true;
        read_parts(w, value, str_slice(&boundary));
    }
}

/* Old programs end lines with CR alone, where GMime looks for LF. */
static bool ends_lines_with_cr(struct octets *octets)
{
    char start[4096];
    struct slice seen = {start, octets_read(octets, 0, start, sizeof start)};

    return slice_find(seen, '\n', 0) == seen.len && slice_find(seen, '\r', 0) < seen.len;
}

void tree_read(struct octets *octets,
               const struct fields *top,
               int64_t body,
               const struct reader_limits *limits,
               struct tree *out)
{
    struct node_fields raw = {SLICE_EMPTY, SLICE_EMPTY, SLICE_EMPTY};
    struct walk w = {out, limits, &raw};
    struct parameters type = {.value = STR_INIT};

    out->view = (struct octet_view){.octets = octets, .body = body};
    out->view.cr_ends_lines = ends_lines_with_cr(octets);
    fields_first(top, "Content-Type", &raw.type);
    fields_first(top, "Content-Disposition", &raw.disposition);
    fields_first(top, "Content-Transfer-Encoding", &raw.transfer);
    parameters_read(raw.type, (size_t)limits->parameters, &type);
    if (is_multipart(str_slice(&type.value)))
        read_multipart(&w, &type);
    if (out->count == 0)
        read_leaf(&w);
    parameters_clear(&type);
}

void tree_clear(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        str_clear(&tree->at[i].type);
        str_clear(&tree->at[i].charset);
        str_clear(&tree->at[i].name);
        str_clear(&tree->at[i].report_type);
        str_clear(&tree->at[i].prologue);
    }
    free(tree->at);
    octet_view_clear(&tree->view);
    *tree = (struct tree){.at = NULL};
}
