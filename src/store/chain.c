/* SPDX-License-Identifier: Apache-2.0 */
#include "store_p.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Lines */

static void hash_field(struct str *out, struct slice field)
{
    str_addf(out, "%zu:", field.len);
    str_add(out, field);
    str_addc(out, '\n');
}

static void hash_number(struct str *out, int64_t number)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRId64, number);
    hash_field(out, slice_z(digits));
}

struct line {
    int64_t number, at_ms;
    const char *run, *mailbox, *key, *subject, *what, *from, *to, *actor, *previous;
};

static void hash_line(const struct line *line, char out[DIGEST_HEX_SIZE])
{
    const char *const fields[] = {line->run,  line->mailbox, line->key,   line->subject, line->what,
                                  line->from, line->to,      line->actor, line->previous};
    CLEANUP(str_clear) struct str text = STR_INIT;

    hash_number(&text, line->number);
    hash_number(&text, line->at_ms);
    for (size_t i = 0; i < LENGTH(fields); i++)
        hash_field(&text, slice_z(fields[i]));

    struct digest digest = sha256_of(str_slice(&text));

    digest_hex(&digest, out);
}

static enum rc ledger_id(struct db *db, char out[DIGEST_HEX_SIZE], struct err *err)
{
    static const char find[] = "SELECT value FROM meta WHERE name = 'ledger_id'";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, RC_BROKEN, "ledger '%s': it has no id", db_path(db));
    if (rc == RC_OK)
        snprintf(out, DIGEST_HEX_SIZE, "%s", col_text(s, "value"));
    return rc;
}

