/* SPDX-License-Identifier: Apache-2.0
 *
 * The duplicate report as one page that needs nothing else and prints on two sheets of A4.
 */
#include <onecase/front.h>
#include <onecase/when.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows that a sheet of paper bears; the rest is counted, and a command shows it. */
#define CASES_SHOWN 40
#define NAMES_SHOWN 12
#define DAYS_SHOWN  62
/* Fewer arrivals show chance, no course. */
#define LEAST_FOR_DAYS 30

static const char style[] =
    "@page{size:A4;margin:14mm}"
    "*{box-sizing:border-box}body{font:15px/1.45 'DejaVu "
    "Sans',Helvetica,Arial,sans-serif;color:#1b1f24;"
    "max-width:60em;margin:2em auto;padding:0 1em}"
    "h1{font-size:1.6em;margin:0}h2{font-size:1.05em;margin:1.6em 0 .4em}"
    "header{border-bottom:3px solid #1f4e79;padding-bottom:.6em}header p{margin:.2em "
    "0;color:#4a5560}"
    ".tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:.8em;margin:1.2em 0}"
    ".tile{border:1px solid #c9d1d9;border-top:4px solid #1f4e79;padding:.6em .8em}"
    ".tile b{display:block;font-size:1.9em;line-height:1.1}.tile.bad{border-top-color:#b3261e}"
    ".columns{display:grid;grid-template-columns:1fr 1fr;gap:0 2em}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:."
    "18em .5em;"
    "border-bottom:1px solid #e1e5ea;overflow-wrap:anywhere}th{border-bottom:2px solid "
    "#8a949e;font-weight:600}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;width:4.5em}"
    "tr.sum td{border-top:2px solid #8a949e;font-weight:600}"
    "td.bar{width:34%}.bar i{display:block;height:.85em;background:#1f4e79;min-width:1px}"
    ".good{color:#1a6b34;font-weight:600}.bad{color:#b3261e}p.bad{font-weight:600}"
    ".days{display:flex;align-items:flex-end;gap:2px;height:6em;border-bottom:1px solid "
    "#8a949e;margin:.4em 0 0}"
    ".days i{flex:1 1 0;background:#1f4e79;min-height:1px;max-width:3em}.between{display:flex;"
    "justify-content:space-between;color:#4a5560;font-size:.85em}"
    "small,.notes{color:#4a5560;font-size:.85em}.notes li{margin:.2em 0}code{font-family:'DejaVu "
    "Sans Mono',monospace;"
    "font-size:.92em}"
    "@media(max-width:40em){.tiles,.columns{grid-template-columns:1fr 1fr}.columns{display:block}}"
    "@media "
    "print{body{font-size:8.6pt;line-height:1.32;margin:0;padding:0;max-width:none}h2{margin:1em 0 "
    ".3em}"
    "thead{display:table-header-group}tr,.tile,.days,section{break-inside:avoid}section.long{break-"
    "inside:auto}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}"
    "@media screen and (prefers-color-scheme:dark){body{background:#14181c;color:#e3e8ed}header "
    "p,small,.notes,.between"
    "{color:#a6b0ba}.tile{border-color:#39424c}.tile,.tile "
    "b{background:#1b2026}td,th{border-color:#39424c}"
    ".bar i,.days i{background:#6ea8dc}.good{color:#6fce8c}.bad{color:#ff8a80}}";

static void put(FILE *out, const char *text)
{
    CLEANUP(str_clear) struct str plain = STR_INIT;
    plain_text(text, &plain);
    html_escaped(str_z(&plain), out);
}

static void row(FILE *out, int64_t n, const char *what)
{
    fprintf(out, "<tr><td class=\"n\">%" PRId64 "</td><td>", n);
    put(out, what);
    fputs("</td></tr>\n", out);
}

/* ---- head ---------------------------------------------------------------------------------------------- */

static void head(const struct view_duplicates *d, const struct report_facts *f, FILE *out)
{
    char since[32], until[32], made[32];
    period_exact(d->since_ms, since);
    period_exact(d->until_ms, until);
    period_exact(f->made_ms, made);
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
          "<title>Mail that came more than once</title><style>",
          out);
    fputs(style, out);
    fputs("</style></head><body>\n<header><h1>Mail that came more than once</h1>\n<p>", out);
    fprintf(out, "%s%s until %s, times in ", d->since_ms > 0 ? "From " : "From the beginning",
            d->since_ms > 0 ? since : "", until);
    put(out, f->zone);
    fputs("</p>\n<p>Deployment ", out);
    put(out, f->deployment);
    fputs(" (", out);
    put(out, f->environment);
    fprintf(out, "), onecase %s; made %s by ", f->version, made);
    put(out, f->by);
    fputs("</p></header>\n", out);
}

