/* SPDX-License-Identifier: Apache-2.0 */
/* links: blobs core fakes */
#include "paths.h"

#include <onecase/blob_store.h>
#include <testing.h>

#include <fakes/memory_files.h>
#include <stdlib.h>
#include <string.h>

#define KEY      "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"
#define ITEM     "items/6b/" KEY
#define ORIGINAL ITEM "/original.eml"
#define NAME     "01-report.pdf"
#define ATTACHED ITEM "/attachments/" NAME
#define SPOOL    "tmp/part-1"
#define MAIL     "Subject: x\n\nhelp\n"
#define PART     "%PDF-1.4 octets"
#define SEEDS    6

/* A disk and a store on it; the port and the disk's own port stand ready. */
struct bench {
    struct memory_files *disk;
    struct files files;
    struct blob_store *store;
    struct blobs blobs;
};

static void start(struct bench *b)
{
    b->files = memory_files_port(b->disk);
    b->store = blob_store_new(&b->files);
    b->blobs = blob_store_port(b->store);
}

static struct bench *bench_new(void)
{
    struct bench *b = mem_new(1, sizeof *b);

    b->disk = memory_files_new();
    start(b);
    return b;
}

static void bench_free(struct bench **b)
{
    blob_store_free(&(*b)->store);
    memory_files_free(&(*b)->disk);
    free(*b);
}

static void restart(struct bench *b)
{
    b->disk->dies_after = 0;
    b->disk->operations = 0;
    blob_store_free(&b->store);
    start(b);
}

static enum rc keep_mail(struct bench *b, struct slice octets, struct digest *out)
{
    struct blobs *p = &b->blobs;
    struct blob_writing *w = NULL;
    struct slice half = slice_cut(octets, 0, octets.len / 2);

    *out = sha256_of(octets);
    TRY(p->begin(p->self, &w, NULL));
    enum rc rc = p->add(p->self, w, half, NULL);

    if (rc == RC_OK)
        rc = p->add(p->self, w, slice_cut(octets, half.len, octets.len), NULL);
    if (rc == RC_OK)
        rc = p->keep_incoming(p->self, &w, out, NULL);
    if (rc == RC_OK)
        rc = p->settle(p->self, NULL);
    p->drop(p->self, &w);
    assert_null(w);
    return rc;
}

static enum rc write_spool(struct bench *b)
{
    struct files *f = &b->files;

    TRY(f->make_folder(f->self, "tmp", NULL));
    TRY(f->remove(f->self, SPOOL, NULL));
    return f->create(f->self, SPOOL, SLICE(PART), NULL);
}

static enum rc keep_part(struct bench *b)
{
    struct digest part = sha256_of(SLICE(PART));

    TRY(b->blobs.keep_attachment(b->blobs.self, KEY, NAME, SPOOL, &part, NULL));
    return b->blobs.settle(b->blobs.self, NULL);
}

static enum rc keep_original(struct bench *b, const struct digest *mail)
{
    TRY(b->blobs.keep_original(b->blobs.self, mail, KEY, NULL));
    return b->blobs.settle(b->blobs.self, NULL);
}

static void assert_holds(struct bench *b, const char *path, struct slice octets)
{
    struct slice found = SLICE_EMPTY;

    if (!memory_files_find(b->disk, path, &found))
        fail_msg("%s is gone", path);
    assert_int_equal(found.len, octets.len);
    assert_memory_equal(found.at, octets.at, octets.len);
}

static void incoming_path(char out[BLOB_PATH_SIZE])
{
    struct digest mail = sha256_of(SLICE(MAIL));

    blob_path_incoming(&mail, out);
}

/* What a run was told is kept, and has not given up since. */
struct told {
    bool incoming, original, attachment;
};

/* One message from its fetch to the end, as far as it gets. */
static enum rc one_message(struct bench *b, struct told *told)
{
    struct blobs *p = &b->blobs;
    struct digest mail;
    char incoming[BLOB_PATH_SIZE];

    incoming_path(incoming);
    TRY(keep_mail(b, SLICE(MAIL), &mail));
    told->incoming = true;
    TRY(keep_original(b, &mail));
    told->original = true;
    TRY(write_spool(b));
    TRY(keep_part(b));
    told->attachment = true;
    told->incoming = false;
    TRY(p->forget(p->self, SPOOL, NULL));
    return p->forget(p->self, incoming, NULL);
}

