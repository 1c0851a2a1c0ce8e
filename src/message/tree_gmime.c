/* SPDX-License-Identifier: Apache-2.0 */
#include "tree_gmime.h"
#include "tree_p.h"
#include "view_stream.h"

#include <stdlib.h>

/* clang-format off */
/* What GMime says that means something of the mail was lost or is not where it should be. */
static const GMimeParserWarning losses[] = {
    GMIME_WARN_TRUNCATED_MESSAGE,
    GMIME_WARN_MALFORMED_MESSAGE,
    GMIME_WARN_MALFORMED_MULTIPART,
    GMIME_CRIT_MULTIPART_WITHOUT_BOUNDARY,
    GMIME_CRIT_NESTING_OVERFLOW,
    GMIME_CRIT_INVALID_HEADER_NAME,
};
/* clang-format on */

/* One pass of GMime, and what it held against the mail */

struct pass {
    struct tree *tree;
    int64_t *bad; /* where lines of headers are that are no fields, in the view; ascending */
    size_t bads;
};

static void on_warning(gint64 offset, GMimeParserWarning code, const gchar *item, gpointer self)
{
    struct pass *pass = self;

    (void)item;
    for (size_t i = 0; i < LENGTH(losses); i++)
        pass->tree->incomplete |= losses[i] == code;
    if (code != GMIME_CRIT_INVALID_HEADER_NAME || offset < (gint64)pass->tree->view.head.len)
        return;
    if ((pass->bads & (pass->bads - 1)) == 0)
        pass->bad = mem_grow(pass->bad, pass->bads > 0 ? 2 * pass->bads : 1, sizeof *pass->bad);
    pass->bad[pass->bads++] = offset;
}

static GMimeParserOptions *options_new(struct pass *pass)
{
    static const char *fallbacks[] = {"utf-8", "windows-1252", NULL};
    GMimeParserOptions *options = g_mime_parser_options_new();

    g_mime_parser_options_set_address_compliance_mode(options, GMIME_RFC_COMPLIANCE_LOOSE);
    g_mime_parser_options_set_parameter_compliance_mode(options, GMIME_RFC_COMPLIANCE_LOOSE);
    g_mime_parser_options_set_rfc2047_compliance_mode(options, GMIME_RFC_COMPLIANCE_LOOSE);
    g_mime_parser_options_set_fallback_charsets(options, fallbacks);
    g_mime_parser_options_set_warning_callback(options, on_warning, pass);
    return options;
}

static GMimeMessage *parse(struct pass *pass)
{
    GMimeParserOptions *options = options_new(pass);
    GMimeStream *stream = view_stream_new(&pass->tree->view);
    GMimeParser *parser = g_mime_parser_new_with_stream(stream);

    g_mime_parser_set_persist_stream(parser, TRUE);
    g_mime_parser_set_format(parser, GMIME_FORMAT_MESSAGE);

    GMimeMessage *message = g_mime_parser_construct_message(parser, options);

    g_object_unref(parser);
    g_object_unref(stream);
    g_mime_parser_options_free(options);
    return message;
}

/* Parses until nothing is left to mend. NULL where GMime makes nothing of it. */
GMimeMessage *tree_parse(struct tree *tree, const struct reader_limits *limits)
{
    bool before = tree->incomplete;

    for (int64_t passes = 0;; passes++) {
        struct pass pass = {.tree = tree};

        tree->incomplete = before;

        GMimeMessage *message = parse(&pass);
        bool mended = passes < limits->repairs && view_mend(&tree->view, pass.bad, pass.bads);

        free(pass.bad);
        if (!mended)
            return message;
        before = true;
        if (message != NULL)
            g_object_unref(message);
    }
}
