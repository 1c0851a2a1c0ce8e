/* SPDX-License-Identifier: Apache-2.0 */
#include "html_writer.h"

static void write_octet(struct html_writer *w, char c)
{
    if (w->out->len - w->from >= w->most)
        w->full = true;
    else
        str_addc(w->out, c);
}

static void pay_lines(struct html_writer *w)
{
    bool begun = w->out->len > w->from;

    if (begun && w->owed_lines == 0)
        return;
    for (size_t i = 0; begun && i < w->owed_lines; i++)
        write_octet(w, '\n');
    for (size_t i = 0; i < w->quotes && i < 8; i++) {
        write_octet(w, '>');
        write_octet(w, ' ');
    }
    w->owed_lines = 0;
    w->owed_blank = false;
}

static void write_text(struct html_writer *w, char c)
{
    pay_lines(w);
    if (w->owed_blank)
        write_octet(w, ' ');
    w->owed_blank = false;
    write_octet(w, c);
}

void html_writer_end_lines(struct html_writer *w, size_t lines)
{
    if (w->owed_lines < lines)
        w->owed_lines = lines;
}

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
}

/* A no-break space is a blank that is always written: people search for words with blanks. */
static bool take_hard_blank(struct slice text, size_t *at)
{
    if (!slice_eq(slice_cut(text, *at, 2), SLICE("\xC2\xA0")))
        return false;
    ++*at;
    return true;
}

void html_writer_add(struct html_writer *w, struct slice text)
{
    for (size_t i = 0; i < text.len && !w->full; i++) {
        char c = text.at[i];

        if (w->pre > 0 && c == '\n')
            html_writer_end_lines(w, w->owed_lines + 1);
        else if (is_white(c) && (w->pre == 0 || c == '\r'))
            w->owed_blank = true;
        else
            write_text(w, take_hard_blank(text, &i) ? ' ' : c);
    }
}

/* Takes back the octets of a character that did not fit as a whole. */
void html_writer_end(struct html_writer *w)
{
    struct str *out = w->out;
    size_t from = w->from;
    size_t lead = out->len;

    while (lead > from && ((uint8_t)out->at[lead - 1] & 0xC0) == 0x80)
        lead--;
    if (lead == from || (uint8_t)out->at[lead - 1] < 0x80)
        return;

    uint8_t first = (uint8_t)out->at[lead - 1];
    size_t wanted = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;

    if (out->len - lead >= wanted)
        return;
    out->len = lead - 1;
    out->at[out->len] = '\0';
}
