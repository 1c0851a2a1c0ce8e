/* SPDX-License-Identifier: Apache-2.0 */
/* links: blobs core fakes */
#define _XOPEN_SOURCE 700 /* nftw */
#include "posix_errors.h"

#include <onecase/blob_store.h>
#include <onecase/posix_files.h>
#include <testing.h>

#include <dirent.h>
#include <errno.h>
#include <fakes/memory_files.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMALL  65536 /* room on the small disk */
#define NOBODY 65534

/* One port under test, and how its disk is made small or closed. Either `memory` or `posix`. */
struct bench {
    struct files files;
    struct memory_files *memory;
    struct posix_files *posix;
    char folder[128];
    bool mounted;
};

/* Benches */

static void bench_memory(struct bench *b)
{
    b->memory = memory_files_new();
    b->files = memory_files_port(b->memory);
}

static void open_posix(struct bench *b)
{
    struct err err = ERR_INIT;

    if (posix_files_open(b->folder, &b->posix, &err) != RC_OK)
        fail_msg("%s", err.text);
    b->files = posix_files_port(b->posix);
}

static void bench_posix(struct bench *b)
{
    const char *above = getenv("TMPDIR");

    snprintf(b->folder, sizeof b->folder, "%s/onecase-test-XXXXXX", above != NULL ? above : "/tmp");
    assert_non_null(mkdtemp(b->folder));
    open_posix(b);
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(path);
}

static void bench_clear(struct bench *b)
{
    memory_files_free(&b->memory);
    posix_files_close(&b->posix);
    if (b->mounted)
        umount(b->folder);
    if (b->folder[0] != '\0')
        nftw(b->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    *b = (struct bench){.memory = NULL};
}

static int each_memory(void **state)
{
    *state = mem_new(1, sizeof(struct bench));
    bench_memory(*state);
    return 0;
}

static int each_posix(void **state)
{
    *state = mem_new(1, sizeof(struct bench));
    bench_posix(*state);
    return 0;
}

static int after_each(void **state)
{
    bench_clear(*state);
    free(*state);
    return 0;
}

/* Where nothing may be mounted, a limit on the size of files stands in for the end of the disk. */
static void make_disk_small(struct bench *b)
{
    if (b->memory != NULL) {
        b->memory->room = SMALL;
        return;
    }
    posix_files_close(&b->posix);
    b->mounted = mount("none", b->folder, "tmpfs", 0, "size=64k,mode=0700") == 0;
    if (!b->mounted) {
        signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){SMALL, RLIM_INFINITY}), 0);
    }
    open_posix(b);
}

static void make_disk_large(struct bench *b)
{
    if (b->posix != NULL && !b->mounted)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
}

static void deny_all(struct bench *b)
{
    if (b->memory != NULL)
        b->memory->denied = "";
    else if (geteuid() == 0)
        assert_int_equal(seteuid(NOBODY), 0);
    else
        assert_int_equal(chmod(b->folder, 0), 0);
}

static void allow_all(struct bench *b)
{
    if (b->memory != NULL)
        b->memory->denied = NULL;
    else if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    else
        assert_int_equal(chmod(b->folder, 0700), 0);
}

/* Short names for the calls */

static enum rc create(struct bench *b, const char *path, struct slice octets)
{
    return b->files.create(b->files.self, path, octets, NULL);
}

static enum rc append(struct bench *b, const char *path, struct slice octets)
{
    return b->files.append(b->files.self, path, octets, NULL);
}

static enum rc sync_file(struct bench *b, const char *path)
{
    return b->files.sync_files(b->files.self, &path, 1, NULL);
}

static enum rc link_file(struct bench *b, const char *from, const char *to)
{
    return b->files.link(b->files.self, from, to, NULL);
}

static enum rc make_folder(struct bench *b, const char *path)
{
    return b->files.make_folder(b->files.self, path, NULL);
}

static enum rc sync_folder(struct bench *b, const char *path)
{
    return b->files.sync_folders(b->files.self, &path, 1, NULL);
}

static enum rc remove_file(struct bench *b, const char *path)
{
    return b->files.remove(b->files.self, path, NULL);
}

static enum rc
read_some(struct bench *b, const char *path, int64_t offset, char into[4], size_t *got)
{
    return b->files.read(b->files.self, path, offset, into, 4, got, NULL);
}

static void assert_reads(struct bench *b, const char *path, const char *expected)
{
    CLEANUP(str_clear) struct str found = STR_INIT;
    char piece[4];
    size_t got = 1;

    while (got > 0) {
        assert_int_equal(read_some(b, path, (int64_t)found.len, piece, &got), RC_OK);
        str_add(&found, (struct slice){piece, got});
    }
    assert_string_equal(str_z(&found), expected);
}

