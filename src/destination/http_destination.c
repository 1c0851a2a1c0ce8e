/* SPDX-License-Identifier: Apache-2.0 */
#include "destination_p.h"

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
    if (*destination)
        http_client_free(&(*destination)->client);
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

enum same { SAME_YES, SAME_NO, SAME_UNSAID };

static enum same same_key(const struct http_shape *shape, struct slice body, const char *key)
{
    char there[2 * KEY_SIZE];
    if (!shape->key[0])
        return SAME_UNSAID;
    if (pointer_get(body, shape->key, there, sizeof there) != POINTED_VALUE)
        return SAME_NO;
    return strcmp(there, key) == 0 ? SAME_YES : SAME_NO;
}

/* Where no answer says the id, the case goes by our key. */
static bool take_id(const struct http_shape *shape,
                    struct slice body,
                    const char *key,
                    struct destination_answer *out)
{
    if (!shape->id[0])
        text_copy(out->external_id, sizeof out->external_id, key);
    else if (pointer_get(body, shape->id, out->external_id, sizeof out->external_id) !=
             POINTED_VALUE)
        return false;
    return true;
}

/* Sends, and settles `out` where no answer came, which is one without a status. */
static enum rc ask(struct http_destination *d,
                   const struct http_shape *shape,
                   const struct case_facts *facts,
                   struct http_answer *answer,
                   struct destination_answer *out,
                   struct err *err)
{
    struct err why = ERR_INIT;
    enum rc rc = send_request(d, shape, facts, out->external_id, answer, &why);
    if (rc == RC_DEFERRED || rc == RC_REFUSED)
        conclude(out, OUTCOME_DEFERRED, FAULT_SERVER);
    else if (rc == RC_UNKNOWN)
        conclude(out, OUTCOME_UNKNOWN, FAULT_SERVER);
    else if (rc != RC_OK)
        return FAIL(err, rc, "%s", why.text);
    out->code = answer->status;
    out->retry_after_ms = answer->retry_after_ms;
    text_copy(out->why, sizeof out->why, why.text);
    return RC_OK;
}

/* ---- looking up ------------------------------------------------------------------------------- */

static bool is_absence(const struct http_shape *shape, int status)
{
    enum http_verdict verdict = http_judge(shape, status);
    return verdict == HTTP_REFUSED && (status == 404 || status == 410 || shape->refused.count > 0);
}

static void found(const struct http_shape *shape,
                  const struct case_facts *facts,
                  const struct http_answer *answer,
                  struct destination_answer *out)
{
    struct slice body = str_slice(&answer->body);
    char ignored[EXTERNAL_ID_SIZE];
    if (answer->cut || pointer_get(body, shape->id, ignored, sizeof ignored) == POINTED_NO_JSON)
        conclude(out, OUTCOME_DEFERRED, FAULT_SERVER);
    else if (!take_id(shape, body, facts->key, out))
        conclude(out, OUTCOME_REFUSED, FAULT_NONE);
    else if (same_key(shape, body, facts->key) == SAME_NO)
        strange(out);
    else
        conclude(out, OUTCOME_DONE, FAULT_NONE);
}

static enum rc
find(void *self, const struct case_facts *facts, struct destination_answer *out, struct err *err)
{
    struct http_destination *d = self;
    const struct http_shape *shape = &d->set->find;
    CLEANUP(http_answer_clear) struct http_answer answer = {0};
    *out = (struct destination_answer){0};
    TRY(ask(d, shape, facts, &answer, out, err));
    if (answer.status && http_judge(shape, answer.status) == HTTP_DONE)
        found(shape, facts, &answer, out);
    else if (answer.status && is_absence(shape, answer.status))
        conclude(out, OUTCOME_REFUSED, FAULT_NONE);
    else /* asking changes nothing, so it may be asked again */
        conclude(out, OUTCOME_DEFERRED, FAULT_SERVER);
    return RC_OK;
}

/* ---- making ----------------------------------------------------------------------------------- */

