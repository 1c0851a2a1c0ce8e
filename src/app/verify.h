/* SPDX-License-Identifier: Apache-2.0
 *
 * verify - the ledger held against itself, the files and the mailboxes. Nothing is changed.
 */
#pragma once

#include "wire.h"

#include <onecase/operations.h>

struct verifying {
    const struct config *config;
    struct wired_data *data;
    void (*tell)(void *ctx, const char *what);
    void *ctx;
    struct verified *out;
};

enum rc verify_all(const struct config *config,
                   struct wired_data *data,
                   void (*tell)(void *ctx, const char *what),
                   void *ctx,
                   struct verified *out,
                   struct err *err) MUST_CHECK;
void verify_tell(struct verifying *v, const char *format, ...) PRINTF(2, 3);
/* verify_files.c: each file that should be there, and each that is there and should not. */
enum rc verify_files(struct verifying *v, struct err *err) MUST_CHECK;
