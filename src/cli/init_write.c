/* SPDX-License-Identifier: Apache-2.0
 *
 * init - the files that are written.
 */
#define _GNU_SOURCE /* NOLINT(readability-identifier-naming): for setgroups */
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ACCOUNT "onecase"

static const char *const names[] = {"onecase.yaml", "imap.password", "smtp.password"};
enum { CONFIGURATION, IMAP_PASSWORD, SMTP_PASSWORD };

static enum rc failed_at(const char *act, const char *path, struct err *err)
{
    return FAIL(err, RC_BROKEN, "'%s' cannot be %s: %s", path, act, strerror(errno));
}

static void folder_of(const char *path, struct str *out)
{
    const char *slash = strrchr(path, '/');
    str_add(out, slash ? (struct slice){path, (size_t)(slash - path)} : SLICE("."));
    if (out->len == 0)
        str_addz(out, "/");
}

/* The configuration has the name that was asked for; what is beside it has its own. */
static void final_name(const char *path, const char *folder, size_t which, struct str *out)
{
    if (which == CONFIGURATION)
        str_addz(out, path);
    else
        str_addf(out, "%s/%s", folder, names[which]);
}

enum rc draft_check(const char *path, struct err *err)
{
    CLEANUP(str_clear) struct str folder = STR_INIT;
    folder_of(path, &folder);
    for (size_t i = 0; i < LENGTH(names); i++) {
        CLEANUP(str_clear) struct str one = STR_INIT;
        final_name(path, str_z(&folder), i, &one);
        if (access(str_z(&one), F_OK) == 0)
            return FAIL(err, RC_CONFLICT,
                        "'%s' is there already and stays as it is: change it with an editor, or "
                        "name another place: onecase -c FILE init",
                        str_z(&one));
    }
    return RC_OK;
}

/* ---- what is in them -------------------------------------------------------------------------------- */

/* In double quotes; nothing in it is a variable. Control characters were not taken. */
static void quoted(struct str *out, const char *text)
{
    str_addc(out, '"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            str_addc(out, '\\');
        if (c[0] == '$' && c[1] == '{')
            str_addc(out, '$');
        str_addc(out, *c);
    }
    str_addc(out, '"');
}

static const char *answer(const struct answers *a, enum answer which)
{
    return str_z(&a->given[which]);
}

static bool is_none(const struct answers *a, enum answer which)
{
    return strcmp(answer(a, which), NONE) == 0;
}

static void sign_in(struct str *out, const char *user, const char *file)
{
    str_addz(out, ", username: ");
    quoted(out, user);
    str_addf(out, ", password_file: %s", file);
}

/* "HOST" or "HOST:PORT"; what the port says of the security is written, too. */
static void place(struct str *out, const char *said, const char *security)
{
    const char *colon = strrchr(said, ':');
    CLEANUP(str_clear) struct str host = STR_INIT;
    long port = colon ? strtol(colon + 1, NULL, 10) : 0;
    bool starttls = port == 143 || port == 587 || port == 25;
    str_add(&host, (struct slice){said, colon ? (size_t)(colon - said) : strlen(said)});
    str_addz(out, "{host: ");
    quoted(out, str_z(&host));
    if (port > 0)
        str_addf(out, ", port: %ld", port);
    if (security || starttls)
        str_addf(out, ", security: %s", security ? security : "starttls");
}

static void end_server(struct str *out, const struct answers *a)
{
    if (a->ca_file) {
        str_addz(out, ", ca_file: ");
        quoted(out, a->ca_file);
    }
    str_addz(out, "}\n");
}

static void imap_server(struct str *out, const struct answers *a)
{
    place(out, answer(a, ANSWER_IMAP), a->imap_security);
    sign_in(out, answer(a, ANSWER_IMAP_USER), names[IMAP_PASSWORD]);
    end_server(out, a);
}

static void smtp_server(struct str *out, const struct answers *a)
{
    place(out, answer(a, ANSWER_SMTP), a->smtp_security);
    if (!is_none(a, ANSWER_SMTP_USER))
        sign_in(out, answer(a, ANSWER_SMTP_USER), names[SMTP_PASSWORD]);
    end_server(out, a);
}

