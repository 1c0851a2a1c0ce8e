/* SPDX-License-Identifier: Apache-2.0 */
#include "destination_p.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct http_destination *http_destination_new(const struct http_destination_settings *settings)
{
    struct http_destination *d = mem_new(1, sizeof *d);
    d->set = settings;
    d->client = http_client_new();
    return d;
}

void http_destination_free(struct http_destination **destination)
{
    if (*destination) {
        http_client_free(&(*destination)->client);
        str_clear(&(*destination)->told);
    }
    free(*destination);
    *destination = NULL;
}

/* ---- what an answer says ---------------------------------------------------------------------- */

static void conclude(struct destination_answer *out, enum outcome outcome, enum fault fault)
{
    out->outcome = outcome;
    out->fault = fault;
}

/* Not what was agreed: it may be there all the same, and only a person can tell. */
static void strange(struct destination_answer *out)
{
    conclude(out, OUTCOME_UNKNOWN, FAULT_UNKNOWN);
    out->strange = true;
}

/* What its key must be: ours, the effect's, or the file's name, where the shape does not say. */
static void wanted_of(const struct asking *asking, struct str *out)
{
    static const char *const usual[STEP_COUNT] = {[STEP_CREATE] = "{{key}}",
                                                  [STEP_APPEND] = "{{effect}}",
                                                  [STEP_ATTACH] = "{{file}}",
                                                  [STEP_CLOSE] = "{{key}}",
                                                  [STEP_REMOVE] = "{{key}}"};
    const char *match = asking->shape->match;
    struct filling filling;
    struct slice pattern = slice_z(match && match[0] ? match : usual[asking->step]);
    bool before = pattern.len > 0 && pattern.at[0] == '*';
    bool after = pattern.len > 1 && pattern.at[pattern.len - 1] == '*';
    filling_of(asking, &filling);
    mustache_render(slice_cut(pattern, before, pattern.len - before - after), &filling.scope, out);
}

enum same { SAME_YES, SAME_NO, SAME_UNSAID };

static enum same same_key(const struct asking *asking, struct slice body)
{
    char there[2 * KEY_SIZE];
    CLEANUP(str_clear) struct str wanted = STR_INIT;
    const struct http_shape *shape = asking->shape;
    if (!shape->key[0])
        return SAME_UNSAID;
    if (pointer_get(body, shape->key, there, sizeof there) != POINTED_VALUE)
        return SAME_NO;
    wanted_of(asking, &wanted);
    return answer_matches(shape->match ? shape->match : "", str_z(&wanted), there) ? SAME_YES
                                                                                   : SAME_NO;
}

/* Where no answer says the id, it goes by what was to be found there. */
static bool take_id(const struct asking *asking, struct slice body, struct destination_answer *out)
{
    CLEANUP(str_clear) struct str wanted = STR_INIT;
    const char *pointer = asking->shape->id;
    if (pointer[0])
        return pointer_get(body, pointer, out->external_id, sizeof out->external_id) ==
               POINTED_VALUE;
    wanted_of(asking, &wanted);
    text_copy(out->external_id, sizeof out->external_id, str_z(&wanted));
    return true;
}

/* The name of a request that is not the step's own. */
static const char *name_of(const struct http_destination *d, const struct http_shape *shape)
{
    static const char *const looks[STEP_COUNT] = {
        [STEP_CREATE] = "`find`: ", [STEP_APPEND] = "`appended`: ", [STEP_ATTACH] = "`attached`: "};
    for (size_t i = 0; i < STEP_COUNT; i++)
        if (shape == &d->set->look[i] && looks[i])
            return looks[i];
    return shape == &d->set->read ? "`read`: " : "";
}

/* Which request it was, its status, what does not fit, and what the answer is made of: no values. */
static void
tell(struct http_destination *d, const struct asking *asking, const struct http_answer *answer)
{
    CLEANUP(str_clear) struct str wanted = STR_INIT;
    CLEANUP(str_clear) struct str amiss = STR_INIT;
    wanted_of(asking, &wanted);
    status_because(asking->shape, answer->status, &amiss);
    if (http_judge(asking->shape, answer->status) == HTTP_DONE && amiss.len == 0)
        amiss_of(asking->shape, str_slice(&answer->body), str_z(&wanted), &amiss);
    str_addf(&d->told, "%sstatus %d%s%s, and the answer is ", name_of(d, asking->shape),
             answer->status, amiss.len > 0 ? ": " : "", str_z(&amiss));
    shape_of(str_slice(&answer->body), &d->told);
}

