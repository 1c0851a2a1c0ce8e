/* SPDX-License-Identifier: Apache-2.0 */
#include "smtp_p.h"

#define REPLY_BUDGET ((size_t)64 * 1024)

/* What a step sends, and where a good reply leads. Steps without a row have no command. */
typedef void command_fn(struct slot *s, const struct carried *c);
static command_fn say_mail, say_rcpt, say_copy, say_data, say_reset;

/* clang-format off */
static const struct {
    enum stage stage;    /* of a failure in this step */
    int good;            /* the reply that goes on; 2 is any 2xx */
    command_fn *say;
    enum step next;
} steps[STEP_COUNT] = {
/*    step              stage              good  say        next */
    [STEP_CONNECT] = { STAGE_CONNECT,      0,    NULL,      STEP_MAIL },
    [STEP_RESET]   = { STAGE_MAIL,         2,    say_reset, STEP_MAIL },
    [STEP_MAIL]    = { STAGE_MAIL,         2,    say_mail,  STEP_RCPT },
    [STEP_RCPT]    = { STAGE_RCPT,         2,    say_rcpt,  STEP_COPY },
    [STEP_COPY]    = { STAGE_RCPT,         2,    say_copy,  STEP_DATA },
    [STEP_DATA]    = { STAGE_DATA,         354,  say_data,  STEP_BODY },
    [STEP_BODY]    = { STAGE_DATA,         0,    NULL,      STEP_READY },
    [STEP_READY]   = { STAGE_DATA,         0,    NULL,      STEP_LINE },
    [STEP_LINE]    = { STAGE_END_OF_DATA,  2,    NULL,      STEP_KEPT },
};
/* clang-format on */

enum stage dialogue_stage(enum step step)
{
    return steps[step].stage;
}

static int64_t step_timeout(const struct slot *s)
{
    return s->courier->settings.endpoint.timeout_ms;
}

static void enter(struct slot *s, enum step step);

static void say_mail(struct slot *s, const struct carried *c)
{
    struct offers offers = offers_of(connection_offers(s->connection));

    letter_mail(str_z(&c->sender), &c->needs, &offers, &s->out);
}

static void say_rcpt(struct slot *s, const struct carried *c)
{
    str_addf(&s->out, "RCPT TO:<%s>\r\n", str_z(&c->recipient));
}

static void say_copy(struct slot *s, const struct carried *c)
{
    str_addf(&s->out, "RCPT TO:<%s>\r\n", str_z(&c->copy_to));
}

static void say_data(struct slot *s, const struct carried *c)
{
    (void)c;
    str_addz(&s->out, "DATA\r\n");
}

static void say_reset(struct slot *s, const struct carried *c)
{
    (void)c;
    str_addz(&s->out, "RSET\r\n");
}

/* A kept connection may have been closed long ago; nothing was answered on it for this letter. */
static bool may_begin_anew(const struct slot *s)
{
    return (s->step == STEP_RESET || s->step == STEP_MAIL) && !s->fresh;
}

/* Whether a server that offers PIPELINING takes it behind a line as well is seen: where letters that were
 * said there go unanswered, they are said each in its turn for a while. */
#define BEHIND_FAILED_MOST 2
#define BEHIND_RESTS_MS    INT64_C(3600000)

static bool behind_may(const struct smtp_courier *c)
{
    return clock_now(c->clock).boot_ms >= c->behind_rests_ms;
}

static void behind_went_well(struct slot *s)
{
    s->behind = false;
    s->courier->behind_failed = 0;
}

static void behind_rests(struct slot *s)
{
    struct smtp_courier *c = s->courier;

    s->behind = false;
    c->behind_failed = 0;
    c->behind_rests_ms = clock_now(c->clock).boot_ms + BEHIND_RESTS_MS;
}

static void behind_failed(struct slot *s)
{
    if (!s->behind)
        return;
    s->behind = false;
    if (++s->courier->behind_failed == BEHIND_FAILED_MOST)
        behind_rests(s);
}

static void begin_anew(struct slot *s)
{
    behind_failed(s);
    slot_disconnect(s);
    s->grouped = false;
    s->fresh = true;
    enter(s, STEP_CONNECT);
}