/* What stands before the @, as far as a name may have it. */
static void name_of(const char *address, struct str *out)
{
    for (const char *c = address; *c && *c != '@' && out->len < 32; c++) {
        char low = *c >= 'A' && *c <= 'Z' ? (char)(*c + ('a' - 'A')) : *c;
        bool letter = (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9');
        if (letter || (out->len > 0 && (low == '-' || low == '_' || low == '.')))
            str_addc(out, low);
    }
    if (out->len == 0)
        str_addz(out, "mailbox");
}

static void configuration(const struct answers *a, struct str *out)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    CLEANUP(str_clear) struct str from = STR_INIT;
    name_of(answer(a, ANSWER_ADDRESS), &name);
    str_addf(&from, "%s <%s>", answer(a, ANSWER_FROM), answer(a, ANSWER_ADDRESS));
    str_addf(out,
             "# Written by 'onecase init'. What else can be set: onecase.yaml(5), and as a file to "
             "copy from 'onecase config'.\n"
             "# 'onecase doctor' tries it; 'systemctl reload onecase' takes up what you change.\n\n"
             "# The name of this deployment: what it claims its mailbox by. Change it, and it is "
             "another one.\n"
             "name: %s\n# Who is asked when another deployment wants the same mailbox.\nowner: ",
             str_z(&name));
    quoted(out, answer(a, ANSWER_OWNER));
    str_addz(out, "\n# The ledger, the originals and the attachments.\ndata_dir: ");
    quoted(out, answer(a, ANSWER_DATA));
    str_addf(out,
             "\n\nmailboxes:\n  - id: %s\n"
             "    # mode: look-only                  # watches and records, and changes nothing "
             "anywhere\n"
             "    imap: ",
             str_z(&name));
    imap_server(out, a);
    str_addz(out, "    # All addresses of this mailbox: mail from them is never answered.\n"
                  "    addresses: [");
    quoted(out, answer(a, ANSWER_ADDRESS));
    str_addz(out, "]\n\nacknowledgement:\n"
                  "  # enabled: false                     # cases are made, and nobody is told\n"
                  "  smtp: ");
    smtp_server(out, a);
    str_addz(out, "  from: ");
    quoted(out, str_z(&from));
    if (!is_none(a, ANSWER_SENT)) {
        str_addz(out,
                 "\n  # Where the mail server files copies of what it sent: evidence, where an "
                 "answer was lost.\n  evidence: {folder: ");
        quoted(out, answer(a, ANSWER_SENT));
        str_addz(out, "}");
    }
    str_addz(out, "\n\ncase:\n  reference_prefix: HD-\n");
}

/* ---- who owns them ---------------------------------------------------------------------------------- */

static void to_owner(const struct draft *d, int fd)
{
    if (geteuid() == 0)
        (void)!fchown(fd, d->owner, d->group);
}

static enum rc
write_one(const struct draft *d, size_t which, mode_t mode, const struct str *text, struct err *err)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    str_addf(&path, "%s/%s", str_z(&d->trial), names[which]);
    int fd = open(str_z(&path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0)
        return failed_at("written", str_z(&path), err);
    to_owner(d, fd);
    bool done = write(fd, str_z(text), text->len) == (ssize_t)text->len && fchmod(fd, mode) == 0 &&
                fsync(fd) == 0;
    close(fd);
    return done ? RC_OK : failed_at("written", str_z(&path), err);
}

static enum rc write_secret(const struct draft *d,
                            size_t which,
                            const struct answers *a,
                            enum answer secret,
                            struct err *err)
{
    CLEANUP(str_wipe) struct str line = STR_INIT;
    str_addf(&line, "%s\n", answer(a, secret));
    return write_one(d, which, S_IRUSR | S_IWUSR, &line, err);
}

