/* SPDX-License-Identifier: Apache-2.0
 *
 * Which numbers the duplicate report has, in which part, for the terminal, the console, JSON, CSV and paper.
 */
#include <onecase/front.h>
#include <stddef.h>
#include <string.h>

#define AT(member) offsetof(struct view_duplicates, member)

/* A new number: its row here, its row in store/report_numbers.c, its words of the kind "figure". */
/* clang-format off */
static const struct report_figure figures[] = {
    { FIGURE_ARRIVALS, "deliveries",                  AT(deliveries)                       },
    { FIGURE_NEW,      "first",                       AT(class[CLASS_FIRST])               },
    { FIGURE_AGAIN,    "redelivered",                 AT(class[CLASS_REDELIVERED])         },
    { FIGURE_AGAIN,    "reobserved",                  AT(class[CLASS_REOBSERVED])          },
    { FIGURE_AGAIN,    "returned",                    AT(class[CLASS_RETURNED])            },
    { FIGURE_AGAIN,    "list_copy",                   AT(class[CLASS_LIST_COPY])           },
    { FIGURE_AGAIN,    "gateway_copy",                AT(class[CLASS_GATEWAY_COPY])        },
    { FIGURE_AGAIN,    "replayed",                    AT(class[CLASS_REPLAYED])            },
    { FIGURE_AGAIN,    "conflict",                    AT(class[CLASS_CONFLICT])            },
    { FIGURE_BECAME,   "new_cases",                   AT(arrived_as[DISPOSITION_CASE])     },
    { FIGURE_BECAME,   "appended",                    AT(arrived_as[DISPOSITION_APPEND])   },
    { FIGURE_BECAME,   "reports",                     AT(arrived_as[DISPOSITION_REPORT])   },
    { FIGURE_BECAME,   "evidence",                    AT(arrived_as[DISPOSITION_EVIDENCE]) },
    { FIGURE_BECAME,   "adopted",                     AT(arrived_as[DISPOSITION_ADOPTED])  },
    { FIGURE_BECAME,   "held",                        AT(arrived_as[DISPOSITION_HELD])     },
    { FIGURE_DECIDED,  "decided.new_case",            AT(decided_new_case)                 },
    { FIGURE_DECIDED,  "decided.append",              AT(decided_append)                   },
    { FIGURE_DECIDED,  "decided.dismissed",           AT(decided_dismissed)                },
    { FIGURE_DECIDED,  "decided.waiting",             AT(decided_waiting)                  },
    { FIGURE_OUTCOME,  "cases_prevented",             AT(cases_prevented)                  },
    { FIGURE_OUTCOME,  "acknowledgements_withheld",   AT(acknowledgements_withheld)        },
    { FIGURE_OUTCOME,  "doubles",                     AT(doubles)                          },
    { FIGURE_OUTCOME,  "found_at_destination",        AT(found_at_destination)             },
    { FIGURE_BOUNDARY, "boundaries.delivery",         AT(by_delivery)                      },
    { FIGURE_BOUNDARY, "boundaries.concurrent_run",   AT(by_concurrent_run)                },
    { FIGURE_BOUNDARY, "boundaries.retry",            AT(by_retry)                         },
    { FIGURE_BOUNDARY, "boundaries.replay",           AT(by_replay)                        },
    { FIGURE_BOUNDARY, "boundaries.other_deployment", AT(by_other_deployment)              },
};
/* clang-format on */

const struct report_figure *report_figure(enum figure_part part, const struct report_figure *after)
{
    for (size_t i = after ? (size_t)(after - figures) + 1 : 0; i < LENGTH(figures); i++)
        if (figures[i].part == part)
            return &figures[i];
    return NULL;
}

int64_t figure_count(const struct view_duplicates *d, const struct report_figure *figure)
{
    int64_t count;
    memcpy(&count, (const char *)d + figure->at, sizeof count);
    return count;
}

static int64_t sum_of(const struct view_duplicates *d, enum figure_part part)
{
    int64_t sum = 0;
    for (const struct report_figure *f = report_figure(part, NULL); f; f = report_figure(part, f))
        sum += figure_count(d, f);
    return sum;
}

/* Each is held against the table alone: a disposition that none of its rows counts leaves a gap. */
bool report_adds_up(const struct view_duplicates *d)
{
    int64_t asked =
        d->arrived_as[DISPOSITION_HELD] + d->class[CLASS_CONFLICT] + d->class[CLASS_GATEWAY_COPY];
    return d->deliveries == d->class[CLASS_FIRST] + sum_of(d, FIGURE_AGAIN) &&
           d->class[CLASS_FIRST] == sum_of(d, FIGURE_BECAME) && asked == sum_of(d, FIGURE_DECIDED);
}

void classes_words(const char *classes, struct str *out)
{
    struct slice rest = slice_z(classes), one;
    const char *between = "";
    while (rest.len > 0 && slice_next(&rest, ',', &one)) {
        CLEANUP(str_clear) struct str word = STR_INIT;
        str_add(&word, one);
        str_addf(out, "%s%s", between, label("class", str_z(&word)));
        between = ", ";
    }
}
