/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_CONFIG "/etc/onecase/onecase.yaml"

/* ---- the terminal ------------------------------------------------------------------------------------ */

/* What the operator says (COLUMNS) goes before what the terminal says; a pipe may be as wide as it wants. */
static size_t width_of_output(bool terminal)
{
    struct winsize size;
    unsigned long said = strtoul(environment("COLUMNS"), NULL, 10);
    if (said > 0 && said < 10000)
        return said;
    if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        return size.ws_col;
    return 0;
}

/* https://no-color.org, and terminals that have none. */
static bool wants_colour(void)
{
    return !environment("NO_COLOR")[0] && strcmp(environment("TERM"), "dumb") != 0;
}

static bool reader_has_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

/* What could not be written was not said: a full disk behind a pipe is an error, too. A reader that has
 * gone, such as `head`, has seen enough. */
static int flushed(int status)
{
    bool failed_before = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) == 0 && !failed_before)
        return status;
    if (errno == EPIPE || reader_has_gone())
        return status;
    fprintf(stderr, "onecase: the output could not be written%s\n",
            errno == ENOSPC ? ": the disk is full" : "");
    return EXIT_IO;
}

/* ---- which command ----------------------------------------------------------------------------------- */

static const struct command *find(char *const *argv, size_t argc)
{
    const struct command *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < command_count; i++) {
        size_t n = pattern_words(commands[i].pattern, argv, argc);
        if (n > most) {
            most = n;
            best = &commands[i];
        }
    }
    return best;
}

/* "report" by itself: what may follow it, "report duplicates". Gives whether there is any. */
static bool continuations(const char *word, struct str *out)
{
    size_t len = strlen(word);
    for (size_t i = 0; i < command_count; i++) {
        const char *p = commands[i].pattern;
        if (strncmp(p, word, len) == 0 && p[len] == ' ')
            str_addf(out, "%s'%.*s'", out->len > 0 ? ", " : "", own_words(&commands[i]), p);
    }
    return out->len > 0;
}

/* How many letters two words share at their start; good enough to guess what was meant. */
static size_t likeness(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

static int no_such_command(const char *word)
{
    const struct command *near = &commands[0];
    CLEANUP(str_clear) struct str longer = STR_INIT;
    if (continuations(word, &longer))
        return usage("'%s' is not whole: %s", word, str_z(&longer));
    for (size_t i = 1; i < command_count; i++)
        if (likeness(commands[i].pattern, word) > likeness(near->pattern, word))
            near = &commands[i];
    if (likeness(near->pattern, word) == 0)
        return usage("there is no command '%s'; 'onecase help' lists them", word);
    return usage("there is no command '%s'; did you mean '%.*s'? 'onecase help' lists them", word,
                 (int)strcspn(near->pattern, " "), near->pattern);
}

/* ---- running it -------------------------------------------------------------------------------------- */

static int run_opened(const struct command *c, struct call *call, const char *config_path)
{
    struct operations ops = {.config = NULL};
    struct err err = ERR_INIT;
    CLEANUP(str_clear) struct str problems = STR_INIT;
    enum rc rc = call->host->open(call->host->self, config_path, c->needs, &ops, &problems, &err);
    if (rc != RC_OK) /* what was opened until then */
        call->host->close(call->host->self, &ops);
    if (rc != RC_OK && c->run == cmd_check)
        return check_unknown(problems.len > 0 ? "the configuration is refused" : err.text);
    if (rc != RC_OK && problems.len > 0) {
        fputs(str_z(&problems), stderr);
        return EXIT_CONFIG;
    }
    if (rc != RC_OK)
        return failed(&err);
    call->ops = &ops;
    if (ops.no_ledger && c->run != cmd_check)
        fprintf(stderr, "onecase: there is no ledger in '%s' yet: 'onecase run' makes it\n",
                ops.config->data_dir);
    int status = c->run(call);
    call->host->close(call->host->self, &ops);
    return status;
}

static int wrongly_typed(const struct command *c, char *const *argv, size_t argc, struct err *err)
{
    usage("%s", err->text);
    for (size_t i = 1; i < argc; i++)
        if (strcmp(argv[i], "-c") == 0)
            fprintf(stderr, "-c FILE comes before the command: onecase -c FILE %s ...\n", argv[0]);
    usage_of(c, stderr);
    return EXIT_USAGE;
}

static bool asks_for_help(char *const *argv, size_t argc)
{
    for (size_t i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static int
dispatch(const struct cli_host *host, char *const *argv, size_t argc, const char *config_path)
{
    struct call call = {
        .host = host, .config_path = config_path, .now_ms = host->now_ms(host->self)};
    struct err err = ERR_INIT;
    const struct command *c = find(argv, argc);
    bool terminal = isatty(STDOUT_FILENO) == 1;
    call.terminal = terminal && wants_colour();
    call.width = width_of_output(terminal);
    if (!c)
        return no_such_command(argv[0]);
    if (asks_for_help(argv, argc)) {
        help_one(&call, c);
        return EXIT_DONE;
    }
    if (pattern_match(c->pattern, argv, argc, &call.args, &err) != RC_OK)
        return wrongly_typed(c, argv, argc, &err);
    call.json = args_has(&call.args, "--json");
    return c->needs == NEEDS_NOTHING ? c->run(&call) : run_opened(c, &call, config_path);
}

/* Options that stand for a command. */
static const char *meant_by(const char *option)
{
    /* clang-format off */
    static const struct { const char *option, *command; } rows[] = {
        { "--help", "help" }, { "-h", "help" }, { "--version", "version" }, { "-V", "version" },
    };
    /* clang-format on */
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (strcmp(rows[i].option, option) == 0)
            return rows[i].command;
    return NULL;
}

static int run_word(const struct cli_host *host, const char *word)
{
    char room[16];
    char *const argv[] = {room};
    text_copy(room, sizeof room, word);
    return dispatch(host, argv, 1, "");
}

int cli_main(int argc, char **argv, const struct cli_host *host)
{
    const char *config = environment("ONECASE_CONFIG");
    size_t count = argc > 0 ? (size_t)argc : 0, at = 1;
    if (count > at && strcmp(argv[at], "-c") == 0) {
        if (count < at + 2)
            return usage("-c needs the configuration file: onecase -c FILE COMMAND");
        config = argv[at + 1];
        at += 2;
    }
    if (!config[0])
        config = DEFAULT_CONFIG;
    if (at >= count)
        return usage("say what to do: 'onecase help' lists the commands");
    const char *command = meant_by(argv[at]);
    if (command)
        return flushed(run_word(host, command));
    if (argv[at][0] == '-')
        return usage("there is no option %s here; 'onecase help' lists what there is", argv[at]);
    return flushed(dispatch(host, argv + at, count - at, config));
}
