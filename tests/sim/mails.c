/* SPDX-License-Identifier: Apache-2.0 */
#include "mails.h"

#include "world.h"

#include <onecase/source.h>
#include <onecase/when.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *address, *about;
} senders[] = {
    {"ann@customer.example", "Printer on fire"}, {"bob@customer.example", "Cannot sign in"},
    {"eve@other.example", "Invoice 77"},         {"dan@third.example", "Broken link"},
    {"kim@fourth.example", "New chair"},
};

static const struct mail_attachment shelf[] = {
    {"photo.jpg", "image/jpeg", false, {{0}}},
    {"log.txt", "text/plain", false, {{0}}},
    {"setup.exe", "application/x-msdownload", true, {{0}}},
};

void mails_end(struct world *world)
{
    while (world->mails.first != NULL) {
        struct mail *mail = world->mails.first;

        world->mails.first = mail->next;
        str_clear(&mail->octets);
        str_clear(&mail->message_id);
        free(mail);
    }
}

static struct mail *mail_new(struct world *world, enum mail_kind kind)
{
    struct mail *mail = mem_new(1, sizeof *mail);

    mail->kind = kind;
    mail->next = world->mails.first;
    world->mails.first = mail;
    return mail;
}

static void field(struct mail *mail, const char *name, const char *value)
{
    if (value != NULL && value[0] != '\0')
        str_addf(&mail->octets, "%s: %s\r\n", name, value);
}

static const char *report_action(enum mail_kind kind)
{
    return kind == MAIL_BOUNCE ? "failed" : NULL;
}

/* The header fields that make a mail what its kind says. */
static void kind_fields(struct mail *mail)
{
    char named[EFFECT_ID_SIZE + 32] = "";

    if (mail->effect[0] != '\0')
        snprintf(named, sizeof named, "<ack.%s@" OWN_DOMAIN ">", mail->effect);
    if (mail->kind == MAIL_REPLY || mail->kind == MAIL_STRANGER || mail->kind == MAIL_ABSENCE)
        field(mail, "In-Reply-To", named);
    if (mail->kind == MAIL_BOUNCE) {
        field(mail, "Return-Path", "<>");
        field(mail, "X-Report", report_action(mail->kind));
        field(mail, "X-Reported", named);
    }
    if (mail->kind == MAIL_ABSENCE || mail->kind == MAIL_AUTOMATIC)
        field(mail, "Auto-Submitted", "auto-replied");
    if (mail->kind == MAIL_LIST_COPY)
        field(mail, "List-Id", "Helpers <helpers.lists.example>");
    if (mail->kind == MAIL_FORGED) {
        field(mail, "X-Onecase-Acknowledgement", mail->effect);
        field(mail, "X-Onecase-Proof", "00000000000000000000000000000000");
    }
    if (mail->kind == MAIL_UNREADABLE)
        field(mail, "X-Unreadable", "yes");
}

static void write_header(struct mail *mail)
{
    char date[WHEN_TEXT_SIZE];
    const char *prefix = mail->kind == MAIL_REPLY || mail->kind == MAIL_STRANGER ? "Re: " : "";

    when_mail_text(mail->date_ms, date);
    str_addf(&mail->octets, "From: <%s>\r\n", mail->from);
    field(mail, "To", OWN_ADDRESS);
    str_addf(&mail->octets, "Subject: %s%s%s\r\n", prefix,
             mail->kind == MAIL_LIST_COPY ? "[helpers] " : "", mail->about);
    field(mail, "Date", date);
    field(mail, "Message-ID", str_z(&mail->message_id));
    kind_fields(mail);
    str_addz(&mail->octets, "\r\n");
}

static void write_body(struct mail *mail)
{
    unsigned text = mail->kind == MAIL_LIST_COPY ? mail->of->number : mail->number;

    str_addf(&mail->octets, "Dear desk, this is text %u.\r\n", text);
    if (mail->kind == MAIL_LIST_COPY)
        str_addz(&mail->octets, "-- \r\nSent by the list\r\n");
    for (size_t i = 0; i < mail->attachments; i++) {
        struct mail_attachment *a = &mail->attachment[i];
        size_t from;

        str_addf(&mail->octets, "=attachment %s %s\r\n", a->name, a->type);
        from = mail->octets.len;
        str_addf(&mail->octets, "octets %zu of mail %u\r\n", i, mail->number);
        a->sha256 = sha256_of(slice_cut(str_slice(&mail->octets), from, mail->octets.len));
    }
}

static size_t attachment_count(struct world *world)
{
    unsigned most = world->scenario.attachments;

    if (most == 0 || world->scenario.steady)
        return most;
    return rng_below(&world->rng, most + 1);
}

