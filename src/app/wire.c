/* SPDX-License-Identifier: Apache-2.0 */
#include "wire.h"

#include "restore.h"
#include "secrets.h"
#include "wake.h"

#include <onecase/log.h>
#include <onecase/when.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH           200
#define BUSY_TIMEOUT_MS 10000
#define SNAPSHOTS       3

/* ---- servers ------------------------------------------------------------------------------------ */

static enum security security_of(enum config_security s)
{
    static const enum security of[] = {[CONFIG_TLS] = SECURITY_TLS,
                                       [CONFIG_STARTTLS] = SECURITY_STARTTLS,
                                       [CONFIG_PLAINTEXT] = SECURITY_NONE};
    return of[s];
}

static enum sign_in sign_in_of(enum config_method m)
{
    static const enum sign_in of[] = {[CONFIG_NO_SIGN_IN] = SIGN_IN_NONE,
                                      [CONFIG_PASSWORD] = SIGN_IN_PASSWORD,
                                      [CONFIG_SCRAM_SHA_256] = SIGN_IN_SCRAM_SHA_256,
                                      [CONFIG_SCRAM_SHA_1] = SIGN_IN_SCRAM_SHA_1,
                                      [CONFIG_CRAM_MD5] = SIGN_IN_CRAM_MD5,
                                      [CONFIG_PLAIN] = SIGN_IN_PLAIN,
                                      [CONFIG_LOGIN] = SIGN_IN_LOGIN,
                                      [CONFIG_XOAUTH2] = SIGN_IN_XOAUTH2,
                                      [CONFIG_OAUTHBEARER] = SIGN_IN_OAUTHBEARER};
    return of[m];
}

static const char *or_null(const char *text)
{
    return text && text[0] ? text : NULL;
}

struct endpoint wire_endpoint(const struct config_server *server)
{
    bool token = server->method == CONFIG_XOAUTH2 || server->method == CONFIG_OAUTHBEARER;
    return (struct endpoint){
        .host = server->host,
        .port = (uint16_t)server->port,
        .security = security_of(server->security),
        .allow_plaintext = server->allow_plaintext,
        .sign_in = sign_in_of(server->method),
        .username = server->username,
        .secret = token ? NULL : server->password,
        .source = token ? secrets_of(server) : (struct secret_source){.get = NULL},
        .ca_file = or_null(server->ca_file),
        .proxy = or_null(server->proxy),
        .timeout_ms = server->timeout_ms,
    };
}

struct smtp_settings wire_smtp(const struct config_acknowledgement *a)
{
    return (struct smtp_settings){
        .endpoint = wire_endpoint(&a->smtp),
        .connections = a->connections,
        .rate = a->rate,
        .final_timeout_ms = a->final_timeout_ms,
    };
}

/* ---- the ledger and the data folder ------------------------------------------------------------- */

/* Mailboxes that are one write one after another. */
static const char *turn_of(const struct config *config, const char *mailbox)
{
    const struct texts *group = &config->merge_across;
    for (size_t i = 0; i < group->count; i++)
        if (strcmp(group->at[i], mailbox) == 0)
            return group->at[0];
    return mailbox;
}

/* Of every mailbox; free(). */
static struct store_wait *waits_of(const struct config *config)
{
    struct store_wait *wait = mem_new(config->mailboxes.count + 1, sizeof *wait);
    for (size_t i = 0; i < config->mailboxes.count; i++) {
        const struct config_mailbox *m = &config->mailboxes.at[i];
        wait[i] = (struct store_wait){m->id, m->acknowledgement.final_timeout_ms,
                                      m->acknowledgement.evidence.wait_ms, turn_of(config, m->id)};
    }
    return wait;
}

static void tell_of_upgrade(const struct store *store)
{
    const struct store_upgrade *u = store_upgraded(store);
    if (u)
        log_event(LOG_NOTE, "ledger.upgraded", "from_schema=%zu to_schema=%zu snapshot=%s", u->from,
                  u->to, str_z(&u->snapshot));
}

