/* SPDX-License-Identifier: Apache-2.0
 *
 * cli_p - what the command files share.
 */
#pragma once

#include <onecase/cli.h>
#include <onecase/front.h>

enum {
    EXIT_DONE = 0,
    EXIT_NO = 1,
    EXIT_USAGE = 64,
    EXIT_NO_ITEM = 66,
    EXIT_UNREACHABLE = 69,
    EXIT_BUG = 70,
    EXIT_IO = 74,
    EXIT_NOT_YET = 75,
    EXIT_NOT_ALLOWED = 77,
    EXIT_CONFIG = 78,
};

struct call {
    const struct cli_host *host;
    const struct operations *ops;
    const char *config_path;
    struct args args;
    int64_t now_ms;
    bool terminal; /* standard output is one, and wants bold letters and colours */
    size_t width;  /* of the lines to print; 0 is any */
    bool json;
};

struct command {
    const char *group; /* of `help` */
    const char *pattern;
    enum needs needs;
    int (*run)(struct call *call);
    const char *summary;
};

extern const struct command commands[];
extern const size_t command_count;

/* What `help COMMAND` says besides: an option ("--state S"), a paragraph (""), or an example that
 * begins with "onecase ". */
struct about {
    const char *command; /* its own words; "" is every command that has the option */
    const char *what;
    const char *text;
};

extern const struct about abouts[];
extern const size_t about_count;

/* ---- output.c ------------------------------------------------------------------------------------------ */

/* Prints "onecase: text" and gives the exit code for an rc. */
int failed(const struct err *err);
int usage(const char *format, ...) PRINTF(1, 2);
void print(const struct str *text);
/* "From        ann@example.com", wrapped; nothing where the value is empty. */
void say_line(const struct call *call, const char *name, const char *value);
void heading(const struct call *call, const char *text);
/* "14:05" today, else with its day; "" where there is none. */
void when_cell(const struct call *call, int64_t at_ms, char out[32]);
/* The terminal's; 0, as wide as it wants, for a pipe, or with --wide. */
size_t table_width(const struct call *call);
/* --columns; RC_USAGE. */
enum rc choose_columns(const struct call *call, struct table *table, struct err *err) MUST_CHECK;
/* With both; gives the exit code. */
int show_table(const struct call *call, struct table *table);
int show_sheet(const struct call *call, struct sheet *sheet, enum sheet_format format);
/* A case's reference, or the first digits of a key. */
const char *short_name(const char *reference, const char *key, char room[16]);
/* Of the environment; "" where it is not set. */
const char *environment(const char *name);
/* The account behind this process: one who came by sudo is who they were before. */
const char *person_behind(void);
/* What a page says of who made it, when and where. */
struct report_facts report_made(const struct call *call);
/* What is to be typed for this mail. */
const char *name_of_item(const struct view_item *item, char room[16]);

/* ---- options that several commands have ------------------------------------------------------------------ */

/* Rows to show: --limit, else 50 in a table and all in JSON. */
enum rc limit_of(const struct call *call, size_t *out, struct err *err) MUST_CHECK;
/* --mailbox, which the configuration must know; NULL is all. */
enum rc asked_mailbox(const struct call *call, const char **out, struct err *err) MUST_CHECK;
/* Who decides: --by with the account (and SUDO_USER); RC_USAGE where it or --reason is missing. */
enum rc decider(const struct call *call, struct str *by, const char **why, struct err *err)
    MUST_CHECK;
enum rc decider_of(const struct call *call, const char *why, struct str *by, struct err *err)
    MUST_CHECK; /* the same with a reason that stands elsewhere */
/* --by, or the account alone. */
void decider_or_account(const struct call *call, struct str *by);
/* "ann (root, sudo from ann)"; without a name the account alone. */
void decider_named(const char *name, struct str *by);
/* The item, case or key that was typed, in the form the ledger knows. */
void typed_name(const struct call *call, const char *option, struct str *out);
/* The one mail that KEY names. */
enum rc one_item(const struct call *call, struct view *out, struct err *err) MUST_CHECK;
/* The one case that REFERENCE names. */
enum rc one_case(const struct call *call, struct view *out, struct err *err) MUST_CHECK;

/* ---- second.c ------------------------------------------------------------------------------------------ */

/* Where two persons are asked for: records the first and stops, or lets the second go on (`second` is
 * who approved it, `by` who proposed). EXIT_DONE with `go_on`, else the exit code. `subject` is all that
 * is decided, as one text. */