static bool was_refused(const struct slot *s)
{
    return s->refused_at != STEP_EMPTY;
}

/* The letter's verdict is the first refusal of its group, wherever the replies have come to. */
static void settle_refused(struct slot *s, bool closes)
{
    struct reply refusal = s->refusal;

    s->step = s->refused_at;
    if (closes) {
        slot_settle_and_close(s, &refusal, NULL);
        return;
    }
    slot_settle(s, &refusal, NULL);
    s->used = true;
    enter(s, STEP_KEPT);
}

static void lost(struct slot *s, const char *words)
{
    if (was_refused(s))
        settle_refused(s, true);
    else if (may_begin_anew(s))
        begin_anew(s);
    else
        slot_settle_and_close(s, NULL, words);
}

/* Connecting failed: an answer of the server may say why. */
static void not_connected(struct slot *s, const struct err *err)
{
    struct reply reply;

    reply_begin(&reply);
    if (reply_line(&reply, connection_answer(s->connection)) == REPLY_CAME_GARBAGE ||
        reply.code < 400)
        slot_settle_and_close(s, NULL, err->text);
    else
        slot_settle_and_close(s, &reply, NULL);
}

/* Steps */

static void enter(struct slot *s, enum step step)
{
    if (step == STEP_COPY && s->letter.copy_to.len == 0)
        step = STEP_DATA;
    if (step == STEP_CONNECT)
        s->connection =
            connection_new(s->courier->net, PROTOCOL_SMTP, &s->courier->settings.endpoint);
    s->step = step;
    reply_begin(&s->reply);
    if (steps[step].say != NULL && !s->grouped)
        steps[step].say(s, &s->letter);
    if (step == STEP_KEPT || step == STEP_READY)
        connection_limit(s->connection, 0, REPLY_BUDGET);
    else if (step == STEP_LINE)
        connection_limit(s->connection, s->courier->settings.final_timeout_ms, REPLY_BUDGET);
    else if (step != STEP_CONNECT)
        connection_limit(s->connection, step_timeout(s), REPLY_BUDGET);
}

/* Hands over what there is to send; *all: nothing is left. */
static enum rc flush(struct slot *s, bool *all, struct err *err)
{
    size_t taken = 1;

    while (s->out_from < s->out.len && taken > 0) {
        struct slice rest = slice_cut(str_slice(&s->out), s->out_from, s->out.len);

        TRY(connection_put(s->connection, rest, &taken, err));
        s->out_from += taken;
    }
    *all = s->out_from == s->out.len;
    if (*all) {
        str_empty(&s->out);
        s->out_from = 0;
    }
    return RC_OK;
}

/* Reads on; *whole: a reply stands in s->reply. Garbage is a failure. */
static enum rc hear(struct slot *s, bool *whole, struct err *err)
{
    struct slice line;

    *whole = false;
    for (;;) {
        TRY(connection_line(s->connection, &line, err));
        if (line.at == NULL)
            return RC_OK;
        switch (reply_line(&s->reply, line)) {
        case REPLY_CAME_PART:
            break;
        case REPLY_CAME_WHOLE:
            *whole = true;
            return RC_OK;
        case REPLY_CAME_GARBAGE:
            return connection_fail(s->connection, RC_DEFERRED, err,
                                   "it answers what is no SMTP reply; is it a mail server?");
        }
    }
}

/* All that may be said before the server has answered, from `first` on; DATA ends a group. */
static void say_group(struct slot *s, const struct carried *c, enum step first)
{
    for (enum step step = first; step <= STEP_DATA; step = steps[step].next)
        if (step != STEP_COPY || c->copy_to.len > 0)
            steps[step].say(s, c);
}

static const char *missing_for(const struct slot *s, const struct carried *c)
{
    struct offers offers = offers_of(connection_offers(s->connection));

    return letter_missing(&c->needs, &offers);
}

static bool offers_pipelining(const struct slot *s)
{
    return offers_of(connection_offers(s->connection)).pipelining;
}

