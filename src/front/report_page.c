/* SPDX-License-Identifier: Apache-2.0
 *
 * The duplicate report as one page that needs nothing else and prints on two sheets of A4.
 */
#include "page.h"

#include <onecase/when.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows that a sheet of paper bears; the rest is counted, and a command shows it. */
#define CASES_SHOWN 40
#define NAMES_SHOWN 12

/* ---- head ---------------------------------------------------------------------------------------------- */

static void head(const struct view_duplicates *d, const struct report_facts *facts, FILE *out)
{
    CLEANUP(str_clear) struct str period = STR_INIT;
    page_period(d->since_ms, d->until_ms, &period);
    page_head("Mail that came more than once", str_z(&period), facts, out);
}

static void tile(const char *figure, bool bad, int64_t n, const char *what, FILE *out)
{
    fprintf(out, "<div class=\"tile%s\" data-figure=\"%s\"><b>%" PRId64 "</b>", bad ? " bad" : "",
            figure, n);
    page_put(out, what);
    fputs("</div>\n", out);
}

static void tiles(const struct view_duplicates *d, FILE *out)
{
    fputs("<div class=\"tiles\">\n", out);
    tile("cases_prevented", false, d->cases_prevented, "second cases avoided", out);
    tile("acknowledgements_withheld", false, d->acknowledgements_withheld,
         "confirmations in doubt, not sent twice", out);
    tile("doubles", d->doubles > 0, d->doubles,
         "doubles that did happen, after a person's decision", out);
    tile("decided.waiting", false, d->decided_waiting, "mails that wait for a decision", out);
    fputs("</div>\n", out);
}

/* ---- the balance --------------------------------------------------------------------------------------- */

static void figures(const struct view_duplicates *d, enum figure_part part, FILE *out)
{
    for (const struct report_figure *f = report_figure(part, NULL); f; f = report_figure(part, f)) {
        fprintf(out, "<tr data-figure=\"%s\"><td class=\"n\">%" PRId64 "</td><td>", f->name,
                figure_count(d, f));
        page_put(out, label("figure", f->name));
        fputs("</td></tr>\n", out);
    }
}

static void balance(const struct view_duplicates *d, FILE *out)
{
    fputs("<section><h2>What arrived, and what became of it</h2>\n<table><tbody>\n", out);
    figures(d, FIGURE_BECAME, out);
    figures(d, FIGURE_AGAIN, out);
    fprintf(out,
            "<tr class=\"sum\" data-figure=\"deliveries\"><td class=\"n\">%" PRId64
            "</td><td>arrivals, <span class=\"%s\">%s</span></td></tr>\n"
            "</tbody></table></section>\n",
            d->deliveries, report_adds_up(d) ? "good" : "bad",
            report_adds_up(d) ? "the sum of the rows above"
                              : "which is NOT the sum: do not rely on this report");
}

/* ---- bars ---------------------------------------------------------------------------------------------- */

static int64_t percent(int64_t n, int64_t most)
{
    return most > 0 ? n * 100 / most : 0;
}

static void bar(FILE *out, const char *figure, const char *what, int64_t n, int64_t most)
{
    fputs("<tr data-figure=\"", out);
    page_put(out, figure);
    fputs("\"><td>", out);
    page_put(out, what);
    fprintf(out, "</td><td class=\"n\">%" PRId64 "</td><td class=\"bar\">", n);
    if (n > 0)
        fprintf(out, "<i style=\"width:%" PRId64 "%%\"></i>", percent(n, most));
    fputs("</td></tr>\n", out);
}

static void boundaries(const struct view_duplicates *d, FILE *out)
{
    const struct report_figure *f;
    int64_t most = 1;
    for (f = report_figure(FIGURE_BOUNDARY, NULL); f; f = report_figure(FIGURE_BOUNDARY, f))
        most = figure_count(d, f) > most ? figure_count(d, f) : most;
    fputs("<section><h2>Where it would have doubled</h2>\n<table><tbody>\n", out);
    for (f = report_figure(FIGURE_BOUNDARY, NULL); f; f = report_figure(FIGURE_BOUNDARY, f))
        bar(out, f->name, label("figure", f->name), figure_count(d, f), most);
    fputs("</tbody></table></section>\n", out);
}

static void decisions(const struct view_duplicates *d, FILE *out)
{
    fputs("<section><h2>Decisions about what was held, in conflict or changed on its way</h2>\n"
          "<table><tbody>\n",
          out);
    figures(d, FIGURE_DECIDED, out);
    fputs("</tbody></table></section>\n", out);
}

