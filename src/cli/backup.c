/* SPDX-License-Identifier: Apache-2.0
 *
 * backup and restore - what was saved, what was brought back, and what stays uncertain after it.
 */
#include "cli_p.h"

#include <onecase/when.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PASSPHRASE_MOST 1000

/* ---- backup --------------------------------------------------------------------------------------------- */

static enum rc number_typed(const char *text, const char *option, int64_t *out, struct err *err)
{
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (errno != 0 || *end || n < 1)
        return FAIL(err, RC_USAGE, "%s takes a number from 1 on, not '%s'", option, text);
    *out = n;
    return RC_OK;
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static void say_made(const struct call *call, const char *folder, const struct backup_made *m)
{
    const struct backup_facts *f = &m->facts;
    CLEANUP(str_clear) struct str where = STR_INIT;
    plain_text(folder, &where);
    printf("Backup %s in '%s'%s: the ledger up to line %" PRId64 ", %" PRId64 " mail%s, %" PRId64
           " files of %" PRId64 " octets. %" PRId64 " were new (%" PRId64
           " octets), and read back.\n",
           f->name, str_z(&where), f->sealed ? ", sealed" : "", f->event, f->mails,
           plural(f->mails), f->files, f->octets, m->new_files, m->new_octets);
    if (m->backups_removed > 0 || m->files_removed > 0)
        printf("Removed %" PRId64 " older backup%s, and %" PRId64
               " file%s that no other one has.\n",
               m->backups_removed, plural(m->backups_removed), m->files_removed,
               plural(m->files_removed));
    (void)call;
}

static int made(const struct call *call, const char *folder, const struct backup_made *m)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    if (call->json) {
        json_backup(m, &out);
        print(&out);
    } else {
        say_made(call, folder, m);
    }
    if (m->missing.len == 0)
        return EXIT_DONE;
    fprintf(stderr,
            "onecase: the backup stands, without files that the ledger counts on ('onecase verify' "
            "says more):\n%s",
            str_z(&m->missing));
    return EXIT_NO;
}

int cmd_backup(struct call *call)
{
    struct backup_request request = {.folder = args_get(&call->args, "FOLDER"),
                                     .read_all = args_has(&call->args, "--read-all")};
    struct backup_made m = {.missing = STR_INIT};
    struct err err = ERR_INIT;
    const char *keep = args_get(&call->args, "--keep");
    enum rc rc = keep ? number_typed(keep, "--keep", &request.keep, &err) : RC_OK;
    if (rc == RC_OK && call->ops->no_ledger)
        return EXIT_NO; /* that there is none was said */
    if (rc == RC_OK)
        rc = call->ops->backup(call->ops->self, &request, &m, &err);
    int status = rc == RC_OK ? made(call, request.folder, &m) : failed(&err);
    str_clear(&m.missing);
    return status;
}

/* ---- restore -------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct sheet_column columns[] = {
    { "backup",   "BACKUP",  NULL, SHEET_TEXT   }, { "taken_at", "TAKEN",   NULL, SHEET_WHEN   },
    { "mails",    "MAILS",   NULL, SHEET_NUMBER }, { "files",    "FILES",   NULL, SHEET_NUMBER },
    { "octets",   "OCTETS",  NULL, SHEET_NUMBER }, { "event",    "LINE",    NULL, SHEET_NUMBER },
    { "version",  "VERSION", NULL, SHEET_TEXT   }, { "sealed",   "SEALED",  NULL, SHEET_TEXT   },
};
/* clang-format on */

static void backup_row(struct sheet *sheet, const struct backup_facts *f)
{
    char at[WHEN_TEXT_SIZE], mails[24], files[24], octets[24], event[24];
    when_text(f->taken_ms, at);
    snprintf(mails, sizeof mails, "%" PRId64, f->mails);
    snprintf(files, sizeof files, "%" PRId64, f->files);
    snprintf(octets, sizeof octets, "%" PRId64, f->octets);
    snprintf(event, sizeof event, "%" PRId64, f->event);
    const char *cell[] = {f->name, at,    mails,      files,
                          octets,  event, f->version, f->sealed ? "yes" : "no"};
    sheet_row(sheet, cell);
}