/* The contract */

static void a_file_is_made_added_to_and_read(void **state)
{
    struct bench *b = *state;

    assert_int_equal(create(b, "a", SLICE("one ")), RC_OK);
    assert_reads(b, "a", "one ");
    assert_int_equal(append(b, "a", SLICE("two ")), RC_OK);
    assert_int_equal(append(b, "a", SLICE_EMPTY), RC_OK);
    assert_int_equal(sync_file(b, "a"), RC_OK);
    assert_int_equal(append(b, "a", SLICE("three")), RC_OK);
    assert_int_equal(sync_file(b, "a"), RC_OK);
    assert_reads(b, "a", "one two three");
    assert_int_equal(create(b, "empty", SLICE_EMPTY), RC_OK);
    assert_reads(b, "empty", "");
}

static void a_file_may_hold_any_octets(void **state)
{
    struct bench *b = *state;
    char piece[4];
    size_t got;

    assert_int_equal(create(b, "a", SLICE("\0\r\n\xff")), RC_OK);
    assert_int_equal(read_some(b, "a", 0, piece, &got), RC_OK);
    assert_int_equal(got, 4);
    assert_memory_equal(piece, "\0\r\n\xff", 4);
    assert_int_equal(read_some(b, "a", 100, piece, &got), RC_OK);
    assert_int_equal(got, 0);
}

static void b02_a_name_that_is_taken_is_a_conflict_and_stays(void **state)
{
    struct bench *b = *state;

    assert_int_equal(create(b, "a", SLICE("first")), RC_OK);
    assert_int_equal(create(b, "b", SLICE("second")), RC_OK);
    assert_int_equal(create(b, "a", SLICE("third")), RC_CONFLICT);
    assert_int_equal(link_file(b, "b", "a"), RC_CONFLICT);
    assert_int_equal(make_folder(b, "f"), RC_OK);
    assert_int_equal(create(b, "f", SLICE("third")), RC_CONFLICT);
    assert_int_equal(link_file(b, "b", "f"), RC_CONFLICT);
    assert_reads(b, "a", "first");
    assert_reads(b, "b", "second");
}

static void a_file_lives_as_long_as_one_of_its_names(void **state)
{
    struct bench *b = *state;

    assert_int_equal(make_folder(b, "tmp"), RC_OK);
    assert_int_equal(make_folder(b, "kept"), RC_OK);
    assert_int_equal(create(b, "tmp/a", SLICE("octets")), RC_OK);
    assert_int_equal(sync_file(b, "tmp/a"), RC_OK);
    assert_int_equal(link_file(b, "tmp/a", "kept/a"), RC_OK);
    assert_int_equal(sync_folder(b, "kept"), RC_OK);
    assert_int_equal(remove_file(b, "tmp/a"), RC_OK);
    assert_reads(b, "kept/a", "octets");
    assert_int_equal(remove_file(b, "tmp/a"), RC_OK);
    assert_int_equal(create(b, "tmp/a", SLICE("others")), RC_OK);
    assert_reads(b, "kept/a", "octets");
}

static void what_is_missing_is_not_found(void **state)
{
    struct bench *b = *state;
    char piece[4];
    size_t got;

    assert_int_equal(read_some(b, "a", 0, piece, &got), RC_NOT_FOUND);
    assert_int_equal(append(b, "a", SLICE("x")), RC_NOT_FOUND);
    assert_int_equal(sync_file(b, "a"), RC_NOT_FOUND);
    assert_int_equal(link_file(b, "a", "b"), RC_NOT_FOUND);
    assert_int_equal(create(b, "f/a", SLICE("x")), RC_NOT_FOUND);
    assert_int_equal(make_folder(b, "f/g"), RC_NOT_FOUND);
    assert_int_equal(sync_folder(b, "f"), RC_NOT_FOUND);
    assert_int_equal(remove_file(b, "f/a"), RC_OK);
}

static void folders_are_made_once_and_again(void **state)
{
    struct bench *b = *state;
    char piece[4];
    size_t got;

    assert_int_equal(make_folder(b, "f"), RC_OK);
    assert_int_equal(make_folder(b, "f"), RC_OK);
    assert_int_equal(make_folder(b, "f/g"), RC_OK);
    assert_int_equal(sync_folder(b, FILES_TOP), RC_OK);
    assert_int_equal(sync_folder(b, "f/g"), RC_OK);
    assert_int_equal(read_some(b, "f", 0, piece, &got), RC_BROKEN);
    assert_int_equal(remove_file(b, "f"), RC_BROKEN);
    assert_int_equal(create(b, "a", SLICE("x")), RC_OK);
    assert_int_equal(make_folder(b, "a"), RC_BROKEN);
}

