/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"
#include "html_references.h"
#include "html_writer.h"

#include <libxml/HTMLparser.h>
#include <libxml/parserInternals.h>

/* The parser looks for the element that an end tag closes among all that are open, so open ones are
 * bounded: beyond this it is stopped and begun anew where it stood. */
#define DEPTH_MAX 512

/* It also compares each attribute of a tag with all before it: what makes more than this many of
 * them possible is left out of the tag. */
#define SEPARATORS_MAX 2000

#define DECLARED_WITHIN                                                                            \
    1024 /* octets in which a charset is declared, as the HTML standard has it */

enum element_kind {
    ELEMENT_LINE,      /* begins a line of its own */
    ELEMENT_PARAGRAPH, /* has an empty line around it */
    ELEMENT_BREAK,     /* ends a line */
    ELEMENT_CELL,      /* a blank keeps it from its neighbour */
    ELEMENT_ITEM,
    ELEMENT_QUOTE,
    ELEMENT_PRE,
    ELEMENT_IMAGE,
    ELEMENT_RULE,
    ELEMENT_UNSEEN, /* nothing in it is text */
};

/* clang-format off */
static const struct {
    const char *name;
    enum element_kind kind;
} elements[] = {
    {"address",    ELEMENT_LINE},      {"article",    ELEMENT_LINE},
    {"aside",      ELEMENT_LINE},      {"blockquote", ELEMENT_QUOTE},
    {"br",         ELEMENT_BREAK},     {"caption",    ELEMENT_LINE},
    {"center",     ELEMENT_LINE},      {"dd",         ELEMENT_LINE},
    {"div",        ELEMENT_LINE},      {"dl",         ELEMENT_PARAGRAPH},
    {"dt",         ELEMENT_LINE},      {"fieldset",   ELEMENT_LINE},
    {"footer",     ELEMENT_LINE},      {"form",       ELEMENT_LINE},
    {"h1",         ELEMENT_PARAGRAPH}, {"h2",         ELEMENT_PARAGRAPH},
    {"h3",         ELEMENT_PARAGRAPH}, {"h4",         ELEMENT_PARAGRAPH},
    {"h5",         ELEMENT_PARAGRAPH}, {"h6",         ELEMENT_PARAGRAPH},
    {"header",     ELEMENT_LINE},      {"hr",         ELEMENT_RULE},
    {"img",        ELEMENT_IMAGE},     {"li",         ELEMENT_ITEM},
    {"main",       ELEMENT_LINE},      {"nav",        ELEMENT_LINE},
    {"ol",         ELEMENT_PARAGRAPH}, {"p",          ELEMENT_PARAGRAPH},
    {"plaintext",  ELEMENT_PRE},       {"pre",        ELEMENT_PRE},
    {"section",    ELEMENT_LINE},      {"table",      ELEMENT_LINE},
    {"td",         ELEMENT_CELL},      {"th",         ELEMENT_CELL},
    {"tr",         ELEMENT_LINE},      {"ul",         ELEMENT_PARAGRAPH},
    {"xmp",        ELEMENT_PRE},
    {"applet",     ELEMENT_UNSEEN},    {"audio",      ELEMENT_UNSEEN},
    {"canvas",     ELEMENT_UNSEEN},    {"iframe",     ELEMENT_UNSEEN},
    {"object",     ELEMENT_UNSEEN},    {"script",     ELEMENT_UNSEEN},
    {"style",      ELEMENT_UNSEEN},    {"svg",        ELEMENT_UNSEEN},
    {"template",   ELEMENT_UNSEEN},    {"title",      ELEMENT_UNSEEN},
    {"video",      ELEMENT_UNSEEN},
};
/* clang-format on */

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
}

/* One reading of a text, by as many parsers as it takes. */
struct reading {
    struct html_writer writer;
    size_t unseen;            /* how many elements are open whose text is none */
    htmlParserCtxtPtr parser; /* borrowed, while it parses */
    bool too_deep;
    size_t resume; /* then: where to begin anew */
};

/* Events of the parser */

