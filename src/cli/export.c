/* SPDX-License-Identifier: Apache-2.0
 *
 * export - what the ledger and the disk hold of one mail, or of all of a period, as one tar file that
 * can be handed on and checked without this program; or as one page that is read and printed.
 */
#include "bundle.h"
#include "export_page.h"

#include <onecase/when.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char read_me[] =
    "An evidence bundle of onecase.\n"
    "\n"
    "SHA256SUMS              checksums of all other files; `sha256sum -c SHA256SUMS` checks them\n"
    "items/KEY/item.json     the record of one mail: arrivals, steps, tries, findings, decisions\n"
    "                        (as `onecase item KEY --json` prints it)\n"
    "items/KEY/case.json     its case, with the messages of that case (as `onecase case` does)\n"
    "items/KEY/events.json   its lines of the event chain. `hash` is SHA-256 over number, time in\n"
    "                        milliseconds, run, mailbox, key, subject, what, from, to, actor and\n"
    "                        previous, each written as its length in decimal, a colon, its octets\n"
    "                        and a line feed; `previous` is the hash of the line before in the "
    "ledger\n"
    "items/KEY/original.eml  the mail as it was fetched\n"
    "items/KEY/attachments/  its attachments as they were stored\n"
    "duplicates.json         of a period: its report of what came again\n"
    "\n"
    "KEY is the SHA-256 of the mailbox's id, a colon and the mail's identifier. A file that is "
    "not\n"
    "here was not kept, or was gone when the bundle was made: then `missing.txt` names it. Files\n"
    "bear the time at which their mail was first seen; the same records give the same octets.\n";

/* What is asked for: one mail, or all that were first seen in [since, until). */
struct wanted {
    struct view items; /* by key */
    struct view files; /* that should be there, by path: those of one mail together */
    int64_t since, until, newest;
    bool period;
    bool page;                   /* no tar file: --format html */
    struct str top, file;        /* the folder inside, and the name of the file */
    const struct recipients *to; /* borrowed; NULL: it is not sealed */
};

struct exporting {
    const struct call *call;
    struct bundle bundle;
    const struct wanted *wanted;
    size_t next_file;
    struct str missing; /* one a line */
    struct digest digest;
    int64_t size;
};

static void wanted_clear(struct wanted *w)
{
    view_clear(&w->items);
    view_clear(&w->files);
    str_clear(&w->top);
    str_clear(&w->file);
}

static void exporting_clear(struct exporting *x)
{
    bundle_clear(&x->bundle);
    str_clear(&x->missing);
}

/* ---- one mail ------------------------------------------------------------------------------------------- */

static enum rc put_of(struct exporting *x,
                      const struct view_item *i,
                      const char *name,
                      const struct str *text,
                      struct err *err)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    str_addf(&path, "items/%s/%s", i->key, name);
    return bundle_put(&x->bundle, str_z(&path), str_slice(text), i->first_seen_ms, err);
}

static enum rc put_record(struct exporting *x, const struct view_item *i, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str text = STR_INIT;
    const struct views *v = x->call->ops->views;
    TRY(v->item(v->self, i->key, &view, err));
    json_items(&view, true, &text);
    return put_of(x, i, "item.json", &text, err);
}

static enum rc put_case(struct exporting *x, const struct view_item *i, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str text = STR_INIT;
    const struct views *v = x->call->ops->views;
    if (!i->reference[0])
        return RC_OK;
    TRY(v->one_case(v->self, i->reference, &view, err));
    json_cases(&view, true, &text);
    return put_of(x, i, "case.json", &text, err);
}

/* clang-format off */
static const struct sheet_column event_columns[] = {
    { "number",   "", NULL, SHEET_NUMBER }, { "at_ms",   "", NULL, SHEET_NUMBER },
    { "at",       "", NULL, SHEET_WHEN   }, { "run",     "", NULL, SHEET_TEXT   },
    { "mailbox",  "", NULL, SHEET_TEXT   }, { "key",     "", NULL, SHEET_TEXT   },
    { "subject",  "", NULL, SHEET_TEXT   }, { "what",    "", NULL, SHEET_TEXT   },
    { "from",     "", NULL, SHEET_TEXT   }, { "to",      "", NULL, SHEET_TEXT   },
    { "actor",    "", NULL, SHEET_TEXT   }, { "previous","", NULL, SHEET_TEXT   },
    { "hash",     "", NULL, SHEET_TEXT   },
};
/* clang-format on */

