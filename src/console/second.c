/* SPDX-License-Identifier: Apache-2.0
 *
 * second - where two persons are asked for: what one proposes, and an owner approves by the same answer.
 */
#include "console_p.h"

static enum rc not_by_this_one(enum proposed proposed, struct err *err)
{
    return FAIL(err, RC_REFUSED, "%s",
                proposed == PROPOSED_BY_YOURSELF
                    ? "You proposed this yourself; it takes a second person."
                    : "This was proposed before; an owner approves it by the same answer.");
}

static void persons_of(const struct approving *a, const struct proposal *p, struct approved *out)
{
    bool two = p->by[0] != '\0';
    text_copy(out->first, sizeof out->first, two ? p->by : a->by);
    text_copy(out->second, sizeof out->second, two ? a->by : "");
}

enum rc approve(struct visit *v, const struct approving *a, struct approved *out, struct err *err)
{
    struct proposal p = {.proposed = PROPOSED_APPROVED};
    const struct proposal_request request = {.subject = a->subject,
                                             .key = a->key,
                                             .by = a->by,
                                             .account = v->account.name,
                                             .why = a->why,
                                             .approve = may(v, ROLE_OWNER)};
    *out = (struct approved){.go_on = true};
    if (v->ops->config->approval == CONFIG_TWO_PERSON)
        TRY(propose_or_approve(v->ops, &request, v->now, &p, err));
    if (p.proposed == PROPOSED_BEFORE || p.proposed == PROPOSED_BY_YOURSELF)
        return not_by_this_one(p.proposed, err);
    out->go_on = p.proposed == PROPOSED_APPROVED;
    persons_of(a, &p, out);
    return RC_OK;
}
