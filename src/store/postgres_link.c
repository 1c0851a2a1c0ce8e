/* SPDX-License-Identifier: Apache-2.0 */
#include "postgres_fault.h"
#include "postgres_p.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OLDEST_SERVER      150000
#define AUTHORITIES        "/etc/ssl/certs/ca-certificates.crt"
#define REFUSED(db, about) "ledger '%s': " about, (db)->db.path

/* ---- what the URL says ------------------------------------------------------------------------- */

static const char *setting(const PQconninfoOption *options, const char *name)
{
    for (; options->keyword != NULL; options++)
        if (strcmp(options->keyword, name) == 0)
            return options->val != NULL ? options->val : "";
    return "";
}

static bool is_here(struct slice host)
{
    return host.len == 0 || host.at[0] == '/' || host.at[0] == '@' ||
           slice_eq_nocase(host, SLICE("localhost")) || slice_eqz(host, "::1") ||
           slice_starts_nocase(host, SLICE("127."));
}

/* Every server that the URL names is on this machine. */
static bool all_here(const PQconninfoOption *options)
{
    const char *address = setting(options, "hostaddr");
    struct slice rest = slice_z(address[0] != '\0' ? address : setting(options, "host")), host;

    while (rest.len > 0 && slice_next(&rest, ',', &host))
        if (!is_here(host))
            return false;
    return true;
}

char *postgres_name(const char *url)
{
    PQconninfoOption *options = PQconninfoParse(url, NULL);
    struct str name = STR_INIT;

    str_addz(&name, "postgresql://");
    if (options != NULL) {
        const char *port = setting(options, "port");

        str_addz(&name, setting(options, "host"));
        str_addf(&name, "%s%s/%s", port[0] != '\0' ? ":" : "", port, setting(options, "dbname"));
        PQconninfoFree(options);
    }
    return name.at;
}

enum rc postgres_check_url(struct postgres *db, bool *here, struct err *err)
{
    PQconninfoOption *options = PQconninfoParse(db->url, NULL);

    if (options == NULL)
        return FAIL(err, RC_BROKEN,
                    "ledger: `ledger` is no such URL: expected"
                    " postgresql://USER@HOST/DATABASE, what is special in it as %%XX");

    const char *mode = setting(options, "sslmode");
    bool verified = mode[0] == '\0' || strcmp(mode, "verify-full") == 0;

    *here = all_here(options);
    PQconninfoFree(options);
    if (*here || verified)
        return RC_OK;
    return FAIL(err, RC_BROKEN,
                REFUSED(db, "its sslmode does not prove who answers: leave it out of the URL (that"
                            " is verify-full); sslrootcert=FILE names an authority of your own"));
}

/* ---- the connection ---------------------------------------------------------------------------- */

static void say_nothing(void *self, const char *message)
{
    (void)self;
    (void)message;
}

static PGconn *open_connection(const struct postgres *db, bool here)
{
    const char *const keyword[] = {"connect_timeout",
                                   "application_name",
                                   "gssencmode",
                                   "keepalives_idle",
                                   "keepalives_interval",
                                   "keepalives_count",
                                   "tcp_user_timeout",
                                   "target_session_attrs",
                                   "sslmode",
                                   "sslrootcert",
                                   "dbname",
                                   "client_encoding",
                                   NULL};
    const char *const value[] = {"10",
                                 "onecase",
                                 "disable",
                                 "30",
                                 "10",
                                 "3",
                                 "30000",
                                 db->db.read_only ? "any" : "read-write",
                                 here ? "prefer" : "verify-full",
                                 here ? "" : AUTHORITIES,
                                 db->url,
                                 "UTF8",
                                 NULL};

    return PQconnectdbParams(keyword, value, 1);
}

static enum rc refused(struct postgres *db, struct err *err)
{
    CLEANUP(str_clear) struct str says = STR_INIT;
    const char *message = PQerrorMessage(db->connection);
    const struct postgres_fault *fault = postgres_refusal_of(message);

    postgres_says(message, &says);
    return FAIL(err, fault->rc, "ledger '%s': %s%s (%s)", db->db.path, fault->remedy,
                postgres_became(fault->rc), str_z(&says));
}

static enum rc judge(struct postgres *db, PGresult *facts, struct err *err)
{
    const char *durable = PQgetvalue(facts, 0, 3);