static void tile(FILE *out, bool bad, int64_t n, const char *what)
{
    fprintf(out, "<div class=\"tile%s\"><b>%" PRId64 "</b>", bad ? " bad" : "", n);
    put(out, what);
    fputs("</div>\n", out);
}

static void tiles(const struct view_duplicates *d, FILE *out)
{
    fputs("<div class=\"tiles\">\n", out);
    tile(out, false, d->cases_prevented, "second cases avoided");
    tile(out, false, d->acknowledgements_withheld, "confirmations in doubt, not sent twice");
    tile(out, d->doubles > 0, d->doubles, "doubles that did happen, after a person's decision");
    tile(out, false, d->decided_waiting, "mails that wait for a decision");
    fputs("</div>\n", out);
}

/* ---- the balance --------------------------------------------------------------------------------------- */

bool report_adds_up(const struct view_duplicates *d)
{
    int64_t classes = 0, arrived = 0;
    for (size_t i = 0; i < DELIVERY_CLASS_COUNT; i++)
        classes += d->class[i];
    for (size_t i = 0; i < DISPOSITION_COUNT; i++)
        arrived += i == DISPOSITION_DISMISSED ? 0 : d->arrived_as[i];
    int64_t asked =
        d->arrived_as[DISPOSITION_HELD] + d->class[CLASS_CONFLICT] + d->class[CLASS_GATEWAY_COPY];
    int64_t decided =
        d->decided_new_case + d->decided_append + d->decided_dismissed + d->decided_waiting;
    return classes == d->deliveries && arrived == d->class[CLASS_FIRST] && asked == decided;
}

