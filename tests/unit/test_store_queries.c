/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
/* Every statement that intake and work have run is asked for its plan: none may walk through a table
 * that grows with the mail. */
#include "sqlite_p.h"
#include "store_fixture.h"

#include <sqlite3.h>

static const char *const growing[] = {
    "item",         "delivery", "effect",    "attempt",    "evidence", "approval",   "case_record",
    "case_message", "bounce",   "case_link", "attachment", "note",     "acceptance", "listed"};

/* "SCAN item" and "SCAN item USING INDEX ..." alike. The event chain is not among them: it is read
 * from its end. */
static bool walks(const char *detail)
{
    if (strncmp(detail, "SCAN ", 5) != 0)
        return false;
    for (size_t i = 0; i < LENGTH(growing); i++) {
        size_t n = strlen(growing[i]);

        if (strncmp(detail + 5, growing[i], n) == 0 && (detail[5 + n] == ' ' || !detail[5 + n]))
            return true;
    }
    return false;
}

/* A whole mailbox is a walk too. */
static bool walks_a_mailbox(const char *detail)
{
    if (strstr(detail, "(mailbox=?)") == NULL || strncmp(detail, "SEARCH ", 7) != 0)
        return false;
    for (size_t i = 0; i < LENGTH(growing); i++) {
        size_t n = strlen(growing[i]);

        if (strncmp(detail + 7, growing[i], n) == 0 && detail[7 + n] == ' ')
            return true;
    }
    return false;
}

static void check_plan(sqlite3 *sqlite, const char *sql)
{
    CLEANUP(str_clear) struct str explain = STR_INIT;
    sqlite3_stmt *s;

    str_addf(&explain, "EXPLAIN QUERY PLAN %s", sql);
    assert_int_equal(sqlite3_prepare_v2(sqlite, str_z(&explain), -1, &s, NULL), SQLITE_OK);
    while (sqlite3_step(s) == SQLITE_ROW) {
        const char *detail = (const char *)sqlite3_column_text(s, 3);

        if (walks(detail) || walks_a_mailbox(detail))
            fail_msg("%s\n    %s", detail, sql);
    }
    sqlite3_finalize(s);
}

/* INSERT's plan shows the searches of foreign keys, which run only where one is broken. */
static bool asked(const char *sql)
{
    return strncmp(sql, "SELECT", 6) == 0 || strncmp(sql, "UPDATE", 6) == 0 ||
           strncmp(sql, "DELETE", 6) == 0;
}

static size_t check_plans(struct desk *d)
{
    sqlite3 *sqlite = sqlite_of(d->store->db)->connection;
    CLEANUP(mem_free) const char **sql = NULL;
    size_t count = 0;

    for (sqlite3_stmt *s = sqlite3_next_stmt(sqlite, NULL); s; s = sqlite3_next_stmt(sqlite, s)) {
        if (!asked(sqlite3_sql(s)))
            continue;
        sql = mem_grow(sql, count + 1, sizeof *sql);
        sql[count++] = sqlite3_sql(s);
    }
    for (size_t i = 0; i < count; i++)
        check_plan(sqlite, sql[i]);
    return count;
}

static void reserving_walks_through_no_table(void **state)
{
    struct desk *d = *state;
    struct sighting at = {.uid = 1, .internal_ms = NOON + 1};
    bool reused;
    int64_t delivery;
    struct digest octets = sha256_of(SLICE("x"));

    ARRIVE(d, .id = "<a1@x>", .uid = 1, .to = "help@example.org", .attachment = "list.csv");
    ARRIVE(d, .id = "<a1@x>", .uid = 2, .transport = "r");
    ARRIVE(d, .id = "<a1@x>", .uid = 3, .text = "Else.");
    ARRIVE(d, .id = "<a2@x>", .uid = 4, .in_reply_to = "<a1@x>", .subject = "HD-01234567");
    ARRIVE(d, .id = "<a3@x>", .uid = 5, .before_rewind = true);
    ARRIVE(d, .id = "<a4@x>", .uid = 6,
           .in_reply_to = "<ack.0123456789abcdef0123456789abcdef@example.org>");
    must(d, d->l.intake->unseen(d->store, "help", "INBOX", 7, &at, 1, &d->err));
    must(d,
         d->l.intake->reused(d->store, "help", "INBOX", 7, &at, &octets, d->now, &reused, &d->err));
    assert_int_equal(d->l.intake->octets_known(d->store, "help", &octets, &delivery, &d->err),
                     RC_NOT_FOUND);
    assert_true(check_plans(d) > 15);
}

static void working_walks_through_no_table(void **state)
{
    struct desk *d = *state;
    struct doubt *doubt = NULL;
    size_t count;
    int64_t due;

    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1, .attachment = "list.csv");

    complete(d, RUN_A);
    ARRIVE(d, .id = "<a1@x>", .uid = 2, .transport = "r", .attachment = "list.csv");
    ARRIVE(d, .id = "<a3@x>", .uid = 5, .before_rewind = true);
    must(d, d->l.runs->bury(d->store, RUN_A, RUN_B, d->now, &d->err));

    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_B, 10);

    assert_int_equal(c.count, 2);
    must(d, d->l.work->doubts(d->store, "help", "", 10, &doubt, &count, &d->err));
    free(doubt);
    must(d, d->l.work->next_due(d->store, "help", d->now, &due, &d->err));
    must(d, d->l.work->case_stands(d->store, r.key, &d->err));
    assert_int_equal(d->l.work->filing_taken(d->store, "help", "1:1", &d->err), RC_NOT_FOUND);
    assert_true(check_plans(d) > 25);
}

static void listing_walks_through_no_table(void **state)
{
    struct desk *d = *state;
    struct listed_case c[2] = {{.policy = &d->policy, .reference = "OLD-1"},
                               {.policy = &d->policy, .reference = "OLD-2", .has_date = true}};
    const struct listed_request request = {c, LENGTH(c), false, "ann", "why"};
    enum listed_fate fate[LENGTH(c)];

    str_addz(&c[0].message_ids, "<a@x>\n<b@x>\n");
    str_addz(&c[1].from, "ann@example.com");
    str_addz(&c[1].subject, "Printer");
    must(d, d->l.operators->list_cases(d->store, &request, d->now, fate, &d->err));
    for (size_t i = 0; i < LENGTH(c); i++) {
        str_clear(&c[i].message_ids);
        str_clear(&c[i].from);
        str_clear(&c[i].subject);
    }
    assert_true(check_plans(d) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_DESK(reserving_walks_through_no_table),
        AT_DESK(working_walks_through_no_table),
        AT_DESK(listing_walks_through_no_table),
    };

    return RUN_TESTS(tests);
}
