/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"
#include "message_reader_p.h"
#include "prescan.h"
#include "sandbox.h"
#include "spool_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY ((pid_t)0)

/* After so many mails a child is replaced: whatever its libraries lose ends with it. */
#define MAILS_A_CHILD 1000

#define END_MS 500 /* how long a child that was let go may take to end */

struct message_reader {
    int data, tmp; /* folders */
    struct reader_limits limits;
    child_fn *child;
    pid_t pid; /* of the child, or NOBODY */
    int socket;
    unsigned served;         /* mails of this child */
    int64_t deadline_ms;     /* of the mail at hand */
    unsigned long next_file; /* the number in the next spool file's name */
};

/* Time, of which only differences count */

static int64_t now_ms(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int left_ms(void *self)
{
    const struct message_reader *r = self;
    int64_t left = r->deadline_ms - now_ms();

    return left > 0 ? (int)left : 0;
}

static bool is_late(struct message_reader *r)
{
    return left_ms(r) == 0;
}

static struct channel channel_of(struct message_reader *r)
{
    return (struct channel){r->socket, left_ms, r};
}

static void start_clock(struct message_reader *r)
{
    r->deadline_ms = now_ms() + r->limits.seconds * 1000;
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
static int end_child(struct message_reader *r)
{
    int status = 0;
    bool by_itself;

    if (r->pid == NOBODY)
        return 0;
    close(r->socket);
    by_itself = !is_late(r) && ends_within(r->pid, END_MS);
    if (!by_itself)
        kill(r->pid, SIGKILL);
    while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
        ;
    r->pid = NOBODY;
    r->socket = -1;
    return by_itself && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* In the child, forever. */
static void be_child(const struct message_reader *r, int socket)
{
    struct err err = ERR_INIT;

    if (sandbox_descriptors(socket, &err) == RC_OK)
        r->child(SANDBOX_SOCKET, &r->limits);
    _exit(1);
}

static enum rc start_child(struct message_reader *r, struct err *err)
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
static enum rc reported(const struct frame *f, struct err *err)
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

enum rc message_reader_warm(struct message_reader *r, struct err *err)
{
    CLEANUP(frame_clear) struct frame answer = FRAME_INIT;

    if (r->pid != NOBODY)
        return RC_OK;
    start_clock(r);
    TRY(start_child(r, err));

    struct channel c = channel_of(r);
    enum rc rc = frame_receive(&c, ERR_TEXT_SIZE, &answer, err);

    if (rc == RC_OK && answer.kind == FRAME_READY)
        return RC_OK;
    end_child(r);
    if (rc == RC_OK && answer.kind == FRAME_FAILURE && reported(&answer, err) == RC_BROKEN)
        return RC_BROKEN;
    return FAIL(err, RC_BROKEN, "reader: its process does not start");
}

/* One mail */

struct exchange {
    struct message_reader *reader;
    struct spool_files files;
    int original;
    int64_t size;
    bool died; /* the child did not answer as it should */
};

static enum rc hand_file(struct exchange *x, const struct channel *c, struct err *err)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    int file;

    if (x->files.count >= (size_t)x->reader->limits.leaves)
        return FAIL(err, RC_REFUSED, "reader: it wants too many files");
    TRY(spool_files_make(&x->files, &file, &name, err));

    enum rc rc = frame_send(c, FRAME_FILE, str_slice(&name), file, err);

    close(file);
    x->died |= rc != RC_OK;
    return rc;
}

/* Answers the child until it has one for us. */
static enum rc converse(struct exchange *x, struct frame *answer, struct err *err)
{
    CLEANUP(str_clear) struct str size = STR_INIT;
    struct channel c = channel_of(x->reader);

    enum rc rc;

    frame_put_number(x->size, &size);
    rc = frame_send(&c, FRAME_READ, str_slice(&size), x->original, err);
    do {
        if (rc == RC_OK)
            rc = frame_receive(&c, ANSWER_MAX, answer, err);
        x->died = rc != RC_OK;
        if (rc == RC_OK && answer->kind == FRAME_FILE)
            rc = hand_file(x, &c, err);
    } while (rc == RC_OK && answer->kind == FRAME_FILE);
    return rc;
}

/* What the child's end means for the mail. */
static enum rc explain_death(struct message_reader *r, struct err *err)
{
    bool late = is_late(r);
    int by = end_child(r);

    if (late)
        return limit_refuse(LIMIT_seconds, &r->limits, err);
    if (by == SIGXCPU)
        return limit_refuse(LIMIT_cpu_seconds, &r->limits, err);
    if (by == SIGSYS)
        return FAIL(err, RC_REFUSED, "reader: it tried what it may not, and was ended");
    return FAIL(err, RC_REFUSED, "reader: it died of this mail (signal %d)", by);
}

static enum rc
take_answer(struct exchange *x, const struct frame *answer, struct message *out, struct err *err)
{
    if (answer->kind == FRAME_FAILURE)
        return reported(answer, err);
    if (answer->kind != FRAME_MESSAGE)
        return FAIL(err, RC_REFUSED, "reader: its answer is nonsense");
    TRY(message_read(str_slice(&answer->text), out, err));
    return spool_files_check(&x->files, out, err);
}

/* A child that failed us in any way but a refusal in good order is not used again. */
static enum rc ask(struct exchange *x, struct message *out, struct err *err)
{
    CLEANUP(frame_clear) struct frame answer = FRAME_INIT;
    struct message_reader *r = x->reader;

    TRY(message_reader_warm(r, err));
    start_clock(r);
    r->served++;

    enum rc rc = converse(x, &answer, err);

    if (x->died)
        return explain_death(r, err);
    if (rc == RC_OK)
        rc = take_answer(x, &answer, out, err);
    if ((rc != RC_OK && answer.kind != FRAME_FAILURE) || r->served >= MAILS_A_CHILD)
        end_child(r);
    return rc;
}

/* A child that served other mails before may have died of what they left behind: the mail gets one
 * of its own before it is blamed. */
static enum rc ask_twice(struct exchange *x, struct message *out, struct err *err)
{
    bool fresh = x->reader->pid == NOBODY || x->reader->served == 0;
    enum rc rc = ask(x, out, err);

    if (!x->died || fresh || is_late(x->reader))
        return rc;
    spool_files_remove(&x->files);
    return ask(x, out, err);
}

static bool is_ours(const char *path)
{
    struct slice rest = slice_z(path);
    struct slice name;

    if (rest.len == 0 || rest.at[0] == '/')
        return false;
    while (slice_next(&rest, '/', &name))
        if (name.len == 0 || slice_eqz(name, ".") || slice_eqz(name, ".."))
            return false;
    return true;
}

static enum rc open_original(struct exchange *x, const char *path, struct err *err)
{
    struct stat facts;

    if (!is_ours(path))
        return FAIL(err, RC_USAGE, "reader: the path is none of ours");
    x->original = openat(x->reader->data, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (x->original < 0)
        return FAIL(err, errno == ENOENT ? RC_NOT_FOUND : RC_BROKEN,
                    "reader: the original cannot be opened: error %d", errno);
    if (fstat(x->original, &facts) != 0 || !S_ISREG(facts.st_mode))
        return FAIL(err, RC_BROKEN, "reader: the original is no file");
    x->size = facts.st_size;
    return RC_OK;
}

static enum rc reader_read(void *self, const char *path, struct message *out, struct err *err)
{
    struct message_reader *r = self;
    struct exchange x = {
        .reader = r,
        .files = {.tmp = r->tmp, .next = &r->next_file},
        .original = -1,
    };
    enum rc rc = open_original(&x, path, err);

    if (rc == RC_OK)
        rc = ask_twice(&x, out, err);
    if (rc != RC_OK) {
        spool_files_remove(&x.files);
        message_clear(out);
    }
    if (x.original >= 0)
        close(x.original);
    spool_files_clear(&x.files);
    return rc;
}

/* The reader */

static enum rc open_folders(struct message_reader *r, const char *data_dir, struct err *err)
{
    r->data = open(data_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->data < 0)
        return FAIL(err, RC_BROKEN, "reader: data_dir cannot be opened: error %d", errno);
    if (mkdirat(r->data, "tmp", 0700) != 0 && errno != EEXIST)
        return FAIL(err, RC_BROKEN, "reader: tmp/ cannot be made: error %d", errno);
    r->tmp = openat(r->data, "tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (r->tmp < 0)
        return FAIL(err, RC_BROKEN, "reader: tmp/ cannot be opened: error %d", errno);
    return RC_OK;
}

enum rc message_reader_new_with(const char *data_dir,
                                const struct reader_limits *limits,
                                child_fn *child,
                                struct message_reader **out,
                                struct err *err)
{
    CLEANUP(message_reader_free) struct message_reader *r = mem_new(1, sizeof *r);

    r->data = r->tmp = r->socket = -1;
    r->limits = *limits;
    r->child = child;
    TRY(open_folders(r, data_dir, err));
    *out = STEAL(r);
    return RC_OK;
}

enum rc message_reader_new(const char *data_dir,
                           const struct reader_limits *limits,
                           struct message_reader **out,
                           struct err *err)
{
    return message_reader_new_with(data_dir, limits, child_main, out, err);
}

struct reader message_reader_port(struct message_reader *reader)
{
    return (struct reader){reader, reader_read};
}

void message_reader_free(struct message_reader **reader)
{
    struct message_reader *r = *reader;

    if (r == NULL)
        return;
    end_child(r);
    if (r->tmp >= 0)
        close(r->tmp);
    if (r->data >= 0)
        close(r->data);
    free(r);
    *reader = NULL;
}