/* Sends, and settles `out` where no answer came, which is one without a status. */
static enum rc ask(struct http_destination *d,
                   const struct asking *asking,
                   struct http_answer *answer,
                   struct destination_answer *out,
                   struct err *err)
{
    struct err why = ERR_INIT;
    enum rc rc = send_request(d, asking, answer, &why);
    if (rc == RC_DEFERRED || rc == RC_REFUSED)
        conclude(out, OUTCOME_DEFERRED, FAULT_SERVER);
    else if (rc == RC_UNKNOWN)
        conclude(out, OUTCOME_UNKNOWN, FAULT_SERVER);
    else if (rc != RC_OK)
        return FAIL(err, rc, "%s", why.text);
    out->code = answer->status;
    out->retry_after_ms = answer->retry_after_ms;
    text_copy(out->why, sizeof out->why, why.text);
    str_empty(&d->told);
    if (d->set->explain && answer->status)
        tell(d, asking, answer);
    return RC_OK;
}

static const char *id_of(const struct case_facts *facts)
{
    return facts->id ? facts->id : "";
}

/* ---- looking up ------------------------------------------------------------------------------- */

static bool is_absence(const struct http_shape *shape, int status)
{
    enum http_verdict verdict = http_judge(shape, status);
    return verdict == HTTP_REFUSED && (status == 404 || status == 410 || shape->refused.count > 0);
}

/* The answer is the file itself: nothing of it is kept but what it comes to. */
static void found_whole(const struct asking *asking,
                        const struct http_answer *answer,
                        struct destination_answer *out)
{
    const struct case_file *f = asking->facts->file;
    bool same = f && answer->size == f->size && digest_eq(&answer->sha256, &f->sha256);
    CLEANUP(str_clear) struct str wanted = STR_INIT;
    wanted_of(asking, &wanted);
    text_copy(out->external_id, sizeof out->external_id, str_z(&wanted));
    if (same)
        conclude(out, OUTCOME_DONE, FAULT_NONE);
    else if (answer->cut && f && answer->size <= f->size) /* it broke off */
        conclude(out, OUTCOME_DEFERRED, FAULT_SERVER);
    else
        strange(out);
}

static bool other_octets(const struct asking *asking, const struct found *found)
{
    const struct case_file *f = asking->facts->file;
    struct digest there;
    if (!f || !found->sha256[0])
        return false;
    return !digest_from_hex(slice_z(found->sha256), &there) || !digest_eq(&there, &f->sha256);
}

static void found_in(const struct asking *asking,
                     const struct http_answer *answer,
                     struct destination_answer *out)
{
    struct found found;
    CLEANUP(str_clear) struct str wanted = STR_INIT;
    wanted_of(asking, &wanted);
    enum pointed is = answer_find(asking->shape, str_slice(&answer->body), str_z(&wanted), &found);
    text_copy(out->external_id, sizeof out->external_id,
              asking->shape->id[0] ? found.id : str_z(&wanted));
    if (answer->cut || is == POINTED_NO_JSON)
        conclude(out, OUTCOME_DEFERRED, FAULT_SERVER);
    else if (is == POINTED_NOTHING)
        conclude(out, OUTCOME_REFUSED, FAULT_NONE);
    else if (!found.same || other_octets(asking, &found))
        strange(out);
    else
        conclude(out, OUTCOME_DONE, FAULT_NONE);
}

static enum rc look_for(struct http_destination *d,
                        enum destination_step step,
                        const struct case_facts *facts,
                        struct destination_answer *out,
                        struct err *err)
{
    const struct asking asking = {&d->set->look[step], step, facts, id_of(facts), true, SLICE("")};
    CLEANUP(http_answer_clear) struct http_answer answer = {0};
    *out = (struct destination_answer){0};
    TRY(ask(d, &asking, &answer, out, err));
    if (answer.status && http_judge(asking.shape, answer.status) == HTTP_DONE)
        asking.shape->whole ? found_whole(&asking, &answer, out) : found_in(&asking, &answer, out);
    else if (answer.status && is_absence(asking.shape, answer.status))
        conclude(out, OUTCOME_REFUSED, FAULT_NONE);
    else /* asking changes nothing, so it may be asked again */
        conclude(out, OUTCOME_DEFERRED, FAULT_SERVER);
    return RC_OK;
}

static void explain(const struct http_destination *d, struct destination_answer *out)
{
    if (out->outcome != OUTCOME_DONE && d->told.len > 0)
        text_copy(out->why, sizeof out->why, str_z(&d->told));
}

