/* SPDX-License-Identifier: Apache-2.0 */
#include "examine.h"

#include "ask.h"

#include <stdlib.h>
#include <string.h>

/* An exabyte of kilobytes: whoever says more, says that there is no limit. */
#define NUMBER_MOST INT64_C(1000000000000)

/* ---- lines of the server ---------------------------------------------------------------------------- */

void read_rights(struct slice line, struct str *out)
{
    size_t from = line.len;

    while (from > 0 && line.at[from - 1] != ' ')
        from--;
    for (size_t i = from; i < line.len; i++)
        if ((line.at[i] >= 'a' && line.at[i] <= 'z') || (line.at[i] >= '0' && line.at[i] <= '9'))
            str_addc(out, line.at[i]);
}

/* What stands between the last "(" and the ")" behind it. */
static struct slice in_brackets(struct slice line)
{
    size_t from = line.len;

    while (from > 0 && line.at[from - 1] != '(')
        from--;
    if (from == 0)
        return SLICE_EMPTY;
    return slice_cut(line, from, slice_find(line, ')', from) - from);
}

static int64_t number_of(struct slice word)
{
    int64_t number = word.len > 0 ? 0 : -1;

    for (size_t i = 0; i < word.len && number >= 0; i++) {
        bool digit = word.at[i] >= '0' && word.at[i] <= '9';

        number = digit && number < NUMBER_MOST ? number * 10 + (word.at[i] - '0') : -1;
    }
    return number;
}

bool read_quota(struct slice line, const char *resource, int64_t *used, int64_t *limit)
{
    struct slice rest = in_brackets(line);
    struct slice name;
    struct slice first;
    struct slice second;

    while (slice_next(&rest, ' ', &name) && slice_next(&rest, ' ', &first) &&
           slice_next(&rest, ' ', &second)) {
        if (!slice_eq_nocase(name, slice_z(resource)))
            continue;
        *used = number_of(first);
        *limit = number_of(second);
        return *used >= 0 && *limit > 0;
    }
    return false;
}

/* Takes the new one where it is fuller. */
static void take_fuller(int64_t used, int64_t limit, int64_t *most_used, int64_t *of_limit)
{
    const struct quota now = {.used_messages = used, .limit_messages = limit};
    const struct quota before = {.used_messages = *most_used, .limit_messages = *of_limit};

    if (*of_limit > 0 && quota_fullest(&now).percent <= quota_fullest(&before).percent)
        return;
    *most_used = used;
    *of_limit = limit;
}

void read_quotas(struct slice line, struct quota *out)
{
    int64_t used;
    int64_t limit;

    if (read_quota(line, "STORAGE", &used, &limit))
        take_fuller(used * 1024, limit * 1024, &out->used_octets, &out->limit_octets);
    if (read_quota(line, "MESSAGE", &used, &limit))
        take_fuller(used, limit, &out->used_messages, &out->limit_messages);
}

static bool has_word(struct slice words, struct slice wanted)
{
    struct slice word;

    while (slice_next(&words, ' ', &word))
        if (slice_eq_nocase(word, wanted))
            return true;
    return false;
}

static struct slice without_quotes(struct slice name, struct str *held)
{
    if (name.len < 2 || name.at[0] != '"' || name.at[name.len - 1] != '"')
        return name;
    for (size_t i = 1; i + 1 < name.len; i++) {
        i += name.at[i] == '\\' && i + 2 < name.len;
        str_addc(held, name.at[i]);
    }
    return str_slice(held);
}

/* (\HasNoChildren \Junk) "/" Junk */
bool read_marked(struct slice line, const char *mark, struct str *name)
{
    CLEANUP(str_clear) struct str held = STR_INIT;
    size_t end = slice_find(line, ')', 0);
    struct slice delimiter;

    if (!slice_starts_nocase(line, SLICE("(")) ||
        !has_word(slice_cut(line, 1, end - 1), slice_z(mark)))
        return false;
    line = slice_cut(line, end + 2, line.len);
    if (!slice_next(&line, ' ', &delimiter) || line.len == 0)
        return false;
    str_empty(name);
    str_add(name, without_quotes(line, &held));
    return name->len > 0 && name->at[0] != '{';
}

int64_t read_messages(struct slice line)
{
    struct slice rest = in_brackets(line);
    struct slice name;
    struct slice value;

    while (slice_next(&rest, ' ', &name) && slice_next(&rest, ' ', &value))
        if (slice_eq_nocase(name, SLICE("MESSAGES")))
            return number_of(value);
    return -1;
}

/* ---- questions ---------------------------------------------------------------------------------------- */

static void add_quoted(struct str *out, const char *wire)
{
    str_addc(out, '"');
    for (const char *at = wire; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            str_addc(out, '\\');
        str_addc(out, *at);
    }
    str_addc(out, '"');
}

/* "Q1 VERB "folder" rest", asked; a server that refuses has said nothing. */
static enum rc ask_about(struct imap_mailbox *m,
                         const char *verb,
                         const char *wire,
                         const char *rest,
                         struct question *q,
                         struct err *err)
{
    CLEANUP(str_clear) struct str command = STR_INIT;

