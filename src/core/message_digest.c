/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/message.h>

#include <stdio.h>

/* A digest of texts that may hold anything: each is preceded by its length, so that no two lists
 * of texts give the same octets. */
static void add(struct sha256 *h, struct slice text)
{
    char length[24];

    snprintf(length, sizeof length, "%zu:", text.len);
    sha256_add(h, slice_z(length));
    sha256_add(h, text);
}

static void add_digest(struct sha256 *h, const struct digest *d)
{
    char hex[DIGEST_HEX_SIZE];

    digest_hex(d, hex);
    add(h, slice_z(hex));
}

/* Any change here, or of what a reader puts into these fields, is a new PAYLOAD_DIGEST_VERSION. */
struct digest message_payload_digest(const struct message *m)
{
    struct sha256 *h = sha256_new();
    char date[24] = "";

    if (m->has_date)
        snprintf(date, sizeof date, "%lld", (long long)m->date_ms);
    add(h, message_slice(m, m->from));
    add(h, message_slice(m, m->subject));
    add(h, slice_z(date));
    for (size_t i = 0; i < m->part_count; i++) {
        add(h, message_slice(m, m->parts[i].type));
        add(h, message_slice(m, m->parts[i].name));
        add_digest(h, &m->parts[i].sha256);
    }
    return sha256_done(&h);
}

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* As two people would call it the same: without case (of ASCII letters), each run of white space
 * one blank, none at the ends. */
static void add_alike(struct sha256 *h, struct slice text)
{
    CLEANUP(str_clear) struct str alike = STR_INIT;

    text = slice_trim(text);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];

        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (!is_white(c))
            str_addc(&alike, c);
        else if (!is_white(text.at[i - 1]))
            str_addc(&alike, ' ');
    }
    add(h, str_slice(&alike));
}

struct digest message_fingerprint(const struct message *m)
{
    struct sha256 *h = sha256_new();

    add_alike(h, message_slice(m, m->from));
    add_alike(h, subject_core(message_slice(m, m->subject)));
    add_alike(h, message_slice(m, m->text));
    for (size_t i = 0; i < m->part_count; i++)
        if (m->parts[i].role == PART_ATTACHMENT)
            add_digest(h, &m->parts[i].sha256);
    return sha256_done(&h);
}
