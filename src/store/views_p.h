/* SPDX-License-Identifier: Apache-2.0
 *
 * views_p - the reading side of the ledger, one file a kind of row.
 */
#pragma once

#include "store_p.h"

#include <onecase/view_memory.h>

enum rc view_mailboxes(void *self, int64_t now_ms, struct view *out, struct err *err) MUST_CHECK;
enum rc view_states(void *self, const char *mailbox, int64_t out[ITEM_STATE_COUNT], struct err *err)
    MUST_CHECK;
enum rc view_items(void *self, const struct view_filter *filter, struct view *out, struct err *err)
    MUST_CHECK;
enum rc view_one_item(void *self, const char *key, struct view *out, struct err *err) MUST_CHECK;
enum rc
view_deliveries(void *self, const struct view_filter *filter, struct view *out, struct err *err)
    MUST_CHECK;
enum rc view_cases(void *self, const struct view_filter *filter, struct view *out, struct err *err)
    MUST_CHECK;
enum rc view_one_case(void *self, const char *reference, struct view *out, struct err *err)
    MUST_CHECK;
enum rc view_duplicates_of(
    void *self, int64_t since_ms, int64_t until_ms, struct view *out, struct err *err) MUST_CHECK;

enum rc view_decisions(
    void *self, int64_t since_ms, int64_t until_ms, bool replays, struct view *out, struct err *err)
    MUST_CHECK;
enum rc view_audit(void *self, const struct view_audit *page, struct view *out, struct err *err)
    MUST_CHECK;
enum rc view_runs(void *self, const char *after, size_t limit, struct view *out, struct err *err)
    MUST_CHECK;
/* A sender is not told where the acknowledgement was refused, given up, or waits with a refusal; and
 * where it bounced, until the case is closed. */
#define NOT_TOLD                                                                                   \
    "(item.reason IN ('gave-up', 'acknowledgement-refused') OR EXISTS (SELECT 1 FROM effect AS e"  \
    " WHERE e.key = item.key AND e.kind = 'acknowledgement' AND e.status = 'refused')"             \
    " OR EXISTS (SELECT 1 FROM bounce AS b JOIN case_record AS c ON c.key = item.case_key"         \
    " WHERE b.key = item.key AND b.action = 'failed' AND c.state = 'open'))"

/* The same as a list of keys, for finding them without looking at all others. */
#define NOT_TOLD_KEYS                                                                              \
    "SELECT key FROM item WHERE reason IN ('gave-up', 'acknowledgement-refused')"                  \
    " UNION SELECT key FROM effect WHERE kind = 'acknowledgement' AND status = 'refused'"          \
    " UNION SELECT b.key FROM bounce AS b CROSS JOIN item AS i CROSS JOIN case_record AS c"        \
    " WHERE i.key = b.key AND c.key = i.case_key"                                                  \
    " AND b.action = 'failed' AND c.state = 'open'"

/* What came back about the acknowledgements of an item, or of all items of a case. */
enum rc view_reports(struct db *db,
                     const char *key,
                     bool whole_case,
                     struct view *view,
                     struct view_reports *out,
                     struct err *err) MUST_CHECK;

enum rc view_suspects(void *self, const char *key, struct view *out, struct err *err) MUST_CHECK;
enum rc view_events(void *self, const char *key, struct view *out, struct err *err) MUST_CHECK;
enum rc view_fetched(void *self, struct view *out, struct err *err);
enum rc
view_retained(void *self, const struct retention_rule *rule, struct view *out, struct err *err);
enum rc view_of_person(void *self, const char *address, struct view *out, struct err *err);
enum rc view_leaving(void *self, struct view *out, struct err *err);
enum rc view_erasures(void *self, struct view *out, struct err *err);
enum rc view_awaited(void *self, struct view *out, struct err *err);
enum rc view_counted(void *self, int64_t *out, struct err *err);
enum rc view_incoming(void *self, const char *octets, bool *recorded, bool *wanted, struct err *err)
    MUST_CHECK;
