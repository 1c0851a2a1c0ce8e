/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <onecase/spec.h>
#include <string.h>

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

static void line(const char *name, struct slice value)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str plain = STR_INIT;
    str_add(&text, value);
    plain_text(str_z(&text), &plain);
    printf("%-18s%s\n", name, plain.len > 0 ? str_z(&plain) : "none");
}

static void digest_line(const char *name, const struct digest *d)
{
    char hex[DIGEST_HEX_SIZE];
    digest_hex(d, hex);
    line(name, slice_z(hex));
}

static void identified_page(const struct identified *id)
{
    line("Key", slice_z(id->identity.key));
    line("From", slice_z(key_source_text(id->identity.source)));
    line("Case", slice_z(id->reference));
    line("Message-ID", str_slice(&id->message_id));
    line("Key rule", slice_z(id->rule));
    digest_line("Source digest", &id->source_digest);
    if (!id->readable) {
        printf("It cannot be read: it would be held, with its original kept.\n");
        return;
    }
    digest_line("Payload digest", &id->payload_digest);
    digest_line("Fingerprint", &id->fingerprint);
    if (id->skip == SKIP_NONE)
        line("Confirmation", SLICE("would be sent"));
    else
        printf("%-18snot sent: %s\n", "Confirmation", label("skip", skip_text(id->skip)));
}

int cmd_identify(struct call *call)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct identified id = {.message_id = STR_INIT};
    struct err err = ERR_INIT;
    const char *file = args_get(&call->args, "FILE");
    enum rc rc =
        call->ops->identify(call->ops->self, file, args_get(&call->args, "--mailbox"), &id, &err);
    if (rc == RC_OK && call->json) {
        json_identified(&id, &out);
        print(&out);
    } else if (rc == RC_OK) {
        identified_page(&id);
    }
    identified_clear(&id);
    return rc == RC_OK ? EXIT_DONE : failed(&err);
}

/* ---- doctor --------------------------------------------------------------------------------------------- */

static void tell(void *ctx, const struct check_result *r)
{
    static const char *const plain[] = {"ok     ", "warning", "BAD    "};
    static const char *const coloured[] = {"\033[32mok     \033[0m", "\033[33mwarning\033[0m",
                                           "\033[31mBAD    \033[0m"};
    const struct call *call = ctx;
    printf("%s %s\n", call->terminal ? coloured[r->finding] : plain[r->finding], r->what);
    if (r->mend && r->mend[0])
        printf("        %s\n", r->mend);
    fflush(stdout);
}

int cmd_doctor(struct call *call)
{
    struct err err = ERR_INIT;
    enum rc rc =
        call->ops->doctor(call->ops->self, args_get(&call->args, "--send-to"), tell, call, &err);
    if (rc == RC_OK)
        return EXIT_DONE;
    return rc == RC_REFUSED ? EXIT_NO : failed(&err);
}

/* ---- help and completion ---------------------------------------------------------------------------------- */

static void help_line(const struct command *c)
{
    int words = (int)strcspn(c->pattern, "[");
    while (words > 0 && c->pattern[words - 1] == ' ')
        words--;
    printf("  %-32.*s %s\n", words, c->pattern, c->summary);
}

int cmd_help(struct call *call)
{
    const char *name = args_get(&call->args, "COMMAND");
    bool found = false;
    if (!name) {
        printf("onecase [-c FILE] COMMAND ...\n\n"
               "One e-mail, one case, one confirmation, whatever crashes, repeats or times out in "
               "between.\n\n");
        for (size_t i = 0; i < command_count; i++)
            help_line(&commands[i]);
        printf("\nFILE is $ONECASE_CONFIG, else /etc/onecase/onecase.yaml. 'onecase help COMMAND' "
               "says more.\n"
               "A period is a duration (12h, 7d) or a date (2026-03-02). --json is for scripts.\n");
        return EXIT_DONE;
    }
    for (size_t i = 0; i < command_count; i++) {
        size_t len = strlen(name);
        if (strncmp(commands[i].pattern, name, len) != 0 ||
            (commands[i].pattern[len] != ' ' && commands[i].pattern[len]))
            continue;
        printf("%sonecase %s\n\n  %s\n", found ? "\n" : "", commands[i].pattern,
               commands[i].summary);
        found = true;
    }
    return found ? EXIT_DONE : usage("there is no command '%s'; 'onecase help' lists them", name);
}

static void print_words(const char *by)
{
    for (size_t i = 0; i < command_count; i++) {
        size_t n = strcspn(commands[i].pattern, " ");
        bool again = i > 0 && strncmp(commands[i - 1].pattern, commands[i].pattern, n + 1) == 0;
        if (!again)
            printf("%s%.*s", i > 0 ? by : "", (int)n, commands[i].pattern);
    }
}

/* The options of a command, as they stand in its pattern. */
static void print_options(const char *pattern, const char *before)
{
    for (const char *p = strstr(pattern, "--"); p; p = strstr(p + 2, "--"))
        printf("%s%.*s", before, (int)strcspn(p, " ]|"), p);
}

static void bash(void)
{
    printf("_onecase() {\n    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    print_words(" ");
    printf("\" -- \"$word\"))\n        return\n    fi\n    case $command in\n");
    for (size_t i = 0; i < command_count; i++) {
        printf("    %.*s) COMPREPLY=($(compgen -W \"", (int)strcspn(commands[i].pattern, " "),
               commands[i].pattern);
        print_options(commands[i].pattern, " ");
        printf("\" -- \"$word\")) ;;\n");
    }
    printf("    esac\n}\ncomplete -F _onecase onecase\n");
}

static void zsh(void)
{
    printf("#compdef onecase\nlocal -a commands\ncommands=(\n");
    for (size_t i = 0; i < command_count; i++)
        printf("  '%.*s:%s'\n", (int)strcspn(commands[i].pattern, " "), commands[i].pattern,
               commands[i].summary);
    printf(")\n_describe command commands\n");
}

static void fish(void)
{
    for (size_t i = 0; i < command_count; i++) {
        int n = (int)strcspn(commands[i].pattern, " ");
        printf("complete -c onecase -n __fish_use_subcommand -f -a %.*s -d '%s'\n", n,
               commands[i].pattern, commands[i].summary);
        for (const char *p = strstr(commands[i].pattern, "--"); p; p = strstr(p + 2, "--"))
            printf("complete -c onecase -n '__fish_seen_subcommand_from %.*s' -l %.*s\n", n,
                   commands[i].pattern, (int)strcspn(p + 2, " ]|"), p + 2);
    }
}

int cmd_completion(struct call *call)
{
    /* clang-format off */
    static const struct { const char *shell; void (*print)(void); } shells[] = {
        { "bash", bash }, { "zsh", zsh }, { "fish", fish },
    };
    /* clang-format on */
    const char *shell = args_get(&call->args, "bash|zsh|fish");
    for (size_t i = 0; i < LENGTH(shells); i++)
        if (strcmp(shells[i].shell, shell) == 0)
            shells[i].print();
    return EXIT_DONE;
}
