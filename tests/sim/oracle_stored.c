/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle_p.h"

#include <onecase/blobs.h>

#include <stdio.h>
#include <string.h>

/* ---- V1 -------------------------------------------------------------------------------------- */

/* It was there at the first start, and is older than recent. */
static bool
awaits_choice(struct deployment *d, const struct folder *folder, const struct copy *copy)
{
    char uidvalidity[16];
    char uid[16];
    char internal[32];

    snprintf(uidvalidity, sizeof uidvalidity, "%u", folder->uidvalidity);
    snprintf(uid, sizeof uid, "%u", copy->uid);
    snprintf(internal, sizeof internal, "%lld", (long long)copy->internal_ms);
    return sql_number(d,
                      "SELECT count(*) FROM mailbox WHERE import_choice = 'waiting'"
                      " AND import_before > cast(?1 AS INTEGER)"
                      " AND (import_uidvalidity <> cast(?2 AS INTEGER)"
                      " OR import_uidnext > cast(?3 AS INTEGER))",
                      internal, uidvalidity, uid, NULL) > 0;
}

static bool
recorded_here(struct deployment *d, const struct folder *folder, const struct copy *copy)
{
    char uidvalidity[16];
    char uid[16];
    char octets[DIGEST_HEX_SIZE];

    digest_hex(&copy->mail->digest, octets);
    snprintf(uidvalidity, sizeof uidvalidity, "%u", folder->uidvalidity);
    snprintf(uid, sizeof uid, "%u", copy->uid);
    return sql_number(
               d,
               "SELECT count(*) FROM delivery JOIN item USING (key) WHERE folder = ?1 AND stale = 0"
               " AND uidvalidity = cast(?2 AS INTEGER) AND uid = cast(?3 AS INTEGER)"
               " AND (delivery.octets = ?4 OR delivery.octets = '')",
               folder->name, uidvalidity, uid, octets, NULL) == 1;
}

static bool octets_recorded(struct deployment *d, const struct mail *mail)
{
    char octets[DIGEST_HEX_SIZE];

    digest_hex(&mail->digest, octets);
    return sql_number(
               d, "SELECT count(*) FROM delivery JOIN item USING (key) WHERE delivery.octets = ?1",
               octets, NULL) > 0;
}

void oracle_v1_every_message_is_listed(struct world *world, struct deployment *d)
{
    const struct folder *inbox = imap_folder(&world->imap, INBOX);
    int64_t awaiting = 0;

    for (size_t i = 0; i < inbox->count; i++) {
        const struct copy *copy = &inbox->copy[i];

        if (copy->deleted)
            continue;
        if (recorded_here(d, inbox, copy))
            continue;
        if (awaits_choice(d, inbox, copy))
            awaiting++;
        else
            broke(world, "V1", "m%u (UID %u) lies in the inbox, and no delivery names it",
                  copy->mail->number, copy->uid);
    }
    if (awaiting != sql_number(d, "SELECT awaiting FROM mailbox", NULL))
        broke(world, "V1",
              "%lld messages await the first-import choice, and another number is listed",
              (long long)awaiting);
    for (size_t i = 0; i < world->imap.departures; i++) {
        const struct departure *gone = &world->imap.departure[i];

        if (!gone->by_person && !octets_recorded(d, gone->mail))
            broke(world, "V1", "m%u was filed, and the ledger does not know it",
                  gone->mail->number);
    }
}

/* ---- V2 -------------------------------------------------------------------------------------- */

static void each_case_item(struct world *world, struct deployment *d)
{
    struct sqlite3_stmt *s = sql_open(
        d,
        "SELECT i.key, c.reference, (SELECT count(*) FROM case_message m WHERE m.key = i.key AND "
        "m.case_key = i.key"
        " AND m.direction = 'in'), i.case_key"
        " FROM item i LEFT JOIN case_record c ON c.key = i.key WHERE i.disposition = 'case'",
        NULL);

    while (sql_row(s)) {
        char reference[REFERENCE_SIZE];
        const char *key = sql_text(s, 0);

        reference_of(PREFIX, key, REFERENCE_DIGITS, reference);
        if (strcmp(reference, sql_text(s, 1)) != 0)
            broke(world, "V2", "the case of %s is called '%s'", mail_label(world, key),
                  sql_text(s, 1));
        if (sql_int(s, 2) != 1 || strcmp(key, sql_text(s, 3)) != 0)
            broke(world, "V2", "%s has no case of its own", mail_label(world, key));
    }
}

void oracle_v2_one_case(struct world *world, struct deployment *d)
{
    each_case_item(world, d);
    if (sql_number(d,
                   "SELECT count(*) FROM (SELECT 1 FROM item WHERE disposition = 'case' AND "
                   "source_digest <> ''"
                   " GROUP BY source_digest HAVING count(*) > 1)",
                   NULL) > 0)
        broke(world, "V2", "one mail has two cases");
    if (sql_number(
            d,
            "SELECT count(*) FROM case_message m JOIN item i USING (key) WHERE m.direction = 'in'"
            " AND m.case_key <> m.key AND i.disposition NOT IN ('append', 'report', 'evidence')",
            NULL) > 0)
        broke(world, "V2", "a mail shares a case without having been appended to it");
    if (sql_number(d,
                   "SELECT count(*) FROM case_record LEFT JOIN item USING (key) WHERE "
                   "item.disposition <> 'case'",
                   NULL) > 0)
        broke(world, "V2", "there is a case that no mail made");
}

/* ---- V3 -------------------------------------------------------------------------------------- */

