/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"

#include <stdio.h>
#include <string.h>

/* Statements are patterns. ~ is the table, ! its name alone; {a …} is said of every column, {k …} of those of
 * the key in their order, {r …} of the rest, with commas between, or AND where it begins with &. In it @ is
 * the column, # its number, or its place in the key, and % its type. Names are quoted, so that none of them is
 * a word of the language. */

static void
write_one(const char *pattern, const struct move_column *c, size_t number, struct str *out)
{
    for (; *pattern != '\0' && *pattern != '}'; pattern++)
        if (*pattern == '@')
            str_addf(out, "\"%s\"", c->name);
        else if (*pattern == '#')
            str_addf(out, "%zu", number);
        else if (*pattern == '%')
            str_addz(out, c->number ? "bigint" : c->octets ? "bytea" : "text");
        else
            str_addc(out, *pattern);
}

static const struct move_column *column_of(const struct move_table *t, char which, size_t i)
{
    return which == 'k' ? move_key(t, (int)i + 1) : &t->column[i];
}

static void write_each(const struct move_table *t, char which, const char *pattern, struct str *out)
{
    const char *between = *pattern == '&' ? " AND " : ", ";
    size_t written = 0;

    pattern += *pattern == '&' ? 1 : 0;
    for (size_t i = 0; i < t->columns; i++) {
        const struct move_column *c = column_of(t, which, i);

        if (c == NULL)
            return;
        if (which == 'r' && c->key > 0)
            continue;
        str_addz(out, written++ > 0 ? between : "");
        write_one(pattern, c, i + 1, out);
    }
}

void move_text(const struct move_table *t, const char *text, struct str *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '{') {
            write_each(t, text[1], text + 2, out);
            text += strcspn(text, "}");
        } else if (*text == '~') {
            str_addf(out, "\"%s\"", t->name);
        } else if (*text == '!') {
            str_addz(out, t->name);
        } else {
            str_addc(out, *text);
        }
    }
}

#define ROWS_AT_ONCE_(n) #n
#define ROWS_AT_ONCE(n)  ROWS_AT_ONCE_(n)
#define PAGE             " ORDER BY {k@} LIMIT " ROWS_AT_ONCE(MOVE_PAGE)

/* What was noted after $1 and up to $2, each key once. */
#define NOTED                                                                                      \
    "(SELECT DISTINCT k1, k2, k3 FROM " MOVE_NOTES " WHERE name = '!' AND number > $1"             \
    " AND number <= $2) AS n"
#define BY_LISTS " FROM unnest({a$#::%[]}) AS n ({a@})"

static bool has_more_than_its_key(const struct move_table *t)
{
    for (size_t i = 0; i < t->columns; i++)
        if (t->column[i].key == 0)
            return true;
    return false;
}

static void write_reads(struct move_table *t)
{
    move_text(t, "SELECT {a@} FROM ~" PAGE, &t->first);
    move_text(t, "SELECT {a@} FROM ~ WHERE ({k@}) > ({k$#})" PAGE, &t->next);
    move_text(t, "SELECT {k@} FROM ~ ORDER BY {k@ DESC} LIMIT 1", &t->last);
    move_text(t,
              "SELECT {a@} FROM ~ WHERE ({k@}) IN (SELECT * FROM unnest({k$#::%[]})) ORDER BY {k@}",
              &t->named);
    move_text(t,
              "SELECT EXISTS (SELECT 1 FROM " MOVE_NOTES " WHERE name = '!' AND number > $1"
              " AND number <= $2) AS any",
              &t->noted);
    move_text(t, "SELECT {at.@} FROM " NOTED " JOIN ~ AS t ON {k&t.@ = n.k#} ORDER BY {kt.@}",
              &t->changed);
    move_text(t, "SELECT {kn.k# AS @} FROM " NOTED " LEFT JOIN ~ AS t ON {k&t.@ = n.k#} WHERE t.",
              &t->gone);
    str_addf(&t->gone, "\"%s\" IS NULL", move_key(t, 1)->name);
}

static void write_reference(struct move_table *t)
{
    move_text(t, "SELECT {a@} FROM ~ WHERE ", &t->referring);
    str_addf(&t->referring, "\"%s\" IS NOT NULL", t->refers);
    str_addf(&t->row[PUT_REFERENCE], "UPDATE \"%s\" SET \"%s\" = $2 WHERE \"%s\" = $1", t->name,
             t->refers, move_key(t, 1)->name);
    str_addf(&t->lists[PUT_REFERENCE],
             "UPDATE \"%s\" AS t SET \"%s\" = n.r FROM unnest($1::text[], $2::text[]) AS n (k, r)"
             " WHERE t.\"%s\" = n.k",
             t->name, t->refers, move_key(t, 1)->name);
}

void move_texts(struct move_table *t)
{
    write_reads(t);
    move_text(t, "INSERT INTO ~ ({a@}) VALUES ({a$#})", &t->row[PUT_ROW]);
    move_text(t, "INSERT INTO ~ ({a@}) SELECT *" BY_LISTS " ON CONFLICT ({k@}) DO NOTHING",
              &t->lists[PUT_ROW]);
    if (has_more_than_its_key(t))
        move_text(t, "UPDATE ~ AS t SET {r@ = n.@}" BY_LISTS " WHERE {k&t.@ = n.@}",
                  &t->lists[PUT_CHANGE]);
    move_text(t, "DELETE FROM ~ AS t USING unnest({k$#::%[]}) AS n ({k@}) WHERE {k&t.@ = n.@}",
              &t->lists[PUT_AWAY]);
    if (t->refers != NULL)
        write_reference(t);
}
