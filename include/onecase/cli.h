/* SPDX-License-Identifier: Apache-2.0
 *
 * cli - the terminal: one table of commands, from which dispatch, help and completion are made.
 *
 * The host (app) opens what a command needs and closes it again. Exit codes are the contract's
 * (section 8): 0 done, 1 the answer is no, 64 usage, 66 no such item, 69 unreachable, 74 I/O, 75 not
 * yet, 77 not allowed, 78 configuration.
 */
#pragma once

#include <onecase/operations.h>

enum needs {
    NEEDS_NOTHING,
    NEEDS_CONFIG,
    NEEDS_LETTERS, /* the configuration, and that the templates of its letters are whole */
    NEEDS_LEDGER,  /* the configuration too; it is made where it is missing */
    NEEDS_TO_READ, /* the same, but nothing is made: an empty one stands for one that is missing */
};

struct cli_host {
    void *self;
    /* RC_USAGE: `problems` says what is wrong with the configuration, line by line. */
    enum rc (*open)(void *self,
                    const char *config_path,
                    enum needs needs,
                    struct operations *out,
                    struct str *problems,
                    struct err *err);
    void (*close)(void *self, struct operations *operations);
    int64_t (*now_ms)(void *self);
    const char *version;
};

int cli_main(int argc, char **argv, const struct cli_host *host);
