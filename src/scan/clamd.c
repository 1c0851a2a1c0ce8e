/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"
#include "line_socket.h"

#include <onecase/clamd.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 65536 /* octets; each has its length before it */

struct clamd {
    struct clamd_settings settings;
    struct clock clock;
    struct line_socket socket;
    struct scan_verdict verdict;
    bool over; /* the verdict stands */
};

struct clamd *clamd_new(const struct clamd_settings *settings, const struct clock *clock)
{
    struct clamd *c = mem_new(1, sizeof *c);
    c->settings = *settings;
    c->clock = *clock;
    c->socket.fd = -1;
    return c;
}

void clamd_free(struct clamd **clamd)
{
    if (*clamd)
        line_socket_close(&(*clamd)->socket);
    free(*clamd);
    *clamd = NULL;
}

static void fail(struct clamd *c, enum scan answer, const struct err *why)
{
    c->over = true;
    c->verdict.answer = answer;
    answer_words(slice_z(why->text), c->verdict.said);
}

static enum rc open_to(struct clamd *c, struct err *err)
{
    c->socket.clock = &c->clock;
    c->socket.timeout_ms = c->settings.timeout_ms;
    return line_socket_open(&c->socket, c->settings.socket, err);
}

/* ---- a file ------------------------------------------------------------------------------------- */

static void take_answer(struct clamd *c)
{
    struct err why = ERR_INIT;
    struct slice line;
    if (line_socket_get(&c->socket, &line, &why) != RC_OK) {
        fail(c, SCAN_NO_ANSWER, &why);
        return;
    }
    answer_read(line, &c->verdict);
    c->over = true;
}

/* A server that hung up may have said why before. */
static void put(struct clamd *c, struct slice octets)
{
    struct err why = ERR_INIT;
    bool answered = false;
    if (!c->over && line_socket_put(&c->socket, octets, &answered, &why) != RC_OK)
        fail(c, SCAN_NO_ANSWER, &why);
    if (!c->over && answered)
        take_answer(c);
}

static void put_length(struct clamd *c, size_t length)
{
    const char octets[] = {(char)(length >> 24), (char)(length >> 16), (char)(length >> 8),
                           (char)length};
    put(c, (struct slice){octets, sizeof octets});
}

static void begin(void *self)
{
    struct clamd *c = self;
    struct err why = ERR_INIT;
    line_socket_close(&c->socket);
    c->over = false;
    c->verdict = (struct scan_verdict){.answer = SCAN_NO_ANSWER};
    if (open_to(c, &why) != RC_OK)
        fail(c, SCAN_NO_SERVER, &why);
    put(c, (struct slice){"zINSTREAM", sizeof "zINSTREAM"});
}

static bool add(void *self, struct slice octets)
{
    struct clamd *c = self;
    while (!c->over && octets.len > 0) {
        struct slice chunk = slice_cut(octets, 0, CHUNK);
        put_length(c, chunk.len);
        put(c, chunk);
        octets = slice_cut(octets, chunk.len, octets.len);
    }
    return !c->over;
}

static void end(void *self, struct scan_verdict *out)
{
    struct clamd *c = self;
    put_length(c, 0);
    if (!c->over)
        take_answer(c);
    line_socket_close(&c->socket);
    *out = c->verdict;
}

struct scanner clamd_port(struct clamd *clamd)
{
    return (struct scanner){.self = clamd, .begin = begin, .add = add, .end = end};
}

/* ---- a question --------------------------------------------------------------------------------- */

static enum rc ask(struct clamd *c, const char *command, struct str *said, struct err *err)
{
    CLEANUP(str_clear) struct str line = STR_INIT;
    bool answered;
    struct slice answer;
    str_addf(&line, "z%s", command);
    str_addc(&line, '\0');
    TRY(open_to(c, err));
    TRY(line_socket_put(&c->socket, str_slice(&line), &answered, err));
    TRY(line_socket_get(&c->socket, &answer, err));
    char words[SCAN_NAME_SIZE];
    answer_words(answer, words);
    str_addz(said, words);
    return RC_OK;
}

enum rc clamd_ask(struct clamd *c, const char *command, struct str *said, struct err *err)
{
    struct err why = ERR_INIT;
    enum rc rc = ask(c, command, said, &why);
    line_socket_close(&c->socket);
    return rc == RC_OK ? RC_OK : FAIL(err, rc, "clamd at %s: %s", c->settings.socket, why.text);
}