static bool stands(const struct deployment *d, const char *path, const char *sha256)
{
    struct slice octets;
    char hex[DIGEST_HEX_SIZE];

    if (!disk_look_durable(&d->disk, path, &octets))
        return false;
    struct digest digest = sha256_of(octets);

    digest_hex(&digest, hex);
    return strcmp(hex, sha256) == 0;
}

bool oracle_files_stand(struct deployment *d, const char *key, char what[200])
{
    char path[BLOB_PATH_SIZE];
    bool all = true;
    struct sqlite3_stmt *s =
        sql_open(d, "SELECT stored_name, sha256, status FROM attachment WHERE key = ?1", key, NULL);

    while (sql_row(s)) {
        blob_path_attachment(key, sql_text(s, 0), path);
        if (strcmp(sql_text(s, 2), "refused") == 0 || stands(d, path, sql_text(s, 1)))
            continue;
        snprintf(what, 200, "%s (%s)", sql_text(s, 0), sql_text(s, 2));
        all = false;
    }
    return all;
}

/* The sender's attachments, as the world knows them, are the plan's. */
static void plan_is_the_mail(struct world *world,
                             struct deployment *d,
                             const char *key,
                             const struct mail *mail)
{
    for (size_t i = 0; i < mail->attachments; i++) {
        const struct mail_attachment *a = &mail->attachment[i];
        char name[64];
        char hex[DIGEST_HEX_SIZE];

        snprintf(name, sizeof name, "%02zu-%s", i + 1, a->name);
        digest_hex(&a->sha256, hex);
        if (sql_number(d,
                       "SELECT count(*) FROM attachment WHERE key = ?1 AND stored_name = ?2 AND "
                       "sha256 = ?3"
                       " AND (status = 'refused') = cast(?4 AS INTEGER)",
                       key, name, hex, a->refused ? "1" : "0", NULL) != 1)
            broke(world, "V3", "attachment %s of m%u is not in the plan as it was sent", name,
                  mail->number);
    }
    if (sql_number(d, "SELECT count(*) FROM attachment WHERE key = ?1", key, NULL) !=
        (int64_t)mail->attachments)
        broke(world, "V3", "the plan of m%u has attachments that were not sent", mail->number);
}

/* What was fetched and recorded can be had: as the original, as what came in, or from the mailbox. */
static bool octets_can_be_had(struct world *world, const struct deployment *d, const char *hex)
{
    struct digest octets;
    struct slice found;
    char path[BLOB_PATH_SIZE];

    if (!digest_from_hex(slice_z(hex), &octets))
        return true;
    blob_path_incoming(&octets, path);
    const struct mail *mail = mail_by_octets(world, &octets);

    for (size_t i = 0; i < MACHINES; i++)
        if (disk_look_durable(&world->machine[i].disk, path, &found))
            return true;
    return disk_look_durable(&d->disk, path, &found) || mail == NULL ||
           imap_count(&world->imap, INBOX, mail) + imap_count(&world->imap, PROCESSED, mail) > 0;
}

static void no_original_is_lost(struct world *world, struct deployment *d)
{
    if (d->went_back > 0)
        return;
    struct sqlite3_stmt *s = sql_open(d,
                                      "SELECT key, octets FROM item WHERE original_kept = 0"
                                      " AND octets <> '' AND disposition <> 'adopted'",
                                      NULL);

    while (sql_row(s))
        if (!octets_can_be_had(world, d, sql_text(s, 1)))
            broke(world, "V3", "the original of %s is nowhere any more",
                  mail_label(world, sql_text(s, 0)));
}

static void every_file_is_known(struct world *world, struct deployment *d)
{
    size_t at = 0;
    const char *path;

    if (d->went_back > 0) /* the disk did not: what the ledger forgot still stands there */
        return;
    while ((path = disk_under(&d->disk, "items", &at)) != NULL) {
        char key[KEY_SIZE];
        const char *name = strstr(path, "/attachments/");

        snprintf(key, sizeof key, "%.64s", strlen(path) > 9 ? path + 9 : "");
        if (name == NULL)
            continue;
        name += strlen("/attachments/");
        if (sql_number(d,
                       "SELECT count(*) FROM attachment WHERE key = ?1 AND stored_name = ?2 AND "
                       "status <> 'refused'",
                       key, name, NULL) != 1)
            broke(world, "V3", "the file %s of %s is in no plan", name, mail_label(world, key));
    }
}

void oracle_v3_files_are_the_plan(struct world *world, struct deployment *d)
{
    struct sqlite3_stmt *s = sql_open(d,
                                      "SELECT key, octets, state, original_kept FROM item"
                                      " WHERE disposition IN ('case', 'append')",
                                      NULL);

    while (sql_row(s)) {
        char what[200] = "";
        char path[BLOB_PATH_SIZE];
        struct digest octets;
        const struct mail *mail = NULL;

        if (digest_from_hex(slice_z(sql_text(s, 1)), &octets))
            mail = mail_by_octets(world, &octets);
        if (mail != NULL)
            plan_is_the_mail(world, d, sql_text(s, 0), mail);
        blob_path_original(sql_text(s, 0), path);
        if (sql_int(s, 3) != 0 && !stands(d, path, sql_text(s, 1)))
            broke(world, "V3", "the original of %s is not kept", mail_label(world, sql_text(s, 0)));
        if (strcmp(sql_text(s, 2), "complete") == 0 && !oracle_files_stand(d, sql_text(s, 0), what))
            broke(world, "V3", "%s is complete without its file %s",
                  mail_label(world, sql_text(s, 0)), what);
    }
    every_file_is_known(world, d);
    no_original_is_lost(world, d);
}