    if (strncmp(PQgetvalue(facts, 0, 5), "PostgreSQL ", 11) != 0)
        return FAIL(err, RC_BROKEN,
                    REFUSED(db, "its server is no PostgreSQL, whose advisory locks are needed"));
    db->db.timeline = strtoll(PQgetvalue(facts, 0, 4), NULL, 16);
    db->pooled = strtol(PQgetvalue(facts, 0, 0), NULL, 10) != PQbackendPID(db->connection);
    if (strtol(PQgetvalue(facts, 0, 1), NULL, 10) < OLDEST_SERVER)
        return FAIL(err, RC_BROKEN, REFUSED(db, "its server is too old: PostgreSQL 15 is needed"));
    if (strcmp(PQgetvalue(facts, 0, 2), "UTF8") != 0)
        return FAIL(err, RC_BROKEN,
                    REFUSED(db, "it cannot hold every text: CREATE DATABASE onecase OWNER onecase"
                                " ENCODING 'UTF8' TEMPLATE template0"));
    if (strcmp(durable, "off") == 0 || strcmp(durable, "local") == 0)
        return FAIL(err, RC_BROKEN,
                    REFUSED(db, "a commit would not be durable: ALTER ROLE onecase SET"
                                " synchronous_commit = on"));
    return RC_OK;
}

enum rc postgres_limit(struct postgres *db, struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    if (db->pooled)
        return RC_OK;
    str_addf(&text, "SET statement_timeout = %" PRId64, db->db.longest_ms);
    PGresult *result = postgres_ask(db, str_z(&text));
    enum rc rc =
        result != NULL && postgres_good(result) ? RC_OK : FAIL_OF_POSTGRES(db, result, err);

    PQclear(result);
    return rc;
}

static enum rc settle(struct postgres *db, struct err *err)
{
    PGresult *facts = postgres_ask(
        db, "SELECT pg_backend_pid(), current_setting('server_version_num'),"
            " current_setting('server_encoding'), current_setting('synchronous_commit'),"
            " CASE WHEN pg_is_in_recovery() THEN '' ELSE"
            " substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END, version()");
    enum rc rc = facts != NULL && postgres_good(facts) ? judge(db, facts, err)
                                                       : FAIL_OF_POSTGRES(db, facts, err);

    PQclear(facts);
    return rc;
}

static enum rc judge_standbys(struct postgres *db, PGresult *standbys, struct err *err)
{
    if (strcmp(PQgetvalue(standbys, 0, 0), "0") == 0)
        return RC_OK;
    return FAIL(err, RC_BROKEN,
                REFUSED(db, "a standby of it may take over without the last commits: ALTER SYSTEM"
                            " SET synchronous_standby_names = '*', then SELECT pg_reload_conf(); or"
                            " set `async_failover: accepted`"));
}

/* Those that are told of each commit are not enough: one that is not waited for may take over, too. */
enum rc postgres_standbys(struct postgres *db, struct err *err)
{
    PGresult *standbys = postgres_ask(
        db, "SELECT COUNT(*) FROM pg_stat_replication WHERE COALESCE(state, '') <> 'backup'"
            " AND (current_setting('synchronous_standby_names') = '' OR sync_state = 'async')");
    enum rc rc = standbys != NULL && postgres_good(standbys) ? judge_standbys(db, standbys, err)
                                                             : FAIL_OF_POSTGRES(db, standbys, err);

    PQclear(standbys);
    return rc;
}

/* What a connection is asked and told before anything else. */
static enum rc introduce(struct postgres *db, struct err *err)
{
    TRY(settle(db, err));
    if (db->db.refuses_standbys)
        TRY(postgres_standbys(db, err));
    if (db->db.longest_ms > 0)
        TRY(postgres_limit(db, err));
    return postgres_listen_again(db, err);
}

enum rc postgres_connect(struct postgres *db, struct err *err)
{
    bool here;

    postgres_disconnect(db);
    TRY(postgres_check_url(db, &here, err));
    db->connection = open_connection(db, here);
    enum rc rc = PQstatus(db->connection) == CONNECTION_OK ? RC_OK : refused(db, err);

    if (rc == RC_OK) {
        PQsetNoticeProcessor(db->connection, say_nothing, NULL);
        PQsetnonblocking(db->connection, 1);
        rc = introduce(db, err);
    }
    if (rc != RC_OK)
        postgres_disconnect(db);
    return rc;
}

void postgres_disconnect(struct postgres *db)
{
    postgres_forget_names(db);
    PQfinish(db->connection);
    db->connection = NULL;
}

enum rc postgres_connected(struct postgres *db, struct err *err)
{
    if (db->connection != NULL)
        return RC_OK;
    return db->in_tx ? FAIL_OF_POSTGRES(db, NULL, err) : postgres_connect(db, err);
}
