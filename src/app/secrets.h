/* SPDX-License-Identifier: Apache-2.0
 *
 * secrets - where an access token comes from: a file that somebody keeps fresh, or a command.
 *
 * Asked at each sign-in, never kept, never logged.
 */
#pragma once

#include <onecase/config.h>
#include <onecase/connection.h>

/* Borrows `auth`. */
struct secret_source secrets_of(const struct config_auth *auth);
