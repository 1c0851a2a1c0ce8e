/* SPDX-License-Identifier: Apache-2.0 */
#include "upload.h"

#include <onecase/base64.h>
#include <string.h>

static int64_t file_size(const struct http_upload *u)
{
    return u->base64 ? (u->size + 2) / 3 * 4 : u->size;
}

int64_t sending_size(const struct http_request *request)
{
    const struct http_upload *u = request->upload;
    return (int64_t)request->body.len + file_size(u) + (int64_t)u->after.len;
}

void sending_again(struct sending *s)
{
    s->at = 0;
    str_empty(&s->chunk);
}

void sending_clear(struct sending *s)
{
    str_clear(&s->chunk);
}

static size_t give(struct sending *s, struct slice from, size_t skip, char *into, size_t room)
{
    size_t left = from.len - skip;
    size_t given = left < room ? left : room;
    memcpy(into, from.at + skip, given);
    s->at += (int64_t)given;
    return given;
}

/* A file that ends before its size is another than the one that was announced. */
static enum rc
read_piece(const struct http_upload *u, int64_t offset, char *into, size_t wanted, struct err *err)
{
    size_t have = 0;
    while (have < wanted) {
        size_t got = 0;
        TRY(u->read(u->ctx, offset + (int64_t)have, into + have, wanted - have, &got, err));
        if (got == 0)
            return FAIL(err, RC_CONFLICT, "http: the file is shorter than it was");
        have += got;
    }
    return RC_OK;
}

/* The piece of the file in which `at` stands, an octet of the file as it is sent. */
static enum rc load(struct sending *s, int64_t at, struct err *err)
{
    const struct http_upload *u = s->request->upload;
    char raw[UPLOAD_CHUNK];
    int64_t number = at / (u->base64 ? UPLOAD_CHUNK / 3 * 4 : UPLOAD_CHUNK);
    int64_t offset = number * UPLOAD_CHUNK;
    int64_t left = u->size - offset;
    size_t wanted = left < UPLOAD_CHUNK ? (size_t)left : UPLOAD_CHUNK;
    str_empty(&s->chunk);
    TRY(read_piece(u, offset, raw, wanted, err));
    if (u->base64)
        base64_add(&s->chunk, (struct slice){raw, wanted});
    else
        str_add(&s->chunk, (struct slice){raw, wanted});
    s->chunk_begin = number * (u->base64 ? UPLOAD_CHUNK / 3 * 4 : UPLOAD_CHUNK);
    return RC_OK;
}

static size_t of_file(struct sending *s, int64_t at, char *into, size_t room)
{
    bool here =
        s->chunk.len > 0 && at >= s->chunk_begin && at < s->chunk_begin + (int64_t)s->chunk.len;
    if (!here && load(s, at, &s->why) != RC_OK) {
        s->failed = true;
        return 0;
    }
    return give(s, str_slice(&s->chunk), (size_t)(at - s->chunk_begin), into, room);
}

size_t sending_next(struct sending *s, char *into, size_t room)
{
    const struct http_request *r = s->request;
    int64_t before = (int64_t)r->body.len;
    int64_t file = file_size(r->upload);
    if (s->at < before)
        return give(s, r->body, (size_t)s->at, into, room);
    if (s->at < before + file)
        return of_file(s, s->at - before, into, room);
    return give(s, r->upload->after, (size_t)(s->at - before - file), into, room);
}
