/* SPDX-License-Identifier: Apache-2.0
 *
 * The bars of the duplicate report: copies by local day, stacked by what caused them.
 */
#include <onecase/front.h>
#include <onecase/when.h>
#include <inttypes.h>
#include <string.h>

/* Of the drawing, in tenths. */
#define WIDTH       7200
#define LEFT        340 /* where the scale stands */
#define RIGHT       120 /* for what the last label is wider than its day */
#define TOP         140
#define BASE        1300
#define BOTH        1500
#define WIDEST_DAY  240
#define LABEL_WIDTH 380

#define DAYS_SHOWN     400
#define MEAN_OF        7
#define DAYS_FOR_TREND 14

/* Fewer show chance, no course. */
#define ARRIVALS_FOR_TREND 30

struct chart {
    const struct view_duplicates *d;
    const char *link;
    struct str *out;
    int64_t first, days, most; /* first: midnight of its date, as if that were UTC */
    int64_t pitch;
    bool cut; /* there are days before the first */
};

/* clang-format off */
static const enum delivery_class causes[] = {
    CLASS_REDELIVERED, CLASS_LIST_COPY, CLASS_GATEWAY_COPY, CLASS_REOBSERVED, CLASS_RETURNED,
};
/* clang-format on */

static void escaped(const char *text, struct str *out)
{
    for (; *text; text++)
        if (*text == '&')
            str_addz(out, "&amp;");
        else
            str_addc(out, *text);
}

static void tenths(struct str *out, const char *name, int64_t n)
{
    str_addf(out, " %s=\"%" PRId64 ".%" PRId64 "\"", name, n / 10, n % 10);
}

/* ---- days ---------------------------------------------------------------------------------------------- */

static int64_t midnight(const char *date)
{
    char text[WHEN_TEXT_SIZE];
    int64_t at = 0;
    snprintf(text, sizeof text, "%.10sT00:00:00Z", date);
    (void)when_parse(slice_z(text), &at);
    return at;
}

static int64_t local_midnight(int64_t at_ms)
{
    char exact[32];
    period_exact(at_ms, exact);
    return midnight(exact);
}

static void date_of(const struct chart *c, int64_t number, char out[WHEN_TEXT_SIZE])
{
    when_text(c->first + number * DAYS(1), out);
    out[10] = '\0';
}

static const struct view_day *day_of(const struct chart *c, int64_t number)
{
    static const struct view_day none = {.date = ""};
    for (size_t i = 0; i < c->d->days; i++)
        if (midnight(c->d->day[i].date) == c->first + number * DAYS(1))
            return &c->d->day[i];
    return &none;
}

/* From the first day of the period, or of a copy where it has no beginning, to its last, or today. */
static void measure(struct chart *c, int64_t now_ms)
{
    const struct view_duplicates *d = c->d;
    int64_t until = d->until_ms - 1 < now_ms ? d->until_ms - 1 : now_ms;
    int64_t last = local_midnight(until), copy = midnight(d->day[d->days - 1].date);
    last = copy > last ? copy : last;
    c->first = d->since_ms > 0 ? local_midnight(d->since_ms) : midnight(d->day[0].date);
    c->cut = last - c->first > DAYS(DAYS_SHOWN - 1);
    last = c->cut ? copy : last;
    if (last - c->first > DAYS(DAYS_SHOWN - 1))
        c->first = last - DAYS(DAYS_SHOWN - 1);
    c->days = (last - c->first) / DAYS(1) + 1;
    for (int64_t i = 0; i < c->days; i++)
        c->most = day_of(c, i)->sum > c->most ? day_of(c, i)->sum : c->most;
    c->pitch = (WIDTH - LEFT - RIGHT) / c->days;
    c->pitch = c->pitch > WIDEST_DAY ? WIDEST_DAY : c->pitch;
}

