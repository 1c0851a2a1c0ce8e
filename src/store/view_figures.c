/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

#include <string.h>

/* The rows behind each figure of the duplicate report: the conditions are those by which
 * view_duplicates.c and view_prevented.c count, and a test holds them together. */

#define ROWS(what)                                                                                 \
    "SELECT delivery.id, delivery.seen_at AS at, delivery.key, delivery.mailbox, " what            \
    " AS what, COALESCE(case_record.reference, '') AS reference FROM delivery"                     \
    " JOIN item ON item.key = delivery.key"                                                        \
    " LEFT JOIN case_record ON case_record.key = item.case_key"                                    \
    " WHERE delivery.seen_at >= $1 AND delivery.seen_at < $2 AND delivery.id < $3"
#define NEWEST          " ORDER BY delivery.id DESC LIMIT $4"
#define ARRIVALS(which) ROWS("delivery.class") " AND " which NEWEST
#define CLASS(class)    ARRIVALS("delivery.class = '" class "'")
#define FIRST_AS(as)    ARRIVALS("delivery.class = 'first' AND item.arrived_as = '" as "'")
#define DECIDED(is)                                                                                \
    ARRIVALS("delivery.won = 1 AND (delivery.class IN ('conflict', 'gateway_copy')"                \
             " OR (delivery.class = 'first' AND item.arrived_as = 'held'))"                        \
             " AND item.disposition " is)

#define TRIES                                                                                      \
    "SELECT attempt.id, attempt.started_at AS at, effect.key, item.mailbox, attempt.outcome"       \
    " AS what, COALESCE(case_record.reference, '') AS reference FROM attempt"                      \
    " JOIN effect ON effect.id = attempt.effect JOIN item ON item.key = effect.key"                \
    " JOIN run ON run.id = attempt.run"                                                            \
    " LEFT JOIN case_record ON case_record.key = item.case_key"                                    \
    " WHERE attempt.started_at >= $1 AND attempt.started_at < $2 AND attempt.id < $3"
#define NOT_REPEATED                                                                               \
    " AND attempt.outcome = 'unknown' AND NOT EXISTS (SELECT 1 FROM attempt AS later"              \
    " WHERE later.effect = attempt.effect AND later.number > attempt.number"                       \
    " AND later.outcome = 'done')"
#define BY_OTHER                                                                                   \
    "EXISTS (SELECT 1 FROM event WHERE event.key = effect.key"                                     \
    " AND event.subject = 'effect ' || effect.id AND event.at = attempt.ended_at"                  \
    " AND event.to_state = 'unknown' AND event.from_state <> 'attempting')"
#define BY_RUN                                                                                     \
    "(attempt.phase = 'lost' AND attempt.connection_closed = 0 AND (run.ended_at IS NULL"          \
    " OR run.ended_at > attempt.ended_at))"
#define LATEST   " ORDER BY attempt.id DESC LIMIT $4"
#define IN_DOUBT TRIES NOT_REPEATED " AND effect.kind IN ('acknowledgement', 'case') AND "

/* clang-format off */
static const struct {
    const char *name, *sql;
} figures[] = {
    { "deliveries",                ARRIVALS("1")                                                   },
    { "first",                     CLASS("first")                                                  },
    { "redelivered",               CLASS("redelivered")                                            },
    { "reobserved",                CLASS("reobserved")                                             },
    { "returned",                  CLASS("returned")                                               },
    { "list_copy",                 CLASS("list_copy")                                              },
    { "gateway_copy",              CLASS("gateway_copy")                                           },
    { "replayed",                  CLASS("replayed")                                               },
    { "conflict",                  CLASS("conflict")                                               },
    { "new_cases",                 FIRST_AS("case")                                                },
    { "appended",                  FIRST_AS("append")                                              },
    { "reports",                   FIRST_AS("report")                                              },
    { "evidence",                  FIRST_AS("evidence")                                            },
    { "adopted",                   FIRST_AS("adopted")                                             },
    { "held",                      FIRST_AS("held")                                                },
    { "dismissed",                 FIRST_AS("dismissed")                                           },
    { "decided_waiting",           DECIDED("= 'held'")                                             },
    { "decided_dismissed",         DECIDED("= 'dismissed'")                                        },
    { "decided_new_case",          DECIDED("= 'case'")                                             },
    { "decided_append",            DECIDED("NOT IN ('held', 'dismissed', 'case')")                 },
    { "cases_prevented",           ARRIVALS("delivery.class IN ('redelivered', 'list_copy') AND item.case_key IS NOT NULL") },
    { "by_delivery",               ARRIVALS("delivery.class IN ('redelivered', 'list_copy', 'reobserved', 'returned') AND item.case_key IS NOT NULL") },
    { "by_replay",                 ARRIVALS("delivery.class = 'replayed' AND item.case_key IS NOT NULL") },
    { "acknowledgements_withheld", TRIES NOT_REPEATED " AND effect.kind = 'acknowledgement'" LATEST },
    { "by_other_deployment",       IN_DOUBT BY_OTHER LATEST                                        },
    { "by_concurrent_run",         IN_DOUBT BY_RUN " AND NOT " BY_OTHER LATEST                     },
    { "by_retry",                  IN_DOUBT "NOT " BY_RUN " AND NOT " BY_OTHER LATEST              },
    { "doubles",                   TRIES " AND effect.kind = 'acknowledgement' AND attempt.outcome = 'done'"
                                   " AND EXISTS (SELECT 1 FROM attempt AS lost WHERE lost.effect = effect.id"
                                   " AND lost.outcome = 'unknown' AND lost.number < attempt.number)"
                                   " AND EXISTS (SELECT 1 FROM evidence WHERE evidence.effect = effect.id"
                                   " AND evidence.found = 1)" LATEST                               },
};
/* clang-format on */

static const char *sql_of(const char *name)
{
    for (size_t i = 0; i < LENGTH(figures); i++)
        if (strcmp(figures[i].name, name) == 0)
            return figures[i].sql;
    return NULL;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
enum rc view_figure(void *self,
                    const char *name,
                    int64_t since_ms,
                    int64_t until_ms,
                    int64_t below,
                    size_t limit,
                    struct view *out,
                    struct err *err)
{
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_figure_row));
    const char *sql = sql_of(name);
    enum rc rc;

    if (!sql)
        return FAIL(err, RC_NOT_FOUND, "there is no such figure in the report");
    TRY(stmt_open(store->db, sql, &s, err));
    stmt_int(s, 1, since_ms);
    stmt_int(s, 2, until_ms);
    stmt_int(s, 3, below > 0 ? below : INT64_MAX);
    stmt_int(s, 4, limit ? (int64_t)limit : INT64_MAX);
    EACH_ROW(s, rc, err)
    {
        struct view_figure_row *r = view_rows_add(out, &rows);
        r->id = col_int(s, "id");
        r->at_ms = col_int(s, "at");
        r->key = view_text(out, col_text(s, "key"));
        r->mailbox = view_text(out, col_text(s, "mailbox"));
        r->reference = view_text(out, col_text(s, "reference"));
        r->what = view_text(out, col_text(s, "what"));
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}
