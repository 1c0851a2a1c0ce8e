/* SPDX-License-Identifier: Apache-2.0 */
#include "file_kind.h"

/* clang-format off */
/* One kind of file under all its names. Each is between blanks; extensions in lower case. */
static const struct {
    const char *types, *extensions;
} kinds[] = {
    {"application/x-msdownload application/vnd.microsoft.portable-executable application/x-dosexec"
     " application/x-msdos-program application/exe",
     ".exe .dll .scr .com .pif .cpl .sys .ocx"},
    {"application/x-msi application/x-ole-storage",                      ".msi .msp"},
    {"application/x-executable application/x-elf application/x-sharedlib", ".so"},
    {"application/x-ms-shortcut",                                        ".lnk"},
    {"application/javascript text/javascript application/x-javascript",  ".js .jse .mjs"},
    {"text/vbscript application/x-vbs",                                  ".vbs .vbe .vb .wsf .wsh"},
    {"application/x-bat application/bat text/x-msdos-batch",             ".bat .cmd"},
    {"application/x-powershell text/x-powershell",                       ".ps1 .psm1 .psd1"},
    {"application/hta",                                                  ".hta"},
    {"application/java-archive application/x-java-archive",              ".jar"},
    {"application/x-shellscript text/x-shellscript text/x-sh",           ".sh .bash"},
    {"application/vnd.ms-cab-compressed application/x-cab",              ".cab"},
    {"application/zip application/x-zip-compressed application/x-zip",   ".zip"},
    {"application/vnd.rar application/x-rar application/x-rar-compressed", ".rar"},
    {"application/x-7z-compressed",                                      ".7z"},
    {"application/gzip application/x-gzip",                              ".gz .tgz"},
    {"application/x-iso9660-image application/x-cd-image",               ".iso .img"},
    {"application/vnd.ms-word.document.macroenabled.12",                 ".docm .dotm"},
    {"application/vnd.ms-excel.sheet.macroenabled.12",                   ".xlsm .xltm .xlam"},
    {"application/vnd.ms-powerpoint.presentation.macroenabled.12",       ".pptm .potm .ppsm"},
    {"application/rtf text/rtf",                                         ".rtf"},
    {"text/html application/xhtml+xml",                                  ".html .htm .xhtml .shtml"},
    {"image/svg+xml",                                                    ".svg .svgz"},
    {"image/jpeg image/jpg",                                             ".jpg .jpeg"},
    {"image/png",                                                        ".png"},
    {"image/gif",                                                        ".gif"},
    {"application/pdf application/x-pdf",                                ".pdf"},
    {"application/msword",                                               ".doc .dot"},
    {"application/vnd.ms-excel",                                         ".xls .xlt"},
    {"application/vnd.ms-powerpoint",                                    ".ppt .pps"},
    {"video/mp4",                                                        ".mp4 .m4v"},
    {"video/quicktime",                                                  ".mov"},
    {"video/x-msvideo",                                                  ".avi"},
    {"video/x-matroska",                                                 ".mkv"},
    {"video/x-ms-wmv",                                                   ".wmv"},
    {"video/mpeg",                                                       ".mpg .mpeg"},
    {"video/webm",                                                       ".webm"},
    {"audio/mpeg",                                                       ".mp3"},
    {"audio/wav audio/x-wav",                                            ".wav"},
    {"audio/ogg",                                                        ".ogg"},
    {"audio/mp4",                                                        ".m4a"},
};
/* clang-format on */

static bool has_word(const char *words, struct slice word)
{
    struct slice rest = slice_z(words);
    struct slice one;
    while (slice_next(&rest, ' ', &one))
        if (slice_eq_nocase(one, word))
            return true;
    return false;
}

static bool any_word(const char *words, struct slice refused, bool whole_class)
{
    struct slice rest = slice_z(words);
    struct slice one;
    while (slice_next(&rest, ' ', &one))
        if (whole_class ? slice_starts_nocase(one, refused) : slice_eq_nocase(one, refused))
            return true;
    return false;
}

/* The last dot and what follows it; a name's last dots and blanks do not count. */
static struct slice extension(struct slice name)
{
    while (name.len > 0 && (name.at[name.len - 1] == '.' || name.at[name.len - 1] == ' '))
        name.len--;
    for (size_t i = name.len; i > 0; i--)
        if (name.at[i - 1] == '.')
            return slice_cut(name, i - 1, name.len);
    return SLICE_EMPTY;
}

bool file_kind_is(struct slice refused, struct slice type, struct slice seen, struct slice name)
{
    struct slice end = extension(name);
    if (refused.len > 0 && refused.at[0] == '.')
        return slice_eq_nocase(refused, end);
    bool whole_class = refused.len > 1 && refused.at[refused.len - 1] == '*';
    struct slice is = whole_class ? slice_cut(refused, 0, refused.len - 1) : refused;
    const struct slice said[] = {type, seen};
    for (size_t i = 0; i < LENGTH(said); i++)
        if (said[i].len > 0 &&
            (whole_class ? slice_starts_nocase(said[i], is) : slice_eq_nocase(said[i], is)))
            return true;
    for (size_t i = 0; i < LENGTH(kinds); i++)
        if ((has_word(kinds[i].types, type) || has_word(kinds[i].types, seen) ||
             has_word(kinds[i].extensions, end)) &&
            any_word(kinds[i].types, is, whole_class))
            return true;
    return false;
}