static struct slice of_xml(const xmlChar *text)
{
    return slice_z((const char *)text);
}

static const enum element_kind *kind_of(const xmlChar *name)
{
    for (size_t i = 0; i < LENGTH(elements); i++)
        if (slice_eq_nocase(of_xml(name), slice_z(elements[i].name)))
            return &elements[i].kind;
    return NULL;
}

static void add_alternative(struct reading *r, const xmlChar **attributes)
{
    for (size_t i = 0; attributes != NULL && attributes[i] != NULL; i += 2) {
        struct slice text = slice_trim(of_xml(attributes[i + 1]));

        if (!slice_eqz(of_xml(attributes[i]), "alt") || text.len == 0)
            continue;
        html_writer_add(&r->writer, SLICE("["));
        html_writer_add(&r->writer, text);
        html_writer_add(&r->writer, SLICE("]"));
    }
}

/* What begins (step 1) or ends (step -1) at an element that is open for a while. */
static void open_or_close(struct reading *r, enum element_kind kind, int step)
{
    size_t *open = NULL;

    if (kind == ELEMENT_UNSEEN)
        open = &r->unseen;
    else if (kind == ELEMENT_QUOTE)
        open = &r->writer.quotes;
    else if (kind == ELEMENT_PRE)
        open = &r->writer.pre;
    if (open != NULL && step > 0)
        (*open)++;
    else if (open != NULL && *open > 0)
        (*open)--;
}

static void begin_element(struct reading *r, enum element_kind kind, const xmlChar **attributes)
{
    switch (kind) {
    case ELEMENT_LINE:
        html_writer_end_lines(&r->writer, 1);
        break;
    case ELEMENT_PARAGRAPH:
    case ELEMENT_QUOTE:
    case ELEMENT_PRE:
        html_writer_end_lines(&r->writer, 2);
        break;
    case ELEMENT_BREAK:
        html_writer_end_lines(&r->writer, r->writer.owed_lines < 2 ? r->writer.owed_lines + 1 : 2);
        break;
    case ELEMENT_CELL:
        r->writer.owed_blank = true;
        break;
    case ELEMENT_ITEM:
        html_writer_end_lines(&r->writer, 1);
        if (r->unseen == 0)
            html_writer_add(&r->writer, SLICE("- "));
        break;
    case ELEMENT_IMAGE:
        if (r->unseen == 0)
            add_alternative(r, attributes);
        break;
    case ELEMENT_RULE:
        html_writer_end_lines(&r->writer, 2);
        break;
    case ELEMENT_UNSEEN:
        break;
    }
}

static void on_start(void *self, const xmlChar *name, const xmlChar **attributes)
{
    struct reading *r = self;
    const enum element_kind *kind = kind_of(name);

    if (kind != NULL) {
        begin_element(r, *kind, attributes);
        open_or_close(r, *kind, 1);
    }
    if (r->parser->nameNr >= DEPTH_MAX) {
        r->too_deep = true;
        r->resume = (size_t)xmlByteConsumed(r->parser);
    }
    if (r->writer.full || r->too_deep)
        xmlStopParser(r->parser);
}

static void on_end(void *self, const xmlChar *name)
{
    struct reading *r = self;
    const enum element_kind *kind = kind_of(name);

    if (kind == NULL || r->too_deep)
        return;
    open_or_close(r, *kind, -1);
    if (*kind != ELEMENT_BREAK && *kind != ELEMENT_IMAGE && *kind != ELEMENT_CELL &&
        *kind != ELEMENT_UNSEEN)
        begin_element(r, *kind == ELEMENT_ITEM ? ELEMENT_LINE : *kind, NULL);
}

static void on_text(void *self, const xmlChar *text, int len)
{
    struct reading *r = self;

    if (r->unseen == 0 && len > 0)
        html_writer_add(&r->writer, (struct slice){(const char *)text, (size_t)len});
}

/* Text outside of every element would be taken for a paragraph. A body that the text opens itself is
 * then a second one, and ignored. */
#define OPENING SLICE("<body>")

