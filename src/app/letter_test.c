/* SPDX-License-Identifier: Apache-2.0 */
#include "letter_test.h"

#include "identify.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>

/* In place of the signature, which takes the ledger's secret. */
#define NO_PROOF "made-when-it-is-sent"

/* Takes a text over. */
static struct str take(struct str *from)
{
    struct str taken = *from;
    *from = (struct str)STR_INIT;
    return taken;
}

struct testing {
    const struct config_mailbox *mailbox;
    struct identified id;
    struct policy policy;
    struct plan plan;
    int64_t now_ms;
};

static void testing_clear(struct testing *t)
{
    plan_clear(&t->plan);
    identified_clear(&t->id);
}

void letter_shown_clear(struct letter_shown *shown)
{
    str_clear(&shown->octets);
    str_clear(&shown->subject);
    str_clear(&shown->text);
    str_clear(&shown->html);
}

/* As if it were the first mail ever, had just come, and every state were told. */
static void judge(struct testing *t, struct letter_shown *out)
{
    static const struct known nothing;
    struct arrival arrival = {
        .mailbox = t->mailbox->id,
        .folder = "",
        .internal_ms = t->now_ms,
        .identity = t->id.identity,
        .message_id = str_slice(&t->id.message_id),
        .source_digest = t->id.source_digest,
        .message = &t->id.message,
    };
    struct verdict verdict;
    struct policy policy = t->policy;
    for (size_t i = 0; i < COMPLETION_COUNT; i++)
        policy.tells[i] = true;
    policy_judge(&policy, &arrival, &nothing, t->now_ms, &verdict);
    plan_make(&policy, &arrival, &verdict, &t->plan);
    out->skip = verdict.skip;
}

static size_t exceptions_of(const struct testing *t, struct exception_facts *out, struct str *names)
{
    size_t count = 0;
    for (size_t i = 0; i < t->plan.attachments; i++) {
        const struct planned_attachment *a = &t->plan.attachment[i];
        if (!a->refused)
            continue;
        str_add(&names[count], message_slice(&t->id.message, t->id.message.parts[a->part].name));
        exception_parse(a->reason, &out[count].why);
        out[count].name = str_z(&names[count]);
        count++;
    }
    return count;
}

static void choose(const struct testing *t,
                   const struct letter_question *q,
                   bool exceptions,
                   struct letter_shown *out)
{
    const struct message *m = &t->id.message;
    out->completion = q->completion != COMPLETION_NONE
                          ? q->completion
                          : completion_of(DISPOSITION_CASE, exceptions);
    policy_languages(&t->policy, m, out->languages);
    if (q->language)
        language_list(slice_z(q->language), out->languages);
    if (!t->policy.tells[out->completion])
        out->skip = SKIP_NOT_CONFIGURED;
    struct slice recipient = policy_recipient(m);
    text_copy(out->recipient, sizeof out->recipient, "");
    if (recipient.len < sizeof out->recipient)
        memcpy(out->recipient, recipient.at, recipient.len);
}

static enum rc write_it(const struct testing *t,
                        const struct config *config,
                        const struct exception_facts *exception,
                        size_t exceptions,
                        struct letter_shown *out,
                        struct err *err)
{
    char effect[EFFECT_ID_SIZE];
    CLEANUP(str_clear) struct str subject = STR_INIT;
    CLEANUP(letter_writer_free) struct letter_writer *writer = NULL;
    struct letter_settings settings = wire_letters(config, &t->mailbox->acknowledgement);
    acknowledgement_id(t->id.identity.key, completion_text(out->completion), effect);
    str_add(&subject, message_slice(&t->id.message, t->id.message.subject));
    const struct acknowledgement_facts facts = {
        .mailbox = t->mailbox->id,
        .completion = out->completion,
        .effect = effect,
        .proof = NO_PROOF,
        .reference = t->id.reference,
        .recipient = out->recipient[0] ? out->recipient : "nobody@invalid",
        .subject = str_slice(&subject),
        .in_reply_to = str_slice(&t->id.message_id),
        .received_ms = t->now_ms,
        .date_ms = t->now_ms,
        .languages = out->languages,
        .exception = exception,
        .exceptions = exceptions,
    };
    TRY(letter_writer_new(&settings, &writer, err));
    CLEANUP(letter_texts_clear) struct letter_texts texts = {.language = ""};
    TRY(letter_writer_show(writer, &facts, &texts, err));
    text_copy(out->language, sizeof out->language, texts.language);
    out->subject = take(&texts.subject);
    out->text = take(&texts.text);
    out->html = take(&texts.html);
    struct composer composer = letter_writer_port(writer);
    return composer.compose(composer.self, &facts, &out->octets, err);
}

static enum rc show(struct testing *t,
                    const struct config *config,
                    const struct letter_question *q,
                    struct letter_shown *out,
                    struct err *err)
{
    judge(t, out);
    size_t room = t->plan.attachments + 1;
    CLEANUP(mem_free) struct exception_facts *exception = mem_new(room, sizeof *exception);
    struct str *names = mem_new(room, sizeof *names);
    size_t exceptions = exceptions_of(t, exception, names);
    choose(t, q, exceptions > 0, out);
    enum rc rc = out->skip == SKIP_NOT_CONFIGURED
                     ? RC_OK
                     : write_it(t, config, exception, exceptions, out, err);
    for (size_t i = 0; i < room; i++)
        str_clear(&names[i]);
    free(names);
    return rc;
}

enum rc letter_test(const struct config *config,
                    const struct letter_question *q,
                    struct letter_shown *out,
                    struct err *err)
{
    CLEANUP(testing_clear) struct testing t = {.id = {.message = MESSAGE_INIT}};
    struct clock clock = system_clock();
    *out = (struct letter_shown){.skip = SKIP_NONE};
    TRY(identify_file(config, q->path, q->mailbox, &t.id, err));
    t.mailbox = q->mailbox ? config_find_mailbox(config, q->mailbox) : config->mailboxes.at;
    if (!t.mailbox->acknowledgement.enabled)
        return FAIL(err, RC_REFUSED,
                    "mailbox '%s' sends no confirmations (acknowledgement.enabled)", t.mailbox->id);
    if (!t.id.readable)
        return FAIL(err, RC_REFUSED,
                    "the mail cannot be read: it would wait for a person, and nobody is told");
    t.now_ms = clock_now(&clock).wall_ms;
    config_policy(config, t.mailbox, &t.policy);
    text_copy(out->mailbox, sizeof out->mailbox, t.mailbox->id);
    text_copy(out->reference, sizeof out->reference, t.id.reference);
    return show(&t, config, q, out, err);
}