static void b01_a_full_disk_is_deferred_and_room_made_is_room_used(void **state)
{
    struct bench *b = *state;
    CLEANUP(str_clear) struct str block = STR_INIT;
    enum rc rc = RC_OK;

    for (int i = 0; i < 10000; i++)
        str_addc(&block, 'x');
    make_disk_small(b);
    assert_int_equal(create(b, "a", SLICE_EMPTY), RC_OK);
    for (int i = 0; rc == RC_OK && i < 100; i++)
        rc = append(b, "a", str_slice(&block));
    if (rc == RC_OK)
        rc = sync_file(b, "a");
    assert_int_equal(rc, RC_DEFERRED);
    assert_int_equal(remove_file(b, "a"), RC_OK);
    assert_int_equal(create(b, "a", str_slice(&block)), RC_OK);
    assert_int_equal(sync_file(b, "a"), RC_OK);
    make_disk_large(b);
}

static void b01_a_message_that_finds_no_room_leaves_nothing_half(void **state)
{
    struct bench *b = *state;
    CLEANUP(str_clear) struct str mail = STR_INIT;
    CLEANUP(blob_store_free) struct blob_store *store = NULL;
    struct blob_writing *w = NULL;
    struct digest digest = {{1}};
    char piece[4];
    size_t got;

    for (int i = 0; i < 2 * SMALL; i++)
        str_addc(&mail, 'x');
    make_disk_small(b);
    store = blob_store_new(&b->files);
    struct blobs p = blob_store_port(store);

    assert_int_equal(p.begin(p.self, &w, NULL), RC_OK);
    assert_int_equal(p.add(p.self, w, str_slice(&mail), NULL), RC_DEFERRED);
    p.drop(p.self, &w);
    assert_int_equal(read_some(b, "tmp/fetch-0", 0, piece, &got), RC_NOT_FOUND);
    assert_int_equal(p.begin(p.self, &w, NULL), RC_OK);
    assert_int_equal(p.add(p.self, w, slice_cut(str_slice(&mail), 0, 9), NULL), RC_OK);
    assert_int_equal(p.keep_incoming(p.self, &w, &digest, NULL), RC_OK);
    make_disk_large(b);
}

static void b04_permission_denied_is_broken_and_later_works(void **state)
{
    struct bench *b = *state;
    char piece[4];
    size_t got;

    assert_int_equal(make_folder(b, "f"), RC_OK);
    assert_int_equal(create(b, "f/a", SLICE("x")), RC_OK);
    assert_int_equal(sync_file(b, "f/a"), RC_OK);
    deny_all(b);
    enum rc made = create(b, "f/b", SLICE("x"));
    enum rc read = read_some(b, "f/a", 0, piece, &got);
    enum rc named = link_file(b, "f/a", "f/c");
    enum rc folder = make_folder(b, "f/g");
    enum rc removed = remove_file(b, "f/a");

    allow_all(b);
    assert_int_equal(made, RC_BROKEN);
    assert_int_equal(read, RC_BROKEN);
    assert_int_equal(named, RC_BROKEN);
    assert_int_equal(folder, RC_BROKEN);
    assert_int_equal(removed, RC_BROKEN);
    assert_int_equal(create(b, "f/b", SLICE("x")), RC_OK);
}

static void space_is_what_the_disk_has_left(void **state)
{
    struct bench *b = *state;
    int64_t octets = -1;

    assert_int_equal(b->files.space(b->files.self, &octets, NULL), RC_OK);
    assert_true(octets > 0);
    make_disk_small(b);
    assert_int_equal(b->files.space(b->files.self, &octets, NULL), RC_OK);
    if (b->memory != NULL || b->mounted)
        assert_true(octets > 0 && octets <= SMALL);
    make_disk_large(b);
}

/* Beyond the contract: a real folder */

static mode_t mode_of(const struct bench *b, const char *path)
{
    char whole[256];
    struct stat facts;

    snprintf(whole, sizeof whole, "%s/%s", b->folder, path);
    assert_int_equal(lstat(whole, &facts), 0);
    return facts.st_mode & 07777;
}