static enum rc
open_store(const struct config *config, bool create, struct store **out, struct err *err)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    struct clock clock = system_clock();
    if (strcmp(config->ledger, "sqlite") == 0)
        str_addf(&path, "%s/ledger.db", config->data_dir);
    else
        str_addz(&path, config->ledger);
    CLEANUP(mem_free) struct store_wait *wait = waits_of(config);
    struct store_options options = {
        .path = str_z(&path),
        .wait = wait,
        .waits = config->mailboxes.count,
        .longest_delay_ms = config->max_delay_ms,
        .busy_timeout_ms = BUSY_TIMEOUT_MS,
        .create = create,
        .snapshots = SNAPSHOTS,
        .now_ms = clock_now(&clock).wall_ms,
    };
    digest_random(&options.secret_seed);
    TRY(store_open(&options, out, err));
    tell_of_upgrade(*out);
    return RC_OK;
}

bool wire_has_ledger(const struct config *config)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    if (strcmp(config->ledger, "sqlite") != 0)
        return true;
    if (restore_check_finished(config->data_dir, NULL) != RC_OK)
        return true;
    str_addf(&path, "%s/ledger.db", config->data_dir);
    return access(str_z(&path), F_OK) == 0 || errno != ENOENT;
}

enum rc wire_check_not_moved(const struct config *config, struct err *err)
{
    CLEANUP(store_close) struct store *store = NULL;
    CLEANUP(str_clear) struct str path = STR_INIT;
    struct store_options options = {
        .read_only = true, .skip_check = true, .busy_timeout_ms = BUSY_TIMEOUT_MS};
    struct err others = ERR_INIT;
    if (strcmp(config->ledger, "sqlite") != 0 || !wire_has_ledger(config))
        return RC_OK;
    str_addf(&path, "%s/ledger.db", config->data_dir);
    options.path = str_z(&path);
    return store_open(&options, &store, &others) == RC_OK ? store_check_not_moved(store, err)
                                                          : RC_OK;
}

enum rc wire_nothing(const struct config *config, struct wired_data *out, struct err *err)
{
    CLEANUP(mem_free) struct store_wait *wait = waits_of(config);
    struct store_options options = {
        .path = ":memory:", .create = true, .wait = wait, .waits = config->mailboxes.count};
    *out = (struct wired_data){0};
    digest_random(&options.secret_seed);
    TRY(store_open(&options, &out->store, err));
    out->ledger = store_ledger(out->store);
    out->views = store_views(out->store);
    return RC_OK;
}

enum rc wire_data(const struct config *config, bool create, struct wired_data *out, struct err *err)
{
    *out = (struct wired_data){0};
    TRY(restore_check_finished(config->data_dir, err));
    enum rc rc = stored_open(config, config->blobs, &out->stored, err);
    if (rc == RC_OK)
        rc = open_store(config, create, &out->store, err);
    if (rc != RC_OK) {
        wire_data_close(out);
        return rc;
    }
    out->files = out->stored.files;
    out->blobs = out->stored.blobs;
    out->ledger = store_ledger(out->store);
    out->views = store_views(out->store);
    return RC_OK;
}

void wire_data_close(struct wired_data *data)
{
    stored_close(&data->stored);
    store_close(&data->store);
}

void wire_look(const struct wired_data *data, struct installation *out)
{
    const struct files *files = &data->files;
    struct err err = ERR_INIT;
    *out = (struct installation){.version = ONECASE_VERSION, .disk_free = -1};
    if (files->space && files->space(files->self, &out->disk_free, &err) != RC_OK)
        out->disk_free = -1;
}

/* ---- settings ----------------------------------------------------------------------------------- */

/* Each mailbox has its share, so that all together keep to what the destination allows. */
static unsigned rate_share(const struct config *config, const struct config_destination *d)
{
    size_t mailboxes = config->mailboxes.count;
    if (!d || d->rate == 0)
        return 0;
    return d->rate < mailboxes ? 1 : d->rate / (unsigned)mailboxes;
}

