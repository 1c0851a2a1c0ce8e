/* SPDX-License-Identifier: Apache-2.0
 *
 * secrets - where the tokens of this process come from: one source for all servers that have the same
 * settings, so that an endpoint is asked once for IMAP and SMTP together.
 */
#pragma once

#include <onecase/config.h>
#include <onecase/connection.h>

/* What the server's token comes from; lives as long as the process, and borrows from its settings. */
struct secret_source secrets_of(const struct config_server *server);
struct secret_source secrets_of_destination(const struct config_destination *destination);
