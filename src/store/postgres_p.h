/* SPDX-License-Identifier: Apache-2.0
 *
 * postgres_p - what the files of the PostgreSQL driver share: postgres.c, postgres_link.c,
 * postgres_ask.c, postgres_stmt.c, postgres_hint.c.
 *
 * Every request goes by ask(): sent, and waited for as long as the server is heard of, so that a
 * server that has gone silent is a lost connection. All rows of an answer are in memory, and a
 * statement may be read while others run.
 */
#pragma once

#include "driver.h"

#include <libpq-fe.h>

#define BUCKETS        64
#define PARAMETERS_MAX 64

/* The types that a parameter is sent as (pg_type.dat); 0 is what the statement makes of it. */
enum {
    TYPE_BYTEA = 17,
    TYPE_BIGINT = 20,
    TYPE_TEXT = 25,
    TYPE_BYTEAS = 1001,
    TYPE_TEXTS = 1009,
    TYPE_BIGINTS = 1016
};

struct parameter {
    Oid type;
    int format; /* 1: octets as they are */
    const char *at;
    int len;
    struct str own; /* digits, or a text that had to be changed */
};

struct postgres_stmt {
    struct stmt stmt;
    struct postgres_stmt *next; /* in its bucket */
    const char *sql;            /* borrowed: static text */
    struct str text;            /* what PostgreSQL is asked */
    struct parameter parameter[PARAMETERS_MAX + 1];
    int parameters; /* the highest that was bound */
    unsigned uses;
    char name[16]; /* on the server; "" not yet */
    PGresult *result;
    int row;            /* the present one; -1 before the first */
    int column;         /* the one read last: they are mostly read in order */
    struct str *octets; /* of the present row's columns that hold octets */
    bool used;
};

struct postgres {
    struct db db;
    PGconn *connection; /* NULL: lost, or not there yet */
    char *url;          /* may hold a password */
    struct postgres_stmt *bucket[BUCKETS];
    unsigned names;
    int busy_timeout_ms;
    bool in_tx;       /* between begin and its end, also where the connection was lost meanwhile */
    char channel[64]; /* that hints are heard on; "": none is */
    bool deaf;        /* since hints were last looked for, one may have been lost */
    bool pooled;      /* what answers is not always one server process: nothing is kept there */
};

static inline struct postgres *postgres_of(struct db *db)
{
    return (struct postgres *)(void *)db;
}

/* postgres_link.c: connections. */
enum rc postgres_connect(struct postgres *db, struct err *err) MUST_CHECK;
void postgres_disconnect(struct postgres *db);
/* Tells the server how long a statement may take: only a session of its own keeps that. */
enum rc postgres_limit(struct postgres *db, struct err *err) MUST_CHECK;
/* RC_BROKEN: it has a standby that may take over without the last commits. */
enum rc postgres_standbys(struct postgres *db, struct err *err) MUST_CHECK;
/* Opens the connection where there is none; within a transaction that is RC_DEFERRED. */
enum rc postgres_connected(struct postgres *db, struct err *err) MUST_CHECK;
/* Who answers elsewhere must prove who it is. `here`: every server of the URL is on this machine. */
enum rc postgres_check_url(struct postgres *db, bool *here, struct err *err) MUST_CHECK;
/* Without user and password: "postgresql://HOST:PORT/DATABASE". free(). */
char *postgres_name(const char *url) MUST_CHECK;

/* postgres_hint.c: LISTEN and NOTIFY. */
void postgres_tell(struct db *db, const char *about);
void postgres_listen(struct db *db, const char *about);
bool postgres_heard(struct db *db, int *fd);
/* On a new connection. RC_DEFERRED: it is lost already; anything else that is wrong is no matter. */
enum rc postgres_listen_again(struct postgres *db, struct err *err) MUST_CHECK;

/* postgres_ask.c: what was sent is flushed and answered; the last result, or the first that failed.
 * NULL is a lost connection, which is closed. PQclear. */
PGresult *postgres_answer(struct postgres *db) MUST_CHECK;
/* Runs statements that give no rows. */
PGresult *postgres_ask(struct postgres *db, const char *sql) MUST_CHECK;
bool postgres_good(const PGresult *result);
/* Translates a result that is not good. */
#define FAIL_OF_POSTGRES(db, result, err)                                                          \
    err_failure(postgres_failure((db), (result), false, __func__, (err)))
enum rc postgres_failure(struct postgres *db,
                         const PGresult *result,
                         bool at_commit,
                         const char *where,
                         struct err *err);
/* The first line of what the server or the library says, for CLEANUP(str_clear). */
void postgres_says(const char *message, struct str *out);

/* postgres_stmt.c: statements. */
void postgres_forget_names(struct postgres *db); /* of the connection that is gone */
void postgres_forget_statements(struct postgres *db);
enum rc postgres_prepare(struct db *db, const char *sql, struct stmt **out, struct err *err);
void postgres_done(struct stmt **s);
void postgres_text(struct stmt *s, int at, struct slice text);
void postgres_blob(struct stmt *s, int at, struct slice octets);
void postgres_number(struct stmt *s, int at, int64_t value);
void postgres_null(struct stmt *s, int at, enum null_of of);
void postgres_values(struct stmt *s, int at, const struct values *list);
/* postgres_values.c: an array as the server takes it. */
void postgres_write_values(const struct values *list, struct str *out);
/* As it takes a text: neither NUL nor what is not UTF-8; what is left out, U+FFFD stands for. False: it is
 * right as it is, and nothing was added to `out`. */
bool postgres_mend(struct slice text, struct str *out);
enum rc postgres_row(struct stmt *s, struct err *err);
int64_t postgres_changed(struct stmt *s);
int64_t postgres_column_number(struct stmt *s, const char *name);
bool postgres_column_null(struct stmt *s, const char *name);
struct slice postgres_column(struct stmt *s, const char *name);
