/* SPDX-License-Identifier: Apache-2.0
 *
 * retain and erase - what is let go, after it was archived or at once.
 */
#include "bundle.h"

#include <onecase/when.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what is shown -------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct sheet_column columns[] = {
    { "case",         "CASE",     NULL,   SHEET_TEXT },
    { "completed_at", "COMPLETE", NULL,   SHEET_WHEN },
    { "contents",     "LETS GO",  NULL,   SHEET_TEXT },
    { "kept_by",      "KEPT BY",  "kept", SHEET_TEXT },
    { "mailbox",      "MAILBOX",  NULL,   SHEET_TEXT },
    { "key",          "KEY",      NULL,   SHEET_TEXT },
};
/* clang-format on */

static void contents_of(const struct call *call, unsigned contents, struct str *out)
{
    if (call->json) {
        contents_text(contents, out);
        return;
    }
    for (unsigned c = 0; c < CONTENT_COUNT; c++)
        if (contents & CONTENT(c))
            str_addf(out, "%s%s", out->len > 0 ? ", " : "",
                     label("content", content_text((enum content)c)));
}

static void show_mails(const struct call *call, const struct view *view)
{
    CLEANUP(sheet_free) struct sheet *sheet = sheet_new("Let go", columns, LENGTH(columns));
    const struct view_retained *r = view->row;
    for (size_t i = 0; i < view->count; i++) {
        CLEANUP(str_clear) struct str contents = STR_INIT;
        char at[WHEN_TEXT_SIZE];
        when_text(r[i].ended_ms, at);
        contents_of(call, r[i].contents, &contents);
        const char *cell[] = {
            r[i].reference[0] ? r[i].reference : NULL, at,           str_z(&contents),
            r[i].kept_by[0] ? r[i].kept_by : NULL,     r[i].mailbox, r[i].key};
        sheet_row(sheet, cell);
    }
    sheet_print(sheet, call->json ? SHEET_JSON : SHEET_TABLE, call->now_ms, call->width, stdout);
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static void say_gone(const struct let_gone *g)
{
    printf("Let go of contents of %" PRId64 " mail%s, and removed %" PRId64 " file%s.\n", g->mails,
           plural(g->mails), g->files, plural(g->files));
    if (g->kept > 0)
        printf("%" PRId64 " came back to work or are held since: they stay.\n", g->kept);
}

/* ---- letting go ----------------------------------------------------------------------------------------- */

static enum rc let_go(const struct call *call,
                      const struct view *view,
                      bool erased,
                      struct let_gone *out,
                      struct err *err)
{
    const struct view_retained *r = view->row;
    CLEANUP(mem_free) struct letting_go *what = mem_new(view->count + 1, sizeof *what);
    size_t count = 0;
    for (size_t i = 0; i < view->count; i++)
        if (!r[i].kept_by[0] && r[i].contents != 0)
            what[count++] =
                (struct letting_go){.key = r[i].key, .contents = r[i].contents, .erased = erased};
    return call->ops->let_go(call->ops->self, what, count, out, err);
}

/* ---- retain --------------------------------------------------------------------------------------------- */

static void rule_of(const struct call *call, struct retention_rule *out)
{
    const struct config_retention *r = &call->ops->config->retention;
    *out = (struct retention_rule){.only_closed = r->only_closed};
    for (size_t c = 0; c < CONTENT_COUNT; c++)
        out->before_ms[c] = r->keep_ms[c] > 0 ? call->now_ms - r->keep_ms[c] : 0;
}

static bool lets_anything_go(const struct retention_rule *rule)
{
    for (size_t c = 0; c < CONTENT_COUNT; c++)
        if (rule->before_ms[c] != 0)
            return true;
    return false;
}

/* Two of one second have names of their own. */
static void name_archive(const struct call *call, struct str *top, struct str *file)
{
    struct stat facts;
    char at[WHEN_TEXT_SIZE];
    when_text(call->now_ms / 1000 * 1000, at);
    for (int n = 1; n == 1 || stat(str_z(file), &facts) == 0; n++) {
        str_empty(top);
        str_empty(file);
        str_addf(top, "onecase-archive-%.10sT%.2s%.2s%.2sZ", at, at + 11, at + 14, at + 17);
        if (n > 1)
            str_addf(top, "-%d", n);
        str_addf(file, "%s/%s.tar.gz%s", call->ops->config->retention.archive, str_z(top),
                 call->ops->config->backup_recipient[0] ? ".cms" : "");
    }
}

/* NULL where nothing is sealed. */
static enum rc read_recipients(const struct call *call, struct recipients **out, struct err *err)
{
    const char *file = call->ops->config->backup_recipient;
    if (!file[0])
        return RC_OK;
    enum rc rc = recipients_read(file, call->now_ms, out, err);
    return rc == RC_OK ? RC_OK : err_prefix(err, "backup.recipient");
}

/* The archive stands, whole and durable, before anything is let go. */
static enum rc
archive(const struct call *call, const struct view *view, struct str *file, struct err *err)
{
    const char *folder = call->ops->config->retention.archive;
    const struct view_retained *r = view->row;
    CLEANUP(str_clear) struct str top = STR_INIT;
    CLEANUP(recipients_free) struct recipients *to = NULL;
    if (!folder[0] || view->count == 0)
        return RC_OK;
    TRY(read_recipients(call, &to, err));
    if (mkdir(folder, 0700) == 0 && !call->json)
        printf("Made '%s'.\n", folder);
    name_archive(call, &top, file);
    CLEANUP(mem_free) const char **key = mem_new(view->count + 1, sizeof *key);
    for (size_t i = 0; i < view->count; i++)
        key[i] = r[i].key;
    const struct bundle_place place = {str_z(file), str_z(&top), to};
    return export_mails(call, key, view->count, &place, err);
}

static int retain(const struct call *call, const struct view *view)
{
    CLEANUP(str_clear) struct str file = STR_INIT;
    struct let_gone gone;
    struct err err = ERR_INIT;
    if (archive(call, view, &file, &err) != RC_OK ||
        let_go(call, view, false, &gone, &err) != RC_OK)
        return failed(&err);
    if (call->json) {
        show_mails(call, view);
        return EXIT_DONE;
    }
    if (file.len > 0)
        printf("Archived in '%s': it holds mail%s.\n", str_z(&file),
               call->ops->config->backup_recipient[0] ? ", sealed" : "");
    say_gone(&gone);
    return EXIT_DONE;
}

int cmd_retain(struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    struct retention_rule rule;
    struct err err = ERR_INIT;
    const struct views *v = call->ops->views;
    rule_of(call, &rule);
    if (!lets_anything_go(&rule) && !call->json)
        printf("Everything is kept for ever: 'retention:' of the configuration lets nothing go.\n");
    if (v->retained(v->self, &rule, &view, &err) != RC_OK)
        return failed(&err);
    if (!args_has(&call->args, "--dry-run") && !call->ops->no_ledger)
        return retain(call, &view);
    if (view.count == 0 && !call->json)
        printf("Nothing would be let go.\n");
    else
        show_mails(call, &view);
    return EXIT_DONE;
}

/* ---- erase ---------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct sheet_column erasures[] = {
    { "erased_at", "ERASED",  NULL, SHEET_WHEN   }, { "mails",  "MAILS",  NULL, SHEET_NUMBER },
    { "by",        "BY",      NULL, SHEET_TEXT   }, { "reason", "REASON", NULL, SHEET_TEXT   },
    { "subject",   "SUBJECT", NULL, SHEET_TEXT   },
};
/* clang-format on */

static enum rc
subject_of(const struct call *call, const char *address, char out[DIGEST_HEX_SIZE], struct err *err)
{
    const struct ledger *l = call->ops->ledger;
    struct ledger_facts facts;
    TRY(l->runs->facts(l->self, &facts, err));
    const struct digest subject = hmac_sha256(
        (struct slice){(const char *)facts.secret.octet, DIGEST_SIZE}, slice_z(address));
    digest_hex(&subject, out);
    return RC_OK;
}

static int list(const struct call *call, const char *address)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(sheet_free)
    struct sheet *sheet = sheet_new("Erased", erasures, LENGTH(erasures));
    char subject[DIGEST_HEX_SIZE] = "";
    struct err err = ERR_INIT;
    const struct views *v = call->ops->views;
    if ((address && subject_of(call, address, subject, &err) != RC_OK) ||
        v->erasures(v->self, &view, &err) != RC_OK)
        return failed(&err);
    const struct view_erasure *e = view.row;
    size_t shown = 0;
    for (size_t i = 0; i < view.count; i++) {
        char at[WHEN_TEXT_SIZE], mails[24];
        if (address && strcmp(e[i].subject, subject) != 0)
            continue;
        when_text(e[i].erased_ms, at);
        snprintf(mails, sizeof mails, "%" PRId64, e[i].mails);
        const char *cell[] = {at, mails, e[i].by, e[i].why, e[i].subject};
        sheet_row(sheet, cell);
        shown++;
    }
    sheet_print(sheet, call->json ? SHEET_JSON : SHEET_TABLE, call->now_ms, call->width, stdout);
    return shown > 0 || !address ? EXIT_DONE : EXIT_NO;
}

