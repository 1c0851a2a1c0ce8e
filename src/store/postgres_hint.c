/* SPDX-License-Identifier: Apache-2.0 */
#include "postgres_p.h"

#include <onecase/digest.h>

#include <stdio.h>
#include <string.h>

/* A channel for each thing that is told about: a server then wakes nobody else. Its name says nothing. */
static void name_channel(const char *about, char out[64])
{
    const struct digest digest = sha256_of(slice_z(about));
    char hex[DIGEST_HEX_SIZE];

    digest_hex(&digest, hex);
    snprintf(out, 64, "onecase_%.32s", hex);
}

static bool ask(struct postgres *db, const char *verb, const char *channel)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    str_addf(&text, "%s %s", verb, channel);
    PGresult *result = postgres_ask(db, str_z(&text));
    bool good = result != NULL && postgres_good(result);

    PQclear(result);
    return good;
}

/* By itself, after the commit: a queue that is full would take the commit along. */
void postgres_tell(struct db *db, const char *about)
{
    struct postgres *mine = postgres_of(db);
    char channel[64];

    if (mine->connection == NULL)
        return;
    name_channel(about, channel);
    (void)ask(mine, "NOTIFY", channel);
}

/* A pooler would leave whichever connection it gave us listening, and drop what that hears. */
static bool can_listen(const struct postgres *db)
{
    return db->channel[0] != '\0' && !db->pooled && db->connection != NULL;
}

enum rc postgres_listen_again(struct postgres *db, struct err *err)
{
    if (!can_listen(db))
        return RC_OK;
    db->deaf = ask(db, "LISTEN", db->channel);
    return db->connection != NULL ? RC_OK : FAIL_OF_POSTGRES(db, NULL, err);
}

void postgres_listen(struct db *db, const char *about)
{
    struct postgres *mine = postgres_of(db);
    struct err err = ERR_INIT;

    name_channel(about, mine->channel);
    (void)!postgres_listen_again(mine, &err);
}

static bool take_hints(struct postgres *db)
{
    bool any = false;

    for (PGnotify *hint; (hint = PQnotifies(db->connection)) != NULL; PQfreemem(hint))
        any |= hint->be_pid != PQbackendPID(db->connection);
    return any;
}

/* One that was lost while nobody listened may have been about anything. */
bool postgres_heard(struct db *db, int *fd)
{
    struct postgres *mine = postgres_of(db);

    if (!can_listen(mine))
        return false;
    if (!PQconsumeInput(mine->connection)) {
        postgres_disconnect(mine);
        return true;
    }
    bool any = take_hints(mine) || mine->deaf;

    mine->deaf = false;
    *fd = PQsocket(mine->connection);
    return any;
}
