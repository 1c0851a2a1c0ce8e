/* SPDX-License-Identifier: Apache-2.0 */
#include "charset_labels.h"

#include <string.h>

/* A label is compared without case, without a leading "x-", and without anything that is neither
 * letter nor digit: "x-sjis", "SJIS" and "iso_8859-1:1987" need no rows of their own. The names are
 * those of the WHATWG Encoding Standard, then others that mail programs write. */

/* clang-format off */
const struct charset charsets[] = {
/*   converter           second         form               labels */
    {"UTF-8",            NULL,          FORM_UTF8,         " utf8 unicode11utf8 unicode20utf8 utf cp65001 utf8mb4 "},
    {"CP1252",           NULL,          FORM_ASCII,        " ascii usascii us ansix341968 iso646us ansix34 7bit "},
    {"CP1252",           NULL,          FORM_PLAIN,        " windows1252 win1252 cp1252 iso88591 iso885911987 latin1 l1 cp819"
                                                          " ibm819 isoir100 csisolatin1 isolatin1 iso8859 latin ansi "},
    {"GB18030",          "CP936",       FORM_GBK,          " gb18030 gbk gb2312 gb231280 chinese csgb2312 csiso58gb231280"
                                                          " isoir58 cp936 ms936 windows936 euccn gb gbk2312 csgbk "},
    {"CP950",            "BIG5-HKSCS",  FORM_BIG5,         " big5 big5hkscs cnbig5 csbig5 cp950 windows950 big5eten "},
    {"CP932",            NULL,          FORM_PLAIN,        " shiftjis sjis ms932 cp932 windows31j windows932 mskanji"
                                                          " csshiftjis csmskanji shiftjisx0213 sjiswin "},
    {"EUC-JP-MS",        "CP932",       FORM_EUC_JP,       " eucjp eucjpms ujis cseucpkdfmtjapanese cp51932 eucjpwin "},
    {"EUC-JP-MS",        "CP932",       FORM_ISO_2022_JP,  " iso2022jp csiso2022jp iso2022jp1 iso2022jp2 iso2022jp3"
                                                          " iso2022jpms cp50220 cp50221 cp50222 jis jis7 "},
    {"CP949",            NULL,          FORM_PLAIN,        " euckr ksc56011987 ksc56011989 ksc5601 cseuckr csksc56011987"
                                                          " isoir149 korean windows949 cp949 uhc ks c5601 ksx1001 "},
    {"ISO-2022-KR",      NULL,          FORM_PLAIN,        " iso2022kr csiso2022kr "},
    {"GB18030",          NULL,          FORM_HZ,           " hzgb2312 hz "},
    {"EUC-TW",           NULL,          FORM_PLAIN,        " euctw "},
    {"ISO-8859-2",       NULL,          FORM_PLAIN,        " iso88592 iso885921987 latin2 l2 isoir101 csisolatin2 "},
    {"ISO-8859-3",       NULL,          FORM_PLAIN,        " iso88593 iso885931988 latin3 l3 isoir109 csisolatin3 "},
    {"ISO-8859-4",       NULL,          FORM_PLAIN,        " iso88594 iso885941988 latin4 l4 isoir110 csisolatin4 "},
    {"ISO-8859-5",       NULL,          FORM_PLAIN,        " iso88595 iso885951988 cyrillic isoir144 csisolatincyrillic "},
    {"ISO-8859-6",       NULL,          FORM_PLAIN,        " iso88596 iso885961987 iso88596e iso88596i arabic asmo708 ecma114"
                                                          " isoir127 csisolatinarabic csiso88596e csiso88596i "},
    {"ISO-8859-7",       NULL,          FORM_PLAIN,        " iso88597 iso885971987 greek greek8 suneugreek elot928 ecma118"
                                                          " isoir126 csisolatingreek "},
    {"ISO-8859-8",       NULL,          FORM_PLAIN,        " iso88598 iso885981988 iso88598e iso88598i hebrew visual logical"
                                                          " isoir138 csisolatinhebrew csiso88598e csiso88598i "},
    {"CP1254",           NULL,          FORM_PLAIN,        " windows1254 win1254 cp1254 iso88599 iso885991989 latin5 l5"
                                                          " isoir148 csisolatin5 "},
    {"ISO-8859-10",      NULL,          FORM_PLAIN,        " iso885910 latin6 l6 isoir157 csisolatin6 "},
    {"CP874",            NULL,          FORM_PLAIN,        " windows874 win874 cp874 dos874 tis620 iso885911 tis6202533 "},
    {"ISO-8859-13",      NULL,          FORM_PLAIN,        " iso885913 latin7 l7 "},
    {"ISO-8859-14",      NULL,          FORM_PLAIN,        " iso885914 latin8 l8 "},
    {"ISO-8859-15",      NULL,          FORM_PLAIN,        " iso885915 latin9 l9 csisolatin9 "},
    {"ISO-8859-16",      NULL,          FORM_PLAIN,        " iso885916 latin10 l10 "},
    {"KOI8-R",           NULL,          FORM_PLAIN,        " koi8r koi8 koi cskoi8r "},
    {"KOI8-U",           NULL,          FORM_PLAIN,        " koi8u koi8ru "},
    {"MACINTOSH",        NULL,          FORM_PLAIN,        " macintosh mac macroman csmacintosh "},
    {"MAC-CYRILLIC",     NULL,          FORM_PLAIN,        " maccyrillic macukrainian "},
    {"MAC-CENTRALEUROPE", NULL,         FORM_PLAIN,        " macce maclatin2 maccentraleurope maccenteuro maccentraleurroman "},
    {"CP1250",           NULL,          FORM_PLAIN,        " windows1250 win1250 cp1250 "},
    {"CP1251",           NULL,          FORM_PLAIN,        " windows1251 win1251 cp1251 "},
    {"CP1253",           NULL,          FORM_PLAIN,        " windows1253 win1253 cp1253 "},
    {"CP1255",           NULL,          FORM_PLAIN,        " windows1255 win1255 cp1255 "},
    {"CP1256",           NULL,          FORM_PLAIN,        " windows1256 win1256 cp1256 "},
    {"CP1257",           NULL,          FORM_PLAIN,        " windows1257 win1257 cp1257 "},
    {"CP1258",           NULL,          FORM_PLAIN,        " windows1258 win1258 cp1258 "},
    {"CP866",            NULL,          FORM_PLAIN,        " ibm866 cp866 866 dos866 csibm866 "},
    {"CP437",            NULL,          FORM_PLAIN,        " ibm437 cp437 437 dos437 cspc8codepage437 "},
    {"CP850",            NULL,          FORM_PLAIN,        " ibm850 cp850 850 dos850 cspc850multilingual "},
    {"CP852",            NULL,          FORM_PLAIN,        " ibm852 cp852 852 dos852 "},
    {"CP858",            NULL,          FORM_PLAIN,        " ibm858 cp858 858 dos858 ibm00858 "},
    {"CP862",            NULL,          FORM_PLAIN,        " ibm862 cp862 862 dos862 "},
    {"CP737",            NULL,          FORM_PLAIN,        " ibm737 cp737 737 dos737 "},
    {"CP775",            NULL,          FORM_PLAIN,        " ibm775 cp775 775 dos775 cspc775baltic "},
    {"CP855",            NULL,          FORM_PLAIN,        " ibm855 cp855 855 dos855 "},
    {"CP857",            NULL,          FORM_PLAIN,        " ibm857 cp857 857 dos857 "},
    {"CP864",            NULL,          FORM_PLAIN,        " ibm864 cp864 864 dos864 "},
    {"CP869",            NULL,          FORM_PLAIN,        " ibm869 cp869 869 dos869 "},
    {"JOHAB",            NULL,          FORM_PLAIN,        " johab cp1361 ms1361 ksc56011992 "},
    {"TCVN",             NULL,          FORM_PLAIN,        " tcvn tcvn5712 tcvn57121 tcvn571211993 "},
    {"VISCII",           NULL,          FORM_PLAIN,        " viscii csviscii "},
    {"UTF-16LE",         NULL,          FORM_UTF16,        " utf16 utf16le csunicode iso10646ucs2 ucs2 unicode unicodefeff "},
    {"UTF-16BE",         NULL,          FORM_UTF16,        " utf16be unicodefffe "},
    {"UTF-32LE",         NULL,          FORM_UTF16,        " utf32 utf32le iso10646ucs4 ucs4 "},
    {"UTF-32BE",         NULL,          FORM_UTF16,        " utf32be "},
    {"UTF-7",            NULL,          FORM_PLAIN,        " utf7 unicode11utf7 csutf7 "},
};
/* clang-format on */

const size_t charset_count = LENGTH(charsets);

#define LABEL_MAX 62

static char squeezed(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '\0';
}

/* Writes the label as the table has it: between blanks. False where it is none. */
static bool squeeze(struct slice label, char out[LABEL_MAX + 3])
{
    size_t len = 0;

    label = slice_trim(slice_cut(label, 0, slice_find(label, '*', 0)));
    if (slice_starts_nocase(label, SLICE("charset=")))
        label = slice_cut(label, 8, label.len);
    if (slice_starts_nocase(label, SLICE("x-")))
        label = slice_cut(label, 2, label.len);
    out[len++] = ' ';
    for (size_t i = 0; i < label.len; i++) {
        char c = squeezed(label.at[i]);

        if (c != '\0' && len > LABEL_MAX)
            return false;
        if (c != '\0')
            out[len++] = c;
    }
    out[len++] = ' ';
    out[len] = '\0';
    return len > 2;
}

size_t charset_find(struct slice label)
{
    char wanted[LABEL_MAX + 3];

    if (!squeeze(label, wanted))
        return CHARSET_NONE;
    for (size_t i = 0; i < charset_count; i++)
        if (strstr(charsets[i].labels, wanted) != NULL)
            return i;
    return CHARSET_NONE;
}
