/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect.h"
#include "postgres_p.h"

#include <onecase/utf8.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A command asks most things once: only what is asked again is worth a name on the server. */
#define USES_BEFORE_A_NAME 2

static struct postgres_stmt *of(struct stmt *s)
{
    return (struct postgres_stmt *)(void *)s;
}

static struct postgres_stmt **bucket_of(struct postgres *db, const char *sql)
{
    return &db->bucket[((uintptr_t)sql >> 4) % BUCKETS];
}

/* Opening and closing */

static struct postgres_stmt *add(struct postgres *db, const char *sql)
{
    struct postgres_stmt *s = mem_new(1, sizeof *s);

    s->stmt = (struct stmt){&postgres_driver, &db->db};
    s->sql = sql;
    dialect_write(sql, &s->text);
    s->next = *bucket_of(db, sql);
    *bucket_of(db, sql) = s;
    return s;
}

/* One that is still being read is not taken away from its reader: there is another beside it. */
enum rc postgres_prepare(struct db *db, const char *sql, struct stmt **out, struct err *err)
{
    struct postgres *mine = postgres_of(db);

    TRY(postgres_connected(mine, err));

    struct postgres_stmt *s = *bucket_of(mine, sql);

    while (s != NULL && (s->sql != sql || s->used))
        s = s->next;
    if (s == NULL)
        s = add(mine, sql);
    s->used = true;
    *out = &s->stmt;
    return RC_OK;
}

static void forget_octets(struct postgres_stmt *s)
{
    for (int i = 0; s->octets != NULL && i < PQnfields(s->result); i++)
        str_clear(&s->octets[i]);
    free(s->octets);
    s->octets = NULL;
}

static void reset(struct postgres_stmt *s)
{
    forget_octets(s);
    PQclear(s->result);
    s->result = NULL;
    for (int i = 1; i <= s->parameters; i++) {
        str_clear(&s->parameter[i].own);
        s->parameter[i] = (struct parameter){0};
    }
    s->parameters = 0;
    s->used = false;
}

static void destroy(struct postgres_stmt *s)
{
    reset(s);
    str_clear(&s->text);
    free(s);
}

void postgres_done(struct stmt **s)
{
    struct postgres_stmt *mine = of(*s);

    *s = NULL;
    if (mine->stmt.db == NULL)
        destroy(mine);
    else
        reset(mine);
}

void postgres_forget_names(struct postgres *db)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct postgres_stmt *s = db->bucket[i]; s != NULL; s = s->next)
            s->name[0] = '\0';
}

void postgres_forget_statements(struct postgres *db)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        while (db->bucket[i] != NULL) {
            struct postgres_stmt *s = db->bucket[i];

            db->bucket[i] = s->next;
            s->stmt.db = NULL;
            if (!s->used)
                destroy(s);
        }
    }
}

/* Parameters */

static struct parameter *parameter(struct stmt *s, int at)
{
    assert(at >= 1 && at <= PARAMETERS_MAX);
    if (of(s)->parameters < at)
        of(s)->parameters = at;
    str_clear(&of(s)->parameter[at].own);
    return &of(s)->parameter[at];
}

static bool is_text(struct slice text)
{
    return memchr(text.at, '\0', text.len) == NULL && utf8_valid(text);
}

/* PostgreSQL takes neither NUL nor what is not UTF-8: U+FFFD stands there, as mail programs show it. */
static void replace(struct slice text, struct str *out)
{
    while (text.len > 0) {
        struct slice before = text;
        uint32_t c = utf8_next(&text);

        if (c == 0 || c == UTF8_BAD)
            str_addz(out, "\xEF\xBF\xBD");
        else
            str_add(out, (struct slice){before.at, before.len - text.len});
    }
}

bool postgres_mend(struct slice text, struct str *out)
{
    if (text.len == 0 || is_text(text))
        return false;
    replace(text, out);
    return true;
}

void postgres_text(struct stmt *s, int at, struct slice text)
{
    struct parameter *p = parameter(s, at);
    struct str own = STR_INIT;

    if (postgres_mend(text, &own))
        text = str_slice(&own);
    *p = (struct parameter){TYPE_TEXT, 1, text.at != NULL ? text.at : "", (int)text.len, own};
}