static void assert_as_told(struct bench *b, const struct told *told)
{
    char incoming[BLOB_PATH_SIZE];

    incoming_path(incoming);
    if (told->incoming)
        assert_holds(b, incoming, SLICE(MAIL));
    if (told->original)
        assert_holds(b, ORIGINAL, SLICE(MAIL));
    if (told->attachment)
        assert_holds(b, ATTACHED, SLICE(PART));
}

static size_t operations_of_one_message(void)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct told told = {false, false, false};

    assert_int_equal(one_message(b, &told), RC_OK);
    return b->disk->operations;
}

/* What is done, in order */

static void octets_come_before_names_and_names_before_the_answer(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct digest mail;
    char incoming[BLOB_PATH_SIZE];
    CLEANUP(str_clear) struct str expected = STR_INIT;

    (void)state;
    incoming_path(incoming);
    assert_int_equal(keep_mail(b, SLICE(MAIL), &mail), RC_OK);
    str_addf(&expected,
             "create tmp/fetch-0\nmake_folder tmp\ncreate tmp/fetch-0\nappend tmp/fetch-0\n"
             "sync tmp/fetch-0\nmake_folder incoming\nlink %s\nremove tmp/fetch-0\n"
             "sync_folder .\nsync_folder incoming\n",
             incoming);
    assert_string_equal(str_z(&b->disk->log), str_z(&expected));

    str_empty(&b->disk->log);
    assert_int_equal(keep_original(b, &mail), RC_OK);
    assert_string_equal(str_z(&b->disk->log), "make_folder items\nmake_folder items/6b\n"
                                              "make_folder " ITEM "\nlink " ORIGINAL "\n"
                                              "sync_folder .\nsync_folder items\n"
                                              "sync_folder items/6b\nsync_folder " ITEM "\n");
}

static void an_attachment_is_made_durable_and_read_back_before_it_is_named(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();

    (void)state;
    assert_int_equal(write_spool(b), RC_OK);
    str_empty(&b->disk->log);
    assert_int_equal(keep_part(b), RC_OK);
    assert_string_equal(str_z(&b->disk->log),
                        "sync " SPOOL "\nread " SPOOL "\nread " SPOOL "\n"
                        "make_folder items\nmake_folder items/6b\nmake_folder " ITEM "\n"
                        "make_folder " ITEM "/attachments\nlink " ATTACHED "\n"
                        "sync_folder .\nsync_folder items\nsync_folder items/6b\n"
                        "sync_folder " ITEM "\nsync_folder " ITEM "/attachments\n");
}

static size_t count_of(const char *text, const char *needle)
{
    size_t count = 0;

    while ((text = strstr(text, needle)) != NULL) {
        count++;
        text++;
    }
    return count;
}

static void a_folder_that_many_files_went_to_is_made_durable_once(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct blobs *p = &b->blobs;
    struct digest mail;
    char key[] = KEY;

    (void)state;
    assert_int_equal(keep_mail(b, SLICE(MAIL), &mail), RC_OK);
    str_empty(&b->disk->log);
    for (key[63] = '0'; key[63] <= '9'; key[63]++)
        assert_int_equal(p->keep_original(p->self, &mail, key, NULL), RC_OK);
    assert_int_equal(count_of(str_z(&b->disk->log), "sync_folder"), 0);
    assert_int_equal(p->settle(p->self, NULL), RC_OK);
    assert_int_equal(count_of(str_z(&b->disk->log), "sync_folder items/6b\n"), 1);
    assert_int_equal(count_of(str_z(&b->disk->log), "sync_folder"), 3 + 10);
    assert_int_equal(p->settle(p->self, NULL), RC_OK);
    assert_int_equal(count_of(str_z(&b->disk->log), "sync_folder"), 3 + 10);
}

/* ten files come, each with octets of its own, and are settled at once */
static void begin_ten(struct bench *b, struct digest came[10])
{
    struct blobs *p = &b->blobs;

    for (size_t i = 0; i < 10; i++) {
        struct blob_writing *w = NULL;
        char octet = (char)('a' + i);

        came[i] = sha256_of((struct slice){&octet, 1});
        assert_int_equal(p->begin(p->self, &w, NULL), RC_OK);
        assert_int_equal(p->add(p->self, w, (struct slice){&octet, 1}, NULL), RC_OK);
        assert_int_equal(p->keep_incoming(p->self, &w, &came[i], NULL), RC_OK);
        assert_null(w);
    }
}

