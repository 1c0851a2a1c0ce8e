/* SPDX-License-Identifier: Apache-2.0 */
#include "reserve.h"

#include "case_rows.h"
#include "copy_rows.h"
#include "evidence.h"
#include "flood.h"
#include "store_p.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- what it says about our acknowledgements ----------------------------------------------- */

static const char *evidence_kind(const struct arrival *arrival)
{
    if (arrival->proven)
        return "blind-copy";
    return arrival->message->signs & SIGN_DELIVERY_REPORT ? "delivery-report" : "reply";
}

static enum rc show_acks(struct writing *w,
                         const struct arrival *arrival,
                         const struct gathered *g,
                         struct err *err)
{
    char where[300];

    snprintf(where, sizeof where, "%s:%" PRIu32 ":%" PRIu32, arrival->folder, arrival->uidvalidity,
             arrival->uid);
    for (size_t i = 0; i < g->acks; i++) {
        struct evidence_change found = {.effect = g->ack[i].effect,
                                        .kind = evidence_kind(arrival),
                                        .found = true,
                                        .where = where};

        TRY(evidence_add(w, g->ack[i].key, &found, err));
        TRY(evidence_settle(w, g->ack[i].key, g->ack[i].effect, err));
    }
    return RC_OK;
}

/* ---- a new item ---------------------------------------------------------------------------- */

/* Above total_limit, one window more for each time that the limit is reached in this one. */
static int64_t
total_wait(const struct policy *policy, const struct verdict *v, const struct known *known)
{
    if (!v->ack_waits || policy->total.count == 0)
        return 0;
    return policy->total.window_ms * (known->total_told / policy->total.count);
}

static bool is_conflict(const struct arrival *arrival, const struct verdict *v)
{
    return strcmp(v->identity.key, arrival->identity.key) != 0;
}

static enum rc write_item(const struct reserving *r,
                          const struct arrival *arrival,
                          const struct verdict *v,
                          const struct gathered *g,
                          struct err *err)
{
    CLEANUP(plan_clear) struct plan plan;
    struct delivery_row delivery = {v->identity.key, v->class, true, NULL};
    struct planned p = {.key = v->identity.key,
                        .policy = r->policy,
                        .arrival = arrival,
                        .verdict = v,
                        .plan = &plan,
                        .wait_ms = total_wait(r->policy, v, &g->known)};
    char reference[REFERENCE_SIZE];

    plan_make(r->policy, arrival, v, &plan);
    if (v->joins || v->linked)
        p.named = &g->known.cases[v->joined];
    delivery.move_to = plan.move_to;
    TRY(delivery_add(r->w, arrival, &delivery, &p.delivery, err));
    TRY(plan_rows_add(r->w, &p, reference, err));
    if (is_conflict(arrival, v))
        return case_link_add(r->w, v->identity.key, arrival->identity.key, "conflict", err);
    return RC_OK;
}

static enum rc reserve_new(const struct reserving *r,
                           const struct arrival *arrival,
                           const struct verdict *v,
                           const struct gathered *g,
                           bool *won,
                           struct err *err)
{
    struct item_row row = {.arrival = arrival,
                           .verdict = v,
                           .known = g,
                           .first_key = is_conflict(arrival, v) ? arrival->identity.key : NULL,
                           .lease_ms = r->lease_ms};

    TRY(item_add(r->w, &row, won, err));
    return *won ? write_item(r, arrival, v, g, err) : RC_OK;
}

/* ---- one arrival --------------------------------------------------------------------------- */

enum written { LOST_THE_KEY, NEW_ITEM, COPY };

static enum rc write_verdict(const struct reserving *r,
                             const struct arrival *arrival,
                             const struct verdict *v,
                             const struct gathered *g,
                             enum written *out,
                             struct err *err)
{
    bool won = false;

    *out = COPY;
    if (v->settled_by)
        return copy_add(r, arrival, v, g->known.item[v->of].key, err);
    TRY(reserve_new(r, arrival, v, g, &won, err));
    *out = won ? NEW_ITEM : LOST_THE_KEY;
    return RC_OK;
}

static enum rc write_judged(const struct reserving *r,
                            const struct arrival *arrival,
                            struct verdict *v,
                            enum written *out,
                            struct err *err)
{
    CLEANUP(known_clear) struct gathered g = {0};

    TRY(known_gather(r->w->store->db, r->policy, arrival, &g, err));
    policy_judge(r->policy, arrival, &g.known, r->w->now.wall_ms, v);
    TRY(write_verdict(r, arrival, v, &g, out, err));
    if (v->flood && *out == NEW_ITEM)
        TRY(flood_note(r->w, arrival, str_slice(&g.sender), r->policy->per_sender.window_ms, err));
    if (*out == LOST_THE_KEY || !arrival->message)
        return RC_OK;
    return show_acks(r->w, arrival, &g, err);
}

/* The key was taken by what the gathering does not find: a conflict of the same octets under another
 * key. It is that mail again. */
static enum rc write_as_copy(const struct reserving *r,
                             const struct arrival *arrival,
                             struct verdict *v,
                             struct err *err)
{
    v->settled_by = true;
    v->class = CLASS_REDELIVERED;
    v->files_copy = !r->policy->look_only;
    return copy_add(r, arrival, v, v->identity.key, err);
}

/* Where the key was lost meanwhile, what it was lost to is known at the second look. */
static enum rc
write_one(const struct reserving *r, const struct arrival *arrival, bool *new_item, struct err *err)
{
    struct arrival named = *arrival;
    enum written written = LOST_THE_KEY;
    struct verdict v;

    for (int look = 0; look < 2 && written == LOST_THE_KEY; look++) {
        TRY(known_name(r->w->store->db, r->policy, &named, err));
        TRY(write_judged(r, &named, &v, &written, err));
    }
    *new_item = written == NEW_ITEM;
    return written == LOST_THE_KEY ? write_as_copy(r, &named, &v, err) : RC_OK;
}

enum rc reserve_one(const struct reserving *r,
                    const struct arrival *arrival,
                    struct reservation *out,
                    struct err *err)
{
    enum rc rc = delivery_recorded(r->w->store->db, arrival, out, err);
    bool new_item;

    if (rc != RC_NOT_FOUND)
        return rc;
    TRY(write_one(r, arrival, &new_item, err));
    TRY(delivery_recorded(r->w->store->db, arrival, out, err));
    out->new_delivery = true;
    out->new_item = new_item;
    if (new_item && out->state != ITEM_COMPLETE)
        out->reserved = RESERVED_MINE;
    return RC_OK;
}
