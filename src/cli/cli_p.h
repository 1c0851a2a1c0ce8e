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
    struct args args;
    int64_t now_ms;
    bool terminal; /* standard output is one */
    size_t width;  /* of it; 0 where it is none */
    bool json;
};

struct command {
    const char *pattern;
    enum needs needs;
    int (*run)(struct call *call);
    const char *summary;
};

extern const struct command commands[];
extern const size_t command_count;

/* Prints "onecase: text" and gives the exit code for an rc. */
int failed(const struct err *err);
int usage(const char *format, ...) PRINTF(1, 2);
void print(const struct str *text);
/* Rows to show: --limit, else 50 in a table and all in JSON. */
enum rc limit_of(const struct call *call, size_t *out, struct err *err) MUST_CHECK;
/* Who decides: --by, else the account (and SUDO_USER); RC_USAGE where --reason is missing. */
enum rc decider(const struct call *call, struct str *by, const char **why, struct err *err)
    MUST_CHECK;
enum rc decider_of(const struct call *call, const char *why, struct str *by, struct err *err)
    MUST_CHECK; /* the same with a reason that stands elsewhere */
/* Where two persons are asked for: records the first and stops, or lets the second go on (`second` is
 * who approved it, `by` who proposed). EXIT_DONE with `go_on`, else the exit code. `subject` is all that
 * is decided, as one text. */
struct second_person {
    bool go_on;
    char first[200], second[200];
};
int second_person(const struct call *call,
                  const char *subject,
                  const char *key,
                  const char *by,
                  const char *why,
                  struct second_person *out);
/* --since, --until and --format of a report. */
enum rc report_period(const struct call *call, int64_t *since, int64_t *until, struct err *err)
    MUST_CHECK;
enum rc report_format(const struct call *call, enum sheet_format *out, struct err *err) MUST_CHECK;
struct sheet *duplicates_sheet(const struct view_duplicates *d) MUST_CHECK;
/* The line of `check` where nothing can be found out, and its exit code. */
int check_unknown(const char *why);
/* "3 mails" / "1 mail". */
void say_count(int64_t n, const char *one, const char *many);
void when_cell(const struct call *call, int64_t at_ms, char out[32]);

int cmd_run(struct call *call);
int cmd_status(struct call *call);
int cmd_items(struct call *call);
int cmd_item(struct call *call);
int cmd_deliveries(struct call *call);
int cmd_cases(struct call *call);
int cmd_case(struct call *call);
int cmd_one_case(struct call *call);
int cmd_suspects(struct call *call);
int cmd_first_import(struct call *call);
int cmd_replay(struct call *call);
int cmd_resolve(struct call *call);
int cmd_pause(struct call *call);
int cmd_resume(struct call *call);
int cmd_report_duplicates(struct call *call);
int cmd_report_replays(struct call *call);
int cmd_report_decisions(struct call *call);
int cmd_deployments(struct call *call);
int cmd_check(struct call *call);
int cmd_verify(struct call *call);
int cmd_export(struct call *call);
int cmd_identify(struct call *call);
int cmd_doctor(struct call *call);
int cmd_spec(struct call *call);
int cmd_config(struct call *call);
int cmd_version(struct call *call);
int cmd_help(struct call *call);
int cmd_completion(struct call *call);