/* Parses some of `html`, which begins with OPENING; says how much of what follows. */
static size_t parse(struct reading *r, struct slice html)
{
    static const htmlSAXHandler events = {
        .startElement = on_start,
        .endElement = on_end,
        .characters = on_text,
        .ignorableWhitespace = on_text,
        .cdataBlock = on_text, /* what stands in scripts and styles: they are open then */
    };
    htmlParserCtxtPtr parser = htmlCreateMemoryParserCtxt(html.at, (int)html.len);

    if (parser == NULL)
        return html.len - OPENING.len;
    r->parser = parser;
    r->too_deep = false;
    r->writer.quotes = r->unseen = r->writer.pre = 0;
    htmlCtxtUseOptions(parser, HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                                   HTML_PARSE_NONET | HTML_PARSE_IGNORE_ENC | HTML_PARSE_NOIMPLIED);
    *parser->sax = events;
    parser->userData = r;
    xmlSwitchEncoding(parser, XML_CHAR_ENCODING_UTF8);
    htmlParseDocument(parser);
    htmlFreeParserCtxt(parser);
    return (r->too_deep && r->resume < html.len ? r->resume : html.len) - OPENING.len;
}

/* Leaves out of each tag what SEPARATORS_MAX says. */
static void add_bounded(struct slice html, struct str *out)
{
    size_t separators = 0;
    bool in_tag = false;

    for (size_t i = 0; i < html.len; i++) {
        char c = html.at[i];

        if (c == '<' || c == '>') {
            in_tag = c == '<';
            separators = 0;
        } else if (is_white(c) || c == '/' || c == '=' || c == '"' || c == '\'') {
            separators++;
        }
        if (!in_tag || separators <= SEPARATORS_MAX)
            str_addc(out, c);
    }
}

void html_prepare(void)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    xmlInitParser();
    html_references_prepare();
    html_to_text(SLICE("<p>&eacute;</p>"), 16, &text);
}

/* What is left from `at` on, with OPENING written over what was read before it. */
static struct slice reopen(struct str *html, size_t at)
{
    size_t from = at - OPENING.len;

    for (size_t i = 0; i < OPENING.len; i++)
        html->at[from + i] = OPENING.at[i];
    return slice_cut(str_slice(html), from, html->len);
}

bool html_to_text(struct slice html, size_t most, struct str *out)
{
    struct reading r = {.writer = {.out = out, .from = out->len, .most = most}};
    CLEANUP(str_clear) struct str mended = STR_INIT;
    CLEANUP(str_clear) struct str bounded = STR_INIT;

    html_references_mend(html, &mended);
    str_add(&bounded, OPENING);
    add_bounded(str_slice(&mended), &bounded);
    html = str_slice(&bounded);
    while (html.len > OPENING.len && !r.writer.full) {
        size_t read = parse(&r, html);
        size_t at = (size_t)(html.at - bounded.at) + read;

        at += OPENING.len;
        at += at < bounded.len && bounded.at[at] == '>' ? 1 : 0;
        html = reopen(&bounded, at);
    }
    html_writer_end(&r.writer);
    return !r.writer.full;
}

struct slice html_charset(struct slice octets)
{
    struct slice head = slice_cut(octets, 0, DECLARED_WITHIN);

    for (size_t at = 0; at < head.len; at++) {
        struct slice rest = slice_cut(head, at, head.len);

        if (!slice_starts_nocase(rest, SLICE("charset=")))
            continue;
        rest = slice_cut(rest, 8, rest.len);
        while (rest.len > 0 && (rest.at[0] == '"' || rest.at[0] == '\'' || is_white(rest.at[0])))
            rest = slice_cut(rest, 1, rest.len);

        size_t len = 0;

        while (len < rest.len && !is_white(rest.at[len]) && rest.at[len] != '"' &&
               rest.at[len] != '\'' && rest.at[len] != '>' && rest.at[len] != ';' &&
               rest.at[len] != '/')
            len++;
        return slice_cut(rest, 0, len);
    }
    return SLICE_EMPTY;
}
