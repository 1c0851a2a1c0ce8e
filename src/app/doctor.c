/* SPDX-License-Identifier: Apache-2.0 */
#include "desk_test.h"
#include "doctor_p.h"

#include "wire.h"

#include <onecase/seal.h>
#include <onecase/when.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void doctor_found(struct examining *x,
                  enum finding finding,
                  const char *mend,
                  const char *what,
                  const char *which)
{
    CLEANUP(str_clear) struct str line = STR_INIT;
    str_addf(&line, "%s%s%s", which, which[0] ? ": " : "", what);
    struct check_result r = {.finding = finding, .what = str_z(&line), .mend = mend};
    x->bad = x->bad || finding == FINDING_BAD;
    x->tell(x->ctx, &r);
}

bool doctor_judge(
    struct examining *x, enum rc rc, const struct err *err, const char *what, const char *which)
{
    doctor_found(x, rc == RC_OK ? FINDING_GOOD : FINDING_BAD, rc == RC_OK ? "" : err->text, what,
                 which);
    return rc == RC_OK;
}

/* ---- what is on this machine ------------------------------------------------------------------------ */

static enum rc try_disk(const struct wired_data *d, struct err *err)
{
    static const char name[] = "tmp/doctor";
    const struct files *f = &d->files;
    TRY(f->make_folder(f->self, "tmp", err));
    TRY(f->remove(f->self, name, err));
    TRY(f->create(f->self, name, SLICE("onecase"), err));
    TRY(sync_file_of(f, name, err));
    TRY(sync_folder_of(f, "tmp", err));
    return f->remove(f->self, name, err);
}

static void examine_room(struct examining *x, const struct wired_data *d)
{
    int64_t space = 0;
    struct err err = ERR_INIT;
    CLEANUP(str_clear) struct str mend = STR_INIT;
    if (d->files.space(d->files.self, &space, &err) != RC_OK)
        return;
    bool low = space < x->config->disk_reserve;
    if (low)
        str_addf(&mend,
                 "%lld MB are free, disk.reserve wants %lld MB: no new mail is taken in until "
                 "there is room",
                 (long long)(space >> 20), (long long)(x->config->disk_reserve >> 20));
    doctor_found(x, low ? FINDING_BAD : FINDING_GOOD, str_z(&mend), "there is room on the disk",
                 "data_dir");
}

#define SKEW_MS MINUTES(5) /* stores refuse what is signed a quarter of an hour off */

static void examine_seen(struct examining *x, const struct s3_seen *seen)
{
    CLEANUP(str_clear) struct str mend = STR_INIT;
    bool off = seen->behind_ms > SKEW_MS || seen->behind_ms < -SKEW_MS;
    if (off)
        str_addf(
            &mend,
            "this machine's clock is %lld s %s the store's: set it by NTP, or every request is "
            "refused",
            (long long)(seen->behind_ms > 0 ? seen->behind_ms : -seen->behind_ms) / 1000,
            seen->behind_ms > 0 ? "behind" : "ahead of");
    if (seen->knows_time)
        doctor_found(x, off ? FINDING_WARNING : FINDING_GOOD, str_z(&mend),
                     "its clock and this machine's agree", "object store");
    doctor_found(x, seen->refuses_to_overwrite ? FINDING_GOOD : FINDING_WARNING,
                 seen->refuses_to_overwrite
                     ? ""
                     : "it does not know If-None-Match: *; each object is asked for before it is "
                       "written, which two runs at one instant could both do",
                 "it never overwrites an object", "object store");
}

static void examine_store(struct examining *x, const struct stored *stored)
{
    struct clock clock = system_clock();
    struct s3_seen seen;
    struct err err = ERR_INIT;
    if (!stored->s3)
        return;
    enum rc rc = s3_files_try(stored->s3, clock_now(&clock).wall_ms, &seen, &err);
    if (doctor_judge(x, rc, &err, "an object can be written, read back and removed",
                     "object store"))
        examine_seen(x, &seen);
}

/* ---- what waits for a destination that is gone -------------------------------------------------------- */

static size_t name_length(const struct view_awaited *a)
{
    return strcspn(a->target, "/");
}

static bool same_destination(const struct view_awaited *a, const char *name, size_t length)
{
    return name_length(a) == length && strncmp(a->target, name, length) == 0;
}

/* All that waits for the same destination, once. */
static int64_t awaited(const struct view *view, size_t at)
{
    const struct view_awaited *a = view->row;
    int64_t steps = 0;
    for (size_t i = 0; i < view->count; i++) {
        bool same = same_destination(&a[i], a[at].target, name_length(&a[at]));
        if (same && i < at)
            return 0;
        steps += same ? a[i].steps : 0;
    }
    return steps;
}