static int most_first(const void *a, const void *b)
{
    const struct view_count *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void
names(const char *title, const char *list, const struct view_count *count, size_t n, FILE *out)
{
    CLEANUP(mem_free) struct view_count *sorted = mem_new(n + 1, sizeof *sorted);
    int64_t rest = 0;
    if (n == 0)
        return;
    memcpy(sorted, count, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, most_first);
    int64_t most = sorted[0].count > 0 ? sorted[0].count : 1;
    fprintf(out, "<section><h2>%s</h2>\n<table><tbody>\n", title);
    for (size_t i = 0; i < n; i++) {
        CLEANUP(str_clear) struct str figure = STR_INIT;
        str_addf(&figure, "%s:%s", list, sorted[i].name);
        if (i < NAMES_SHOWN)
            bar(out, str_z(&figure), sorted[i].name[0] ? sorted[i].name : "not known",
                sorted[i].count, most);
        else
            rest += sorted[i].count;
    }
    if (rest > 0)
        bar(out, "", "all others", rest, most > rest ? most : rest);
    fputs("</tbody></table></section>\n", out);
}

static void days(const struct view_duplicates *d, int64_t now_ms, FILE *out)
{
    CLEANUP(str_clear) struct str chart = STR_INIT;
    day_chart(d, now_ms, NULL, &chart);
    fputs("<section><h2>Copies by day</h2>\n", out);
    fwrite(str_z(&chart), 1, chart.len, out);
    fputs("</section>\n", out);
}

/* ---- cases --------------------------------------------------------------------------------------------- */

static void one_case(const struct view_key *k, FILE *out)
{
    CLEANUP(str_clear) struct str as = STR_INIT;
    char first[32], last[32], key[16];
    classes_words(k->classes, &as);
    period_exact(k->first_seen_ms, first);
    period_exact(k->last_seen_ms, last);
    text_copy(key, 13, k->key);
    fprintf(out, "<tr data-figure=\"key:%s\"><td>", k->key);
    page_put(out, k->reference[0] ? k->reference : key);
    fprintf(out, "</td><td class=\"n\">%" PRId64 "</td><td>", k->deliveries);
    page_put(out, str_z(&as));
    fprintf(out, "</td><td>%.16s</td><td>%.16s</td></tr>\n", first, last);
}

static void cases(const struct view_duplicates *d, FILE *out)
{
    fputs("<section class=\"long\"><h2>What came more than once</h2>\n", out);
    if (d->keys == 0) {
        fputs("<p>Nothing did.</p></section>\n", out);
        return;
    }
    fputs("<table><thead><tr><th scope=\"col\">Case</th><th scope=\"col\" class=\"n\">Arrivals</th>"
          "<th scope=\"col\">As</th><th scope=\"col\">First</th><th "
          "scope=\"col\">Last</th></tr></thead>"
          "<tbody>\n",
          out);
    for (size_t i = 0; i < d->keys && i < CASES_SHOWN; i++)
        one_case(&d->key[i], out);
    fputs("</tbody></table>\n", out);
    if (d->keys > CASES_SHOWN)
        fprintf(out,
                "<p>The first %d of %zu; all of them: <code>onecase report duplicates --format "
                "csv</code></p>\n",
                CASES_SHOWN, d->keys);
    fputs("</section>\n", out);
}

static void one_late(const struct view_decision *l, FILE *out)
{
    char at[32], key[16];
    period_exact(l->decided_ms, at);
    text_copy(key, 13, l->key);
    fputs("<tr><td>", out);
    page_put(out, l->reference[0] ? l->reference : key);
    fputs("</td><td>", out);
    page_put(out, label("decision", l->decision));
    fputs("</td><td>", out);
    page_put(out, l->by);
    fprintf(out, "</td><td>%.16s</td></tr>\n", at);
}

/* The past stays what it was: what was decided after the period is told beside it. */
static void late(const struct view_duplicates *d, FILE *out)
{
    if (d->late_count == 0)
        return;
    fputs("<section class=\"long\"><h2>Decided after this period, not counted above</h2>\n"
          "<table><thead><tr><th scope=\"col\">Case</th><th scope=\"col\">Decision</th>"
          "<th scope=\"col\">By</th><th scope=\"col\">When</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < d->late_count && i < CASES_SHOWN; i++)
        one_late(&d->late[i], out);
    fputs("</tbody></table>\n", out);
    if (d->late_count > CASES_SHOWN)
        fprintf(out,
                "<p>The first %d of %zu; all of them: <code>onecase report duplicates --rows "
                "late_decisions</code></p>\n",
                CASES_SHOWN, d->late_count);
    fputs("</section>\n", out);
}

static void notes(FILE *out)
{
    fputs(
        "<section><h2>How this is counted</h2>\n<ul class=\"notes\">\n"
        "<li><b>Second cases avoided</b>: further copies of a mail that has its case, by "
        "delivery or by a "
        "mailing list.</li>\n"
        "<li><b>Confirmations in doubt, not sent twice</b>: tries whose outcome the mail server "
        "left "
        "unknown, and that were not simply repeated. A double that a person decided on counts as "
        "one.</li>\n"
        "<li><b>Where it would have doubled</b>: each prevented double once, by the first cause "
        "that "
        "applies, in the order of the table.</li>\n"
        "<li><b>Waiting</b> is as of the end of the period; what was decided after it is listed "
        "beside, and changes no number.</li>\n"
        "<li><b>Not seen here</b>: what a mail server did with a confirmation after it took it; "
        "mail that "
        "was removed from the mailbox before onecase looked.</li>\n"
        "<li><b>The mails behind a number</b>: <code>onecase report duplicates</code> says a name "
        "beside each number, and <code>--rows NAME</code>, with the same <code>--since</code> and "
        "<code>--until</code>, lists them.</li>\n</ul></section>\n",
        out);
}

void report_page(const struct view_duplicates *d, const struct report_facts *facts, FILE *out)
{
    head(d, facts, out);
    if (!report_adds_up(d))
        fputs("<p class=\"bad\">These numbers do not add up: do not rely on them.</p>\n", out);
    tiles(d, out);
    fputs("<div class=\"columns\"><div>\n", out);
    balance(d, out);
    fputs("</div><div>\n", out);
    boundaries(d, out);
    decisions(d, out);
    fputs("</div></div>\n", out);
    days(d, facts->made_ms, out);
    fputs("<div class=\"columns\">\n", out);
    names("Copies by mailbox", "mailbox", d->mailbox, d->mailboxes, out);
    names("Copies by the sender's domain", "domain", d->domain, d->domains, out);
    fputs("</div>\n", out);
    cases(d, out);
    late(d, out);
    notes(out);
    fputs("</body></html>\n", out);
}
