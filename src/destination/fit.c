/* SPDX-License-Identifier: Apache-2.0 */
#include "destination_p.h"

#include <onecase/utf8.h>
#include <string.h>

/* What says that there is more. */
#define MORE " [...]"

void fitted_clear(struct fitted *fitted)
{
    str_clear(&fitted->subject);
    str_clear(&fitted->text);
    str_clear(&fitted->html);
}

/* Octets of the longest beginning of at most `most` characters. Some help desks count them in units of
 * UTF-16: the larger count fits both. */
static size_t within(struct slice text, size_t most)
{
    struct slice rest = text;
    size_t units = 0;
    while (rest.len > 0) {
        size_t before = text.len - rest.len;
        units += utf8_next(&rest) > 0xffff ? 2 : 1;
        if (units > most)
            return before;
    }
    return text.len;
}

static void cut(struct slice text, unsigned most, struct str *out)
{
    if (most == 0 || within(text, most) == text.len) {
        str_add(out, text);
        return;
    }
    str_add(out, slice_cut(text, 0, within(text, most > strlen(MORE) ? most - strlen(MORE) : 0)));
    str_addz(out, MORE);
}

static void as_html(struct slice text, struct str *out)
{
    static const struct {
        char plain;
        const char *html;
    } marks[] = {{'&', "&amp;"}, {'<', "&lt;"},  {'>', "&gt;"},
                 {'"', "&#34;"}, {'\n', "<br>"}, {'\r', ""}};
    for (size_t i = 0; i < text.len; i++) {
        const char *html = NULL;
        for (size_t k = 0; k < LENGTH(marks); k++)
            if (marks[k].plain == text.at[i])
                html = marks[k].html;
        if (html)
            str_addz(out, html);
        else
            str_addc(out, text.at[i]);
    }
}

void fit(const struct http_destination_settings *set,
         const struct case_facts *facts,
         struct fitted *out)
{
    cut(facts->subject, set->max_subject, &out->subject);
    cut(facts->text, set->max_text, &out->text);
    as_html(str_slice(&out->text), &out->html);
    out->facts = *facts;
    out->facts.subject = str_slice(&out->subject);
    out->facts.text = str_slice(&out->text);
}
