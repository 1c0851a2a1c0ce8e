/* SPDX-License-Identifier: Apache-2.0
 *
 * init - asks for the mailbox, tries it, and writes the first configuration.
 */
#include "init.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_MAX 500

/* ---- what an answer may be ---------------------------------------------------------------------------- */

static const char *is_text(const char *text)
{
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return "no control characters";
    return text[0] ? NULL : "something";
}

static const char *is_address(const char *text)
{
    const char *at = strchr(text, '@');
    bool good = at && at > text && at[1] && !strchr(at + 1, '@') && !strpbrk(text, " <>\",;") &&
                !is_text(text);
    return good ? NULL : "an address such as help@example.org";
}

static const char *is_server(const char *text)
{
    static const char wants[] = "a host name, or HOST:PORT, such as imap.example.org or "
                                "imap.example.org:143";
    const char *colon = strchr(text, ':');
    char *end = NULL;
    long port = colon ? strtol(colon + 1, &end, 10) : 1;
    bool good = text[0] && text[0] != ':' && !strpbrk(text, " /@\"") && !is_text(text) &&
                port > 0 && port < 65536 && (!colon || (end > colon + 1 && !*end));
    return good ? NULL : wants;
}

static const char *is_path(const char *text)
{
    return text[0] == '/' && !is_text(text) ? NULL : "a whole path, such as /var/lib/onecase";
}

/* A sender's name stands before an address. */
static const char *is_sender(const char *text)
{
    return is_text(text) || strpbrk(text, "<>\"@,;") ? "a name, such as Service Desk" : NULL;
}

/* ---- what it is, where nothing is answered ------------------------------------------------------------ */

static void of_domain(const struct answers *a, const char *prefix, struct str *out)
{
    const char *at = strchr(str_z(&a->given[ANSWER_ADDRESS]), '@');
    str_addf(out, "%s.%s", prefix, at ? at + 1 : "");
}

static void imap_of(const struct answers *a, struct str *out)
{
    of_domain(a, "imap", out);
}

static void smtp_of(const struct answers *a, struct str *out)
{
    of_domain(a, "smtp", out);
}

static void address_of(const struct answers *a, struct str *out)
{
    str_addz(out, str_z(&a->given[ANSWER_ADDRESS]));
}

static void imap_user_of(const struct answers *a, struct str *out)
{
    str_addz(out, str_z(&a->given[ANSWER_IMAP_USER]));
}

static void imap_password_of(const struct answers *a, struct str *out)
{
    str_addz(out, str_z(&a->given[ANSWER_IMAP_PASSWORD]));
}

/* ---- the questions -------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct question {
    const char *option;                                         /* of a secret: the file it stands in */
    const char *asks;
    const char *usually;                                        /* NULL: */
    void (*derive)(const struct answers *a, struct str *out);   /* NULL: it must be said */
    const char *(*check)(const char *text);                     /* what is expected; NULL: it is good */
    bool secret;
} questions[ANSWER_COUNT] = {
    [ANSWER_ADDRESS]       = {"--address",            "Address of the mailbox",                        NULL,               NULL,             is_address, false},
    [ANSWER_IMAP]          = {"--imap",               "Its IMAP server",                               NULL,               imap_of,          is_server,  false},
    [ANSWER_IMAP_USER]     = {"--imap-user",          "User name there",                               NULL,               address_of,       is_text,    false},
    [ANSWER_IMAP_PASSWORD] = {"--imap-password-file", "Password",                                      NULL,               NULL,             is_text,    true },
    [ANSWER_SMTP]          = {"--smtp",               "SMTP server for confirmations",                 NULL,               smtp_of,          is_server,  false},
    [ANSWER_SMTP_USER]     = {"--smtp-user",          "User name there; - where it asks for none",     NULL,               imap_user_of,     is_text,    false},
    [ANSWER_SMTP_PASSWORD] = {"--smtp-password-file", "Password; Enter: the same",                     NULL,               imap_password_of, is_text,    true },
    [ANSWER_FROM]          = {"--from",               "Name that senders see",                         "Service Desk",     NULL,             is_sender,  false},
    [ANSWER_OWNER]         = {"--owner",              "Address of who is responsible",                 NULL,               address_of,       is_address, false},
    [ANSWER_SENT]          = {"--sent",               "Folder of sent copies; - where there is none",  "Sent",             NULL,             is_text,    false},
    [ANSWER_DATA]          = {"--data-dir",           "Folder for the data",                           "/var/lib/onecase", NULL,             is_path,    false},
};
/* clang-format on */

static void usual(const struct question *q, const struct answers *a, struct str *out)
{
    if (q->usually)
        str_addz(out, q->usually);
    else if (q->derive)
        q->derive(a, out);
}

/* ---- by options ------------------------------------------------------------------------------------------ */

static enum rc
read_secret_file(const struct question *q, const char *path, struct str *out, struct err *err)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return FAIL(err, RC_USAGE, "%s: '%s' cannot be read", q->option, path);
    for (int c; (c = getc(file)) != EOF && c != '\n' && out->len <= ANSWER_MAX;)
        str_addc(out, (char)c);
    fclose(file);
    return RC_OK;
}

static enum rc
take_option(const struct call *call, const struct question *q, struct str *out, struct err *err)
{
    const char *typed = args_get(&call->args, q->option);
    if (!typed)
        return RC_OK;
    if (q->secret)
        TRY(read_secret_file(q, typed, out, err));
    else
        str_addz(out, typed);
    const char *expected = q->check(str_z(out));
    if (expected)
        return FAIL(err, RC_USAGE, "%s: expected %s", q->option, expected);
    return RC_OK;
}

