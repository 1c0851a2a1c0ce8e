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

/* Where a copy may stand. Of the watched inbox it is taken out again: it is no request. */
struct copy_place {
    char folder[256];
    bool inbox;
};

#define PLACES_MOST 3

struct copy_places {
    struct copy_place at[PLACES_MOST];
    size_t count;
};

static void add_place(struct copy_places *places, const char *folder, bool inbox)
{
    for (size_t i = 0; i < places->count; i++)
        if (strcmp(places->at[i].folder, folder) == 0)
            return;
    if (folder[0] == '\0' || places->count == PLACES_MOST)
        return;
    struct copy_place *p = &places->at[places->count++];
    text_copy(p->folder, sizeof p->folder, folder);
    p->inbox = inbox;
}

/* The evidence folder, or the server's own of sent mail; and where the letter itself arrives, if it was sent
 * to the mailbox. */
static enum rc find_places(struct trial *t,
                           struct imap_mailbox *imap,
                           const char *to,
                           struct copy_places *out,
                           struct err *err)
{
    const struct config_mailbox *m = t->mailbox;
    CLEANUP(str_clear) struct str sent = STR_INIT;
    const char *folder = m->acknowledgement.evidence.folder;
    if (!folder[0])
        TRY(imap_mailbox_sent(imap, &sent, err));
    add_place(out, folder[0] ? folder : str_z(&sent), false);
    if (address_matches(slice_z(to), &m->own_addresses)) {
        add_place(out, m->folders.inbox, true);
        add_place(out, m->folders.processed, false);
    }
    return RC_OK;
}

/* What was found of the letter. */
struct copy_found {
    const struct copy_place *place; /* NULL: nothing */
    bool id_kept;
};

/* What is looked for, and where it was found; a UID of 0: it was not. */
struct copy_search {
    const char *header, *value;
    uint32_t uidvalidity, uid;
};

static enum rc look_once(const struct mailbox *m,
                         const struct copy_place *place,
                         struct copy_search *s,
                         struct err *err)
{
    CLEANUP(mem_free) uint32_t *found = NULL;
    size_t count = 0;
    enum rc rc = m->search(m->self, place->folder, s->header, s->value, &s->uidvalidity, &found,
                           &count, err);
    if (rc == RC_OK && count > 0)
        s->uid = found[0];
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* a folder that is not there holds no copy */
}

static enum rc look_in(struct trial *t,
                       const struct mailbox *m,
                       const struct copy_place *place,
                       struct copy_found *out,
                       struct err *err)
{
    struct copy_search ours = {.header = "X-Onecase-Acknowledgement", .value = t->effect};
    struct copy_search same = {.header = "Message-ID", .value = str_z(&t->message_id)};
    TRY(look_once(m, place, &ours, err));
    if (ours.uid == 0)
        return RC_OK;
    TRY(look_once(m, place, &same, err));
    out->place = place;
    out->id_kept = same.uid != 0;
    return place->inbox ? m->remove(m->self, place->folder, ours.uidvalidity, ours.uid, err)
                        : RC_OK;
}

static enum rc look(struct trial *t,
                    const struct mailbox *m,
                    const struct copy_places *places,
                    struct copy_found *out,
                    struct err *err)
{
    int64_t until = clock_now(&t->clock).boot_ms + LOOK_FOR_MS;
    while (!out->place && clock_now(&t->clock).boot_ms < until) {
        for (size_t i = 0; i < places->count && !out->place; i++)
            TRY(look_in(t, m, &places->at[i], out, err));
        if (!out->place)
            system_rest(SECONDS(1));
    }
    return RC_OK;
}

static void tell_found(struct trial *t, const struct copy_found *found)
{
    CLEANUP(str_clear) struct str what = STR_INIT;
    CLEANUP(str_clear) struct str mend = STR_INIT;
    const char *folder = found->place->folder;
    str_addf(&what, "the test letter stands in \"%s\", %s", folder,
             found->id_kept ? "with its Message-ID" : "and its Message-ID was replaced");
    if (!found->id_kept)
        str_addz(&mend, "nothing has to be done: our own header is found all the same");
    else if (!t->mailbox->acknowledgement.evidence.folder[0] && !found->place->inbox)
        str_addf(&mend,
                 "with evidence: {folder: \"%s\"} it is looked for where it is not known "
                 "whether one was sent",
                 folder);
    doctor_found(t->x, found->id_kept ? FINDING_GOOD : FINDING_WARNING, str_z(&mend), str_z(&what),
                 t->mailbox->id);
}

static void tell_nowhere(struct trial *t)
{
    CLEANUP(str_clear) struct str mend = STR_INIT;
    str_addf(
        &mend,
        "this server marks no folder of sent mail, and the address is none of `addresses`; look "
        "there whether its Message-ID is %s, or name the folder in evidence.folder",
        str_z(&t->message_id));
    doctor_found(t->x, FINDING_GOOD, str_z(&mend), "no copy of the test letter is looked for",
                 t->mailbox->id);
}

static void find_trial(struct trial *t, const char *to)
{
    struct endpoint endpoint = wire_endpoint(&t->mailbox->imap);
    struct imap_mailbox *imap = imap_mailbox_new(&endpoint, &t->clock, -1);
    struct mailbox port = imap_mailbox_port(imap);
    struct copy_places places = {.count = 0};
    struct copy_found found = {.place = NULL};
    struct err err = ERR_INIT;
    enum rc rc = find_places(t, imap, to, &places, &err);
    if (rc == RC_OK && places.count > 0)
        rc = look(t, &port, &places, &found, &err);
    imap_mailbox_free(imap);
    if (rc != RC_OK)
        doctor_judge(t->x, rc, &err, "the copy of the test letter is looked for", t->mailbox->id);
    else if (places.count == 0)
        tell_nowhere(t);
    else if (found.place)
        tell_found(t, &found);
    else
        doctor_found(t->x, FINDING_WARNING,
                     "no copy came within 30 seconds; is evidence.folder the folder where this "
                     "server keeps sent mail?",
                     "the copy of the test letter", t->mailbox->id);
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
    if (doctor_judge(x, rc, &err, "a test letter was sent", mailbox->id))
        find_trial(&t, to);
    str_clear(&t.letter);
    str_clear(&t.message_id);
}
