/* SPDX-License-Identifier: Apache-2.0 */
#include "secrets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define TOKEN_MAX 16384

static void take_line(FILE *f, struct str *out)
{
    char piece[512];
    for (size_t n; out->len < TOKEN_MAX && (n = fread(piece, 1, sizeof piece, f)) > 0;)
        str_add(out, (struct slice){piece, n});
    struct slice token = slice_trim(str_slice(out));
    struct str clean = STR_INIT;
    str_add(&clean, token);
    str_clear(out);
    *out = clean;
}

static enum rc from_file(const char *path, struct str *out, struct err *err)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return FAIL(err, RC_REFUSED, "token_file: %s cannot be read: %s", path, strerror(errno));
    take_line(f, out);
    fclose(f);
    return out->len > 0 ? RC_OK : FAIL(err, RC_REFUSED, "token_file: %s is empty", path);
}

static enum rc from_command(const char *command, struct str *out, struct err *err)
{
    FILE *f = popen(command, "re");
    if (!f)
        return FAIL(err, RC_DEFERRED, "token_command: it cannot be run: %s", strerror(errno));
    take_line(f, out);
    int status = pclose(f);
    if (status != 0 || out->len == 0)
        return FAIL(err, RC_REFUSED, "token_command: it gave no token (exit %d)",
                    WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return RC_OK;
}

static enum rc get(void *ctx, struct str *out, struct err *err)
{
    const struct config_auth *auth = ctx;
    str_empty(out);
    if (auth->token_file && auth->token_file[0])
        return from_file(auth->token_file, out, err);
    if (auth->token_command && auth->token_command[0])
        return from_command(auth->token_command, out, err);
    return FAIL(err, RC_USAGE, "auth: this version takes a token from token_file or token_command");
}

struct secret_source secrets_of(const struct config_auth *auth)
{
    union {
        const struct config_auth *given;
        void *ctx; /* get only reads it */
    } as = {.given = auth};
    return (struct secret_source){.ctx = as.ctx, .get = get};
}
