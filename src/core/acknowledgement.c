/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/identity.h>

#include <string.h>

#define EFFECT_LEN (EFFECT_ID_SIZE - 1)

void acknowledgement_id(const char *key, const char *completion_state, char out[EFFECT_ID_SIZE])
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    char hex[DIGEST_HEX_SIZE];

    str_addf(&name, "%s:acknowledgement:%s", key, completion_state);

    struct digest d = sha256_of(str_slice(&name));

    digest_hex(&d, hex);
    memcpy(out, hex, EFFECT_LEN);
    out[EFFECT_LEN] = '\0';
}

void acknowledgement_message_id(const char *effect, const char *domain, struct str *out)
{
    str_empty(out);
    str_addf(out, "<ack.%s@%s>", effect, domain);
}

static bool is_hex(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!(text.at[i] >= '0' && text.at[i] <= '9') && !(text.at[i] >= 'a' && text.at[i] <= 'f'))
            return false;
    return true;
}

bool acknowledgement_named(struct slice message_id, char out[EFFECT_ID_SIZE])
{
    struct slice start = SLICE("<ack.");
    size_t at_sign = start.len + EFFECT_LEN;
    struct slice effect = slice_cut(message_id, start.len, EFFECT_LEN);

    /* A domain of one octet at least, and the bracket after it. */
    if (message_id.len < at_sign + 3 || !slice_eq(slice_cut(message_id, 0, start.len), start) ||
        !is_hex(effect) || message_id.at[at_sign] != '@' ||
        slice_find(message_id, '>', 0) != message_id.len - 1)
        return false;
    memcpy(out, effect.at, EFFECT_LEN);
    out[EFFECT_LEN] = '\0';
    return true;
}

void acknowledgement_proof(struct slice secret, const char *effect, char out[DIGEST_HEX_SIZE])
{
    struct digest proof = hmac_sha256(secret, slice_z(effect));

    digest_hex(&proof, out);
}

bool acknowledgement_proven(struct slice secret, const char *effect, struct slice proof)
{
    struct digest expected = hmac_sha256(secret, slice_z(effect));
    struct digest found;

    return digest_from_hex(slice_trim(proof), &found) && digest_eq(&expected, &found);
}