static struct service_settings settings_of(const struct wired *w)
{
    const struct config *c = w->config;
    const struct config_mailbox *m = w->mailbox;
    const struct config_acknowledgement *a = &m->acknowledgement;
    struct service_settings s = {
        .inbox = m->folders.inbox,
        .claim_folder = m->folders.claim,
        .name = c->name,
        .environment = c->environment,
        .owner = c->owner,
        .version = ONECASE_VERSION,
        .sender = strcmp(a->envelope_from, "<>") == 0 ? "" : a->envelope_from,
        .domain = w->domain,
        .copy_to = a->evidence.copy_to,
        .evidence_folder = a->evidence.folder,
        .take_over = "",
        .first_import_recent_ms = m->first_import_recent_ms,
        .max_message_size = m->max_message_size,
        .lease_ms = c->lease_ms,
        .final_timeout_ms = a->final_timeout_ms,
        .evidence_wait_ms = a->evidence.wait_ms,
        .give_up_after_ms = c->give_up_after_ms,
        .poll_ms = m->poll_interval_ms,
        .disk_reserve = c->disk_reserve,
        .accept_unscanned = c->scan.too_large == CONFIG_TOO_LARGE_ACCEPT,
        .settle_ms = w->desk.config ? w->desk.config->settle_ms : 0,
        .destination_rate = rate_share(c, w->desk.config),
        .retry = {.first_ms = c->first_delay_ms, .max_ms = c->max_delay_ms},
        .batch = BATCH,
    };
    config_policy(c, m, &s.policy);
    return s;
}

struct key_rule *wire_key_rules(const struct config *config)
{
    size_t count = config->key_rules.count;
    struct key_rule *rule = mem_new(count + 1, sizeof *rule);
    for (size_t i = 0; i < count; i++) {
        const struct config_key_rule *r = &config->key_rules.at[i];
        rule[i] = (struct key_rule){r->space,
                                    r->from,
                                    r->header,
                                    r->subject,
                                    r->use == CONFIG_USE_DIGEST,
                                    r->require == CONFIG_REQUIRE_DMARC_PASS};
    }
    return rule;
}

/* ---- what answers ------------------------------------------------------------------------------- */

static const char *domain_part(const char *address)
{
    const char *at = strrchr(address ? address : "", '@');
    return at ? at + 1 : "localhost";
}

struct letter_settings wire_letters(const struct config *config,
                                    const struct config_acknowledgement *a)
{
    struct letter_settings letter = {
        .from_name = a->from_name,
        .from_address = a->from_address,
        .domain = domain_part(a->from_address),
        .templates_dir = config->templates_dir,
        .language = a->language,
        .languages = a->languages,
        .html = a->html,
    };
    for (size_t i = 0; i < COMPLETION_COUNT; i++)
        letter.file[i] = a->templates[i];
    return letter;
}

enum rc wire_check_letters(const struct config *config, struct str *problems)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; i < config->mailboxes.count; i++) {
        const struct config_acknowledgement *a = &config->mailboxes.at[i].acknowledgement;
        CLEANUP(letter_writer_free) struct letter_writer *writer = NULL;
        struct letter_settings letter = wire_letters(config, a);
        struct err why = ERR_INIT;
        if (!a->enabled || letter_writer_new(&letter, &writer, &why) == RC_OK)
            continue;
        rc = RC_USAGE;
        if (!slice_has(str_slice(problems), slice_z(why.text)))
            str_addf(problems, "%s\n", why.text);
    }
    return rc;
}

static enum rc open_answers(struct wired *w, struct err *err)
{
    const struct config_acknowledgement *a = &w->mailbox->acknowledgement;
    if (!a->enabled)
        return RC_OK;
    struct letter_settings letter = wire_letters(w->config, a);
    TRY(letter_writer_new(&letter, &w->writer, err));
    w->composer = letter_writer_port(w->writer);
    struct smtp_settings smtp = wire_smtp(a);
    w->smtp = smtp_courier_new(&smtp, &w->clock);
    w->smtp_port = smtp_courier_port(w->smtp);
    return RC_OK;
}

