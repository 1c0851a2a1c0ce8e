/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"
#include "oracle.h"
#include "ports.h"
#include "reached.h"
#include "world.h"

#include <onecase/source.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum rc connected(struct run *run, struct err *err)
{
    bool lost = run->session_lost;

    run->session_missed |= lost;
    if (run->world->imap.down)
        return FAIL(err, RC_DEFERRED, "sim: the IMAP server is down");
    return lost ? FAIL(err, RC_DEFERRED, "sim: the connection is gone") : RC_OK;
}

static enum rc reach(struct run *run, const char *name, struct folder **out, struct err *err)
{
    TRY(connected(run, err));
    *out = imap_folder(&run->world->imap, name);
    if (*out == NULL)
        return FAIL(err, RC_NOT_FOUND, "sim: there is no folder '%s'", name);
    return RC_OK;
}

/* The folder under the UIDVALIDITY that the caller's UIDs were seen with. */
static enum rc reach_seen(
    struct run *run, const char *name, uint32_t uidvalidity, struct folder **out, struct err *err)
{
    TRY(reach(run, name, out, err));
    if ((*out)->uidvalidity != uidvalidity)
        return FAIL(err, RC_CONFLICT, "sim: '%s' has another UIDVALIDITY", name);
    return RC_OK;
}

static enum rc do_open(struct run *run, const char *name, struct folder_state *out, struct err *err)
{
    struct folder *folder;

    TRY(reach(run, name, &folder, err));
    run->listed[0] = '\0';
    *out = (struct folder_state){.uidvalidity = folder->uidvalidity,
                                 .uidnext = folder->uidnext,
                                 .exists = (uint32_t)folder->count};
    return RC_OK;
}

static enum rc mailbox_open(void *self, const char *name, struct folder_state *out, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_MAILBOX_OPEN, err, do_open(run, name, out, err));
}

static struct mail_line *list(const struct folder *folder, uint32_t first_uid, size_t *count)
{
    struct mail_line *line = mem_new(folder->count + 1, sizeof *line);

    *count = 0;
    for (size_t i = 0; i < folder->count; i++) {
        const struct copy *copy = &folder->copy[i];

        if (copy->uid >= first_uid && !copy->deleted)
            line[(*count)++] = (struct mail_line){.uid = copy->uid,
                                                  .internal_ms = copy->internal_ms,
                                                  .size = (int64_t)copy->mail->octets.len};
    }
    return line;
}

static enum rc mailbox_list(void *self,
                            const char *name,
                            uint32_t uidvalidity,
                            uint32_t first_uid,
                            struct mail_line **out,
                            size_t *count,
                            struct err *err)
{
    struct run *run = self;
    struct folder *folder;
    enum answer answer = gate_open(run, CALL_MAILBOX_LIST);

    if (answer != ANSWER_TRUE)
        return answer_fail(CALL_MAILBOX_LIST, answer, err);
    TRY(reach_seen(run, name, uidvalidity, &folder, err));
    CLEANUP(mem_free) struct mail_line *line = list(folder, first_uid, count);

    snprintf(run->listed, sizeof run->listed, "%s", first_uid <= 1 ? name : "");
    run->listed_changes = folder->changes;
    TRY(gate_close(run, CALL_MAILBOX_LIST, RC_OK, err));
    *out = STEAL(line);
    return RC_OK;
}

/* What is said of changes is said in time; where another folder, or another connection, was opened since,
 * nothing is known. */
static enum rc do_unchanged(struct run *run, const char *name, bool *out, struct err *err)
{
    struct folder *folder;
    bool listed = strcmp(run->listed, name) == 0;

    *out = false;
    if (run->session_lost || run->world->imap.down)
        run->listed[0] = '\0';
    TRY(reach(run, name, &folder, err));
    *out = listed && run->listed_changes == folder->changes;
    return RC_OK;
}

static enum rc mailbox_unchanged(void *self, const char *name, bool *out, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_MAILBOX_UNCHANGED, err, do_unchanged(run, name, out, err));
}

/* One message into the sink, in two pieces. `cut`: the connection ends in its middle. */
static enum rc stream(const struct copy *copy,
                      bool header_only,
                      bool cut,
                      const struct fetch_sink *sink,
                      struct err *err)
{
    struct slice octets = str_slice(&copy->mail->octets);
    const struct mail_line line = {
        .uid = copy->uid, .internal_ms = copy->internal_ms, .size = (int64_t)octets.len};
    const char *end = header_only ? strstr(octets.at, "\r\n\r\n") : NULL;

    if (end != NULL)
        octets.len = (size_t)(end - octets.at) + 4;
    TRY(sink->begin(sink->ctx, &line, err));
    TRY(sink->add(sink->ctx, slice_cut(octets, 0, octets.len / 2), err));
    if (cut)
        return FAIL(err, RC_DEFERRED, "sim: the connection ends inside a message");
    TRY(sink->add(sink->ctx, slice_cut(octets, octets.len / 2, octets.len), err));
    return sink->end(sink->ctx, err);
}

