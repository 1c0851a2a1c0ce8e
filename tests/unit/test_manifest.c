/* SPDX-License-Identifier: Apache-2.0 */
/* links: blobs core */
#include <onecase/manifest.h>
#include <testing.h>

#include <stdlib.h>
#include <string.h>

#define KEY      "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"
#define ORIGINAL "items/6b/" KEY "/original.eml"
#define NAMED    "items/6b/" KEY "/attachments/01-a b.pdf"

static void fill(struct manifest *m)
{
    const struct digest octets = sha256_of(SLICE("octets"));

    *m = (struct manifest){.taken_ms = 1772476200000, .event = 12, .mails = 1};
    text_copy(m->version, sizeof m->version, "0.1");
    text_copy(m->ledger, sizeof m->ledger, "abc");
    text_copy(m->hash, sizeof m->hash, "def");
    manifest_add(m, MANIFEST_LEDGER, &octets, 4096);
    manifest_add(m, ORIGINAL, &octets, 0);
    manifest_add(m, NAMED, &octets, 7);
}

static void text_of(struct str *out)
{
    CLEANUP(manifest_clear) struct manifest m;

    fill(&m);
    manifest_write(&m, out);
}

static void what_was_written_is_read(void **state)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(manifest_clear) struct manifest read = {0};
    struct err err = ERR_INIT;

    (void)state;
    text_of(&text);
    assert_int_equal(manifest_read(str_slice(&text), &read, &err), RC_OK);
    assert_int_equal(read.taken_ms, 1772476200000);
    assert_int_equal(read.event, 12);
    assert_string_equal(read.hash, "def");
    assert_int_equal(read.files, 3);
    assert_int_equal(manifest_find(&read, NAMED)->size, 7);
    assert_null(manifest_find(&read, "items/none"));
}

static void one_that_was_cut_or_changed_anywhere_is_none(void **state)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    (void)state;
    text_of(&text);
    for (size_t at = 0; at < text.len; at++) {
        CLEANUP(manifest_clear) struct manifest read = {0};
        struct err err = ERR_INIT;
        char was = text.at[at];

        assert_int_equal(manifest_read(slice_cut(str_slice(&text), 0, at), &read, &err), RC_BROKEN);
        text.at[at] = (char)(was == '0' ? '1' : '0');
        assert_int_equal(manifest_read(str_slice(&text), &read, &err), RC_BROKEN);
        text.at[at] = was;
    }
}

static void fill_sealed(struct manifest *m)
{
    const struct digest octets = sha256_of(SLICE("sealed octets"));

    *m =
        (struct manifest){.taken_ms = 1772476200000, .event = 12, .inside = 3, .inside_octets = 99};
    text_copy(m->version, sizeof m->version, "0.1");
    text_copy(m->ledger, sizeof m->ledger, "abc");
    text_copy(m->sealed_to, sizeof m->sealed_to, KEY " " KEY);
    manifest_add(m, "sealed/" KEY "/7/1", &octets, 500);
    manifest_add(m, "sealed/manifest/99/1", &octets, 600);
}

static void one_that_is_sealed_is_read_and_has_none_of_the_others_paths(void **state)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str mixed = STR_INIT;
    CLEANUP(manifest_clear) struct manifest m;
    CLEANUP(manifest_clear) struct manifest read = {0};
    const struct digest octets = sha256_of(SLICE("octets"));
    struct err err = ERR_INIT;

    (void)state;
    fill_sealed(&m);
    manifest_write(&m, &text);
    assert_int_equal(manifest_read(str_slice(&text), &read, &err), RC_OK);
    assert_string_equal(read.sealed_to, KEY " " KEY);
    assert_int_equal(read.inside, 3);
    assert_int_equal(read.inside_octets, 99);
    assert_int_equal(manifest_find(&read, "sealed/manifest/99/1")->size, 600);
    manifest_clear(&read);
    manifest_add(&m, ORIGINAL, &octets, 1);
    manifest_write(&m, &mixed);
    assert_int_equal(manifest_read(str_slice(&mixed), &read, &err), RC_BROKEN);
}

static const struct {
    const char *name;
} strays[] = {
    {"sealed/" KEY "/7/1"},
    {"items/../../etc/passwd"},
    {"/etc/passwd"},
    {"items/a/../b"},
    {"items/"},
    {"tmp/x"},
    {"upkeep.lock"},
    {"items/a\nb"},
};

static void a_path_that_leads_elsewhere_is_refused(void **state)
{
    (void)state;
    FOR_EACH(row, strays) {
        CLEANUP(manifest_clear) struct manifest m;
        CLEANUP(manifest_clear) struct manifest read = {0};
        CLEANUP(str_clear) struct str text = STR_INIT;
        const struct digest octets = sha256_of(SLICE("octets"));
        struct err err = ERR_INIT;

        fill(&m);
        manifest_add(&m, row->name, &octets, 1);
        manifest_write(&m, &text);
        assert_int_equal(manifest_read(str_slice(&text), &read, &err), RC_BROKEN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(one_that_was_cut_or_changed_anywhere_is_none),
        cmocka_unit_test(one_that_is_sealed_is_read_and_has_none_of_the_others_paths),
        cmocka_unit_test(a_path_that_leads_elsewhere_is_refused),
    };
    return RUN_TESTS(tests);
}