void postgres_blob(struct stmt *s, int at, struct slice octets)
{
    struct parameter *p = parameter(s, at);

    *p = (struct parameter){TYPE_BYTEA, 1, octets.at != NULL ? octets.at : "", (int)octets.len,
                            STR_INIT};
}

void postgres_number(struct stmt *s, int at, int64_t value)
{
    struct parameter *p = parameter(s, at);
    struct str own = STR_INIT;

    str_addf(&own, "%" PRId64, value);
    *p = (struct parameter){TYPE_BIGINT, 0, own.at, (int)own.len, own};
}

void postgres_null(struct stmt *s, int at, enum null_of type)
{
    static const Oid types[] = {
        [NULL_OF_ANY] = 0, [NULL_OF_TEXT] = TYPE_TEXT, [NULL_OF_NUMBER] = TYPE_BIGINT};

    *parameter(s, at) = (struct parameter){.type = types[type]};
}

void postgres_values(struct stmt *s, int at, const struct values *list)
{
    static const Oid types[] = {[VALUES_OF_TEXTS] = TYPE_TEXTS,
                                [VALUES_OF_OCTETS] = TYPE_BYTEAS,
                                [VALUES_OF_NUMBERS] = TYPE_BIGINTS};
    struct parameter *p = parameter(s, at);
    struct str own = STR_INIT;

    postgres_write_values(list, &own);
    *p = (struct parameter){types[list->of], 1, own.at, (int)own.len, own};
}

/* Asking */

struct arguments {
    Oid type[PARAMETERS_MAX];
    const char *at[PARAMETERS_MAX];
    int len[PARAMETERS_MAX];
    int format[PARAMETERS_MAX];
};

static void write_arguments(const struct postgres_stmt *s, struct arguments *out)
{
    for (int i = 0; i < s->parameters; i++) {
        const struct parameter *p = &s->parameter[i + 1];

        out->type[i] = p->type;
        out->at[i] = p->at;
        out->len[i] = p->len;
        out->format[i] = p->format;
    }
}

/* $n that were not bound are NULL, and must be sent, too. */
static void count_parameters(struct postgres_stmt *s)
{
    for (const char *at = strchr(s->text.at, '$'); at != NULL; at = strchr(at + 1, '$')) {
        long n = strtol(at + 1, NULL, 10);

        if (n > s->parameters && n <= PARAMETERS_MAX)
            s->parameters = (int)n;
    }
}

/* NULL: it has a name now, or the connection is lost. */
static PGresult *give_name(struct postgres *db, struct postgres_stmt *s, const struct arguments *a)
{
    char name[sizeof s->name];

    snprintf(name, sizeof name, "s%u", db->names++);
    if (!PQsendPrepare(db->connection, name, str_z(&s->text), s->parameters, a->type))
        return NULL;

    PGresult *result = postgres_answer(db);

    if (result == NULL || !postgres_good(result))
        return result;
    PQclear(result);
    memcpy(s->name, name, sizeof name);
    return NULL;
}

static bool send(struct postgres *db, struct postgres_stmt *s)
{
    struct arguments a;

    write_arguments(s, &a);
    if (s->name[0] != '\0')
        return PQsendQueryPrepared(db->connection, s->name, s->parameters, a.at, a.len, a.format,
                                   0) != 0;
    return PQsendQueryParams(db->connection, str_z(&s->text), s->parameters, a.type, a.at, a.len,
                             a.format, 0) != 0;
}

/* One that is prepared is prepared with the types of what is bound now: a NULL's is not known. */
static bool worth_a_name(const struct postgres *db, const struct postgres_stmt *s)
{
    if (db->pooled || s->name[0] != '\0' || s->uses < USES_BEFORE_A_NAME)
        return false;
    for (int i = 1; i <= s->parameters; i++)
        if (s->parameter[i].type == 0)
            return false;
    return true;
}