static void only_the_owner_may_read(void **state)
{
    struct bench *b = *state;

    assert_int_equal(make_folder(b, "f"), RC_OK);
    assert_int_equal(create(b, "f/a", SLICE("x")), RC_OK);
    assert_int_equal(mode_of(b, "f"), 0700);
    assert_int_equal(mode_of(b, "f/a"), 0600);
}

static void a_folder_that_others_may_enter_is_refused(void **state)
{
    struct bench *b = *state;
    struct err err = ERR_INIT;
    struct posix_files *other = NULL;

    assert_int_equal(chmod(b->folder, 0750), 0);
    assert_int_equal(posix_files_open(b->folder, &other, &err), RC_BROKEN);
    assert_non_null(strstr(err.text, "chmod 700"));
    assert_int_equal(chmod(b->folder, 0700), 0);
}

static void the_last_component_of_data_dir_is_made(void **state)
{
    struct bench *b = *state;
    struct posix_files *other = NULL;
    char path[256];

    snprintf(path, sizeof path, "%s/data", b->folder);
    assert_int_equal(posix_files_open(path, &other, NULL), RC_OK);
    posix_files_close(&other);
    assert_int_equal(mode_of(b, "data"), 0700);
    snprintf(path, sizeof path, "%s/none/data", b->folder);
    assert_int_equal(posix_files_open(path, &other, NULL), RC_NOT_FOUND);
    assert_null(other);
}

static void links_and_pipes_are_not_followed(void **state)
{
    struct bench *b = *state;
    char target[256];
    char path[256];
    char piece[4];
    size_t got;

    assert_int_equal(make_folder(b, "real"), RC_OK);
    assert_int_equal(create(b, "real/a", SLICE("x")), RC_OK);
    snprintf(target, sizeof target, "%s/real", b->folder);
    snprintf(path, sizeof path, "%s/linked", b->folder);
    assert_int_equal(symlink(target, path), 0);
    snprintf(target, sizeof target, "%s/real/a", b->folder);
    snprintf(path, sizeof path, "%s/a", b->folder);
    assert_int_equal(symlink(target, path), 0);
    snprintf(path, sizeof path, "%s/pipe", b->folder);
    assert_int_equal(mkfifo(path, 0600), 0);

    assert_int_equal(read_some(b, "linked/a", 0, piece, &got), RC_BROKEN);
    assert_int_equal(create(b, "linked/b", SLICE("x")), RC_BROKEN);
    assert_int_equal(make_folder(b, "linked"), RC_BROKEN);
    assert_int_equal(sync_folder(b, "linked"), RC_BROKEN);
    assert_int_equal(read_some(b, "a", 0, piece, &got), RC_BROKEN);
    assert_int_equal(append(b, "a", SLICE("y")), RC_BROKEN);
    assert_int_equal(read_some(b, "pipe", 0, piece, &got), RC_BROKEN);
    assert_int_equal(append(b, "pipe", SLICE("y")), RC_BROKEN);
    assert_reads(b, "real/a", "x");
}

static size_t open_descriptors(void)
{
    DIR *listing = opendir("/proc/self/fd");
    size_t count = 0;

    assert_non_null(listing);
    while (readdir(listing) != NULL)
        count++;
    closedir(listing);
    return count;
}

static void no_descriptor_is_left_open(void **state)
{
    struct bench *b = *state;
    size_t before = open_descriptors();

    for (int i = 0; i < 2; i++) {
        a_file_lives_as_long_as_one_of_its_names(state);
        assert_int_equal(remove_file(b, "kept/a"), RC_OK);
        assert_int_equal(remove_file(b, "tmp/a"), RC_OK);
    }
    what_is_missing_is_not_found(state);
    links_and_pipes_are_not_followed(state);
    assert_int_equal(remove_file(b, "real/a"), RC_OK);
    assert_int_equal(open_descriptors(), before);
}

#define MANY (3 * POSIX_FILES_WRITING)

static void any_number_of_files_is_written_and_made_durable_together(void **state)
{
    struct bench *b = *state;
    char path[MANY][16];
    const char *paths[MANY];
    size_t before = open_descriptors();

    for (int i = 0; i < MANY; i++) {
        snprintf(path[i], sizeof path[i], "a%d", i);
        paths[i] = path[i];
        assert_int_equal(create(b, path[i], SLICE("x")), RC_OK);
    }
    assert_true(open_descriptors() <= before + POSIX_FILES_WRITING);
    assert_int_equal(append(b, "a0", SLICE("y")), RC_OK);
    assert_int_equal(b->files.sync_files(b->files.self, paths, MANY, NULL), RC_OK);
    assert_int_equal(open_descriptors(), before);
    assert_reads(b, "a0", "xy");
}

