/* SPDX-License-Identifier: Apache-2.0
 *
 * judge_mail DATA_DIR FILE... - what each mail is to us, as one line of JSON each.
 *
 * Files are given relative to DATA_DIR, and judged in order by the real reader, identity and policy;
 * each mail that became an item is known to those after it. Own address helpdesk@example.org,
 * mailbox "help", everything else as configured by default.
 */
#include <onecase/message_reader.h>
#include <onecase/policy.h>
#include <onecase/source.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS       INT64_C(86400000)
#define SAME_KEY_MAX 64

static const char *const own[] = {"helpdesk@example.org"};

static const struct policy policy = {
    .mailbox = "help",
    .reference_prefix = "HD-",
    .own_addresses = {own, LENGTH(own)},
    .tells = {[COMPLETION_ACCEPTED] = true, [COMPLETION_ACCEPTED_WITH_EXCEPTIONS] = true},
    .max_age_ms = 7 * DAY_MS,
    .list_copies = COPY_DUPLICATE,
    .gateway_copies = COPY_PROPOSE,
    .reopen_closed = true,
    .attachment_max = 25000000,
    .folder_processed = "Processed",
    .folder_duplicates = "Processed",
    .folder_unprocessable = "",
    .destination = "ledger",
};

/* Everything about one mail; it stays, since what is known of it is borrowed from it. */
struct mail {
    struct source source;
    struct message message;
    struct identity identity;
    struct verdict verdict;
    bool read;
    struct err err;
};

struct desk {
    struct reader reader;
    const char *data_dir;
    struct mail *mails;
    size_t count;
};

static bool read_source(const char *data_dir, const char *name, struct source *out)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    struct source_reading *reading = source_reading_new();
    char piece[65536];
    size_t got = 0;
    FILE *file;

    str_addf(&path, "%s/%s", data_dir, name);
    file = fopen(str_z(&path), "rb");
    while (file != NULL && (got = fread(piece, 1, sizeof piece, file)) > 0)
        source_reading_add(reading, (struct slice){piece, got});
    if (file != NULL)
        fclose(file);
    source_reading_done(&reading, out);
    return file != NULL;
}

static struct known_item known_of(const struct mail *m)
{
    struct known_item item = {
        .disposition = m->verdict.disposition,
        .state = m->verdict.state,
        .same_key = true,
        .source_digest = m->source.source_digest,
        .payload_digest = message_payload_digest(&m->message),
        .payload_version = PAYLOAD_DIGEST_VERSION,
        .signs = m->message.signs,
        .from = message_slice(&m->message, m->message.from),
        .subject = message_slice(&m->message, m->message.subject),
        .text = message_slice(&m->message, m->message.text),
        .has_date = m->message.has_date,
        .date_ms = m->message.date_ms,
    };

    memcpy(item.key, m->identity.key, sizeof item.key);
    return item;
}

static void judge(struct desk *desk, struct mail *m)
{
    struct known_item items[SAME_KEY_MAX];
    struct known known = {.item = items};
    struct arrival arrival = {
        .mailbox = "help",
        .folder = "INBOX",
        .uidvalidity = 1,
        .uid = (uint32_t)desk->count + 1,
        .internal_ms = 20000 * DAY_MS,
        .size = m->source.size,
        .octets = m->source.octets,
        .identity = m->identity,
        .message_id = str_slice(&m->source.message_id),
        .source_digest = m->source.source_digest,
        .message = m->read ? &m->message : NULL,
        .held = m->read ? REASON_NONE : REASON_UNPROCESSABLE,
    };

    for (size_t i = 0; i < desk->count && known.items < SAME_KEY_MAX; i++)
        if (strcmp(desk->mails[i].identity.key, m->identity.key) == 0 &&
            !desk->mails[i].verdict.settled_by)
            items[known.items++] = known_of(&desk->mails[i]);
    policy_judge(&policy, &arrival, &known, arrival.internal_ms, &m->verdict);
}

/* JSON */

static json_t *text_or_null(struct slice text)
{
    json_t *value = text.len > 0 ? json_stringn(text.at, text.len) : NULL;

    return value != NULL ? value : json_null();
}

static json_t *member(const struct message *m, struct span where)
{
    return text_or_null(message_slice(m, where));
}

static json_t *list(const struct message *m, struct span where)
{
    json_t *all = json_array();
    struct slice rest = message_slice(m, where);
    struct slice item;

    while (message_next(&rest, &item))
        json_array_append_new(all, text_or_null(item));
    return all;
}

