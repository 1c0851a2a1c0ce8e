/* SPDX-License-Identifier: Apache-2.0 */
/* links: message core */
#define _XOPEN_SOURCE 700 /* nftw */
#include "frame.h"
#include "message_reader_p.h"
#include "sandbox.h"

#include <testing.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAIL                                                                                       \
    "From: ann@example.com\r\nSubject: Printer\r\n"                                                \
    "Content-Type: multipart/mixed; boundary=b\r\n\r\n"                                            \
    "--b\r\n\r\nIt is on fire.\r\n"                                                                \
    "--b\r\nContent-Type: image/png; name=fire.png\r\n"                                            \
    "Content-Transfer-Encoding: base64\r\n\r\naGVsbG8=\r\n--b--\r\n"

struct bench {
    char folder[128];
    struct message_reader *reader;
    struct reader port;
    struct message message;
    struct err err;
};

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(path);
}

static void put_file(const struct bench *b, const char *name, struct slice octets)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(octets.at, 1, octets.len, file), octets.len);
    assert_int_equal(fclose(file), 0);
}

static struct bench bench_new(const struct reader_limits *limits, child_fn *child)
{
    struct bench b = {.message = MESSAGE_INIT, .err = ERR_INIT};
    const char *above = getenv("TMPDIR");

    snprintf(b.folder, sizeof b.folder, "%s/onecase-test-XXXXXX", above != NULL ? above : "/tmp");
    assert_non_null(mkdtemp(b.folder));
    if (message_reader_new_with(b.folder, limits, child, &b.reader, &b.err) != RC_OK)
        fail_msg("%s", b.err.text);
    b.port = message_reader_port(b.reader);
    return b;
}

