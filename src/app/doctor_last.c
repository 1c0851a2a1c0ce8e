/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor_p.h"

#include <onecase/clock.h>
#include <onecase/posix_files.h>
#include <onecase/system.h>
#include <onecase/when.h>
#include <string.h>

#define REMEMBERED_MOST ((size_t)256 * 1024)
#define TOLD_MOST       40 /* more is another server */

/* One file a mailbox: the instant on its first line, then the facts. */
static void path_of(const char *mailbox, struct str *out)
{
    str_addf(out, "doctor/%s", mailbox);
}

static enum rc recall(const struct files *f, const char *path, struct str *out, struct err *err)
{
    char piece[4096];
    size_t got = 1;
    while (got > 0 && out->len < REMEMBERED_MOST) {
        TRY(f->read(f->self, path, (int64_t)out->len, piece, sizeof piece, &got, err));
        str_add(out, (struct slice){piece, got});
    }
    return RC_OK;
}

static enum rc
remember(const struct files *f, const char *path, const struct str *facts, struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct clock clock = system_clock();
    char now[WHEN_TEXT_SIZE];
    when_text(clock_now(&clock).wall_ms / 1000 * 1000, now);
    str_addf(&text, "%s\n", now);
    str_add(&text, str_slice(facts));
    TRY(f->make_folder(f->self, "doctor", err));
    TRY(f->remove(f->self, path, err));
    TRY(f->create(f->self, path, str_slice(&text), err));
    TRY(sync_file_of(f, path, err));
    return sync_folder_of(f, "doctor", err);
}

static bool stands_in(struct slice fact, struct slice facts)
{
    struct slice line;
    while (slice_next(&facts, '\n', &line))
        if (slice_eq(line, fact))
            return true;
    return false;
}

/* Tells the lines of `lines` that `others` has not; returns how many. */
static size_t tell_changes(struct examining *x,
                           const char *id,
                           struct slice lines,
                           struct slice others,
                           const char *change)
{
    struct slice line;
    size_t count = 0;
    while (slice_next(&lines, '\n', &line)) {
        CLEANUP(str_clear) struct str what = STR_INIT;
        if (line.len == 0 || stands_in(line, others) || ++count > TOLD_MOST)
            continue;
        str_addf(&what, "%s: %.*s", change, (int)line.len, line.at);
        doctor_found(x, FINDING_WARNING, "", str_z(&what), id);
    }
    return count;
}

static void compare(struct examining *x, const char *id, struct slice before, struct slice facts)
{
    CLEANUP(str_clear) struct str what = STR_INIT;
    struct slice since;
    if (!slice_next(&before, '\n', &since)) {
        doctor_found(x, FINDING_GOOD, "", "there is no earlier look to compare with", id);
        return;
    }
    size_t changes = tell_changes(x, id, before, facts, "gone since the last look");
    changes += tell_changes(x, id, facts, before, "new since the last look");
    str_addf(&what, "rights and capabilities were compared with those of %.*s: %zu change%s",
             (int)since.len, since.at, changes, changes == 1 ? "" : "s");
    doctor_found(x, FINDING_GOOD, "", str_z(&what), id);
}

void doctor_since_last(struct examining *x, const char *mailbox, const struct str *facts)
{
    CLEANUP(posix_files_close) struct posix_files *posix = NULL;
    CLEANUP(str_clear) struct str path = STR_INIT;
    CLEANUP(str_clear) struct str before = STR_INIT;
    struct err err = ERR_INIT;
    if (posix_files_open(x->config->data_dir, &posix, &err) != RC_OK)
        return; /* said where the data folder was looked at */
    struct files files = posix_files_port(posix);
    path_of(mailbox, &path);
    if (recall(&files, str_z(&path), &before, &err) != RC_OK)
        str_empty(&before);
    if (x->since_last)
        compare(x, mailbox, str_slice(&before), str_slice(facts));
    enum rc rc = remember(&files, str_z(&path), facts, &err);
    if (rc != RC_OK)
        doctor_judge(x, rc, &err, "what was seen is remembered in data_dir/doctor", mailbox);
}
