/* SPDX-License-Identifier: Apache-2.0 */
#include "part_file.h"
#include "charset.h"
#include "prescan.h"

#include <gmime/gmime.h>
#include <string.h>

#define EXTENSION_MAX 32 /* octets with the dot */

/* What stands from the last dot on, or nothing where that is no extension. */
static struct slice extension(struct slice name)
{
    for (size_t len = 1; len < name.len && len <= EXTENSION_MAX; len++)
        if (name.at[name.len - len] == '.')
            return slice_cut(name, name.len - len, len);
    return SLICE_EMPTY;
}

/* Adds a name of at most `most` octets; what is left out of a longer one stood before its extension. */
static void add_short(struct str *out, struct slice name, size_t most)
{
    struct slice end = name.len > most ? extension(name) : SLICE_EMPTY;

    if (end.len > most)
        end = SLICE_EMPTY;
    str_add(out, utf8_beginning(slice_cut(name, 0, name.len - end.len), most - end.len));
    str_add(out, end);
}

static struct span keep_name(struct part_sink *sink, struct slice name)
{
    CLEANUP(str_clear) struct str kept = STR_INIT;
    gchar *composed = NULL;

    if (name.len > 0)
        composed = g_utf8_normalize(name.at, (gssize)name.len, G_NORMALIZE_DEFAULT_COMPOSE);
    if (composed != NULL)
        name = slice_z(composed);
    add_short(&kept, name, (size_t)sink->limits->name_octets);
    if (kept.len < name.len)
        sink->out->signs |= SIGN_INCOMPLETE;
    g_free(composed);
    return message_keep(sink->out, str_slice(&kept));
}

enum rc part_file_begin(struct part_file *f,
                        struct part_sink *sink,
                        const struct part_label *label,
                        struct err *err)
{
    CLEANUP(str_clear) struct str file = STR_INIT;

    if (sink->out->part_count >= (size_t)sink->limits->leaves)
        return limit_refuse(LIMIT_leaves, sink->limits, err);
    TRY(sink->spool->begin(sink->spool->self, label->role, &file, err));
    f->sink = sink;
    f->part = message_add_part(sink->out);
    f->part->role = label->role;
    f->part->type = message_keep(sink->out, label->type);
    f->part->name = keep_name(sink, label->name);
    f->part->file = message_keep(sink->out, str_slice(&file));
    f->hash = sha256_new();
    return RC_OK;
}

static void keep_start(struct part_file *f, struct slice octets)
{
    octets = slice_cut(octets, 0, MAGIC_OCTETS - f->started);
    if (octets.len > 0)
        memcpy(f->start + f->started, octets.at, octets.len);
    f->started += octets.len;
}

enum rc part_file_add(struct part_file *f, struct slice octets, struct err *err)
{
    assert(f->part != NULL);
    f->sink->total += (int64_t)octets.len;
    if (f->sink->total > f->sink->limits->decoded_octets)
        return limit_refuse(LIMIT_decoded_octets, f->sink->limits, err);
    sha256_add(f->hash, octets);
    keep_start(f, octets);
    f->part->size += (int64_t)octets.len;
    return f->sink->spool->add(f->sink->spool->self, octets, err);
}

enum rc part_file_end(struct part_file *f, struct err *err)
{
    f->part->sha256 = sha256_done(&f->hash);
    if (f->part->role == PART_ATTACHMENT)
        f->part->seen =
            message_keep(f->sink->out, magic_type((struct slice){f->start, f->started}));
    return f->sink->spool->end(f->sink->spool->self, err);
}

void part_file_clear(struct part_file *f)
{
    sha256_drop(&f->hash);
}

enum rc part_file_write(struct part_sink *sink,
                        const struct part_label *label,
                        struct slice octets,
                        struct err *err)
{
    CLEANUP(part_file_clear) struct part_file f = {.sink = sink};

    TRY(part_file_begin(&f, sink, label, err));
    TRY(part_file_add(&f, octets, err));
    return part_file_end(&f, err);
}
