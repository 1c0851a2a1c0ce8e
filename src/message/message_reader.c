/* SPDX-License-Identifier: Apache-2.0 */
#include "message_reader_p.h"
#include "prescan.h"
#include "reader_child.h"
#include "reader_program.h"
#include "spool_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* After so many mails a child is replaced: whatever its libraries lose ends with it. */
#define MAILS_A_CHILD 1000

struct message_reader {
    int data, tmp; /* folders */
    struct reader_limits limits;
    struct reader_child child;
    unsigned long next_file; /* the number in the next spool file's name */
};

/* One mail */

struct exchange {
    struct message_reader *reader;
    struct reader_child *child;
    struct spool_files files;
    bool looks; /* no files are wanted */
    int original;
    int64_t size;
    bool died; /* the child did not answer as it should */
};

static enum rc hand_file(struct exchange *x, const struct channel *c, struct err *err)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    int file;

    if (x->looks || x->files.count >= (size_t)x->child->limits->leaves)
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
    struct channel c = reader_child_channel(x->child);

    enum rc rc;

    frame_put_number(x->size, &size);
    rc = frame_send(&c, x->looks ? FRAME_LOOK : FRAME_READ, str_slice(&size), x->original, err);
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
static enum rc explain_death(struct reader_child *child, struct err *err)
{
    bool late = reader_child_is_late(child);
    int by = reader_child_end(child);

    if (late)
        return limit_refuse(LIMIT_seconds, child->limits, err);
    if (by == SIGXCPU)
        return limit_refuse(LIMIT_cpu_seconds, child->limits, err);
    if (by == SIGSYS)
        return FAIL(err, RC_REFUSED, "reader: it tried what it may not, and was ended");
    return FAIL(err, RC_REFUSED, "reader: it died of this mail (signal %d)", by);
}

/* What names no file can have none removed. */
static enum rc check_no_files(const struct exchange *x, const struct message *m, struct err *err)
{
    bool right = m->part_count <= (size_t)x->child->limits->leaves;

    for (size_t i = 0; right && i < m->part_count; i++)
        right = m->parts[i].file.len == 0;
    if (!right)
        return FAIL(err, RC_REFUSED, "reader: its answer has files, and none were wanted");
    return RC_OK;
}

static enum rc
take_answer(struct exchange *x, const struct frame *answer, struct message *out, struct err *err)
{
    if (answer->kind == FRAME_FAILURE)
        return reader_child_failure(answer, err);
    if (answer->kind != FRAME_MESSAGE)
        return FAIL(err, RC_REFUSED, "reader: its answer is nonsense");
    TRY(message_read(str_slice(&answer->text), out, err));
    return x->looks ? check_no_files(x, out, err) : spool_files_check(&x->files, out, err);
}

/* A child that failed us in any way but a refusal in good order is not used again. */
static enum rc ask(struct exchange *x, struct message *out, struct err *err)
{
    CLEANUP(frame_clear) struct frame answer = FRAME_INIT;
    struct reader_child *child = x->child;

    TRY(reader_child_start(child, err));
    reader_child_start_clock(child);
    child->served++;

    enum rc rc = converse(x, &answer, err);

    if (x->died)
        return explain_death(child, err);
    if (rc == RC_OK)
        rc = take_answer(x, &answer, out, err);
    if ((rc != RC_OK && answer.kind != FRAME_FAILURE) || child->served >= MAILS_A_CHILD)
        reader_child_end(child);
    return rc;
}

/* A child that served other mails before may have died of what they left behind: the mail gets one
 * of its own before it is blamed. */
static enum rc ask_twice(struct exchange *x, struct message *out, struct err *err)
{
    bool fresh = x->child->pid == NOBODY || x->child->served == 0;
    enum rc rc = ask(x, out, err);

    if (!x->died || fresh || reader_child_is_late(x->child))
        return rc;
    spool_files_remove(&x->files);
    return ask(x, out, err);
}

/* What somebody let in although it is larger than usual. */
static enum rc ask_for_large(struct exchange *x, struct message *out, struct err *err)
{
    struct reader_limits limits = x->reader->limits;
    struct reader_child child = {x->reader->child.run, &limits, .socket = -1};

    limits.message_octets = x->size;
    if (limits.decoded_octets < x->size)
        limits.decoded_octets = x->size;
    x->child = &child;

    enum rc rc = ask(x, out, err);

    reader_child_end(&child);
    x->child = &x->reader->child;
    return rc;
}

static bool is_let_in(const char *path)
{
    return slice_starts_nocase(slice_z(path), SLICE("items/")) ||
           slice_starts_nocase(slice_z(path), SLICE(READER_LET_IN_COPY));
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

static enum rc exchange(
    struct message_reader *r, const char *path, bool looks, struct message *out, struct err *err)
{
    struct exchange x = {
        .reader = r,
        .child = &r->child,
        .looks = looks,
        .files = {.tmp = r->tmp, .next = &r->next_file},
        .original = -1,
    };
    enum rc rc = open_original(&x, path, err);

    if (rc == RC_OK && x.size > r->limits.message_octets && is_let_in(path))
        rc = ask_for_large(&x, out, err);
    else if (rc == RC_OK)
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

static enum rc reader_read(void *self, const char *path, struct message *out, struct err *err)
{
    return exchange(self, path, false, out, err);
}

static enum rc reader_look(void *self, const char *path, struct message *out, struct err *err)
{
    return exchange(self, path, true, out, err);
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

    r->data = r->tmp = -1;
    r->limits = *limits;
    r->child = (struct reader_child){.run = child, .limits = &r->limits, .socket = -1};
    TRY(open_folders(r, data_dir, err));
    *out = STEAL(r);
    return RC_OK;
}

enum rc message_reader_new(const char *data_dir,
                           const struct reader_limits *limits,
                           struct message_reader **out,
                           struct err *err)
{
    return message_reader_new_with(data_dir, limits,
                                   reader_program_is_possible() ? NULL : child_main, out, err);
}

enum rc message_reader_warm(struct message_reader *reader, struct err *err)
{
    return reader_child_start(&reader->child, err);
}

struct reader message_reader_port(struct message_reader *reader)
{
    return (struct reader){reader, reader_read, reader_look};
}

void message_reader_free(struct message_reader **reader)
{
    struct message_reader *r = *reader;

    if (r == NULL)
        return;
    reader_child_end(&r->child);
    if (r->tmp >= 0)
        close(r->tmp);
    if (r->data >= 0)
        close(r->data);
    free(r);
    *reader = NULL;
}