static int list(const struct call *call, const char *folder)
{
    CLEANUP(mem_free) struct backup_facts *f = NULL;
    CLEANUP(sheet_free) struct sheet *sheet = sheet_new("Backups", columns, LENGTH(columns));
    size_t count;
    struct err err = ERR_INIT;
    if (call->ops->backups(call->ops->self, folder, &f, &count, &err) != RC_OK)
        return failed(&err);
    for (size_t i = count; i > 0; i--)
        backup_row(sheet, &f[i - 1]);
    sheet_print(sheet, call->json ? SHEET_JSON : SHEET_TABLE, call->now_ms, call->width, stdout);
    return EXIT_DONE;
}

/* Contract section 4, a ledger that went back in time. */
static const char *const uncertain[] = {
    "Confirmations that were under way then, or belong to mail that came since, may have been "
    "sent. "
    "None of them is sent by itself: each is looked for, and where nothing is found you are asked "
    "('onecase status', 'onecase decide').",
    "Mail that was filed since is found in its folder at the next start, and gets its case again "
    "under "
    "the same reference.",
    "Decisions, cases that were closed or merged, notes and users of after that time are gone, and "
    "nothing shows them.",
    "The machine that this was saved on must not run again: both would take the mailbox for "
    "theirs.",
};

static void say_restored(const struct call *call, const struct restored *r)
{
    const struct backup_facts *f = &r->facts;
    CLEANUP(str_clear) struct str where = STR_INIT;
    char at[WHEN_TEXT_SIZE];
    when_text(f->taken_ms, at);
    plain_text(call->ops->config->data_dir, &where);
    printf("Restored '%s' as it was at %s: %" PRId64 " mail%s, %" PRId64
           " files. Its generation is %" PRId64 " now.\n\nWhat came after is not in it:\n",
           str_z(&where), at, f->mails, plural(f->mails), f->files, r->generation);
    for (size_t i = 0; i < LENGTH(uncertain); i++) {
        printf("- ");
        plain_wrap(uncertain[i], 2, call->width, stdout);
    }
}

/* Of the key: the first line of a file, or what is typed where there is a terminal. */
static enum rc passphrase(void *ctx, struct str *out, struct err *err)
{
    const char *file = ctx;
    char line[PASSPHRASE_MOST + 2] = "";
    if (!file && isatty(STDIN_FILENO) == 1) {
        typed_hidden("Passphrase of the key: ", PASSPHRASE_MOST, out);
        return RC_OK;
    }
    if (!file)
        return FAIL(err, RC_USAGE,
                    "the key has a passphrase, and there is no terminal to ask at: name a file "
                    "whose first line it is with --passphrase-file");
    FILE *from = fopen(file, "re");
    bool is_read = from && fgets(line, sizeof line, from);
    const char *why = from && feof(from) ? "it is empty" : strerror(errno);
    if (from)
        (void)fclose(from);
    str_add(out, slice_cut(slice_z(line), 0, strcspn(line, "\r\n")));
    memset(line, 0, sizeof line);
    return is_read ? RC_OK : FAIL(err, RC_USAGE, "'%s' cannot be read: %s", file, why);
}

int cmd_restore(struct call *call)
{
    const char *folder = args_get(&call->args, "FOLDER");
    CLEANUP(mem_free) char *file = mem_text(args_get(&call->args, "--passphrase-file"));
    const struct restore_request request = {.folder = folder,
                                            .backup = args_get(&call->args, "--backup"),
                                            .key = args_get(&call->args, "--key"),
                                            .ctx = file,
                                            .passphrase = passphrase};
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct restored r;
    struct err err = ERR_INIT;
    if (args_has(&call->args, "--list"))
        return list(call, folder);
    if (call->ops->restore(call->ops->self, &request, &r, &err) != RC_OK)
        return failed(&err);
    if (call->json) {
        json_restored(&r, &out);
        print(&out);
    } else {
        say_restored(call, &r);
    }
    return EXIT_DONE;
}