struct reader_limits wire_limits(const struct config *config, const struct config_mailbox *mailbox)
{
    const struct config_reader *r = &config->reader;
    return (struct reader_limits){
        .message_octets = mailbox->max_message_size,
        .header_octets = r->header,
        .header_lines = r->header_lines,
        .field_octets = r->field,
        .parameters = r->parameters,
        .boundaries = r->multiparts,
        .comparisons = r->comparisons,
        .starts = r->parts,
        .leaves = r->attachments,
        .decoded_octets = r->decoded,
        .repairs = r->repairs,
        .text_octets = r->text,
        .html_octets = r->html,
        .name_octets = r->name_length,
        .addresses = r->addresses,
        .references = r->references,
        .seconds = r->time_ms / 1000,
        .cpu_seconds = r->cpu_time_ms / 1000,
        .memory_octets = READER_MEMORY > 0 ? r->memory : READER_MEMORY,
    };
}

/* What needs a folder of its own: the lock of the run, and the spool of the reader. */
static enum rc open_folder(struct wired *w, const char *folder, struct err *err)
{
    struct reader_limits limits = wire_limits(w->config, w->mailbox);
    TRY(system_processes_open(folder, &w->system, err));
    w->processes = system_processes_port(w->system);
    TRY(message_reader_new(folder, &limits, &w->reader, err));
    w->reader_port = message_reader_port(w->reader);
    return RC_OK;
}

enum rc wire_move_in(struct wired *wired, const char *folder, struct err *err)
{
    message_reader_free(&wired->reader);
    system_processes_close(&wired->system);
    return open_folder(wired, folder, err);
}

struct clamd_settings wire_clamd(const struct config *config)
{
    return (struct clamd_settings){config->scan.socket, config->scan.timeout_ms};
}

static void open_scanner(struct wired *w)
{
    struct clamd_settings settings = wire_clamd(w->config);
    if (!settings.socket[0])
        return;
    w->clamd = clamd_new(&settings, &w->clock);
    w->scanner = clamd_port(w->clamd);
}

static enum rc open_all(struct wired *w, struct err *err)
{
    TRY(wire_data(w->config, true, &w->data, err));
    TRY(open_folder(w, w->config->data_dir, err));
    w->stored_reader = (struct stored_reader){w->reader_port, &w->data.stored, 0};
    w->reader_port = stored_reader_port(&w->stored_reader);
    w->imap_endpoint = wire_endpoint(&w->mailbox->imap);
    w->imap = imap_mailbox_new(&w->imap_endpoint, &w->clock, wake_fd());
    imap_mailbox_renew(w->imap, w->mailbox->idle_interval_ms);
    w->imap_port = imap_mailbox_port(w->imap);
    open_scanner(w);
    return open_answers(w, err);
}

enum rc wire_open(const struct config *config,
                  const struct config_mailbox *mailbox,
                  struct wired *out,
                  struct err *err)
{
    *out = (struct wired){.config = config, .mailbox = mailbox, .clock = system_clock()};
    out->domain = mem_text(domain_part(mailbox->acknowledgement.from_address));
    const struct config_destination *destination = config_find_destination(config);
    if (destination) {
        desk_open(destination, &out->desk);
        out->destination = http_destination_port(out->desk.made);
    }
    enum rc rc = open_all(out, err);
    if (rc != RC_OK) {
        wire_close(out);
        return rc;
    }
    out->ports = (struct service_ports){
        .ledger = &out->data.ledger,
        .mailbox = &out->imap_port,
        .courier = out->smtp ? &out->smtp_port : NULL,
        .destination = destination ? &out->destination : NULL,
        .blobs = &out->data.blobs,
        .files = &out->data.files,
        .reader = &out->reader_port,
        .scanner = out->clamd ? &out->scanner : NULL,
        .composer = &out->composer,
        .clock = &out->clock,
        .processes = &out->processes,
    };
    out->settings = settings_of(out);
    out->key_rule = wire_key_rules(config);
    out->settings.policy.key_rule = out->key_rule;
    out->settings.policy.key_rules = config->key_rules.count;
    return RC_OK;
}

void wire_close(struct wired *wired)
{
    letter_writer_free(&wired->writer);
    desk_close(&wired->desk);
    clamd_free(&wired->clamd);
    smtp_courier_free(wired->smtp);
    imap_mailbox_free(wired->imap);
    message_reader_free(&wired->reader);
    system_processes_close(&wired->system);
    wire_data_close(&wired->data);
    free(wired->domain);
    free(wired->key_rule);
    *wired = (struct wired){0};
}
