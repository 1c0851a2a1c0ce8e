/* SPDX-License-Identifier: Apache-2.0 */
/* links: message core */
#define _GNU_SOURCE
#include "charset.h"
#include "charset_labels.h"
#include "parse.h"
#include "sandbox.h"

#include <testing.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each row runs in a process of its own that is locked in; what it returns is its exit status:
 * DONE, or DENIED where the call failed as it shall. */
enum { DONE = 10, DENIED = 11, STRANGE = 12, KILLED = -SIGSYS };

static pid_t parent;

static int told(long result)
{
    return result >= 0                                            ? DONE
           : errno == EACCES || errno == EPERM || errno == ENOTTY ? DENIED
                                                                  : STRANGE;
}

static int open_for_reading(void)
{
    return told(open("/etc/passwd", O_RDONLY));
}

static int open_for_writing(void)
{
    return told(open("/tmp/onecase-sandbox-test", O_WRONLY | O_CREAT, 0600));
}

static int look_at_a_path(void)
{
    struct stat facts;

    return told(stat("/etc/passwd", &facts));
}

static int list_a_folder(void)
{
    return told(open("/", O_RDONLY | O_DIRECTORY));
}

static int make_a_socket(void)
{
    return told(socket(AF_INET, SOCK_STREAM, 0));
}

