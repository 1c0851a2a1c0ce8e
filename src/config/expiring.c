/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/config.h>
#include <onecase/when.h>

#define WARNED_BEFORE DAYS(30)

/* False where it is not time to speak of it. */
static bool is_due(const char *server, int64_t expires_ms, int64_t now_ms, struct expiring *out)
{
    char date[WHEN_TEXT_SIZE];
    long long days = (long long)((expires_ms - now_ms) / DAYS(1));

    if (expires_ms == 0 || now_ms < expires_ms - WARNED_BEFORE)
        return false;
    when_text(expires_ms, date);
    out->over = now_ms >= expires_ms;
    if (out->over)
        snprintf(out->text, sizeof out->text, "the secret for its %s server has expired on %.10s",
                 server, date);
    else
        snprintf(out->text, sizeof out->text,
                 "the secret for its %s server expires on %.10s, in %lld day%s", server, date, days,
                 days == 1 ? "" : "s");
    return true;
}

size_t
config_expiring(const struct config_mailbox *m, int64_t now_ms, struct expiring out[EXPIRING_MOST])
{
    size_t count = 0;

    count += is_due("IMAP", m->imap.auth.expires_ms, now_ms, &out[count]);
    if (m->acknowledgement.enabled)
        count += is_due("SMTP", m->acknowledgement.smtp.auth.expires_ms, now_ms, &out[count]);
    return count;
}