static void what_came_together_is_made_durable_together_before_any_is_named(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct digest came[10];
    char path[BLOB_PATH_SIZE];

    (void)state;
    begin_ten(b, came);
    assert_int_equal(count_of(str_z(&b->disk->log), "\nsync "), 0);
    assert_int_equal(b->blobs.settle(b->blobs.self, NULL), RC_OK);

    const char *first_link = strstr(str_z(&b->disk->log), "\nlink ");

    assert_non_null(first_link);
    assert_int_equal(count_of(first_link, "\nsync "), 0);
    assert_int_equal(count_of(str_z(&b->disk->log), "\nsync "), 10);
    memory_files_power_cut(b->disk, 0);
    for (size_t i = 0; i < 10; i++) {
        blob_path_incoming(&came[i], path);
        assert_holds(b, path, (struct slice){&"abcdefghij"[i], 1});
    }
}

static void of_what_could_not_be_made_durable_together_nothing_is_named(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct digest came[10];

    (void)state;
    begin_ten(b, came);
    b->disk->fails_at = b->disk->operations + 7;
    b->disk->failure = RC_BROKEN;
    assert_int_equal(b->blobs.settle(b->blobs.self, NULL), RC_BROKEN);
    assert_int_equal(count_of(str_z(&b->disk->log), "\nlink "), 0);
    assert_int_equal(count_of(str_z(&b->disk->log), "\nremove tmp/fetch-"), 10);
}

static void an_attachment_that_was_made_durable_with_others_is_not_waited_for_again(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    const char *spool = SPOOL;

    (void)state;
    assert_int_equal(write_spool(b), RC_OK);
    assert_int_equal(b->blobs.sync_spools(b->blobs.self, &spool, 1, NULL), RC_OK);
    assert_int_equal(keep_part(b), RC_OK);
    assert_int_equal(count_of(str_z(&b->disk->log), "\nsync " SPOOL "\n"), 1);
    memory_files_power_cut(b->disk, 0);
    assert_holds(b, ATTACHED, SLICE(PART));
}

static void where_settling_fails_every_folder_is_settled_again(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct blobs *p = &b->blobs;
    struct digest mail;

    (void)state;
    assert_int_equal(keep_mail(b, SLICE(MAIL), &mail), RC_OK);
    assert_int_equal(p->keep_original(p->self, &mail, KEY, NULL), RC_OK);
    b->disk->fails_at = b->disk->operations + 1;
    b->disk->failure = RC_BROKEN;
    assert_int_equal(p->settle(p->self, NULL), RC_BROKEN);
    assert_int_equal(keep_original(b, &mail), RC_OK);
    memory_files_power_cut(b->disk, 0);
    assert_holds(b, ORIGINAL, SLICE(MAIL));
}

/* Crashes */

static void what_was_reported_kept_survives_a_power_cut_after_any_operation(void **state)
{
    size_t operations = operations_of_one_message();

    (void)state;
    for (size_t n = 1; n <= operations; n++) {
        for (uint32_t seed = 0; seed < SEEDS; seed++) {
            CLEANUP(bench_free) struct bench *b = bench_new();
            struct told told = {false, false, false};

            b->disk->dies_after = n;
            (void)one_message(b, &told);
            memory_files_power_cut(b->disk, seed);
            assert_as_told(b, &told);
            restart(b);
            assert_int_equal(one_message(b, &told), RC_OK);
            memory_files_power_cut(b->disk, 0);
            assert_as_told(b, &told);
        }
    }
}

/* The first run is only killed: what it did not make durable is still to be seen by the second,
 * which must not take it for durable. */
static void what_a_killed_run_left_is_made_durable_by_the_next(void **state)
{
    size_t operations = operations_of_one_message();

    (void)state;
    for (size_t n = 1; n <= operations; n++) {
        for (size_t k = 1; k <= operations + 2; k++) {
            CLEANUP(bench_free) struct bench *b = bench_new();
            struct told told = {false, false, false};

            b->disk->dies_after = n;
            (void)one_message(b, &told);
            restart(b);
            b->disk->dies_after = k;
            (void)one_message(b, &told);
            memory_files_power_cut(b->disk, (uint32_t)(k % SEEDS));
            assert_as_told(b, &told);
        }
    }
}

