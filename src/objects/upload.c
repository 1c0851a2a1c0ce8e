/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"
#include "s3_p.h"

#include <stdio.h>
#include <string.h>

#define READ_ROOM 65536

/* A piece of a local file. */
struct piece {
    const struct files *files;
    const char *path;
    int64_t offset, size;
};

static enum rc
read_piece(void *ctx, int64_t offset, char *into, size_t room, size_t *got, struct err *err)
{
    const struct piece *p = ctx;

    return p->files->read(p->files->self, p->path, p->offset + offset, into, room, got, err);
}

/* Of at most `most` octets from `offset`: how many there are, and their digest. */
static enum rc measure(struct piece *p, int64_t most, struct digest *sha256, struct err *err)
{
    CLEANUP(sha256_drop) struct sha256 *hash = sha256_new();
    CLEANUP(mem_free) char *room = mem_new(READ_ROOM, 1);
    size_t got = 1;

    for (p->size = 0; p->size < most && got > 0; p->size += (int64_t)got) {
        int64_t left = most - p->size;

        TRY(read_piece(p, p->size, room, left < READ_ROOM ? (size_t)left : READ_ROOM, &got, err));
        sha256_add(hash, (struct slice){room, got});
    }
    *sha256 = sha256_done(&hash);
    return RC_OK;
}

static enum rc send_piece(struct s3_files *s,
                          struct piece *p,
                          const struct digest *sha256,
                          const struct s3_ask *how,
                          struct http_answer *out,
                          struct err *err)
{
    const struct http_upload upload = {.read = read_piece, .ctx = p, .size = p->size};
    struct s3_ask ask = *how;

    ask.method = "PUT";
    ask.upload = &upload;
    ask.sha256 = sha256;
    return s3_ask(s, &ask, out, err);
}

/* A store that does not know the condition says so once; what it then writes was asked for before. */
static enum rc send_whole(struct s3_files *s,
                          struct piece *p,
                          const struct digest *sha256,
                          const char *path,
                          struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer a = {.status = 0};
    const struct s3_ask ask = {.path = path, .only_new = true};
    enum rc rc = send_piece(s, p, sha256, &ask, &a, err);

    if (a.status != 501 || s->overwrites)
        return rc;
    s->overwrites = true;
    return send_piece(s, p, sha256, &ask, &a, err);
}

/* In parts */

struct parts {
    struct s3_files *s;
    const char *path;
    struct str id;   /* encoded, as a query has it; "" is none begun */
    struct str list; /* what it is completed with */
};

static void parts_clear(struct parts *p)
{
    str_clear(&p->id);
    str_clear(&p->list);
}

static enum rc begin_parts(struct parts *p, struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer a = {.status = 0};
    CLEANUP(s3_said_clear) struct s3_said said = {.root = STR_INIT};
    const struct s3_ask ask = {.method = "POST", .path = p->path, .query = "uploads="};

    TRY(s3_ask(p->s, &ask, &a, err));
    TRY(s3_answer_read(str_slice(&a.body), NULL, NULL, NULL, &said, err));
    if (said.upload_id.len == 0)
        return FAIL(err, RC_BROKEN, "s3: the store gave an upload no id");
    s3_add_encoded(&p->id, str_z(&said.upload_id));
    str_addz(&p->list, "<CompleteMultipartUpload>");
    return RC_OK;
}

static void add_escaped(struct str *out, const char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '"')
            str_addz(out, "&quot;");
        else if (*text != '<' && *text != '&' && *text != '>')
            str_addc(out, *text);
}

static enum rc send_part(struct parts *p,
                         unsigned number,
                         struct piece *piece,
                         const struct digest *sha256,
                         struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer a = {.status = 0};
    CLEANUP(str_clear) struct str query = STR_INIT;

    str_addf(&query, "partNumber=%u&uploadId=%s", number, str_z(&p->id));
    const struct s3_ask ask = {.path = p->path, .query = str_z(&query), .wanted = "ETag"};

    TRY(send_piece(p->s, piece, sha256, &ask, &a, err));
    if (a.header[0] == '\0')
        return FAIL(err, RC_BROKEN, "s3: the store gave a part no ETag");
    str_addf(&p->list, "<Part><PartNumber>%u</PartNumber><ETag>", number);
    add_escaped(&p->list, a.header);
    str_addz(&p->list, "</ETag></Part>");
    return RC_OK;
}

/* A status 200 is no success yet: a store that takes its time says first 200 and then what happened. */
static enum rc complete_parts(struct parts *p, struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer a = {.status = 0};
    CLEANUP(s3_said_clear) struct s3_said said = {.root = STR_INIT};
    CLEANUP(str_clear) struct str query = STR_INIT;

    str_addf(&query, "uploadId=%s", str_z(&p->id));
    str_addz(&p->list, "</CompleteMultipartUpload>");
    const struct s3_ask ask = {.method = "POST",
                               .path = p->path,
                               .query = str_z(&query),
                               .body = str_slice(&p->list),
                               .only_new = true};

    TRY(s3_ask(p->s, &ask, &a, err));
    TRY(s3_answer_read(str_slice(&a.body), NULL, NULL, NULL, &said, err));
    if (strcmp(str_z(&said.root), "CompleteMultipartUploadResult") != 0)
        return FAIL(err, RC_DEFERRED, "s3 POST \"%s\": the store could not put the parts together",
                    p->path);
    return RC_OK;
}

/* What is left behind is found by the sweep. */
static void abort_parts(struct parts *p)
{
    CLEANUP(str_clear) struct str query = STR_INIT;
    struct err why = ERR_INIT;

    str_addf(&query, "uploadId=%s", str_z(&p->id));
    s3_remove(p->s, p->path, str_z(&query), &why);
}

/* `piece` is the first, measured; each further one is measured before it is sent. */
static enum rc
send_all(struct parts *p, struct piece *piece, struct digest *sha256, struct err *err)
{
    for (unsigned number = 1; piece->size > 0; number++) {
        TRY(send_part(p, number, piece, sha256, err));
        piece->offset += piece->size;
        TRY(measure(piece, p->s->part_size, sha256, err));
    }
    return complete_parts(p, err);
}

static enum rc send_parts(struct s3_files *s,
                          struct piece *piece,
                          struct digest *sha256,
                          const char *path,
                          struct err *err)
{
    CLEANUP(parts_clear) struct parts p = {.s = s, .path = path};

    TRY(begin_parts(&p, err));
    enum rc rc = send_all(&p, piece, sha256, err);

    if (rc != RC_OK)
        abort_parts(&p);
    return rc;
}

enum rc s3_upload(struct s3_files *s, const char *from, const char *path, struct err *err)
{
    struct piece p = {.files = &s->local, .path = from};
    struct digest sha256;

    TRY(measure(&p, s->part_size, &sha256, err));
    return p.size < s->part_size ? send_whole(s, &p, &sha256, path, err)
                                 : send_parts(s, &p, &sha256, path, err);
}
