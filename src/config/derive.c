/* SPDX-License-Identifier: Apache-2.0 */
#include "reading.h"
#include "texts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECRET_MAX 8192

/* clang-format off */
static const unsigned imap_ports[] = {[CONFIG_TLS] = 993, [CONFIG_STARTTLS] = 143, [CONFIG_PLAINTEXT] = 143};
static const unsigned smtp_ports[] = {[CONFIG_TLS] = 465, [CONFIG_STARTTLS] = 587, [CONFIG_PLAINTEXT] = 25};
/* clang-format on */

static const char *keep(struct reading *r, struct slice text)
{
    return memory_text(r->context.memory, text);
}

/* Secrets */

/* At most SECRET_MAX octets, or -1: it could be opened a moment ago. */
static ssize_t read_start(const char *path, char out[SECRET_MAX])
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return -1;
    ssize_t got = read(fd, out, SECRET_MAX);

    close(fd);
    return got;
}

/* The first line of the file, which must be all of it; "" after a problem. */
static const char *read_secret(struct reading *r, const char *const *path)
{
    char octets[SECRET_MAX];

    if ((*path)[0] == '\0')
        return "";
    ssize_t got = read_start(*path, octets);
    struct slice line = {octets, got > 0 ? (size_t)got : 0};

    if (line.len > 0 && octets[line.len - 1] == '\n')
        line.len--;
    if (line.len > 0 && octets[line.len - 1] == '\r')
        line.len--;
    if (line.len > 0 && line.len < SECRET_MAX - 2 && is_plain(line))
        return keep(r, line);
    problem_at(r->problems, PLACE_OF(r, NULL, path),
               "\"%s\" holds no secret: expected one line and nothing else", *path);
    return "";
}

static void derive_server(struct reading *r, struct config_server *s, const unsigned ports[])
{
    if (!reading_has(r, &s->port))
        s->port = ports[s->security];
    if (s->password_file[0] != '\0')
        s->password = read_secret(r, &s->password_file);
    s->auth.client_secret = read_secret(r, &s->auth.client_secret_file);
    s->method = s->auth.method;
    if (s->method == CONFIG_NO_SIGN_IN && s->password[0] != '\0')
        s->method = CONFIG_PASSWORD;
}

static void keep_places(struct reading *r, struct config_request *q)
{
#define MEMBER_OF(part) &q->part,
    const void *const member[] = {CONFIG_PART_LIST(MEMBER_OF)};

    for (size_t i = 0; i < CONFIG_PART_COUNT; i++) {
        struct place place = reading_place(r, q, (const void *const[]){member[i], NULL});
        q->place[i] = (struct config_place){place.line, place.column};
    }
}

static void keep_all_places(struct reading *r, struct config_destination *d)
{
    struct config_request *const request[] = {&d->create,   &d->find,   &d->read,     &d->append,
                                              &d->appended, &d->attach, &d->attached, &d->close,
                                              &d->remove,   &d->session};

    for (size_t i = 0; i < LENGTH(request); i++)
        keep_places(r, request[i]);
}

static void derive_destination(struct reading *r, struct config_destination *d)
{
    if (d->password_file[0] != '\0')
        d->password = read_secret(r, &d->password_file);
    if (d->authorization_file[0] != '\0')
        d->authorization = read_secret(r, &d->authorization_file);
    d->oauth.client_secret = read_secret(r, &d->oauth.client_secret_file);
    keep_all_places(r, d);
}

/* Addresses */

static void derive_sender(struct reading *r, struct config_acknowledgement *a)
{
    struct slice name;
    struct slice address;

    a->from_name = "";
    a->from_address = "";
    if (a->from[0] != '\0' && sender_split(slice_z(a->from), &name, &address)) {
        a->from_name = keep(r, name);
        a->from_address = keep(r, address);
    }
    if (a->envelope_from[0] == '\0')
        a->envelope_from = a->from_address;
}

static bool has_text(const char *const *at, size_t count, struct slice text)
{
    for (size_t i = 0; i < count; i++)
        if (slice_eq_nocase(slice_z(at[i]), text))
            return true;
    return false;
}

static const char *lower(struct reading *r, const char *text)
{
    struct slice slice = slice_z(text);
    char *copy = memory_get(r->context.memory, slice.len + 1, 1);

    for (size_t i = 0; i < slice.len; i++)
        copy[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
    return copy;
}

static void derive_own_addresses(struct reading *r, struct config_mailbox *m)
{
    const char *more[] = {
        m->acknowledgement.from_address,
        m->acknowledgement.envelope_from,
        m->imap.username,
        m->acknowledgement.smtp.username,
    };
    size_t count = m->addresses.count;
    const char **at = memory_get(r->context.memory, count + LENGTH(more), sizeof *at);

    if (count > 0)
        memcpy(at, m->addresses.at, count * sizeof *at);
    for (size_t i = 0; i < LENGTH(more); i++)
        if (is_address(slice_z(more[i])) && !has_text(at, count, slice_z(more[i])))
            at[count++] = lower(r, more[i]);
    m->own_addresses = (struct texts){at, count};
}

/* All of it */

static void derive_acknowledgement(struct reading *r, struct config_acknowledgement *a)
{
    derive_server(r, &a->smtp, smtp_ports);
    derive_sender(r, a);
}

static void derive_mailbox(struct reading *r, struct config_mailbox *m)
{
    derive_server(r, &m->imap, imap_ports);
    derive_acknowledgement(r, &m->acknowledgement);
    derive_own_addresses(r, m);
    if (m->folders.duplicates[0] == '\0')
        m->folders.duplicates = m->folders.processed;
}

static void derive_notify(struct reading *r, struct config *c)
{
    struct config_notify *n = &c->notify;
    struct slice name, address;

    n->from_name = "onecase";
    n->from_address = c->acknowledgement.from_address;
    if (n->from[0] != '\0' && sender_split(slice_z(n->from), &name, &address)) {
        n->from_name = keep(r, name);
        n->from_address = keep(r, address);
    }
    n->webhook_secret = read_secret(r, &n->webhook_secret_file);
}

static const char *host_name(struct reading *r)
{
    char name[65] = "";

    if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0')
        return "onecase";
    return keep(r, slice_z(name));
}

void derive_all(struct reading *r, const char *templates_dir)
{
    struct config *c = r->config;

    if (c->name[0] == '\0')
        c->name = host_name(r);
    if (c->templates_dir[0] == '\0')
        c->templates_dir = keep(r, slice_z(templates_dir));
    derive_acknowledgement(r, &c->acknowledgement);
    if (c->s3.secret_key_file[0] != '\0')
        c->s3.secret_key = read_secret(r, &c->s3.secret_key_file);
    for (size_t i = 0; i < c->destinations.count; i++)
        derive_destination(r, &c->destinations.at[i]);
    derive_notify(r, c);
    for (size_t i = 0; i < c->webhooks.count; i++)
        c->webhooks.at[i].secret = read_secret(r, &c->webhooks.at[i].secret_file);
    for (size_t i = 0; i < c->mailboxes.count; i++)
        derive_mailbox(r, &c->mailboxes.at[i]);
}