static int make_a_local_socket(void)
{
    int pair[2];

    return told(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
}

static int connect_what_it_has(void)
{
    return told(connect(SANDBOX_SOCKET, &(struct sockaddr){.sa_family = AF_UNSPEC},
                        sizeof(struct sockaddr)));
}

static int run_a_program(void)
{
    char *const words[] = {NULL};

    return told(execve("/bin/true", words, words));
}

static int make_a_process(void)
{
    return told(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

static int signal_the_parent(void)
{
    return told(kill(parent, SIGTERM));
}

static int signal_the_parent_by_thread(void)
{
    return told(syscall(SYS_tgkill, parent, parent, SIGTERM));
}

static int trace_the_parent(void)
{
    return told(ptrace(PTRACE_ATTACH, parent, NULL, NULL));
}

static int read_the_parents_memory(void)
{
    return told(syscall(SYS_process_vm_readv, parent, NULL, 0UL, NULL, 0UL, 0UL));
}

static int change_the_parents_limits(void)
{
    struct rlimit none = {0, 0};

    return told(prlimit(parent, RLIMIT_CPU, &none, NULL));
}

static int change_its_own_limits(void)
{
    struct rlimit more = {1000, 1000};

    return told(setrlimit(RLIMIT_NOFILE, &more));
}

static int map_memory_to_run(void)
{
    return told(mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
                     -1, 0) == MAP_FAILED);
}

static int make_memory_runnable(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return told(mprotect(page, 4096, PROT_READ | PROT_EXEC));
}

static int remove_a_file(void)
{
    return told(unlink("/tmp/onecase-sandbox-test"));
}

static int change_its_folder(void)
{
    return told(chdir("/"));
}

static int become_another(void)
{
    return told(setuid(0));
}

static int cut_a_file(void)
{
    return told(ftruncate(SANDBOX_SOCKET, 0));
}

static int leave_the_filter(void)
{
    return told(syscall(SYS_seccomp, 0, 0, NULL));
}

static int look_at_its_descriptor(void)
{
    struct stat facts;

    return told(fstat(SANDBOX_SOCKET, &facts));
}

static int take_memory(void)
{
    char *memory = malloc(20 << 20);

    if (memory == NULL)
        return STRANGE;
    memset(memory, 1, 20 << 20);
    free(memory);
    return DONE;
}

static int write_to_its_socket(void)
{
    return told(write(SANDBOX_SOCKET, "x", 1));
}

static int abort_itself(void)
{
    abort();
}

static enum rc nothing_begin(void *self, enum part_role role, struct str *file, struct err *err)
{
    (void)self, (void)role, (void)err;
    str_addz(file, "x");
    return RC_OK;
}

static enum rc nothing_add(void *self, struct slice octets, struct err *err)
{
    (void)self, (void)octets, (void)err;
    return RC_OK;
}

static enum rc nothing_end(void *self, struct err *err)
{
    (void)self, (void)err;
    return RC_OK;
}

/* Uses every library and many charsets: whatever they look for must have been found before. */
static int read_a_mail(void)
{
    static const char mail[] =
        "Subject: =?iso-2022-jp?B?GyRCJUYlORsoQg==?= =?gb2312?B?h9Y=?= =?koi8-r?Q?=D0?=\r\n"
        "Content-Type: multipart/mixed; boundary=b\r\n\r\n"
        "--b\r\nContent-Type: text/plain; charset=big5\r\n\r\n\xA4\xA4\r\n"
        "--b\r\nContent-Type: text/html; charset=cp932\r\n\r\n<p>\x83\x65\r\n--b--\r\n";
    struct octets octets = octets_of_memory(SLICE(mail));
    const struct spool spool = {NULL, nothing_begin, nothing_add, nothing_end};
    struct message m = MESSAGE_INIT;
    struct err err = ERR_INIT;

    if (parse_message(&octets, &reader_limits_default, &spool, &m, &err) != RC_OK)
        return STRANGE;
    return slice_eq(message_slice(&m, m.subject), SLICE("テス囍п")) &&
                   slice_eq(message_slice(&m, m.text), SLICE("中\n\nテ"))
               ? DONE
               : STRANGE;
}

static int decode_every_charset(void)
{
    for (size_t i = 0; i < charset_count; i++) {
        struct slice labels = slice_z(charsets[i].labels + 1);
        struct str out = STR_INIT;

        charset_decode(slice_cut(labels, 0, slice_find(labels, ' ', 0)), SLICE("a\0b\0"),
                       CHARSET_TEXT, &out);
        if (out.len < 2)
            return STRANGE;
        str_clear(&out);
    }
    return DONE;
}

/* clang-format off */
static const struct {
    const char *name;
    int (*act)(void);
    int outcome;
} rows[] = {
    {"reads a mail with every library",    read_a_mail,                  DONE},
    {"decodes every charset",              decode_every_charset,         DONE},
    {"takes memory",                       take_memory,                  DONE},
    {"writes to its socket",               write_to_its_socket,          DONE},
    {"aborts",                             abort_itself,                 -SIGABRT},
    {"opens a file for reading",           open_for_reading,             DENIED},
    {"opens a file for writing",           open_for_writing,             DENIED},
    {"opens a folder",                     list_a_folder,                DENIED},
    {"looks at a path",                    look_at_a_path,               DENIED},
    {"looks at a descriptor",              look_at_its_descriptor,       DENIED},
    {"makes a socket",                     make_a_socket,                KILLED},
    {"makes a pair of sockets",            make_a_local_socket,          KILLED},
    {"connects its socket elsewhere",      connect_what_it_has,          KILLED},
    {"runs a program",                     run_a_program,                KILLED},
    {"makes a process",                    make_a_process,               KILLED},
    {"signals its parent",                 signal_the_parent,            KILLED},
    {"signals a thread of its parent",     signal_the_parent_by_thread,  KILLED},
    {"traces its parent",                  trace_the_parent,             KILLED},
    {"reads its parent's memory",          read_the_parents_memory,      KILLED},
    {"changes its parent's limits",        change_the_parents_limits,    KILLED},
    {"changes its own limits",             change_its_own_limits,        KILLED},
    {"maps memory to run",                 map_memory_to_run,            KILLED},
    {"makes memory runnable",              make_memory_runnable,         KILLED},
    {"removes a file",                     remove_a_file,                KILLED},
    {"changes its folder",                 change_its_folder,            KILLED},
    {"becomes another user",               become_another,               KILLED},
    {"cuts a file",                        cut_a_file,                   KILLED},
    {"changes the filter",                 leave_the_filter,             KILLED},
};
/* clang-format on */

static void be_locked_in(int socket, int (*act)(void))
{
    struct err err = ERR_INIT;

    parse_prepare();
    if (sandbox_descriptors(socket, &err) != RC_OK)
        _exit(STRANGE);
    if (sandbox_enter(&reader_limits_default, &err) != RC_OK)
        _exit(STRANGE + 1);
    _exit(act());
}

static int outcome_of(int (*act)(void))
{
    int pair[2];
    int status = 0;

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);

    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        be_locked_in(pair[1], act);
    close(pair[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(pair[0]);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void it_can_do_its_work_and_nothing_else(void **state)
{
    (void)state;
    parent = getpid();
    FOR_EACH(row, rows)
        assert_int_equal(outcome_of(row->act), row->outcome);
}

/* ---- descriptors and limits ------------------------------------------------------------------ */

static int count_descriptors(void)
{
    int open = 0;

    for (int i = 0; i < 64; i++)
        open += fcntl(i, F_GETFD) >= 0;
    return open;
}

static void only_its_socket_is_left_open(void **state)
{
    int extra[] = {open("/dev/null", O_RDONLY), open("/dev/null", O_RDONLY), dup(1)};
    int pair[2];
    int status = 0;
    pid_t pid;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    pid = fork();
    if (pid == 0) {
        struct err err = ERR_INIT;

        _exit(sandbox_descriptors(pair[1], &err) == RC_OK ? count_descriptors() : 100);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 4);
    for (size_t i = 0; i < LENGTH(extra); i++)
        close(extra[i]);
    close(pair[0]);
    close(pair[1]);
}

static int burn_a_second_too_much(void)
{
    sandbox_allow_cpu(1);
    for (volatile unsigned long i = 0; i < 20000000000UL; i++)
        ;
    return STRANGE;
}

static void its_processor_time_is_limited(void **state)
{
    (void)state;
    assert_int_equal(outcome_of(burn_a_second_too_much), -SIGXCPU);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_can_do_its_work_and_nothing_else),
        cmocka_unit_test(only_its_socket_is_left_open),
        cmocka_unit_test(its_processor_time_is_limited),
    };

    return RUN_TESTS(tests);
}
