/* SPDX-License-Identifier: Apache-2.0 */
#include "report_numbers.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

/* ---- what a number counts ------------------------------------------------------------------ */

static bool any(const struct report_fact *f, int arg, const char *value)
{
    (void)arg;
    (void)value;
    return f->kind == FACT_ARRIVAL;
}

static bool of_class(const struct report_fact *f, int class, const char *value)
{
    (void)value;
    return f->kind == FACT_ARRIVAL && (int)f->class == class;
}

static bool arrived(const struct report_fact *f, int disposition, const char *value)
{
    return of_class(f, CLASS_FIRST, value) && (int)f->arrived_as == disposition;
}

static bool decided(const struct report_fact *f, int fate, const char *value)
{
    (void)value;
    return f->kind == FACT_ARRIVAL && (int)f->fate == fate;
}

static bool prevented(const struct report_fact *f, int arg, const char *value)
{
    (void)arg;
    return f->had_case &&
           (of_class(f, CLASS_REDELIVERED, value) || of_class(f, CLASS_LIST_COPY, value));
}

static bool again(const struct report_fact *f, int arg, const char *value)
{
    return prevented(f, arg, value) || (f->had_case && (of_class(f, CLASS_REOBSERVED, value) ||
                                                        of_class(f, CLASS_RETURNED, value)));
}

static bool replayed(const struct report_fact *f, int arg, const char *value)
{
    (void)arg;
    return f->had_case && of_class(f, CLASS_REPLAYED, value);
}

static bool withheld(const struct report_fact *f, int arg, const char *value)
{
    (void)arg;
    (void)value;
    return f->kind == FACT_TRY && f->acknowledgement;
}

static bool bounded(const struct report_fact *f, int boundary, const char *value)
{
    (void)value;
    return f->kind == FACT_TRY && (int)f->boundary == boundary;
}

static bool doubled(const struct report_fact *f, int arg, const char *value)
{
    (void)arg;
    (void)value;
    return f->kind == FACT_DOUBLE;
}

static bool found_there(const struct report_fact *f, int arg, const char *value)
{
    (void)arg;
    (void)value;
    return f->kind == FACT_FOUND_THERE;
}

/* ---- the lists: copies by day, mailbox and domain, and the arrivals of one key ----------------- */

static bool copy(const struct report_fact *f)
{
    return f->kind == FACT_ARRIVAL && f->class != CLASS_FIRST && f->class != CLASS_REPLAYED &&
           f->class != CLASS_CONFLICT;
}

void report_day(int64_t at_ms, char out[REPORT_DAY_SIZE])
{
    time_t at = (time_t)(at_ms / 1000);
    struct tm day;

    out[0] = '\0';
    if (localtime_r(&at, &day))
        (void)strftime(out, REPORT_DAY_SIZE, "%Y-%m-%d", &day);
}

/* "2026-03-02", or of one kind: "2026-03-02/redelivered". */
static bool of_day(const struct report_fact *f, int arg, const char *day)
{
    char date[REPORT_DAY_SIZE];
    size_t len = strcspn(day, "/");
    (void)arg;

    if (!copy(f) || (day[len] && strcmp(day + len + 1, delivery_class_text(f->class)) != 0))
        return false;
    report_day(f->at_ms, date);
    return len == strlen(date) && strncmp(day, date, len) == 0;
}

static bool of_mailbox(const struct report_fact *f, int arg, const char *mailbox)
{
    (void)arg;
    return copy(f) && strcmp(f->mailbox, mailbox) == 0;
}

static bool of_domain(const struct report_fact *f, int arg, const char *domain)
{
    (void)arg;
    return copy(f) && strcmp(f->domain, domain) == 0;
}

static bool of_key(const struct report_fact *f, int arg, const char *key)
{
    (void)arg;
    return f->kind == FACT_ARRIVAL && strcmp(f->key, key) == 0;
}

/* ---- the table ----------------------------------------------------------------------------- */

#define AT(member) offsetof(struct view_duplicates, member)
#define LISTED     SIZE_MAX /* stands in a list, one number a value */