static enum rc take_options(const struct call *call, struct answers *a, struct err *err)
{
    a->imap_security = args_get(&call->args, "--imap-security");
    a->smtp_security = args_get(&call->args, "--smtp-security");
    a->ca_file = args_get(&call->args, "--ca-file");
    for (size_t i = 0; i < ANSWER_COUNT; i++)
        TRY(take_option(call, &questions[i], &a->given[i], err));
    return RC_OK;
}

/* Where nobody can be asked, what was not said is as usual. */
static enum rc fill_in(struct answers *a, struct err *err)
{
    for (size_t i = 0; i < ANSWER_COUNT; i++) {
        const struct question *q = &questions[i];
        if (a->given[i].len > 0)
            continue;
        usual(q, a, &a->given[i]);
        if (a->given[i].len == 0)
            return FAIL(err, RC_USAGE, "%s is missing: there is no terminal to ask at", q->option);
    }
    return RC_OK;
}

/* ---- at a terminal ---------------------------------------------------------------------------------------- */

/* False: the end of the input. */
static bool read_line(struct str *out, bool hidden)
{
    int c;
    bool turned_off = hidden && show_typing(false);
    fflush(stdout);
    while ((c = getchar()) != EOF && c != '\n')
        if (out->len <= ANSWER_MAX)
            str_addc(out, (char)c);
    if (turned_off) {
        (void)show_typing(true);
        putchar('\n');
    }
    return c != EOF || out->len > 0;
}

static void prompt(const struct question *q, const struct str *otherwise)
{
    if (otherwise->len > 0 && !q->secret)
        printf("%s [%s]: ", q->asks, str_z(otherwise));
    else
        printf("%s: ", q->asks);
}

/* Until it is one that can be. What was given before stands for an empty line. */
static bool ask(const struct question *q, const struct answers *a, struct str *answer)
{
    CLEANUP(str_wipe) struct str otherwise = STR_INIT;
    if (answer->len > 0)
        str_addz(&otherwise, str_z(answer));
    else
        usual(q, a, &otherwise);
    for (;;) {
        CLEANUP(str_wipe) struct str line = STR_INIT;
        prompt(q, &otherwise);
        if (!read_line(&line, q->secret))
            return false;
        const char *said = line.len > 0 ? str_z(&line) : str_z(&otherwise);
        const char *expected = q->check(said);
        if (!expected) {
            str_empty(answer);
            str_addz(answer, said);
            return true;
        }
        printf("That cannot be: expected %s.\n", expected);
    }
}

static bool is_needless(const struct answers *a, size_t which)
{
    return which == ANSWER_SMTP_PASSWORD && slice_eqz(str_slice(&a->given[ANSWER_SMTP_USER]), NONE);
}

/* What came by an option is not asked, at first. */
static bool ask_all(const struct call *call, struct answers *a, bool again)
{
    for (size_t i = 0; i < ANSWER_COUNT; i++) {
        bool by_option = args_get(&call->args, questions[i].option) != NULL;
        if ((by_option && !again) || is_needless(a, i))
            continue;
        if (!ask(&questions[i], a, &a->given[i]))
            return false;
    }
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static void answers_clear(struct answers *a)
{
    for (size_t i = 0; i < ANSWER_COUNT; i++)
        str_wipe(&a->given[i]);
}

static int stopped(void)
{
    fputs("\nonecase: stopped; nothing was written\n", stderr);
    return EXIT_NO;
}

static int keep(struct draft *d)
{
    struct err err = ERR_INIT;
    if (draft_keep(d, &err) != RC_OK)
        return failed(&err);
    printf(
        "\nWritten: %s, and beside it the passwords, readable by the account that owns the data.\n"
        "Now look what would be done with the mail that is there: onecase run --once --dry-run\n"
        "As a service: systemctl enable --now onecase\n",
        d->path);
    return EXIT_DONE;
}

/* Gives whether to go round once more. */
static bool once_more(bool *write_it)
{
    CLEANUP(str_clear) struct str line = STR_INIT;
    printf("\nIt does not work yet, as is said above. Enter asks again; w writes it as it is; "
           "Ctrl-D stops: ");
    if (!read_line(&line, false))
        return false;
    *write_it = slice_eqz(str_slice(&line), "w");
    return true;
}

static int tried(const struct call *call, struct draft *d, bool *again)
{
    bool write_it = args_has(&call->args, "--untested");
    int status = write_it ? EXIT_DONE : draft_try(d);
    *again = false;
    if (status == EXIT_DONE || write_it)
        return keep(d);
    if (isatty(STDIN_FILENO) != 1) {
        fputs("onecase: it does not work yet, as is said above; nothing was written. --untested "
              "writes it as it is\n",
              stderr);
        return status;
    }
    if (!once_more(&write_it))
        return stopped();
    *again = !write_it;
    return write_it ? keep(d) : status;
}

int cmd_init(struct call *call)
{
    CLEANUP(answers_clear) struct answers a = {.ca_file = NULL};
    CLEANUP(draft_clear) struct draft draft = {.path = NULL};
    struct err err = ERR_INIT;
    bool terminal = isatty(STDIN_FILENO) == 1, again = false;
    if (draft_check(call->config_path, &err) != RC_OK || take_options(call, &a, &err) != RC_OK ||
        (!terminal && fill_in(&a, &err) != RC_OK))
        return failed(&err);
    for (;;) {
        if (terminal && !ask_all(call, &a, again))
            return stopped();
        if (draft_write(&draft, call->config_path, &a, &err) != RC_OK)
            return failed(&err);
        int status = tried(call, &draft, &again);
        if (!again)
            return status;
    }
}