static void bench_clear(struct bench *b)
{
    message_reader_free(&b->reader);
    message_clear(&b->message);
    nftw(b->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static enum rc read_mail(struct bench *b, struct slice octets)
{
    put_file(b, "mail", octets);
    b->err = (struct err)ERR_INIT;
    return b->port.read(b->port.self, "mail", &b->message, &b->err);
}

static int spooled(const struct bench *b)
{
    char path[160];
    DIR *folder;
    int files = 0;

    snprintf(path, sizeof path, "%s/tmp", b->folder);
    folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        files += entry->d_name[0] != '.';
    closedir(folder);
    return files;
}

static void assert_text(const struct bench *b, struct span is, const char *wanted)
{
    assert_true(slice_eqz(message_slice(&b->message, is), wanted));
}

/* ---- the port -------------------------------------------------------------------------------- */

static void a_mail_becomes_a_message_and_files(void **state)
{
    struct bench b = bench_new(&reader_limits_default, child_main);

    (void)state;
    assert_int_equal(read_mail(&b, SLICE(MAIL)), RC_OK);
    assert_text(&b, b.message.subject, "Printer");
    assert_text(&b, b.message.text, "It is on fire.");
    assert_int_equal(b.message.part_count, 2);
    assert_int_equal(spooled(&b), 1);
    assert_int_equal(b.message.parts[0].role, PART_TEXT);
    assert_int_equal(b.message.parts[0].file.len, 0);
    for (size_t i = 1; i < 2; i++) {
        struct slice name = message_slice(&b.message, b.message.parts[i].file);
        char path[256];
        char octets[64];
        struct stat facts;
        FILE *file;

        assert_true(slice_starts_nocase(name, SLICE("tmp/part-")));
        snprintf(path, sizeof path, "%s/%.*s", b.folder, (int)name.len, name.at);
        assert_int_equal(stat(path, &facts), 0);
        assert_int_equal(facts.st_mode & 07777, 0600);
        file = fopen(path, "rb");
        assert_non_null(file);

        size_t got = fread(octets, 1, sizeof octets, file);
        struct digest is = sha256_of((struct slice){octets, got});

        fclose(file);
        assert_int_equal(got, b.message.parts[i].size);
        assert_true(digest_eq(&is, &b.message.parts[i].sha256));
    }
    bench_clear(&b);
}

static void one_mail_after_the_other(void **state)
{
    struct bench b = bench_new(&reader_limits_default, child_main);

    (void)state;
    assert_int_equal(message_reader_warm(b.reader, &b.err), RC_OK);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(read_mail(&b, SLICE(MAIL)), RC_OK);
        assert_int_equal(b.message.part_count, 2);
        assert_int_equal(spooled(&b), i + 1);
    }
    bench_clear(&b);
}

static void what_is_not_there_is_not_found(void **state)
{
    static const struct {
        const char *name;
        const char *path;
        enum rc rc;
    } rows[] = {
        {"no such file", "incoming/x", RC_NOT_FOUND},
        {"nothing", "", RC_USAGE},
        {"absolute", "/etc/passwd", RC_USAGE},
        {"upwards", "../x", RC_USAGE},
        {"upwards within", "incoming/../../x", RC_USAGE},
        {"a folder", "tmp", RC_BROKEN},
    };
    struct bench b = bench_new(&reader_limits_default, child_main);

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(b.port.read(b.port.self, row->path, &b.message, &b.err), row->rc);
    bench_clear(&b);
}

static void beyond_a_limit_nothing_is_left(void **state)
{
    struct reader_limits limits = reader_limits_default;
    struct bench b;

    (void)state;
    limits.leaves = 1;
    b = bench_new(&limits, child_main);
    assert_int_equal(read_mail(&b, SLICE(MAIL)), RC_REFUSED);
    assert_string_equal(b.err.text, "reader: it has more than 1 texts and attachments");
    assert_int_equal(b.message.part_count, 0);
    assert_int_equal(spooled(&b), 0);
    assert_int_equal(read_mail(&b, SLICE("Subject: y\r\n\r\nx")), RC_OK);
    assert_text(&b, b.message.subject, "y");
    bench_clear(&b);
}

static void a_name_that_is_taken_is_passed_over(void **state)
{
    struct bench b = bench_new(&reader_limits_default, child_main);
    char name[64];

    (void)state;
    snprintf(name, sizeof name, "tmp/part-%ld-0", (long)getpid());
    put_file(&b, name, SLICE("of another"));
    assert_int_equal(read_mail(&b, SLICE(MAIL)), RC_OK);
    assert_int_equal(spooled(&b), 2);
    bench_clear(&b);
}

static void looked_at_a_mail_is_known_by_all_but_its_files(void **state)
{
    struct bench b = bench_new(&reader_limits_default, child_main);
    struct digest is;

    (void)state;
    assert_int_equal(read_mail(&b, SLICE(MAIL)), RC_OK);
    assert_int_equal(spooled(&b), 1);
    is = message_payload_digest(&b.message);
    assert_int_equal(b.port.look(b.port.self, "mail", &b.message, &b.err), RC_OK);
    assert_int_equal(spooled(&b), 1);
    assert_int_equal(b.message.part_count, 2);
    assert_text(&b, b.message.text, "It is on fire.");
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(b.message.parts[i].file.len, 0);

    struct digest looked = message_payload_digest(&b.message);

    assert_true(digest_eq(&is, &looked));
    bench_clear(&b);
}

/* It names a file, and what is done with its answer would remove that. */
static void names_a_file_unasked(int socket, const struct reader_limits *limits)
{
    struct channel c = {.socket = socket};
    CLEANUP(frame_clear) struct frame request = FRAME_INIT;
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    CLEANUP(str_clear) struct str flat = STR_INIT;
    struct err err = ERR_INIT;

    (void)limits;
    (void)(frame_send(&c, FRAME_READY, SLICE_EMPTY, NO_FILE, &err) == RC_OK);
    (void)(frame_receive(&c, ERR_TEXT_SIZE, &request, &err) == RC_OK);
    message_add_part(&m)->file = message_keep(&m, SLICE("tmp/fetch-1"));
    message_write(&m, &flat);
    (void)(frame_send(&c, FRAME_MESSAGE, str_slice(&flat), NO_FILE, &err) == RC_OK);
    _exit(0);
}

static void a_child_that_names_a_file_when_looked_is_refused(void **state)
{
    struct bench b = bench_new(&reader_limits_default, names_a_file_unasked);

    (void)state;
    put_file(&b, "mail", SLICE(MAIL));
    assert_int_equal(b.port.look(b.port.self, "mail", &b.message, &b.err), RC_REFUSED);
    assert_non_null(strstr(b.err.text, "none were wanted"));
    bench_clear(&b);
}

/* A disk of 64 KB under the folder; false where we may not mount one. */
static bool make_small(const struct bench *b)
{
    return mount("none", b->folder, "tmpfs", 0, "size=65536,mode=0700") == 0;
}

static void without_room_the_mail_waits(void **state)
{
    struct bench b = {.message = MESSAGE_INIT, .err = ERR_INIT};
    CLEANUP(str_clear) struct str mail = STR_INIT;

    (void)state;
    snprintf(b.folder, sizeof b.folder, "/tmp/onecase-test-XXXXXX");
    assert_non_null(mkdtemp(b.folder));
    if (!make_small(&b)) {
        rmdir(b.folder);
        fail_msg("a small disk needs the right to mount one, which root has");
    }
    assert_int_equal(message_reader_new(b.folder, &reader_limits_default, &b.reader, &b.err),
                     RC_OK);
    b.port = message_reader_port(b.reader);
    str_addz(&mail, "Content-Type: a/b\r\n\r\n");
    while (mail.len < 40000)
        str_addz(&mail, "some octets of an attachment\r\n");
    assert_int_equal(read_mail(&b, str_slice(&mail)), RC_DEFERRED);
    assert_int_equal(spooled(&b), 0);
    assert_int_equal(read_mail(&b, SLICE(MAIL)), RC_OK);
    message_reader_free(&b.reader);
    message_clear(&b.message);
    umount(b.folder);
    rmdir(b.folder);
}

#if READER_MEMORY /* the sanitizer's build has no limit of memory */
static void without_memory_the_mail_is_refused(void **state)
{
    struct reader_limits limits = reader_limits_default;
    CLEANUP(str_clear) struct str mail = STR_INIT;
    struct bench b;

    (void)state;
    limits.memory_octets = 220 << 20;
    b = bench_new(&limits, child_main);
    str_addz(&mail, "Content-Type: text/plain; charset=iso-8859-1\r\n\r\n");
    while (mail.len < 40 << 20)
        str_addz(&mail, "\xFC\xFC\xFC\xFC\xFC\xFC\xFC\xFC\xFC\xFC\xFC\xFC\xFC\xFC\xFC\xFC\r\n");
    assert_int_equal(read_mail(&b, str_slice(&mail)), RC_REFUSED);
    assert_int_equal(spooled(&b), 0);
    assert_int_equal(read_mail(&b, SLICE(MAIL)), RC_OK);
    bench_clear(&b);
}
#endif

/* ---- what the child has of us ----------------------------------------------------------------- */

#define SECRET_SIZE 64

/* A secret of this process, which stands in no file of the program. */
static char *make_secret(void)
{
    char *secret = mem_new(SECRET_SIZE, 1);

    snprintf(secret, SECRET_SIZE, "secret-%ld-%s", (long)getpid(),
             "of the process that reads no mail");
    return secret;
}

/* The one child of this process. */
static pid_t child_of_ours(void)
{
    char path[64];
    long pid = 0;
    FILE *children;

    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    children = fopen(path, "r");
    assert_non_null(children);
    assert_int_equal(fscanf(children, "%ld", &pid), 1);
    fclose(children);
    return (pid_t)pid;
}

static FILE *open_of(pid_t pid, const char *what)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, what);
    return fopen(path, "rb");
}

