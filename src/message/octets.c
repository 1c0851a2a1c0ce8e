/* SPDX-License-Identifier: Apache-2.0 */
#include "octets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct octets octets_of_memory(struct slice memory)
{
    return (struct octets){(int64_t)memory.len, memory.at, -1, false};
}

struct octets octets_of_file(int file, int64_t size)
{
    return (struct octets){size, NULL, file, false};
}

static size_t smaller(size_t a, int64_t b)
{
    return (uint64_t)b < a ? (size_t)b : a;
}

static size_t read_file(struct octets *o, int64_t at, char *into, size_t room)
{
    size_t got = 0;

    while (got < room) {
        ssize_t more = pread(o->file, into + got, room - got, (off_t)(at + (int64_t)got));

        if (more < 0 && errno == EINTR)
            continue;
        o->failed |= more <= 0; /* an original that became shorter is none */
        if (more <= 0)
            break;
        got += (size_t)more;
    }
    return got;
}

size_t octets_read(struct octets *o, int64_t at, char *into, size_t room)
{
    if (at < 0 || at >= o->size)
        return 0;
    room = smaller(room, o->size - at);
    if (o->memory == NULL)
        return read_file(o, at, into, room);
    memcpy(into, o->memory + at, room);
    return room;
}

/* Views */

int64_t octet_view_size(const struct octet_view *v)
{
    return (int64_t)v->head.len + v->octets->size - v->body + (int64_t)(v->puts * VIEW_PUT_IN.len);
}

/* How many line ends were put in before `at` of the view, or at it. */
static size_t puts_before(const struct octet_view *v, int64_t at)
{
    size_t low = 0;
    size_t high = v->puts;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int64_t where =
            (int64_t)v->head.len + v->put[middle] - v->body + (int64_t)(middle * VIEW_PUT_IN.len);

        if (where <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t octet_view_origin(const struct octet_view *v, int64_t at)
{
    size_t puts = puts_before(v, at);
    int64_t origin = at - (int64_t)v->head.len + v->body - (int64_t)(puts * VIEW_PUT_IN.len);

    if (at < (int64_t)v->head.len)
        return -1;
    return puts > 0 && origin < v->put[puts - 1] ? v->put[puts - 1] : origin;
}

/* One piece: of the head, of a line end put in, or of the mail up to the next of those. */
static size_t read_piece(const struct octet_view *v, int64_t at, char *into, size_t room)
{
    struct slice piece = slice_cut(str_slice(&v->head), (size_t)at, room);
    size_t puts = puts_before(v, at);
    int64_t origin = at - (int64_t)v->head.len + v->body - (int64_t)(puts * VIEW_PUT_IN.len);

    if (puts > 0 && origin < v->put[puts - 1])
        piece = slice_cut(VIEW_PUT_IN,
                          (size_t)(origin - v->put[puts - 1] + (int64_t)VIEW_PUT_IN.len), room);
    if (piece.len > 0) {
        memcpy(into, piece.at, piece.len);
        return piece.len;
    }
    if (puts < v->puts)
        room = smaller(room, v->put[puts] - origin);
    room = octets_read(v->octets, origin, into, room);
    for (size_t i = 0; v->cr_ends_lines && i < room; i++)
        if (into[i] == '\r')
            into[i] = '\n';
    return room;
}

size_t octet_view_read(const struct octet_view *v, int64_t at, char *into, size_t room)
{
    size_t got = 0;

    while (got < room) {
        size_t more = read_piece(v, at + (int64_t)got, into + got, room - got);

        if (more == 0)
            break;
        got += more;
    }
    return got;
}

bool octet_view_put(struct octet_view *v, int64_t at)
{
    int64_t origin = octet_view_origin(v, at);
    size_t place = v->puts;

    if (origin < 0)
        return false;
    while (place > 0 && v->put[place - 1] >= origin) {
        if (v->put[place - 1] == origin)
            return false;
        place--;
    }
    v->put = mem_grow(v->put, v->puts + 1, sizeof *v->put);
    memmove(v->put + place + 1, v->put + place, (v->puts - place) * sizeof *v->put);
    v->put[place] = origin;
    v->puts++;
    return true;
}

void octet_view_clear(struct octet_view *v)
{
    str_clear(&v->head);
    free(v->put);
    *v = (struct octet_view){.octets = v->octets};
}
