/* SPDX-License-Identifier: Apache-2.0
 *
 * front - what the terminal and the console share: words for people, command patterns, tables, JSON.
 *
 * People read labels from one table of words, never a bare internal word; scripts read the
 * contract's words in JSON. Nothing here knows a terminal or a socket.
 */
#pragma once

#include <onecase/operations.h>
#include <onecase/when.h>
#include <stdio.h>

/* ---- words.c: internal word -> label. `kind` is "state", "class", "effect", "status", "outcome",
 * "reason", "disposition", "completion", "circuit", "fault", "evidence", "skip", "note", "stage",
 * "source", "condition", "attachment", "decision", "mark", "figure". A word that has no label is returned as it is: a
 * test sees to it that there is none. */
const char *label(const char *kind, const char *word);
/* Takes one of the signs that people are told off `signs` (enum message_sign) and says its word, of kind
 * "mark"; NULL where none is left. */
const char *mark_word(uint32_t *signs);

/* ---- pattern.c: what may be typed ------------------------------------------------------------------
 * A pattern is words as an operator types them: "case REFERENCE [--close|--reopen] [--reason TEXT]".
 * Lower-case words stand for themselves, "a|b|c" for one of them, UPPER-CASE words for a value,
 * [brackets] for what may be left out; options may come in any order, and take one value or none.
 * Options that stand without brackets are only shown so: who needs them asks for them. */
#define ARGS_MAX 48

struct args {
    struct {
        const char *name; /* of the pattern: "REFERENCE", "--close", "cases|full|adopt" */
        size_t length;
        const char *value; /* what was typed; "" for an option without a value */
    } at[ARGS_MAX];
    size_t count;
};

/* Does argv begin with the pattern's own words? Gives how many of them; 0: no. */
size_t pattern_words(const char *pattern, char *const *argv, size_t argc);
/* RC_USAGE with what is wrong and what is allowed. */
enum rc pattern_match(const char *pattern,
                      char *const *argv,
                      size_t argc,
                      struct args *out,
                      struct err *err) MUST_CHECK;
/* The value typed for a name of the pattern, or NULL. */
const char *args_get(const struct args *args, const char *name);
bool args_has(const struct args *args, const char *name);

/* ---- period.c ------------------------------------------------------------------------------------
 * "12h", "7d" before `now`, an RFC 3339 date-time, or a date: the midnight with which it begins where
 * people read (TZ). */
enum rc period_parse(const char *text, int64_t now_ms, int64_t *out_ms, struct err *err) MUST_CHECK;
/* "14:05", "28 Nov 14:05", "2024-11-28", in the zone of the process (TZ). */
void period_text(int64_t at_ms, int64_t now_ms, char out[32]);
/* "2026-11-28 14:05:09", in the same zone. */
void period_exact(int64_t at_ms, char out[32]);
/* "3 min", "2 h", "5 d". */
void period_age(int64_t ms, char out[32]);

/* ---- plain.c: texts that a terminal can bear -----------------------------------------------------------
 * No control, bidirectional or invalid octets: a blank or U+FFFD stands in their place. */
void plain_text(const char *text, struct str *out);
/* How many columns it takes: two for what East Asia writes wide and for emoji, none for what is set
 * upon another character. */
size_t plain_columns(const char *text);
/* Adds what fits into so many columns, with an ellipsis where something is cut. */
void plain_cut(const char *text, size_t columns, struct str *out);
/* Writes a text as lines of at most `width` columns (0: one line), each but the first, which stands
 * where the caller has left off, indented by so many blanks. */
void plain_wrap(const char *text, size_t indent, size_t width, FILE *out);

/* ---- table.c: rows that fit a width ------------------------------------------------------------------- */
struct column {
    const char *heading;
    unsigned least; /* it may be cut to so many columns; 0: it may not */
    unsigned drop;  /* where even that is too wide, the highest goes first; 0: it stays */
    bool right;     /* numbers */
};

struct table;
struct table *table_of(const struct column *column, size_t columns) MUST_CHECK;
void table_row(struct table *table, const char *const *cell); /* copies; NULL is empty */
/* Only the columns of these headings, "case,from", in their own order; RC_USAGE: there is no such. */
enum rc table_choose(struct table *table, const char *names, struct err *err) MUST_CHECK;
/* Writes it so that no line is wider than `width` columns (0: as wide as it wants). `bold`: the
 * heading is. */
void table_print(const struct table *table, size_t width, bool bold, FILE *out);
void table_free(struct table **table); /* for CLEANUP */