static bool range_has(FILE *memory, unsigned long from, unsigned long to, const char *secret)
{
    CLEANUP(mem_free) char *octets = mem_new(to - from, 1);

    if (fseeko(memory, (off_t)from, SEEK_SET) != 0)
        return false;

    size_t got = fread(octets, 1, to - from, memory);

    return slice_has((struct slice){octets, got}, slice_z(secret));
}

/* Does the secret stand anywhere in the memory of the process? Only for one who may look there. */
static bool memory_has(pid_t pid, const char *secret)
{
    FILE *maps = open_of(pid, "maps");
    FILE *memory = open_of(pid, "mem");
    char line[512];
    bool found = false;

    assert_non_null(maps);
    assert_non_null(memory);
    setvbuf(memory, NULL, _IONBF, 0);
    while (!found && fgets(line, sizeof line, maps) != NULL) {
        unsigned long from;
        unsigned long to;
        char mode[8];

        if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 && mode[0] == 'r' &&
            to - from < (64UL << 20))
            found = range_has(memory, from, to, secret);
    }
    fclose(memory);
    fclose(maps);
    return found;
}

static void its_memory_is_its_own(void **state)
{
    CLEANUP(mem_free) char *secret = make_secret();
    struct bench b = bench_new(&reader_limits_default, child_main);
    struct message_reader *reader = NULL;
    char line[32] = "";

    (void)state;
    assert_int_equal(setenv("SECRET_OF_OURS", secret, 1), 0);
    assert_int_equal(message_reader_warm(b.reader, &b.err), RC_OK);
    if (geteuid() == 0) /* others may not look into it, which is as it should be */
        assert_true(memory_has(child_of_ours(), secret)); /* a fork has everything */
    message_reader_free(&b.reader);
    assert_int_equal(message_reader_new(b.folder, &reader_limits_default, &reader, &b.err), RC_OK);
    b.reader = reader;
    b.port = message_reader_port(reader);
    assert_int_equal(read_mail(&b, SLICE(MAIL)), RC_OK);
    assert_text(&b, b.message.subject, "Printer");

    FILE *said = open_of(child_of_ours(), "cmdline");

    assert_non_null(said);
    assert_true(fread(line, 1, sizeof line - 1, said) > 0);
    fclose(said);
    assert_string_equal(line, "onecase-reader");
    if (geteuid() == 0)
        assert_false(memory_has(child_of_ours(), secret));
    unsetenv("SECRET_OF_OURS");
    bench_clear(&b);
}