static void event_row(struct sheet *sheet, const struct view_event *e)
{
    char number[24], at_ms[24], at[WHEN_TEXT_SIZE];
    snprintf(number, sizeof number, "%" PRId64, e->number);
    snprintf(at_ms, sizeof at_ms, "%" PRId64, e->at_ms);
    when_text(e->at_ms, at);
    const char *cell[] = {number,  at_ms,   at,    e->run,   e->mailbox,  e->key, e->subject,
                          e->what, e->from, e->to, e->actor, e->previous, e->hash};
    sheet_row(sheet, cell);
}

static enum rc put_events(struct exporting *x, const struct view_item *i, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(sheet_free)
    struct sheet *sheet = sheet_new("Events", event_columns, LENGTH(event_columns));
    const struct views *v = x->call->ops->views;
    char *printed = NULL;
    size_t len = 0;
    TRY(v->events(v->self, i->key, &view, err));
    const struct view_event *e = view.row;
    for (size_t n = 0; n < view.count; n++)
        event_row(sheet, &e[n]);
    FILE *memory = open_memstream(&printed, &len);
    if (!memory)
        abort();
    sheet_print(sheet, SHEET_JSON, 0, 0, memory);
    fclose(memory);
    str_add(&text, (struct slice){printed, len});
    free(printed);
    return put_of(x, i, "events.json", &text, err);
}