/* MAIL is not even said where the server does not offer what the letter needs. */
static void start_mail(struct slot *s)
{
    const char *missing = missing_for(s, &s->letter);

    if (missing == NULL) {
        enter(s, s->used ? STEP_RESET : STEP_MAIL);
        s->used = false;
        s->grouped = offers_pipelining(s);
        if (s->grouped)
            say_group(s, &s->letter, steps[s->step].next);
        return;
    }
    s->step = STEP_MAIL;
    slot_settle(s, NULL, missing);
    s->event.meets_item = true;
    enter(s, STEP_KEPT);
}

/* RFC 2920 3.1: the commands for the next letter may be the rest of the group that the line begins. */
static void say_behind(struct slot *s)
{
    s->behind = missing_for(s, &s->next) == NULL;
    if (s->behind)
        say_group(s, &s->next, STEP_MAIL);
}

/* The letter is settled, and its connection good for another. */
static void letter_ends(struct slot *s)
{
    if (!s->follows || !s->behind) {
        enter(s, STEP_KEPT);
        return;
    }
    slot_take_next(s);
    s->fresh = false;
    s->grouped = true;
    enter(s, STEP_MAIL);
}

/* A server that wants the body of a letter with no recipient gets nothing: the connection ends. */
static void after_refusal(struct slot *s)
{
    bool wants_body = s->step == STEP_DATA && s->reply.code < 400;

    if (s->reply.code == 421 || wants_body)
        settle_refused(s, true);
    else if (s->step == STEP_DATA)
        settle_refused(s, false);
    else
        enter(s, steps[s->step].next);
}

/* The rest of the group is on its way already, and so are the replies to it. */
static void refused_in_group(struct slot *s)
{
    s->refusal = s->reply;
    s->refused_at = s->step;
    enter(s, steps[s->step].next);
}

static bool is_good(const struct slot *s)
{
    int good = steps[s->step].good;

    return s->reply.code == good || s->reply.code / 100 == good;
}

/* A kept connection's time is over, or the server does not take what is said behind a line. */
static bool wants_another_connection(const struct slot *s)
{
    bool strictly = s->step == STEP_RESET || s->behind;

    return may_begin_anew(s) && (s->reply.code == 421 || (strictly && !is_good(s)));
}

static bool goes_on(const struct slot *s)
{
    int code = s->reply.code;

    return is_good(s) || (s->step == STEP_COPY && code >= 400 && code != 421);
}

static void ends_answered(struct slot *s)
{
    bool used = s->step != STEP_LINE;

    slot_settle(s, &s->reply, NULL);
    s->used = used;
    letter_ends(s);
}

/* A reply too few or too many: behind a line nobody could say whose a reply is, so at once nothing is said there. */
static void ends_unfitting(struct slot *s)
{
    if (s->behind)
        behind_rests(s);
    slot_settle_and_close(s, NULL, "the server's reply does not fit here");
}

/* 4xx and 5xx are verdicts wherever they come; another code out of its place is no reply. */
static void take_answer(struct slot *s)
{
    int code = s->reply.code;

    if (s->step != STEP_LINE && goes_on(s))
        enter(s, steps[s->step].next);
    else if (code < 400 && !is_good(s))
        ends_unfitting(s);
    else if (code == 421)
        slot_settle_and_close(s, &s->reply, NULL);
    else if (s->grouped && s->step < STEP_DATA)
        refused_in_group(s);
    else
        ends_answered(s);
}

static void answered(struct slot *s)
{
    if (was_refused(s)) {
        after_refusal(s);
        return;
    }
    if (wants_another_connection(s)) {
        begin_anew(s);
        return;
    }
    s->fresh = s->step != STEP_RESET;
    take_answer(s);
    if (s->behind && s->step == STEP_BODY)
        behind_went_well(s);
}

/* Each of these goes one step on; false where it must wait. */

static bool go_exchange(struct slot *s)
{
    struct err err = ERR_INIT;
    bool sent = false;
    bool whole = false;

    if (flush(s, &sent, &err) != RC_OK || hear(s, &whole, &err) != RC_OK) {
        lost(s, err.text);
        return true;
    }
    if (whole)
        answered(s);
    return whole;
}

static bool go_connect(struct slot *s)
{
    struct err err = ERR_INIT;
    bool open;

    if (connection_open(s->connection, &open, &err) != RC_OK) {
        not_connected(s, &err);
        return true;
    }
    if (open)
        start_mail(s);
    return open;
}

