/* SPDX-License-Identifier: Apache-2.0
 *
 * The port of blobs.h, whatever stands behind it: a disk in memory, a folder, and with
 * ONECASE_TEST_S3="ENDPOINT ACCESS SECRET BUCKET" an object store.
 */
/* links: blobs core fakes objects http */
/* NOLINTNEXTLINE(readability-identifier-naming) - nftw is of the X/Open system interfaces */
#define _XOPEN_SOURCE 700
#include "s3_p.h"

#include <onecase/blob_copy.h>
#include <onecase/posix_files.h>
#include <onecase/s3_files.h>
#include <testing.h>

#include <fakes/memory_files.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY   "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"
#define OTHER "d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35"
#define MAIL  "Subject: x\r\n\r\nhelp\r\n"

struct bench {
    struct memory_files *memory;
    struct posix_files *posix;
    struct s3_files *s3;
    struct files files;
    struct blob_store *store;
    struct blobs blobs;
    char folder[128], prefix[DIGEST_HEX_SIZE];
};

/* Benches */

static void start(struct bench *b)
{
    blob_store_free(&b->store);
    b->store = blob_store_new(&b->files);
    b->blobs = blob_store_port(b->store);
}

static void open_folder(struct bench *b)
{
    const char *above = getenv("TMPDIR");
    struct err err = ERR_INIT;

    snprintf(b->folder, sizeof b->folder, "%s/onecase-test-XXXXXX", above != NULL ? above : "/tmp");
    assert_non_null(mkdtemp(b->folder));
    if (posix_files_open(b->folder, &b->posix, &err) != RC_OK)
        fail_msg("%s", err.text);
    b->files = posix_files_port(b->posix);
}

/* Each bench in a folder of its own of the bucket. */
static void open_s3(struct bench *b, const char *where)
{
    char endpoint[128], access[64], secret[64], bucket[64];
    struct digest random;

    assert_int_equal(sscanf(where, "%127s %63s %63s %63s", endpoint, access, secret, bucket), 4);
    digest_random(&random);
    digest_hex(&random, b->prefix);
    open_folder(b);
    const struct s3_settings settings = {.endpoint = endpoint,
                                         .bucket = bucket,
                                         .prefix = b->prefix,
                                         .region = "eu-test-1",
                                         .path_style = true,
                                         .access_key = access,
                                         .secret_key = secret,
                                         .ca_file = "",
                                         .proxy = "",
                                         .timeout_ms = 30000,
                                         .part_size = S3_PART_LEAST};

    b->s3 = s3_files_new(&settings, &b->files);
    b->files = s3_files_port(b->s3);
}

static int each_memory(void **state)
{
    struct bench *b = *state = mem_new(1, sizeof *b);

    b->memory = memory_files_new();
    b->files = memory_files_port(b->memory);
    start(b);
    return 0;
}

static int each_folder(void **state)
{
    *state = mem_new(1, sizeof(struct bench));
    open_folder(*state);
    start(*state);
    return 0;
}

static int each_s3(void **state)
{
    *state = mem_new(1, sizeof(struct bench));
    open_s3(*state, getenv("ONECASE_TEST_S3"));
    start(*state);
    return 0;
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(path);
}

