/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/config.h>
#include <onecase/when.h>

#define WARNED_BEFORE DAYS(30)

static void
say(const char *mailbox, const char *server, int64_t expires_ms, int64_t now_ms, struct str *out)
{
    char date[WHEN_TEXT_SIZE];
    long long days = (long long)((expires_ms - now_ms) / DAYS(1));

    if (expires_ms == 0 || now_ms < expires_ms - WARNED_BEFORE)
        return;
    when_text(expires_ms, date);
    str_addf(out, "%s: the secret for its %s server ", mailbox, server);
    if (now_ms >= expires_ms)
        str_addf(out, "has expired on %.10s", date);
    else
        str_addf(out, "expires on %.10s, in %lld day%s", date, days, days == 1 ? "" : "s");
    str_addz(out,
             ": make a new one, put it in its place, write its date as `expires`, and reload\n");
}

void config_mailbox_expiring(const struct config_mailbox *m, int64_t now_ms, struct str *out)
{
    say(m->id, "IMAP", m->imap.auth.expires_ms, now_ms, out);
    if (m->acknowledgement.enabled)
        say(m->id, "SMTP", m->acknowledgement.smtp.auth.expires_ms, now_ms, out);
}

void config_expiring(const struct config *config, int64_t now_ms, struct str *out)
{
    for (size_t i = 0; i < config->mailboxes.count; i++)
        config_mailbox_expiring(&config->mailboxes.at[i], now_ms, out);
}
