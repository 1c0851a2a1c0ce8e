/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

static int answer(const struct call *call, const struct proposal *p)
{
    char when[32];
    when_cell(call, p->at_ms, when);
    switch (p->proposed) {
    case PROPOSED_NOW:
        printf(
            "Recorded as proposed. Another person approves it, under another account, by the same "
            "command with --approve. Nothing was done yet.\n");
        return EXIT_NOT_ALLOWED;
    case PROPOSED_BEFORE:
        fprintf(stderr, "onecase: %s proposed this at %s; --approve approves it\n", p->by, when);
        return EXIT_NOT_ALLOWED;
    case PROPOSED_BY_YOURSELF:
        fprintf(
            stderr,
            "onecase: you proposed this yourself at %s; it takes a second person, under another "
            "account\n",
            when);
        return EXIT_NOT_ALLOWED;
    case PROPOSED_APPROVED:
        return EXIT_DONE;
    }
    return EXIT_BUG;
}

int second_person(const struct call *call, const struct decided *decided, struct second_person *out)
{
    struct err err = ERR_INIT;
    struct proposal p;
    *out = (struct second_person){.go_on = true};
    text_copy(out->first, sizeof out->first, decided->by);
    if (call->ops->config->approval != CONFIG_TWO_PERSON)
        return EXIT_DONE;
    struct instant now = {.wall_ms = call->now_ms};
    const struct proposal_request request = {.subject = decided->subject,
                                             .key = decided->key,
                                             .by = decided->by,
                                             .account = person_behind(),
                                             .why = decided->why,
                                             .approve = decided->approve};
    if (propose_or_approve(call->ops, &request, now, &p, &err) != RC_OK)
        return failed(&err);
    out->go_on = p.proposed == PROPOSED_APPROVED;
    if (out->go_on) {
        text_copy(out->first, sizeof out->first, p.by);
        text_copy(out->second, sizeof out->second, decided->by);
    }
    return answer(call, &p);
}