static json_t *attachments(const struct message *m)
{
    json_t *all = json_array();

    for (size_t i = 0; i < m->part_count; i++) {
        const struct message_part *part = &m->parts[i];
        char hex[DIGEST_HEX_SIZE];
        json_t *one = json_object();

        if (part->role != PART_ATTACHMENT) {
            json_decref(one);
            continue;
        }
        digest_hex(&part->sha256, hex);
        json_object_set_new(one, "name", member(m, part->name));
        json_object_set_new(one, "type", member(m, part->type));
        json_object_set_new(one, "size", json_integer(part->size));
        json_object_set_new(one, "sha256", json_string(hex));
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *types(const struct message *m)
{
    json_t *all = json_array();

    for (size_t i = 0; i < m->part_count; i++)
        json_array_append_new(all, member(m, m->parts[i].type));
    return all;
}

static json_t *signs(uint32_t of)
{
    json_t *all = json_array();

#define SIGN(name, bit, meaning)                                                                   \
    if ((of & (bit)) != 0)                                                                         \
        json_array_append_new(all, json_string(#name));
    SIGN_LIST(SIGN)
#undef SIGN
    return all;
}

static void print(const char *name, const struct mail *mail)
{
    const struct message *m = &mail->message;
    const struct verdict *v = &mail->verdict;
    bool told = v->disposition == DISPOSITION_CASE && !v->settled_by && v->skip == SKIP_NONE;
    json_t *o = json_object();
    char *text;

    json_object_set_new(o, "file", json_string(name));
    json_object_set_new(o, "error", mail->read ? json_null() : json_string(mail->err.text));
    json_object_set_new(o, "key", json_string(mail->identity.key));
    json_object_set_new(o, "key_source", json_string(key_source_text(mail->identity.source)));
    json_object_set_new(o, "message_id", text_or_null(str_slice(&mail->source.message_id)));
    json_object_set_new(o, "date_ms", m->has_date ? json_integer(m->date_ms) : json_null());
    json_object_set_new(o, "from", member(m, m->from));
    json_object_set_new(o, "from_name", member(m, m->from_name));
    json_object_set_new(o, "reply_to", list(m, m->reply_to));
    json_object_set_new(o, "to", list(m, m->to));
    json_object_set_new(o, "cc", list(m, m->cc));
    json_object_set_new(o, "subject", member(m, m->subject));
    json_object_set_new(o, "text", member(m, m->text));
    json_object_set_new(o, "list_id", member(m, m->list_id));
    json_object_set_new(o, "reported", list(m, m->reported));
    json_object_set_new(o, "report_action", member(m, m->report_action));
    json_object_set_new(o, "attachments", attachments(m));
    json_object_set_new(o, "types", types(m));
    json_object_set_new(o, "signs", signs(m->signs));
    json_object_set_new(o, "class", json_string(delivery_class_text(v->class)));
    json_object_set_new(o, "disposition", json_string(disposition_text(v->disposition)));
    json_object_set_new(o, "ack", json_boolean(told));
    json_object_set_new(o, "skip", json_string(v->settled_by ? "duplicate" : skip_text(v->skip)));
    text = json_dumps(o, JSON_COMPACT);
    puts(text != NULL ? text : "null");
    free(text);
    json_decref(o);
}

static void handle(struct desk *desk, const char *name)
{
    desk->mails = mem_grow(desk->mails, desk->count + 1, sizeof *desk->mails);

    struct mail *m = &desk->mails[desk->count];

    *m = (struct mail){.source = SOURCE_INIT, .message = MESSAGE_INIT, .err = ERR_INIT};
    if (!read_source(desk->data_dir, name, &m->source)) {
        fprintf(stderr, "judge_mail: %s: cannot be read\n", name);
        exit(66);
    }
    m->read = desk->reader.read(desk->reader.self, name, &m->message, &m->err) == RC_OK;
    m->identity = m->source.message_id.len > 0
                      ? identity_message_id("help", str_slice(&m->source.message_id))
                      : identity_digest("help", &m->source.source_digest);
    judge(desk, m);
    print(name, m);
    desk->count++;
}

int main(int argc, char **argv)
{
    struct desk desk = {.count = 0};
    struct message_reader *reader = NULL;
    struct err err = ERR_INIT;

    if (argc < 3) {
        fprintf(stderr, "usage: judge_mail DATA_DIR FILE...\n");
        return 64;
    }
    if (message_reader_new(argv[1], &reader_limits_default, &reader, &err) != RC_OK) {
        fprintf(stderr, "judge_mail: %s\n", err.text);
        return 74;
    }
    desk.reader = message_reader_port(reader);
    desk.data_dir = argv[1];
    for (int i = 2; i < argc; i++)
        handle(&desk, argv[i]);
    for (size_t i = 0; i < desk.count; i++) {
        source_clear(&desk.mails[i].source);
        message_clear(&desk.mails[i].message);
    }
    free(desk.mails);
    message_reader_free(&reader);
    return 0;
}
