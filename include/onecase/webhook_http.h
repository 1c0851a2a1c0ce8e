/* SPDX-License-Identifier: Apache-2.0
 *
 * webhook_http - the poster by HTTP: a POST of JSON, signed as Standard Webhooks has it.
 *
 *     {"type": "case.created", "timestamp": "2026-03-02T18:30:00.000Z", "data": {"deployment", "environment",
 *      "event", "mailbox", "key", "case", "class", "reason"}}
 *
 * `timestamp` is when it happened, `event` the number of its line in the chain: of two about one mail the
 * later has the larger. `class` is of a duplicate, `reason` of what waits for a person. With `personal` there
 * are `from` and `subject` besides. webhook-id is the same on every try, webhook-timestamp the try's,
 * webhook-signature "v1," and the HMAC-SHA-256 of "ID.TIMESTAMP.BODY" in base 64. A secret that begins with
 * "whsec_" is base 64 after it.
 */
#pragma once

#include <onecase/http.h>
#include <onecase/poster.h>

struct webhook_http {
    struct http_client *client; /* all borrowed */
    const char *deployment, *environment;
    const char *url, *secret, *ca_file, *proxy;
    int64_t timeout_ms;
    bool personal;
};

struct poster webhook_http_port(struct webhook_http *webhook);
