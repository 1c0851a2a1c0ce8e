/* SPDX-License-Identifier: Apache-2.0
 *
 * export - what the ledger and the disk hold of one mail, or of all since a time, as a folder that can
 * be handed on and checked without this program.
 */
#include "bundle.h"

#include <onecase/when.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char read_me[] =
    "An evidence bundle of onecase.\n"
    "\n"
    "SHA256SUMS              checksums of all other files; `sha256sum -c SHA256SUMS` checks them\n"
    "items/KEY/item.json     the record of one mail: arrivals, steps, tries, findings, decisions\n"
    "                        (as `onecase item KEY --json` prints it)\n"
    "items/KEY/events.json   its lines of the event chain. `hash` is SHA-256 over number, time in\n"
    "                        milliseconds, run, mailbox, key, subject, what, from, to, actor and\n"
    "                        previous, each written as its length in decimal, a colon, its octets\n"
    "                        and a line feed; `previous` is the hash of the line before in the "
    "ledger\n"
    "items/KEY/original.eml  the mail as it was fetched\n"
    "items/KEY/attachments/  its attachments as they were stored\n"
    "\n"
    "KEY is the SHA-256 of the mailbox's id, a colon and the mail's identifier. A file that is "
    "not\n"
    "here was not kept, or was gone when the bundle was made: then `missing.txt` names it.\n";

struct exporting {
    const struct call *call;
    struct bundle bundle;
    struct view files;  /* every file that should be there */
    struct str missing; /* one a line */
    int64_t items;
};

static void exporting_clear(struct exporting *x)
{
    bundle_clear(&x->bundle);
    view_clear(&x->files);
    str_clear(&x->missing);
}

/* ---- one mail ------------------------------------------------------------------------------------------- */

static enum rc put_record(struct exporting *x, const char *key, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str path = STR_INIT;
    const struct views *v = x->call->ops->views;
    TRY(v->item(v->self, key, &view, err));
    json_items(&view, true, &text);
    str_addf(&path, "items/%s/item.json", key);
    return bundle_put(&x->bundle, str_z(&path), str_slice(&text), err);
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

static enum rc put_events(struct exporting *x, const char *key, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str path = STR_INIT;
    CLEANUP(sheet_free)
    struct sheet *sheet = sheet_new("Events", event_columns, LENGTH(event_columns));
    const struct views *v = x->call->ops->views;
    char *text = NULL;
    size_t len = 0;
    TRY(v->events(v->self, key, &view, err));
    const struct view_event *e = view.row;
    for (size_t i = 0; i < view.count; i++)
        event_row(sheet, &e[i]);
    FILE *memory = open_memstream(&text, &len);
    if (!memory)
        abort();
    sheet_print(sheet, SHEET_JSON, 0, 0, memory);
    fclose(memory);
    str_addf(&path, "items/%s/events.json", key);
    enum rc rc = bundle_put(&x->bundle, str_z(&path), (struct slice){text, len}, err);
    free(text);
    return rc;
}

/* "items/ab/abcd…/attachments/01-x" stands in the bundle without the folder of two digits. */
static enum rc put_file(struct exporting *x, const struct view_file *f, struct err *err)
{
    CLEANUP(str_clear) struct str from = STR_INIT;
    CLEANUP(str_clear) struct str path = STR_INIT;
    struct digest digest;
    char hex[DIGEST_HEX_SIZE];
    struct err why = ERR_INIT;
    const char *inside = strstr(f->path, f->key);
    str_addf(&from, "%s/%s", x->call->ops->config->data_dir, f->path);
    str_addf(&path, "items/%s", inside ? inside : f->path);
    enum rc rc = bundle_copy(&x->bundle, str_z(&path), str_z(&from), &digest, &why);
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

static enum rc put_item(struct exporting *x, const char *key, struct err *err)
{
    const struct view_file *f = x->files.row;
    TRY(put_record(x, key, err));
    TRY(put_events(x, key, err));
    for (size_t i = 0; i < x->files.count; i++)
        if (strcmp(f[i].key, key) == 0)
            TRY(put_file(x, &f[i], err));
    x->items++;
    return RC_OK;
}

/* ---- which ---------------------------------------------------------------------------------------------- */

static enum rc put_one(struct exporting *x, const char *name, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *v = x->call->ops->views;
    TRY(v->item(v->self, name, &view, err));
    const struct view_item *i = view.row;
    return put_item(x, i->key, err);
}

static enum rc put_since(struct exporting *x, const char *since, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *v = x->call->ops->views;
    const struct view_filter all = {.older_than_ms = NOT_DUE};
    int64_t from;
    TRY(period_parse(since, x->call->now_ms, &from, err));
    TRY(v->items(v->self, &all, &view, err));
    const struct view_item *i = view.row;
    for (size_t n = 0; n < view.count; n++)
        if (i[n].first_seen_ms >= from)
            TRY(put_item(x, i[n].key, err));
    return RC_OK;
}

static enum rc export(struct exporting *x, const char *key, const char *since, struct err *err) {
    const struct views *v = x->call->ops->views; TRY(v->files(v->self, &x->files, err));
    TRY(bundle_put(&x->bundle, "README.txt", slice_z(read_me), err));
    TRY(key ? put_one(x, key, err) : put_since(x, since, err));
    if (x->missing.len > 0) TRY(bundle_put(&x->bundle, "missing.txt", str_slice(&x->missing), err));
    return bundle_end(&x->bundle, err);
}

/* The mail that is asked for must be there before a folder is made. */
static enum rc check(const struct call *call, const char *key, const char *since, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *v = call->ops->views;
    int64_t from;
    if (!key == !since)
        return FAIL(err, RC_USAGE, "export takes a KEY or --since D");
    return key ? v->item(v->self, key, &view, err) : period_parse(since, call->now_ms, &from, err);
}

int cmd_export(struct call *call)
{
    CLEANUP(exporting_clear) struct exporting x = {.call = call, .missing = STR_INIT};
    CLEANUP(str_clear) struct str folder = STR_INIT;
    const char *key = args_get(&call->args, "KEY"), *since = args_get(&call->args, "--since");
    const char *to = args_get(&call->args, "--to");
    struct err err = ERR_INIT;
    if (check(call, key, since, &err) != RC_OK)
        return failed(&err);
    if (to)
        str_addz(&folder, to);
    else
        str_addf(&folder, "onecase-export-%.16s", key ? key : since);
    printf("Writes the records, events, originals and attachments of %s into '%s'. It holds mail: "
           "keep "
           "it as you keep the mailbox.\n",
           key ? "this mail" : "all mail since then", str_z(&folder));
    fflush(stdout);
    if (bundle_begin(&x.bundle, str_z(&folder), &err) != RC_OK ||
        export(&x, key, since, &err) != RC_OK)
        return failed(&err);
    printf("%" PRId64 " mails, %" PRId64 " files, %" PRId64 " octets, and SHA256SUMS.\n", x.items,
           x.bundle.files, x.bundle.octets);
    if (x.missing.len == 0)
        return EXIT_DONE;
    fprintf(stderr, "onecase: files are missing or changed:\n%s", str_z(&x.missing));
    return EXIT_NO;
}
