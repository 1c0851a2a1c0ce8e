/* SPDX-License-Identifier: Apache-2.0 */
#include "desk_test.h"

#include "desk.h"
#include "wake.h"

#include <stdio.h>
#include <string.h>

#define LOOKS          10 /* an index may follow after a while */
#define LOOK_PAUSE_MS  1000
#define TEST_SUBJECT   "Test by onecase: please ignore"
#define TEST_TEXT      "This case was made by `onecase destination test`, to try whether cases arrive."
#define TEST_FILE_TEXT "A file by `onecase destination test`."

struct trial {
    const struct config *config;
    const struct config_destination *configured;
    struct destination port;
    void (*tell)(void *ctx, const struct check_result *result);
    void *ctx;
    bool bad;
    char key[DIGEST_HEX_SIZE], effect[DIGEST_HEX_SIZE], reference[REFERENCE_SIZE];
    char id[EXTERNAL_ID_SIZE];
    struct case_file file;
    struct case_facts facts;
};

static void found(struct trial *t, enum finding finding, const char *what, const char *mend)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    str_addf(&text, "%s: %s", t->configured->name, what);
    t->bad |= finding == FINDING_BAD;
    t->tell(t->ctx, &(struct check_result){finding, str_z(&text), mend});
}

static enum rc
read_text(void *ctx, int64_t offset, char *into, size_t room, size_t *got, struct err *err)
{
    struct slice rest = slice_cut(SLICE(TEST_FILE_TEXT), (size_t)offset, room);
    (void)ctx;
    (void)err;
    *got = rest.len;
    memcpy(into, rest.at, rest.len);
    return RC_OK;
}

/* Every run is a mail of its own, which no mail can be. */
static void describe(struct trial *t)
{
    const char *from = t->config->acknowledgement.from_address;
    struct digest random;
    digest_random(&random);
    digest_hex(&random, t->key);
    snprintf(t->reference, sizeof t->reference, "%sTEST%.4s", t->config->reference_prefix, t->key);
    t->file = (struct case_file){.number = 1,
                                 .file = "01-test.txt",
                                 .name = SLICE("test.txt"),
                                 .type = SLICE("text/plain"),
                                 .size = sizeof TEST_FILE_TEXT - 1,
                                 .sha256 = sha256_of(SLICE(TEST_FILE_TEXT)),
                                 .read = read_text};
    t->facts = (struct case_facts){.key = t->key,
                                   .effect = t->effect,
                                   .correlation = "test-1",
                                   .reference = t->reference,
                                   .from = slice_z(from && from[0] ? from : "onecase@example.org"),
                                   .subject = SLICE(TEST_SUBJECT),
                                   .text = SLICE(TEST_TEXT),
                                   .id = t->id};
}

static void name_effect(struct trial *t, enum destination_step step)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    str_addf(&text, "%s:%s", t->key, destination_step_text(step));
    struct digest d = sha256_of(str_slice(&text));
    digest_hex(&d, t->effect);
    t->effect[EFFECT_ID_SIZE - 1] = '\0';
    t->facts.file = step == STEP_ATTACH ? &t->file : NULL;
}

/* What was not as agreed: which request it was, where it stands, and what came. */
static void
complain(struct trial *t, enum destination_step step, bool look, const struct destination_answer *a)
{
    CLEANUP(str_clear) struct str what = STR_INIT;
    CLEANUP(str_clear) struct str mend = STR_INIT;
    str_addf(&what, "%s%s: %s", destination_step_meaning(step), look ? "; looking for it" : "",
             a->strange                       ? "the answer is not what is configured"
             : a->outcome == OUTCOME_REFUSED  ? look ? "it is not found" : "it is refused"
             : a->outcome == OUTCOME_DEFERRED ? "it is not done now"
                                              : "nobody knows whether it was done");
    const char *why = desk_place(t->config, t->configured, step, look, a->why, &mend);
    if (why[0])
        str_addf(&mend, ": %s", why);
    else
        str_addf(&mend, ": status %d", a->code);
    found(t, FINDING_BAD, str_z(&what), str_z(&mend));
}

static enum rc
act(struct trial *t, enum destination_step step, struct destination_answer *a, struct err *err)
{
    name_effect(t, step);
    TRY(t->port.act(t->port.self, step, &t->facts, a, err));
    if (a->outcome != OUTCOME_DONE)
        complain(t, step, false, a);
    return RC_OK;
}

/* A search may know it only after a while. */
static enum rc look(struct trial *t, enum destination_step step, struct err *err)
{
    struct destination_answer a = {.outcome = OUTCOME_NONE};
    if (!t->port.can[step].look)
        return RC_OK;
    for (int i = 0; i < LOOKS; i++) {
        TRY(t->port.look(t->port.self, step, &t->facts, &a, err));
        if (a.outcome != OUTCOME_REFUSED)
            break;
        wake_rest(LOOK_PAUSE_MS);
    }
    if (a.outcome == OUTCOME_DONE && step == STEP_CREATE && strcmp(a.external_id, t->id) != 0)
        found(t, FINDING_BAD, "find gives another id than create", "check the two `id` pointers");
    else if (a.outcome == OUTCOME_DONE)
        found(t, FINDING_GOOD, "what this made is found again", "");
    else
        complain(t, step, true, &a);
    return RC_OK;
}

