/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/str.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64
#define USUAL_LEN  40 /* of what is formatted */

/* Allocation */

static size_t bytes_of(size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        abort();
    return bytes > 0 ? bytes : 1;
}

void *mem_new(size_t count, size_t size)
{
    void *at = calloc(1, bytes_of(count, size));

    if (at == NULL)
        abort();
    return at;
}

void *mem_grow(void *at, size_t count, size_t size)
{
    void *grown = realloc(at, bytes_of(count, size));

    if (grown == NULL)
        abort();
    return grown;
}

char *mem_text(const char *text)
{
    if (text == NULL)
        return NULL;

    size_t bytes = strlen(text) + 1;

    return memcpy(mem_new(bytes, 1), text, bytes);
}

/* Copies the pointer out and in: it may be of any type, which a void ** may not alias. */
void mem_free(void *pointer_to_pointer)
{
    void *at;

    memcpy(&at, pointer_to_pointer, sizeof at);
    free(at);
    at = NULL;
    memcpy(pointer_to_pointer, &at, sizeof at);
}

/* Owned octets */

static void make_room(struct str *s, size_t more)
{
    size_t needed;
    size_t room = s->room > 0 ? s->room : FIRST_ROOM;

    if (__builtin_add_overflow(s->len, more, &needed) || needed >= SIZE_MAX / 2)
        abort();
    needed++; /* the NUL */
    if (needed <= s->room)
        return;
    while (room < needed)
        room *= 2;
    s->at = mem_grow(s->at, room, 1);
    s->room = room;
}

void text_copy(char *out, size_t room, const char *text)
{
    size_t len = strlen(text);

    if (len >= room) {
        len = room - 1;
        while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
            len--;
    }
    memmove(out, text, len);
    out[len] = '\0';
}

void str_clear(struct str *s)
{
    free(s->at);
    *s = (struct str)STR_INIT;
}

void str_wipe(struct str *s)
{
    for (size_t i = 0; i < s->room; i++)
        ((volatile char *)s->at)[i] = '\0';
    str_clear(s);
}

void str_empty(struct str *s)
{
    s->len = 0;
    if (s->at != NULL)
        s->at[0] = '\0';
}

void str_add(struct str *s, struct slice what)
{
    make_room(s, what.len);
    if (what.len > 0)
        memcpy(s->at + s->len, what.at, what.len);
    s->len += what.len;
    s->at[s->len] = '\0';
}

void str_addz(struct str *s, const char *text)
{
    str_add(s, slice_z(text));
}

void str_addc(struct str *s, char c)
{
    if (s->len + 1 >= s->room)
        make_room(s, 1);
    s->at[s->len++] = c;
    s->at[s->len] = '\0';
}

void str_addf(struct str *s, const char *format, ...)
{
    size_t left;
    int len;

    make_room(s, USUAL_LEN);
    do { /* once more where it is longer than what was left */
        va_list args;

        left = s->room - s->len;
        va_start(args, format);
        len = vsnprintf(s->at + s->len, left, format, args);
        va_end(args);
        if (len < 0)
            abort();
        make_room(s, (size_t)len);
    } while ((size_t)len >= left);
    s->len += (size_t)len;
}

const char *str_z(const struct str *s)
{
    return s->at != NULL ? s->at : "";
}

struct slice str_slice(const struct str *s)
{
    return (struct slice){str_z(s), s->len};
}

/* Borrowed octets */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct slice slice_z(const char *text)
{
    return text != NULL ? (struct slice){text, strlen(text)} : SLICE_EMPTY;
}

struct slice slice_cut(struct slice s, size_t from, size_t len)
{
    if (from >= s.len)
        return SLICE_EMPTY;
    return (struct slice){s.at + from, len < s.len - from ? len : s.len - from};
}

struct slice slice_trim(struct slice s)
{
    while (s.len > 0 && is_blank(s.at[s.len - 1]))
        s.len--;
    while (s.len > 0 && is_blank(s.at[0])) {
        s.at++;
        s.len--;
    }
    return s;
}

bool slice_eq(struct slice a, struct slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

bool slice_eqz(struct slice a, const char *text)
{
    return slice_eq(a, slice_z(text));
}

bool slice_eq_nocase(struct slice a, struct slice b)
{
    return a.len == b.len && slice_starts_nocase(a, b);
}

bool slice_starts_nocase(struct slice s, struct slice with)
{
    if (with.len > s.len)
        return false;
    for (size_t i = 0; i < with.len; i++)
        if (lower(s.at[i]) != lower(with.at[i]))
            return false;
    return true;
}

bool slice_has(struct slice s, struct slice needle)
{
    for (size_t from = 0; needle.len <= s.len - from; from++) {
        if (needle.len == 0)
            return true;
        from = slice_find(s, needle.at[0], from);
        if (slice_eq(slice_cut(s, from, needle.len), needle))
            return true;
        if (from == s.len)
            return false;
    }
    return false;
}

bool slice_has_nocase(struct slice s, struct slice needle)
{
    for (size_t from = 0; needle.len <= s.len - from; from++)
        if (slice_starts_nocase((struct slice){s.at + from, s.len - from}, needle))
            return true;
    return false;
}

int slice_compare(struct slice a, struct slice b)
{
    size_t shared = a.len < b.len ? a.len : b.len;
    int order = shared > 0 ? memcmp(a.at, b.at, shared) : 0;

    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

size_t slice_find(struct slice s, char c, size_t from)
{
    const char *found = from < s.len ? memchr(s.at + from, c, s.len - from) : NULL;

    return found != NULL ? (size_t)(found - s.at) : s.len;
}

bool slice_next(struct slice *rest, char by, struct slice *out)
{
    if (rest->len == 0)
        return false;

    size_t end = slice_find(*rest, by, 0);

    *out = (struct slice){rest->at, end};
    *rest = slice_cut(*rest, end + 1, rest->len);
    return true;
}
