/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"
#include "ports.h"
#include "world.h"

#include <onecase/when.h>

static enum rc write_letter(const struct acknowledgement_facts *facts, struct str *out)
{
    char date[WHEN_TEXT_SIZE];

    when_mail_text(facts->date_ms, date);
    str_addf(out, "Message-ID: <ack.%s@" OWN_DOMAIN ">\r\n", facts->effect);
    str_addf(out, "From: <" OWN_ADDRESS ">\r\nTo: <%s>\r\nDate: %s\r\n", facts->recipient, date);
    str_addf(out, "Subject: [%s] %.*s\r\n", facts->reference, (int)facts->subject.len,
             facts->subject.at);
    if (facts->in_reply_to.len > 0)
        str_addf(out, "In-Reply-To: %.*s\r\n", (int)facts->in_reply_to.len, facts->in_reply_to.at);
    str_addf(out, "X-Onecase-Acknowledgement: %s\r\nX-Onecase-Proof: %s\r\n", facts->effect,
             facts->proof);
    str_addf(out, "Auto-Submitted: auto-replied\r\n\r\nYour mail is case %s.\r\n",
             facts->reference);
    for (size_t i = 0; i < facts->exceptions; i++)
        str_addf(out, "Not stored: %s\r\n", facts->exception[i].name);
    return RC_OK;
}

static enum rc
compose(void *self, const struct acknowledgement_facts *facts, struct str *out, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_COMPOSER_COMPOSE, err, write_letter(facts, out));
}

struct composer port_composer(struct run *run)
{
    return (struct composer){.self = run, .compose = compose};
}