static enum rc look(void *self,
                    enum destination_step step,
                    const struct case_facts *facts,
                    struct destination_answer *out,
                    struct err *err)
{
    struct http_destination *d = self;
    unsigned before = d->requests;
    CLEANUP(fitted_clear) struct fitted fitted = {.html = STR_INIT};
    fit(d->set, facts, &fitted);
    TRY(look_for(d, step, &fitted.facts, out, err));
    explain(d, out);
    out->requests = d->requests - before;
    return RC_OK;
}

/* ---- making ----------------------------------------------------------------------------------- */

/* What was made is asked for by its id: the key that stands there is ours, or a person looks. */
static enum rc read_case(struct http_destination *d,
                         const struct case_facts *facts,
                         struct destination_answer *out,
                         struct err *err)
{
    const struct asking asking = {&d->set->read,    STEP_CREATE, facts,
                                  out->external_id, true,        SLICE("")};
    CLEANUP(http_answer_clear) struct http_answer answer = {0};
    struct destination_answer there = *out;
    TRY(ask(d, &asking, &answer, &there, err));
    bool read =
        answer.status && !answer.cut && http_judge(asking.shape, answer.status) == HTTP_DONE;
    if (read && same_key(&asking, str_slice(&answer.body)) == SAME_NO)
        strange(out);
    else if (!read && shape_given(&d->set->look[STEP_CREATE])) /* looked up before it is believed */
        conclude(out, OUTCOME_UNKNOWN, FAULT_SERVER);
    return RC_OK;
}

/* A file that was taken is compared where the destination says what it has. */
static enum rc read_file(struct http_destination *d,
                         const struct case_facts *facts,
                         struct destination_answer *out,
                         struct err *err)
{
    struct destination_answer there;
    TRY(look_for(d, STEP_ATTACH, facts, &there, err));
    if (there.strange)
        strange(out);
    else if (there.outcome != OUTCOME_DONE) /* looked up again before it is believed */
        conclude(out, OUTCOME_UNKNOWN, FAULT_SERVER);
    else if (!d->set->act[STEP_ATTACH].id[0])
        text_copy(out->external_id, sizeof out->external_id, there.external_id);
    return RC_OK;
}

static enum rc read_back(struct http_destination *d,
                         const struct asking *asking,
                         struct destination_answer *out,
                         struct err *err)
{
    const struct http_shape *attached = &d->set->look[STEP_ATTACH];
    bool compares =
        shape_given(attached) && (attached->whole || (attached->sha256 && attached->sha256[0]));
    if (asking->step == STEP_CREATE && shape_given(&d->set->read))
        return read_case(d, asking->facts, out, err);
    return asking->step == STEP_ATTACH && compares ? read_file(d, asking->facts, out, err) : RC_OK;
}

static enum rc made(struct http_destination *d,
                    const struct asking *asking,
                    const struct http_answer *answer,
                    struct destination_answer *out,
                    struct err *err)
{
    struct slice body = str_slice(&answer->body);
    conclude(out, OUTCOME_DONE, FAULT_NONE);
    if (answer->cut) {
        conclude(out, OUTCOME_UNKNOWN, FAULT_SERVER);
        return RC_OK;
    }
    if (same_key(asking, body) == SAME_NO || !take_id(asking, body, out)) {
        strange(out);
        return RC_OK;
    }
    return read_back(d, asking, out, err);
}

/* Its address, or its key, is ours alone: what stands there needs no comparing. */
static bool stands_for_itself(const struct http_shape *shape)
{
    return shape->guarantee == GUARANTEE_CONDITIONAL || shape->guarantee == GUARANTEE_UNIQUE_KEY;
}

/* Where a repeated key is answered as the first time, "it is there" may also mean that the first request
 * is still at work (draft-ietf-httpapi-idempotency-key-header, 2.6): then nothing is to be found yet. */
static void found_or_not(const struct asking *asking, struct destination_answer *out)
{
    if (out->outcome == OUTCOME_REFUSED && asking->shape->guarantee == GUARANTEE_IDEMPOTENCY_KEY)
        conclude(out, OUTCOME_UNKNOWN, FAULT_ITEM_LATER);
    else if (out->outcome == OUTCOME_REFUSED) /* there, and not there */
        strange(out);
    else if (out->outcome == OUTCOME_DEFERRED)
        conclude(out, OUTCOME_UNKNOWN, FAULT_SERVER);
}

/* Nothing can be asked: it is believed where the answer shows our key, or what stands there is ours. */
static enum rc adopt_unseen(struct http_destination *d,
                            const struct asking *asking,
                            const struct http_answer *answer,
                            struct destination_answer *out,
                            struct err *err)
{
    struct slice body = str_slice(&answer->body);
    enum same same = answer->cut ? SAME_NO : same_key(asking, body);
    bool believed = same == SAME_YES || (same == SAME_UNSAID && stands_for_itself(asking->shape));
    if (!believed || !take_id(asking, body, out)) {
        strange(out);
        return RC_OK;
    }
    conclude(out, OUTCOME_DONE, FAULT_NONE);
    return read_back(d, asking, out, err);
}

