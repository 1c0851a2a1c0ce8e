/* SPDX-License-Identifier: Apache-2.0 */
#include "view_stream.h"

#include <string.h>

/* GMime asks for 4 kB at a time. */
#define AHEAD 65536

struct view_stream {
    GMimeStream stream;
    const struct octet_view *view;
    char *ahead; /* what was read of the view from `ahead_at` on; owned */
    gint64 ahead_at;
    size_t ahead_len;
};

struct view_stream_class {
    GMimeStreamClass stream;
};

static GType view_stream_type(void);

static const struct octet_view *view_of(GMimeStream *stream)
{
    return ((struct view_stream *)stream)->view;
}

static gint64 end_of(GMimeStream *stream)
{
    return stream->bound_end >= 0 ? stream->bound_end : octet_view_size(view_of(stream));
}

static size_t read_ahead(struct view_stream *s, gint64 at, char *into, size_t room)
{
    if (at < s->ahead_at || at >= s->ahead_at + (gint64)s->ahead_len) {
        if (s->ahead == NULL)
            s->ahead = mem_new(1, AHEAD);
        s->ahead_at = at;
        s->ahead_len = octet_view_read(s->view, at, s->ahead, AHEAD);
    }

    size_t from = (size_t)(at - s->ahead_at);

    room = room < s->ahead_len - from ? room : s->ahead_len - from;
    memcpy(into, s->ahead + from, room);
    return room;
}

static ssize_t stream_read(GMimeStream *stream, char *into, size_t room)
{
    gint64 left = end_of(stream) - stream->position;

    if (left <= 0)
        return 0;
    if ((guint64)left < room)
        room = (size_t)left;
    room = read_ahead((struct view_stream *)stream, stream->position, into, room);
    stream->position += (gint64)room;
    return (ssize_t)room;
}

static ssize_t stream_write(GMimeStream *stream, const char *from, size_t len)
{
    (void)stream, (void)from, (void)len;
    return -1;
}

static int stream_nothing(GMimeStream *stream)
{
    (void)stream;
    return 0;
}

static gboolean stream_eos(GMimeStream *stream)
{
    return stream->position >= end_of(stream);
}

static int stream_reset(GMimeStream *stream)
{
    stream->position = stream->bound_start;
    return 0;
}

static gint64 stream_seek(GMimeStream *stream, gint64 offset, GMimeSeekWhence whence)
{
    if (whence == GMIME_STREAM_SEEK_CUR)
        offset += stream->position;
    else if (whence == GMIME_STREAM_SEEK_END)
        offset += end_of(stream);
    if (offset < stream->bound_start || offset > end_of(stream))
        return -1;
    stream->position = offset;
    return offset;
}

static gint64 stream_tell(GMimeStream *stream)
{
    return stream->position;
}

static gint64 stream_length(GMimeStream *stream)
{
    return end_of(stream) - stream->bound_start;
}

static GMimeStream *stream_of(const struct octet_view *view, gint64 start, gint64 end)
{
    struct view_stream *s = g_object_new(view_stream_type(), NULL);

    s->view = view;
    g_mime_stream_construct(&s->stream, start, end);
    return &s->stream;
}

static GMimeStream *stream_substream(GMimeStream *stream, gint64 start, gint64 end)
{
    return stream_of(view_of(stream), start, end);
}

static GObjectClass *parent;

static void finalize(GObject *object)
{
    mem_free(&((struct view_stream *)object)->ahead);
    parent->finalize(object);
}

static void class_init(gpointer class, gpointer unused)
{
    GMimeStreamClass *c = class;

    (void)unused;
    parent = g_type_class_peek_parent(class);
    G_OBJECT_CLASS(class)->finalize = finalize;
    c->read = stream_read;
    c->write = stream_write;
    c->flush = stream_nothing;
    c->close = stream_nothing;
    c->eos = stream_eos;
    c->reset = stream_reset;
    c->seek = stream_seek;
    c->tell = stream_tell;
    c->length = stream_length;
    c->substream = stream_substream;
}

/* Registered with glib once in a process; it has no other way of making a class. */
static GType view_stream_type(void)
{
    static GType type;

    if (type == 0)
        type = g_type_register_static_simple(GMIME_TYPE_STREAM, "OnecaseViewStream",
                                             sizeof(struct view_stream_class), class_init,
                                             sizeof(struct view_stream), NULL, (GTypeFlags)0);
    return type;
}

GMimeStream *view_stream_new(const struct octet_view *view)
{
    return stream_of(view, 0, -1);
}