static void examine_awaited(struct examining *x, const struct wired_data *d)
{
    CLEANUP(view_clear) struct view view = {0};
    struct err err = ERR_INIT;
    if (d->views.awaited(d->views.self, &view, &err) != RC_OK) {
        doctor_found(x, FINDING_BAD, err.text, "what waits for destinations", "ledger");
        return;
    }
    const struct view_awaited *a = view.row;
    for (size_t i = 0; i < view.count; i++) {
        const char *now = x->config->destination;
        int64_t steps = same_destination(&a[i], now, strlen(now)) ? 0 : awaited(&view, i);
        CLEANUP(str_clear) struct str what = STR_INIT;
        if (steps == 0)
            continue;
        str_addf(&what, "%.*s: %lld step%s for it, and case.destination is another now",
                 (int)name_length(&a[i]), a[i].target, (long long)steps,
                 steps == 1 ? " waits" : "s wait");
        doctor_found(x, FINDING_WARNING,
                     "configure it and name it there again, and have its cases made: 'onecase "
                     "resolve KEY --case "
                     "not-made --all-like'; or go on without: '--case none --all-like'. 'onecase "
                     "items --state needs_reconciliation' lists them",
                     str_z(&what), "");
    }
}

static void examine_data(struct examining *x)
{
    CLEANUP(wire_data_close) struct wired_data d = {.store = NULL};
    struct err err = ERR_INIT;
    if (!doctor_judge(x, wire_data(x->config, true, &d, &err), &err,
                      "it opens, and its schema is one that this version works with", "ledger"))
        return;
    if (store_is_newer(d.store))
        doctor_found(x, FINDING_WARNING, "upgrade this machine, too (doc/upgrading.md)",
                     "a newer version has expanded its schema, and works beside this one",
                     "ledger");
    if (store_check_not_moved(d.store, &err) != RC_OK)
        doctor_found(x, FINDING_BAD, err.text, "the service starts with it", "ledger");
    doctor_judge(x, store_check(d.store, &err), &err, "every page and reference is whole",
                 "ledger");
    if (x->config->async_failover == CONFIG_FAILOVER_REFUSED)
        doctor_judge(x, store_standbys(d.store, &err), &err,
                     "no standby can take over without its last commits", "ledger");
    doctor_judge(x, store_check_chain(d.store, &err), &err, "the chain of events is whole",
                 "ledger");
    doctor_judge(x, try_disk(&d, &err), &err, "files can be written and made durable", "data_dir");
    examine_room(x, &d);
    examine_awaited(x, &d);
    examine_store(x, &d.stored);
}

/* ---- what leaves the machine ------------------------------------------------------------------------- */

static void examine_recipient(struct examining *x)
{
    CLEANUP(recipients_free) struct recipients *to = NULL;
    struct clock clock = system_clock();
    int64_t now_ms = clock_now(&clock).wall_ms;
    char end[WHEN_TEXT_SIZE], line[64];
    struct err err = ERR_INIT;
    const char *file = x->config->backup_recipient;
    if (!file[0])
        return;
    if (!doctor_judge(x, recipients_read(file, now_ms, &to, &err), &err,
                      "backups and archives can be sealed to it", "backup.recipient") ||
        recipients_end_ms(to) > now_ms + DAYS(30))
        return;
    when_text(recipients_end_ms(to), end);
    snprintf(line, sizeof line, "a certificate there expires on %.10s", end);
    doctor_found(x, FINDING_WARNING,
                 "then no backup is made: put a new one there, and keep the key of this one", line,
                 "backup.recipient");
}

/* ---- the virus scanner ------------------------------------------------------------------------------- */

/* The test file of the European Institute for Computer Antivirus Research, which every scanner finds. In
 * two halves, so that none finds it in this program. */
#define EICAR_1 "X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-"
#define EICAR_2 "ANTIVIRUS-TEST-FILE!$H+H*"

static struct scan_verdict scan(struct clamd *clamd, struct slice octets)
{
    struct scan_verdict v;
    struct scanner scanner = clamd_port(clamd);
    scanner.begin(scanner.self);
    scanner.add(scanner.self, octets);
    scanner.end(scanner.self, &v);
    return v;
}

static void examine_scan(struct examining *x,
                         struct clamd *clamd,
                         struct slice octets,
                         enum scan expected,
                         const char *what,
                         const char *mend)
{
    struct scan_verdict v = scan(clamd, octets);
    CLEANUP(str_clear) struct str text = STR_INIT;
    str_addf(&text, "it answers %s (%s): %s", scan_text(v.answer), v.said, mend);
    bool good = v.answer == expected;
    doctor_found(x, good ? FINDING_GOOD : FINDING_BAD, good ? "" : str_z(&text), what,
                 "virus scanner");
}

