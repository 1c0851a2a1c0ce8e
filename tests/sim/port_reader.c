/* SPDX-License-Identifier: Apache-2.0 */
#include "deployment.h"
#include "gate.h"
#include "ports.h"
#include "world.h"

#include <onecase/source.h>

#include <stdio.h>
#include <string.h>

/* A header field, unfolded; empty where it is not there. */
static void field(struct slice octets, const char *name, struct str *out)
{
    struct slice raw;

    str_empty(out);
    if (header_first(octets, name, &raw))
        header_unfold(raw, out);
}

static struct span keep_field(struct message *m, struct slice octets, const char *name)
{
    CLEANUP(str_clear) struct str value = STR_INIT;

    field(octets, name, &value);
    return message_keep(m, str_slice(&value));
}

/* What stands between < and >, or all of it. */
static struct span keep_address(struct message *m, struct slice octets, const char *name)
{
    CLEANUP(str_clear) struct str value = STR_INIT;
    struct slice address;

    field(octets, name, &value);
    address = str_slice(&value);
    size_t open = slice_find(address, '<', 0);

    if (open < address.len)
        address = slice_cut(address, open + 1, slice_find(address, '>', open) - open - 1);
    return message_keep(m, address);
}

static void keep_list(struct message *m, struct slice octets, const char *name, struct span *out)
{
    CLEANUP(str_clear) struct str value = STR_INIT;

    field(octets, name, &value);
    if (value.len > 0)
        message_list_add(m, out, str_slice(&value));
}

static bool has_field(struct slice octets, const char *name)
{
    struct slice raw;

    return header_first(octets, name, &raw);
}

static uint32_t signs_of(struct slice octets)
{
    uint32_t signs = 0;
    struct slice path;

    if (has_field(octets, "Auto-Submitted"))
        signs |= SIGN_AUTO_SUBMITTED;
    if (has_field(octets, "List-Id"))
        signs |= SIGN_LIST_HEADER;
    if (header_first(octets, "Return-Path", &path) && slice_eqz(slice_trim(path), "<>"))
        signs |= SIGN_NULL_PATH;
    if (has_field(octets, "X-Reported"))
        signs |= SIGN_DELIVERY_REPORT;
    return signs;
}

static void read_header(struct message *m, struct slice octets)
{
    CLEANUP(str_clear) struct str id = STR_INIT;
    CLEANUP(str_clear) struct str date = STR_INIT;
    struct slice raw;

    m->from = keep_address(m, octets, "From");
    m->subject = keep_field(m, octets, "Subject");
    keep_list(m, octets, "Reply-To", &m->reply_to);
    keep_list(m, octets, "To", &m->to);
    keep_list(m, octets, "In-Reply-To", &m->in_reply_to);
    keep_list(m, octets, "References", &m->references);
    m->list_id = keep_address(m, octets, "List-Id");
    m->acknowledgement = keep_field(m, octets, "X-Onecase-Acknowledgement");
    m->proof = keep_field(m, octets, "X-Onecase-Proof");
    keep_list(m, octets, "X-Reported", &m->reported);
    m->report_action = keep_field(m, octets, "X-Report");
    if (header_first(octets, "Message-ID", &raw))
        message_id_normalise(raw, &id);
    m->message_id = message_keep(m, str_slice(&id));
    field(octets, "Date", &date);
    m->has_date = date_parse(str_slice(&date), &m->date_ms);
    m->signs = signs_of(octets);
}

/* A decoded part, as a spool file of this run: what another process wrote is not durable. A person's
 * tool keeps none. */
static enum rc spool(struct run *run,
                     struct message_part *part,
                     struct message *m,
                     struct slice octets,
                     struct err *err)
{
    char path[64];

    part->size = (int64_t)octets.len;
    part->sha256 = sha256_of(octets);
    if (run == NULL)
        return RC_OK;
    snprintf(path, sizeof path, "tmp/part-%u-%u", run->number, ++run->spools);
    part->file = message_keep(m, slice_z(path));
    TRY(disk_make_folder(disk_of(run, "tmp"), "tmp", err));
    return disk_create(disk_of(run, path), path, octets, err);
}

/* "=attachment NAME TYPE" and its octets, up to the next. */
static enum rc
read_attachment(struct run *run, struct message *m, struct slice piece, struct err *err)
{
    struct slice rest = piece;
    struct slice line, word, type;

    slice_next(&rest, '\n', &line);
    line = slice_trim(line);
    slice_next(&line, ' ', &word);
    slice_next(&line, ' ', &word);
    type = line;
    struct message_part *part = message_add_part(m);

    part->role = PART_ATTACHMENT;
    part->name = message_keep(m, word);
    part->type = message_keep(m, type);
    return spool(run, part, m, rest, err);
}

/* Where the next attachment begins, or the end. */
static size_t next_attachment(struct slice body, size_t from)
{
    static const char mark[] = "=attachment ";

    for (size_t at = from; at < body.len; at = slice_find(body, '\n', at) + 1)
        if (slice_starts_nocase(slice_cut(body, at, body.len), SLICE(mark)))
            return at;
    return body.len;
}

static enum rc read_body(struct run *run, struct message *m, struct slice body, struct err *err)
{
    size_t at = next_attachment(body, 0);
    struct slice text = slice_cut(body, 0, at);
    struct message_part *part = message_add_part(m);

    part->role = PART_TEXT;
    part->type = message_keep(m, SLICE("text/plain"));
    TRY(spool(run, part, m, text, err));
    m->text = message_keep(m, text);
    while (at < body.len) {
        size_t end = next_attachment(body, slice_find(body, '\n', at) + 1);

        TRY(read_attachment(run, m, slice_cut(body, at, end - at), err));
        at = end;
    }
    return RC_OK;
}

enum rc reader_read(struct run *run, struct slice octets, struct message *out, struct err *err)
{
    const char *end = strstr(octets.at, "\r\n\r\n");
    size_t body = end == NULL ? octets.len : (size_t)(end - octets.at) + 4;
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;

    if (has_field(octets, "X-Unreadable"))
        return FAIL(err, RC_REFUSED, "sim: the reader died of it");
    read_header(&m, octets);
    TRY(read_body(run, &m, slice_cut(octets, body, octets.len), err));
    *out = m;
    m = (struct message)MESSAGE_INIT;
    return RC_OK;
}

static enum rc
read_stored(struct run *run, const char *path, bool files, struct message *out, struct err *err)
{
    struct slice stored;
    CLEANUP(str_clear) struct str octets = STR_INIT;

    if (!disk_look(disk_of(run, path), path, &stored))
        return FAIL(err, RC_NOT_FOUND, "sim: '%s' is not there", path);
    str_add(&octets, stored);
    return reader_read(files ? run : NULL, str_slice(&octets), out, err);
}

static enum rc
try_read(struct run *run, const char *path, bool files, struct message *out, struct err *err)
{
    enum answer answer = gate_open(run, CALL_READER_READ);

    if (answer != ANSWER_TRUE)
        return answer_fail(CALL_READER_READ, answer, err);
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;

    TRY(read_stored(run, path, files, &m, err));
    TRY(gate_close(run, CALL_READER_READ, RC_OK, err));
    *out = m;
    m = (struct message)MESSAGE_INIT;
    return RC_OK;
}

static enum rc port_read(void *self, const char *path, struct message *out, struct err *err)
{
    return try_read(self, path, true, out, err);
}

static enum rc port_look(void *self, const char *path, struct message *out, struct err *err)
{
    return try_read(self, path, false, out, err);
}

struct reader port_reader(struct run *run)
{
    return (struct reader){.self = run, .read = port_read, .look = port_look};
}