enum rc view_files(void *self, const char *keys, struct view *out, struct err *err) MUST_CHECK;
enum rc view_left(void *self,
                  const char *mailbox,
                  const char *folder,
                  uint32_t uidvalidity,
                  uint32_t after,
                  struct view *out,
                  struct err *err) MUST_CHECK;
enum rc view_contradictions(void *self, struct view *out, struct err *err) MUST_CHECK;
enum rc view_webhooks(void *self, struct view *out, struct err *err) MUST_CHECK;
enum rc view_webhook_rows(struct db *db,
                          struct view *view,
                          struct view_webhook **out,
                          size_t *count,
                          struct err *err) MUST_CHECK;
enum rc
view_dead_letters(void *self, const char *after, size_t limit, struct view *out, struct err *err)
    MUST_CHECK;
enum rc view_channels(void *self, struct view *out, struct err *err) MUST_CHECK;
enum rc view_numbers(void *self, struct view *out, struct err *err) MUST_CHECK;
enum rc view_alike(void *self, const char *key, struct view *out, struct err *err) MUST_CHECK;

/* Decisions of after the duplicate report's period, about mail of it. */
enum rc
view_late_decisions(struct db *db, struct view *view, struct view_duplicates *d, struct err *err)
    MUST_CHECK;
enum rc
view_duplicate_rows(void *self, const struct view_figure *asked, struct view *out, struct err *err)
    MUST_CHECK;
enum rc view_one_bulk(void *self, int64_t id, struct view *out, struct err *err) MUST_CHECK;
enum rc view_bulks(void *self, int64_t below, size_t limit, struct view *out, struct err *err)
    MUST_CHECK;
enum rc
view_sender_rules(void *self, int64_t after, size_t limit, struct view *out, struct err *err)
    MUST_CHECK;
enum rc view_proposals(void *self, int64_t after, size_t limit, struct view *out, struct err *err)
    MUST_CHECK;
enum rc view_asked(void *self, int64_t *out, struct err *err) MUST_CHECK;
enum rc view_untold(void *self, int64_t *out, struct err *err) MUST_CHECK;
enum rc view_item_page(void *self, const struct view_page *page, struct view *out, struct err *err)
    MUST_CHECK;
enum rc view_chosen(void *self, const struct view_choice *choice, struct view *out, struct err *err)
    MUST_CHECK;
enum rc view_case_page(void *self, const struct view_page *page, struct view *out, struct err *err)
    MUST_CHECK;
enum rc
view_hours(void *self, const char *mailbox, int64_t since_ms, struct view *out, struct err *err)
    MUST_CHECK;
enum rc view_latency(void *self,
                     const char *mailbox,
                     int64_t since_ms,
                     int64_t *middle,
                     int64_t *most,
                     struct err *err) MUST_CHECK;
enum rc view_track_of(void *self, const char *mailbox, struct view_track *out, struct err *err)
    MUST_CHECK;

/* The duplicate report's numbers of what did not happen, and where it would have. */
enum rc view_prevented(struct db *db, struct view_duplicates *d, struct err *err) MUST_CHECK;
/* The steps of one item, for a list and for its page. */
enum rc view_effects(struct db *db,
                     const char *key,
                     struct view *view,
                     const struct view_effect **out,
                     size_t *count,
                     struct err *err) MUST_CHECK;
/* The arrivals of one item. */
enum rc view_arrivals(struct db *db,
                      const char *key,
                      struct view *view,
                      const struct view_delivery **out,
                      size_t *count,
                      struct err *err) MUST_CHECK;
/* Tries, findings, decisions, conditions of one item. */
enum rc view_story(struct db *db, struct view *view, struct view_item *item, struct err *err)
    MUST_CHECK;
void view_delivery_row(struct stmt *s, struct view *view, struct view_delivery *out);

/* Reads every row of a statement by `read`; ends with what the statement ended with. */
#define EACH_ROW(s, rc, err) while (((rc) = stmt_row((s), (err))) == RC_OK)
#define END_OF_ROWS(rc)      ((rc) == RC_NOT_FOUND ? RC_OK : (rc))
