/* SPDX-License-Identifier: Apache-2.0 */
#include "point.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALLS 128

static const struct {
    const char *how;
    enum rc rc;
} answers[] = {
    {"deferred", RC_DEFERRED}, {"refused", RC_REFUSED}, {"broken", RC_BROKEN},
    {"unknown", RC_UNKNOWN},   {"lost", RC_UNKNOWN},
};

static struct {
    bool begun, read;
    char how[16], call[48];
    unsigned nth;
    int trace;
    struct {
        const char *call;
        unsigned count;
    } seen[CALLS];
} all = {.trace = -1};

void points_begin(void)
{
    all.begun = true;
}

bool points_begun(void)
{
    return all.begun;
}

static void read_environment(void)
{
    const char *where = getenv("ONECASE_CRASH"), *trace = getenv("ONECASE_CRASH_TRACE");
    all.read = true;
    if (where && sscanf(where, "%15s %47s %u", all.how, all.call, &all.nth) != 3) {
        fprintf(stderr, "ONECASE_CRASH: not understood: %s\n", where);
        abort();
    }
    if (trace)
        all.trace = open(trace, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static unsigned count(const char *call)
{
    size_t i = 0;
    while (i < CALLS && all.seen[i].call && strcmp(all.seen[i].call, call) != 0)
        i++;
    assert(i < CALLS);
    all.seen[i].call = call;
    return ++all.seen[i].count;
}

static void trace(const char *format, const struct point *p, const char *note)
{
    char line[160];
    if (all.trace < 0)
        return;
    int length = snprintf(line, sizeof line, "%s %s %u %s\n", format, p->call, p->nth, note);
    if (write(all.trace, line, (size_t)length) != length)
        abort();
}

static bool is_meant(const struct point *p)
{
    return all.nth == p->nth && strcmp(all.call, p->call) == 0;
}

static const struct {
    const char *how;
    bool before;
    int signal;
} signals[] = {
    {"before", true, SIGKILL},
    {"after", false, SIGKILL},
    {"stop-before", true, SIGSTOP},
    {"stop-after", false, SIGSTOP},
};

static void die_if(const struct point *p, bool before)
{
    for (size_t i = 0; is_meant(p) && i < LENGTH(signals); i++)
        if (strcmp(signals[i].how, all.how) == 0 && signals[i].before == before)
            (void)kill(getpid(), signals[i].signal);
}

static const enum rc *answer_of(const struct point *p)
{
    for (size_t i = 0; is_meant(p) && i < LENGTH(answers); i++)
        if (strcmp(answers[i].how, all.how) == 0)
            return &answers[i].rc;
    return NULL;
}

struct point point_at(const char *call, const char *note)
{
    if (!all.read)
        read_environment();
    struct point p = {.call = call, .nth = count(call)};
    trace(">", &p, note);
    die_if(&p, true);
    p.answers = answer_of(&p) && strcmp(all.how, "lost") != 0;
    return p;
}

int point_errno(const char *call)
{
    struct point p = point_at(call, "");
    bool same = strcmp(all.call, call) == 0;
    if (same && p.nth >= all.nth && strcmp(all.how, "full") == 0)
        return ENOSPC;
    return is_meant(&p) && strcmp(all.how, "eio") == 0 ? EIO : 0;
}

enum rc point_answer(const struct point *p, struct err *err)
{
    const enum rc *rc = answer_of(p);
    trace("!", p, all.how);
    return FAIL(err, rc ? *rc : RC_BROKEN, "%s: answered by the test", p->call);
}

enum rc point_over(const struct point *p, enum rc rc, struct err *err)
{
    trace("<", p, rc_text(rc));
    die_if(p, false);
    return answer_of(p) ? point_answer(p, err) : rc;
}

void point_left(const struct point *p)
{
    trace("<", p, "");
    die_if(p, false);
}