static int64_t height_of(const struct chart *c, int64_t copies, int64_t parts)
{
    assert(c->most > 0 && parts > 0);
    return copies * (BASE - TOP) / (c->most * parts);
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

static void
bar(const struct chart *c, const struct view_day *day, size_t cause, int64_t x, int64_t under)
{
    const char *class = delivery_class_text(causes[cause]);
    int64_t n = day->count[causes[cause]];
    int64_t foot = BASE - height_of(c, under, 1), top = BASE - height_of(c, under + n, 1);
    top = top > foot - 10 ? foot - 10 : top; /* one is seen beside a thousand */
    if (c->link) {
        str_addz(c->out, "<a tabindex=\"-1\" href=\"");
        escaped(c->link, c->out);
        str_addf(c->out, "day:%s/%s\">", day->date, class);
    }
    str_addf(c->out, "<rect class=\"c-%s\"", class);
    tenths(c->out, "x", x);
    tenths(c->out, "y", top);
    tenths(c->out, "width", c->pitch * 4 / 5);
    tenths(c->out, "height", foot - top);
    str_addf(c->out, "><title>%s: %" PRId64 " %s</title></rect>%s", day->date, n,
             label("class", class), c->link ? "</a>" : "");
}

static void one_day(const struct chart *c, int64_t number)
{
    const struct view_day *day = day_of(c, number);
    int64_t x = LEFT + number * c->pitch, under = 0;
    int64_t apart = (LABEL_WIDTH + c->pitch - 1) / c->pitch;
    for (size_t i = 0; i < LENGTH(causes); i++) {
        if (day->count[causes[i]] > 0)
            bar(c, day, i, x, under);
        under += day->count[causes[i]];
    }
    if (number % apart == 0) {
        char date[WHEN_TEXT_SIZE];
        date_of(c, number, date);
        str_addz(c->out, "<text");
        tenths(c->out, "x", x);
        tenths(c->out, "y", BASE + 140);
        str_addf(c->out, ">%s</text>", date + 5);
    }
    str_addc(c->out, '\n');
}

static bool has_trend(const struct chart *c)
{
    return c->d->deliveries >= ARRIVALS_FOR_TREND && c->days >= DAYS_FOR_TREND;
}

/* The mean of a day and the six before it. */
static void trend(const struct chart *c)
{
    int64_t sum = 0;
    str_addz(c->out, "<polyline class=\"trend\" points=\"");
    for (int64_t i = 0; i < c->days; i++) {
        sum += day_of(c, i)->sum - (i >= MEAN_OF ? day_of(c, i - MEAN_OF)->sum : 0);
        if (i < MEAN_OF - 1)
            continue;
        int64_t x = LEFT + i * c->pitch + c->pitch * 2 / 5, y = BASE - height_of(c, sum, MEAN_OF);
        str_addf(c->out, "%" PRId64 ".%" PRId64 ",%" PRId64 ".%" PRId64 " ", x / 10, x % 10, y / 10,
                 y % 10);
    }
    str_addz(c->out, "\"/>\n");
}

/* Who cannot see it, or use a mouse, has the table beside where the bars are links. */
static void open_picture(const struct chart *c)
{
    char from[WHEN_TEXT_SIZE], to[WHEN_TEXT_SIZE];
    int64_t width = (LEFT + c->days * c->pitch + RIGHT) / 10;
    date_of(c, 0, from);
    date_of(c, c->days - 1, to);
    str_addf(c->out, "<svg class=\"days\" viewBox=\"0 0 %" PRId64 " %d\" width=\"%" PRId64 "\" ",
             width, BOTH / 10, width);
    if (c->link)
        str_addz(c->out, "aria-hidden=\"true\">\n");
    else
        str_addf(c->out,
                 "role=\"img\" aria-label=\"Copies by day and cause, %s to %s; the most in one day "
                 "is %" PRId64 "\">\n",
                 from, to, c->most);
    str_addf(c->out,
             "<path class=\"ground\" d=\"M%d %d.5H%" PRId64 "M%d %d.5H%" PRId64 "\"/>"
             "<text class=\"scale\" x=\"%d\" y=\"%d\">%" PRId64 "</text>"
             "<text class=\"scale\" x=\"%d\" y=\"%d\">0</text>\n",
             LEFT / 10, TOP / 10, width, LEFT / 10, BASE / 10, width, LEFT / 10 - 5, TOP / 10 + 4,
             c->most, LEFT / 10 - 5, BASE / 10 + 3);
}

static void legend(const struct chart *c)
{
    str_addz(c->out, "<figcaption class=\"legend\">");
    for (size_t i = 0; i < LENGTH(causes); i++) {
        const char *class = delivery_class_text(causes[i]);
        int64_t n = 0;
        for (size_t day = 0; day < c->d->days; day++)
            n += c->d->day[day].count[causes[i]];
        if (n > 0)
            str_addf(c->out, "<span class=\"key c-%s\"></span> %s ", class, label("class", class));
    }
    if (has_trend(c))
        str_addz(c->out, "<span class=\"key trend\"></span> mean of seven days");
    else if (c->d->deliveries < ARRIVALS_FOR_TREND)
        str_addf(c->out, "<span>Fewer than %d arrivals: too few to read a trend from.</span>",
                 ARRIVALS_FOR_TREND);
    if (c->cut)
        str_addf(c->out, "<span>Only %d days, to the last copy.</span>", DAYS_SHOWN);
    str_addz(c->out, "</figcaption>");
}

void day_chart(const struct view_duplicates *d, int64_t now_ms, const char *link, struct str *out)
{
    struct chart c = {.d = d, .link = link, .out = out, .most = 1};
    if (d->days == 0) {
        str_addz(out, "<p class=\"empty\">No mail came more than once.</p>\n");
        return;
    }
    measure(&c, now_ms);
    str_addz(out, "<figure>");
    open_picture(&c);
    for (int64_t i = 0; i < c.days; i++)
        one_day(&c, i);
    if (has_trend(&c))
        trend(&c);
    str_addz(out, "</svg>\n");
    legend(&c);
    str_addz(out, "</figure>\n");
}