static void any_operation_may_fail_and_the_next_try_ends_well(void **state)
{
    static const enum rc failures[] = {RC_DEFERRED, RC_BROKEN};
    size_t operations = operations_of_one_message();

    (void)state;
    for (size_t i = 0; i < LENGTH(failures); i++) {
        for (size_t n = 1; n <= operations; n++) {
            CLEANUP(bench_free) struct bench *b = bench_new();
            struct told told = {false, false, false};

            b->disk->fails_at = n;
            b->disk->failure = failures[i];
            enum rc rc = one_message(b, &told);

            assert_true(rc == RC_OK || rc == failures[i]);
            b->disk->operations = n + 1; /* what fails does so once */
            assert_int_equal(one_message(b, &told), RC_OK);
            memory_files_power_cut(b->disk, 0);
            assert_as_told(b, &told);
        }
    }
}

static void octets_that_could_not_be_made_durable_are_not_named_later(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct slice octets;

    (void)state;
    assert_int_equal(write_spool(b), RC_OK);
    b->disk->fails_at = b->disk->operations + 1;
    b->disk->failure = RC_BROKEN;
    assert_int_equal(keep_part(b), RC_BROKEN);
    assert_false(memory_files_find(b->disk, SPOOL, &octets));
    assert_int_equal(keep_part(b), RC_NOT_FOUND);
}

/* Names that are taken */

static void the_same_octets_again_are_kept_already(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct digest first;
    struct digest second;

    (void)state;
    assert_int_equal(keep_mail(b, SLICE(MAIL), &first), RC_OK);
    assert_int_equal(keep_mail(b, SLICE(MAIL), &second), RC_OK);
    assert_true(digest_eq(&first, &second));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(keep_original(b, &first), RC_OK);
        assert_int_equal(write_spool(b), RC_OK);
        assert_int_equal(keep_part(b), RC_OK);
    }
}

static void b02_other_octets_under_a_name_are_reported_and_left_alone(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct err err = ERR_INIT;
    struct digest mail;
    struct digest part = sha256_of(SLICE(PART));
    char incoming[BLOB_PATH_SIZE];

    (void)state;
    incoming_path(incoming);
    assert_int_equal(keep_mail(b, SLICE(MAIL), &mail), RC_OK);
    assert_int_equal(write_spool(b), RC_OK);
    assert_int_equal(keep_part(b), RC_OK);
    memory_files_put(b->disk, ORIGINAL, SLICE("another mail"));
    memory_files_put(b->disk, ATTACHED, SLICE(""));
    memory_files_put(b->disk, incoming, SLICE("Subject: x\n"));

    struct blobs *p = &b->blobs;

    assert_int_equal(p->keep_original(p->self, &mail, KEY, &err), RC_CONFLICT);
    assert_non_null(strstr(err.text, ORIGINAL));
    assert_int_equal(p->keep_attachment(p->self, KEY, NAME, SPOOL, &part, &err), RC_CONFLICT);
    assert_int_equal(keep_mail(b, SLICE(MAIL), &mail), RC_CONFLICT);
    assert_holds(b, ORIGINAL, SLICE("another mail"));
    assert_holds(b, ATTACHED, SLICE(""));
    assert_holds(b, incoming, SLICE("Subject: x\n"));
}

static void the_name_that_a_sender_gave_is_in_no_error(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct err err = ERR_INIT;
    struct digest part = sha256_of(SLICE(PART));

    (void)state;
    assert_int_equal(write_spool(b), RC_OK);
    assert_int_equal(keep_part(b), RC_OK);
    memory_files_put(b->disk, ATTACHED, SLICE("other"));
    assert_int_equal(b->blobs.keep_attachment(b->blobs.self, KEY, NAME, SPOOL, &part, &err),
                     RC_CONFLICT);
    assert_non_null(strstr(err.text, ITEM "/attachments/01\""));
    assert_null(strstr(err.text, "report.pdf"));
}

static void temporary_names_of_others_are_passed_over(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct digest mail;

    (void)state;
    assert_int_equal(b->files.make_folder(b->files.self, "tmp", NULL), RC_OK);
    memory_files_put(b->disk, "tmp/fetch-0", SLICE("of a killed run"));
    memory_files_put(b->disk, "tmp/fetch-1", SLICE("of another run"));
    assert_int_equal(keep_mail(b, SLICE(MAIL), &mail), RC_OK);
    assert_holds(b, "tmp/fetch-0", SLICE("of a killed run"));
    assert_holds(b, "tmp/fetch-1", SLICE("of another run"));
}

