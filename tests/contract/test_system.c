/* SPDX-License-Identifier: Apache-2.0 */
/* links: system */
#define _XOPEN_SOURCE 700 /* nftw */
#include "run_file.h"

#include <onecase/str.h>
#include <onecase/system.h>
#include <testing.h>

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct bench {
    char folder[128];
    struct system_processes *system;
    struct processes port;
};

static int before_each(void **state)
{
    struct bench *b = mem_new(1, sizeof *b);
    const char *above = getenv("TMPDIR");

    snprintf(b->folder, sizeof b->folder, "%s/onecase-test-XXXXXX", above != NULL ? above : "/tmp");
    assert_non_null(mkdtemp(b->folder));
    assert_int_equal(system_processes_open(b->folder, &b->system, NULL), RC_OK);
    b->port = system_processes_port(b->system);
    *state = b;
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

    system_processes_close(&b->system);
    nftw(b->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(b);
    return 0;
}

static enum proof dead(struct bench *b, const struct run_facts *run)
{
    return b->port.dead(b->port.self, run);
}

/* Another process */

struct other {
    pid_t pid;
    int answers; /* what it writes to us */
    int orders;  /* one octet, or the end of the pipe, makes it leave */
    struct run_facts run;
};

/* The other process: enters, says who it is, and waits. */
static _Noreturn void be_other(const char *folder, int answers, int orders, bool with_child)
{
    struct system_processes *system = NULL;
    struct run_facts run;
    char order;

    if (system_processes_open(folder, &system, NULL) != RC_OK)
        _exit(1);
    struct processes port = system_processes_port(system);

    if (port.enter(port.self, &run, NULL) != RC_OK)
        _exit(1);
    if (with_child && fork() == 0) { /* lives on until the test is over */
        ssize_t end = read(orders, &order, 1);

        _exit(end == 0 ? 0 : 1);
    }
    if (write(answers, &run, sizeof run) != sizeof run || read(orders, &order, 1) != 1)
        _exit(1);
    port.leave(port.self, &run);
    if (write(answers, "", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

static struct other start_other(const char *folder, bool with_child)
{
    struct other o;
    int answers[2];
    int orders[2];

    assert_int_equal(pipe(answers), 0);
    assert_int_equal(pipe(orders), 0);
    o.pid = fork();
    if (o.pid == 0) {
        close(orders[1]);
        be_other(folder, answers[1], orders[0], with_child);
    }
    close(answers[1]);
    close(orders[0]);
    o.answers = answers[0];
    o.orders = orders[1];
    assert_int_equal(read(o.answers, &o.run, sizeof o.run), sizeof o.run);
    return o;
}

static void kill_other(struct other *o)
{
    int status;

    assert_int_equal(kill(o->pid, SIGKILL), 0);
    assert_int_equal(waitpid(o->pid, &status, 0), o->pid);
    assert_true(WIFSIGNALED(status));
}

static void close_other(struct other *o)
{
    close(o->answers);
    close(o->orders);
}

/* Proofs */

static void a_run_is_alive_until_it_is_killed(void **state)
{
    struct bench *b = *state;
    struct other o = start_other(b->folder, false);

    assert_int_equal(dead(b, &o.run), PROOF_ALIVE);
    assert_int_equal(dead(b, &o.run), PROOF_ALIVE);
    kill_other(&o);
    assert_int_equal(dead(b, &o.run), PROOF_DEAD);
    close_other(&o);
}

static void a_stopped_run_is_alive(void **state)
{
    struct bench *b = *state;
    struct other o = start_other(b->folder, false);
    int status;

    assert_int_equal(kill(o.pid, SIGSTOP), 0);
    assert_int_equal(waitpid(o.pid, &status, WUNTRACED), o.pid);
    assert_int_equal(dead(b, &o.run), PROOF_ALIVE);
    kill_other(&o);
    close_other(&o);
}

static void a_run_that_left_is_dead_while_its_process_lives(void **state)
{
    struct bench *b = *state;
    struct other o = start_other(b->folder, false);
    char answer;

    assert_int_equal(write(o.orders, "", 1), 1);
    assert_int_equal(read(o.answers, &answer, 1), 1);
    assert_int_equal(dead(b, &o.run), PROOF_DEAD);
    kill_other(&o);
    close_other(&o);
}

static void a_child_that_outlives_its_run_does_not_keep_it_alive(void **state)
{
    struct bench *b = *state;
    struct other o = start_other(b->folder, true);

    kill_other(&o);
    assert_int_equal(dead(b, &o.run), PROOF_DEAD);
    close_other(&o);
}

static void our_own_run_is_alive_and_asking_does_not_free_its_lock(void **state)
{
    struct bench *b = *state;
    struct run_facts own;
    int status;

    assert_int_equal(b->port.enter(b->port.self, &own, NULL), RC_OK);
    assert_int_equal(dead(b, &own), PROOF_ALIVE);

    pid_t child = fork();

    if (child == 0)
        _exit(dead(b, &own) == PROOF_ALIVE ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    b->port.leave(b->port.self, &own);
    b->port.leave(b->port.self, &own);
    assert_int_equal(dead(b, &own), PROOF_DEAD);
}

/* Rewrites the run file as a machine or a boot would have left it. */
static void write_run_file(struct bench *b, const struct run_facts *run, const char *text)
{
    char path[256];

    snprintf(path, sizeof path, "%s/runs/%s", b->folder, run->id);
    int fd = open(path, O_WRONLY | O_TRUNC);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void only_a_run_of_this_machine_is_proven_dead(void **state)
{
    static const struct {
        const char *name;
        const char *machine, *boot; /* NULL: as they are here */
        enum proof proof;
    } rows[] = {
        {"this machine, this boot", NULL, NULL, PROOF_DEAD},
        {"this machine, before its last boot", NULL, "0f6d8a1c-boot", PROOF_DEAD},
        {"another machine of the same name", "0123456789abcdef", NULL, PROOF_NONE},
        {"another machine, another boot", "0123456789abcdef", "0f6d8a1c-boot", PROOF_NONE},
        {"a file that says nothing", "", "", PROOF_NONE},
    };
    struct bench *b = *state;
    struct machine here;

    assert_int_equal(machine_read(&here, NULL), RC_OK);
    const char *machine = here.machine_id[0] != '\0' ? here.machine_id : "-";

    FOR_EACH(row, rows) {
        struct run_facts run;
        char text[256];

        assert_int_equal(b->port.enter(b->port.self, &run, NULL), RC_OK);
        b->port.leave(b->port.self, &run);
        snprintf(text, sizeof text, "%s %s\n", row->machine != NULL ? row->machine : machine,
                 row->boot != NULL ? row->boot : here.boot_id);
        write_run_file(b, &run, text);
        assert_int_equal(dead(b, &run), row->proof);
    }
}

/* A file server may keep the lock of a machine that lost its power. */
static void a_lock_from_before_the_last_boot_proves_no_life(void **state)
{
    struct bench *b = *state;
    struct other o = start_other(b->folder, false);
    struct machine here;
    char text[128];

    assert_int_equal(machine_read(&here, NULL), RC_OK);
    snprintf(text, sizeof text, "%s 0f6d8a1c-boot\n",
             here.machine_id[0] != '\0' ? here.machine_id : "-");
    write_run_file(b, &o.run, text);
    assert_int_equal(dead(b, &o.run), PROOF_DEAD);
    kill_other(&o);
    close_other(&o);
}

static void what_cannot_be_looked_at_proves_nothing(void **state)
{
    struct bench *b = *state;
    struct run_facts run;
    struct run_facts changed;
    char path[256];

    assert_int_equal(b->port.enter(b->port.self, &run, NULL), RC_OK);
    b->port.leave(b->port.self, &run);
    assert_int_equal(dead(b, &run), PROOF_DEAD);

    changed = run;
    snprintf(changed.host, sizeof changed.host, "elsewhere.example");
    assert_int_equal(dead(b, &changed), PROOF_NONE);
    changed = run;
    snprintf(changed.id, sizeof changed.id, "../ledger.db");
    assert_int_equal(dead(b, &changed), PROOF_NONE);
    changed.id[0] = '\0';
    assert_int_equal(dead(b, &changed), PROOF_NONE);

    snprintf(path, sizeof path, "%s/runs/%s", b->folder, run.id);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(dead(b, &run), PROOF_NONE);
}

/* Facts */

static void a_run_knows_where_and_when_it_lives(void **state)
{
    struct bench *b = *state;
    struct run_facts one;
    struct run_facts two;

    assert_int_equal(b->port.enter(b->port.self, &one, NULL), RC_OK);
    assert_int_equal(b->port.enter(b->port.self, &two, NULL), RC_OK);
    assert_int_equal(strlen(one.id), RUN_ID_SIZE - 1);
    assert_int_equal(strspn(one.id, "0123456789abcdef"), RUN_ID_SIZE - 1);
    assert_string_not_equal(one.id, two.id);
    assert_int_equal(one.pid, getpid());
    assert_true(strlen(one.host) > 0);
    assert_int_equal(strlen(one.boot_id), 36);
    assert_string_equal(one.boot_id, two.boot_id);
    assert_int_not_equal(b->port.random(b->port.self), b->port.random(b->port.self));
}

static bool run_file_is_there(const struct bench *b, const char *id)
{
    char path[256];

    snprintf(path, sizeof path, "%s/runs/%s", b->folder, id);
    return access(path, F_OK) == 0;
}

static void make_old(const struct bench *b, const char *id)
{
    struct timespec old[2] = {{1000, 0}, {1000, 0}};
    char path[256];

    snprintf(path, sizeof path, "%s/runs/%s", b->folder, id);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
}

static void run_files_of_dead_runs_go_after_a_week(void **state)
{
    struct bench *b = *state;
    struct other alive = start_other(b->folder, false);
    struct other old = start_other(b->folder, false);
    struct other new = start_other(b->folder, false);

    make_old(b, alive.run.id);
    make_old(b, old.run.id);
    kill_other(&old);
    kill_other(&new);
    system_processes_close(&b->system);
    assert_int_equal(system_processes_open(b->folder, &b->system, NULL), RC_OK);
    assert_true(run_file_is_there(b, alive.run.id));
    assert_false(run_file_is_there(b, old.run.id));
    assert_true(run_file_is_there(b, new.run.id));
    kill_other(&alive);
    close_other(&alive);
    close_other(&old);
    close_other(&new);
}

static void a_missing_data_dir_is_broken_and_said(void **state)
{
    struct system_processes *system = NULL;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(system_processes_open("/nonexistent/onecase", &system, &err), RC_BROKEN);
    assert_non_null(strstr(err.text, "runs"));
    assert_null(system);
}

static void both_clocks_go_forward(void **state)
{
    struct clock clock = system_clock();
    struct instant first = clock_now(&clock);
    struct instant second = first;

    (void)state;
    assert_true(first.wall_ms > INT64_C(1700000000000));
    while (second.boot_ms == first.boot_ms)
        second = clock_now(&clock);
    assert_true(second.boot_ms > first.boot_ms);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, before_each, after_each)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        EACH(a_run_is_alive_until_it_is_killed),
        EACH(a_stopped_run_is_alive),
        EACH(a_run_that_left_is_dead_while_its_process_lives),
        EACH(a_child_that_outlives_its_run_does_not_keep_it_alive),
        EACH(our_own_run_is_alive_and_asking_does_not_free_its_lock),
        EACH(only_a_run_of_this_machine_is_proven_dead),
        EACH(a_lock_from_before_the_last_boot_proves_no_life),
        EACH(what_cannot_be_looked_at_proves_nothing),
        EACH(a_run_knows_where_and_when_it_lives),
        EACH(run_files_of_dead_runs_go_after_a_week),
        EACH(a_missing_data_dir_is_broken_and_said),
        cmocka_unit_test(both_clocks_go_forward),
    };

    return RUN_TESTS(tests);
}
