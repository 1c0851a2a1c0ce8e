/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor_p.h"

#include <onecase/digest.h>
#include <onecase/mailbox.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the account may do in a folder ----------------------------------------------------------- */

enum place { IN_INBOX, IN_PROCESSED, IN_CLAIM, IN_EVIDENCE };

/* clang-format off */
static const struct need {
    enum place place;
    char right;          /* RFC 4314 */
    const char *to;      /* what it lets one do */
    const char *without;
} needs[] = {
/*    where          right  lets one                 without it */
    { IN_INBOX,      'r',   "read messages",         "nothing can be taken in" },
    { IN_INBOX,      't',   "mark messages deleted", "no message can be filed" },
    { IN_INBOX,      'e',   "expunge",               "what is filed stays in the inbox, marked as deleted" },
    { IN_PROCESSED,  'i',   "add messages",          "no message can be filed" },
    { IN_PROCESSED,  'r',   "read messages",         "after a crash nobody knows what was filed" },
    { IN_CLAIM,      'i',   "add messages",          "a second deployment is not noticed, and nothing is sent" },
    { IN_CLAIM,      'r',   "read messages",         "a second deployment is not noticed, and nothing is sent" },
    { IN_CLAIM,      't',   "mark messages deleted", "the marks of old pile up" },
    { IN_CLAIM,      'e',   "expunge",               "the marks of old pile up" },
    { IN_EVIDENCE,   'r',   "read messages",         "it is not seen whether a confirmation in doubt was sent" },
};
/* clang-format on */

/* Servers of before RFC 4314 have d for what are t, e and x today. */
static bool has_right(const char *rights, char right)
{
    bool old = strpbrk(rights, "tekx") == NULL;
    return strchr(rights, old && (right == 't' || right == 'e') ? 'd' : right) != NULL;
}

static void judge_need(struct examining *x,
                       const struct need *need,
                       const char *folder,
                       const char *rights,
                       const char *id)
{
    CLEANUP(str_clear) struct str what = STR_INIT;
    CLEANUP(str_clear) struct str mend = STR_INIT;
    str_addf(&what, "the account may not %s in \"%s\"", need->to, folder);
    str_addf(&mend,
             "without it %s; have the server's administrator give the account the right %c there "
             "(it has: %s)",
             need->without, need->right, rights);
    doctor_found(x, FINDING_BAD, str_z(&mend), str_z(&what), id);
}

struct looking {
    struct examining *x;
    const struct config_mailbox *mailbox;
    struct imap_mailbox *imap;
    struct mailbox port;
    struct str *facts;
};

static void examine_rights(const struct looking *l, enum place place, const char *folder)
{
    CLEANUP(str_clear) struct str rights = STR_INIT;
    struct err err = ERR_INIT;
    bool good = true;
    if (!folder[0] || imap_mailbox_rights(l->imap, folder, &rights, &err) != RC_OK ||
        rights.len == 0)
        return;
    for (size_t i = 0; i < rights.len; i++)
        str_addf(l->facts, "the right %c in \"%s\"\n", rights.at[i], folder);
    for (size_t i = 0; i < LENGTH(needs); i++) {
        if (needs[i].place != place || has_right(str_z(&rights), needs[i].right))
            continue;
        judge_need(l->x, &needs[i], folder, str_z(&rights), l->mailbox->id);
        good = false;
    }
    CLEANUP(str_clear) struct str what = STR_INIT;
    str_addf(&what, "the rights in \"%s\" (%s)", folder, str_z(&rights));
    if (good)
        doctor_found(l->x, FINDING_GOOD, "", str_z(&what), l->mailbox->id);
}

static bool is_there(const struct looking *l, const char *folder)
{
    struct folder_state state;
    struct err err = ERR_INIT;
    return folder[0] && l->port.open(l->port.self, folder, &state, &err) == RC_OK;
}

static void examine_all_rights(const struct looking *l)
{
    const struct config_folders *f = &l->mailbox->folders;
    const char *evidence = l->mailbox->acknowledgement.evidence.folder;
    const struct {
        enum place place;
        const char *folder;
    } places[] = {{IN_INBOX, f->inbox},
                  {IN_PROCESSED, f->processed},
                  {IN_CLAIM, f->claim},
                  {IN_EVIDENCE, l->mailbox->acknowledgement.enabled ? evidence : ""}};
    for (size_t i = 0; i < LENGTH(places); i++)
        if (is_there(l, places[i].folder))
            examine_rights(l, places[i].place, places[i].folder);
}

