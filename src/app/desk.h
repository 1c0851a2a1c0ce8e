/* SPDX-License-Identifier: Apache-2.0
 *
 * desk - the destination of the configuration, made into a port: its requests, its sign-in.
 */
#pragma once

#include <onecase/config.h>
#include <onecase/connection.h>
#include <onecase/http_destination.h>

struct desk {
    const struct config_destination *config;
    struct http_destination_settings settings;
    struct str authorization;   /* the header's value; read again when it is refused */
    struct secret_source token; /* of `oauth` */
    struct http_destination *made;
};

/* What is wrong with the templates, pointers and statuses of any destination. RC_USAGE, and `problems`
 * got a line for each. */
enum rc desk_check(const struct config *config, struct str *problems) MUST_CHECK;

/* Where that request of it stands in the file, for whoever has to correct it: "FILE:LINE (NAME)". It is
 * another where `why` begins with one's name; gives the rest of that. */
const char *desk_place(const struct config *config,
                       const struct config_destination *destination,
                       enum destination_step step,
                       bool look,
                       const char *why,
                       struct str *out);

/* `out` must not move while it is in use. */
void desk_open(const struct config_destination *config, struct desk *out);
void desk_close(struct desk *desk);