static void close_fd(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

/* "items/ab/abcd…/attachments/01-x" stands in the bundle without the folder of two digits. */
static enum rc
put_file(struct exporting *x, const struct view_item *i, const struct view_file *f, struct err *err)
{
    const struct operations *ops = x->call->ops;
    CLEANUP(close_fd) int fd = -1;
    CLEANUP(str_clear) struct str path = STR_INIT;
    struct digest digest;
    char hex[DIGEST_HEX_SIZE];
    struct err why = ERR_INIT;
    const char *inside = strstr(f->path, f->key);
    str_addf(&path, "items/%s", inside ? inside : f->path);
    enum rc rc = ops->open_stored(ops->self, f->path, &fd, &why);
    if (rc == RC_OK)
        rc = bundle_copy(&x->bundle, str_z(&path), fd, i->first_seen_ms, &digest, &why);
    if (rc == RC_NOT_FOUND) {
        str_addf(&x->missing, "%s is not there\n", f->path);
        return RC_OK;
    }
    if (rc != RC_OK)
        return FAIL(err, rc, "%s", why.text);
    digest_hex(&digest, hex);
    if (strcmp(hex, f->sha256) != 0)
        str_addf(&x->missing, "%s is not what was stored (%s)\n", f->path, f->sha256);
    return RC_OK;
}

/* The next file of this mail, or NULL. */
static const struct view_file *
file_of(const struct wanted *w, const struct view_item *i, size_t *next)
{
    const struct view_file *f = w->files.row;
    while (*next < w->files.count && strcmp(f[*next].key, i->key) < 0)
        (*next)++;
    if (*next < w->files.count && strcmp(f[*next].key, i->key) == 0)
        return &f[(*next)++];
    return NULL;
}

static enum rc put_item(struct exporting *x, const struct view_item *i, struct err *err)
{
    TRY(put_record(x, i, err));
    TRY(put_case(x, i, err));
    TRY(put_events(x, i, err));
    for (const struct view_file *f; (f = file_of(x->wanted, i, &x->next_file)) != NULL;)
        TRY(put_file(x, i, f, err));
    return RC_OK;
}

static enum rc put_report(struct exporting *x, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str text = STR_INIT;
    const struct views *v = x->call->ops->views;
    const struct wanted *w = x->wanted;
    TRY(v->duplicates(v->self, w->since, w->until, &view, err));
    json_duplicates(&view, &text);
    return bundle_put(&x->bundle, "duplicates.json", str_slice(&text), w->newest, err);
}

static enum rc put_items(struct exporting *x, struct err *err)
{
    const struct view_item *i = x->wanted->items.row;
    for (size_t n = 0; n < x->wanted->items.count; n++)
        TRY(put_item(x, &i[n], err));
    return RC_OK;
}

static enum rc put_missing(struct exporting *x, struct err *err)
{
    if (x->missing.len == 0)
        return RC_OK;
    return bundle_put(&x->bundle, "missing.txt", str_slice(&x->missing), x->wanted->newest, err);
}

static enum rc make(struct exporting *x, struct err *err)
{
    const struct wanted *w = x->wanted;
    const struct bundle_place place = {str_z(&w->file), str_z(&w->top), w->to};
    TRY(bundle_begin(&x->bundle, &place, err));
    TRY(bundle_put(&x->bundle, "README.txt", slice_z(read_me), w->newest, err));
    if (w->period)
        TRY(put_report(x, err));
    TRY(put_items(x, err));
    TRY(put_missing(x, err));
    return bundle_end(&x->bundle, w->newest, &x->digest, &x->size, err);
}

/* ---- which ---------------------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct view_item *)a)->key, ((const struct view_item *)b)->key);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct view_file *)a)->path, ((const struct view_file *)b)->path);
}

/* Keeps those of the period. */
static void cut(struct wanted *w)
{
    struct view_item *i = w->items.row;
    size_t kept = 0;
    for (size_t n = 0; n < w->items.count; n++)
        if (!w->period || (i[n].first_seen_ms >= w->since && i[n].first_seen_ms < w->until))
            i[kept++] = i[n];
    w->items.count = kept;
    for (size_t n = 0; n < kept; n++)
        if (i[n].first_seen_ms > w->newest)
            w->newest = i[n].first_seen_ms;
    if (kept > 0)
        qsort(i, kept, sizeof *i, by_key);
    if (w->files.count > 0)
        qsort(w->files.row, w->files.count, sizeof(struct view_file), by_path);
}

static void name_period(struct wanted *w)
{
    char since[WHEN_TEXT_SIZE], until[WHEN_TEXT_SIZE];
    when_text(w->since, since);
    when_text(w->until, until);
    str_addf(&w->top, "onecase-export-%.10s-to-%.10s", since, until);
}

static void name_mail(struct wanted *w)
{
    const struct view_item *i = w->items.row;
    str_addf(&w->top, "onecase-export-%.16s", i->key);
}

static void name(struct wanted *w, const char *to)
{
    w->period ? name_period(w) : name_mail(w);
    if (to)
        str_addz(&w->file, to);
    else
        str_addf(&w->file, "%s%s", str_z(&w->top), w->page ? ".html" : ".tar");
}

/* What the keys of its mails begin with. */
static const char *keys_of(const struct wanted *w)
{
    const struct view_item *one = w->items.row;
    return w->period ? "" : one->key;
}

static enum rc format_of(const struct call *call, bool *page, struct err *err)
{
    const char *text = args_get(&call->args, "--format");
    *page = text && strcmp(text, "html") == 0;
    if (text && !*page && strcmp(text, "tar") != 0)
        return FAIL(err, RC_USAGE, "--format takes tar or html");
    return RC_OK;
}

static enum rc want(const struct call *call, struct wanted *w, struct err *err)
{
    const struct views *v = call->ops->views;
    const struct view_filter all = {.older_than_ms = NOT_DUE};
    const char *key = args_get(&call->args, "KEY");
    w->period = args_has(&call->args, "--since");
    TRY(format_of(call, &w->page, err));
    if (!key == !w->period || (key && args_has(&call->args, "--until")))
        return FAIL(err, RC_USAGE, "export takes a KEY, or --since D [--until D]");
    TRY(report_period(call, &w->since, &w->until, err));
    TRY(key ? one_item(call, &w->items, err) : v->items(v->self, &all, &w->items, err));
    TRY(v->files(v->self, keys_of(w), &w->files, err));
    cut(w);
    name(w, args_get(&call->args, "--to"));
    return RC_OK;
}

/* Keeps those of these keys, which are sorted. */
static int key_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void cut_to(struct wanted *w, const char *const *key, size_t count)
{
    struct view_item *i = w->items.row;
    size_t kept = 0;
    for (size_t n = 0; n < w->items.count; n++)
        if (bsearch(&i[n].key, key, count, sizeof *key, key_compare))
            i[kept++] = i[n];
    w->items.count = kept;
    cut(w);
}

enum rc export_mails(const struct call *call,
                     const char **key,
                     size_t count,
                     const struct bundle_place *place,
                     struct err *err)
{
    CLEANUP(wanted_clear) struct wanted w = {.top = STR_INIT, .file = STR_INIT, .to = place->to};
    CLEANUP(exporting_clear)
    struct exporting x = {.call = call, .wanted = &w, .missing = STR_INIT};
    const struct views *v = call->ops->views;
    const struct view_filter all = {.older_than_ms = NOT_DUE};
    str_addz(&w.file, place->file);
    str_addz(&w.top, place->top);
    qsort(key, count, sizeof *key, key_compare);
    TRY(v->items(v->self, &all, &w.items, err));
    TRY(v->files(v->self, "", &w.files, err));
    cut_to(&w, key, count);
    return make(&x, err);
}

/* ---- what it says --------------------------------------------------------------------------------------- */

/* How many files of these mails there are, and of how many octets. */
static void
measure(const struct call *call, const struct wanted *w, int64_t *files, int64_t *octets)
{
    const struct view_item *i = w->items.row;
    const struct view_file *f;
    size_t next = 0;
    for (size_t n = 0; n < w->items.count; n++)
        while ((f = file_of(w, &i[n], &next)) != NULL) {
            int64_t size;
            if (call->ops->stored_size(call->ops->self, f->path, &size, NULL) == RC_OK) {
                (*files)++;
                *octets += size;
            }
        }
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static void say_before(const struct call *call, const struct wanted *w)
{
    int64_t files = 0, octets = 0, items = (int64_t)w->items.count;
    CLEANUP(str_clear) struct str name = STR_INIT;
    measure(call, w, &files, &octets);
    plain_text(str_z(&w->file), &name);
    printf("Writes the records and events of %" PRId64 " mail%s, with %" PRId64
           " original%s and attachments of %" PRId64 " octets, into '%s'.\nIt holds mail: keep it "
           "as you keep the mailbox.\n",
           items, plural(items), files, plural(files), octets, str_z(&name));
    fflush(stdout);
}

static void say_after(const struct exporting *x)
{
    char hex[DIGEST_HEX_SIZE];
    CLEANUP(str_clear) struct str name = STR_INIT;
    plain_text(str_z(&x->wanted->file), &name);
    digest_hex(&x->digest, hex);
    printf("%" PRId64 " files, %" PRId64
           " octets, and SHA256SUMS. The checksum of it all is\n%s  %s\n",
           x->bundle.files, x->bundle.octets, hex, str_z(&name));
    printf("To check it: tar -xf '%s' && cd %s && sha256sum -c SHA256SUMS\n", str_z(&name),
           str_z(&x->wanted->top));
}

static void say_json(const struct exporting *x)
{
    const struct exported facts = {
        .file = str_z(&x->wanted->file),
        .folder = str_z(&x->wanted->top),
        .digest = x->digest,
        .items = (int64_t)x->wanted->items.count,
        .files = x->bundle.files,
        .size = x->size,
        .missing = str_z(&x->missing),
    };
    CLEANUP(str_clear) struct str out = STR_INIT;
    json_exported(&facts, &out);
    print(&out);
}

static void say_page(const struct call *call, const struct wanted *w, const struct page_made *made)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    CLEANUP(str_clear) struct str name = STR_INIT;
    const struct exported facts = {.file = str_z(&w->file),
                                   .digest = made->digest,
                                   .items = (int64_t)w->items.count,
                                   .files = 1,
                                   .size = made->size,
                                   .missing = ""};
    char hex[DIGEST_HEX_SIZE];
    if (call->json) {
        json_exported(&facts, &out);
        print(&out);
        return;
    }
    plain_text(str_z(&w->file), &name);
    digest_hex(&made->digest, hex);
    printf("What happened to %" PRId64 " mail%s, on one page of %" PRId64
           " octets. It names senders and subjects: keep\nit as you keep the mailbox. Its checksum "
           "is\n%s  %s\n",
           facts.items, plural(facts.items), facts.size, hex, str_z(&name));
}

static int write_page(const struct call *call, struct wanted *w)
{
    const struct view_item *one = w->items.row;
    struct story_span span = {.since_ms = w->since, .until_ms = w->until, .mails = w->items.count};
    struct page_made made;
    struct err err = ERR_INIT;
    if (!w->period)
        span.name = one->reference[0] ? one->reference : one->key;
    if (export_page(call, &span, &w->items, str_z(&w->file), &made, &err) != RC_OK)
        return failed(&err);
    say_page(call, w, &made);
    return EXIT_DONE;
}

static int write_bundle(const struct call *call, const struct wanted *w)
{
    CLEANUP(exporting_clear)
    struct exporting x = {.call = call, .wanted = w, .missing = STR_INIT};
    struct err err = ERR_INIT;
    if (!call->json)
        say_before(call, w);
    if (make(&x, &err) != RC_OK)
        return failed(&err);
    call->json ? say_json(&x) : say_after(&x);
    if (x.missing.len == 0)
        return EXIT_DONE;
    fprintf(stderr, "onecase: files are missing or changed:\n%s", str_z(&x.missing));
    return EXIT_NO;
}

int cmd_export(struct call *call)
{
    CLEANUP(wanted_clear) struct wanted w = {.top = STR_INIT, .file = STR_INIT};
    struct err err = ERR_INIT;
    if (want(call, &w, &err) != RC_OK)
        return failed(&err);
    return w.page ? write_page(call, &w) : write_bundle(call, &w);
}
