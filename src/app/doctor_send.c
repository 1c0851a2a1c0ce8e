/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor_p.h"

#include "wire.h"

#include <onecase/when.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_FOR_MS SECONDS(30)

struct trial {
    struct examining *x;
    const struct config_mailbox *mailbox;
    struct clock clock;
    char effect[EFFECT_ID_SIZE];
    struct str letter, message_id;
};

static void name_trial(struct trial *t)
{
    struct digest random;
    char hex[DIGEST_HEX_SIZE];
    digest_random(&random);
    digest_hex(&random, hex);
    text_copy(t->effect, sizeof t->effect, hex);
}

static enum rc write_trial(struct trial *t, const char *to, struct err *err)
{
    const struct config_acknowledgement *a = &t->mailbox->acknowledgement;
    CLEANUP(letter_writer_free) struct letter_writer *writer = NULL;
    struct letter_settings settings = wire_letters(t->x->config, a);
    TRY(letter_writer_new(&settings, &writer, err));
    struct composer composer = letter_writer_port(writer);
    int64_t now = clock_now(&t->clock).wall_ms;
    struct acknowledgement_facts facts = {.mailbox = t->mailbox->id,
                                          .completion = COMPLETION_ACCEPTED,
                                          .effect = t->effect,
                                          .proof = "test",
                                          .reference = "TEST",
                                          .recipient = to,
                                          .received_ms = now,
                                          .date_ms = now};
    acknowledgement_message_id(t->effect, settings.domain, &t->message_id);
    return composer.compose(composer.self, &facts, &t->letter, err);
}

static enum rc
carry(struct trial *t, const struct courier *courier, struct courier_event *ev, struct err *err)
{
    int64_t until = clock_now(&t->clock).boot_ms + t->mailbox->acknowledgement.final_timeout_ms;
    while (ev->what != COURIER_SETTLED) {
        TRY(courier->next(courier->self, until, ev, err));
        if (ev->what == COURIER_NOTHING)
            return FAIL(err, RC_UNKNOWN, "the mail server did not answer in time");
        if (ev->what == COURIER_READY)
            courier->release(courier->self, ev->id);
    }
    if (ev->stage == STAGE_END_OF_DATA && ev->code / 100 == 2)
        return RC_OK;
    return FAIL(err, RC_REFUSED, "refused at %s: %d %s", stage_text(ev->stage), ev->code,
                ev->reply);
}

static enum rc send_trial(struct trial *t, const char *to, struct err *err)
{
    const struct config_acknowledgement *a = &t->mailbox->acknowledgement;
    struct smtp_settings settings = wire_smtp(a);
    struct smtp_courier *smtp = smtp_courier_new(&settings, &t->clock);
    struct courier courier = smtp_courier_port(smtp);
    struct courier_event ev = {.what = COURIER_NOTHING};
    struct letter letter = {.id = 1,
                            .sender = strcmp(a->envelope_from, "<>") == 0 ? "" : a->envelope_from,
                            .recipient = to,
                            .octets = str_slice(&t->letter)};
    enum rc rc = courier.begin(courier.self, &letter, err);
    if (rc == RC_OK)
        rc = carry(t, &courier, &ev, err);
    smtp_courier_free(smtp);
    return rc;
}

/* ---- finding it again -------------------------------------------------------------------------------- */

static enum rc look_once(struct trial *t,
                         const struct mailbox *m,
                         const char *header,
                         const char *value,
                         bool *found,
                         struct err *err)
{
    CLEANUP(mem_free) uint32_t *uid = NULL;
    uint32_t uidvalidity = 0;
    size_t count = 0;
    TRY(m->search(m->self, t->mailbox->acknowledgement.evidence.folder, header, value, &uidvalidity,
                  &uid, &count, err));
    *found = count > 0;
    return RC_OK;
}

static enum rc
look(struct trial *t, const struct mailbox *m, bool *copy, bool *id_kept, struct err *err)
{
    int64_t until = clock_now(&t->clock).boot_ms + LOOK_FOR_MS;
    *copy = *id_kept = false;
    while (!*copy && clock_now(&t->clock).boot_ms < until) {
        TRY(look_once(t, m, "X-Onecase-Acknowledgement", t->effect, copy, err));
        if (!*copy)
            system_rest(SECONDS(1));
    }
    return *copy ? look_once(t, m, "Message-ID", str_z(&t->message_id), id_kept, err) : RC_OK;
}

static void find_trial(struct trial *t)
{
    const char *id = t->mailbox->id;
    struct endpoint endpoint = wire_endpoint(&t->mailbox->imap);
    struct imap_mailbox *imap = imap_mailbox_new(&endpoint, &t->clock, -1);
    struct mailbox port = imap_mailbox_port(imap);
    bool copy, id_kept;
    struct err err = ERR_INIT;
    enum rc rc = look(t, &port, &copy, &id_kept, &err);
    imap_mailbox_free(imap);
    if (rc != RC_OK)
        doctor_judge(t->x, rc, &err, "the copy of the test letter is looked for", id);
    else if (!copy)
        doctor_found(t->x, FINDING_WARNING,
                     "no copy came within 30 seconds; is evidence.folder the folder where this "
                     "server keeps sent mail?",
                     "the copy of the test letter", id);
    else if (!id_kept)
        doctor_found(t->x, FINDING_WARNING,
                     "the server replaces the Message-ID; our own header is found all the same",
                     "the copy of the test letter", id);
    else
        doctor_found(t->x, FINDING_GOOD, "",
                     "the copy of the test letter stands there, with its Message-ID", id);
}

void doctor_send(struct examining *x, const struct config_mailbox *mailbox, const char *to)
{
    struct trial t = {.x = x,
                      .mailbox = mailbox,
                      .clock = system_clock(),
                      .letter = STR_INIT,
                      .message_id = STR_INIT};
    struct err err = ERR_INIT;
    name_trial(&t);
    enum rc rc = write_trial(&t, to, &err);
    if (rc == RC_OK)
        rc = send_trial(&t, to, &err);
    if (doctor_judge(x, rc, &err, "a test letter was sent", mailbox->id) &&
        mailbox->acknowledgement.evidence.folder[0])
        find_trial(&t);
    str_clear(&t.letter);
    str_clear(&t.message_id);
}
