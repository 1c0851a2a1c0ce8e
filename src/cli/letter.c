/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

/* A text as it is read, line by line. */
static void lines(struct slice text)
{
    struct slice line;
    while (text.len > 0 && slice_next(&text, '\n', &line)) {
        CLEANUP(str_clear) struct str one = STR_INIT;
        CLEANUP(str_clear) struct str plain = STR_INIT;
        if (line.len > 0 && line.at[line.len - 1] == '\r')
            line.len--;
        str_add(&one, line);
        plain_text(str_z(&one), &plain);
        printf("%s\n", str_z(&plain));
    }
}

/* The header block, which ends at the first empty line. */
static struct slice header_of(struct slice octets)
{
    for (size_t i = slice_find(octets, '\n', 0); i + 1 < octets.len;
         i = slice_find(octets, '\n', i + 1))
        if (octets.at[i + 1] == '\r' || octets.at[i + 1] == '\n')
            return slice_cut(octets, 0, i + 1);
    return octets;
}

static void who(const struct call *call, const struct letter_shown *l)
{
    CLEANUP(str_clear) struct str nobody = STR_INIT;
    str_addf(&nobody, "nobody: %s", label("skip", skip_text(l->skip)));
    say_line(call, "Mailbox", l->mailbox);
    say_line(call, "Case", l->reference);
    say_line(call, "Tells", label("completion", completion_text(l->completion)));
    say_line(call, "Goes to", l->skip == SKIP_NONE ? l->recipient : str_z(&nobody));
    say_line(call, "Wished", l->languages[0] ? l->languages : "no language");
    say_line(call, "Language", l->language);
}

static void page(const struct call *call, const struct letter_shown *l)
{
    who(call, l);
    if (l->octets.len == 0)
        return;
    heading(call, "Header");
    lines(header_of(str_slice(&l->octets)));
    heading(call, "Subject, as it is read");
    lines(str_slice(&l->subject));
    heading(call, "Text");
    lines(str_slice(&l->text));
    if (l->html.len == 0)
        return;
    heading(call, "HTML");
    lines(str_slice(&l->html));
}

static enum rc ask(const struct call *call, struct letter_question *q, struct err *err)
{
    const char *state = args_get(&call->args, "--state");
    q->path = args_get(&call->args, "FILE");
    q->language = args_get(&call->args, "--language");
    if (state && !completion_parse(state, &q->completion))
        return FAIL(err, RC_USAGE, "there is no such state: '%s'", state);
    if (q->language && !language_valid(slice_z(q->language)))
        return FAIL(err, RC_USAGE, "--language takes one such as de or pt-br, and not '%s'",
                    q->language);
    return asked_mailbox(call, &q->mailbox, err);
}

/* That there is no letter for this mail is an answer. */
static int no_letter(const struct err *err)
{
    failed(err);
    return EXIT_NO;
}

int cmd_template_test(struct call *call)
{
    struct letter_question question = {.completion = COMPLETION_NONE};
    struct letter_shown shown = {.skip = SKIP_NONE};
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct err err = ERR_INIT;
    enum rc rc = ask(call, &question, &err);
    if (rc == RC_OK)
        rc = call->ops->letter_test(call->ops->self, &question, &shown, &err);
    if (rc == RC_OK && call->json) {
        json_letter(&shown, &out);
        print(&out);
    } else if (rc == RC_OK) {
        page(call, &shown);
    }
    letter_shown_clear(&shown);
    if (rc == RC_REFUSED)
        return no_letter(&err);
    return rc == RC_OK ? EXIT_DONE : failed(&err);
}