static int after_each(void **state)
{
    struct bench *b = *state;

    blob_store_free(&b->store);
    s3_files_free(&b->s3);
    posix_files_close(&b->posix);
    memory_files_free(&b->memory);
    if (b->folder[0] != '\0')
        nftw(b->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(b);
    return 0;
}

/* Short names */

static enum rc keep_mail(struct bench *b, struct slice octets, const char *key)
{
    struct blobs *p = &b->blobs;
    struct blob_writing *w = NULL;
    struct digest digest = sha256_of(octets);

    TRY(p->begin(p->self, &w, NULL));
    enum rc rc = p->add(p->self, w, octets, NULL);

    if (rc == RC_OK)
        rc = p->keep_incoming(p->self, &w, &digest, NULL);
    p->drop(p->self, &w);
    if (rc == RC_OK)
        rc = p->settle(p->self, NULL);
    if (rc == RC_OK)
        rc = p->keep_original(p->self, &digest, key, NULL);
    return rc == RC_OK ? p->settle(p->self, NULL) : rc;
}

static enum rc keep_part(struct bench *b, const char *name, struct slice octets)
{
    struct files *f = &b->files;
    struct digest digest = sha256_of(octets);

    TRY(f->make_folder(f->self, "tmp", NULL));
    TRY(f->remove(f->self, "tmp/part", NULL));
    TRY(f->create(f->self, "tmp/part", octets, NULL));
    TRY(b->blobs.keep_attachment(b->blobs.self, KEY, name, "tmp/part", &digest, NULL));
    return b->blobs.settle(b->blobs.self, NULL);
}

static enum rc collect(void *ctx, struct slice octets, struct err *err)
{
    (void)err;
    str_add(ctx, octets);
    return RC_OK;
}

static void assert_holds(struct bench *b, const char *path, struct slice expected)
{
    CLEANUP(str_clear) struct str found = STR_INIT;
    struct err err = ERR_INIT;

    if (b->blobs.read(b->blobs.self, path, &(struct blob_sink){&found, collect}, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(found.len, expected.len);
    if (expected.len > 0)
        assert_memory_equal(found.at, expected.at, expected.len);
}

static const char *original_of(const char *key)
{
    static char path[BLOB_PATH_SIZE];

    blob_path_original(key, path);
    return path;
}

static const char *attached_as(const char *name)
{
    static char path[BLOB_PATH_SIZE];

    blob_path_attachment(KEY, name, path);
    return path;
}

/* No two pieces of it are alike. */
static void add_octets(struct str *out, size_t count)
{
    uint32_t x = 1;

    for (size_t i = 0; i < count; i++) {
        x = x * 1664525 + 1013904223;
        str_addc(out, (char)(x >> 24));
    }
}

/* The contract */

static void what_was_kept_is_read(void **state)
{
    struct bench *b = *state;
    struct digest found, expected = sha256_of(SLICE(MAIL));
    CLEANUP(str_clear) struct str header = STR_INIT;
    int64_t size;

    assert_int_equal(keep_mail(b, SLICE(MAIL), KEY), RC_OK);
    assert_holds(b, original_of(KEY), SLICE(MAIL));
    assert_int_equal(blob_digest(&b->blobs, original_of(KEY), &found, &size, NULL), RC_OK);
    assert_true(digest_eq(&found, &expected));
    assert_int_equal(size, sizeof MAIL - 1);
    assert_int_equal(blob_header(&b->blobs, original_of(KEY), &header, NULL), RC_OK);
    assert_true(slice_has(str_slice(&header), SLICE("Subject: x")));
}

static void another_life_reads_it_too(void **state)
{
    struct bench *b = *state;

    assert_int_equal(keep_mail(b, SLICE(MAIL), KEY), RC_OK);
    start(b);
    assert_holds(b, original_of(KEY), SLICE(MAIL));
}

static void what_is_kept_again_is_kept(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < 2; i++) {
        assert_int_equal(keep_mail(b, SLICE(MAIL), KEY), RC_OK);
        assert_int_equal(keep_part(b, "01-a.txt", SLICE("a")), RC_OK);
    }
    assert_holds(b, attached_as("01-a.txt"), SLICE("a"));
}

static void b02_other_octets_under_a_name_are_a_conflict_and_the_first_stay(void **state)
{
    struct bench *b = *state;

    assert_int_equal(keep_mail(b, SLICE(MAIL), KEY), RC_OK);
    assert_int_equal(keep_mail(b, SLICE("Subject: y\r\n\r\n"), KEY), RC_CONFLICT);
    assert_holds(b, original_of(KEY), SLICE(MAIL));
    assert_int_equal(keep_mail(b, SLICE("Subject: y\r\n\r\n"), OTHER), RC_OK);
    assert_int_equal(keep_part(b, "01-a.txt", SLICE("a")), RC_OK);
    assert_int_equal(keep_part(b, "01-a.txt", SLICE("b")), RC_CONFLICT);
    assert_holds(b, attached_as("01-a.txt"), SLICE("a"));
}

static void a_file_may_have_any_name_and_no_octets(void **state)
{
    static const char *const names[] = {"01-a+b=c&d?.txt", "02-\xc3\xa9\xe2\x82\xac 100%.pdf",
                                        "03-%2e%2e#x", "04-~()[]{}';,@$!"};
    struct bench *b = *state;

    for (size_t i = 0; i < LENGTH(names); i++)
        assert_int_equal(keep_part(b, names[i], slice_z(names[i])), RC_OK);
    for (size_t i = 0; i < LENGTH(names); i++)
        assert_holds(b, attached_as(names[i]), slice_z(names[i]));
    assert_int_equal(keep_part(b, "05-empty", SLICE_EMPTY), RC_OK);
    assert_holds(b, attached_as("05-empty"), SLICE_EMPTY);
}

static void a_large_file_comes_back_whole(void **state)
{
    static const size_t sizes[] = {(size_t)4 << 20, (size_t)5 << 20, ((size_t)11 << 20) + 77};
    struct bench *b = *state;

    for (size_t i = 0; i < LENGTH(sizes); i++) {
        CLEANUP(str_clear) struct str octets = STR_INIT;
        char name[16];

        add_octets(&octets, sizes[i]);
        snprintf(name, sizeof name, "%02zu-large", i);
        assert_int_equal(keep_part(b, name, str_slice(&octets)), RC_OK);
        assert_int_equal(keep_part(b, name, str_slice(&octets)), RC_OK);
        assert_holds(b, attached_as(name), str_slice(&octets));
    }
}

static void what_is_missing_is_not_found(void **state)
{
    struct bench *b = *state;
    struct digest digest = sha256_of(SLICE(MAIL));
    struct blob_sink sink = {NULL, collect};

    assert_int_equal(b->blobs.keep_original(b->blobs.self, &digest, KEY, NULL), RC_NOT_FOUND);
    assert_int_equal(b->blobs.read(b->blobs.self, original_of(KEY), &sink, NULL), RC_NOT_FOUND);
    assert_int_equal(b->blobs.read(b->blobs.self, attached_as("01-a"), &sink, NULL), RC_NOT_FOUND);
    assert_int_equal(b->blobs.read(b->blobs.self, "items/../ledger.db", &sink, NULL), RC_USAGE);
    assert_int_equal(b->blobs.read(b->blobs.self, "ledger.db", &sink, NULL), RC_USAGE);
}

static void what_was_fetched_goes_and_what_was_kept_stays(void **state)
{
    struct bench *b = *state;
    struct digest digest = sha256_of(SLICE(MAIL));
    struct blob_sink sink = {NULL, collect};
    char incoming[BLOB_PATH_SIZE];

    blob_path_incoming(&digest, incoming);
    assert_int_equal(keep_mail(b, SLICE(MAIL), KEY), RC_OK);
    assert_int_equal(b->blobs.forget(b->blobs.self, incoming, NULL), RC_OK);
    assert_int_equal(b->blobs.read(b->blobs.self, incoming, &sink, NULL), RC_NOT_FOUND);
    assert_int_equal(b->blobs.keep_original(b->blobs.self, &digest, KEY, NULL), RC_OK);
    assert_holds(b, original_of(KEY), SLICE(MAIL));
    assert_int_equal(b->blobs.forget(b->blobs.self, original_of(KEY), NULL), RC_USAGE);
}

static void what_is_removed_is_gone(void **state)
{
    struct bench *b = *state;
    struct files *f = &b->files;
    struct blob_sink sink = {NULL, collect};

    assert_int_equal(keep_mail(b, SLICE(MAIL), KEY), RC_OK);
    assert_int_equal(f->remove(f->self, original_of(KEY), NULL), RC_OK);
    assert_int_equal(f->remove(f->self, original_of(KEY), NULL), RC_OK);
    assert_int_equal(b->blobs.read(b->blobs.self, original_of(KEY), &sink, NULL), RC_NOT_FOUND);
    assert_int_equal(keep_mail(b, SLICE(MAIL), KEY), RC_OK);
    assert_holds(b, original_of(KEY), SLICE(MAIL));
}

static void a_file_is_copied_from_any_store_into_any_other(void **state)
{
    struct bench *b = *state;
    struct bench other = {.memory = memory_files_new()};
    struct digest digest = sha256_of(SLICE(MAIL)), wrong = sha256_of(SLICE("x"));

    char here[BLOB_PATH_SIZE];

    other.files = memory_files_port(other.memory);
    start(&other);
    snprintf(here, sizeof here, "%s", original_of(KEY));
    assert_int_equal(keep_mail(b, SLICE(MAIL), KEY), RC_OK);
    const char *there = original_of(OTHER);
    assert_int_equal(blob_copy(other.store, there, &b->blobs, here, &wrong, NULL), RC_REFUSED);
    assert_int_equal(blob_copy(other.store, there, &b->blobs, here, &digest, NULL), RC_OK);
    assert_int_equal(blob_copy(b->store, there, &other.blobs, there, &digest, NULL), RC_OK);
    assert_holds(b, original_of(OTHER), SLICE(MAIL));
    blob_store_free(&other.store);
    memory_files_free(&other.memory);
}

static void an_upload_that_was_cut_off_is_ended_by_its_age(void **state)
{
    struct bench *b = *state;
    CLEANUP(http_answer_clear) struct http_answer a = {.status = 0};
    struct s3_ask list = {.method = "GET", .path = "", .query = "uploads="};
    struct s3_ask begin = {.method = "POST", .path = original_of(KEY), .query = "uploads="};

    assert_int_equal(s3_ask(b->s3, &begin, &a, NULL), RC_OK);
    assert_int_equal(s3_files_sweep(b->s3, 1, NULL), RC_OK);
    assert_int_equal(s3_ask(b->s3, &list, &a, NULL), RC_OK);
    assert_true(slice_has(str_slice(&a.body), slice_z(b->prefix)));
    assert_int_equal(s3_files_sweep(b->s3, INT64_MAX, NULL), RC_OK);
    assert_int_equal(s3_ask(b->s3, &list, &a, NULL), RC_OK);
    assert_false(slice_has(str_slice(&a.body), slice_z(b->prefix)));
}

static enum rc add_path(void *ctx, const char *path, int64_t size, struct err *err)
{
    (void)err;
    str_addf(ctx, "%s %d\n", path, (int)size);
    return RC_OK;
}

static void all_that_is_kept_is_listed(void **state)
{
    struct bench *b = *state;
    CLEANUP(str_clear) struct str listed = STR_INIT;
    int64_t size;

    assert_int_equal(keep_part(b, "01-a", SLICE("abc")), RC_OK);
    assert_int_equal(keep_mail(b, SLICE(MAIL), KEY), RC_OK);
    assert_int_equal(s3_files_list(b->s3, add_path, &listed, NULL), RC_OK);
    assert_string_equal(str_z(&listed), "items/6b/" KEY "/attachments/01 3\n"
                                        "items/6b/" KEY "/original.eml 20\n");
    assert_int_equal(s3_files_size(b->s3, attached_as("01-a"), &size, NULL), RC_OK);
    assert_int_equal(size, 3);
}

#define CASE(which, name)                                                                          \
    {                                                                                              \
#which ": " #name, name, each_##which, after_each, NULL                                    \
    }
#define CASES(which)                                                                               \
    CASE(which, what_was_kept_is_read), CASE(which, another_life_reads_it_too),                    \
        CASE(which, what_is_kept_again_is_kept),                                                   \
        CASE(which, b02_other_octets_under_a_name_are_a_conflict_and_the_first_stay),              \
        CASE(which, a_file_may_have_any_name_and_no_octets),                                       \
        CASE(which, a_large_file_comes_back_whole), CASE(which, what_is_missing_is_not_found),     \
        CASE(which, what_was_fetched_goes_and_what_was_kept_stays),                                \
        CASE(which, what_is_removed_is_gone),                                                      \
        CASE(which, a_file_is_copied_from_any_store_into_any_other)

int main(void)
{
    static const struct CMUnitTest here[] = {CASES(memory), CASES(folder)};
    static const struct CMUnitTest there[] = {
        CASES(s3), CASE(s3, an_upload_that_was_cut_off_is_ended_by_its_age),
        CASE(s3, all_that_is_kept_is_listed)};

    return getenv("ONECASE_TEST_S3") != NULL ? cmocka_run_group_tests(there, NULL, NULL)
                                             : cmocka_run_group_tests(here, NULL, NULL);
}