/* ---- room --------------------------------------------------------------------------------------------- */

static void judge_room(const struct looking *l, const struct quota_part *part)
{
    CLEANUP(str_clear) struct str what = STR_INIT;
    CLEANUP(str_clear) struct str mend = STR_INIT;
    bool low = part->percent >= (int64_t)l->mailbox->quota_warning;
    quota_words(part, &what);
    str_addf(l->facts, "a quota of %" PRId64 " %s\n", part->limit, part->unit);
    if (low)
        str_addz(&mend,
                 "when it is full nothing comes in and nothing can be filed: make room in it, "
                 "or have its quota raised");
    doctor_found(l->x, low ? FINDING_WARNING : FINDING_GOOD, str_z(&mend), str_z(&what),
                 l->mailbox->id);
}

static void examine_quota(const struct looking *l)
{
    struct quota quota;
    struct quota_part parts[QUOTA_PARTS_MOST];
    struct err err = ERR_INIT;
    if (imap_mailbox_quota(l->imap, l->mailbox->folders.inbox, &quota, &err) != RC_OK)
        return;
    size_t count = quota_parts(&quota, parts);
    for (size_t i = 0; i < count; i++)
        judge_room(l, &parts[i]);
}

/* ---- junk ---------------------------------------------------------------------------------------------- */

static void examine_junk(const struct looking *l)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    CLEANUP(str_clear) struct str what = STR_INIT;
    int64_t messages;
    struct err err = ERR_INIT;
    if (imap_mailbox_junk(l->imap, &name, &messages, &err) != RC_OK || messages < 0)
        return;
    str_addf(&what, "%" PRId64 " message%s in the server's folder of junk, \"%s\"", messages,
             messages == 1 ? " lies" : "s lie", str_z(&name));
    doctor_found(l->x, messages > 0 ? FINDING_WARNING : FINDING_GOOD,
                 messages > 0
                     ? "onecase does not look there: see whether a request is among them, and "
                       "move it to the inbox"
                     : "",
                 str_z(&what), l->mailbox->id);
}

/* ---- a probe ------------------------------------------------------------------------------------------- */

#define LETTER                                                                                     \
    "From: onecase <onecase@localhost>\r\nSubject: a trial of doctor's\r\n"                        \
    "Date: Thu, 01 Jan 2026 00:00:00 +0000\r\n\r\nIt may be removed.\r\n"

struct probe {
    struct mailbox port;
    struct imap_mailbox *imap;
    char from[96], to[96];
    uint32_t uidvalidity, uid;
};

typedef enum rc probe_fn(struct probe *p, struct err *err);

/* The one message of a folder. */
static enum rc
find(struct probe *p, const char *folder, struct folder_state *state, struct err *err)
{
    CLEANUP(mem_free) struct mail_line *line = NULL;
    size_t count = 0;
    TRY(p->port.open(p->port.self, folder, state, err));
    TRY(p->port.list(p->port.self, folder, state->uidvalidity, 1, &line, &count, err));
    if (count != 1)
        return FAIL(err, RC_REFUSED, "the server shows %zu messages in place of one", count);
    p->uidvalidity = state->uidvalidity;
    p->uid = line[0].uid;
    return RC_OK;
}

static enum rc probe_add(struct probe *p, struct err *err)
{
    return p->port.append(p->port.self, p->from, SLICE(LETTER), err);
}

static enum rc probe_see(struct probe *p, struct err *err)
{
    struct folder_state state;
    return find(p, p->from, &state, err);
}

static enum rc probe_move(struct probe *p, struct err *err)
{
    struct move_result one = {.uid = p->uid};
    TRY(p->port.move(p->port.self, p->from, p->uidvalidity, &one, 1, p->to, err));
    return one.moved == MOVED_YES
               ? RC_OK
               : FAIL(err, RC_REFUSED, "the server took the command, and the message stayed");
}

static enum rc probe_remove(struct probe *p, struct err *err)
{
    struct folder_state state;
    TRY(find(p, p->to, &state, err));
    return p->port.remove(p->port.self, p->to, p->uidvalidity, p->uid, err);
}

