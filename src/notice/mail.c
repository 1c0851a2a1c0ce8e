/* SPDX-License-Identifier: Apache-2.0 */
#include "letter.h"

#include <onecase/notice_mail.h>
#include <onecase/outcome.h>
#include <onecase/when.h>
#include <string.h>

/* Longer than any server may take for all of its answers together. */
#define CARRIED_WITHIN MINUTES(15)

/* What the server said, by its code: its text may name the recipient. */
static enum rc verdict(const struct courier_event *e, struct err *err)
{
    const char *at = stage_text(e->stage);
    if (e->code == 0)
        return FAIL(err, e->line_left ? RC_UNKNOWN : RC_DEFERRED,
                    "the mail server gave no answer (%s)", at);
    if (e->stage == STAGE_END_OF_DATA && e->code / 100 == 2)
        return RC_OK;
    return FAIL(err, e->code / 100 == 5 ? RC_REFUSED : RC_DEFERRED, "the mail server said %d (%s)",
                e->code, at);
}

static enum rc carry(const struct notice_mail *m, const struct letter *letter, struct err *err)
{
    const struct courier *c = m->courier;
    int64_t until = clock_now(m->clock).boot_ms + CARRIED_WITHIN;
    struct courier_event e;
    TRY(c->begin(c->self, letter, err));
    do {
        TRY(c->next(c->self, until, &e, err));
        if (e.what == COURIER_READY)
            c->release(c->self, letter->id);
        else if (e.what == COURIER_SETTLED)
            return verdict(&e, err);
    } while (clock_now(m->clock).boot_ms < until);
    c->abandon(c->self, letter->id);
    return FAIL(err, RC_UNKNOWN, "the mail server took too long");
}

static enum rc send_one(const struct notice_mail *m,
                        const struct notice *n,
                        const char *to,
                        int64_t id,
                        struct err *err)
{
    CLEANUP(str_clear) struct str octets = STR_INIT;
    const struct notice_letter facts = {
        .from_name = m->from_name, .from_address = m->from_address, .to = to, .notice = n};
    TRY(notice_letter_write(&facts, &octets, err));
    const struct letter letter = {
        .id = id, .sender = m->sender, .recipient = to, .octets = str_slice(&octets)};
    return carry(m, &letter, err);
}

static enum rc send(void *self, const struct notice *n, struct err *err)
{
    const struct notice_mail *m = self;
    struct texts one = {&n->to, 1};
    const struct texts *to = n->to ? &one : &m->to;
    size_t taken = 0;
    enum rc worst = RC_OK;
    for (size_t i = 0; i < to->count; i++) {
        struct err why = ERR_INIT;
        enum rc rc = send_one(m, n, to->at[i], (int64_t)i + 1, &why);
        taken += rc == RC_OK;
        if (rc != RC_OK)
            worst = FAIL(err, rc, "%s", why.text);
    }
    m->courier->rest(m->courier->self);
    return taken > 0 ? RC_OK : worst;
}

struct notifier notice_mail_port(struct notice_mail *mail)
{
    return (struct notifier){.self = mail, .channel = "mail", .send = send};
}
