/* SPDX-License-Identifier: Apache-2.0 */
#include "secrets.h"

#include <onecase/system.h>
#include <onecase/token.h>
#include <string.h>

/* One a set of settings; there are few, and each serves until the process ends. */
struct shared_source {
    struct shared_source *next;
    struct token_settings settings;
    struct token_source *source;
};

static struct shared_source *all;
static struct clock real_clock;

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same(const struct token_settings *a, const struct token_settings *b)
{
    return same_text(a->file, b->file) && same_text(a->command, b->command) &&
           same_text(a->url, b->url) && same_text(a->client_id, b->client_id) &&
           same_text(a->client_secret, b->client_secret) && same_text(a->scope, b->scope) &&
           same_text(a->refresh_token_file, b->refresh_token_file) &&
           same_text(a->key_file, b->key_file) && same_text(a->subject, b->subject) &&
           same_text(a->ca_file, b->ca_file) && same_text(a->proxy, b->proxy);
}

static struct token_settings settings_of(const struct config_auth *a)
{
    return (struct token_settings){
        .file = a->token_file,
        .command = a->token_command,
        .url = a->token_url,
        .client_id = a->client_id,
        .client_secret = a->client_secret,
        .scope = a->scope,
        .refresh_token_file = a->refresh_token_file,
        .key_file = a->key_file,
        .subject = a->subject,
    };
}

static struct secret_source shared(const struct token_settings *wanted)
{
    struct token_settings settings = *wanted;
    struct shared_source *k = all;
    while (k && !same(&k->settings, &settings))
        k = k->next;
    if (!k) {
        real_clock = system_clock();
        k = mem_new(1, sizeof *k);
        *k = (struct shared_source){all, settings, token_source_new(&settings, &real_clock)};
        all = k;
    }
    return (struct secret_source){
        .ctx = k->source, .get = token_source_get, .refused = token_source_refused};
}

struct secret_source secrets_of(const struct config_server *server)
{
    struct token_settings settings = settings_of(&server->auth);
    settings.ca_file = server->ca_file;
    settings.proxy = server->proxy;
    settings.timeout_ms = server->timeout_ms;
    return shared(&settings);
}

struct secret_source secrets_of_destination(const struct config_destination *destination)
{
    struct token_settings settings = settings_of(&destination->oauth);
    settings.ca_file = destination->ca_file;
    settings.proxy = destination->proxy;
    settings.timeout_ms = destination->timeout_ms;
    return shared(&settings);
}