/* ---- what is larger than usual ------------------------------------------------------------------ */

static void put_original(struct bench *b, struct slice octets)
{
    char path[160];

    snprintf(path, sizeof path, "%s/items", b->folder);
    mkdir(path, 0700);
    put_file(b, "items/large", octets);
}

static void what_was_let_in_is_read_however_large(void **state)
{
    struct reader_limits limits = reader_limits_default;
    CLEANUP(str_clear) struct str mail = STR_INIT;
    struct bench b;

    (void)state;
    limits.message_octets = 1000;
    limits.decoded_octets = 1000;
    b = bench_new(&limits, child_main);
    str_addz(&mail, "Subject: large\r\nContent-Type: a/b\r\n\r\n");
    while (mail.len < 5000)
        str_addz(&mail, "octets\r\n");
    assert_int_equal(read_mail(&b, str_slice(&mail)), RC_REFUSED);
    assert_string_equal(b.err.text, "reader: the message is longer than 1000 octets");
    put_original(&b, str_slice(&mail));
    b.err = (struct err)ERR_INIT;
    assert_int_equal(b.port.read(b.port.self, "items/large", &b.message, &b.err), RC_OK);
    assert_text(&b, b.message.subject, "large");
    assert_int_equal(read_mail(&b, str_slice(&mail)), RC_REFUSED); /* this one still is */
    bench_clear(&b);
}

/* ---- a child that is not what it should be ---------------------------------------------------- */

static const struct channel child_channel = {.socket = SANDBOX_SOCKET};

static void say(enum frame_kind kind, struct slice text)
{
    struct err err = ERR_INIT;

    if (frame_send(&child_channel, kind, text, NO_FILE, &err) != RC_OK)
        _exit(1);
}

/* Asks for a file and writes to it; its name is added to the message as a part of `size` octets. */
static void make_part(struct message *m, struct slice octets, int64_t size)
{
    struct frame answer = FRAME_INIT;
    struct err err = ERR_INIT;
    struct message_part *part = message_add_part(m);

    say(FRAME_FILE, SLICE_EMPTY);
    if (frame_receive(&child_channel, 1000, &answer, &err) != RC_OK)
        _exit(1);
    if (write(answer.file, octets.at, octets.len) != (ssize_t)octets.len)
        _exit(1);
    part->role = PART_ATTACHMENT;
    part->type = message_keep(m, SLICE("a/b"));
    part->file = message_keep(m, str_slice(&answer.text));
    part->size = size;
    frame_clear(&answer);
}

static void say_message(const struct message *m)
{
    struct str flat = STR_INIT;

    message_write(m, &flat);
    say(FRAME_MESSAGE, str_slice(&flat));
    str_clear(&flat);
}

static void answer_well(void)
{
    struct message m = MESSAGE_INIT;

    make_part(&m, SLICE("abc"), 3);
    m.subject = message_keep(&m, SLICE("well"));
    say_message(&m);
    message_clear(&m);
}

