/* SPDX-License-Identifier: Apache-2.0 */
#include "letter.h"
#include "reply.h"

#include <onecase/smtp.h>

#define TRY_BUDGET ((size_t)64 * 1024)

struct trial {
    struct net *net;
    struct connection *connection;
    int64_t timeout_ms;
};

static void trial_clear(struct trial *t)
{
    connection_free(t->connection);
    net_free(t->net);
}

static enum rc open_now(struct trial *t, struct err *err)
{
    bool open = false;

    for (;;) {
        TRY(connection_open(t->connection, &open, err));
        if (open)
            return RC_OK;
        net_wait(t->net, INT64_MAX);
    }
}

static enum rc say(struct trial *t, struct slice line, struct err *err)
{
    size_t taken = 0;

    connection_limit(t->connection, t->timeout_ms, TRY_BUDGET);
    for (;;) {
        TRY(connection_put(t->connection, line, &taken, err));
        line = slice_cut(line, taken, line.len);
        if (line.len == 0)
            return RC_OK;
        net_wait(t->net, INT64_MAX);
    }
}

static enum rc hear(struct trial *t, struct reply *reply, struct err *err)
{
    struct slice line;

    reply_begin(reply);
    for (;;) {
        TRY(connection_line(t->connection, &line, err));
        if (line.at == NULL) {
            net_wait(t->net, INT64_MAX);
            continue;
        }
        switch (reply_line(reply, line)) {
        case REPLY_CAME_PART:
            break;
        case REPLY_CAME_WHOLE:
            return RC_OK;
        case REPLY_CAME_GARBAGE:
            return connection_fail(t->connection, RC_DEFERRED, err,
                                   "it answers what is no SMTP reply; is it a mail server?");
        }
    }
}

static enum rc say_mail(struct trial *t, const char *sender, struct str *said, struct err *err)
{
    CLEANUP(str_clear) struct str line = STR_INIT;
    struct offers none = {.size = false};
    struct needs nothing = {0, false, false};
    struct reply reply;
    char shown[200];

    letter_mail(sender, &nothing, &none, &line);
    TRY(say(t, str_slice(&line), err));
    TRY(hear(t, &reply, err));
    server_words(slice_z(reply.text), shown, sizeof shown);
    str_addf(said, "%d %s%s%s", reply.code, reply.enhanced, reply.enhanced[0] != '\0' ? " " : "",
             shown);
    if (reply.code / 100 == 2)
        return RC_OK;
    return FAIL(err, reply.code / 100 == 4 ? RC_DEFERRED : RC_REFUSED,
                "%s: it does not take mail from `envelope_from` (%s); ask its administrator",
                connection_name(t->connection), str_z(said));
}

enum rc smtp_try(const struct endpoint *endpoint,
                 const struct clock *clock,
                 const char *sender,
                 struct str *said,
                 struct err *err)
{
    CLEANUP(trial_clear) struct trial t = {.net = net_new(clock)};
    struct reply reply;
    enum rc rc;

    t.timeout_ms = endpoint->timeout_ms;
    t.connection = connection_new(t.net, PROTOCOL_SMTP, endpoint);
    if (!address_may_be_sent(sender))
        return FAIL(err, RC_REFUSED, "smtp: `envelope_from` is no address");
    TRY(open_now(&t, err));
    rc = say_mail(&t, sender, said, err);
    if (rc == RC_OK && say(&t, SLICE("RSET\r\n"), NULL) == RC_OK && hear(&t, &reply, NULL) == RC_OK)
        (void)say(&t, SLICE("QUIT\r\n"), NULL);
    return rc;
}
