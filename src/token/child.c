/* SPDX-License-Identifier: Apache-2.0 */
#include "token_p.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEARD_MOST (2 * TOKEN_MOST + ERR_TEXT_SIZE + 200)

void token_result_clear(struct token_result *f)
{
    str_clear(&f->token);
    str_clear(&f->refresh);
}

/* ---- the child ------------------------------------------------------------------------------------ */

/* What it started ends with it. */
static void end_all(int signal)
{
    (void)signal;
    (void)kill(0, SIGKILL);
}

static void put(struct str *out, struct slice part)
{
    str_addf(out, "%zu ", part.len);
    str_add(out, part);
}

static void tell(int fd, const struct token_result *f)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct slice rest;

    str_addf(&text, "%d %" PRId64 " %" PRId64 " ", (int)f->rc, f->life_ms, f->pause_ms);
    put(&text, str_slice(&f->token));
    put(&text, str_slice(&f->refresh));
    put(&text, slice_z(f->rc != RC_OK ? f->err.text : ""));
    rest = str_slice(&text);
    while (rest.len > 0) {
        ssize_t sent = write(fd, rest.at, rest.len);

        if (sent <= 0)
            return;
        rest = slice_cut(rest, (size_t)sent, rest.len);
    }
}

static NORETURN void work(int fd, const struct token_settings *s, const char *kept, int64_t wall_ms)
{
    CLEANUP(token_result_clear) struct token_result f = TOKEN_RESULT_INIT;
    struct sigaction late = {.sa_handler = end_all};
    struct sigaction usual = {.sa_handler = SIG_DFL};
    int64_t seconds = (s->timeout_ms + 999) / 1000;

    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigaction(SIGTERM, &usual, NULL);
    sigaction(SIGINT, &usual, NULL);
    sigaction(SIGALRM, &late, NULL);
    alarm(seconds < 1 ? 1 : (unsigned)seconds + 1);
    token_fetch(s, kept, wall_ms, &f);
    tell(fd, &f);
    token_result_clear(&f);
    _exit(0); /* nothing of the parent's is flushed or closed twice */
}

/* ---- the parent ----------------------------------------------------------------------------------- */

enum rc token_child_start(struct token_child *c,
                          const struct token_settings *s,
                          const char *kept,
                          int64_t wall_ms,
                          struct err *err)
{
    int ends[2];
    pid_t pid;

    if (pipe(ends) != 0)
        return FAIL(err, RC_DEFERRED, "token: no pipe can be made: %s", strerror(errno));
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    (void)fflush(NULL);
    pid = fork();
    if (pid == 0)
        work(ends[1], s, kept, wall_ms);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return FAIL(err, RC_DEFERRED, "token: no process can be made: %s", strerror(errno));
    }
    *c = (struct token_child){.pid = (int)pid, .fd = ends[0], .heard = STR_INIT};
    return RC_OK;
}

static bool take_number(struct slice *rest, int64_t *out)
{
    struct slice word;
    char text[24];
    char *end;

    if (!slice_next(rest, ' ', &word) || word.len == 0 || word.len >= sizeof text)
        return false;
    memcpy(text, word.at, word.len);
    text[word.len] = '\0';
    *out = strtoll(text, &end, 10);
    return *end == '\0' && *out >= 0;
}

static bool take_part(struct slice *rest, struct slice *out)
{
    int64_t length;

    if (!take_number(rest, &length) || (uint64_t)length > rest->len)
        return false;
    *out = slice_cut(*rest, 0, (size_t)length);
    *rest = slice_cut(*rest, (size_t)length, rest->len);
    return true;
}

static bool read_result(struct slice text, struct token_result *out)
{
    struct slice token;
    struct slice refresh;
    struct slice words;
    int64_t rc;

    if (!take_number(&text, &rc) || rc >= RC_COUNT || !take_number(&text, &out->life_ms) ||
        !take_number(&text, &out->pause_ms) || !take_part(&text, &token) ||
        !take_part(&text, &refresh) || !take_part(&text, &words))
        return false;
    out->rc = (enum rc)rc;
    str_add(&out->token, token);
    str_add(&out->refresh, refresh);
    if (out->rc != RC_OK)
        (void)FAIL(&out->err, out->rc, "%.*s", (int)words.len, words.at);
    return true;
}

static bool ended(struct token_child *c)
{
    char piece[4096];
    ssize_t got = 1;

    while (got > 0 && c->heard.len <= HEARD_MOST) {
        got = read(c->fd, piece, sizeof piece);
        str_add(&c->heard, (struct slice){piece, got > 0 ? (size_t)got : 0});
    }
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) || c->heard.len > HEARD_MOST;
}

bool token_child_listen(struct token_child *c, struct token_result *out)
{
    if (!ended(c))
        return false;
    if (!read_result(str_slice(&c->heard), out))
        out->rc = FAIL(&out->err, RC_DEFERRED,
                       "no token came in time; is the endpoint or the command overloaded, or "
                       "`timeout` too short?");
    token_child_end(c);
    return true;
}

void token_child_end(struct token_child *c)
{
    if (c->pid == 0)
        return;
    (void)kill((pid_t)c->pid, SIGKILL);
    (void)kill((pid_t)-c->pid, SIGKILL);
    while (waitpid((pid_t)c->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(c->fd);
    str_clear(&c->heard);
    *c = (struct token_child){0, -1, STR_INIT};
}