static void balance(const struct view_duplicates *d, FILE *out)
{
    static const struct {
        enum disposition disposition;
        const char *what;
    } arrived[] = {
        {DISPOSITION_CASE, "new cases"},
        {DISPOSITION_APPEND, "added to cases"},
        {DISPOSITION_REPORT, "reports about confirmations"},
        {DISPOSITION_EVIDENCE, "our own confirmations seen"},
        {DISPOSITION_ADOPTED, "remembered only"},
        {DISPOSITION_HELD, "held for a decision"},
    };
    fputs("<section><h2>What arrived, and what became of it</h2>\n<table><tbody>\n", out);
    for (size_t i = 0; i < LENGTH(arrived); i++)
        row(out, d->arrived_as[arrived[i].disposition], arrived[i].what);
    for (size_t i = 0; i < DELIVERY_CLASS_COUNT; i++)
        if (i != CLASS_FIRST)
            row(out, d->class[i], label("class", delivery_class_text((enum delivery_class)i)));
    fprintf(out,
            "<tr class=\"sum\"><td class=\"n\">%" PRId64
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

static void bar(FILE *out, const char *what, int64_t n, int64_t most)
{
    fputs("<tr><td>", out);
    put(out, what);
    fprintf(out, "</td><td class=\"n\">%" PRId64 "</td><td class=\"bar\">", n);
    if (n > 0)
        fprintf(out, "<i style=\"width:%" PRId64 "%%\"></i>", percent(n, most));
    fputs("</td></tr>\n", out);
}

static void boundaries(const struct view_duplicates *d, FILE *out)
{
    const struct {
        const char *what;
        int64_t n;
    } rows[] = {{"the mail arrived twice", d->by_delivery},
                {"two runs at once", d->by_concurrent_run},
                {"a step tried again after a lost answer", d->by_retry},
                {"a person's replay", d->by_replay},
                {"another installation", d->by_other_deployment}};
    int64_t most = 1;
    for (size_t i = 0; i < LENGTH(rows); i++)
        most = rows[i].n > most ? rows[i].n : most;
    fputs("<section><h2>Where it would have doubled</h2>\n<table><tbody>\n", out);
    for (size_t i = 0; i < LENGTH(rows); i++)
        bar(out, rows[i].what, rows[i].n, most);
    fputs("</tbody></table></section>\n", out);
}

static void decisions(const struct view_duplicates *d, FILE *out)
{
    fputs("<section><h2>Decisions about what was held, in conflict or changed on its way</h2>\n"
          "<table><tbody>\n",
          out);
    row(out, d->decided_new_case, "a case of its own");
    row(out, d->decided_append, "added to a case");
    row(out, d->decided_dismissed, "the same mail, or no request");
    row(out, d->decided_waiting, "waiting");
    fputs("</tbody></table></section>\n", out);
}

static int most_first(const void *a, const void *b)
{
    const struct view_count *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void names(const char *title, const struct view_count *count, size_t n, FILE *out)
{
    CLEANUP(mem_free) struct view_count *sorted = mem_new(n + 1, sizeof *sorted);
    int64_t rest = 0;
    if (n == 0)
        return;
    memcpy(sorted, count, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, most_first);
    int64_t most = sorted[0].count > 0 ? sorted[0].count : 1;
    fprintf(out, "<section><h2>%s</h2>\n<table><tbody>\n", title);
    for (size_t i = 0; i < n; i++)
        if (i < NAMES_SHOWN)
            bar(out, sorted[i].name[0] ? sorted[i].name : "not known", sorted[i].count, most);
        else
            rest += sorted[i].count;
    if (rest > 0)
        bar(out, "all others", rest, most > rest ? most : rest);
    fputs("</tbody></table></section>\n", out);
}

/* Midnight of "2026-03-02". */
static int64_t day_of(const char *name)
{
    char text[32];
    int64_t at = 0;
    snprintf(text, sizeof text, "%.10sT00:00:00Z", name);
    (void)when_parse(slice_z(text), &at);
    return at;
}

static int64_t on_day(const struct view_duplicates *d, int64_t at)
{
    for (size_t i = 0; i < d->days; i++)
        if (day_of(d->day[i].name) == at)
            return d->day[i].count;
    return 0;
}

/* A day without copies has its place, too. */
static void days(const struct view_duplicates *d, FILE *out)
{
    int64_t most = 1;
    if (d->deliveries < LEAST_FOR_DAYS || d->days < 2)
        return;
    int64_t first = day_of(d->day[0].name), last = day_of(d->day[d->days - 1].name);
    if (last - first > DAYS(DAYS_SHOWN - 1))
        first = last - DAYS(DAYS_SHOWN - 1);
    for (int64_t at = first; at <= last; at += DAYS(1))
        most = on_day(d, at) > most ? on_day(d, at) : most;
    fprintf(out, "<section><h2>Copies by day, at most %" PRId64 "</h2>\n<div class=\"days\">",
            most);
    for (int64_t at = first; at <= last; at += DAYS(1)) {
        char day[WHEN_TEXT_SIZE];
        when_text(at, day);
        fprintf(out, "<i style=\"height:%" PRId64 "%%\" title=\"%.10s: %" PRId64 "\"></i>",
                percent(on_day(d, at), most), day, on_day(d, at));
    }
    char from[WHEN_TEXT_SIZE], to[WHEN_TEXT_SIZE];
    when_text(first, from);
    when_text(last, to);
    fprintf(out,
            "</div><div class=\"between\"><span>%.10s</span><span>%.10s</span></div></section>\n",
            from, to);
}

/* ---- cases --------------------------------------------------------------------------------------------- */

static void classes_in_words(const char *classes, struct str *out)
{
    struct slice rest = slice_z(classes), one;
    while (rest.len > 0 && slice_next(&rest, ',', &one)) {
        CLEANUP(str_clear) struct str word = STR_INIT;
        str_add(&word, one);
        str_addf(out, "%s%s", out->len > 0 ? ", " : "", label("class", str_z(&word)));
    }
}

static void one_case(const struct view_key *k, FILE *out)
{
    CLEANUP(str_clear) struct str as = STR_INIT;
    char first[32], last[32], key[16];
    classes_in_words(k->classes, &as);
    period_exact(k->first_seen_ms, first);
    period_exact(k->last_seen_ms, last);
    text_copy(key, 13, k->key);
    fputs("<tr><td>", out);
    put(out, k->reference[0] ? k->reference : key);
    fprintf(out, "</td><td class=\"n\">%" PRId64 "</td><td>", k->deliveries);
    put(out, str_z(&as));
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
    put(out, l->reference[0] ? l->reference : key);
    fputs("</td><td>", out);
    put(out, label("decision", l->decision));
    fputs("</td><td>", out);
    put(out, l->by);
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
    fputs("<section><h2>How this is counted</h2>\n<ul class=\"notes\">\n"
          "<li><b>Second cases avoided</b>: further copies of a mail that has its case, by "
          "delivery or by a "
          "mailing list. Rows: <code>onecase deliveries --state duplicate</code></li>\n"
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
          "was removed from the mailbox before onecase looked.</li>\n</ul></section>\n",
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
    days(d, out);
    fputs("<div class=\"columns\">\n", out);
    names("Copies by mailbox", d->mailbox, d->mailboxes, out);
    names("Copies by the sender's domain", d->domain, d->domains, out);
    fputs("</div>\n", out);
    cases(d, out);
    late(d, out);
    notes(out);
    fputs("</body></html>\n", out);
}