static void leftovers_are_swept_by_age(void **state)
{
    struct bench *b = *state;
    char path[256];
    char piece[4];
    size_t got;
    struct timespec old[2] = {{1000, 0}, {1000, 0}};

    assert_int_equal(posix_files_sweep(b->folder, 2000000, NULL), RC_OK);
    assert_int_equal(make_folder(b, "tmp"), RC_OK);
    assert_int_equal(make_folder(b, "tmp/folder"), RC_OK);
    assert_int_equal(create(b, "tmp/old", SLICE("x")), RC_OK);
    assert_int_equal(create(b, "tmp/new", SLICE("x")), RC_OK);
    snprintf(path, sizeof path, "%s/tmp/old", b->folder);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    assert_int_equal(posix_files_sweep(b->folder, 2000000, NULL), RC_OK);
    assert_int_equal(read_some(b, "tmp/old", 0, piece, &got), RC_NOT_FOUND);
    assert_reads(b, "tmp/new", "x");
    assert_int_equal(sync_folder(b, "tmp/folder"), RC_OK);
}

static void errors_are_sorted_by_what_can_be_done(void **state)
{
    static const struct {
        const char *name;
        int error;
        enum rc rc;
    } rows[] = {
        {"no room on the disk", ENOSPC, RC_DEFERRED},
        {"the disk quota is used up", EDQUOT, RC_DEFERRED},
        {"larger than this process may write", EFBIG, RC_DEFERRED},
        {"no such file or folder", ENOENT, RC_NOT_FOUND},
        {"the name is taken", EEXIST, RC_CONFLICT},
        {"permission denied", EACCES, RC_BROKEN},
        {"not permitted", EPERM, RC_BROKEN},
        {"the file system is mounted read-only", EROFS, RC_BROKEN},
        {"all of data_dir must be on one file system", EXDEV, RC_BROKEN},
        {"a symbolic link", ELOOP, RC_BROKEN},
        {"something else stands where a folder", ENOTDIR, RC_BROKEN},
        {"a folder stands where a file", EISDIR, RC_BROKEN},
        {"the disk fails (I/O error)", EIO, RC_BROKEN},
        {"Too many open files", EMFILE, RC_BROKEN},
        {"Stale file handle", ESTALE, RC_BROKEN},
    };

    (void)state;
    FOR_EACH(row, rows) {
        char reason[POSIX_REASON_SIZE];

        assert_int_equal(posix_outcome(row->error, reason), row->rc);
        assert_ptr_equal(strstr(reason, row->name), reason);
    }
}

#define BOTH(setup)                                                                                \
    cmocka_unit_test_setup_teardown(a_file_is_made_added_to_and_read, setup, after_each),          \
        cmocka_unit_test_setup_teardown(a_file_may_hold_any_octets, setup, after_each),            \
        cmocka_unit_test_setup_teardown(b02_a_name_that_is_taken_is_a_conflict_and_stays, setup,   \
                                        after_each),                                               \
        cmocka_unit_test_setup_teardown(a_file_lives_as_long_as_one_of_its_names, setup,           \
                                        after_each),                                               \
        cmocka_unit_test_setup_teardown(what_is_missing_is_not_found, setup, after_each),          \
        cmocka_unit_test_setup_teardown(folders_are_made_once_and_again, setup, after_each),       \
        cmocka_unit_test_setup_teardown(b01_a_full_disk_is_deferred_and_room_made_is_room_used,    \
                                        setup, after_each),                                        \
        cmocka_unit_test_setup_teardown(b01_a_message_that_finds_no_room_leaves_nothing_half,      \
                                        setup, after_each),                                        \
        cmocka_unit_test_setup_teardown(b04_permission_denied_is_broken_and_later_works, setup,    \
                                        after_each),                                               \
        cmocka_unit_test_setup_teardown(space_is_what_the_disk_has_left, setup, after_each)

#define POSIX(test) cmocka_unit_test_setup_teardown(test, each_posix, after_each)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BOTH(each_memory),
        BOTH(each_posix),
        POSIX(only_the_owner_may_read),
        POSIX(a_folder_that_others_may_enter_is_refused),
        POSIX(the_last_component_of_data_dir_is_made),
        POSIX(links_and_pipes_are_not_followed),
        POSIX(no_descriptor_is_left_open),
        POSIX(any_number_of_files_is_written_and_made_durable_together),
        POSIX(leftovers_are_swept_by_age),
        cmocka_unit_test(errors_are_sorted_by_what_can_be_done),
    };

    return RUN_TESTS(tests);
}