static void examine_scanner(struct examining *x)
{
    struct clamd_settings settings = wire_clamd(x->config);
    struct clock clock = system_clock();
    CLEANUP(str_clear) struct str version = STR_INIT;
    CLEANUP(str_clear) struct str eicar = STR_INIT;
    struct err err = ERR_INIT;
    if (!settings.socket[0])
        return;
    CLEANUP(clamd_free) struct clamd *clamd = clamd_new(&settings, &clock);
    enum rc rc = clamd_ask(clamd, "VERSION", &version, &err);
    if (!doctor_judge(x, rc, &err, rc == RC_OK ? str_z(&version) : "clamd answers",
                      "virus scanner"))
        return;
    examine_scan(x, clamd, SLICE("onecase"), SCAN_CLEAN, "a harmless file is found clean",
                 "look into its log; attachments wait until it scans");
    str_addz(&eicar, EICAR_1);
    str_addz(&eicar, EICAR_2);
    examine_scan(x, clamd, str_slice(&eicar), SCAN_FOUND, "the EICAR test file is found",
                 "its signatures are missing or old; run freshclam");
}

/* ---- a mailbox ---------------------------------------------------------------------------------------- */

static bool examine_folder(struct examining *x,
                           const struct mailbox *m,
                           const char *folder,
                           const char *what,
                           bool must_be,
                           const char *id)
{
    struct folder_state state = {0};
    struct err err = ERR_INIT;
    CLEANUP(str_clear) struct str line = STR_INIT;
    str_addf(&line, "%s '%s'", what, folder);
    enum rc rc = m->open(m->self, folder, &state, &err);
    if (rc != RC_NOT_FOUND || must_be)
        return doctor_judge(x, rc, &err, str_z(&line), id);
    doctor_found(x, FINDING_GOOD, "it is not there yet and will be made when it is needed",
                 str_z(&line), id);
    return true;
}

/* Where the server says that sent mail is, if it says so. */
static void name_sent(struct imap_mailbox *imap, struct str *mend)
{
    CLEANUP(str_clear) struct str sent = STR_INIT;
    struct err err = ERR_INIT;
    str_addz(mend, "set acknowledgement.evidence.folder to ");
    if (imap_mailbox_sent(imap, &sent, &err) == RC_OK && sent.len > 0)
        str_addf(mend, "\"%s\", which the server marks as the folder of sent mail", str_z(&sent));
    else
        str_addz(mend, "where the mail server keeps sent copies; it marks no folder as that of "
                       "sent mail");
}

static void examine_sent(struct examining *x,
                         const struct mailbox *port,
                         struct imap_mailbox *imap,
                         const struct config_mailbox *m)
{
    const char *folder = m->acknowledgement.evidence.folder;
    struct folder_state state = {0};
    struct err err = ERR_INIT;
    CLEANUP(str_clear) struct str line = STR_INIT;
    CLEANUP(str_clear) struct str mend = STR_INIT;
    str_addf(&line, "where sent copies are looked for, '%s'", folder);
    enum rc rc = port->open(port->self, folder, &state, &err);
    if (rc != RC_NOT_FOUND) {
        doctor_judge(x, rc, &err, str_z(&line), m->id);
        return;
    }
    str_addz(&mend, "there is no such folder: ");
    name_sent(imap, &mend);
    doctor_found(x, FINDING_BAD, str_z(&mend), str_z(&line), m->id);
}

static void examine_evidence(struct examining *x,
                             const struct mailbox *port,
                             struct imap_mailbox *imap,
                             const struct config_mailbox *m)
{
    const struct config_evidence *e = &m->acknowledgement.evidence;
    CLEANUP(str_clear) struct str mend = STR_INIT;
    if (!m->acknowledgement.enabled)
        return;
    if (e->folder[0])
        examine_sent(x, port, imap, m);
    if (e->folder[0] || e->copy_to[0])
        return;
    name_sent(imap, &mend);
    str_addz(&mend, ", or acknowledgement.evidence.copy_to to an address that reaches this "
                    "mailbox: then most doubts are settled without a person");
    doctor_found(x, FINDING_WARNING, str_z(&mend),
                 "nothing shows whether a confirmation in doubt was sent", m->id);
}

/* A server that cannot be reached is told once, and waited for once. */
static bool
examine_folders(struct examining *x, const struct mailbox *port, const struct config_mailbox *m)
{
    const struct config_folders *f = &m->folders;
    if (!examine_folder(x, port, f->inbox, "sign-in, and the inbox", true, m->id))
        return false;
    if (f->processed[0])
        examine_folder(x, port, f->processed, "where mail is filed,", false, m->id);
    if (f->claim[0] && m->mode == CONFIG_ACTIVE)
        examine_folder(x, port, f->claim, "our own folder", false, m->id);
    return true;
}