    TRY(session_ready(m, err));
    str_addf(&command, "Q1 %s", verb);
    if (wire != NULL) {
        str_addc(&command, ' ');
        add_quoted(&command, wire);
    }
    str_addf(&command, "%s\r\n", rest);
    q->command = str_slice(&command);
    return ask(m, q, err);
}

static void hear_rights(struct slice line, void *ctx)
{
    struct str *out = ctx;

    str_empty(out);
    read_rights(line, out);
}

static void hear_quota(struct slice line, void *ctx)
{
    read_quotas(line, ctx);
}

struct marked {
    const char *mark;
    struct str *name; /* of the first that has it */
};

static void hear_marked(struct slice line, void *ctx)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    const struct marked *m = ctx;

    if (m->name->len == 0 && read_marked(line, m->mark, &name))
        str_add(m->name, str_slice(&name));
}

static void hear_messages(struct slice line, void *ctx)
{
    int64_t *out = ctx;

    *out = read_messages(line);
}

static void hear_words(struct slice line, void *ctx)
{
    struct str *out = ctx;

    str_empty(out);
    str_add(out, line);
}

enum rc imap_mailbox_offers(struct imap_mailbox *m, struct str *out, struct err *err)
{
    struct question q = {.sign = SLICE("* CAPABILITY "), .read = hear_words, .ctx = out};

    return ask_about(m, "CAPABILITY", NULL, "", &q, err);
}

enum rc
imap_mailbox_rights(struct imap_mailbox *m, const char *folder, struct str *out, struct err *err)
{
    CLEANUP(str_clear) struct str wire = STR_INIT;
    struct question q = {.sign = SLICE("* MYRIGHTS "), .read = hear_rights, .ctx = out};

    TRY(session_ready(m, err));
    TRY(name_to_wire(&m->names, folder, &wire, err));
    return ask_about(m, "MYRIGHTS", str_z(&wire), "", &q, err);
}

enum rc
imap_mailbox_quota(struct imap_mailbox *m, const char *folder, struct quota *out, struct err *err)
{
    CLEANUP(str_clear) struct str wire = STR_INIT;
    struct question q = {.sign = SLICE("* QUOTA "), .read = hear_quota, .ctx = out};

    *out = (struct quota){0, 0, 0, 0};
    TRY(session_ready(m, err));
    if ((m->capabilities & CAN_QUOTA) == 0)
        return FAIL(err, RC_NOT_FOUND, "imap: the server has no QUOTA");
    TRY(name_to_wire(&m->names, folder, &wire, err));
    return ask_about(m, "GETQUOTAROOT", str_z(&wire), "", &q, err);
}

/* Adds its name on the wire; nothing where no folder has that mark. */
static enum rc
find_marked(struct imap_mailbox *m, const char *mark, struct str *wire, struct err *err)
{
    struct marked marked = {mark, wire};
    struct question list = {.sign = SLICE("* LIST "), .read = hear_marked, .ctx = &marked};

    return ask_about(m, "LIST", "", " \"*\"", &list, err);
}

enum rc
imap_mailbox_junk(struct imap_mailbox *m, struct str *name, int64_t *messages, struct err *err)
{
    struct question status = {.sign = SLICE("* STATUS "), .read = hear_messages, .ctx = messages};
    CLEANUP(str_clear) struct str wire = STR_INIT;

    str_empty(name);
    *messages = -1;
    TRY(find_marked(m, "\\Junk", &wire, err));
    if (wire.len == 0)
        return RC_OK;
    name_from_wire(&m->names, str_slice(&wire), name);
    return ask_about(m, "STATUS", str_z(&wire), " (MESSAGES)", &status, err);
}

enum rc imap_mailbox_sent(struct imap_mailbox *m, struct str *name, struct err *err)
{
    CLEANUP(str_clear) struct str wire = STR_INIT;

    str_empty(name);
    TRY(find_marked(m, "\\Sent", &wire, err));
    name_from_wire(&m->names, str_slice(&wire), name);
    return RC_OK;
}

enum rc imap_mailbox_drop_folder(struct imap_mailbox *m, const char *folder, struct err *err)
{
    CLEANUP(str_clear) struct str wire = STR_INIT;

    TRY(session_ready(m, err));
    TRY(name_to_wire(&m->names, folder, &wire, err));
    if (strcmp(str_z(&m->selected), str_z(&wire)) == 0)
        TRY(select_folder(m, "INBOX", false, err)); /* some refuse to delete what is open */
    command_begin(m, BUDGET_SMALL);
    (void)!command_end(m, mailimap_unsubscribe(m->session, str_z(&wire)), "unsubscribe", NULL);
    TRY(session_ready(m, err));
    command_begin(m, BUDGET_SMALL);
    return command_end(m, mailimap_delete(m->session, str_z(&wire)), "delete a folder", err);
}