/* What was made is asked for by its id: the key that stands there is ours, or a person looks. */
static enum rc read_back(struct http_destination *d,
                         const struct case_facts *facts,
                         struct destination_answer *out,
                         struct err *err)
{
    const struct http_shape *shape = &d->set->read;
    CLEANUP(http_answer_clear) struct http_answer answer = {0};
    struct destination_answer there = *out;
    if (!shape_given(shape))
        return RC_OK;
    TRY(ask(d, shape, facts, &answer, &there, err));
    bool read = answer.status && !answer.cut && http_judge(shape, answer.status) == HTTP_DONE;
    if (read && same_key(shape, str_slice(&answer.body), facts->key) == SAME_NO)
        strange(out);
    else if (!read && shape_given(&d->set->find)) /* it is looked up before it is believed */
        conclude(out, OUTCOME_UNKNOWN, FAULT_SERVER);
    return RC_OK;
}

static enum rc made(struct http_destination *d,
                    const struct case_facts *facts,
                    const struct http_answer *answer,
                    struct destination_answer *out,
                    struct err *err)
{
    const struct http_shape *shape = &d->set->create;
    struct slice body = str_slice(&answer->body);
    conclude(out, OUTCOME_DONE, FAULT_NONE);
    if (answer->cut) {
        conclude(out, OUTCOME_UNKNOWN, FAULT_SERVER);
        return RC_OK;
    }
    if (same_key(shape, body, facts->key) == SAME_NO || !take_id(shape, body, facts->key, out)) {
        strange(out);
        return RC_OK;
    }
    return read_back(d, facts, out, err);
}

/* It says that a case with our key is there: that one is found, compared and taken over. */
static enum rc adopt(struct http_destination *d,
                     const struct case_facts *facts,
                     const struct http_answer *answer,
                     struct destination_answer *out,
                     struct err *err)
{
    const struct http_shape *shape = &d->set->create;
    int code = out->code;
    if (shape_given(&d->set->find)) {
        TRY(find(d, facts, out, err));
        out->code = code;
        if (out->outcome == OUTCOME_REFUSED) /* there, and not there */
            strange(out);
        if (out->outcome == OUTCOME_DEFERRED)
            conclude(out, OUTCOME_UNKNOWN, FAULT_SERVER);
    } else if (!answer->cut && take_id(shape, str_slice(&answer->body), facts->key, out)) {
        conclude(out, OUTCOME_DONE, FAULT_NONE);
        TRY(read_back(d, facts, out, err));
    } else {
        strange(out);
    }
    out->adopted = out->outcome == OUTCOME_DONE;
    return RC_OK;
}

static enum rc judge(struct http_destination *d,
                     const struct case_facts *facts,
                     const struct http_answer *answer,
                     struct destination_answer *out,
                     struct err *err)
{
    switch (http_judge(&d->set->create, answer->status)) {
    case HTTP_DONE:
        return made(d, facts, answer, out, err);
    case HTTP_EXISTS:
        return adopt(d, facts, answer, out, err);
    case HTTP_LATER:
    case HTTP_SIGN_IN:
        conclude(out, OUTCOME_DEFERRED, FAULT_SERVER);
        break;
    case HTTP_REFUSED:
        conclude(out, OUTCOME_REFUSED, FAULT_ITEM);
        break;
    case HTTP_UNKNOWN:
    case HTTP_VERDICT_COUNT:
        conclude(out, OUTCOME_UNKNOWN, FAULT_SERVER);
        break;
    }
    return RC_OK;
}

static enum rc
create(void *self, const struct case_facts *facts, struct destination_answer *out, struct err *err)
{
    struct http_destination *d = self;
    CLEANUP(http_answer_clear) struct http_answer answer = {0};
    *out = (struct destination_answer){0};
    TRY(ask(d, &d->set->create, facts, &answer, out, err));
    return answer.status ? judge(d, facts, &answer, out, err) : RC_OK;
}

/* ---- the port --------------------------------------------------------------------------------- */

/* How long after its first try a second request makes no second case. */
static int64_t unique_ms(const struct http_destination_settings *set)
{
    switch (set->guarantee) {
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
    return (struct destination){
        .self = destination,
        .name = destination->set->name,
        .unique_ms = unique_ms(destination->set),
        .create = create,
        .find = shape_given(&destination->set->find) ? find : NULL,
    };
}