/* The last line; of an empty chain number 0 and the ledger's id. */
static enum rc
read_tail(struct db *db, int64_t *number, char hash[DIGEST_HEX_SIZE], struct err *err)
{
    static const char last[] = "SELECT number, hash FROM event ORDER BY number DESC LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, last, &s, err));
    enum rc rc = stmt_row(s, err);

    *number = rc == RC_OK ? col_int(s, "number") : 0;
    if (rc == RC_NOT_FOUND)
        return ledger_id(db, hash, err);
    if (rc == RC_OK)
        snprintf(hash, DIGEST_HEX_SIZE, "%s", col_text(s, "hash"));
    return rc;
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static enum rc insert_line(struct writing *w, const struct line *line, struct err *err)
{
    static const char insert[] =
        "INSERT INTO event (number, at, run, mailbox, key, subject, what,"
        " from_state, to_state, actor, previous, hash, item_number)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, " NUMBER_OF("$5") ")";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char hash[DIGEST_HEX_SIZE];

    hash_line(line, hash);
    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_int(s, 1, line->number);
    stmt_int(s, 2, line->at_ms);
    stmt_text(s, 3, line->run);
    stmt_text(s, 4, line->mailbox);
    stmt_text(s, 5, line->key);
    stmt_text(s, 6, line->subject);
    stmt_text(s, 7, line->what);
    stmt_text(s, 8, line->from);
    stmt_text(s, 9, line->to);
    stmt_text(s, 10, line->actor);
    stmt_text(s, 11, line->previous);
    stmt_text(s, 12, hash);
    TRY(stmt_run(s, NULL, err));
    w->number = line->number;
    memcpy(w->hash, hash, sizeof hash);
    return RC_OK;
}

/* The words of a line in `pending`, each ended by NUL. */
enum { OF_MAILBOX, OF_KEY, OF_SUBJECT, OF_WHAT, OF_FROM, OF_TO, OF_ACTOR, EVENT_WORDS };

static bool is_told(const struct writing *w, const char *mailbox)
{
    for (size_t at = 0; at < w->told.len; at += strlen(w->told.at + at) + 1)
        if (strcmp(w->told.at + at, mailbox) == 0)
            return true;
    return false;
}

void writing_tell(struct writing *w, const char *mailbox)
{
    if (mailbox[0] != '\0' && !is_told(w, mailbox))
        str_add(&w->told, (struct slice){mailbox, strlen(mailbox) + 1});
}

static void tell(struct db *db, const struct writing *w)
{
    for (size_t at = 0; at < w->told.len; at += strlen(w->told.at + at) + 1)
        db_tell(db, w->told.at + at);
}

enum rc event_add(struct writing *w, const struct event *event, struct err *err)
{
    const char *const words[EVENT_WORDS] = {event->mailbox, event->key, event->subject, event->what,
                                            event->from,    event->to,  event->actor};

    (void)err;
    if (or_empty(w->run)[0] == '\0')
        writing_tell(w, or_empty(event->mailbox));
    for (size_t i = 0; i < EVENT_WORDS; i++)
        str_add(&w->pending, (struct slice){or_empty(words[i]), strlen(or_empty(words[i])) + 1});
    return RC_OK;
}

static enum rc append_line(struct writing *w, const char *const word[EVENT_WORDS], struct err *err)
{
    char previous[DIGEST_HEX_SIZE];

    memcpy(previous, w->hash, sizeof previous);
    const struct line line = {
        .number = w->number + 1,
        .at_ms = w->now.wall_ms,
        .run = or_empty(w->run),
        .mailbox = word[OF_MAILBOX],
        .key = word[OF_KEY],
        .subject = word[OF_SUBJECT],
        .what = word[OF_WHAT],
        .from = word[OF_FROM],
        .to = word[OF_TO],
        .actor = word[OF_ACTOR],
        .previous = previous,
    };

    return insert_line(w, &line, err);
}

/* Others that append wait from here to the commit. */
static enum rc append_pending(struct writing *w, struct err *err)
{
    const char *at = w->pending.at, *word[EVENT_WORDS];

    if (w->pending.len == 0)
        return RC_OK;
    if (w->number == 0) {
        TRY(tx_append(&w->tx, err));
        TRY(read_tail(w->store->db, &w->number, w->hash, err));
    }
    while (at < w->pending.at + w->pending.len) {
        for (size_t i = 0; i < EVENT_WORDS; i++, at += strlen(at) + 1)
            word[i] = at;
        TRY(append_line(w, word, err));
    }
    str_empty(&w->pending);
    return RC_OK;
}

enum rc event_number(struct writing *w, int64_t *out, struct err *err)
{
    TRY(append_pending(w, err));
    *out = w->number;
    return RC_OK;
}

struct subject subject_of(const char *word, int64_t id)
{
    struct subject subject;

    snprintf(subject.text, sizeof subject.text, "%s %" PRId64, word, id);
    return subject;
}

/* Transactions */

static void
writing_begun(struct store *store, const char *run, struct instant now, struct writing *out)
{
    int64_t shared_ms = db_began(store->db);

    out->store = store;
    out->run = run;
    out->now = now;
    out->lease_now_ms = shared_ms != 0 ? shared_ms : now.boot_ms;
}

enum rc writing_begin(
    struct store *store, const char *run, struct instant now, struct writing *out, struct err *err)
{
    *out = (struct writing)WRITING_NONE;
    TRY(tx_begin(store->db, &out->tx, err));
    writing_begun(store, run, now, out);
    return RC_OK;
}

enum rc writing_begin_turn(
    struct store *store, const char *run, struct instant now, struct writing *out, struct err *err)
{
    *out = (struct writing)WRITING_NONE;
    TRY(tx_begin_in(store->db, store->turn[0] != '\0' ? store->turn : NULL, &out->tx, err));
    writing_begun(store, run, now, out);
    return RC_OK;
}

static enum rc line_stands(struct db *db, const struct writing *w, struct err *err)
{
    static const char find[] = "SELECT number FROM event WHERE number = $1 AND hash = $2";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_int(s, 1, w->number);
    stmt_text(s, 2, w->hash);
    return stmt_row(s, err);
}

static enum rc set_settled(struct db *db, int64_t number, struct err *err)
{
    static const char set[] = "INSERT INTO meta (name, value) VALUES ('settled', CAST($1 AS TEXT))"
                              " ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, set, &s, err));
    stmt_int(s, 1, number);
    return stmt_run(s, NULL, err);
}

/* Looked for as a writer: what was under way when the answer was lost has ended by then. Where the line
 * is not there, the octets of the commit that failed may stand in the log yet, whole, where a recovery
 * would take them for good: from this commit on they are overwritten. Where it is there, this commit
 * shows that the disk writes again. */
static enum rc look(struct db *db, const struct writing *w, bool *there, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(db_reopen(db, err));
    TRY(tx_begin(db, &tx, err));
    enum rc rc = w->number == 0 ? RC_NOT_FOUND : line_stands(db, w, err);

    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    *there = rc == RC_OK;
    TRY(set_settled(db, w->number, err));
    return tx_commit(&tx, err);
}

static enum rc read_back(struct db *db, const struct writing *w, struct err *err)
{
    struct err second = ERR_INIT;
    bool there;

    if (look(db, w, &there, &second) != RC_OK)
        return err_set(err, RC_UNKNOWN, "writing_finish",
                       "%s; reading it back failed: %s; see whether it stands before it is"
                       " repeated",
                       err->text, second.text);
    if (there)
        return RC_OK;
    return err_set(err, RC_DEFERRED, "writing_finish", "%s; read back: nothing was written",
                   err->text);
}

enum rc writing_finish(struct writing *w, struct err *err)
{
    struct err first = ERR_INIT;
    enum rc rc = append_pending(w, &first);
    struct store *store = STEAL(w->store);

    if (rc == RC_OK)
        rc = tx_commit(&w->tx, &first);
    else
        tx_end(&w->tx);
    if (rc == RC_UNKNOWN)
        rc = read_back(store->db, w, &first);
    if (rc == RC_OK)
        tell(store->db, w);
    if (rc != RC_OK && err != NULL)
        *err = first;
    return rc;
}

#define TRIES 4

bool writing_again(const struct store *store, enum rc rc, int *tries)
{
    return rc == RC_DEFERRED && db_passing(store->db) && ++*tries < TRIES;
}

void writing_end(struct writing *w)
{
    tx_end(&w->tx);
    str_clear(&w->pending);
    str_clear(&w->told);
    w->store = NULL;
}

/* Checking */

static bool follows(const struct line *line, int64_t number, const char *previous, const char *hash)
{
    char expected[DIGEST_HEX_SIZE];

    hash_line(line, expected);
    return line->number == number && strcmp(line->previous, previous) == 0 &&
           strcmp(expected, hash) == 0;
}

/* A driver may hold all rows of an answer at once. */
#define LINES_AT_ONCE 5000
#define IN_WORDS_(n)  #n
#define IN_WORDS(n)   IN_WORDS_(n)

static void read_line(struct stmt *s, struct line *out)
{
    *out = (struct line){
        .number = col_int(s, "number"),
        .at_ms = col_int(s, "at"),
        .run = col_text(s, "run"),
        .mailbox = col_text(s, "mailbox"),
        .key = col_text(s, "key"),
        .subject = col_text(s, "subject"),
        .what = col_text(s, "what"),
        .from = col_text(s, "from_state"),
        .to = col_text(s, "to_state"),
        .actor = col_text(s, "actor"),
        .previous = col_text(s, "previous"),
    };
}

/* The next lines after `number`, which has the hash `previous`; both become those of the last one. */
static enum rc check_page(
    struct db *db, int64_t *number, char previous[DIGEST_HEX_SIZE], size_t *lines, struct err *err)
{
    static const char next[] = "SELECT number, at, run, mailbox, key, subject, what, from_state,"
                               " to_state, actor, previous, hash FROM event WHERE number > $1"
                               " ORDER BY number LIMIT " IN_WORDS(LINES_AT_ONCE);
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(db, next, &s, err));
    stmt_int(s, 1, *number > 0 ? *number : INT64_MIN);
    for (*lines = 0; (rc = stmt_row(s, err)) == RC_OK; ++*lines) {
        struct line line;

        read_line(s, &line);
        if (!follows(&line, *number + 1, previous, col_text(s, "hash")))
            return FAIL(err, RC_BROKEN,
                        "ledger '%s': event %" PRId64 " does not follow from the one before it",
                        db_path(db), *number + 1);
        snprintf(previous, DIGEST_HEX_SIZE, "%s", col_text(s, "hash"));
        ++*number;
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc hash_of(struct db *db, int64_t number, char out[DIGEST_HEX_SIZE], struct err *err)
{
    static const char find[] = "SELECT hash FROM event WHERE number = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (number == 0)
        return ledger_id(db, out, err);
    TRY(stmt_open(db, find, &s, err));
    stmt_int(s, 1, number);
    TRY(stmt_row(s, err));
    return col_copy(s, "hash", out, DIGEST_HEX_SIZE, err);
}

/* Those after `*number`, which becomes that of the last. */
static enum rc check_lines(struct db *db, int64_t *number, struct err *err)
{
    char previous[DIGEST_HEX_SIZE];
    size_t lines = LINES_AT_ONCE;

    TRY(hash_of(db, *number, previous, err));
    while (lines == LINES_AT_ONCE)
        TRY(check_page(db, number, previous, &lines, err));
    return RC_OK;
}

enum rc chain_check_after(struct store *store, int64_t number, struct err *err)
{
    static const char marked[] = "SELECT COALESCE(MAX(marked_event), 0) AS number FROM mailbox";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    int64_t last = number;

    TRY(tx_read(store->db, &tx, err));
    TRY(check_lines(store->db, &last, err));
    TRY(stmt_open(store->db, marked, &s, err));
    TRY(stmt_row(s, err));
    if (col_int(s, "number") > last)
        return FAIL(err, RC_BROKEN,
                    "ledger '%s': its events end at %" PRId64
                    ", but a mark was written for %" PRId64,
                    db_path(store->db), last, col_int(s, "number"));
    return RC_OK;
}

enum rc store_check_chain(struct store *store, struct err *err)
{
    return chain_check_after(store, 0, err);
}