/* What is missing or wrong */

static void what_was_kept_need_not_be_there_to_be_kept_again(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct told told = {false, false, false};
    struct digest mail = sha256_of(SLICE(MAIL));

    (void)state;
    assert_int_equal(one_message(b, &told), RC_OK);
    assert_int_equal(keep_original(b, &mail), RC_OK);
    assert_int_equal(keep_part(b), RC_OK);
}

static void what_is_nowhere_is_not_found(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct err err = ERR_INIT;
    struct digest mail = sha256_of(SLICE(MAIL));
    struct blobs *p = &b->blobs;
    int64_t size;

    (void)state;
    assert_int_equal(p->keep_original(p->self, &mail, KEY, &err), RC_NOT_FOUND);
    assert_int_equal(keep_part(b), RC_NOT_FOUND);
    assert_int_equal(blob_digest(p, ORIGINAL, &mail, &size, &err), RC_NOT_FOUND);
    assert_int_equal(p->forget(p->self, SPOOL, &err), RC_OK);
}

static void a_spool_file_that_changed_is_not_kept(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct slice octets;

    (void)state;
    assert_int_equal(write_spool(b), RC_OK);
    memory_files_put(b->disk, SPOOL, SLICE("%PDF-1.4 octetz"));
    assert_int_equal(keep_part(b), RC_BROKEN);
    assert_false(memory_files_find(b->disk, ATTACHED, &octets));
}

static void b01_a_full_disk_leaves_nothing_half(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct digest mail;
    struct slice octets;
    char incoming[BLOB_PATH_SIZE];

    (void)state;
    incoming_path(incoming);
    for (b->disk->room = 0; b->disk->room < (int64_t)strlen(MAIL); b->disk->room++) {
        assert_int_equal(keep_mail(b, SLICE(MAIL), &mail), RC_DEFERRED);
        assert_false(memory_files_find(b->disk, incoming, &octets));
        assert_false(memory_files_find(b->disk, "tmp/fetch-0", &octets));
    }
    assert_int_equal(keep_mail(b, SLICE(MAIL), &mail), RC_OK);
    assert_holds(b, incoming, SLICE(MAIL));
}

static void a_stored_file_is_hashed_whole(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    CLEANUP(str_clear) struct str large = STR_INIT;
    struct digest kept;
    struct digest found;
    char path[BLOB_PATH_SIZE];
    int64_t size;

    (void)state;
    for (int i = 0; i < 20000; i++)
        str_addf(&large, "line %d\n", i);
    assert_int_equal(keep_mail(b, str_slice(&large), &kept), RC_OK);
    blob_path_incoming(&kept, path);
    assert_int_equal(blob_digest(&b->blobs, path, &found, &size, NULL), RC_OK);
    assert_true(digest_eq(&kept, &found));
    assert_int_equal(size, large.len);
}

static void of_a_stored_mail_the_header_is_read(void **state)
{
    CLEANUP(bench_free) struct bench *b = bench_new();
    CLEANUP(str_clear) struct str mail = STR_INIT;
    CLEANUP(str_clear) struct str header = STR_INIT;
    struct err err = ERR_INIT;
    struct digest kept;
    char path[BLOB_PATH_SIZE];

    (void)state;
    for (int i = 0; i < 20000; i++)
        str_addf(&mail, "X-%d: %d\r\n", i, i);
    str_add(&mail, SLICE("X: last\r\n\r\n"));
    size_t end = mail.len;

    for (int i = 0; i < 200000; i++)
        str_add(&mail, SLICE("body\r\n"));
    assert_int_equal(keep_mail(b, str_slice(&mail), &kept), RC_OK);
    blob_path_incoming(&kept, path);
    assert_int_equal(blob_header(&b->blobs, path, &header, &err), RC_OK);
    assert_in_range(header.len, end, 1024 * 1024);
    assert_true(slice_eq(str_slice(&header), slice_cut(str_slice(&mail), 0, header.len)));

    CLEANUP(str_clear) struct str nothing = STR_INIT;

    assert_int_equal(blob_header(&b->blobs, ORIGINAL, &nothing, &err), RC_NOT_FOUND);
}

/* Paths */

