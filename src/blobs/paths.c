/* SPDX-License-Identifier: Apache-2.0 */
#include "paths.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

PRINTF(2, 3)
static void write_path(char out[BLOB_PATH_SIZE], const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int len = vsnprintf(out, BLOB_PATH_SIZE, format, args);
    va_end(args);
    assert(len > 0 && len < BLOB_PATH_SIZE);
}

void blob_path_incoming(const struct digest *octets, char out[BLOB_PATH_SIZE])
{
    char hex[DIGEST_HEX_SIZE];

    digest_hex(octets, hex);
    write_path(out, "incoming/%s", hex);
}

void blob_path_original(const char *key, char out[BLOB_PATH_SIZE])
{
    write_path(out, "items/%.2s/%s/original.eml", key, key);
}

void blob_path_attachment(const char *key, const char *name, char out[BLOB_PATH_SIZE])
{
    write_path(out, "items/%.2s/%s/attachments/%s", key, key, name);
}

bool path_is_key(const char *key)
{
    return strlen(key) == KEY_SIZE - 1 && strspn(key, "0123456789abcdef") == KEY_SIZE - 1;
}

/* One component that names neither its folder nor the one above. */
static bool is_component(struct slice name)
{
    if (name.len == 0 || slice_eqz(name, ".") || slice_eqz(name, ".."))
        return false;
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.at[i] < 0x20 || name.at[i] == 0x7F || name.at[i] == '/')
            return false;
    return true;
}

bool path_is_name(const char *name)
{
    return strlen(name) < STORED_NAME_SIZE && is_component(slice_z(name));
}

bool path_is_under(const char *path, const char *folder)
{
    struct slice rest = slice_z(path);
    struct slice component;
    size_t depth = 0;

    if (rest.len >= BLOB_PATH_SIZE || rest.len == 0 || path[rest.len - 1] == '/')
        return false;
    while (slice_next(&rest, '/', &component)) {
        if (!is_component(component) || (depth == 0 && !slice_eqz(component, folder)))
            return false;
        depth++;
    }
    return depth >= 2;
}

int path_shown(const char *path)
{
    const char *name = strstr(path, "/attachments/");

    if (name == NULL)
        return (int)strlen(path);
    name += strlen("/attachments/");
    return (int)(name - path + (ptrdiff_t)strspn(name, "0123456789"));
}

struct hashing {
    struct sha256 *hash;
    int64_t size;
};

static enum rc add_to_hash(void *ctx, struct slice octets, struct err *err)
{
    struct hashing *h = ctx;

    (void)err;
    sha256_add(h->hash, octets);
    h->size += (int64_t)octets.len;
    return RC_OK;
}

enum rc blob_digest(
    const struct blobs *blobs, const char *path, struct digest *out, int64_t *size, struct err *err)
{
    CLEANUP(sha256_drop) struct sha256 *hash = sha256_new();
    struct hashing h = {hash, 0};

    TRY(blobs->read(blobs->self, path, &(struct blob_sink){&h, add_to_hash}, err));
    *out = sha256_done(&hash);
    *size = h.size;
    return RC_OK;
}

#define HEADER_MAX ((size_t)1024 * 1024)

static enum rc header_piece(void *ctx, struct slice octets, struct err *err)
{
    struct str *header = ctx;
    str_add(header, slice_cut(octets, 0, HEADER_MAX - header->len));
    bool whole = header->len >= HEADER_MAX || slice_has(str_slice(header), SLICE("\r\n\r\n")) ||
                 slice_has(str_slice(header), SLICE("\n\n"));
    return whole ? FAIL(err, RC_NOT_FOUND, "header: that is all of it") : RC_OK;
}

enum rc blob_header(const struct blobs *blobs, const char *path, struct str *out, struct err *err)
{
    const struct blob_sink sink = {out, header_piece};
    enum rc rc = blobs->read(blobs->self, path, &sink, err);

    return rc == RC_NOT_FOUND && out->len > 0 ? RC_OK : rc;
}