/* clang-format off */
static const struct {
    const char *name;
    size_t at;
    bool (*counts)(const struct report_fact *f, int arg, const char *value);
    int arg;
} numbers[] = {
    { "deliveries",                  AT(deliveries),                       any,       0                         },
    { "first",                       AT(class[CLASS_FIRST]),               of_class,  CLASS_FIRST               },
    { "redelivered",                 AT(class[CLASS_REDELIVERED]),         of_class,  CLASS_REDELIVERED         },
    { "reobserved",                  AT(class[CLASS_REOBSERVED]),          of_class,  CLASS_REOBSERVED          },
    { "returned",                    AT(class[CLASS_RETURNED]),            of_class,  CLASS_RETURNED            },
    { "list_copy",                   AT(class[CLASS_LIST_COPY]),           of_class,  CLASS_LIST_COPY           },
    { "gateway_copy",                AT(class[CLASS_GATEWAY_COPY]),        of_class,  CLASS_GATEWAY_COPY        },
    { "replayed",                    AT(class[CLASS_REPLAYED]),            of_class,  CLASS_REPLAYED            },
    { "conflict",                    AT(class[CLASS_CONFLICT]),            of_class,  CLASS_CONFLICT            },
    { "new_cases",                   AT(arrived_as[DISPOSITION_CASE]),     arrived,   DISPOSITION_CASE          },
    { "appended",                    AT(arrived_as[DISPOSITION_APPEND]),   arrived,   DISPOSITION_APPEND        },
    { "reports",                     AT(arrived_as[DISPOSITION_REPORT]),   arrived,   DISPOSITION_REPORT        },
    { "evidence",                    AT(arrived_as[DISPOSITION_EVIDENCE]), arrived,   DISPOSITION_EVIDENCE      },
    { "adopted",                     AT(arrived_as[DISPOSITION_ADOPTED]),  arrived,   DISPOSITION_ADOPTED       },
    { "held",                        AT(arrived_as[DISPOSITION_HELD]),     arrived,   DISPOSITION_HELD          },
    { "decided.new_case",            AT(decided_new_case),                 decided,   FATE_NEW_CASE             },
    { "decided.append",              AT(decided_append),                   decided,   FATE_APPEND               },
    { "decided.dismissed",           AT(decided_dismissed),                decided,   FATE_DISMISSED            },
    { "decided.waiting",             AT(decided_waiting),                  decided,   FATE_WAITING              },
    { "cases_prevented",             AT(cases_prevented),                  prevented, 0                         },
    { "acknowledgements_withheld",   AT(acknowledgements_withheld),        withheld,  0                         },
    { "doubles",                     AT(doubles),                          doubled,   0                         },
    { "found_at_destination",        AT(found_at_destination),             found_there, 0                       },
    { "boundaries.delivery",         AT(by_delivery),                      again,     0                         },
    { "boundaries.concurrent_run",   AT(by_concurrent_run),                bounded,   BOUNDARY_CONCURRENT_RUN   },
    { "boundaries.retry",            AT(by_retry),                         bounded,   BOUNDARY_RETRY            },
    { "boundaries.replay",           AT(by_replay),                        replayed,  0                         },
    { "boundaries.other_deployment", AT(by_other_deployment),              bounded,   BOUNDARY_OTHER_DEPLOYMENT },
    { "day:",                        LISTED,                               of_day,    0                         },
    { "mailbox:",                    LISTED,                               of_mailbox, 0                        },
    { "domain:",                     LISTED,                               of_domain, 0                         },
    { "key:",                        LISTED,                               of_key,    0                         },
};
/* clang-format on */

void report_count(struct view_duplicates *d, const struct report_fact *fact)
{
    for (size_t i = 0; i < LENGTH(numbers); i++)
        if (numbers[i].at != LISTED && numbers[i].counts(fact, numbers[i].arg, "")) {
            int64_t *number = (int64_t *)(void *)((char *)d + numbers[i].at);
            (*number)++;
        }
}

bool report_number_find(const char *name, struct report_number *out)
{
    for (size_t i = 0; i < LENGTH(numbers); i++) {
        size_t len = strlen(numbers[i].name);
        bool listed = numbers[i].at == LISTED;
        if (strncmp(name, numbers[i].name, len) == 0 && (listed || name[len] == '\0')) {
            *out = (struct report_number){i, name + len};
            return true;
        }
    }
    return false;
}

bool report_number_counts(const struct report_number *number, const struct report_fact *fact)
{
    return numbers[number->row].counts(fact, numbers[number->row].arg, number->value);
}

void report_number_names(struct str *out)
{
    for (size_t i = 0; i < LENGTH(numbers); i++)
        str_addf(out, "%s%s%s", i > 0 ? ", " : "", numbers[i].name,
                 numbers[i].at == LISTED ? "..." : "");
}