static enum rc probe_gone(struct probe *p, struct err *err)
{
    struct folder_state state;
    TRY(p->port.open(p->port.self, p->to, &state, err));
    return state.exists == 0
               ? RC_OK
               : FAIL(err, RC_REFUSED, "the message is marked as deleted, and still there");
}

static enum rc probe_drop(struct probe *p, struct err *err)
{
    TRY(imap_mailbox_drop_folder(p->imap, p->to, err));
    return imap_mailbox_drop_folder(p->imap, p->from, err);
}

/* clang-format off */
static const struct {
    probe_fn *run;
    enum finding finding;
    const char *what;    /* "the account cannot ..." */
    const char *without;
} steps[] = {
/*    step          where it fails    the account cannot                              without it */
    { probe_add,    FINDING_BAD,      "make a folder and add a message to it",        "our own folder and Processed cannot be made: make both by hand, or give it the right" },
    { probe_see,    FINDING_BAD,      "see a message that it has just added",         "nothing can be taken in or looked for" },
    { probe_move,   FINDING_BAD,      "move a message to another folder",             "no message can be filed" },
    { probe_remove, FINDING_BAD,      "mark a message of its own as deleted",         "the marks of old pile up in our own folder" },
    { probe_gone,   FINDING_WARNING,  "expunge a message of its own",                 "what is filed stays in the inbox, marked as deleted, until somebody expunges it" },
    { probe_drop,   FINDING_WARNING,  "delete a folder of its own",                   "the two folders of this trial stay: delete them by hand" },
};
/* clang-format on */

static void name_folders(struct probe *p)
{
    struct digest random;
    char hex[DIGEST_HEX_SIZE];
    digest_random(&random);
    digest_hex(&random, hex);
    hex[8] = '\0';
    snprintf(p->from, sizeof p->from, "onecase-trial-%s", hex);
    snprintf(p->to, sizeof p->to, "onecase-trial-%s-2", hex);
}

static void clear_up(struct probe *p)
{
    struct err ignored = ERR_INIT;
    (void)!imap_mailbox_drop_folder(p->imap, p->to, &ignored);
    (void)!imap_mailbox_drop_folder(p->imap, p->from, &ignored);
}

static void examine_probe(const struct looking *l)
{
    struct probe p = {.port = l->port, .imap = l->imap};
    struct err err = ERR_INIT;
    name_folders(&p);
    for (size_t i = 0; i < LENGTH(steps); i++) {
        CLEANUP(str_clear) struct str what = STR_INIT;
        CLEANUP(str_clear) struct str mend = STR_INIT;
        if (steps[i].run(&p, &err) == RC_OK)
            continue;
        str_addf(&what, "in a folder of a trial, the account cannot %s", steps[i].what);
        str_addf(&mend, "%s. Without it %s", err.text, steps[i].without);
        doctor_found(l->x, steps[i].finding, str_z(&mend), str_z(&what), l->mailbox->id);
        if (steps[i].run == probe_gone)
            continue; /* it can do without */
        clear_up(&p);
        return;
    }
    doctor_found(l->x, FINDING_GOOD, "",
                 "a trial: folders are made, and a message is added, moved, removed",
                 l->mailbox->id);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void note_offers(const struct looking *l)
{
    CLEANUP(str_clear) struct str offers = STR_INIT;
    struct err err = ERR_INIT;
    struct slice rest;
    struct slice word;
    if (imap_mailbox_offers(l->imap, &offers, &err) != RC_OK)
        return;
    rest = str_slice(&offers);
    while (slice_next(&rest, ' ', &word))
        if (word.len > 0)
            str_addf(l->facts, "the capability %.*s\n", (int)word.len, word.at);
}

static bool offers(const struct str *facts, const char *word)
{
    CLEANUP(str_clear) struct str line = STR_INIT;
    str_addf(&line, "the capability %s\n", word);
    return slice_has_nocase(str_slice(facts), str_slice(&line));
}

void doctor_rights(struct examining *x,
                   const struct config_mailbox *mailbox,
                   struct imap_mailbox *imap,
                   struct str *facts)
{
    const struct looking l = {x, mailbox, imap, imap_mailbox_port(imap), facts};
    note_offers(&l);
    if (offers(facts, "ACL"))
        examine_all_rights(&l);
    examine_quota(&l);
    examine_junk(&l);
    if (mailbox->mode == CONFIG_ACTIVE)
        examine_probe(&l);
}