static void choose_attachments(struct world *world, struct mail *mail)
{
    if (mail->kind == MAIL_EXCEPTIONS) {
        mail->attachment[mail->attachments++] = shelf[0];
        mail->attachment[mail->attachments++] = shelf[2];
    } else if (mail->kind == MAIL_REQUEST || mail->kind == MAIL_CONFLICT ||
               mail->kind == MAIL_REPLY) {
        size_t count = attachment_count(world);

        for (size_t i = 0; i < count && i < 2; i++)
            mail->attachment[mail->attachments++] = shelf[i];
    }
}

/* The keys that the contract gives it (section 2): computed here, compared with the ledger's. */
static void name_it(struct mail *mail)
{
    struct source source = SOURCE_INIT;
    struct identity own, conflict;

    source_of(str_slice(&mail->octets), &source);
    mail->digest = source.octets;
    own = mail->message_id.len > 0 ? identity_message_id(MAILBOX_ID, str_slice(&mail->message_id))
                                   : identity_digest(MAILBOX_ID, &source.source_digest);
    conflict = identity_conflict(MAILBOX_ID, &source.source_digest);
    memcpy(mail->key, own.key, sizeof mail->key);
    memcpy(mail->conflict_key, conflict.key, sizeof mail->conflict_key);
    source_clear(&source);
}

static const char *sender_of(const struct mail *mail, const struct mail *of)
{
    if (mail->kind == MAIL_BOUNCE)
        return "mailer-daemon@relay.example";
    if (mail->kind == MAIL_STRANGER)
        return "mallory@stranger.example";
    if (mail->kind == MAIL_ABSENCE)
        return "colleague@customer.example";
    if (mail->kind == MAIL_FORGED)
        return OWN_ADDRESS;
    if (of != NULL)
        return of->from;
    return senders[(mail->number - 1) % LENGTH(senders)].address;
}

struct mail *
mail_write(struct world *world, enum mail_kind kind, const struct mail *of, const char *effect)
{
    struct mail *mail = mail_new(world, kind);
    bool copies_id = kind == MAIL_CONFLICT || kind == MAIL_LIST_COPY;
    int64_t date_ms = world_wall_ms(world) - (kind == MAIL_OLD ? DAYS(2) : SECONDS(30));

    mail->number = ++world->mails.count;
    mail->of = of;
    snprintf(mail->effect, sizeof mail->effect, "%s", effect);
    mail->from = sender_of(mail, of);
    mail->about = of != NULL ? of->about : senders[(mail->number - 1) % LENGTH(senders)].about;
    if (copies_id && of != NULL)
        str_add(&mail->message_id, str_slice(&of->message_id));
    else if (kind != MAIL_NAMELESS)
        str_addf(&mail->message_id, "<m%u.%08x@mail.example>", mail->number, (unsigned)world->seed);
    if (kind == MAIL_LIST_COPY && of != NULL)
        date_ms = of->date_ms;
    mail->date_ms = date_ms - date_ms % SECONDS(1);
    choose_attachments(world, mail);
    write_header(mail);
    write_body(mail);
    name_it(mail);
    return mail;
}

struct mail *mail_of_ours(struct world *world, struct slice octets)
{
    struct digest digest = sha256_of(octets);
    struct mail *mail = mail_by_octets(world, &digest);

    if (mail != NULL)
        return mail;
    mail = mail_new(world, MAIL_OURS);
    str_add(&mail->octets, octets);
    name_it(mail);
    return mail;
}

struct mail *mail_by_octets(const struct world *world, const struct digest *octets)
{
    for (struct mail *mail = world->mails.first; mail != NULL; mail = mail->next)
        if (digest_eq(&mail->digest, octets))
            return mail;
    return NULL;
}

const char *mail_kind_text(enum mail_kind kind)
{
#define MAIL_KIND_TEXT(name, what) what,
    static const char *const texts[MAIL_KIND_COUNT] = {MAIL_KIND_LIST(MAIL_KIND_TEXT)};
#undef MAIL_KIND_TEXT
    return texts[kind];
}

const char *mail_label(const struct world *world, const char *key)
{
    static char label[4][32];
    static unsigned turn;
    char *out = label[turn++ % 4];

    for (const struct mail *mail = world->mails.first; mail != NULL; mail = mail->next) {
        bool conflict = strcmp(mail->conflict_key, key) == 0;

        if (mail->number > 0 && mail->kind != MAIL_CONFLICT && strcmp(mail->key, key) == 0)
            return snprintf(out, sizeof label[0], "m%u", mail->number), out;
        if (mail->number > 0 && conflict)
            return snprintf(out, sizeof label[0], "m%u (a conflict)", mail->number), out;
    }
    snprintf(out, sizeof label[0], "%.10s", key);
    return out;
}