/* A reply before the end-of-data line is the server's last word on this letter. */
static bool was_interrupted(struct slot *s)
{
    struct err err = ERR_INIT;
    bool whole;

    if (hear(s, &whole, &err) != RC_OK) {
        slot_settle_and_close(s, NULL, err.text);
        return true;
    }
    if (whole && s->reply.code < 400)
        slot_settle_and_close(s, NULL, "the server's reply does not fit here");
    else if (whole)
        slot_settle_and_close(s, &s->reply, NULL);
    return whole;
}

static bool go_body(struct slot *s)
{
    struct err err = ERR_INIT;
    bool sent;

    if (was_interrupted(s))
        return true;
    if (s->out.len == 0)
        letter_body(s->letter.octets, &s->letter.octets_from, &s->out);
    if (flush(s, &sent, &err) != RC_OK) {
        slot_settle_and_close(s, NULL, err.text);
        return true;
    }
    if (!sent)
        return false;
    if (s->letter.octets_from < s->letter.octets.len)
        return true;
    enter(s, STEP_READY);
    s->event =
        (struct courier_event){.what = COURIER_READY, .id = s->letter.id, .stage = STAGE_DATA};
    return true;
}

/* Whatever comes on a kept connection, its time is over. */
static bool go_kept(struct slot *s)
{
    struct err err = ERR_INIT;
    struct slice line;

    if (connection_line(s->connection, &line, &err) != RC_OK || line.at != NULL)
        slot_disconnect(s);
    else if (s->follows) { /* it could not be said behind the line */
        slot_take_next(s);
        s->fresh = false;
        start_mail(s);
    }
    return slot_has_letter(s);
}

/* The connection ended with the letter before it. Nothing that was said for this one was answered, and
 * whether it is tried now is not for its connection to say. */
static bool give_back(struct slot *s)
{
    if (!s->follows)
        return false;
    s->event = (struct courier_event){.what = COURIER_GIVEN_BACK, .id = s->next.id};
    behind_failed(s);
    slot_forget_next(s);
    return true;
}

static bool go_on(struct slot *s)
{
    switch (s->step) {
    case STEP_EMPTY:
        return give_back(s);
    case STEP_COUNT:
        return false;
    case STEP_KEPT:
        return go_kept(s);
    case STEP_CONNECT:
        return go_connect(s);
    case STEP_BODY:
        return go_body(s);
    case STEP_READY:
        return was_interrupted(s);
    case STEP_MAIL:
    case STEP_RCPT:
    case STEP_COPY:
    case STEP_DATA:
    case STEP_LINE:
    case STEP_RESET:
        return go_exchange(s);
    }
    return false;
}

void dialogue_go_on(struct slot *s)
{
    while (s->event.what == COURIER_NOTHING && go_on(s))
        continue;
}

static void carry(struct carried *c, const struct letter *letter, const struct needs *needs)
{
    c->id = letter->id;
    c->octets = letter->octets;
    c->needs = *needs;
    str_addz(&c->sender, letter->sender);
    str_addz(&c->recipient, letter->recipient);
    if (letter->copy_to != NULL)
        str_addz(&c->copy_to, letter->copy_to);
}

bool dialogue_takes_next(const struct slot *s)
{
    return s->step == STEP_READY && !s->follows && offers_pipelining(s) && behind_may(s->courier);
}

void dialogue_begin(struct slot *s, const struct letter *letter, const struct needs *needs)
{
    if (s->step == STEP_READY) {
        carry(&s->next, letter, needs);
        s->follows = true;
        return;
    }
    carry(&s->letter, letter, needs);
    s->fresh = s->step == STEP_EMPTY;
    if (s->fresh)
        enter(s, STEP_CONNECT);
    else
        start_mail(s);
}

/* From the first octet handed over here the letter may be accepted; line_left says so before. */
void dialogue_release(struct slot *s)
{
    if (s->step != STEP_READY || s->event.what != COURIER_NOTHING || was_interrupted(s))
        return;
    enter(s, STEP_LINE);
    str_addz(&s->out, ".\r\n");
    s->line_left = true;
    if (s->follows)
        say_behind(s);
    dialogue_go_on(s);
}
