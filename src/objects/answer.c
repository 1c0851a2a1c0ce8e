/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <libxml/xmlreader.h>

#include <string.h>

#define NAME_MOST 64
#define TEXT_MOST 2048 /* a key has at most 1024 octets, an upload's id some hundred */

/* clang-format off */
static const struct field {
    const char *element;
    size_t at;
    bool of_row;
} fields[] = {
    {"Code",                  offsetof(struct s3_said, code),      false},
    {"UploadId",              offsetof(struct s3_said, upload_id), true },
    {"NextContinuationToken", offsetof(struct s3_said, token),     false},
    {"IsTruncated",           offsetof(struct s3_said, truncated), false},
    {"Key",                   offsetof(struct s3_said, key),       true },
    {"Size",                  offsetof(struct s3_said, size),      true },
    {"Initiated",             offsetof(struct s3_said, initiated), true },
};
/* clang-format on */

static struct str *text_of(struct s3_said *said, const struct field *field)
{
    return (struct str *)(void *)((char *)said + field->at);
}

void s3_said_clear(struct s3_said *said)
{
    str_clear(&said->root);
    for (size_t i = 0; i < LENGTH(fields); i++)
        str_clear(text_of(said, &fields[i]));
}

static void forget_row(struct s3_said *said)
{
    for (size_t i = 0; i < LENGTH(fields); i++)
        if (fields[i].of_row)
            str_empty(text_of(said, &fields[i]));
}

struct walk {
    const char *row;
    enum rc (*each)(void *ctx, const struct s3_said *said, struct err *err);
    void *ctx;
    struct s3_said *said;
    char element[NAME_MOST]; /* whose text comes; "" is none of ours */
};

static enum rc no_answer(struct err *err)
{
    return FAIL(err, RC_BROKEN, "s3: the store's answer cannot be read: is `endpoint` an S3 one?");
}

static void begin_element(struct walk *w, const char *name)
{
    text_copy(w->element, sizeof w->element, name);
    if (w->said->root.len == 0)
        str_addz(&w->said->root, w->element);
}

static enum rc add_text(struct walk *w, const char *text, struct err *err)
{
    for (size_t i = 0; i < LENGTH(fields); i++) {
        struct str *into = text_of(w->said, &fields[i]);

        if (strcmp(fields[i].element, w->element) != 0)
            continue;
        if (into->len + strlen(text) > TEXT_MOST)
            return no_answer(err);
        str_addz(into, text);
    }
    return RC_OK;
}

static enum rc end_element(struct walk *w, const char *name, struct err *err)
{
    w->element[0] = '\0';
    if (w->row == NULL || strcmp(name, w->row) != 0)
        return RC_OK;
    TRY(w->each(w->ctx, w->said, err));
    forget_row(w->said);
    return RC_OK;
}

static enum rc node(struct walk *w, xmlTextReaderPtr reader, struct err *err)
{
    const char *found = (const char *)xmlTextReaderConstLocalName(reader);
    const char *name = found != NULL ? found : "";
    const char *text = (const char *)xmlTextReaderConstValue(reader);

    switch (xmlTextReaderNodeType(reader)) {
    case XML_READER_TYPE_ELEMENT:
        begin_element(w, name);
        return xmlTextReaderIsEmptyElement(reader) ? end_element(w, name, err) : RC_OK;
    case XML_READER_TYPE_TEXT:
    case XML_READER_TYPE_CDATA:
        return add_text(w, text != NULL ? text : "", err);
    case XML_READER_TYPE_END_ELEMENT:
        return end_element(w, name, err);
    default:
        return RC_OK;
    }
}

static void free_reader(xmlTextReaderPtr *reader)
{
    if (*reader != NULL)
        xmlFreeTextReader(*reader);
}

/* What it says of errors goes nowhere: it would quote the answer. */
static void say_nothing(void *ctx, xmlErrorPtr error)
{
    (void)ctx;
    (void)error;
}

enum rc s3_answer_read(struct slice xml,
                       const char *row,
                       enum rc (*each)(void *ctx, const struct s3_said *said, struct err *err),
                       void *ctx,
                       struct s3_said *out,
                       struct err *err)
{
    struct walk w = {.row = row, .each = each, .ctx = ctx, .said = out};
    CLEANUP(free_reader) xmlTextReaderPtr reader = NULL;
    int more = -1;

    s3_said_clear(out);
    if (xml.len > 0 && xml.len < INT32_MAX)
        reader = xmlReaderForMemory(xml.at, (int)xml.len, NULL, NULL,
                                    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (reader == NULL)
        return no_answer(err);
    xmlTextReaderSetStructuredErrorHandler(reader, say_nothing, NULL);
    while ((more = xmlTextReaderRead(reader)) == 1)
        TRY(node(&w, reader, err));
    return more == 0 ? RC_OK : no_answer(err);
}
