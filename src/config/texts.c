/* SPDX-License-Identifier: Apache-2.0 */
#include "texts.h"

#include <string.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"

#define LOCAL_MAX   64  /* RFC 5321, 4.5.3.1.1 */
#define ADDRESS_MAX 254 /* the same with 4.5.3.1.3 */

bool is_plain(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.at[i] < 0x20 || text.at[i] == 0x7F)
            return false;
    return true;
}

/* Between `least` and `most` octets, each of them in `allowed` or, where `wide`, not ASCII. */
static bool made_of(struct slice text, const char *allowed, bool wide, size_t least, size_t most)
{
    if (text.len < least || text.len > most)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (!(wide && (unsigned char)text.at[i] >= 0x80) &&
            (text.at[i] == '\0' || strchr(allowed, text.at[i]) == NULL))
            return false;
    return true;
}

/* Addresses */

static bool is_local_and_domain(struct slice text, bool stars)
{
    size_t at = slice_find(text, '@', 0);
    struct slice local = slice_cut(text, 0, at);
    struct slice domain = slice_cut(text, at + 1, text.len);

    return text.len <= ADDRESS_MAX &&
           made_of(local, LETTERS DIGITS "!#$%&'*+/=?^_`{|}~.-", true, 1, LOCAL_MAX) &&
           made_of(domain, stars ? LETTERS DIGITS ".-_*" : LETTERS DIGITS ".-_", true, 1,
                   ADDRESS_MAX) &&
           domain.at[0] != '.' && domain.at[domain.len - 1] != '.';
}

bool is_address(struct slice text)
{
    return is_local_and_domain(text, false);
}

bool is_pattern(struct slice text)
{
    return is_local_and_domain(text, true);
}

/* The quotes that a name with a comma or a dot stands in are not part of it. */
static struct slice unquoted(struct slice name)
{
    if (name.len >= 2 && name.at[0] == '"' && name.at[name.len - 1] == '"')
        return slice_cut(name, 1, name.len - 2);
    return name;
}

bool sender_split(struct slice text, struct slice *name, struct slice *address)
{
    size_t open = text.len;

    while (open > 0 && text.at[open - 1] != '<')
        open--;
    *name = SLICE_EMPTY;
    *address = text;
    if (open > 0 && text.at[text.len - 1] == '>') {
        *name = unquoted(slice_trim(slice_cut(text, 0, open - 1)));
        *address = slice_cut(text, open, text.len - open - 1);
    }
    return is_plain(*name) && slice_find(*name, '"', 0) == name->len &&
           slice_find(*name, '\\', 0) == name->len && is_address(*address);
}

bool is_sender(struct slice text)
{
    struct slice name;
    struct slice address;

    return sender_split(text, &name, &address);
}

bool is_reverse_path(struct slice text)
{
    return slice_eqz(text, "<>") || is_address(text);
}

/* Names */

static bool is_mime_type(struct slice text)
{
    static const char token[] = LETTERS DIGITS "!#$&^_.+-";
    size_t at = slice_find(text, '/', 0);
    struct slice subtype = slice_cut(text, at + 1, text.len);

    return made_of(slice_cut(text, 0, at), token, false, 1, 127) &&
           (slice_eqz(subtype, "*") || made_of(subtype, token, false, 1, 127));
}

bool is_file_kind(struct slice text)
{
    if (text.len > 0 && text.at[0] == '.')
        return made_of(slice_cut(text, 1, text.len), LETTERS DIGITS "_+-", false, 1, 16);
    return is_mime_type(text);
}

bool is_prefix(struct slice text)
{
    return made_of(text, LETTERS DIGITS "-_.#", false, 1, 12);
}

bool is_host(struct slice text)
{
    return made_of(text, LETTERS DIGITS ".-_:", true, 1, 253);
}

bool is_header(struct slice text)
{
    return made_of(text, LETTERS DIGITS "-_.", false, 1, 64);
}

bool is_method(struct slice text)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};

    for (size_t i = 0; i < LENGTH(methods); i++)
        if (slice_eqz(text, methods[i]))
            return true;
    return false;
}

/* Places */

static bool is_port(struct slice text)
{
    unsigned long port = 0;

    if (!made_of(text, DIGITS, false, 1, 5))
        return false;
    for (size_t i = 0; i < text.len; i++)
        port = 10 * port + (unsigned long)(text.at[i] - '0');
    return port >= 1 && port <= 65535;
}

bool is_listen(struct slice text)
{
    size_t colon = text.len;

    while (colon > 0 && text.at[colon - 1] != ':')
        colon--;
    if (colon < 2 || !is_port(slice_cut(text, colon, text.len)))
        return false;

    struct slice host = slice_cut(text, 0, colon - 1);

    if (host.at[0] == '[' && host.at[host.len - 1] == ']')
        return made_of(slice_cut(host, 1, host.len - 2), DIGITS "abcdefABCDEF:.", false, 2, 45);
    return made_of(host, LETTERS DIGITS ".-", false, 1, 253);
}

/* sockaddr_un has room for 108 octets with its NUL. */
bool is_socket(struct slice text)
{
    if (text.len > 0 && text.at[0] == '/')
        return text.len < 108 && is_plain(text);
    return is_listen(text);
}

bool is_ledger(struct slice text)
{
    return slice_eqz(text, "sqlite") ||
           (is_plain(text) && (slice_starts_nocase(text, SLICE("postgresql://")) ||
                               slice_starts_nocase(text, SLICE("postgres://"))));
}

bool is_blobs(struct slice text)
{
    static const struct slice scheme = {"s3://", 5};
    struct slice rest = slice_cut(text, scheme.len, text.len);
    size_t end = slice_find(rest, '/', 0);
    struct slice prefix = slice_cut(rest, end + 1, rest.len);

    if (slice_eqz(text, "file"))
        return true;
    return slice_starts_nocase(text, scheme) &&
           made_of(slice_cut(rest, 0, end), "abcdefghijklmnopqrstuvwxyz" DIGITS ".-", false, 3,
                   63) &&
           made_of(prefix, LETTERS DIGITS "-_.~/", false, 0, 128) &&
           !slice_has(prefix, SLICE("//")) && !slice_has(prefix, SLICE("..")) &&
           (prefix.len == 0 || prefix.at[0] != '/');
}

bool is_template(struct slice text)
{
    return is_plain(text) && text.len >= 1 && text.len <= 128 && text.at[0] != '.' &&
           slice_find(text, '/', 0) == text.len;
}