static int64_t kept(const struct view *view)
{
    const struct view_retained *r = view->row;
    int64_t n = 0;
    for (size_t i = 0; i < view->count; i++)
        n += r[i].kept_by[0] != '\0';
    return n;
}

static enum rc do_it(const struct call *call,
                     const char *address,
                     const struct view *view,
                     struct let_gone *gone,
                     struct err *err)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    const struct ledger *l = call->ops->ledger;
    const struct instant now = {.wall_ms = call->now_ms};
    struct erasing erasing = {.address = address};
    TRY(decider(call, &by, &erasing.why, err));
    TRY(let_go(call, view, true, gone, err));
    erasing.by = str_z(&by);
    erasing.mails = gone->mails;
    TRY(l->keeping->erased(l->self, &erasing, now, err));
    l->keeping->forget(l->self);
    return RC_OK;
}

static int erase(const struct call *call, const char *address, const struct view *view)
{
    struct let_gone gone;
    struct err err = ERR_INIT;
    if (do_it(call, address, view, &gone, &err) != RC_OK)
        return failed(&err);
    int64_t left = kept(view) + gone.kept;
    call->json ? show_mails(call, view) : say_gone(&gone);
    if (left > 0)
        fprintf(stderr,
                "onecase: %" PRId64
                " mail%s not complete or held, and stay as they are: erase again "
                "when they are done\n",
                left, left == 1 ? " is" : "s are");
    return left > 0 ? EXIT_NO : EXIT_DONE;
}

int cmd_erase(struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str address = STR_INIT;
    struct err err = ERR_INIT;
    const struct views *v = call->ops->views;
    const char *typed = args_get(&call->args, "ADDRESS");
    if (typed)
        address_canonical(slice_z(typed), &address);
    if (args_has(&call->args, "--list"))
        return list(call, typed ? str_z(&address) : NULL);
    if (!typed || !strchr(typed, '@'))
        return usage("erase takes an ADDRESS, such as ann@example.com, or --list");
    if (v->of_person(v->self, str_z(&address), &view, &err) != RC_OK)
        return failed(&err);
    if (!args_has(&call->args, "--dry-run") && !call->ops->no_ledger)
        return erase(call, str_z(&address), &view);
    if (view.count == 0 && !call->json)
        printf("There is no mail of this address.\n");
    else
        show_mails(call, &view);
    return EXIT_DONE;
}
