/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
/* The mails of ../shared/cases beside the clone, where they are: key source, Message-ID, date, and
 * the keys of pairs. Their expectations are read with no more of JSON than they use. */
#include <onecase/identity.h>
#include <onecase/source.h>
#include <onecase/when.h>
#include <testing.h>

#include <dirent.h>
#include <string.h>

static struct str folder;

static int find_cases(void **state)
{
    struct slice here = slice_z(__FILE__);

    (void)state;
    while (here.len > 0 && here.at[here.len - 1] != '/')
        here.len--;
    str_add(&folder, here);
    str_addz(&folder, "../../../shared/cases/");
    return 0;
}

static int forget_cases(void **state)
{
    (void)state;
    str_clear(&folder);
    return 0;
}

static bool read_file(struct slice name, const char *suffix, struct str *out)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    char some[4096];
    size_t len;

    str_add(&path, str_slice(&folder));
    str_add(&path, name);
    str_addz(&path, suffix);
    str_empty(out);

    FILE *file = fopen(str_z(&path), "rb");

    if (file == NULL)
        return false;
    while ((len = fread(some, 1, sizeof some, file)) > 0)
        str_add(out, (struct slice){some, len});
    fclose(file);
    return true;
}

/* The text of a member that stands on a line of its own; empty where it is null or absent. */
static struct slice member(const struct str *json, const char *name)
{
    struct slice rest = str_slice(json);
    struct slice line;

    while (slice_next(&rest, '\n', &line)) {
        struct slice text = slice_trim(line);
        size_t len = strlen(name);

        if (!slice_eqz(slice_cut(text, 1, len), name) ||
            !slice_eqz(slice_cut(text, len + 1, 4), "\": \""))
            continue;
        text = slice_cut(text, len + 5, text.len);
        return slice_cut(text, 0, slice_find(text, '"', 0));
    }
    return SLICE_EMPTY;
}

static struct identity identity_of(const struct source *s)
{
    return s->message_id.len > 0 ? identity_message_id("help", str_slice(&s->message_id))
                                 : identity_digest("help", &s->source_digest);
}

/* Compares one mail with its expectation. */
static void check_case(struct slice name)
{
    CLEANUP(str_clear) struct str mail = STR_INIT;
    CLEANUP(str_clear) struct str json = STR_INIT;
    CLEANUP(source_clear) struct source s = SOURCE_INIT;
    int64_t date_ms = 0;

    print_message("    %.*s\n", (int)name.len, name.at);
    assert_true(read_file(name, ".eml", &mail));
    assert_true(read_file(name, ".expect.json", &json));
    source_of(str_slice(&mail), &s);
    assert_true(slice_eqz(member(&json, "key_source"), key_source_text(identity_of(&s).source)));
    assert_true(slice_eq(member(&json, "message_id"), str_slice(&s.message_id)));
    assert_int_equal(s.has_date, when_parse(member(&json, "date"), &date_ms));
    assert_int_equal(s.date_ms, date_ms);
}

static struct identity identity_of_case(const char *name)
{
    CLEANUP(str_clear) struct str mail = STR_INIT;
    CLEANUP(source_clear) struct source s = SOURCE_INIT;

    assert_true(read_file(slice_z(name), ".eml", &mail));
    source_of(str_slice(&mail), &s);
    return identity_of(&s);
}

/* Where the note of an a file says that its key is that of the b file, or is not. */
static bool check_pair(struct slice name)
{
    CLEANUP(str_clear) struct str other = STR_INIT;
    CLEANUP(str_clear) struct str json = STR_INIT;
    size_t letter = strlen("c000");

    assert_true(read_file(name, ".expect.json", &json));
    if (slice_find(name, 'a', 0) != letter || !slice_has(member(&json, "note"), SLICE("PAIR: ")))
        return false;
    str_add(&other, name);

    struct identity a = identity_of_case(str_z(&other));

    other.at[letter] = 'b';

    struct identity b = identity_of_case(str_z(&other));
    bool same = slice_has(member(&json, "note"), SLICE("same key"));

    assert_true(same || slice_has(member(&json, "note"), SLICE("different key")));
    assert_int_equal(strcmp(a.key, b.key) == 0, same);
    return true;
}

static void the_cases_have_the_keys_and_dates_expected_of_them(void **state)
{
    DIR *cases = opendir(str_z(&folder));
    const struct dirent *entry;
    int count = 0;
    int pairs = 0;

    (void)state;
    if (cases == NULL) {
        print_message("    there is no %s\n", str_z(&folder));
        return;
    }
    while ((entry = readdir(cases)) != NULL) {
        struct slice file = slice_z(entry->d_name);
        struct slice name = slice_cut(file, 0, slice_find(file, '.', 0));

        if (!slice_eqz(slice_cut(file, name.len, file.len), ".eml"))
            continue;
        check_case(name);
        pairs += check_pair(name);
        count++;
    }
    closedir(cases);
    assert_true(count > 0);
    assert_true(pairs > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cases_have_the_keys_and_dates_expected_of_them),
    };

    return cmocka_run_group_tests_name(__FILE__, tests, find_cases, forget_cases);
}
