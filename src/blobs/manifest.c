/* SPDX-License-Identifier: Apache-2.0 */
#include "paths.h"

#include <onecase/manifest.h>
#include <onecase/when.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE        "onecase backup 1"
#define FIRST_LINE_SEALED "onecase sealed backup 1"
#define GROWS_BY          64

static bool is_ours(const struct manifest *m, const char *path)
{
    if (m->sealed_to[0] != '\0')
        return path_is_under(path, "sealed");
    return strcmp(path, MANIFEST_LEDGER) == 0 || path_is_under(path, "items") ||
           path_is_under(path, "incoming");
}

void manifest_add(struct manifest *m, const char *path, const struct digest *octets, int64_t size)
{
    if (m->files % GROWS_BY == 0)
        m->file = mem_grow(m->file, m->files + GROWS_BY, sizeof *m->file);
    m->file[m->files++] = (struct manifest_file){mem_text(path), *octets, size};
}

const struct manifest_file *manifest_find(const struct manifest *m, const char *path)
{
    for (size_t i = 0; i < m->files; i++)
        if (strcmp(m->file[i].path, path) == 0)
            return &m->file[i];
    return NULL;
}

void manifest_clear(struct manifest *m)
{
    for (size_t i = 0; i < m->files; i++)
        free(m->file[i].path);
    free(m->file);
    *m = (struct manifest){0};
}

/* ---- writing ------------------------------------------------------------------------------------ */

void manifest_write_files(const struct manifest *m, size_t first, struct str *out)
{
    char hex[DIGEST_HEX_SIZE];

    for (size_t i = first; i < m->files; i++) {
        digest_hex(&m->file[i].octets, hex);
        str_addf(out, "%s %" PRId64 " %s\n", hex, m->file[i].size, m->file[i].path);
    }
}

void manifest_write_end(struct str *text)
{
    char hex[DIGEST_HEX_SIZE];
    const struct digest all = sha256_of(str_slice(text));

    digest_hex(&all, hex);
    str_addf(text, "end %s\n", hex);
}

void manifest_write_head(const struct manifest *m, struct str *out)
{
    char at[WHEN_TEXT_SIZE];

    when_text(m->taken_ms, at);
    str_addz(out, m->sealed_to[0] != '\0' ? FIRST_LINE_SEALED : FIRST_LINE);
    str_addf(out, "\ntaken %s\nversion %s\nledger %s\n", at, m->version, m->ledger);
    str_addf(out, "event %" PRId64 " %s\nmails %" PRId64 "\n", m->event, m->hash, m->mails);
    if (m->sealed_to[0] != '\0')
        str_addf(out, "recipients %s\ninside %" PRId64 " %" PRId64 "\n", m->sealed_to, m->inside,
                 m->inside_octets);
}

void manifest_write(const struct manifest *m, struct str *out)
{
    manifest_write_head(m, out);
    manifest_write_files(m, 0, out);
    manifest_write_end(out);
}

/* ---- reading ------------------------------------------------------------------------------------ */

static bool take_line(struct slice *rest, struct slice *line)
{
    size_t end = slice_find(*rest, '\n', 0);

    if (end == rest->len)
        return false;
    *line = slice_cut(*rest, 0, end);
    *rest = slice_cut(*rest, end + 1, rest->len);
    return true;
}

static bool take_word(struct slice *line, struct slice *word)
{
    return slice_next(line, ' ', word) && word->len > 0;
}

static bool is_number(struct slice text, int64_t *out)
{
    if (text.len == 0 || text.len > 18)
        return false;
    *out = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
        *out = *out * 10 + (text.at[i] - '0');
    }
    return true;
}

static bool copy(struct slice text, char *out, size_t room)
{
    if (text.len >= room || memchr(text.at, '\0', text.len))
        return false;
    memcpy(out, text.at, text.len);
    out[text.len] = '\0';
    return true;
}

/* "NAME VALUE"; the value may be empty. */
static bool fact(struct slice *rest, const char *name, struct slice *value)
{
    struct slice line, word;

    if (!take_line(rest, &line) || !take_word(&line, &word) || !slice_eqz(word, name))
        return false;
    *value = line;
    return true;
}

static bool read_event(struct slice value, struct manifest *m)
{
    struct slice number;

    return take_word(&value, &number) && is_number(number, &m->event) &&
           copy(value, m->hash, sizeof m->hash);
}

static bool read_facts(struct slice *rest, struct manifest *m)
{
    struct slice value;

    return fact(rest, "taken", &value) && when_parse(value, &m->taken_ms) &&
           fact(rest, "version", &value) && copy(value, m->version, sizeof m->version) &&
           fact(rest, "ledger", &value) && copy(value, m->ledger, sizeof m->ledger) &&
           fact(rest, "event", &value) && read_event(value, m) && fact(rest, "mails", &value) &&
           is_number(value, &m->mails);
}

static bool read_sealed_facts(struct slice *rest, struct manifest *m)
{
    struct slice value, files;

    return fact(rest, "recipients", &value) && value.len > 0 &&
           copy(value, m->sealed_to, sizeof m->sealed_to) && fact(rest, "inside", &value) &&
           take_word(&value, &files) && is_number(files, &m->inside) &&
           is_number(value, &m->inside_octets);
}

/* Up to the first line of a file. */
static bool read_head(struct slice *rest, struct manifest *m)
{
    struct slice first;

    if (!take_line(rest, &first))
        return false;
    if (slice_eqz(first, FIRST_LINE_SEALED))
        return read_facts(rest, m) && read_sealed_facts(rest, m);
    return slice_eqz(first, FIRST_LINE) && read_facts(rest, m);
}

static bool read_file(struct slice line, struct manifest *m)
{
    struct slice hex, size;
    struct digest octets;
    int64_t octet_count;
    char path[BLOB_PATH_SIZE];

    if (!take_word(&line, &hex) || !digest_from_hex(hex, &octets) || !take_word(&line, &size) ||
        !is_number(size, &octet_count) || !copy(line, path, sizeof path) || !is_ours(m, path))
        return false;
    manifest_add(m, path, &octets, octet_count);
    return true;
}

static bool is_end(struct slice line, struct slice above)
{
    struct slice word;
    struct digest said, is = sha256_of(above);

    return take_word(&line, &word) && slice_eqz(word, "end") && digest_from_hex(line, &said) &&
           digest_eq(&said, &is);
}

static bool read_all(struct slice text, struct manifest *m)
{
    struct slice rest = text, line;

    if (!read_head(&rest, m))
        return false;
    for (;;) {
        struct slice above = slice_cut(text, 0, text.len - rest.len);

        if (!take_line(&rest, &line))
            return false;
        if (line.len > 3 && slice_eqz(slice_cut(line, 0, 4), "end "))
            return is_end(line, above) && rest.len == 0;
        if (!read_file(line, m))
            return false;
    }
}

enum rc manifest_read(struct slice text, struct manifest *out, struct err *err)
{
    CLEANUP(manifest_clear) struct manifest m = {0};

    if (!read_all(text, &m))
        return FAIL(err, RC_BROKEN, "backup: its manifest is not whole");
    *out = m;
    m = (struct manifest){0};
    return RC_OK;
}