static void examine_imap(struct examining *x, const struct config_mailbox *m)
{
    struct clock clock = system_clock();
    struct endpoint endpoint = wire_endpoint(&m->imap);
    struct imap_mailbox *imap = imap_mailbox_new(&endpoint, &clock, -1);
    struct mailbox port = imap_mailbox_port(imap);
    if (examine_folders(x, &port, m)) {
        CLEANUP(str_clear) struct str facts = STR_INIT;
        examine_evidence(x, &port, imap, m);
        doctor_rights(x, m, imap, &facts);
        doctor_since_last(x, m->id, &facts);
    }
    imap_mailbox_free(imap);
}

static void examine_templates(struct examining *x, const struct config_mailbox *m)
{
    const struct config_acknowledgement *a = &m->acknowledgement;
    CLEANUP(letter_writer_free) struct letter_writer *writer = NULL;
    struct err err = ERR_INIT;
    struct letter_settings letter = wire_letters(x->config, a);
    doctor_judge(x, letter_writer_new(&letter, &writer, &err), &err, "the confirmation's texts",
                 m->id);
}

static void examine_smtp(struct examining *x, const struct config_mailbox *m)
{
    struct clock clock = system_clock();
    struct endpoint endpoint = wire_endpoint(&m->acknowledgement.smtp);
    CLEANUP(str_clear) struct str said = STR_INIT;
    struct err err = ERR_INIT;
    const char *sender =
        strcmp(m->acknowledgement.envelope_from, "<>") == 0 ? "" : m->acknowledgement.envelope_from;
    enum rc rc = smtp_try(&endpoint, &clock, sender, &said, &err);
    doctor_judge(x, rc, &err, "the mail server signs us in and takes our sender", m->id);
}

static void examine_secrets(struct examining *x, const struct config_mailbox *m)
{
    struct clock clock = system_clock();
    struct expiring expiring[EXPIRING_MOST];
    size_t count = config_expiring(m, clock_now(&clock).wall_ms, expiring);
    for (size_t i = 0; i < count; i++)
        doctor_found(x, expiring[i].over ? FINDING_BAD : FINDING_WARNING, EXPIRING_REMEDY,
                     expiring[i].text, m->id);
}

static void examine_mailbox(struct examining *x, const struct config_mailbox *m)
{
    examine_secrets(x, m);
    examine_imap(x, m);
    if (!m->acknowledgement.enabled) {
        doctor_found(x, FINDING_GOOD, "", "confirmations are switched off", m->id);
        return;
    }
    examine_templates(x, m);
    examine_smtp(x, m);
}

/* Nothing is sent: that is for `destination test`. */
static void examine_destinations(struct examining *x)
{
    for (size_t i = 0; i < x->config->destinations.count; i++) {
        const struct config_destination *d = &x->config->destinations.at[i];
        CLEANUP(str_clear) struct str what = STR_INIT;
        bool person = d->guarantee == CONFIG_GUARANTEE_NONE && d->unknown == CONFIG_RECONCILE;
        if (strcmp(d->name, x->config->destination) != 0)
            doctor_found(x, FINDING_WARNING, "name it in case.destination once it is tried",
                         "no case goes there", d->name);
        desk_guarantee(d, &what);
        doctor_found(x, person ? FINDING_WARNING : FINDING_GOOD,
                     person ? "give it a `find` by our key, or a guarantee, where it has one" : "",
                     str_z(&what), d->name);
    }
}

enum rc doctor_run(const struct config *config,
                   const char *send_to,
                   bool since_last,
                   void (*tell)(void *ctx, const struct check_result *result),
                   void *ctx,
                   struct err *err)
{
    struct examining x = {.config = config, .since_last = since_last, .tell = tell, .ctx = ctx};
    doctor_found(&x, FINDING_GOOD, "", "it is read and whole", "configuration");
    examine_data(&x);
    examine_recipient(&x);
    examine_scanner(&x);
    examine_destinations(&x);
    for (size_t i = 0; i < config->mailboxes.count; i++)
        examine_mailbox(&x, &config->mailboxes.at[i]);
    for (size_t i = 0; send_to && i < config->mailboxes.count; i++)
        if (config->mailboxes.at[i].acknowledgement.enabled)
            doctor_send(&x, &config->mailboxes.at[i], send_to);
    return x.bad ? FAIL(err, RC_REFUSED, "something is wrong") : RC_OK;
}