static void crash(void)
{
    raise(SIGSEGV);
}

static void crash_after_a_file(void)
{
    struct message m = MESSAGE_INIT;

    make_part(&m, SLICE("abc"), 3);
    raise(SIGSEGV);
}

static void hang(void)
{
    for (;;)
        pause();
}

static void leave(void)
{
    _exit(0);
}

static void say_what_is_no_message(void)
{
    say(FRAME_MESSAGE, SLICE("onecase\1 and then nonsense"));
}

static void say_what_is_no_frame(void)
{
    say((enum frame_kind)'?', SLICE("?"));
}

static void say_too_much(void)
{
    if (write(SANDBOX_SOCKET, "M\xFF\xFF\xFF\xFF", 5) == 5)
        hang();
}

static void say_half_a_frame(void)
{
    if (write(SANDBOX_SOCKET, "M\x10\0\0\0abc", 8) == 8)
        _exit(0);
}

static void say_that_it_is_ready(void)
{
    say(FRAME_READY, SLICE_EMPTY);
}

static void want_files_for_ever(void)
{
    struct message m = MESSAGE_INIT;

    for (;;)
        make_part(&m, SLICE_EMPTY, 0);
}

static void want_files_and_never_take_them(void)
{
    for (;;)
        say(FRAME_FILE, SLICE_EMPTY);
}

static void lie_about_a_size(void)
{
    struct message m = MESSAGE_INIT;

    make_part(&m, SLICE("abc"), 4);
    say_message(&m);
}

static void name_a_file_of_another(void)
{
    struct message m = MESSAGE_INIT;
    struct message_part *part;

    make_part(&m, SLICE("abc"), 3);
    part = &m.parts[0];
    part->file = message_keep(&m, SLICE("tmp/part-1-1"));
    say_message(&m);
}

static void name_a_file_twice(void)
{
    struct message m = MESSAGE_INIT;

    make_part(&m, SLICE("abc"), 3);
    message_add_part(&m);
    m.parts[1] = m.parts[0];
    say_message(&m);
}

static void keep_a_file_to_itself(void)
{
    struct message m = MESSAGE_INIT;

    make_part(&m, SLICE("abc"), 3);
    m.part_count = 0;
    say_message(&m);
}

static void fail_as_if_all_were_well(void)
{
    say(FRAME_FAILURE, SLICE("\0nothing happened"));
}

static void fail_with_a_control_character(void)
{
    say(FRAME_FAILURE, SLICE("\2\x1B[2J"));
}

/* clang-format off */
static const struct {
    const char *name;
    void (*act)(void);
    const char *says; /* a part of the sentence; NULL: it is read */
} acts[] = {
    {"it answers well",                            answer_well,                    NULL},
    {"it crashes",                                 crash,                          "died of this mail"},
    {"it crashes with a file half written",        crash_after_a_file,             "died of this mail"},
    {"it leaves",                                  leave,                          "died of this mail"},
    {"it hangs",                                   hang,                           "took longer than 1 s"},
    {"its answer is no message",                   say_what_is_no_message,         "is no message"},
    {"its answer is no frame",                     say_what_is_no_frame,           "nonsense"},
    {"its answer is too long",                     say_too_much,                   "died of this mail"},
    {"its answer is cut off",                      say_half_a_frame,               "died of this mail"},
    {"its answer belongs to another question",     say_that_it_is_ready,           "nonsense"},
    {"it wants files for ever",                    want_files_for_ever,            "too many files"},
    {"it wants files and takes none",              want_files_and_never_take_them, "too many files"},
    {"it lies about a size",                       lie_about_a_size,               "do not agree"},
    {"it names a file that is not its own",        name_a_file_of_another,         "do not agree"},
    {"it names a file twice",                      name_a_file_twice,              "do not agree"},
    {"it keeps a file to itself",                  keep_a_file_to_itself,          "do not agree"},
    {"it fails as if all were well",               fail_as_if_all_were_well,       "nonsense"},
    {"it fails with a control character",          fail_with_a_control_character,  "nonsense"},
};
/* clang-format on */