static void only_names_of_ours_are_taken(void **state)
{
    static const struct {
        const char *name;
        const char *key, *file, *spool;
    } rows[] = {
        {"a short key", "abc", NAME, SPOOL},
        {"a key in upper case", "6B86B273FF34FCE19D6B804EFF5A3F5747ADA4EAA22F1D49C01E52DDB7875B4B",
         NAME, SPOOL},
        {"a key that climbs", "../../../../../../../../../../../../../../../../../../etc/passwd00",
         NAME, SPOOL},
        {"no name", KEY, "", SPOOL},
        {"the folder itself", KEY, ".", SPOOL},
        {"the folder above", KEY, "..", SPOOL},
        {"a name with a separator", KEY, "01-a/b", SPOOL},
        {"a name with a line end", KEY, "01-a\nb", SPOOL},
        {"a spool file elsewhere", KEY, NAME, "items/part"},
        {"a spool path that climbs", KEY, NAME, "tmp/../items/x"},
        {"an absolute spool path", KEY, NAME, "/tmp/x"},
        {"the spool folder", KEY, NAME, "tmp"},
        {"a spool path with nothing between", KEY, NAME, "tmp//x"},
    };
    CLEANUP(bench_free) struct bench *b = bench_new();
    struct digest part = sha256_of(SLICE(PART));
    struct blobs *p = &b->blobs;

    (void)state;
    FOR_EACH(row, rows) {
        struct err err = ERR_INIT;

        assert_int_equal(p->keep_attachment(p->self, row->key, row->file, row->spool, &part, &err),
                         RC_USAGE);
    }
    assert_int_equal(b->disk->operations, 0);
}

static void only_incoming_and_spool_files_are_forgotten(void **state)
{
    static const struct {
        const char *name;
        enum rc rc;
    } rows[] = {
        {"incoming/x", RC_OK},
        {"tmp/x", RC_OK},
        {ORIGINAL, RC_USAGE},
        {"ledger.db", RC_USAGE},
        {"incoming/../ledger.db", RC_USAGE},
        {"incoming", RC_USAGE},
        {"incoming/", RC_USAGE},
        {"", RC_USAGE},
    };
    CLEANUP(bench_free) struct bench *b = bench_new();

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(b->blobs.forget(b->blobs.self, row->name, NULL), row->rc);
    assert_int_equal(b->blobs.read(b->blobs.self, "ledger.db", NULL, NULL), RC_USAGE);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(octets_come_before_names_and_names_before_the_answer),
        cmocka_unit_test(an_attachment_is_made_durable_and_read_back_before_it_is_named),
        cmocka_unit_test(a_folder_that_many_files_went_to_is_made_durable_once),
        cmocka_unit_test(what_came_together_is_made_durable_together_before_any_is_named),
        cmocka_unit_test(of_what_could_not_be_made_durable_together_nothing_is_named),
        cmocka_unit_test(an_attachment_that_was_made_durable_with_others_is_not_waited_for_again),
        cmocka_unit_test(where_settling_fails_every_folder_is_settled_again),
        cmocka_unit_test(what_was_reported_kept_survives_a_power_cut_after_any_operation),
        cmocka_unit_test(what_a_killed_run_left_is_made_durable_by_the_next),
        cmocka_unit_test(any_operation_may_fail_and_the_next_try_ends_well),
        cmocka_unit_test(octets_that_could_not_be_made_durable_are_not_named_later),
        cmocka_unit_test(the_same_octets_again_are_kept_already),
        cmocka_unit_test(b02_other_octets_under_a_name_are_reported_and_left_alone),
        cmocka_unit_test(the_name_that_a_sender_gave_is_in_no_error),
        cmocka_unit_test(temporary_names_of_others_are_passed_over),
        cmocka_unit_test(what_was_kept_need_not_be_there_to_be_kept_again),
        cmocka_unit_test(what_is_nowhere_is_not_found),
        cmocka_unit_test(a_spool_file_that_changed_is_not_kept),
        cmocka_unit_test(b01_a_full_disk_leaves_nothing_half),
        cmocka_unit_test(a_stored_file_is_hashed_whole),
        cmocka_unit_test(of_a_stored_mail_the_header_is_read),
        cmocka_unit_test(only_names_of_ours_are_taken),
        cmocka_unit_test(only_incoming_and_spool_files_are_forgotten),
    };

    return RUN_TESTS(tests);
}
