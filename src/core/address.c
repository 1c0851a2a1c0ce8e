/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/policy.h>
#include <idn2.h>
#include <string.h>

/* One addr-spec that can stand in RCPT: a local part, a domain, nothing that ends a line or argument. */
static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

/* Blanks and brackets only within quotes; control characters nowhere. */
bool address_usable(struct slice address)
{
    size_t at = address.len;
    bool quoted = false;
    for (size_t i = 0; i < address.len; i++) {
        char c = address.at[i];
        if (is_control(c) || (!quoted && (c == ' ' || c == '<' || c == '>' || c == '\\')))
            return false;
        if (c == '@' && !quoted)
            at = i;
        else if (c == '"')
            quoted = !quoted;
        else if (c == '\\' && i + 1 < address.len && !is_control(address.at[i + 1]))
            i++;
    }
    return !quoted && at > 0 && at + 1 < address.len && address.len <= ADDRESS_MAX;
}

struct slice policy_recipient(const struct message *message)
{
    struct slice list = message_slice(message, message->reply_to);
    struct slice one;
    while (message_next(&list, &one))
        if (address_usable(one))
            return one;
    return message_slice(message, message->from);
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t last_at(struct slice address)
{
    size_t at = address.len;
    while (at > 0 && address.at[at - 1] != '@')
        at--;
    return at > 0 ? at - 1 : address.len;
}

/* The local part without its quotes and backslashes, and without +tag. */
static void add_local_part(struct slice local, struct str *out)
{
    bool quoted = local.len >= 2 && local.at[0] == '"' && local.at[local.len - 1] == '"';
    size_t from = out->len;
    if (quoted)
        local = slice_cut(local, 1, local.len - 2);
    for (size_t i = 0; i < local.len; i++) {
        if (quoted && local.at[i] == '\\' && i + 1 < local.len)
            i++;
        if (local.at[i] == '+' && out->len > from)
            return;
        str_addc(out, lower(local.at[i]));
    }
}

static bool is_ascii(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.at[i] >= 0x80)
            return false;
    return true;
}

/* The ASCII form of an international domain; what is none stays as it is. */
static void add_domain(struct slice domain, struct str *out)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    char *ascii = NULL;
    while (domain.len > 1 && domain.at[domain.len - 1] == '.')
        domain.len--;
    str_add(&text, domain);
    bool known =
        !is_ascii(domain) && domain.len <= ADDRESS_MAX &&
        idn2_to_ascii_8z(str_z(&text), &ascii, IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT) == IDN2_OK;
    struct slice form = known ? slice_z(ascii) : domain;
    for (size_t i = 0; i < form.len; i++)
        str_addc(out, lower(form.at[i]));
    if (known)
        idn2_free(ascii);
}

void address_canonical(struct slice address, struct str *out)
{
    str_empty(out);
    address = slice_trim(address);
    size_t at = last_at(address);
    add_local_part(slice_cut(address, 0, at), out);
    if (at == address.len)
        return;
    str_addc(out, '@');
    add_domain(slice_cut(address, at + 1, address.len), out);
}

/* "*" stands for any run of characters; linear, without recursion. */
static bool glob_matches(const char *pattern, struct slice text)
{
    size_t p = 0, t = 0, star = SIZE_MAX, mark = 0, length = strlen(pattern);
    while (t < text.len) {
        if (p < length && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < length && lower(pattern[p]) == text.at[t]) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < length && pattern[p] == '*')
        p++;
    return p == length;
}

bool address_matches(struct slice address, const struct texts *patterns)
{
    if (address.len == 0 || patterns->count == 0)
        return false;
    CLEANUP(str_clear) struct str canonical = STR_INIT;
    address_canonical(address, &canonical);
    for (size_t i = 0; i < patterns->count; i++) {
        CLEANUP(str_clear) struct str pattern = STR_INIT;
        address_canonical(slice_z(patterns->at[i]), &pattern);
        if (glob_matches(str_z(&pattern), str_slice(&canonical)))
            return true;
    }
    return false;
}