/* ---- sheet.c: one list as a table, CSV, JSON or HTML ------------------------------------------------ */
enum sheet_format { SHEET_TABLE, SHEET_CSV, SHEET_JSON, SHEET_HTML };

struct sheet_column {
    const char *name;    /* in CSV and JSON */
    const char *heading; /* for people */
    const char *label;   /* the kind of word it holds, for people (words.c); NULL: as it is */
    enum { SHEET_TEXT, SHEET_NUMBER, SHEET_WHEN } holds;
};

struct sheet;
struct sheet *sheet_new(const char *title, const struct sheet_column *column, size_t columns)
    MUST_CHECK;
/* Copies. Numbers as digits, instants as RFC 3339; NULL is nothing. */
void sheet_row(struct sheet *sheet, const char *const *cell);
/* Cells: NULL where there is none. */
const char *cell_when(int64_t at_ms, char out[WHEN_TEXT_SIZE]);
const char *cell_text(const char *text);
/* CSV is safe to open in a spreadsheet: nothing in it is taken for a formula. HTML stands alone and
 * prints well. `now_ms` is for instants in tables. */
/* Only these columns in a table; RC_USAGE. Other formats have all. */
enum rc sheet_choose(struct sheet *sheet, const char *headings, struct err *err) MUST_CHECK;
void sheet_print(
    const struct sheet *sheet, enum sheet_format format, int64_t now_ms, size_t width, FILE *out);
void sheet_free(struct sheet **sheet); /* for CLEANUP */
bool sheet_format_parse(const char *text, enum sheet_format *out);
/* Text for HTML: < > & and quotes as entities. */
void html_escaped(const char *text, FILE *out);

/* ---- report_page.c: the duplicate report as a page that stands alone and prints on two sheets of A4 -- */
struct report_facts {
    const char *deployment, *environment, *version, *zone;
    const char *by; /* who made it */
    int64_t made_ms;
};

void report_page(const struct view_duplicates *d, const struct report_facts *facts, FILE *out);

/* ---- story_page.c: what happened to mails as a page of the same kind, each mail from a new sheet on ------------- */
struct story_span {
    const char *name; /* of the one mail; NULL: of all of a period */
    int64_t since_ms, until_ms;
    size_t mails;
};

void story_page_begin(const struct story_span *span, const struct report_facts *facts, FILE *out);
/* `item`: whole. `runs`: view_run, of which those that it names are told. */
void story_page_mail(const struct view_item *item,
                     const struct view *runs,
                     int64_t now_ms,
                     FILE *out);
void story_page_end(FILE *out);

/* ---- report_figures.c: the numbers of the duplicate report, and which belong together --------------------- */
enum figure_part {
    FIGURE_ARRIVALS, /* = new + again */
    FIGURE_NEW,      /* = what it became */
    FIGURE_AGAIN,
    FIGURE_BECAME,
    FIGURE_DECIDED, /* = held + conflicts + changed on their way */
    FIGURE_OUTCOME,
    FIGURE_BOUNDARY
};

struct report_figure {
    enum figure_part part;
    const char
        *name; /* in JSON, and by which its rows are asked for; its words are of kind "figure" */
    size_t at;
};

/* The part's first (NULL), or the next one; NULL: there are no more. */
const struct report_figure *report_figure(enum figure_part part, const struct report_figure *after);
int64_t figure_count(const struct view_duplicates *d, const struct report_figure *figure);
/* Do the numbers add up (contract section 8)? */
bool report_adds_up(const struct view_duplicates *d);
/* "first,redelivered" in words for people. */
void classes_words(const char *classes, struct str *out);

/* ---- day_chart.c ---------------------------------------------------------------------------------------
 * Copies by day of the zone in which people read, as bars stacked by cause: HTML with an SVG inside, coloured by the
 * page's style (.c-redelivered, .trend, .ground, .scale, .key). With `link` each bar is one, to it and
 * the name of its figure ("day:2026-03-02/redelivered"), and the page must show the same as a table. */
void day_chart(const struct view_duplicates *d, int64_t now_ms, const char *link, struct str *out);

/* ---- report_sheets.c: the same as lists, for CSV ----------------------------------------------------------- */
struct sheet *duplicates_sheet(const struct view_duplicates *d) MUST_CHECK;
struct sheet *duplicate_mails_sheet(const struct view_duplicates *d) MUST_CHECK;
/* The rows of one number (view_report_row). */
struct sheet *report_rows_sheet(const struct view *rows) MUST_CHECK;

/* ---- decision_sheets.c: what people decided, and the cases that say the same, as lists --------------------- */
struct sheet *decisions_sheet(const struct view_decision *d, size_t count) MUST_CHECK;
struct sheet *suspects_sheet(const struct view_suspect *s, size_t count) MUST_CHECK;

