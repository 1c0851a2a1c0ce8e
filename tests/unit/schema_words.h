/* SPDX-License-Identifier: Apache-2.0
 *
 * schema_words - the words that a CHECK of the ledger's schema allows in a column, for holding the
 * enums of the core against them. Reads the migrations beside this file, in order.
 */
#pragma once

#include <onecase/str.h>
#include <testing.h>

#include <stdbool.h>
#include <string.h>

static inline bool schema_read(const char *name, struct str *out)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    const char *end = strrchr(__FILE__, '/');
    char some[4096];
    size_t len;

    str_add(&path, (struct slice){__FILE__, end ? (size_t)(end + 1 - __FILE__) : 0});
    str_addf(&path, "../../src/store/sql/%s", name);

    FILE *file = fopen(str_z(&path), "rb");

    if (file == NULL)
        return false;
    while ((len = fread(some, 1, sizeof some, file)) > 0)
        str_add(out, (struct slice){some, len});
    fclose(file);
    return true;
}

/* Cuts `text` to what stands after `from` and before `to`; empty where they are not there. */
static inline struct slice schema_between(struct slice text, const char *from, const char *to)
{
    size_t start = 0;

    while (start < text.len &&
           !slice_starts_nocase(slice_cut(text, start, text.len), slice_z(from)))
        start++;
    text = slice_cut(text, start + strlen(from), text.len);
    for (size_t end = 0; end < text.len; end++)
        if (slice_starts_nocase(slice_cut(text, end, text.len), slice_z(to)))
            return slice_cut(text, 0, end);
    return SLICE_EMPTY;
}

/* Fails the test unless the column's CHECK in that migration allows exactly the `count` words of `text`. */
static inline void assert_schema_of(const char *file,
                                    const char *table,
                                    const char *column,
                                    const char *(*text)(size_t),
                                    size_t count)
{
    CLEANUP(str_clear) struct str sql = STR_INIT;
    CLEANUP(str_clear) struct str head = STR_INIT;
    CLEANUP(str_clear) struct str check = STR_INIT;
    size_t quotes = 0;

    assert_true(schema_read(file, &sql));
    str_addf(&head, "CREATE TABLE %s (", table);
    str_addf(&check, "CHECK (%s IN (", column);

    struct slice body = schema_between(str_slice(&sql), str_z(&head), ") STRICT");
    struct slice words = schema_between(body, str_z(&check), "))");

    assert_true(words.len > 0);
    for (size_t i = 0; i < count; i++) {
        char quoted[64];

        snprintf(quoted, sizeof quoted, "'%s'", text(i));
        print_message("    %s.%s %s\n", table, column, quoted);
        assert_true(slice_has(words, slice_z(quoted)));
    }
    for (size_t i = 0; i < words.len; i++)
        quotes += words.at[i] == '\'';
    assert_int_equal(quotes, 2 * count);
}

static inline void
assert_schema(const char *table, const char *column, const char *(*text)(size_t), size_t count)
{
    assert_schema_of("0001_ledger.sql", table, column, text, count);
}