/* It says that what is to be made is there: that one is found, compared and taken over. */
static enum rc adopt(struct http_destination *d,
                     const struct asking *asking,
                     const struct http_answer *answer,
                     struct destination_answer *out,
                     struct err *err)
{
    int code = out->code;
    if (shape_given(&d->set->look[asking->step])) {
        TRY(look_for(d, asking->step, asking->facts, out, err));
        out->code = code;
        found_or_not(asking, out);
    } else {
        TRY(adopt_unseen(d, asking, answer, out, err));
    }
    out->adopted = out->outcome == OUTCOME_DONE;
    return RC_OK;
}

/* Whoever closes a case, or takes it away, meets no other of the same key: "it is there" says only that it
 * was not done, but where the request says that it means more. */
static enum http_verdict verdict_of(const struct asking *asking, int status)
{
    enum http_verdict verdict = http_judge(asking->shape, status);
    bool ends = asking->step == STEP_CLOSE || asking->step == STEP_REMOVE;
    if (!ends || verdict != HTTP_EXISTS)
        return verdict;
    return asking->shape->exists.count > 0 ? HTTP_DONE : HTTP_REFUSED;
}

/* What is to be gone may be gone already. */
static bool is_gone(const struct asking *asking, int status)
{
    return asking->step == STEP_REMOVE && (status == 404 || status == 410);
}

static enum rc judge(struct http_destination *d,
                     const struct asking *asking,
                     const struct http_answer *answer,
                     struct destination_answer *out,
                     struct err *err)
{
    enum http_verdict verdict = verdict_of(asking, answer->status);
    switch (is_gone(asking, answer->status) ? HTTP_DONE : verdict) {
    case HTTP_DONE:
        return made(d, asking, answer, out, err);
    case HTTP_EXISTS:
        return adopt(d, asking, answer, out, err);
    case HTTP_LATER:
    case HTTP_SIGN_IN:
        conclude(out, OUTCOME_DEFERRED, FAULT_SERVER);
        break;
    case HTTP_REFUSED:
        conclude(out, OUTCOME_REFUSED, FAULT_ITEM);
        refusal_of(str_slice(&answer->body), asking->facts, out->said, sizeof out->said);
        break;
    case HTTP_UNKNOWN:
    case HTTP_VERDICT_COUNT:
        conclude(out, OUTCOME_UNKNOWN, FAULT_SERVER);
        break;
    }
    return RC_OK;
}

static enum rc act(void *self,
                   enum destination_step step,
                   const struct case_facts *facts,
                   struct destination_answer *out,
                   struct err *err)
{
    struct http_destination *d = self;
    CLEANUP(fitted_clear) struct fitted fitted = {.html = STR_INIT};
    CLEANUP(http_answer_clear) struct http_answer answer = {0};
    unsigned before = d->requests;
    fit(d->set, facts, &fitted);
    const struct asking asking = {&d->set->act[step], step,  &fitted.facts,
                                  id_of(facts),       false, str_slice(&fitted.html)};
    *out = (struct destination_answer){0};
    TRY(ask(d, &asking, &answer, out, err));
    if (answer.status)
        TRY(judge(d, &asking, &answer, out, err));
    explain(d, out);
    out->requests = d->requests - before;
    return RC_OK;
}

/* ---- the port --------------------------------------------------------------------------------- */

/* Closing and taking away are done once however often they are asked for. */
static int64_t unique_ms(const struct http_destination_settings *set, enum destination_step step)
{
    if (step == STEP_CLOSE || step == STEP_REMOVE)
        return INT64_MAX;
    switch (set->act[step].guarantee) {
    case GUARANTEE_UNIQUE_KEY:
    case GUARANTEE_CONDITIONAL:
        return INT64_MAX;
    case GUARANTEE_IDEMPOTENCY_KEY:
        return set->idempotency_ms;
    case GUARANTEE_NONE:
    case GUARANTEE_COUNT:
        break;
    }
    return 0;
}

struct destination http_destination_port(struct http_destination *destination)
{
    const struct http_destination_settings *set = destination->set;
    struct destination port = {.self = destination, .name = set->name, .act = act, .look = look};
    for (size_t i = 0; i < STEP_COUNT; i++)
        port.can[i] = (struct destination_can){
            .act = shape_given(&set->act[i]),
            .look = shape_given(&set->look[i]),
            .unique_ms = unique_ms(set, (enum destination_step)i),
        };
    return port;
}