/* What only reads, outside of a transaction, may be asked a second time. */
static bool may_repeat(const struct postgres *db, const struct postgres_stmt *s)
{
    return !db->in_tx && strncmp(s->sql, "SELECT", 6) == 0;
}

static PGresult *ask_again(struct postgres *db, struct postgres_stmt *s)
{
    struct err why = ERR_INIT;

    if (!may_repeat(db, s) || postgres_connect(db, &why) != RC_OK)
        return NULL;
    return send(db, s) ? postgres_answer(db) : NULL;
}

static PGresult *try_server(struct postgres *db, struct postgres_stmt *s)
{
    count_parameters(s);
    s->uses++;
    if (worth_a_name(db, s)) {
        struct arguments a;

        write_arguments(s, &a);
        PGresult *refused = give_name(db, s, &a);

        if (refused != NULL)
            return refused;
    }
    return db->connection != NULL && send(db, s) ? postgres_answer(db) : NULL;
}

static PGresult *ask_server(struct postgres *db, struct postgres_stmt *s)
{
    PGresult *result = db->connection != NULL ? try_server(db, s) : NULL;

    return result != NULL ? result : ask_again(db, s);
}

static enum rc ask(struct postgres *db, struct postgres_stmt *s, struct err *err)
{
    PGresult *result = ask_server(db, s);

    if (result == NULL || !postgres_good(result)) {
        enum rc rc = FAIL_OF_POSTGRES(db, result, err);

        PQclear(result);
        return rc;
    }
    s->result = result;
    s->row = -1;
    s->column = -1;
    return RC_OK;
}

enum rc postgres_row(struct stmt *s, struct err *err)
{
    struct postgres_stmt *mine = of(s);

    if (mine->result == NULL)
        TRY(ask(postgres_of(s->db), mine, err));
    forget_octets(mine);
    mine->column = -1;
    return ++mine->row < PQntuples(mine->result) ? RC_OK : RC_NOT_FOUND;
}

int64_t postgres_changed(struct stmt *s)
{
    return strtoll(PQcmdTuples(of(s)->result), NULL, 10);
}

/* Columns */

static int column(struct postgres_stmt *s, const char *name)
{
    int count = PQnfields(s->result);

    for (int tried = 0; tried < count; tried++) {
        s->column = (s->column + 1) % count;
        if (strcmp(PQfname(s->result, s->column), name) == 0)
            return s->column;
    }
    assert(count < 0); /* our mistake: there is no such column */
    abort();
}

/* A condition is t or f. */
int64_t postgres_column_number(struct stmt *s, const char *name)
{
    struct postgres_stmt *mine = of(s);
    const char *text = PQgetvalue(mine->result, mine->row, column(mine, name));

    return text[0] == 't' ? 1 : strtoll(text, NULL, 10);
}

bool postgres_column_null(struct stmt *s, const char *name)
{
    struct postgres_stmt *mine = of(s);

    return PQgetisnull(mine->result, mine->row, column(mine, name)) != 0;
}

static int digit_of(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* "\x" and two digits an octet. */
static struct slice octets(struct postgres_stmt *s, int at)
{
    const char *hex = PQgetvalue(s->result, s->row, at);
    int len = PQgetlength(s->result, s->row, at);

    if (s->octets == NULL)
        s->octets = mem_new((size_t)PQnfields(s->result), sizeof *s->octets);

    struct str *out = &s->octets[at];

    str_empty(out);
    for (int i = 2; i + 1 < len; i += 2)
        str_addc(out, (char)(digit_of(hex[i]) << 4 | digit_of(hex[i + 1])));
    return out->len > 0 ? str_slice(out) : SLICE_EMPTY;
}

struct slice postgres_column(struct stmt *s, const char *name)
{
    struct postgres_stmt *mine = of(s);
    int at = column(mine, name);

    if (PQgetisnull(mine->result, mine->row, at))
        return SLICE_EMPTY;
    if (PQftype(mine->result, at) == TYPE_BYTEA)
        return octets(mine, at);
    return (struct slice){PQgetvalue(mine->result, mine->row, at),
                          (size_t)PQgetlength(mine->result, mine->row, at)};
}