/* Which of so many messages the server lists and does not give; SIZE_MAX: none. */
static size_t withheld(struct world *world, size_t count)
{
    unsigned one_in = world->calm ? 0 : world->scenario.withhold_one_in;

    if (one_in == 0 || count == 0 || !rng_one_in(&world->withholding, one_in))
        return SIZE_MAX;
    tell(world, "the server gives nothing of one of %zu messages", count);
    return rng_below(&world->withholding, (uint32_t)count);
}

/* A sink may pass gates of its own, and the folder may change meanwhile: a server streams what it
 * had when it was asked. The sink's own failures come out as they are. */
static enum rc fetch_all(struct world *world,
                         struct folder *folder,
                         const uint32_t *uid,
                         size_t count,
                         bool header_only,
                         bool half,
                         const struct fetch_sink *sink,
                         struct err *err)
{
    struct copy *asked = mem_new(count + 1, sizeof *asked);
    size_t found = 0;
    enum rc rc = RC_OK;

    for (size_t i = 0; i < count; i++) {
        const struct copy *copy = imap_find(folder, uid[i]);

        if (copy != NULL)
            asked[found++] = *copy;
    }
    size_t without = withheld(world, found);

    for (size_t i = 0; i < found && rc == RC_OK; i++)
        if (i != without)
            rc = stream(&asked[i], header_only, half && i == found / 2, sink, err);
    free(asked);
    return rc;
}

static enum rc mailbox_fetch(void *self,
                             const char *name,
                             uint32_t uidvalidity,
                             const uint32_t *uid,
                             size_t count,
                             bool header_only,
                             const struct fetch_sink *sink,
                             struct err *err)
{
    struct run *run = self;
    struct folder *folder;
    enum answer answer = gate_open(run, CALL_MAILBOX_FETCH);

    if (answer != ANSWER_TRUE && answer != ANSWER_HALF)
        return answer_fail(CALL_MAILBOX_FETCH, answer, err);
    TRY(reach_seen(run, name, uidvalidity, &folder, err));
    enum rc rc =
        fetch_all(run->world, folder, uid, count, header_only, answer == ANSWER_HALF, sink, err);

    return gate_close(run, CALL_MAILBOX_FETCH, rc, err);
}

/* How far the message at `at` gets: all that stand before a cut are moved. */
static enum move_reach reach_of(struct run *run, enum answer answer, size_t at, size_t count)
{
    if (answer == ANSWER_TRUE || answer == ANSWER_HAD)
        return MOVE_WHOLE;
    if (answer != ANSWER_HALF || at > count / 2)
        return MOVE_NOTHING;
    if (at < count / 2 || run->world->imap.has_move)
        return MOVE_WHOLE;
    bool marked = rng_one_in(&run->world->rng, 2);

    reached_row(marked ? "C15" : "C14");
    return marked ? MOVE_MARKED : MOVE_COPIED;
}

static void move_one(struct run *run,
                     struct folder *folder,
                     struct move_result *result,
                     const char *to,
                     enum move_reach how_far,
                     bool told)
{
    struct world *world = run->world;
    const struct copy *copy = imap_find(folder, result->uid);
    bool there = copy != NULL && !copy->deleted;

    if (there && how_far != MOVE_NOTHING) {
        tell(world, "run %u's move of m%u (UID %u) to %s %s", run->number, copy->mail->number,
             copy->uid, to, how_far == MOVE_WHOLE ? "takes effect" : "stops half-way");
        oracle_before_move(run, folder, copy);
    }
    uint32_t new_uid = there ? imap_move(world, folder, result->uid, to, how_far, false) : 0;

    result->moved = !told ? MOVED_UNKNOWN : there ? MOVED_YES : MOVED_ABSENT;
    result->new_uid = told ? new_uid : 0;
    result->new_uidvalidity = result->new_uid > 0 ? imap_folder(&world->imap, to)->uidvalidity : 0;
}

static enum rc mailbox_move(void *self,
                            const char *name,
                            uint32_t uidvalidity,
                            struct move_result *set,
                            size_t count,
                            const char *to,
                            struct err *err)
{
    struct run *run = self;
    struct folder *folder;
    enum answer answer = gate_open(run, CALL_MAILBOX_MOVE);

