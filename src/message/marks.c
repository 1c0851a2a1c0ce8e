/* SPDX-License-Identifier: Apache-2.0 */
#include "marks.h"

/* clang-format off */
static const struct {
    const char *type;
    const char *smime; /* its smime-type begins with this; NULL: whatever it is */
    uint32_t sign;
} types[] = {
    {"multipart/signed",              NULL,       SIGN_SIGNED},
    {"application/pkcs7-signature",   NULL,       SIGN_SIGNED},
    {"application/x-pkcs7-signature", NULL,       SIGN_SIGNED},
    {"application/pgp-signature",     NULL,       SIGN_SIGNED},
    {"application/pkcs7-mime",        "signed",   SIGN_SIGNED},
    {"application/x-pkcs7-mime",      "signed",   SIGN_SIGNED},
    {"application/pkcs7-mime",        "compress", 0},
    {"application/pkcs7-mime",        "certs",    0},
    {"application/pkcs7-mime",        NULL,       SIGN_ENCRYPTED},
    {"application/x-pkcs7-mime",      NULL,       SIGN_ENCRYPTED},
    {"multipart/encrypted",           NULL,       SIGN_ENCRYPTED},
    {"application/pgp-encrypted",     NULL,       SIGN_ENCRYPTED},
    {"message/partial",               NULL,       SIGN_PIECE},
};

static const struct {
    const char *line;
    uint32_t sign;
} lines[] = {
    {"-----BEGIN PGP SIGNED MESSAGE-----", SIGN_SIGNED},
    {"-----BEGIN PGP MESSAGE-----",        SIGN_ENCRYPTED},
};
/* clang-format on */

uint32_t marks_of_part(struct slice type, const struct parameters *parameters)
{
    CLEANUP(str_clear) struct str smime = STR_INIT;

    parameters_text(parameters, "smime-type", &smime);
    for (size_t i = 0; i < LENGTH(types); i++)
        if (slice_eqz(type, types[i].type) &&
            slice_starts_nocase(str_slice(&smime), slice_z(types[i].smime)))
            return types[i].sign;
    return 0;
}

uint32_t marks_of_text(struct slice text)
{
    uint32_t found = 0;
    struct slice line;

    while (slice_next(&text, '\n', &line))
        for (size_t i = 0; i < LENGTH(lines); i++)
            if (slice_eqz(slice_trim(line), lines[i].line))
                found |= lines[i].sign;
    return found;
}
