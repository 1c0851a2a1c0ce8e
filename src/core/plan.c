/* SPDX-License-Identifier: Apache-2.0 */
#include "file_kind.h"
#include "policy_p.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct planned_effect *
add_effect(struct plan *plan, enum effect_kind kind, enum effect_status status, const char *target)
{
    plan->effect = mem_grow(plan->effect, plan->effects + 1, sizeof *plan->effect);
    struct planned_effect *e = &plan->effect[plan->effects++];
    *e = (struct planned_effect){.kind = kind, .status = status};
    snprintf(e->target, sizeof e->target, "%s", target);
    return e;
}

static void give_reason(char *to, size_t room, const char *reason)
{
    snprintf(to, room, "%s", reason);
}

/* ---- attachments --------------------------------------------------------------------------- */

/* Its own name for the eyes of the rule: without what makes a name look like another. */
static bool
type_refused(const struct policy *policy, const struct message *m, const struct message_part *part)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    struct slice type = message_slice(m, part->type);
    if (policy->refuse_types.count == 0)
        return false;
    safe_name(message_slice(m, part->name), type, &name);
    for (size_t i = 0; i < policy->refuse_types.count; i++)
        if (file_kind_is(slice_z(policy->refuse_types.at[i]), type, message_slice(m, part->seen),
                         str_slice(&name)))
            return true;
    return false;
}

/* Why the `number`th attachment is not taken; EXCEPTION_NONE: it is. */
static enum exception refusal(const struct policy *policy,
                              const struct message *m,
                              const struct message_part *part,
                              unsigned number)
{
    if (policy->attachment_count > 0 && number > policy->attachment_count)
        return EXCEPTION_TOO_MANY;
    if (policy->attachment_max > 0 && part->size > policy->attachment_max)
        return EXCEPTION_TOO_LARGE;
    if (policy->attachment_name_max > 0 && part->name.len > policy->attachment_name_max)
        return EXCEPTION_NAME;
    return type_refused(policy, m, part) ? EXCEPTION_TYPE : EXCEPTION_NONE;
}

bool plan_has_exceptions(const struct policy *policy, const struct message *m)
{
    unsigned number = 0;
    for (size_t i = 0; m && i < m->part_count; i++)
        if (m->parts[i].role == PART_ATTACHMENT && refusal(policy, m, &m->parts[i], ++number))
            return true;
    return false;
}

/* Where cases are made besides the ledger, or NULL. */
static const char *further(const struct policy *policy)
{
    const char *d = policy->destination;
    return d && d[0] && strcmp(d, "ledger") != 0 ? d : NULL;
}

/* What is not taken here is not sent on. */
static void plan_sent_on(const struct policy *policy,
                         const struct planned_attachment *a,
                         bool case_there,
                         struct plan *plan)
{
    char target[EFFECT_TARGET_SIZE];
    if (a->refused || !case_there || !policy->destination_attaches)
        return;
    snprintf(target, sizeof target, "%s/%s", policy->destination, a->stored_name);
    add_effect(plan, EFFECT_ATTACHMENT, EFFECT_PLANNED, target);
}

static void plan_attachment(const struct policy *policy,
                            const struct message *m,
                            size_t part,
                            struct plan *plan)
{
    plan->attachment = mem_grow(plan->attachment, plan->attachments + 1, sizeof *plan->attachment);
    struct planned_attachment *a = &plan->attachment[plan->attachments++];
    *a = (struct planned_attachment){.number = (unsigned)plan->attachments, .part = part};
    stored_name(a->number, message_slice(m, m->parts[part].name),
                message_slice(m, m->parts[part].type), a->stored_name);
    enum exception exception = refusal(policy, m, &m->parts[part], a->number);
    const char *reason = exception_text(exception);
    a->refused = exception != EXCEPTION_NONE;
    give_reason(a->reason, sizeof a->reason, reason);
    struct planned_effect *e = add_effect(
        plan, EFFECT_ATTACHMENT, a->refused ? EFFECT_REFUSED : EFFECT_PLANNED, a->stored_name);
    give_reason(e->reason, sizeof e->reason, reason);
}

static void plan_attachments(const struct policy *policy,
                             const struct message *m,
                             const struct verdict *verdict,
                             struct plan *plan)
{
    bool case_there = further(policy) &&
                      (verdict->disposition == DISPOSITION_CASE || policy->destination_appends);
    for (size_t i = 0; m && i < m->part_count; i++)
        if (m->parts[i].role == PART_ATTACHMENT)
            plan_attachment(policy, m, i, plan);
    for (size_t i = 0; i < plan->attachments; i++)
        plan_sent_on(policy, &plan->attachment[i], case_there, plan);
}

