/* SPDX-License-Identifier: Apache-2.0 */
#include "magic.h"

/* clang-format off */
static const struct {
    struct slice octets;
    const char *type;
} signatures[] = {
    {SLICE_INIT("MZ"),                         "application/x-msdownload"},
    {SLICE_INIT("\x7f" "ELF"),                "application/x-executable"},
    {SLICE_INIT("#!"),                         "text/x-shellscript"},
    {SLICE_INIT("PK\3\4"),                   "application/zip"},
    {SLICE_INIT("Rar!\x1a\7"),               "application/vnd.rar"},
    {SLICE_INIT("7z\xbc\xaf\x27\x1c"),     "application/x-7z-compressed"},
    {SLICE_INIT("\x1f\x8b"),                 "application/gzip"},
    {SLICE_INIT("MSCF"),                       "application/vnd.ms-cab-compressed"},
    {SLICE_INIT("L\0\0\0\1\x14\2\0"),   "application/x-ms-shortcut"},
    {SLICE_INIT("%PDF-"),                      "application/pdf"},
    {SLICE_INIT("{\\rtf"),                   "application/rtf"},
    {SLICE_INIT("\x89PNG\r\n"),             "image/png"},
    {SLICE_INIT("GIF8"),                       "image/gif"},
    {SLICE_INIT("\xff\xd8\xff"),            "image/jpeg"},
};

/* What a document or a program's archive begins with: its kind is another than that of its wrapping. */
static const struct slice documents[] = {
    SLICE_INIT("[Content_Types].xml"), SLICE_INIT("mimetype"), SLICE_INIT("_rels/"),
    SLICE_INIT("docProps/"),           SLICE_INIT("word/"),    SLICE_INIT("xl/"),
    SLICE_INIT("ppt/"),                SLICE_INIT("META-INF/"),
};
/* clang-format on */

#define ZIP_NAME 30 /* where the name of its first member stands */

static bool starts(struct slice octets, struct slice with)
{
    return slice_eq(slice_cut(octets, 0, with.len), with);
}

static bool is_document(struct slice octets)
{
    struct slice name = slice_cut(octets, ZIP_NAME, octets.len);

    for (size_t i = 0; i < LENGTH(documents); i++)
        if (starts(name, documents[i]))
            return true;
    return false;
}

struct slice magic_type(struct slice start)
{
    for (size_t i = 0; i < LENGTH(signatures); i++)
        if (starts(start, signatures[i].octets))
            return is_document(start) ? SLICE_EMPTY : slice_z(signatures[i].type);
    return SLICE_EMPTY;
}
