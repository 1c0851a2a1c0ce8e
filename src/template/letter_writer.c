/* SPDX-License-Identifier: Apache-2.0 */
#include "letter.h"
#include "texts.h"

#include <onecase/identity.h>
#include <onecase/letter_writer.h>
#include <onecase/mustache.h>
#include <onecase/when.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many attachments are named; of more, how many there are. */
#define NAMED_MAX 20

/* clang-format off */
const struct letter_field letter_fields[] = {
    { "reference",               "the reference of the case, such as HD-7K3M9QWX"                     },
    { "received",                "when the mail arrived, UTC"                                         },
    { "mailbox",                 "the id of the mailbox it came to"                                   },
    { "subject",                 "the subject of the mail: the sender's text, in no template of ours" },
    { "has_exceptions",          "a section: some attachments were not taken"                         },
    { "exceptions",              "list: these attachments"                                            },
    { "exceptions.name",         "the attachment's name, made safe to show"                           },
    { "exceptions.too_large",    "a section: it is larger than attachments.max_size"                  },
    { "exceptions.refused_type", "a section: files of its kind are refused"                           },
    { "exceptions.too_many",     "a section: it is beyond attachments.max_count"                      },
    { "exceptions.long_name",    "a section: its name is longer than attachments.max_name"            },
    { "exceptions.infected",     "a section: the virus scanner found something in it"                 },
    { "exceptions.not_scanned",  "a section: it is too large for the virus scanner"                   },
    { "more_exceptions",         "how many more were not taken than are listed; empty where none"     },
    { NULL, NULL },
};

/* The section of an exception's reason. */
static const char *const reason_sections[EXCEPTION_COUNT] = {
    [EXCEPTION_TOO_LARGE]   = "too_large",
    [EXCEPTION_TYPE]        = "refused_type",
    [EXCEPTION_TOO_MANY]    = "too_many",
    [EXCEPTION_NAME]        = "long_name",
    [EXCEPTION_INFECTED]    = "infected",
    [EXCEPTION_NOT_SCANNED] = "not_scanned",
};
/* clang-format on */

static_assert(LENGTH(letter_fields) <= LETTER_FIELDS_MAX, "there is room for every field");

struct letter_writer {
    struct letter_settings settings; /* its texts borrowed */
    struct text_set texts[COMPLETION_COUNT];
};

enum rc letter_writer_new(const struct letter_settings *settings,
                          struct letter_writer **out,
                          struct err *err)
{
    CLEANUP(letter_writer_free) struct letter_writer *w = mem_new(1, sizeof *w);
    w->settings = *settings;
    for (size_t i = 0; i < COMPLETION_COUNT; i++)
        TRY(texts_load(settings, settings->file[i], &w->texts[i], err));
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
        texts_clear(&w->texts[i]);
    free(w);
    *writer = NULL;
}

/* ---- the attachments that were not taken -------------------------------------------------------- */

/* What a template sees of one: its name, and the section of its reason. */
struct named {
    struct str name;
    struct mustache_value value[2];
};

struct naming {
    struct named at[NAMED_MAX];
    struct mustache_scope scope[NAMED_MAX];
    size_t count;
    char more[24]; /* how many are not named; "" is none */
};

/* A sender's text in a letter of ours: as safe as the name of a file that we would make. */
static void name_one(struct naming *n, const struct exception_facts *e)
{
    struct named *one = &n->at[n->count];
    const char *section = reason_sections[e->why];
    safe_name(slice_z(e->name), SLICE_EMPTY, &one->name);
    one->value[0] = (struct mustache_value){.name = "name", .text = str_slice(&one->name)};
    one->value[1] =
        (struct mustache_value){.name = section ? section : "", .text = slice_z(section)};
    n->scope[n->count++] = (struct mustache_scope){one->value, LENGTH(one->value)};
}

