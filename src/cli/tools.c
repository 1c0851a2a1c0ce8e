/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <onecase/spec.h>
#include <stdlib.h>

int cmd_version(struct call *call)
{
    printf("onecase %s\n", call->host->version);
    return EXIT_DONE;
}

int cmd_spec(struct call *call)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    (void)call;
    spec_print(&out);
    print(&out);
    return EXIT_DONE;
}

int cmd_config(struct call *call)
{
    (void)call;
    config_print_reference(stdout);
    return EXIT_DONE;
}

/* ---- identify ------------------------------------------------------------------------------------------ */

static void digest_line(const struct call *call, const char *name, const struct digest *d)
{
    char hex[DIGEST_HEX_SIZE];
    digest_hex(d, hex);
    say_line(call, name, hex);
}

static void rules_tried(const struct call *call, const struct identified *id)
{
    for (size_t i = 0; i < id->tried_count; i++) {
        const struct rule_tried *t = &id->tried[i];
        CLEANUP(str_clear) struct str line = STR_INIT;
        str_addf(&line, "%zu, %s: %s", i + 1, t->name, label("rule", rule_fit_text(t->fit)));
        say_line(call, i == 0 ? "Key rules" : "", str_z(&line));
    }
}

static void identified_page(const struct call *call, const struct identified *id)
{
    CLEANUP(str_clear) struct str answer = STR_INIT;
    bool answered = id->skip == SKIP_NONE;
    say_line(call, "Key", id->identity.key);
    say_line(call, "Made from", label("source", key_source_text(id->identity.source)));
    say_line(call, "Case", id->reference);
    say_line(call, "Message-ID", id->message_id.len > 0 ? str_z(&id->message_id) : "none");
    rules_tried(call, id);
    if (call->ops->config->authentication.authserv_id[0])
        say_line(call, "DMARC", label("dmarc", dmarc_text(id->dmarc)));
    digest_line(call, "Source", &id->source_digest);
    if (!id->readable) {
        say_line(call, "Content", "it cannot be read: it would be held, with its original kept");
        return;
    }
    digest_line(call, "Payload", &id->payload_digest);
    digest_line(call, "Fingerprint", &id->fingerprint);
    str_addf(&answer, "%s%s", answered ? "would be sent" : "none: ",
             answered ? "" : label("skip", skip_text(id->skip)));
    say_line(call, "Confirmation", str_z(&answer));
}

int cmd_identify(struct call *call)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct identified id = {.message_id = STR_INIT};
    struct err err = ERR_INIT;
    const char *mailbox, *file = args_get(&call->args, "FILE");
    enum rc rc = asked_mailbox(call, &mailbox, &err);
    if (rc == RC_OK)
        rc = call->ops->identify(call->ops->self, file, mailbox, &id, &err);
    if (rc == RC_OK && call->json) {
        json_identified(&id, &out);
        print(&out);
    } else if (rc == RC_OK) {
        identified_page(call, &id);
    }
    identified_clear(&id);
    return rc == RC_OK ? EXIT_DONE : failed(&err);
}

/* ---- doctor --------------------------------------------------------------------------------------------- */

struct findings {
    const struct call *call;
    struct check_result *at; /* only for JSON; borrows its texts */
    char **text;             /* two a finding */
    size_t count;
};

static void findings_clear(struct findings *f)
{
    for (size_t i = 0; i < 2 * f->count; i++)
        free(f->text[i]);
    free(f->text);
    free(f->at);
}

static void keep(struct findings *f, const struct check_result *r)
{
    f->at = mem_grow(f->at, f->count + 1, sizeof *f->at);
    f->text = mem_grow(f->text, 2 * (f->count + 1), sizeof *f->text);
    char **text = f->text + 2 * f->count;
    text[0] = mem_text(r->what);
    text[1] = mem_text(r->mend);
    f->at[f->count++] = (struct check_result){r->finding, text[0], text[1]};
}

/* Each as soon as it is found: a server that does not answer takes its time. */
static void tell(void *ctx, const struct check_result *r)
{
    static const char *const words[] = {"ok     ", "warning", "BAD    "};
    static const char *const colours[] = {"\033[32m", "\033[33m", "\033[31m"};
    struct findings *f = ctx;
    if (f->call->json) {
        keep(f, r);
        return;
    }
    bool colour = f->call->terminal;
    printf("%s%s%s ", colour ? colours[r->finding] : "", words[r->finding],
           colour ? "\033[0m" : "");
    plain_wrap(r->what, 8, f->call->width, stdout);
    if (r->mend && r->mend[0]) {
        printf("        ");
        plain_wrap(r->mend, 8, f->call->width, stdout);
    }
    fflush(stdout);
}

static int all_told(const struct findings *findings, enum rc rc, struct err *err)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    if (rc != RC_OK && rc != RC_REFUSED)
        return failed(err);
    if (findings->call->json) {
        json_checks(findings->at, findings->count, &out);
        print(&out);
    }
    return rc == RC_OK ? EXIT_DONE : EXIT_NO;
}

int cmd_doctor(struct call *call)
{
    CLEANUP(findings_clear) struct findings findings = {.call = call};
    struct err err = ERR_INIT;
    const struct operations *ops = call->ops;
    enum rc rc = ops->doctor(ops->self, args_get(&call->args, "--send-to"),
                             args_has(&call->args, "--since-last"), tell, &findings, &err);
    return all_told(&findings, rc, &err);
}

int cmd_destination_test(struct call *call)
{
    CLEANUP(findings_clear) struct findings findings = {.call = call};
    struct err err = ERR_INIT;
    const struct operations *ops = call->ops;
    enum rc rc =
        ops->destination_test(ops->self, args_get(&call->args, "NAME"), tell, &findings, &err);
    return all_told(&findings, rc, &err);
}
