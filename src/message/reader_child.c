/* SPDX-License-Identifier: Apache-2.0 */
#include "reader_child.h"
#include "frame.h"
#include "reader_program.h"
#include "sandbox.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define END_MS 500 /* how long a child that was let go may take to end */

/* Time, of which only differences count */

static int64_t now_ms(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int left_ms(void *self)
{
    const struct reader_child *r = self;
    int64_t left = r->deadline_ms - now_ms();

    return left > 0 ? (int)left : 0;
}

bool reader_child_is_late(struct reader_child *r)
{
    return left_ms(r) == 0;
}

struct channel reader_child_channel(struct reader_child *r)
{
    return (struct channel){r->socket, left_ms, r};
}

void reader_child_start_clock(struct reader_child *r)
{
    r->deadline_ms = now_ms() + r->limits->seconds * 1000;
}

/* The child */

/* Waits for its end: a process closes its socket before it can be waited for. */
static bool ends_within(pid_t pid, int ms)
{
    struct pollfd p = {.fd = pidfd_open(pid, 0), .events = POLLIN};
    bool ended = p.fd >= 0 && poll(&p, 1, ms) > 0;

    if (p.fd >= 0)
        close(p.fd);
    return ended;
}

/* Ends it and says by which signal it had ended before, or 0. */
int reader_child_end(struct reader_child *r)
{
    int status = 0;
    bool by_itself;

    if (r->pid == NOBODY)
        return 0;
    close(r->socket);
    by_itself = !reader_child_is_late(r) && ends_within(r->pid, END_MS);
    if (!by_itself)
        kill(r->pid, SIGKILL);
    while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
        ;
    r->pid = NOBODY;
    r->socket = -1;
    return by_itself && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* In the child, forever. */
static void be_child(const struct reader_child *r, int socket)
{
    struct err err = ERR_INIT;

    if (sandbox_descriptors(socket, &err) == RC_OK) {
        if (r->run != NULL)
            r->run(SANDBOX_SOCKET, r->limits);
        reader_program_start(r->limits);
    }
    _exit(1);
}

static enum rc fork_child(struct reader_child *r, struct err *err)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return FAIL(err, RC_BROKEN, "reader: socketpair: error %d", errno);
    r->pid = fork();
    if (r->pid == 0)
        be_child(r, pair[1]);
    close(pair[1]);
    if (r->pid < 0) {
        close(pair[0]);
        r->pid = NOBODY;
        return FAIL(err, RC_BROKEN, "reader: fork: error %d", errno);
    }
    r->socket = pair[0];
    r->served = 0;
    return RC_OK;
}

/* The rc of a failure that the child reports, and its sentence. It may report only what is of the
 * mail or of the disk: anything else is nonsense. */
enum rc reader_child_failure(const struct frame *f, struct err *err)
{
    enum rc rc = f->text.len > 0 ? (enum rc)(uint8_t)f->text.at[0] : RC_OK;
    struct slice text = slice_cut(str_slice(&f->text), 1, ERR_TEXT_SIZE);
    int len = (int)slice_find(text, '\0', 0);

    for (int i = 0; i < len; i++)
        if (text.at[i] < ' ' || text.at[i] > '~')
            rc = RC_OK;
    if (rc != RC_REFUSED && rc != RC_DEFERRED && rc != RC_BROKEN)
        return FAIL(err, RC_REFUSED, "reader: its answer is nonsense");
    return FAIL(err, rc, "%.*s", len, text.at);
}

enum rc reader_child_start(struct reader_child *r, struct err *err)
{
    CLEANUP(frame_clear) struct frame answer = FRAME_INIT;

    if (r->pid != NOBODY)
        return RC_OK;
    reader_child_start_clock(r);
    TRY(fork_child(r, err));

    struct channel c = reader_child_channel(r);
    enum rc rc = frame_receive(&c, ERR_TEXT_SIZE, &answer, err);

    if (rc == RC_OK && answer.kind == FRAME_READY)
        return RC_OK;
    reader_child_end(r);
    if (rc == RC_OK && answer.kind == FRAME_FAILURE &&
        reader_child_failure(&answer, err) == RC_BROKEN)
        return RC_BROKEN;
    return FAIL(err, RC_BROKEN, "reader: its process does not start");
}