/* What is said to make no second case is tried. */
static enum rc try_twice(struct trial *t, struct err *err)
{
    struct destination_answer a;
    if (t->port.can[STEP_CREATE].unique_ms == 0)
        return RC_OK;
    TRY(act(t, STEP_CREATE, &a, err));
    if (a.outcome != OUTCOME_DONE)
        return RC_OK;
    if (strcmp(a.external_id, t->id) == 0)
        found(t, FINDING_GOOD, "the same request a second time makes no second case", "");
    else
        found(t, FINDING_BAD, "the same request a second time made a second case",
              "`guarantee` promises what the destination does not keep: set it up there, or write "
              "guarantee: none; and take both test cases away there");
    return RC_OK;
}

static void say_left(struct trial *t)
{
    CLEANUP(str_clear) struct str what = STR_INIT;
    str_addf(&what, "a test case may stand there, with the reference %s", t->reference);
    found(t, FINDING_WARNING, str_z(&what), "take it away by hand");
}

static enum rc make_case(struct trial *t, struct err *err)
{
    struct destination_answer a;
    CLEANUP(str_clear) struct str what = STR_INIT;
    TRY(act(t, STEP_CREATE, &a, err));
    if (a.outcome == OUTCOME_UNKNOWN)
        say_left(t);
    if (a.outcome != OUTCOME_DONE)
        return RC_OK;
    text_copy(t->id, sizeof t->id, a.external_id);
    str_addf(&what, "it has made case %s, with the reference %s", t->id, t->reference);
    found(t, FINDING_GOOD, str_z(&what), "");
    TRY(look(t, STEP_CREATE, err));
    return try_twice(t, err);
}

static enum rc rest(struct trial *t, enum destination_step step, struct err *err)
{
    struct destination_answer a;
    if (!t->port.can[step].act || !t->id[0])
        return RC_OK;
    TRY(act(t, step, &a, err));
    if (a.outcome != OUTCOME_DONE)
        return RC_OK;
    found(t, FINDING_GOOD, destination_step_meaning(step), "");
    return look(t, step, err);
}

static enum rc all(struct trial *t, struct err *err)
{
    describe(t);
    TRY(make_case(t, err));
    for (int step = STEP_APPEND; step < STEP_COUNT; step++)
        TRY(rest(t, (enum destination_step)step, err));
    if (t->id[0] && !t->port.can[STEP_REMOVE].act)
        found(t, FINDING_WARNING, "the test case stays there: no request `remove` is configured",
              "take it away by hand");
    return t->bad ? FAIL(err, RC_REFUSED, "something is wrong") : RC_OK;
}

static enum rc no_such(const struct config *config, const char *name, struct err *err)
{
    CLEANUP(str_clear) struct str names = STR_INIT;
    for (size_t i = 0; i < config->destinations.count; i++)
        str_addf(&names, "%s%s", i > 0 ? ", " : "", config->destinations.at[i].name);
    return FAIL(err, RC_NOT_FOUND, "destination %s: `destinations` has none of that name; %s%s",
                name, names.len > 0 ? "it has " : "it is empty", str_z(&names));
}

enum rc desk_test(const struct config *config,
                  const char *name,
                  void (*tell)(void *ctx, const struct check_result *result),
                  void *ctx,
                  struct err *err)
{
    struct trial t = {.config = config, .tell = tell, .ctx = ctx};
    struct desk desk;
    for (size_t i = 0; i < config->destinations.count; i++)
        if (strcmp(config->destinations.at[i].name, name) == 0)
            t.configured = &config->destinations.at[i];
    if (!t.configured)
        return no_such(config, name, err);
    desk_open(t.configured, &desk);
    desk.settings.explain = true;
    t.port = http_destination_port(desk.made);
    enum rc rc = all(&t, err);
    desk_close(&desk);
    return rc;
}

/* ---- what it guarantees --------------------------------------------------------------------------- */

void desk_guarantee(const struct config_destination *d, struct str *out)
{
    static const char *const says[] = {
        [CONFIG_GUARANTEE_NONE] = "a second request would make a second case",
        [CONFIG_UNIQUE_KEY] = "it refuses a second case of the same key",
        [CONFIG_CONDITIONAL] = "it makes no case where there is one (If-None-Match)",
        [CONFIG_IDEMPOTENCY_KEY] = "it answers a repeated request as the first time",
    };
    bool asked = d->find.method[0] && d->unknown == CONFIG_LOOK_UP;
    str_addf(out, "%s; where nobody knows whether a case was made, ", says[d->guarantee]);
    if (d->unknown == CONFIG_RECONCILE && d->guarantee == CONFIG_GUARANTEE_NONE)
        str_addz(out, "a person decides each time (unknown: reconcile): nothing is looked up, and "
                      "nothing sent again by itself");
    else if (asked && d->guarantee == CONFIG_GUARANTEE_NONE)
        str_addf(out, "it is looked up for %lld s, and then a person decides",
                 (long long)(d->settle_ms / 1000));
    else
        str_addf(out, "%sthe request is sent again",
                 asked ? "it is looked up, and if need be " : "");
}
