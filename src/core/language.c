/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/language.h>
#include <string.h>

#define SUBTAG_MAX 8 /* RFC 5646, 2.1 */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool language_valid(struct slice tag)
{
    struct slice subtag;
    bool first = true;
    if (tag.len == 0 || tag.len >= LANGUAGE_SIZE || tag.at[tag.len - 1] == '-')
        return false;
    for (; slice_next(&tag, '-', &subtag); first = false) {
        if (subtag.len < (first ? 2 : 1) || subtag.len > SUBTAG_MAX)
            return false;
        for (size_t i = 0; i < subtag.len; i++)
            if (!is_letter(subtag.at[i]) && (first || subtag.at[i] < '0' || subtag.at[i] > '9'))
                return false;
    }
    return true;
}

/* ---- what a sender wrote ------------------------------------------------------------------------ */

/* Takes the next word of letters, digits and "-" that is in no comment. */
static bool take_tag(struct slice *rest, struct slice *tag)
{
    size_t at = 0, depth = 0;
    for (; at < rest->len; at++) {
        char c = rest->at[at];
        if (depth == 0 && (is_letter(c) || (c >= '0' && c <= '9')))
            break;
        depth += c == '(';
        depth -= c == ')' && depth > 0;
    }
    size_t end = at;
    while (end < rest->len && rest->at[end] != ',' && rest->at[end] != ' ' &&
           rest->at[end] != '\t' && rest->at[end] != '(' && rest->at[end] != ';')
        end++;
    *tag = slice_cut(*rest, at, end - at);
    *rest = slice_cut(*rest, end, rest->len);
    return tag->len > 0;
}

static void add_lower(char *out, size_t at, struct slice tag)
{
    for (size_t i = 0; i < tag.len; i++)
        out[at + i] = tag.at[i] >= 'A' && tag.at[i] <= 'Z' ? (char)(tag.at[i] + 32) : tag.at[i];
    out[at + tag.len] = '\0';
}

void language_list(struct slice field, char out[LANGUAGES_SIZE])
{
    struct slice tag;
    size_t len = 0;
    out[0] = '\0';
    while (take_tag(&field, &tag)) {
        size_t gap = len > 0;
        if (!language_valid(tag))
            continue;
        if (len + gap + tag.len >= LANGUAGES_SIZE)
            return;
        out[len] = gap ? ' ' : out[len];
        add_lower(out, len + gap, tag);
        len += gap + tag.len;
    }
}

/* ---- who speaks it ------------------------------------------------------------------------------ */

static size_t find(struct slice tag, const char *const *spoken, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (spoken[i] && spoken[i][0] && slice_eq_nocase(tag, slice_z(spoken[i])))
            return i;
    return count;
}

static struct slice without_last_subtag(struct slice tag)
{
    size_t len = tag.len;
    while (len > 0 && tag.at[len - 1] != '-')
        len--;
    return slice_cut(tag, 0, len > 0 ? len - 1 : 0);
}

static struct slice primary(struct slice tag)
{
    return slice_cut(tag, 0, slice_find(tag, '-', 0));
}

/* The tag itself, then each shorter one; at last any variety of the same language. */
static size_t pick_one(struct slice tag, const char *const *spoken, size_t count)
{
    for (struct slice t = tag; t.len > 0; t = without_last_subtag(t)) {
        size_t found = find(t, spoken, count);
        if (found < count)
            return found;
    }
    for (size_t i = 0; i < count; i++)
        if (spoken[i] && spoken[i][0] && slice_eq_nocase(primary(tag), primary(slice_z(spoken[i]))))
            return i;
    return count;
}

size_t language_pick(const char *wished, const char *const *spoken, size_t count)
{
    struct slice rest = slice_z(wished);
    struct slice tag;
    while (slice_next(&rest, ' ', &tag)) {
        size_t found = tag.len > 0 ? pick_one(tag, spoken, count) : count;
        if (found < count)
            return found;
    }
    return count;
}
