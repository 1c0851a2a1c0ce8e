/* SPDX-License-Identifier: Apache-2.0 */
#include "sign.h"

#include <onecase/digest.h>
#include <onecase/utf8.h>
#include <onecase/when.h>
#include <glib.h>
#include <string.h>

json_t *post_text(const char *value)
{
    CLEANUP(str_clear) struct str mended = STR_INIT;
    utf8_mend(slice_z(value), &mended);
    return json_stringn(str_z(&mended), mended.len);
}

json_t *post_when(int64_t at_ms)
{
    char at[WHEN_TEXT_SIZE];
    when_text(at_ms, at);
    return json_string(at);
}

/* What stands after "whsec_" is base 64; any other secret is taken as it is written. */
static void add_secret(const char *written, struct str *out)
{
    static const char prefix[] = "whsec_";
    gsize length = 0;
    if (strncmp(written, prefix, strlen(prefix)) != 0) {
        str_addz(out, written);
        return;
    }
    guchar *octets = g_base64_decode(written + strlen(prefix), &length);
    str_add(out, (struct slice){(const char *)octets, length});
    g_free(octets);
}

static void
sign(const char *written, const char *id, int64_t at_s, const char *body, struct str *out)
{
    CLEANUP(str_clear) struct str secret = STR_INIT;
    CLEANUP(str_clear) struct str signed_text = STR_INIT;
    add_secret(written, &secret);
    str_addf(&signed_text, "%s.%lld.%s", id, (long long)at_s, body);
    const struct digest mac = hmac_sha256(str_slice(&secret), str_slice(&signed_text));
    gchar *base64 = g_base64_encode(mac.octet, DIGEST_SIZE);
    str_addf(out, "webhook-signature: v1,%s", base64);
    g_free(base64);
}

void post_sign(
    const char *written, const char *id, int64_t at_s, const char *body, struct signed_post *out)
{
    str_addf(&out->id, "webhook-id: %s", id);
    str_addf(&out->at, "webhook-timestamp: %lld", (long long)at_s);
    if (written[0])
        sign(written, id, at_s, body, &out->signature);
}

void signed_post_clear(struct signed_post *post)
{
    str_clear(&post->id);
    str_clear(&post->at);
    str_clear(&post->signature);
}

struct http_request signed_request(struct signed_post *post,
                                   const char *url,
                                   const char *body,
                                   const char *header[SIGNED_HEADERS])
{
    size_t count = 0;
    header[count++] = "Content-Type: application/json";
    header[count++] = "User-Agent: onecase";
    header[count++] = str_z(&post->id);
    header[count++] = str_z(&post->at);
    if (post->signature.len > 0)
        header[count++] = str_z(&post->signature);
    return (struct http_request){
        .method = "POST", .url = url, .header = header, .headers = count, .body = slice_z(body)};
}
