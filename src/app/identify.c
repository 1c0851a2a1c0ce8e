/* SPDX-License-Identifier: Apache-2.0 */
#include "identify.h"

#include "scratch.h"
#include "wire.h"

#include <onecase/source.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct identifying {
    const struct config *config;
    const struct config_mailbox *mailbox;
    const char *key_mailbox; /* whose id goes into the key */
    struct scratch scratch;
    struct str header; /* of the file, for key rules */
    struct digest octets;
    struct source source;
};

void identified_clear(struct identified *id)
{
    str_clear(&id->immutable_id);
    str_clear(&id->message_id);
    free(id->tried);
    message_clear(&id->message);
}

/* ---- the file becomes an original in the scratch folder --------------------------------------------- */

#define HEADER_MAX ((size_t)1024 * 1024)

static enum rc copy(struct identifying *i, FILE *f, struct err *err)
{
    const struct blobs *blobs = &i->scratch.blobs;
    struct blob_writing *w = NULL;
    struct source_reading *reading = source_reading_new();
    char piece[16384];
    enum rc rc = blobs->begin(blobs->self, &w, err);
    for (size_t n; rc == RC_OK && (n = fread(piece, 1, sizeof piece, f)) > 0;) {
        struct slice octets = {piece, n};
        source_reading_add(reading, octets);
        str_add(&i->header, slice_cut(octets, 0, HEADER_MAX - i->header.len));
        rc = blobs->add(blobs->self, w, octets, err);
    }
    source_reading_done(&reading, &i->source);
    if (rc != RC_OK) {
        blobs->drop(blobs->self, &w);
        return rc;
    }
    i->octets = i->source.octets;
    TRY(blobs->keep_incoming(blobs->self, &w, &i->octets, err));
    return blobs->settle(blobs->self, err);
}

static enum rc take_file(struct identifying *i, const char *path, struct err *err)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return FAIL(err, errno == ENOENT ? RC_NOT_FOUND : RC_BROKEN, "%s: %s", path,
                    strerror(errno));
    enum rc rc = copy(i, f, err);
    fclose(f);
    return rc;
}

/* ---- who it is ---------------------------------------------------------------------------------------- */

static void by_content(const struct identifying *i, struct identified *out)
{
    char hex[DIGEST_HEX_SIZE];
    digest_hex(&i->source.source_digest, hex);
    out->identity = identity_digest(i->key_mailbox, &i->source.source_digest);
    str_addf(&out->immutable_id, "digest:%s", hex);
}

static void by_message_id(const struct identifying *i, struct identified *out)
{
    if (i->source.message_id.len == 0) {
        by_content(i, out);
        return;
    }
    out->identity = identity_message_id(i->key_mailbox, str_slice(&i->source.message_id));
    str_add(&out->immutable_id, str_slice(&i->source.message_id));
}

/* The rules one after the other, as they are when a mail comes. */
static const struct key_rule *try_rules(const struct identifying *i,
                                        const struct policy *policy,
                                        struct str *value,
                                        struct identified *out)
{
    out->tried = mem_new(policy->key_rules + 1, sizeof *out->tried);
    for (size_t n = 0; out->readable && n < policy->key_rules; n++) {
        const struct key_rule *rule = &policy->key_rule[n];
        struct rule_tried *t = &out->tried[out->tried_count++];
        text_copy(t->name, sizeof t->name, rule->digest ? "use: digest" : rule->space);
        t->fit = key_rule_fit(rule, &out->message, str_slice(&i->header), value);
        if (t->fit == RULE_FITS)
            return rule;
    }
    return NULL;
}

static void
name_it(const struct identifying *i, const struct policy *policy, struct identified *out)
{
    CLEANUP(str_clear) struct str value = STR_INIT;
    const struct key_rule *rule = try_rules(i, policy, &value, out);
    if (rule)
        text_copy(out->rule, sizeof out->rule, rule->digest ? "use: digest" : rule->space);
    if (!rule) {
        by_message_id(i, out);
    } else if (rule->digest) {
        by_content(i, out);
    } else {
        out->identity = identity_reference(i->key_mailbox, rule->space, str_slice(&value));
        str_addf(&out->immutable_id, "reference:%s:", rule->space);
        str_add(&out->immutable_id, str_slice(&value));
    }
    reference_of(policy->reference_prefix, out->identity.key, REFERENCE_DIGITS, out->reference);
}

/* As if it were the first mail ever, and had just come. */
static void judge(const struct identifying *i, const struct policy *policy, struct identified *out)
{
    static const struct known nothing;
    struct clock clock = system_clock();
    int64_t now = clock_now(&clock).wall_ms;
    struct arrival arrival = {
        .mailbox = i->mailbox->id,
        .folder = "",
        .internal_ms = now,
        .octets = i->octets,
        .identity = out->identity,
        .message_id = str_slice(&i->source.message_id),
        .source_digest = i->source.source_digest,
        .message = out->readable ? &out->message : NULL,
    };
    struct verdict verdict;
    policy_judge(policy, &arrival, &nothing, now, &verdict);
    out->skip = verdict.skip;
}

static enum rc read_it(struct identifying *i, struct identified *out, struct err *err)
{
    char path[BLOB_PATH_SIZE];
    struct err why = ERR_INIT;
    CLEANUP(message_reader_free) struct message_reader *reader = NULL;
    blob_path_incoming(&i->octets, path);
    struct reader_limits limits = wire_limits(i->config, i->mailbox);
    TRY(message_reader_new(i->scratch.path, &limits, &reader, err));
    struct reader port = message_reader_port(reader);
    enum rc rc = port.look(port.self, path, &out->message, &why);
    out->readable = rc == RC_OK;
    return rc == RC_OK || rc == RC_REFUSED ? RC_OK : FAIL(err, rc, "%s", why.text);
}

static enum rc
identify(struct identifying *i, const char *path, struct identified *out, struct err *err)
{
    struct policy policy;
    CLEANUP(mem_free) struct key_rule *rules = wire_key_rules(i->config);
    TRY(take_file(i, path, err));
    TRY(read_it(i, out, err));
    config_policy(i->config, i->mailbox, &policy);
    i->key_mailbox = policy_key_mailbox(&policy);
    authentication_mark(&policy.authentication, str_slice(&i->header), &out->message);
    out->dmarc = authentication_dmarc(&policy.authentication, str_slice(&i->header));
    policy.key_rule = rules;
    policy.key_rules = i->config->key_rules.count;
    str_add(&out->message_id, str_slice(&i->source.message_id));
    out->source_digest = i->source.source_digest;
    name_it(i, &policy, out);
    judge(i, &policy, out);
    if (out->readable) {
        out->payload_digest = message_payload_digest(&out->message);
        out->fingerprint = message_fingerprint(&out->message);
    }
    return RC_OK;
}

enum rc identify_file(const struct config *config,
                      const char *path,
                      const char *mailbox,
                      struct identified *out,
                      struct err *err)
{
    struct identifying i = {.config = config, .header = STR_INIT, .source = SOURCE_INIT};
    *out = (struct identified){.message = MESSAGE_INIT};
    i.mailbox = mailbox ? config_find_mailbox(config, mailbox) : config->mailboxes.at;
    if (!i.mailbox)
        return FAIL(err, RC_USAGE, "there is no mailbox '%s' in the configuration", mailbox);
    enum rc rc = scratch_open(&i.scratch, err);
    if (rc == RC_OK)
        rc = identify(&i, path, out, err);
    scratch_close(&i.scratch);
    str_clear(&i.header);
    source_clear(&i.source);
    return rc;
}