static void naming_begin(struct naming *n, const struct acknowledgement_facts *facts)
{
    *n = (struct naming){.count = 0};
    for (size_t i = 0; i < facts->exceptions && n->count < NAMED_MAX; i++)
        name_one(n, &facts->exception[i]);
    if (facts->exceptions > n->count)
        snprintf(n->more, sizeof n->more, "%zu", facts->exceptions - n->count);
}

static void naming_end(struct naming *n)
{
    for (size_t i = 0; i < n->count; i++)
        str_clear(&n->at[i].name);
}

/* ---- writing a letter -------------------------------------------------------------------------- */

/* The reference stands in every subject: an answer to the letter is known by it. */
static void fill_subject(const struct text *t,
                         const struct mustache_scope *scope,
                         const char *reference,
                         struct str *out)
{
    CLEANUP(str_clear) struct str subject = STR_INIT;
    CLEANUP(str_clear) struct str tag = STR_INIT;
    mustache_render(t->subject, scope, &subject);
    str_addf(&tag, "[%s]", reference);
    if (!slice_has(str_slice(&subject), str_slice(&tag)))
        str_addf(out, "%s ", str_z(&tag));
    str_add(out, str_slice(&subject));
}

static void fill(const struct text *t,
                 const struct acknowledgement_facts *facts,
                 const struct naming *n,
                 struct letter_texts *out)
{
    char received[WHEN_TEXT_SIZE];
    when_text(facts->received_ms, received);
    const struct mustache_value value[] = {
        {.name = "reference", .text = slice_z(facts->reference)},
        {.name = "received", .text = slice_z(received)},
        {.name = "mailbox", .text = slice_z(facts->mailbox)},
        {.name = "subject", .text = facts->subject},
        {.name = "has_exceptions", .text = slice_z(n->count > 0 ? "1" : "")},
        {.name = "exceptions", .row = n->scope, .rows = n->count},
        {.name = "more_exceptions", .text = slice_z(n->more)},
    };
    const struct mustache_scope scope = {value, LENGTH(value)};
    fill_subject(t, &scope, facts->reference, &out->subject);
    mustache_render(t->body, &scope, &out->text);
    mustache_render_page(str_slice(&t->html), &scope, &out->html);
}

void letter_texts_clear(struct letter_texts *texts)
{
    str_clear(&texts->subject);
    str_clear(&texts->text);
    str_clear(&texts->html);
}

enum rc letter_writer_show(const struct letter_writer *w,
                           const struct acknowledgement_facts *facts,
                           struct letter_texts *out,
                           struct err *err)
{
    const struct text *t =
        facts->completion < COMPLETION_COUNT
            ? texts_pick(&w->texts[facts->completion], &w->settings, facts->languages)
            : NULL;
    if (!t)
        return FAIL(err, RC_REFUSED, "letter: no template is configured for '%s'",
                    completion_text(facts->completion));
    struct naming naming;
    naming_begin(&naming, facts);
    fill(t, facts, &naming, out);
    naming_end(&naming);
    out->language = t->language;
    return RC_OK;
}

static enum rc
compose(void *self, const struct acknowledgement_facts *facts, struct str *out, struct err *err)
{
    const struct letter_writer *w = self;
    CLEANUP(letter_texts_clear) struct letter_texts texts = {.language = ""};
    CLEANUP(str_clear) struct str message_id = STR_INIT;
    TRY(letter_writer_show(w, facts, &texts, err));
    acknowledgement_message_id(facts->effect, w->settings.domain, &message_id);
    const struct letter_facts letter = {
        .from_name = w->settings.from_name ? w->settings.from_name : "",
        .from_address = w->settings.from_address,
        .message_id = str_z(&message_id),
        .language = texts.language,
        .subject = &texts.subject,
        .text = &texts.text,
        .html = texts.html.len > 0 ? &texts.html : NULL,
        .facts = facts,
    };
    return letter_write(&letter, out, err);
}

struct composer letter_writer_port(struct letter_writer *writer)
{
    return (struct composer){.self = writer, .compose = compose};
}