/* ---- deployments_sheet.c: the runs behind the run `after`, NULL: from the newest on. RC_NOT_FOUND ---------- */
enum rc deployments_sheet(const struct operations *ops,
                          const char *after,
                          size_t limit,
                          int64_t now_ms,
                          struct sheet **out,
                          struct err *err) MUST_CHECK;

/* ---- deciding.c: what a person may decide about a mail as it stands, and deciding it ----------------- */

/* The last that stands; NULL is none. A replay decides nothing. */
const struct view_approval *last_decision(const struct view_item *item);
/* May that be taken back at all? Whether something has left since is found out in the act. */
bool may_be_taken_back(const struct view_item *item);
/* What the decision would be for this mail as it stands; NULL: it does not fit. Undo never does. */
const struct decision_rule *decision_fitting(enum decision decision, const struct view_item *item);
/* Every decision that fits, DECISION_COUNT at most; gives how many. */
size_t decisions_fitting(const struct view_item *item, const struct decision_rule **out);
/* May a new case be made of it, and of all later mail of its sender (decision_request.always)? */
bool may_be_always(const struct view_item *item);
/* What is asked about a mail that waits for a person. */
const char *question_words(const struct view_item *item);
/* What follows from an answer, and that it is final where it is, in the words of the step that it is about;
 * and the answer itself, NULL where it goes by its label. */
const char *decision_in_short(const struct decision_rule *rule, const struct view_item *item);
void consequence_words(const struct decision_rule *rule,
                       const struct view_item *item,
                       struct str *out);
/* Is the id that it has there given with the answer? */
bool wants_case_id(const struct decision_rule *rule, const struct view_item *item);
/* A step of its case, or a file of it at a destination of which nobody knows, that stands so. */
bool has_open_step(const struct view_item *item, enum effect_status status);
/* Decides, with what the mailbox's configuration and the mail's original say. `asked->key` is whole.
 * `max_size`: fetches a mail that is held for its size first, up to so many octets; 0 does not. As
 * ledger_people.decide, and RC_USAGE where the mailbox is not configured any more. */
enum rc decide_about(const struct operations *ops,
                     const struct decision_request *asked,
                     int64_t max_size,
                     struct instant now,
                     struct decision_result *out,
                     struct err *err) MUST_CHECK;
/* As ledger_operators.propose; what nobody has proposed yet is proposed, also with `approve`. */
enum rc propose_or_approve(const struct operations *ops,
                           const struct proposal_request *asked,
                           struct instant now,
                           struct proposal *out,
                           struct err *err) MUST_CHECK;
/* "possible from 14:05", "possible once the run that sent it has ended"; "" where nothing stands against
 * `not-sent`, or it is no question. `from_ms` as in view_item. */
void not_sent_words(int64_t from_ms, int64_t now_ms, struct str *out);
/* What is decided about this mail and those like it, as one text: what is proposed and approved. */
/* What is proposed, in words. */
void proposal_words(const struct view_proposal *p, struct str *out);
/* The selection of a proposed replay; nothing where it is none. */
void proposal_selection(const char *subject, struct str *out);
void decision_subject(const struct decision_request *request,
                      const char *key,
                      const struct view *like,
                      struct str *out);

/* ---- replaying.c: which mails are replayed, and what that would do --------------------------------------- */

struct replay_choice {
    const char *state; /* of the mails */
    const char *
        where; /* "from=ADDRESS", "domain=NAME", "mailbox=ID", "reason=WORD", "case=REFERENCE"; NULL: all */
    bool resend; /* confirmations that were refused, skipped or given up, too */
    size_t most; /* of how many a plan is made; 0: of all */
};

/* What a replay would do, or did, with each of these mails. */
struct replay_shown {
    char key[KEY_SIZE], reference[REFERENCE_SIZE];
    char state[32];
    struct replay_result result;
};

struct replay_plan {
    struct replay_shown *item; /* owned; of many in the order of their keys */
    size_t count;
    struct replay_result sum;
    char plan[DIGEST_HEX_SIZE]; /* changes with whatever it rests on */
    struct str selection;       /* the choice as one text: finds an interrupted replay again */
    bool resend, many;
};

/* Who has a replay done. */
struct decided_by {
    const char *by, *why, *second; /* second: "" is nobody */
};

void replay_plan_clear(struct replay_plan *plan); /* for CLEANUP */
/* RC_USAGE: there is no such state or condition; RC_REFUSED: more are chosen than `most`. `out` is to be
 * cleared whatever comes out. */
