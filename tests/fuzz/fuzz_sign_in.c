/* SPDX-License-Identifier: Apache-2.0 */
/* links: net */
#include "fuzzing.h"
#include "sign_in.h"

/* The first octet says which protocol and which way; the rest are the server's lines. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum sign_in kinds[] = {SIGN_IN_SCRAM_SHA_256, SIGN_IN_SCRAM_SHA_1,
                                         SIGN_IN_CRAM_MD5, SIGN_IN_LOGIN, SIGN_IN_OAUTHBEARER};
    struct endpoint e = {.host = "h", .port = 1, .username = "me", .security = SECURITY_TLS};
    struct slice lines = input_of(data, size);
    uint8_t choice = size > 0 ? data[0] : 0;
    CLEANUP(sign_in_clear)
    struct sign_in_dialogue d = {.protocol = (choice & 1) != 0 ? PROTOCOL_IMAP : PROTOCOL_SMTP};
    CLEANUP(str_clear) struct str sent = STR_INIT;
    struct err err = ERR_INIT;
    struct slice line;
    bool smtp = d.protocol == PROTOCOL_SMTP;

    e.sign_in = kinds[choice / 2 % LENGTH(kinds)];
    text_copy(d.scram.nonce, sizeof d.scram.nonce, "N");
    if (sign_in_begin(&d, &e, SLICE("pw"),
                      smtp ? SLICE("AUTH SCRAM-SHA-256 SCRAM-SHA-1 CRAM-MD5 LOGIN OAUTHBEARER")
                           : SLICE("SASL-IR AUTH=SCRAM-SHA-256 AUTH=SCRAM-SHA-1 AUTH=CRAM-MD5 "
                                   "AUTH=LOGIN AUTH=OAUTHBEARER"),
                      &sent, &err) != RC_OK)
        return 0;
    lines = slice_cut(lines, 1, lines.len);
    for (int i = 0; i < 6 && slice_next(&lines, '\n', &line); i++) {
        enum sign_in_came came = sign_in_line(&d, line, &sent);

        /* Nobody here knows the proof: a server is never believed. */
        assert(came != SIGN_IN_ACCEPTED || choice / 2 % LENGTH(kinds) > 1);
    }
    return 0;
}