struct second_person {
    bool go_on;
    char first[200], second[200];
};
/* What is decided, of which item ("": of none alone), by whom, and whether that is meant as approval. */
struct decided {
    const char *subject, *key, *by, *why;
    bool approve;
};
int second_person(const struct call *call,
                  const struct decided *decided,
                  struct second_person *out);

/* ---- reports --------------------------------------------------------------------------------------------- */

/* --since, --until and --format of a report. */
enum rc report_period(const struct call *call, int64_t *since, int64_t *until, struct err *err)
    MUST_CHECK;
enum rc report_format(const struct call *call, enum sheet_format *out, struct err *err) MUST_CHECK;
/* The line of `check` where nothing can be found out, and its exit code. */
int check_unknown(const char *why);

/* ---- keys.c: what a person at the terminal, or a pipe, answers ------------------------------------------- */

#define KEY_END (-1) /* nothing more will come */

/* The next key that is not white space; it is shown. At a terminal ^C and ^D are KEY_END. */
int key_read(void);
/* A line without its end; false: nothing more will come. */
bool line_read(const char *prompt, struct str *out);

/* ---- typed.c ------------------------------------------------------------------------------------------- */

/* False where there is no terminal. */
bool show_typing(bool shown);
/* A line of standard input, of which no more than one octet beyond `most` is taken. */
void typed_line(size_t most, struct str *out);
/* The same after a question, and what is typed is not shown. */
void typed_hidden(const char *question, size_t most, struct str *out);

/* ---- choices.c ----------------------------------------------------------------------------------------- */

/* As it is typed: "--acknowledgement sent". */
void decision_typed(enum decision decision, struct str *out);
enum rc decision_of(const struct args *args, enum decision *out, struct err *err) MUST_CHECK;
/* "100MB" as octets; RC_USAGE. */
enum rc size_typed(const char *text, int64_t *out, struct err *err) MUST_CHECK;
/* Prints what can be decided about it as it stands; gives how many decisions that are. */
size_t choices(const struct call *call, const struct view_item *item, FILE *out);

/* ---- commands ------------------------------------------------------------------------------------------ */

int cmd_run(struct call *call);
int cmd_status(struct call *call);
int cmd_items(struct call *call);
int cmd_item(struct call *call);
int cmd_deliveries(struct call *call);
int cmd_cases(struct call *call);
int cmd_case(struct call *call);
int cmd_one_case(struct call *call);
int cmd_suspects(struct call *call);
int cmd_rules(struct call *call);
int cmd_proposals(struct call *call);
int cmd_first_import(struct call *call);
int cmd_import_cases(struct call *call);
int cmd_replay(struct call *call);
int cmd_resolve(struct call *call);
int cmd_decide(struct call *call);
int cmd_pause(struct call *call);
int cmd_resume(struct call *call);
int cmd_report_duplicates(struct call *call);
int cmd_report_replays(struct call *call);
int cmd_report_decisions(struct call *call);
int cmd_webhooks(struct call *call);
int cmd_deployments(struct call *call);
int cmd_check(struct call *call);
int cmd_metrics(struct call *call);
int cmd_verify(struct call *call);
int cmd_export(struct call *call);
int cmd_backup(struct call *call);
int cmd_restore(struct call *call);
int cmd_migrate_blobs(struct call *call);
int cmd_migrate_ledger(struct call *call);
int cmd_retain(struct call *call);
int cmd_erase(struct call *call);
int cmd_console(struct call *call);
int cmd_user_add(struct call *call);
int cmd_user_role(struct call *call);
int cmd_user_password(struct call *call);
int cmd_user_remove(struct call *call);
int cmd_user_list(struct call *call);
int cmd_token_add(struct call *call);
int cmd_token_remove(struct call *call);
int cmd_token_list(struct call *call);
int cmd_identify(struct call *call);
int cmd_template_test(struct call *call);
int cmd_doctor(struct call *call);
int cmd_destination_test(struct call *call);
int cmd_init(struct call *call);
int cmd_spec(struct call *call);
int cmd_config(struct call *call);
int cmd_version(struct call *call);
int cmd_help(struct call *call);
int cmd_completion(struct call *call);

/* ---- help.c -------------------------------------------------------------------------------------------- */

/* One command's help, as `COMMAND --help`. */
void help_one(const struct call *call, const struct command *command);
/* "usage: onecase ...", as short as it goes. */
void usage_of(const struct command *command, FILE *out);
/* How many octets of its pattern are the words by which it is called. */
int own_words(const struct command *command);