/* The first octet of the mail says which act is to be played. */
static void play(int socket, const struct reader_limits *limits)
{
    struct frame request = FRAME_INIT;
    struct err err = ERR_INIT;
    uint8_t act = 0;

    (void)socket, (void)limits;
    say(FRAME_READY, SLICE_EMPTY);
    while (frame_receive(&child_channel, 1000, &request, &err) == RC_OK) {
        if (pread(request.file, &act, 1, 0) != 1 || act >= LENGTH(acts))
            _exit(1);
        acts[act].act();
    }
    _exit(0);
}

static void whatever_it_does_costs_one_mail(void **state)
{
    struct reader_limits limits = reader_limits_default;
    struct bench b;

    (void)state;
    limits.seconds = 1;
    limits.leaves = 40;
    b = bench_new(&limits, play);
    FOR_EACH(row, acts) {
        char act = (char)(row - acts);
        enum rc rc = read_mail(&b, (struct slice){&act, 1});

        assert_int_equal(rc, row->says != NULL ? RC_REFUSED : RC_OK);
        if (row->says != NULL && strstr(b.err.text, row->says) == NULL)
            fail_msg("%s", b.err.text);
        assert_int_equal(spooled(&b), row->says != NULL ? 0 : 1);
        assert_int_equal(read_mail(&b, (struct slice){"\0", 1}), RC_OK);
        assert_text(&b, b.message.subject, "well");
        bench_clear(&b);
        b = bench_new(&limits, play);
    }
    bench_clear(&b);
}

static void never_ready(int socket, const struct reader_limits *limits)
{
    (void)socket, (void)limits;
    _exit(3);
}

static void not_locked_in(int socket, const struct reader_limits *limits)
{
    (void)socket, (void)limits;
    say(FRAME_FAILURE, SLICE("\7reader: no seccomp"));
    _exit(0);
}

/* That is the installation's fault, not the mail's. */
static void a_child_that_does_not_start_is_no_mails_fault(void **state)
{
    struct bench b = bench_new(&reader_limits_default, never_ready);

    (void)state;
    assert_int_equal(read_mail(&b, SLICE(MAIL)), RC_BROKEN);
    bench_clear(&b);
    b = bench_new(&reader_limits_default, not_locked_in);
    assert_int_equal(read_mail(&b, SLICE(MAIL)), RC_BROKEN);
    assert_string_equal(b.err.text, "reader: no seccomp");
    bench_clear(&b);
}

/* The second mail of a child dies; its own child, which is the first of, reads it. */
static void die_of_the_second(int socket, const struct reader_limits *limits)
{
    struct frame request = FRAME_INIT;
    struct err err = ERR_INIT;

    (void)socket, (void)limits;
    say(FRAME_READY, SLICE_EMPTY);
    for (int mails = 0; frame_receive(&child_channel, 1000, &request, &err) == RC_OK; mails++) {
        if (mails == 1)
            raise(SIGKILL);
        answer_well();
    }
    _exit(0);
}

static void a_mail_is_not_blamed_for_those_before_it(void **state)
{
    struct bench b = bench_new(&reader_limits_default, die_of_the_second);

    (void)state;
    for (int i = 0; i < 5; i++)
        assert_int_equal(read_mail(&b, SLICE(MAIL)), RC_OK);
    bench_clear(&b);
}

int main(int argc, char **argv)
{
    message_reader_main(argc, argv);

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mail_becomes_a_message_and_files),
        cmocka_unit_test(looked_at_a_mail_is_known_by_all_but_its_files),
        cmocka_unit_test(a_child_that_names_a_file_when_looked_is_refused),
        cmocka_unit_test(one_mail_after_the_other),
        cmocka_unit_test(what_is_not_there_is_not_found),
        cmocka_unit_test(beyond_a_limit_nothing_is_left),
        cmocka_unit_test(a_name_that_is_taken_is_passed_over),
        cmocka_unit_test(without_room_the_mail_waits),
#if READER_MEMORY
        cmocka_unit_test(without_memory_the_mail_is_refused),
#endif
        cmocka_unit_test(its_memory_is_its_own),
        cmocka_unit_test(what_was_let_in_is_read_however_large),
        cmocka_unit_test(whatever_it_does_costs_one_mail),
        cmocka_unit_test(a_child_that_does_not_start_is_no_mails_fault),
        cmocka_unit_test(a_mail_is_not_blamed_for_those_before_it),
    };

    return RUN_TESTS(tests);
}