enum rc replay_plan_many(const struct operations *ops,
                         const struct replay_choice *choice,
                         struct replay_plan *out,
                         struct err *err) MUST_CHECK;
enum rc replay_plan_one(const struct operations *ops,
                        const struct view_item *item,
                        bool resend,
                        struct replay_plan *out,
                        struct err *err) MUST_CHECK;
/* What is proposed and approved, where that takes two. */
void replay_subject(const struct replay_plan *plan, struct str *out);
/* Begins the replay of many, as ledger_operators.bulk_begin; bulk_next does them. */
enum rc replay_begin(const struct operations *ops,
                     const struct replay_plan *plan,
                     const struct decided_by *decided,
                     struct instant now,
                     struct bulk *out,
                     struct err *err) MUST_CHECK;
/* The choice of a selection, its texts in `room`; false: it is of one mail. */
bool replay_choice_parse(const char *selection, struct str *room, struct replay_choice *out);
/* "mails with the state 'complete', to help" */
void selection_words(const char *selection, struct str *out);

/* ---- story.c: what happened to a mail, in plain words -------------------------------------------------- */

struct happening {
    int64_t at_ms;
    size_t order;     /* of those at one instant */
    const char *what; /* "arrival", "confirmation", "evidence", "decision", "note",
                       * "complete" */
    struct str text;  /* may be empty */
};

struct story {
    struct happening *at;
    size_t count;
};

/* In time order. */
void story_of(const struct view_item *item, struct story *out);
void story_clear(struct story *story); /* for CLEANUP */

bool is_letter(const char *kind); /* an effect's: a confirmation */
bool has_status(const struct view_effect *effect, enum effect_status status);
/* Its confirmation; NULL is none. */
const struct view_effect *letter_of(const struct view_item *item);
/* "yes: accepted", "not known", "no: an address that nobody reads", "not yet"; nothing where it has no
 * confirmation. */
void told_words(const struct view_item *item, struct str *out);
/* "waiting, next try 14:05" */
void step_status_words(const struct view_effect *effect, int64_t now_ms, struct str *out);
/* Which message, which file, what the sender is told. */
void step_what_words(const struct view_item *item,
                     const struct view_effect *effect,
                     struct str *out);
void step_why_words(const struct view_effect *effect, struct str *out);

/* ---- json.c: the contract's objects (section 8), as text with a line end ---------------------------- */
void json_items(const struct view *view, bool whole, struct str *out);
void json_deliveries(const struct view *view, struct str *out);
void json_cases(const struct view *view, bool whole, struct str *out);
/* `backup_ms`: when the last backup was taken; NOT_DUE: never. */
void json_status(const struct view *view, int64_t backup_ms, int64_t now_ms, struct str *out);
void json_webhooks(const struct view *webhooks, const struct view *dead, struct str *out);
void json_duplicates(const struct view *view, struct str *out);
void json_replay(const struct replay_shown *item, size_t count, const char *plan, struct str *out);
void json_bulks(const struct view *view, struct str *out);
void json_bulk(const struct view_bulk *bulk, struct str *out);
/* What export has written. */
struct exported {
    const char *file, *folder; /* the tar file, and the folder inside; NULL: it is a page */
    struct digest digest;      /* of the file */
    int64_t size, items, files;
    const char *missing; /* one a line */
};
void json_exported(const struct exported *exported, struct str *out);
/* How many cases of a list became what. */
void json_listed(const size_t of_fate[LISTED_FATE_COUNT],
                 const struct listed *list,
                 bool dry_run,
                 struct str *out);
void json_backup(const struct backup_made *made, struct str *out);
void json_files_moved(const struct files_moved *moved, struct str *out);
void json_ledger_moved(const struct ledger_moved *moved, struct str *out);
void json_restored(const struct restored *restored, struct str *out);
/* Adds one message to the list of what a run would do; json_would makes the whole of it. */
void json_would_be(const struct would_be *message, struct str *list);
void json_would(struct slice list, const struct run_summary *summary, struct str *out);
void json_summary(const struct run_summary *summary, struct str *out);
void json_identified(const struct identified *id, struct str *out);
void json_letter(const struct letter_shown *letter, struct str *out);
void json_checks(const struct check_result *result, size_t count, struct str *out);
void json_decided(enum decision decision, const struct decision_result *result, struct str *out);
/* A decision that came too early. */
void json_not_yet(enum decision decision, int64_t from_ms, struct str *out);
void json_chosen(const char *mailbox, enum import_choice choice, struct str *out);
/* {"error": "..."} */
void json_error(const char *says, struct str *out);
