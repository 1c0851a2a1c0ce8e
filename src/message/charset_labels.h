/* SPDX-License-Identifier: Apache-2.0
 *
 * charset_labels - which character set is meant by a label, and which converter reads it.
 */
#pragma once

#include <onecase/str.h>

enum charset_form {
    FORM_PLAIN,       /* the converter reads it as it is */
    FORM_UTF8,        /* our own check, no converter */
    FORM_ASCII,       /* windows-1252, but UTF-8 where that fits */
    FORM_ISO_2022_JP, /* rewritten as EUC first: iso2022.h */
    FORM_HZ,          /* rewritten as EUC first */
    FORM_BIG5,        /* these three, and ISO-2022-JP, take two converters: charset_pieces.h */
    FORM_EUC_JP,
    FORM_GBK,
    FORM_UTF16, /* little endian unless a mark says otherwise */
};

struct charset {
    const char *converter; /* its name for iconv */
    const char *second;    /* of what that lacks; NULL: of nothing */
    enum charset_form form;
    const char *labels; /* lower case, letters and digits only, each between blanks */
};

extern const struct charset charsets[];
extern const size_t charset_count;

#define CHARSET_NONE SIZE_MAX

/* The place in `charsets` of the label, or CHARSET_NONE. */
size_t charset_find(struct slice label);
