/* SPDX-License-Identifier: Apache-2.0
 *
 * What happened to mails as one page: each as the console tells it, and the runs that did it.
 */
#include "page.h"

#include <onecase/utf8.h>

#include <inttypes.h>
#include <string.h>

/* ---- tables ------------------------------------------------------------------------------------------------ */

static void cells(const char *tag, const char *const *cell, size_t count, FILE *out)
{
    fputs("<tr>", out);
    for (size_t n = 0; n < count; n++) {
        fprintf(out, "<%s>", tag);
        page_put(out, cell[n]);
        fprintf(out, "</%.2s>", tag);
    }
    fputs("</tr>\n", out);
}

static void table_begin(const char *title, const char *const *heading, size_t count, FILE *out)
{
    fprintf(out, "<h3>%s</h3>\n<table><thead>", title);
    cells("th scope=\"col\"", heading, count, out);
    fputs("</thead><tbody>\n", out);
}

static void table_end(FILE *out)
{
    fputs("</tbody></table>\n", out);
}

/* ---- one mail ---------------------------------------------------------------------------------------------- */

static void fact(const char *name, const char *value, FILE *out)
{
    const char *cell[] = {name, value};
    if (value[0])
        cells("td", cell, LENGTH(cell), out);
}

static void fact_when(const char *name, int64_t at_ms, FILE *out)
{
    char when[32];
    if (at_ms == NOT_DUE)
        return;
    period_exact(at_ms, when);
    fact(name, when, out);
}

static void identifiers(const struct view_item *i, FILE *out)
{
    CLEANUP(str_clear) struct str message_id = STR_INIT;
    utf8_mend(i->message_id, &message_id);
    fact("Message-ID", str_z(&message_id), out);
    fact("Key", i->key, out);
    fact("Known by", label("source", i->key_source), out);
    fact("Digest", i->digest, out);
    fact("First mail", i->first_key, out);
}

static void facts_of(const struct view_item *i, FILE *out)
{
    CLEANUP(str_clear) struct str told = STR_INIT;
    told_words(i, &told);
    fputs("<table><tbody>\n", out);
    fact("From", i->sender, out);
    fact("Subject", i->subject, out);
    fact("Mailbox", i->mailbox, out);
    fact("Is", label("disposition", i->disposition), out);
    fact("State", label("state", i->state), out);
    fact("Why", label("reason", i->reason), out);
    fact("Sender told", str_z(&told), out);
    fact_when("Arrived", i->first_seen_ms, out);
    fact_when("Complete", i->completed_ms, out);
    fact("Contents", i->let_go ? "removed by retention, or in part" : "", out);
    identifiers(i, out);
    table_end(out);
}

static void story(const struct view_item *i, FILE *out)
{
    static const char *const headings[] = {"When", "What", "How"};
    CLEANUP(story_clear) struct story s = {.count = 0};
    story_of(i, &s);
    table_begin("What happened", headings, LENGTH(headings), out);
    for (size_t n = 0; n < s.count; n++) {
        char when[32];
        period_exact(s.at[n].at_ms, when);
        const char *cell[] = {when, s.at[n].what, str_z(&s.at[n].text)};
        cells("td", cell, LENGTH(cell), out);
    }
    table_end(out);
}

static void step(const struct view_item *i, const struct view_effect *e, int64_t now_ms, FILE *out)
{
    CLEANUP(str_clear) struct str what = STR_INIT;
    CLEANUP(str_clear) struct str status = STR_INIT;
    CLEANUP(str_clear) struct str why = STR_INIT;
    char tries[24];
    step_what_words(i, e, &what);
    step_status_words(e, now_ms, &status);
    step_why_words(e, &why);
    snprintf(tries, sizeof tries, "%" PRId64, e->attempts);
    const char *cell[] = {label("effect", e->kind), str_z(&what), str_z(&status), tries,
                          str_z(&why)};
    cells("td", cell, LENGTH(cell), out);
}

static void steps(const struct view_item *i, int64_t now_ms, FILE *out)
{
    static const char *const headings[] = {"Step", "What", "State", "Tries", "Why"};
    if (i->effects == 0)
        return;
    table_begin("Steps", headings, LENGTH(headings), out);
    for (size_t n = 0; n < i->effects; n++)
        step(i, &i->effect[n], now_ms, out);
    table_end(out);
}

static void conditions(const struct view_item *i, FILE *out)
{
    static const char *const headings[] = {"Condition", "Holds", "Value"};
    if (i->condition_count == 0)
        return;
    table_begin("Conditions for filing", headings, LENGTH(headings), out);
    for (size_t n = 0; n < i->condition_count; n++) {
        const struct view_condition *c = &i->condition[n];
        const char *cell[] = {label("condition", c->name), c->holds ? "holds" : "fails",
                              label("status", c->value)};
        cells("td", cell, LENGTH(cell), out);
    }
    table_end(out);
}

/* ---- who did it -------------------------------------------------------------------------------------------- */

static bool names_run(const struct view_item *i, const char *run)
{
    for (size_t n = 0; n < i->delivery_count; n++)
        if (strcmp(i->delivery[n].run, run) == 0)
            return true;
    for (size_t n = 0; n < i->attempt_count; n++)
        if (strcmp(i->attempt[n].run, run) == 0)
            return true;
    return false;
}

static void run_row(const struct view_run *r, FILE *out)
{
    char entered[32], ended[32] = "", pid[24];
    period_exact(r->entered_ms, entered);
    if (r->ended_ms != NOT_DUE)
        period_exact(r->ended_ms, ended);
    snprintf(pid, sizeof pid, "%" PRId64, r->pid);
    const char *cell[] = {r->id, r->name, r->version, r->host, pid, entered, ended};
    cells("td", cell, LENGTH(cell), out);
}

static void runs_of(const struct view_item *i, const struct view *runs, FILE *out)
{
    static const char *const headings[] = {"Run",     "Deployment", "Version", "Host",
                                           "Process", "Since",      "Ended"};
    const struct view_run *r = runs->row;
    if (i->delivery_count + i->attempt_count == 0)
        return;
    table_begin("Runs", headings, LENGTH(headings), out);
    for (size_t n = 0; n < runs->count; n++)
        if (names_run(i, r[n].id))
            run_row(&r[n], out);
    table_end(out);
}

void story_page_mail(const struct view_item *item,
                     const struct view *runs,
                     int64_t now_ms,
                     FILE *out)
{
    fputs("<section class=\"mail long\"><h2>", out);
    page_put(out, item->reference[0] ? item->reference : "A mail without a case");
    fputs("</h2>\n", out);
    facts_of(item, out);
    story(item, out);
    steps(item, now_ms, out);
    conditions(item, out);
    runs_of(item, runs, out);
    fputs("</section>\n", out);
}

/* ---- the page ---------------------------------------------------------------------------------------------- */

void story_page_begin(const struct story_span *span, const struct report_facts *facts, FILE *out)
{
    CLEANUP(str_clear) struct str title = STR_INIT;
    CLEANUP(str_clear) struct str of = STR_INIT;
    str_addf(&title, "What happened to %s%s", span->name ? "the mail " : "mail",
             span->name ? span->name : "");
    if (!span->name)
        page_period(span->since_ms, span->until_ms, &of);
    str_addf(&of, "%s%zu mail%s", span->name ? "" : ": ", span->mails, span->mails == 1 ? "" : "s");
    page_head(str_z(&title), str_z(&of), facts, out);
}

void story_page_end(FILE *out)
{
    fputs("</body></html>\n", out);
}