/* ---- the other effects --------------------------------------------------------------------- */

/* A reply goes to its case there, which its first mail has made. */
static void plan_case(const struct policy *policy, const struct verdict *verdict, struct plan *plan)
{
    bool replies = verdict->disposition == DISPOSITION_APPEND && policy->destination_appends;
    add_effect(plan, EFFECT_CASE, EFFECT_DONE, "ledger");
    if (further(policy) && (verdict->disposition == DISPOSITION_CASE || replies))
        add_effect(plan, EFFECT_CASE, EFFECT_PLANNED, policy->destination);
}

/* A message from before a rewind may have been answered by what the ledger has forgotten. Whoever adds
 * to a case is answered only where that is configured: otherwise nothing is planned. */
static void plan_acknowledgement(const struct arrival *arrival,
                                 const struct verdict *verdict,
                                 struct plan *plan)
{
    enum effect_status status = EFFECT_PLANNED;
    bool if_configured =
        dispositions[verdict->disposition].if_configured & KIND(EFFECT_ACKNOWLEDGEMENT);
    if (if_configured && verdict->skip == SKIP_NOT_CONFIGURED)
        return;
    if (verdict->skip != SKIP_NONE)
        status = EFFECT_SKIPPED;
    else if (arrival->before_rewind)
        status = EFFECT_UNKNOWN;
    else if (verdict->ack_waits)
        status = EFFECT_DEFERRED;
    struct planned_effect *e = add_effect(plan, EFFECT_ACKNOWLEDGEMENT, status, "");
    const char *reason = status == EFFECT_DEFERRED  ? "total-limit"
                         : status == EFFECT_UNKNOWN ? "ledger-restored"
                                                    : skip_text(verdict->skip);
    give_reason(e->reason, sizeof e->reason, reason);
}

/* The same message seen again is no copy of itself. */
static bool is_copy(const struct verdict *verdict)
{
    if (verdict->settled_by)
        return verdict->class != CLASS_RETURNED && verdict->class != CLASS_REOBSERVED;
    return verdict->class == CLASS_GATEWAY_COPY || verdict->class == CLASS_CONFLICT;
}

/* Of a dismissed item the verdict has the reason it was held for. */
static const char *move_folder(const struct policy *policy, const struct verdict *verdict)
{
    bool dismissed = verdict->disposition == DISPOSITION_DISMISSED;
    bool unread = verdict->reason == REASON_UNPROCESSABLE || verdict->reason == REASON_OVERSIZE;
    if (dismissed && unread && policy->folder_unprocessable[0])
        return policy->folder_unprocessable;
    bool copy = is_copy(verdict) && (verdict->settled_by || dismissed);
    return copy ? policy->folder_duplicates : policy->folder_processed;
}

static void plan_move(const struct policy *policy,
                      const struct arrival *arrival,
                      const struct verdict *verdict,
                      struct plan *plan)
{
    plan->move_to = move_folder(policy, verdict);
    if (!plan->move_to[0])
        return;
    struct planned_effect *e =
        add_effect(plan, EFFECT_MOVE, arrival->filed ? EFFECT_DONE : EFFECT_PLANNED, "");
    give_reason(e->reason, sizeof e->reason, arrival->filed ? "found-filed" : "");
}

void plan_make(const struct policy *policy,
               const struct arrival *arrival,
               const struct verdict *verdict,
               struct plan *out)
{
    *out = (struct plan){.move_to = ""};
    if (verdict->settled_by) {
        if (verdict->files_copy)
            plan_move(policy, arrival, verdict, out);
        return;
    }
    unsigned effects = dispositions[verdict->disposition].effects;
    if (effects & KIND(EFFECT_CASE))
        plan_case(policy, verdict, out);
    if (effects & KIND(EFFECT_ATTACHMENT))
        plan_attachments(policy, arrival->message, verdict, out);
    if (effects & KIND(EFFECT_ACKNOWLEDGEMENT))
        plan_acknowledgement(arrival, verdict, out);
    if (effects & KIND(EFFECT_MOVE))
        plan_move(policy, arrival, verdict, out);
}

void plan_clear(struct plan *plan)
{
    free(plan->effect);
    free(plan->attachment);
    *plan = (struct plan){.move_to = ""};
}
