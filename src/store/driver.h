/* SPDX-License-Identifier: Apache-2.0
 *
 * driver - what a database has to do for db.h: one table of functions a database.
 *
 * Private to db.c and to the drivers: sqlite*.c, postgres*.c. A driver's own struct begins with a
 * struct db or a struct stmt; what each function promises stands at its namesake in db.h. `path` and
 * `read_only` are set by `open`; `driver` by whoever makes the struct. A statement that outlives its
 * connection has `db` NULL, and may only be done with.
 */
#pragma once

#include "db.h"

struct driver;

struct db {
    const struct driver *driver;
    char *path; /* for messages: without a password */
    bool read_only;
    bool passing;              /* what failed last has passed by itself: see db_passing */
    int64_t longest_ms;        /* of a statement; 0: any */
    const struct clock *clock; /* with `longest_ms` */
    int64_t timeline;          /* of the server that answers; 0: there are none */
    int64_t known_timeline;    /* that whoever writes knows of */
    bool stays;                /* see db_stay */
    bool refuses_standbys;     /* looked for on each new connection */
    bool host_clock;           /* its own clock, if it has one, is not used */
    int64_t now_ms;            /* its own clock when the last transaction began; 0: it has none */
    int64_t schema;            /* see db_keep_to; 0: nobody has asked for it */
    int64_t oldest_schema;     /* with `schema`, read by `begin` of TX_WRITE; 0: it does not say */
};

struct stmt {
    const struct driver *driver;
    struct db *db; /* NULL: its connection is gone */
};

enum tx_kind {
    TX_WRITE,   /* alone among those that write, or in turn with those of the same name */
    TX_MIGRATE, /* alone among those that change the schema; there may be no table yet */
    TX_READ,
};

/* What `begin` reads `oldest_schema` by. */
#define OLDEST_SCHEMA                                                                              \
    "(SELECT CAST(value AS BIGINT) FROM meta WHERE name = 'oldest_schema') AS oldest"

enum null_of { NULL_OF_ANY, NULL_OF_TEXT, NULL_OF_NUMBER };

struct driver {
    const char *const *schemes; /* beginnings of its paths, ended by NULL; NULL: a file */
    enum rc (*open)(const struct store_options *options, struct db **out, struct err *err);
    void (*close)(struct db **db);
    enum rc (*reopen)(struct db *db, struct err *err);
    enum rc (*run)(struct db *db, const char *sql, struct err *err);

    enum rc (*prepare)(struct db *db, const char *sql, struct stmt **out, struct err *err);
    void (*done)(struct stmt **s);
    void (*text)(struct stmt *s, int at, struct slice text);
    void (*blob)(struct stmt *s, int at, struct slice octets);
    void (*number)(struct stmt *s, int at, int64_t value);
    void (*null)(struct stmt *s, int at, enum null_of of);
    void (*list)(struct stmt *s, int at, const struct values *list); /* NULL: it takes none */
    enum rc (*row)(struct stmt *s, struct err *err);
    int64_t (*changed)(struct stmt *s); /* rows, by a statement that was read to its end */

    int64_t (*column_number)(struct stmt *s, const char *name);
    bool (*column_null)(struct stmt *s, const char *name);
    struct slice (*column)(struct stmt *s, const char *name);

    enum rc (*has_table)(struct db *db, const char *name, bool *out, struct err *err);
    enum rc (*size)(struct db *db, int64_t *octets, struct err *err);
    enum rc (*check)(struct db *db, bool whole, struct err *err);
    enum rc (*copy)(struct db *to, struct db *from, struct err *err); /* both of this driver */

    /* NULL: numbers follow the highest by themselves. */
    enum rc (*renumber)(struct db *db, const char *table, const char *column, struct err *err);

    enum rc (*triggers)(struct db *db, const char *table, bool fire, struct err *err);

    bool (*file)(struct db *db, struct str *out); /* NULL: it is no file */
    void (*forget)(struct db *db);                /* NULL: there is nothing to do */

    enum rc (*limit)(struct db *db, struct err *err); /* `longest_ms` is another one */
    /* `turn` is NULL but for TX_WRITE: see tx_begin_in. */
    enum rc (*begin)(struct db *db, enum tx_kind kind, const char *turn, struct err *err);
    enum rc (*append)(struct db *db, struct err *err);            /* NULL: nothing to do */
    enum rc (*now)(struct db *db, int64_t *out, struct err *err); /* NULL: it has no clock */
    void (*tell)(struct db *db,
                 const char *about); /* NULL, and the next two: nobody is told of anything */
    void (*listen)(struct db *db, const char *about);
    bool (*heard)(struct db *db, int *fd);
    enum rc (*standbys)(struct db *db, struct err *err); /* NULL: it can have none */
    enum rc (*commit)(struct db *db, struct err *err);
    void (*rollback)(struct db *db); /* of whatever is left of the transaction */
};

extern const struct driver sqlite_driver;
extern const struct driver postgres_driver;
