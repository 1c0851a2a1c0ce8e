/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* NOLINT(readability-identifier-naming): for close_range */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define DESCRIPTORS 16 /* the four at hand, the original, a spool file, and air */

/* clang-format off */
/* What it may do whatever the arguments. */
static const int allowed[] = {
    SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(lseek),
    SCMP_SYS(close), SCMP_SYS(recvmsg), SCMP_SYS(sendmsg),
    SCMP_SYS(poll), SCMP_SYS(ppoll),
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
    SCMP_SYS(futex), SCMP_SYS(getrandom), SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday),
    SCMP_SYS(getrusage), SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(sched_yield),
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group),
};

/* What it may do with these arguments. */
static const struct {
    int call;
    struct scmp_arg_cmp arg;
} allowed_if[] = {
    {SCMP_SYS(mmap),     {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}},
    {SCMP_SYS(mprotect), {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}},
};

/* What libraries try for their comfort, and what they are told. */
static const struct {
    int call, error;
} refused[] = {
    {SCMP_SYS(open), EACCES},     {SCMP_SYS(openat), EACCES},      {SCMP_SYS(stat), EACCES},
    {SCMP_SYS(lstat), EACCES},    {SCMP_SYS(access), EACCES},      {SCMP_SYS(faccessat), EACCES},
    {SCMP_SYS(readlink), EACCES}, {SCMP_SYS(readlinkat), EACCES},  {SCMP_SYS(getcwd), EACCES},
    {SCMP_SYS(newfstatat), EACCES}, {SCMP_SYS(statfs), EACCES},   {SCMP_SYS(ioctl), ENOTTY},       {SCMP_SYS(uname), EPERM},
    {SCMP_SYS(sysinfo), EPERM},   {SCMP_SYS(sched_getaffinity), EPERM},
};
/* clang-format on */

/* Descriptors */

enum rc sandbox_descriptors(int socket, struct err *err)
{
    int nothing = open("/dev/null", O_RDWR);

    if (nothing < 0)
        return FAIL(err, RC_BROKEN, "reader: /dev/null: error %d", errno);
    while (socket <= STDERR_FILENO)
        socket = dup(socket);
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        dup2(nothing, i);
    if (socket != SANDBOX_SOCKET && dup2(socket, SANDBOX_SOCKET) < 0)
        return FAIL(err, RC_BROKEN, "reader: its socket: error %d", errno);
    if (close_range(SANDBOX_SOCKET + 1, ~0U, 0) != 0)
        return FAIL(err, RC_BROKEN, "reader: close_range: error %d", errno);
    return RC_OK;
}

/* Limits */

/* One that is higher already stays where it is: only root could raise it. */
static void limit(__rlimit_resource_t what, int64_t most)
{
    struct rlimit now;

    if (most <= 0 || getrlimit(what, &now) != 0)
        return;
    if (now.rlim_max == RLIM_INFINITY || now.rlim_max > (rlim_t)most)
        now.rlim_max = (rlim_t)most;
    now.rlim_cur = now.rlim_max;
    setrlimit(what, &now);
}

static void limit_core(void)
{
    const struct rlimit none = {0,
                                0}; /* a core would be people's mail, written where nobody looks */

    setrlimit(RLIMIT_CORE, &none);
}

void sandbox_allow_cpu(int64_t seconds)
{
    struct rlimit now;
    struct rusage used;

    if (seconds <= 0 || getrlimit(RLIMIT_CPU, &now) != 0 || getrusage(RUSAGE_SELF, &used) != 0)
        return;
    now.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + seconds + 1);
    if (now.rlim_cur <= now.rlim_max)
        setrlimit(RLIMIT_CPU, &now);
}

/* The filter */

static int add_rules(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp own_cpu[] = {
        {0, SCMP_CMP_EQ, 0, 0},
        {1, SCMP_CMP_EQ, RLIMIT_CPU, 0},
    };
    const struct scmp_arg_cmp own_signals = {0, SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0};
    int failed = 0;

    for (size_t i = 0; i < LENGTH(allowed); i++)
        failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
    for (size_t i = 0; i < LENGTH(allowed_if); i++)
        failed |= seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, allowed_if[i].call, 1,
                                         &allowed_if[i].arg);
    for (size_t i = 0; i < LENGTH(refused); i++)
        failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO((uint32_t)refused[i].error),
                                   refused[i].call, 0);
    /* its own processor time, mail by mail, up to the hard limit; abort() signals its own process */
    failed |= seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, own_cpu);
    failed |= seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &own_signals);
    return failed;
}

static enum rc load_filter(struct err *err)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    int failed = filter == NULL || add_rules(filter) != 0 || seccomp_load(filter) != 0;

    seccomp_release(filter);
    if (failed)
        return FAIL(err, RC_BROKEN, "reader: this system has no filter of system calls (seccomp)");
    return RC_OK;
}

static void reset_signals(void)
{
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* write() says EFBIG instead */
    signal(SIGINT, SIG_IGN);  /* the terminal means the supervisor; we end when our socket does */
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

enum rc sandbox_enter(const struct reader_limits *limits, struct err *err)
{
    reset_signals();
    limit_core();
    limit(RLIMIT_AS, limits->memory_octets);
    limit(RLIMIT_FSIZE, limits->decoded_octets);
    limit(RLIMIT_NOFILE, DESCRIPTORS);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
        return FAIL(err, RC_BROKEN, "reader: prctl: error %d", errno);
    return load_filter(err);
}
