/* SPDX-License-Identifier: Apache-2.0
 *
 * front - what the terminal and the console share: words for people, command patterns, tables, JSON.
 *
 * People read labels from one table of words, never a bare internal word; scripts read the
 * contract's words in JSON. Nothing here knows a terminal or a socket.
 */
#pragma once

#include <onecase/operations.h>
#include <stdio.h>

/* ---- words.c: internal word -> label. `kind` is "state", "class", "effect", "status", "reason",
 * "disposition", "completion", "decision", "outcome", "circuit", "evidence", "skip". A word that has no
 * label is returned as it is: a test sees to it that there is none. */
const char *label(const char *kind, const char *word);

/* ---- pattern.c: what may be typed ------------------------------------------------------------------
 * A pattern is words as an operator types them: "case REFERENCE [--close|--reopen] [--reason TEXT]".
 * Lower-case words stand for themselves, "a|b|c" for one of them, UPPER-CASE words for a value,
 * [brackets] for what may be left out; options may come in any order. */
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
 * "12h", "7d" before `now`, or an RFC 3339 date or date-time. */
enum rc period_parse(const char *text, int64_t now_ms, int64_t *out_ms, struct err *err) MUST_CHECK;
/* "14:05", "28 Nov 14:05", in the zone of the process (TZ). */
void period_text(int64_t at_ms, int64_t now_ms, char out[32]);
/* "3 min", "2 h", "5 d". */
void period_age(int64_t ms, char out[32]);

/* ---- table.c: rows that fit a width, control characters made harmless ------------------------------ */
struct table;
struct table *table_new(const char *const *heading, size_t columns) MUST_CHECK;
void table_row(struct table *table, const char *const *cell); /* copies; NULL is empty */
/* Writes it so that no line is wider than `width` columns (0: as wide as it wants); the widest columns
 * are cut first, with an ellipsis. `colour`: the heading is bold. */
void table_print(const struct table *table, size_t width, bool colour, FILE *out);
void table_free(struct table **table); /* for CLEANUP */
/* One text for a terminal: no control, bidirectional or invalid octets. */
void plain_text(const char *text, struct str *out);

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
/* CSV is safe to open in a spreadsheet: nothing in it is taken for a formula. HTML stands alone and
 * prints well. `now_ms` is for instants in tables. */
void sheet_print(const struct sheet *sheet,
                 enum sheet_format format,
                 int64_t now_ms,
                 size_t width,
                 FILE *out);
void sheet_free(struct sheet **sheet); /* for CLEANUP */
bool sheet_format_parse(const char *text, enum sheet_format *out);

/* ---- json.c: the contract's objects (section 8), as text with a line end ---------------------------- */
void json_items(const struct view *view, bool whole, struct str *out);
void json_deliveries(const struct view *view, struct str *out);
void json_cases(const struct view *view, bool whole, struct str *out);
void json_status(const struct view *view, int64_t now_ms, struct str *out);
void json_duplicates(const struct view *view, struct str *out);
/* What a replay would do, or did, with each of these items. */
struct replay_shown {
    char key[KEY_SIZE], reference[REFERENCE_SIZE];
    char state[32];
    struct replay_result result;
};
void json_replay(const struct replay_shown *item, size_t count, const char *plan, struct str *out);
void json_summary(const struct run_summary *summary, struct str *out);
void json_identified(const struct identified *id, struct str *out);
