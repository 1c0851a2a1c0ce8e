/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_CONFIG "/etc/onecase/onecase.yaml"

/* ---- what every command says in the same way -------------------------------------------------------- */

int failed(const struct err *err)
{
    /* clang-format off */
    static const int exits[RC_COUNT] = {
        [RC_OK] = EXIT_DONE,           [RC_DEFERRED] = EXIT_NOT_YET, [RC_REFUSED] = EXIT_UNREACHABLE,
        [RC_CONFLICT] = EXIT_NO,       [RC_UNKNOWN] = EXIT_NOT_YET,  [RC_NOT_FOUND] = EXIT_NO_ITEM,
        [RC_USAGE] = EXIT_USAGE,       [RC_BROKEN] = EXIT_IO,
    };
    /* clang-format on */
    CLEANUP(str_clear) struct str text = STR_INIT;
    plain_text(err->text, &text);
    fprintf(stderr, "onecase: %s\n", str_z(&text));
    return err->rc < RC_COUNT ? exits[err->rc] : EXIT_BUG;
}

int usage(const char *format, ...)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str plain = STR_INIT;
    char line[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    plain_text(line, &plain);
    fprintf(stderr, "onecase: %s\n", str_z(&plain));
    return EXIT_USAGE;
}

void print(const struct str *text)
{
    fwrite(str_z(text), 1, text->len, stdout);
}

void say_count(int64_t n, const char *one, const char *many)
{
    printf("%lld %s", (long long)n, n == 1 ? one : many);
}

void when_cell(const struct call *call, int64_t at_ms, char out[32])
{
    out[0] = '\0';
    if (at_ms != NOT_DUE && at_ms != 0)
        period_text(at_ms, call->now_ms, out);
}

enum rc limit_of(const struct call *call, size_t *out, struct err *err)
{
    const char *text = args_get(&call->args, "--limit");
    *out = call->json ? 0 : 50;
    if (!text)
        return RC_OK;
    char *end;
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    if (errno || *end || end == text || n == 0 || n > 1000000)
        return FAIL(err, RC_USAGE, "--limit takes a number from 1 to 1000000");
    *out = n;
    return RC_OK;
}

static const char *account(void)
{
    const struct passwd *p = getpwuid(getuid());
    return p ? p->pw_name : "unknown";
}

enum rc decider_of(const struct call *call, const char *why, struct str *by, struct err *err)
{
    const char *name = args_get(&call->args, "--by");
    const char *sudo = getenv("SUDO_USER");
    if (!why || !*why)
        return FAIL(err, RC_USAGE, "a decision needs --reason TEXT: why is it taken?");
    if (!name || !*name)
        return FAIL(err, RC_USAGE, "a decision needs --by NAME: who takes it?");
    str_addf(by, "%s (%s%s%s)", name, account(), sudo ? ", sudo from " : "", sudo ? sudo : "");
    return RC_OK;
}

enum rc decider(const struct call *call, struct str *by, const char **why, struct err *err)
{
    *why = args_get(&call->args, "--reason");
    return decider_of(call, *why, by, err);
}

/* ---- dispatch --------------------------------------------------------------------------------------- */

static size_t terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (columns && strtoul(columns, NULL, 10) > 0)
        return strtoul(columns, NULL, 10);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 0;
}

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
    for (size_t i = 1; i < command_count; i++)
        if (likeness(commands[i].pattern, word) > likeness(near->pattern, word))
            near = &commands[i];
    if (likeness(near->pattern, word) == 0)
        return usage("there is no command '%s'; 'onecase help' lists them", word);
    return usage("there is no command '%s'; did you mean '%.*s'?", word,
                 (int)strcspn(near->pattern, " "), near->pattern);
}

static int run_opened(const struct command *c, struct call *call, const char *config_path)
{
    struct operations ops = {.config = NULL};
    struct err err = ERR_INIT;
    CLEANUP(str_clear) struct str problems = STR_INIT;
    enum rc rc = call->host->open(call->host->self, config_path, c->needs, &ops, &problems, &err);
    if (rc != RC_OK && c->run == cmd_check)
        return check_unknown(problems.len > 0 ? "the configuration is refused" : err.text);
    if (rc != RC_OK && problems.len > 0) {
        fputs(str_z(&problems), stderr);
        return EXIT_CONFIG;
    }
    if (rc != RC_OK)
        return failed(&err);
    call->ops = &ops;
    int status = c->run(call);
    call->host->close(call->host->self, &ops);
    return status;
}

/* What could not be written was not said: a full disk behind a pipe is an error, too. */
static int flushed(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "onecase: the output could not be written: %s\n", strerror(errno));
    return EXIT_IO;
}

static int
dispatch(const struct cli_host *host, char *const *argv, size_t argc, const char *config_path)
{
    struct call call = {.host = host, .now_ms = host->now_ms(host->self)};
    struct err err = ERR_INIT;
    const struct command *c = find(argv, argc);
    if (!c)
        return no_such_command(argv[0]);
    if (argc > 1 && strcmp(argv[argc - 1], "--help") == 0) {
        printf("onecase %s\n\n%s\n", c->pattern, c->summary);
        return EXIT_DONE;
    }
    if (pattern_match(c->pattern, argv, argc, &call.args, &err) != RC_OK)
        return usage("%s\nusage: onecase %s", err.text, c->pattern);
    call.json = args_has(&call.args, "--json");
    call.terminal = isatty(STDOUT_FILENO) == 1;
    call.width = call.terminal || getenv("COLUMNS") ? terminal_width() : 0;
    return c->needs == NEEDS_NOTHING ? c->run(&call) : run_opened(c, &call, config_path);
}

int cli_main(int argc, char **argv, const struct cli_host *host)
{
    const char *config = getenv("ONECASE_CONFIG");
    size_t count = argc > 0 ? (size_t)argc : 0, at = 1;
    if (count > at && strcmp(argv[at], "-c") == 0) {
        if (count < at + 2)
            return usage("-c needs the configuration file: onecase -c FILE COMMAND");
        config = argv[at + 1];
        at += 2;
    }
    if (!config || !*config)
        config = DEFAULT_CONFIG;
    static char word[] = "help";
    char *help[] = {word};
    bool asks = at >= count || strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0;
    if (asks)
        return flushed(dispatch(host, help, 1, config));
    return flushed(dispatch(host, argv + at, count - at, config));
}
