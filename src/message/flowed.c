/* SPDX-License-Identifier: Apache-2.0 */
#include "flowed.h"

/* Flowed: a line is quotation marks, perhaps a blank that is none of the text, and the text. */

struct line {
    size_t depth;
    struct slice text;
    bool soft; /* goes on in the next line */
};

static bool is_signature(struct slice text)
{
    return slice_eqz(text, "-- ");
}

static bool take_line(struct slice *rest, struct line *out)
{
    struct slice text;

    if (!slice_next(rest, '\n', &text))
        return false;
    out->depth = 0;
    while (out->depth < text.len && text.at[out->depth] == '>')
        out->depth++;
    text = slice_cut(text, out->depth, text.len);
    if (text.len > 0 && text.at[0] == ' ')
        text = slice_cut(text, 1, text.len);
    out->text = text;
    out->soft = text.len > 0 && text.at[text.len - 1] == ' ' && !is_signature(text);
    return true;
}

static void begin_line(const struct line *line, struct str *out)
{
    for (size_t i = 0; i < line->depth; i++)
        str_addc(out, '>');
    if (line->depth > 0)
        str_addc(out, ' ');
}

void flowed_to_text(struct slice text, bool delete_blank, struct str *out)
{
    struct line line;
    size_t depth = 0;
    bool goes_on = false;

    while (take_line(&text, &line)) {
        bool joined = goes_on && line.depth == depth && !is_signature(line.text);

        if (goes_on && !joined)
            str_addc(out, '\n');
        if (!joined)
            begin_line(&line, out);
        str_add(out, slice_cut(line.text, 0, line.text.len - (line.soft && delete_blank ? 1 : 0)));
        goes_on = line.soft;
        depth = line.depth;
        if (!goes_on)
            str_addc(out, '\n');
    }
}

/* Enriched */

/* clang-format off */
static const struct {
    const char *mark, *means;
} marks[] = {
    {"nl", "\n"},
    {"np", "\n"},
    {"lt", "<"},
    {"paragraph", "\n"},
};
/* clang-format on */

#define MARK_MAX 60

/* The length of the mark at the front, as in "<bold>" or "</bold>", or 0. */
static size_t mark_length(struct slice text)
{
    size_t at = 1;

    while (at < text.len && at < MARK_MAX &&
           ((text.at[at] >= 'a' && text.at[at] <= 'z') ||
            (text.at[at] >= 'A' && text.at[at] <= 'Z') ||
            (text.at[at] >= '0' && text.at[at] <= '9') || text.at[at] == '-' || text.at[at] == '/'))
        at++;
    return at > 1 && at < text.len && text.at[at] == '>' ? at + 1 : 0;
}

static void use_mark(struct slice mark, bool *parameter, struct str *out)
{
    struct slice name = slice_cut(mark, 1, mark.len - 2);

    for (size_t i = 0; i < LENGTH(marks); i++)
        if (slice_eq_nocase(name, slice_z(marks[i].mark)))
            str_addz(out, marks[i].means);
    if (slice_eq_nocase(name, SLICE("param")) || slice_eq_nocase(name, SLICE("/param")))
        *parameter = name.at[0] != '/';
}

void enriched_to_text(struct slice text, struct str *out)
{
    bool parameter = false;

    for (size_t at = 0; at < text.len;) {
        struct slice rest = slice_cut(text, at, text.len);
        bool bracket = slice_eq(slice_cut(rest, 0, 2), SLICE("<<"));
        size_t mark = rest.at[0] == '<' && !bracket ? mark_length(rest) : 0;

        if (mark > 0)
            use_mark(slice_cut(rest, 0, mark), &parameter, out);
        else if (!parameter)
            str_addc(out, rest.at[0]);
        at += mark > 0 ? mark : bracket ? 2 : 1;
    }
}
