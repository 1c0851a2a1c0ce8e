/* SPDX-License-Identifier: Apache-2.0
 *
 * report_facts - what the duplicate report counts: one fact an arrival, a try in doubt, a double, a
 * case that its destination had already.
 *
 * Each is as it stood at the end of the period, so that the report of a past period stays what it was:
 * a decision that came later is not in it.
 */
#pragma once

#include "views_p.h"

enum fact_kind { FACT_ARRIVAL, FACT_TRY, FACT_DOUBLE, FACT_FOUND_THERE };

/* What had become of a mail that a person was asked about, or that a rule filed. */
enum fate { FATE_NONE, FATE_NEW_CASE, FATE_APPEND, FATE_DISMISSED, FATE_WAITING };

/* Where a try in doubt would have doubled. */
enum boundary { BOUNDARY_RETRY, BOUNDARY_CONCURRENT_RUN, BOUNDARY_OTHER_DEPLOYMENT };

struct report_fact {
    enum fact_kind kind;
    int64_t id; /* of the arrival, the try, or the step that was done twice */
    int64_t at_ms;
    const char *key, *reference, *mailbox,
        *domain; /* until the next fact; reference "": no case yet */
    /* of an arrival */
    enum delivery_class class;
    enum disposition arrived_as;
    enum fate fate;
    bool had_case;
    /* of a try */
    bool acknowledgement;
    enum boundary boundary;
};

struct report_period {
    int64_t since_ms, until_ms;
};

/* Tells every fact of the period, arrivals first, each kind by its time. */
enum rc report_facts(struct db *db,
                     const struct report_period *period,
                     void (*tell)(void *ctx, const struct report_fact *fact),
                     void *ctx,
                     struct err *err) MUST_CHECK;
