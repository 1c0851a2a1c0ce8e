/* SPDX-License-Identifier: Apache-2.0
 *
 * console - the pages: what commands do, for people at a browser and for scripts (/api/v1).
 *
 * One thread answers one request after another; connections wait in the library's poll loop, and
 * whoever is slow costs only a place. Where places run short, the connection that has waited longest
 * for its own request is shut. Nothing here talks to a mail server, and what a decision causes is done
 * by the service.
 */
#pragma once

#include <onecase/accounts.h>
#include <onecase/clock.h>
#include <onecase/operations.h>

struct console_settings {
    const char *templates; /* folder of the console's own */
    const char *version;
    const struct clock *clock;
    int wake_fd;   /* readable: look whether to stop */
    int listen_fd; /* one that listens at console.listen already; -1: it is opened here */
    bool (*stopped)(void);
};

/* Listens and serves until stopped. RC_BROKEN: a template or the certificate is wrong, or the address
 * cannot be had; the text says which. */
enum rc console_serve(const struct operations *ops,
                      const struct console_settings *settings,
                      struct err *err) MUST_CHECK;