    for (size_t i = 0; i < count; i++)
        set[i].moved = MOVED_NOT;
    if (answer == ANSWER_DEAD || answer == ANSWER_DEFERRED || answer == ANSWER_REFUSED)
        return answer_fail(CALL_MAILBOX_MOVE, answer, err);
    TRY(reach_seen(run, name, uidvalidity, &folder, err));
    for (size_t i = 0; i < count; i++)
        move_one(run, folder, &set[i], to, reach_of(run, answer, i, count), answer == ANSWER_TRUE);
    if (answer == ANSWER_HALF && !run->world->calm && rng_one_in(&run->world->rng, 2))
        run_kill(run, " in the middle of it");
    if (answer != ANSWER_TRUE)
        return FAIL(err, RC_UNKNOWN, "sim: the connection ends during a move");
    enum rc rc = gate_close(run, CALL_MAILBOX_MOVE, RC_OK, err);

    for (size_t i = 0; rc != RC_OK && i < count; i++)
        set[i].moved = MOVED_UNKNOWN;
    return rc;
}

static enum rc do_append(struct run *run, const char *name, struct slice octets, struct err *err)
{
    struct world *world = run->world;

    TRY(connected(run, err));
    imap_put(world, name, mail_of_ours(world, octets), world_wall_ms(world));
    return RC_OK;
}

static enum rc mailbox_append(void *self, const char *name, struct slice octets, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_MAILBOX_APPEND, err, do_append(run, name, octets, err));
}

static enum rc
do_remove(struct run *run, const char *name, uint32_t uidvalidity, uint32_t uid, struct err *err)
{
    struct folder *folder;

    TRY(reach_seen(run, name, uidvalidity, &folder, err));
    const struct copy *copy = imap_find(folder, uid);

    if (copy == NULL)
        return RC_OK;
    /* An equal copy that a person has filed cannot be told from what a broken move left there. */
    bool equal = imap_taken_by_person(run->world, copy->mail) &&
                 imap_count(&run->world->imap, PROCESSED, copy->mail) > 0;

    if (copy->mail->number > 0 && !copy->copied && !equal)
        broke(run->world, "V6", "run %u removes m%u (UID %u), which stands nowhere else",
              run->number, copy->mail->number, uid);
    if (copy->mail->number > 0) {
        tell(run->world, "run %u removes m%u (UID %u): its copy stands in %s", run->number,
             copy->mail->number, uid, PROCESSED);
        oracle_before_move(run, folder, copy);
    }
    imap_remove(run->world, folder, uid);
    return RC_OK;
}

static enum rc
mailbox_remove(void *self, const char *name, uint32_t uidvalidity, uint32_t uid, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_MAILBOX_REMOVE, err, do_remove(run, name, uidvalidity, uid, err));
}

static enum rc do_search(struct run *run,
                         const char *name,
                         const char *header,
                         const char *value,
                         uint32_t *uidvalidity,
                         uint32_t **out,
                         size_t *count,
                         struct err *err)
{
    struct folder *folder;
    struct slice field;

    TRY(reach(run, name, &folder, err));
    uint32_t *uid = mem_new(folder->count + 1, sizeof *uid);

    *count = 0;
    for (size_t i = 0; i < folder->count; i++) {
        const struct copy *copy = &folder->copy[i];

        if (!copy->deleted && header_first(str_slice(&copy->mail->octets), header, &field) &&
            slice_has_nocase(field, slice_z(value)))
            uid[(*count)++] = copy->uid;
    }
    *uidvalidity = folder->uidvalidity;
    *out = uid;
    return RC_OK;
}

static enum rc mailbox_search(void *self,
                              const char *name,
                              const char *header,
                              const char *value,
                              uint32_t *uidvalidity,
                              uint32_t **out,
                              size_t *count,
                              struct err *err)
{
    struct run *run = self;
    enum answer answer = gate_open(run, CALL_MAILBOX_SEARCH);

    if (answer != ANSWER_TRUE)
        return answer_fail(CALL_MAILBOX_SEARCH, answer, err);
    CLEANUP(mem_free) uint32_t *uid = NULL;

    TRY(do_search(run, name, header, value, uidvalidity, &uid, count, err));
    TRY(gate_close(run, CALL_MAILBOX_SEARCH, RC_OK, err));
    *out = STEAL(uid);
    return RC_OK;
}

static enum rc do_wait(struct run *run, int64_t wait_ms)
{
    run_sleep(run, run->world->timeline.now_ms + wait_ms);
    return RC_OK;
}

static enum rc mailbox_wait(void *self, const char *name, int64_t wait_ms, struct err *err)
{
    struct run *run = self;

    (void)name;
    THROUGH_GATE(run, CALL_MAILBOX_WAIT, err, do_wait(run, wait_ms));
}

struct mailbox port_mailbox(struct run *run)
{
    return (struct mailbox){
        .self = run,
        .open = mailbox_open,
        .list = mailbox_list,
        .unchanged = mailbox_unchanged,
        .fetch = mailbox_fetch,
        .move = mailbox_move,
        .append = mailbox_append,
        .remove = mailbox_remove,
        .search = mailbox_search,
        .wait = mailbox_wait,
    };
}
