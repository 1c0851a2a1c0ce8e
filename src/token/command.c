/* SPDX-License-Identifier: Apache-2.0 */
#include "token_p.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define WORDS_MOST 64

/* Cuts it at its blanks, in place. */
static enum rc split(char *text, char *words[WORDS_MOST + 1], struct err *err)
{
    size_t count = 0;
    char *rest = text;

    for (char *word; (word = strtok_r(rest, " \t", &rest)) != NULL && count < WORDS_MOST;)
        words[count++] = word;
    words[count] = NULL;
    return count > 0 ? RC_OK : FAIL(err, RC_REFUSED, "token_command: it is blank");
}

/* Its output is ours, its input is empty; what it complains of goes where our own log goes. */
static int spawn(char *const words[], int out, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int failed;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    failed = posix_spawnp(pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static void take(int fd, struct str *out)
{
    char piece[1024];

    for (ssize_t got = 1; got > 0 && out->len <= TOKEN_MOST;) {
        got = read(fd, piece, sizeof piece);
        str_add(out, (struct slice){piece, got > 0 ? (size_t)got : 0});
    }
}

static enum rc judge(int status, struct str *said, struct str *out, struct err *err)
{
    struct slice token = slice_trim(str_slice(said));

    if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && said->len <= TOKEN_MOST)
        return FAIL(err, RC_REFUSED, "token_command: it ended with status %d; run it by hand",
                    WEXITSTATUS(status));
    if (!token_is_one(token))
        return FAIL(err, RC_REFUSED,
                    "token_command: what it prints is no token: expected one word of at most %zu "
                    "octets",
                    TOKEN_MOST);
    str_add(out, token);
    return RC_OK;
}

enum rc token_command_run(const char *command, struct str *out, struct err *err)
{
    CLEANUP(mem_free) char *text = mem_text(command);
    CLEANUP(str_clear) struct str said = STR_INIT;
    char *words[WORDS_MOST + 1];
    int ends[2];
    pid_t pid = 0;
    int status = 0;

    TRY(split(text, words, err));
    if (pipe(ends) != 0)
        return FAIL(err, RC_DEFERRED, "token_command: %s", strerror(errno));
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int failed = spawn(words, ends[1], &pid);
    close(ends[1]);
    if (failed == 0)
        take(ends[0], &said);
    close(ends[0]);
    if (failed != 0)
        return FAIL(err, RC_REFUSED, "token_command: %s cannot be run: %s", words[0],
                    strerror(failed));
    (void)waitpid(pid, &status, 0);
    return judge(status, &said, out, err);
}
