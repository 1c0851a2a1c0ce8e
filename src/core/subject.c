/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/message.h>

/* clang-format off */
/* What mail programs put before the subject of a reply or a forwarded mail, and a colon after it. */
static const char *const prefixes[] = {
    "Re", "Fwd", "Fw", "Forward",
    "Aw", "Antw", "Antwort", "Wg",                 /* German */
    "Sv", "Vs", "Vb", "Vl", "Videresendt",         /* Scandinavian, Finnish */
    "Tr", "Rép", "Réf",                            /* French */
    "Rv", "Res", "Enc",                            /* Spanish, Portuguese */
    "R", "I", "Rif",                               /* Italian */
    "Doorst",                                      /* Dutch */
    "Odp", "Pd",                                   /* Polish */
    "Ynt", "İlt",                                  /* Turkish */
    "Απ", "ΑΠ", "Πρθ", "ΠΡΘ",                      /* Greek */
    "На", "Отв", "Ha",                             /* Russian */
    "回复", "回覆", "答复", "转发", "轉寄",          /* Chinese */
    "返信", "転送",                                 /* Japanese */
    "답장", "회신", "전달",                         /* Korean */
};
/* clang-format on */

static struct slice from_on(struct slice s, size_t at)
{
    return slice_trim(slice_cut(s, at, s.len));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The length of a count, as in "Re[2]:", "Re(2):", "Re^2:" and "Re2:", or 0. */
static size_t count_length(struct slice s)
{
    size_t at = s.len > 0 && (s.at[0] == '[' || s.at[0] == '(' || s.at[0] == '^') ? 1 : 0;
    size_t digits = at;

    while (at < s.len && is_digit(s.at[at]))
        at++;
    if (at == digits)
        return 0;
    if (s.at[0] == '[' || s.at[0] == '(')
        return at < s.len && (s.at[at] == ']' || s.at[at] == ')') ? at + 1 : 0;
    return at;
}

/* Takes a colon off the front, also a full-width one. */
static bool take_colon(struct slice *s)
{
    static const struct slice colons[] = {SLICE_INIT(":"), SLICE_INIT("\uFF1A")};

    *s = slice_trim(*s);
    for (size_t i = 0; i < LENGTH(colons); i++) {
        if (!slice_starts_nocase(*s, colons[i]))
            continue;
        *s = from_on(*s, colons[i].len);
        return true;
    }
    return false;
}

/* `prefix` is the one that was taken. */
static bool take_named_prefix(struct slice *s, struct slice *prefix_out)
{
    for (size_t i = 0; i < LENGTH(prefixes); i++) {
        struct slice prefix = slice_z(prefixes[i]);
        struct slice rest = slice_cut(*s, prefix.len, s->len);

        if (!slice_starts_nocase(*s, prefix))
            continue;
        rest = slice_cut(rest, count_length(rest), rest.len);
        if (!take_colon(&rest))
            continue;
        *s = rest;
        *prefix_out = prefix;
        return true;
    }
    return false;
}

static bool take_prefix(struct slice *s)
{
    struct slice prefix;

    return take_named_prefix(s, &prefix);
}

/* Which of them say that it is forwarded. "VS" is left out: it is a reply in Finnish. */
static bool forwards(struct slice prefix)
{
    static const char *const words[] = {
        "Fwd", "Fw",     "Forward", "Wg",  "Vb",  "Vl",  "Videresendt", "Tr",   "Rv",   "Enc",
        "I",   "Doorst", "Pd",      "İlt", "Πρθ", "ΠΡΘ", "转发",        "轉寄", "転送", "전달",
    };

    for (size_t i = 0; i < LENGTH(words); i++)
        if (slice_eq_nocase(prefix, slice_z(words[i])))
            return true;
    return false;
}

static bool take_first_tag(struct slice *s)
{
    size_t end = slice_find(*s, ']', 0);

    if (s->len == 0 || s->at[0] != '[' || end == s->len)
        return false;
    *s = from_on(*s, end + 1);
    return true;
}

/* "[tag]" or "(fwd)" at the end. */
static bool take_last_tag(struct slice *s)
{
    const struct slice fwd = SLICE("(fwd)");
    size_t at = s->len;

    if (s->len >= fwd.len && slice_eq_nocase(slice_cut(*s, s->len - fwd.len, fwd.len), fwd)) {
        *s = slice_trim(slice_cut(*s, 0, s->len - fwd.len));
        return true;
    }
    if (s->len == 0 || s->at[s->len - 1] != ']')
        return false;
    while (at > 0 && s->at[at - 1] != '[')
        at--;
    *s = slice_trim(slice_cut(*s, 0, at > 0 ? at - 1 : s->len));
    return at > 0;
}

/* Takes as often as it can. What would leave nothing stays: a subject of nothing but tags is
 * compared as it is. */
static bool take_all(bool (*take)(struct slice *), struct slice *core)
{
    struct slice less = *core;
    bool taken = false;

    while (take(&less) && less.len > 0) {
        *core = less;
        taken = true;
    }
    return taken;
}

struct slice subject_core(struct slice subject)
{
    struct slice core = slice_trim(subject);

    while (take_all(take_prefix, &core) || take_all(take_first_tag, &core))
        ;
    take_all(take_last_tag, &core);
    return core;
}

/* The first prefix says what was done last, whatever was done before. */
bool subject_is_forward(struct slice subject)
{
    struct slice core = slice_trim(subject);
    struct slice prefix;

    while (take_first_tag(&core))
        ;
    if (take_named_prefix(&core, &prefix))
        return forwards(prefix);
    core = slice_trim(subject);
    return core.len > 5 && slice_eq_nocase(slice_cut(core, core.len - 5, 5), SLICE("(fwd)"));
}