/* Whose the data folder is; where it is not there yet, the package's account's, or the caller's. */
static enum rc find_owner(struct draft *d, const char *data_dir, struct err *err)
{
    struct stat facts;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    const struct passwd *account = geteuid() == 0 ? getpwnam(ACCOUNT) : NULL;
    d->owner = account ? account->pw_uid : geteuid();
    d->group = account ? account->pw_gid : getegid();
    if (stat(data_dir, &facts) != 0) {
        if (mkdir(data_dir, S_IRWXU) != 0 ||
            (geteuid() == 0 && chown(data_dir, d->owner, d->group) != 0))
            return failed_at("made", data_dir, err);
        return RC_OK;
    }
    d->owner = facts.st_uid;
    d->group = facts.st_gid;
    return RC_OK;
}

static enum rc make_trial(struct draft *d, struct err *err)
{
    char *made;
    if (mkdir(str_z(&d->folder), S_IRWXU | S_IRGRP | S_IXGRP) == 0 && geteuid() == 0)
        (void)!chown(str_z(&d->folder), 0, d->group);
    str_addf(&d->trial, "%s/init.XXXXXX", str_z(&d->folder));
    CLEANUP(mem_free) char *room = mem_text(str_z(&d->trial));
    made = mkdtemp(room);
    str_empty(&d->trial);
    if (!made)
        return failed_at("written to", str_z(&d->folder), err);
    str_addz(&d->trial, made);
    if (geteuid() == 0 && chown(made, d->owner, d->group) != 0)
        return failed_at("given to its owner", made, err);
    return RC_OK;
}

enum rc draft_write(struct draft *d, const char *path, const struct answers *a, struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    draft_clear(d);
    *d = (struct draft){.path = path, .relays = is_none(a, ANSWER_SMTP_USER)};
    folder_of(path, &d->folder);
    TRY(find_owner(d, answer(a, ANSWER_DATA), err));
    TRY(make_trial(d, err));
    configuration(a, &text);
    TRY(write_one(d, CONFIGURATION, S_IRUSR | S_IWUSR | S_IRGRP, &text, err));
    TRY(write_secret(d, IMAP_PASSWORD, a, ANSWER_IMAP_PASSWORD, err));
    return d->relays ? RC_OK : write_secret(d, SMTP_PASSWORD, a, ANSWER_SMTP_PASSWORD, err);
}

/* ---- trying them, and keeping them ------------------------------------------------------------------- */

static void examine(const struct draft *d)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    str_addf(&path, "%s/%s", str_z(&d->trial), names[CONFIGURATION]);
    if (geteuid() == 0 && d->owner != 0 &&
        (setgroups(0, NULL) != 0 || setgid(d->group) != 0 || setuid(d->owner) != 0))
        _exit(EXIT_NOT_ALLOWED);
    (void)execl("/proc/self/exe", "onecase", "-c", str_z(&path), "doctor", (char *)NULL);
    _exit(EXIT_BUG);
}

int draft_try(const struct draft *d)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        examine(d);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BUG;
}

/* The configuration comes last: without it there is none. */
enum rc draft_keep(struct draft *d, struct err *err)
{
    for (size_t i = LENGTH(names); i > 0; i--) {
        CLEANUP(str_clear) struct str from = STR_INIT;
        CLEANUP(str_clear) struct str to = STR_INIT;
        if (i - 1 == SMTP_PASSWORD && d->relays)
            continue;
        str_addf(&from, "%s/%s", str_z(&d->trial), names[i - 1]);
        final_name(d->path, str_z(&d->folder), i - 1, &to);
        if (link(str_z(&from), str_z(&to)) != 0)
            return failed_at("written", str_z(&to), err);
    }
    return RC_OK;
}

void draft_clear(struct draft *d)
{
    for (size_t i = 0; d->trial.len > 0 && i < LENGTH(names); i++) {
        CLEANUP(str_clear) struct str path = STR_INIT;
        str_addf(&path, "%s/%s", str_z(&d->trial), names[i]);
        (void)unlink(str_z(&path));
    }
    if (d->trial.len > 0)
        (void)rmdir(str_z(&d->trial));
    str_clear(&d->trial);
    str_clear(&d->folder);
}
