/* SPDX-License-Identifier: Apache-2.0 */
#include "extension.h"

/* clang-format off */
static const struct {
    const char *type;
    const char *extension;
} extensions[] = {
/*   type                                                                          extension */
    {"application/gzip",                                                           ".gz"},
    {"application/ics",                                                            ".ics"},
    {"application/json",                                                           ".json"},
    {"application/ms-tnef",                                                        ".dat"},
    {"application/msword",                                                         ".doc"},
    {"application/octet-stream",                                                   ".bin"},
    {"application/pdf",                                                            ".pdf"},
    {"application/pgp-encrypted",                                                  ".asc"},
    {"application/pgp-keys",                                                       ".asc"},
    {"application/pgp-signature",                                                  ".asc"},
    {"application/pkcs7-mime",                                                     ".p7m"},
    {"application/pkcs7-signature",                                                ".p7s"},
    {"application/rtf",                                                            ".rtf"},
    {"application/vnd.ms-excel",                                                   ".xls"},
    {"application/vnd.ms-outlook",                                                 ".msg"},
    {"application/vnd.ms-powerpoint",                                              ".ppt"},
    {"application/vnd.ms-tnef",                                                    ".dat"},
    {"application/vnd.oasis.opendocument.presentation",                            ".odp"},
    {"application/vnd.oasis.opendocument.spreadsheet",                             ".ods"},
    {"application/vnd.oasis.opendocument.text",                                    ".odt"},
    {"application/vnd.openxmlformats-officedocument.presentationml.presentation",  ".pptx"},
    {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",          ".xlsx"},
    {"application/vnd.openxmlformats-officedocument.wordprocessingml.document",    ".docx"},
    {"application/x-7z-compressed",                                                ".7z"},
    {"application/x-gzip",                                                         ".gz"},
    {"application/x-pkcs7-mime",                                                   ".p7m"},
    {"application/x-pkcs7-signature",                                              ".p7s"},
    {"application/x-tar",                                                          ".tar"},
    {"application/x-zip-compressed",                                               ".zip"},
    {"application/xml",                                                            ".xml"},
    {"application/zip",                                                            ".zip"},
    {"audio/aac",                                                                  ".aac"},
    {"audio/amr",                                                                  ".amr"},
    {"audio/mp4",                                                                  ".m4a"},
    {"audio/mpeg",                                                                 ".mp3"},
    {"audio/ogg",                                                                  ".ogg"},
    {"audio/wav",                                                                  ".wav"},
    {"audio/x-wav",                                                                ".wav"},
    {"image/bmp",                                                                  ".bmp"},
    {"image/gif",                                                                  ".gif"},
    {"image/heic",                                                                 ".heic"},
    {"image/jpeg",                                                                 ".jpg"},
    {"image/jpg",                                                                  ".jpg"},
    {"image/png",                                                                  ".png"},
    {"image/svg+xml",                                                              ".svg"},
    {"image/tiff",                                                                 ".tif"},
    {"image/webp",                                                                 ".webp"},
    {"image/x-icon",                                                               ".ico"},
    {"message/delivery-status",                                                    ".txt"},
    {"message/disposition-notification",                                           ".txt"},
    {"message/global",                                                             ".eml"},
    {"message/partial",                                                            ".eml"},
    {"message/rfc822",                                                             ".eml"},
    {"text/calendar",                                                              ".ics"},
    {"text/css",                                                                   ".css"},
    {"text/csv",                                                                   ".csv"},
    {"text/html",                                                                  ".html"},
    {"text/markdown",                                                              ".md"},
    {"text/plain",                                                                 ".txt"},
    {"text/rfc822-headers",                                                        ".txt"},
    {"text/rtf",                                                                   ".rtf"},
    {"text/vcard",                                                                 ".vcf"},
    {"text/x-vcard",                                                               ".vcf"},
    {"text/xml",                                                                   ".xml"},
    {"video/3gpp",                                                                 ".3gp"},
    {"video/mp4",                                                                  ".mp4"},
    {"video/mpeg",                                                                 ".mpg"},
    {"video/quicktime",                                                            ".mov"},
    {"video/webm",                                                                 ".webm"},
};
/* clang-format on */

const char *extension_of(struct slice type)
{
    for (size_t i = 0; i < LENGTH(extensions); i++)
        if (slice_eq_nocase(type, slice_z(extensions[i].type)))
            return extensions[i].extension;
    return "";
}
