/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

static const char style[] =
    "@page{size:A4;margin:14mm;@bottom-right{content:counter(page) ' / ' counter(pages);font:8pt "
    "sans-serif}}"
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
    "figure{margin:0}.days{max-width:100%;height:auto;display:block}.days text{font-size:10px;fill:"
    "#4a5560}.days .scale{text-anchor:end}"
    ".ground{stroke:#c9d1d9;fill:none}.trend{fill:none;stroke:#1b1f24;stroke-width:1.5}"
    ".legend{color:#4a5560;font-size:.85em}.key{display:inline-block;width:.8em;height:.8em;margin:"
    "0 .2em 0 .8em}"
    ".key:first-child{margin-left:0}.key.trend{height:.2em;background:#1b1f24;vertical-align:"
    "middle}"
    ".c-redelivered{fill:#1f4e79;background:#1f4e79}.c-list_copy{fill:#7a9e3d;background:#7a9e3d}"
    ".c-gateway_copy{fill:#b8651b;background:#b8651b}.c-reobserved{fill:#6b5aa8;background:#6b5aa8}"
    ".c-returned{fill:#a83a5b;background:#a83a5b}"
    ".mail h3{font-size:1em;margin:1.2em 0 .3em}.mail td:first-child{width:12em}"
    "small,.notes{color:#4a5560;font-size:.85em}.notes li{margin:.2em 0}code{font-family:'DejaVu "
    "Sans Mono',monospace;"
    "font-size:.92em}"
    "@media(max-width:40em){.tiles,.columns{grid-template-columns:1fr 1fr}.columns{display:block}}"
    "@media "
    "print{body{font-size:8.6pt;line-height:1.32;margin:0;padding:0;max-width:none}h2{margin:1em 0 "
    ".3em}"
    "thead{display:table-header-group}tr,.tile,figure,section{break-inside:avoid}section.long{"
    "break-"
    "inside:auto}h2,h3{break-after:avoid}.mail+.mail{break-before:page}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}"
    "@media screen and (prefers-color-scheme:dark){body{background:#14181c;color:#e3e8ed}header "
    "p,small,.notes,.legend"
    "{color:#a6b0ba}.tile{border-color:#39424c}.tile,.tile "
    "b{background:#1b2026}td,th{border-color:#39424c}"
    ".bar i{background:#6ea8dc}.c-redelivered{fill:#6ea8dc;background:#6ea8dc}.days "
    "text{fill:#a6b0ba}.trend{stroke:#e3e8ed}.key.trend{background:#e3e8ed}.ground{stroke:#39424c}."
    "good{color:#6fce8c}.bad{color:#ff8a80}}";

void page_put(FILE *out, const char *text)
{
    CLEANUP(str_clear) struct str plain = STR_INIT;
    plain_text(text, &plain);
    html_escaped(str_z(&plain), out);
}

void page_period(int64_t since_ms, int64_t until_ms, struct str *out)
{
    char since[32], until[32];
    period_exact(since_ms, since);
    period_exact(until_ms, until);
    str_addf(out, "%s%s until %s", since_ms > 0 ? "From " : "From the beginning",
             since_ms > 0 ? since : "", until);
}

static void made(const struct report_facts *f, FILE *out)
{
    char at[32];
    period_exact(f->made_ms, at);
    fputs("Deployment ", out);
    page_put(out, f->deployment);
    fputs(" (", out);
    page_put(out, f->environment);
    fprintf(out, "), onecase %s; made %s by ", f->version, at);
    page_put(out, f->by);
}

void page_head(const char *title, const char *of, const struct report_facts *facts, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>",
          out);
    page_put(out, title);
    fprintf(out, "</title><style>%s</style></head><body>\n<header><h1>", style);
    page_put(out, title);
    fputs("</h1>\n<p>", out);
    page_put(out, of);
    fputs(", times in ", out);
    page_put(out, facts->zone);
    fputs("</p>\n<p>", out);
    made(facts, out);
    fputs("</p></header>\n", out);
}
