/* SPDX-License-Identifier: Apache-2.0 */
#include "letter.h"
#include <onecase/mustache.h>

#include <onecase/identity.h>
#include <onecase/letter_writer.h>
#include <onecase/when.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEMPLATE_MAX ((size_t)256 * 1024)

/* clang-format off */
const struct letter_field letter_fields[] = {
    { "reference",  "the reference of the case, such as HD-7K3M9QWX"                       },
    { "received",   "when the mail arrived, UTC"                                           },
    { "mailbox",    "the id of the mailbox it came to"                                     },
    { "subject",    "the subject of the mail: the sender's text, in no template of ours"   },
    { "exceptions", "list: the attachments that were not taken, each as {{name}}"          },
    { "name",       "inside {{#exceptions}}: the attachment's name as the sender wrote it" },
    { NULL, NULL },
};
/* clang-format on */

struct template
{
    struct str octets;
    struct slice subject, text; /* into octets */
};

struct letter_writer {
    struct template template[COMPLETION_COUNT];
    char *from_name, *from_address, *domain;
};

/* ---- reading templates ------------------------------------------------------------------------- */

static enum rc read_file(const char *path, struct str *out, struct err *err)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return FAIL(err, RC_REFUSED, "%s:1: the template cannot be read: %s", path,
                    strerror(errno));
    char piece[4096];
    for (size_t n; out->len <= TEMPLATE_MAX && (n = fread(piece, 1, sizeof piece, f)) > 0;)
        str_add(out, (struct slice){piece, n});
    bool bad = ferror(f) != 0;
    fclose(f);
    if (bad || out->len > TEMPLATE_MAX)
        return FAIL(err, RC_REFUSED, "%s:1: the template cannot be read, or is larger than 256 kB",
                    path);
    return RC_OK;
}

/* "Subject: …", an empty line, the text. */
static enum rc split(const char *path, struct template *t, struct err *err)
{
    struct slice all = str_slice(&t->octets);
    size_t end = slice_find(all, '\n', 0);
    struct slice first = slice_trim(slice_cut(all, 0, end));
    if (!slice_starts_nocase(first, SLICE("Subject:")))
        return FAIL(err, RC_REFUSED, "%s:1: the first line must be 'Subject: ...'", path);
    t->subject = slice_trim(slice_cut(first, strlen("Subject:"), first.len));
    size_t second = slice_find(all, '\n', end + 1);
    if (end >= all.len || slice_trim(slice_cut(all, end, second - end)).len > 0)
        return FAIL(err, RC_REFUSED, "%s:2: an empty line must follow the subject", path);
    t->text = slice_cut(all, second + 1, all.len);
    return RC_OK;
}

static enum rc load(const char *dir, const char *file, struct template *t, struct err *err)
{
    const char *known[LENGTH(letter_fields)] = {NULL};
    for (size_t i = 0; letter_fields[i].name; i++)
        known[i] = letter_fields[i].name;
    CLEANUP(str_clear) struct str path = STR_INIT;
    if (file[0] == '/')
        str_addz(&path, file);
    else
        str_addf(&path, "%s/%s", dir, file);
    TRY(read_file(str_z(&path), &t->octets, err));
    struct err why = ERR_INIT;
    enum rc rc = mustache_check(str_slice(&t->octets), known, &why);
    if (rc != RC_OK)
        return FAIL(err, rc, "%s:%s", str_z(&path), why.text);
    return split(str_z(&path), t, err);
}

enum rc letter_writer_new(const struct letter_settings *settings,
                          struct letter_writer **out,
                          struct err *err)
{
    CLEANUP(letter_writer_free) struct letter_writer *w = mem_new(1, sizeof *w);
    w->from_name = mem_text(settings->from_name ? settings->from_name : "");
    w->from_address = mem_text(settings->from_address);
    w->domain = mem_text(settings->domain);
    for (size_t i = 0; i < COMPLETION_COUNT; i++)
        if (settings->file[i] && settings->file[i][0])
            TRY(load(settings->templates_dir, settings->file[i], &w->template[i], err));
    letter_init();
    *out = STEAL(w);
    return RC_OK;
}

void letter_writer_free(struct letter_writer **writer)
{
    struct letter_writer *w = *writer;
    if (!w)
        return;
    for (size_t i = 0; i < COMPLETION_COUNT; i++)
        str_clear(&w->template[i].octets);
    free(w->from_name);
    free(w->from_address);
    free(w->domain);
    free(w);
    *writer = NULL;
}

/* ---- writing a letter -------------------------------------------------------------------------- */

static void fill(const struct template *t,
                 const struct acknowledgement_facts *facts,
                 struct str *subject,
                 struct str *text)
{
    char received[WHEN_TEXT_SIZE];
    when_text(facts->received_ms, received);
    const struct mustache_value value[] = {
        {.name = "reference", .text = slice_z(facts->reference)},
        {.name = "received", .text = slice_z(received)},
        {.name = "mailbox", .text = slice_z(facts->mailbox)},
        {.name = "subject", .text = facts->subject},
        {.name = "exceptions", .item = facts->exception, .items = facts->exceptions},
    };
    const struct mustache_scope scope = {value, LENGTH(value)};
    mustache_render(t->subject, &scope, subject);
    mustache_render(t->text, &scope, text);
}

static enum rc
compose(void *self, const struct acknowledgement_facts *facts, struct str *out, struct err *err)
{
    const struct letter_writer *w = self;
    const struct template *t =
        facts->completion < COMPLETION_COUNT ? &w->template[facts->completion] : NULL;
    if (!t || t->octets.len == 0)
        return FAIL(err, RC_REFUSED, "letter: no template is configured for '%s'",
                    completion_text(facts->completion));
    CLEANUP(str_clear) struct str subject = STR_INIT;
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str message_id = STR_INIT;
    fill(t, facts, &subject, &text);
    acknowledgement_message_id(facts->effect, w->domain, &message_id);
    struct letter_facts letter = {
        .from_name = w->from_name,
        .from_address = w->from_address,
        .message_id = str_z(&message_id),
        .subject = &subject,
        .text = &text,
        .facts = facts,
    };
    return letter_write(&letter, out, err);
}

struct composer letter_writer_port(struct letter_writer *writer)
{
    return (struct composer){.self = writer, .compose = compose};
}
