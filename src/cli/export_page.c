/* SPDX-License-Identifier: Apache-2.0
 *
 * export --format html: what happened to mails, as one new file that a person reads and prints.
 */
#include "export_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As tar_writer has it: it bears its name once it is whole, and nothing is ever overwritten. */
struct unfinished {
    const char *name; /* as it will be called */
    struct str beside;
    FILE *file;
};

static void unfinished_clear(struct unfinished *u)
{
    if (u->file)
        fclose(u->file);
    if (u->beside.len > 0)
        (void)unlink(str_z(&u->beside));
    str_clear(&u->beside);
}

static enum rc cannot(const struct unfinished *u, struct err *err)
{
    return FAIL(err, RC_BROKEN, "'%s' cannot be written: %s", u->name, strerror(errno));
}

static enum rc begin(struct unfinished *u, struct err *err)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    if (access(u->name, F_OK) == 0)
        return FAIL(err, RC_USAGE, "'%s' is there already; name another file with --to", u->name);
    str_addf(&name, "%s.XXXXXX", u->name);
    int fd = mkstemp(name.at); /* mode 0600 */
    if (fd < 0)
        return cannot(u, err);
    str_add(&u->beside, str_slice(&name));
    u->file = fdopen(fd, "w+");
    if (!u->file)
        abort();
    return RC_OK;
}

static enum rc measure(const struct unfinished *u, struct page_made *out, struct err *err)
{
    static char room[65536];
    CLEANUP(sha256_drop) struct sha256 *h = sha256_new();
    size_t n;
    rewind(u->file);
    for (; (n = fread(room, 1, sizeof room, u->file)) > 0; out->size += (int64_t)n)
        sha256_add(h, (struct slice){room, n});
    out->digest = sha256_done(&h);
    return ferror(u->file) ? cannot(u, err) : RC_OK;
}

static enum rc end(struct unfinished *u, struct page_made *out, struct err *err)
{
    if (fflush(u->file) != 0 || ferror(u->file) || fsync(fileno(u->file)) != 0)
        return cannot(u, err);
    TRY(measure(u, out, err));
    if (rename(str_z(&u->beside), u->name) != 0)
        return cannot(u, err);
    str_clear(&u->beside);
    return RC_OK;
}

/* ---- what it holds ----------------------------------------------------------------------------------------- */

static int by_arrival(const void *a, const void *b)
{
    const struct view_item *x = a, *y = b;
    if (x->first_seen_ms != y->first_seen_ms)
        return x->first_seen_ms < y->first_seen_ms ? -1 : 1;
    return strcmp(x->key, y->key);
}

static enum rc
put_mails(const struct call *call, const struct view *mails, FILE *out, struct err *err)
{
    CLEANUP(view_clear) struct view runs = {0};
    const struct views *v = call->ops->views;
    const struct view_item *i = mails->row;
    TRY(v->runs(v->self, NULL, 0, &runs, err));
    for (size_t n = 0; n < mails->count; n++) {
        CLEANUP(view_clear) struct view whole = {0};
        TRY(v->item(v->self, i[n].key, &whole, err));
        story_page_mail(whole.row, &runs, call->now_ms, out);
    }
    return RC_OK;
}

enum rc export_page(const struct call *call,
                    const struct story_span *span,
                    struct view *mails,
                    const char *name,
                    struct page_made *out,
                    struct err *err)
{
    CLEANUP(unfinished_clear) struct unfinished u = {.name = name, .beside = STR_INIT};
    const struct report_facts facts = report_made(call);
    *out = (struct page_made){.size = 0};
    if (mails->count > 0)
        qsort(mails->row, mails->count, sizeof(struct view_item), by_arrival);
    TRY(begin(&u, err));
    story_page_begin(span, &facts, u.file);
    TRY(put_mails(call, mails, u.file, err));
    story_page_end(u.file);
    return end(&u, out, err);
}
