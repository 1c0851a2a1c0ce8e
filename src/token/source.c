/* SPDX-License-Identifier: Apache-2.0 */
#include "token_p.h"

#include <openssl/crypto.h>
#include <stdlib.h>

/* A token is not used in its last minute, or in the last tenth of a short life. */
#define MARGIN_MOST INT64_C(60000)

/* After a failure: five seconds, doubling up to five minutes. */
#define PAUSE_FIRST INT64_C(5000)
#define PAUSE_MOST  INT64_C(300000)

struct token_source {
    const struct clock *clock;
    struct token_settings settings;
    struct token_child child;
    struct str token;     /* kept; empty: none */
    unsigned given;       /* how often it was handed out */
    int64_t until_ms;     /* boot time: how long it is used */
    struct str refresh;   /* a refresh token whose file could not be written */
    struct err why;       /* of the last failure */
    unsigned failures;    /* in a row */
    int64_t ask_again_ms; /* boot time */
};

static struct instant now(const struct token_source *t)
{
    return clock_now(t->clock);
}

struct token_source *token_source_new(const struct token_settings *settings,
                                      const struct clock *clock)
{
    struct token_source *t = mem_new(1, sizeof *t);

    t->clock = clock;
    t->settings = *settings;
    if (t->settings.timeout_ms < 1000)
        t->settings.timeout_ms = 1000;
    t->child.fd = -1;
    return t;
}

static void forget(struct str *secret)
{
    if (secret->at != NULL)
        OPENSSL_cleanse(secret->at, secret->len);
    str_clear(secret);
}

void token_source_free(struct token_source **source)
{
    struct token_source *t = *source;

    if (t == NULL)
        return;
    token_child_end(&t->child);
    forget(&t->token);
    forget(&t->refresh);
    free(t);
    *source = NULL;
}

static int64_t margin(int64_t life_ms)
{
    return life_ms / 10 < MARGIN_MOST ? life_ms / 10 : MARGIN_MOST;
}

static void note_failure(struct token_source *t, const struct token_result *f)
{
    int64_t pause = PAUSE_FIRST;

    for (unsigned i = 0; i < t->failures && pause < PAUSE_MOST; i++)
        pause *= 2;
    if (pause > PAUSE_MOST)
        pause = PAUSE_MOST;
    if (f->pause_ms > pause)
        pause = f->pause_ms;
    t->failures++;
    t->ask_again_ms = now(t).boot_ms + pause;
    t->why = f->err;
}

static void note_success(struct token_source *t, const struct token_result *f)
{
    t->failures = 0;
    t->ask_again_ms = 0;
    t->given = 0;
    t->until_ms = now(t).boot_ms + f->life_ms - margin(f->life_ms);
    forget(&t->token);
    str_add(&t->token, str_slice(&f->token));
}

static void hand_out(struct token_source *t, struct str *out)
{
    t->given++;
    str_add(out, str_slice(&t->token));
}

/* Both commands and endpoints; what has no life is handed over and forgotten. */
static enum rc settle(struct token_source *t, struct str *out, struct err *err)
{
    CLEANUP(token_result_clear) struct token_result f = TOKEN_RESULT_INIT;

    if (!token_child_listen(&t->child, &f))
        return RC_OK;
    if (f.refresh.len > 0) {
        forget(&t->refresh);
        str_add(&t->refresh, str_slice(&f.refresh));
    }
    if (f.rc != RC_OK) {
        if (f.rc == RC_REFUSED)
            forget(&t->refresh); /* perhaps somebody has put another one into the file */
        note_failure(t, &f);
        *err = f.err;
        return f.rc;
    }
    note_success(t, &f);
    hand_out(t, out);
    return RC_OK;
}

static bool is_kept(struct token_source *t)
{
    return t->token.len > 0 && now(t).boot_ms < t->until_ms;
}

/* Begins a fetch, unless the endpoint is to be left alone. */
static enum rc begin(struct token_source *t, struct err *err)
{
    struct instant at = now(t);

    if (at.boot_ms < t->ask_again_ms) {
        *err = t->why;
        return err->rc;
    }
    return token_child_start(&t->child, &t->settings, str_z(&t->refresh), at.wall_ms, err);
}

static enum rc from_file(const char *path, struct str *out, struct err *err)
{
    TRY(token_file_read("token_file", path, TOKEN_MOST, out, err));
    if (!token_is_one(str_slice(out)))
        return FAIL(err, RC_REFUSED, "token_file: %s holds no token: expected one word", path);
    return RC_OK;
}

enum rc token_source_get(void *source, struct str *out, int *wait_fd, struct err *err)
{
    struct token_source *t = source;
    enum rc rc;

    *wait_fd = -1;
    str_empty(out);
    if (is_given(t->settings.file))
        return from_file(t->settings.file, out, err);
    if (t->child.pid == 0 && is_kept(t)) {
        hand_out(t, out);
        return RC_OK;
    }
    if (t->child.pid == 0)
        TRY(begin(t, err));
    rc = settle(t, out, err);
    if (rc == RC_OK && t->child.pid != 0)
        *wait_fd = t->child.fd;
    return rc;
}

/* What was refused at its first showing is as good as one can be had. */
bool token_source_refused(void *source)
{
    struct token_source *t = source;
    bool kept = t->token.len > 0 && t->given > 1;

    if (kept)
        forget(&t->token);
    return kept;
}
