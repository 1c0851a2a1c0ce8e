/* SPDX-License-Identifier: Apache-2.0
 *
 * notice_webhook - the notifier by HTTP: a POST of JSON, signed as Standard Webhooks has it.
 *
 *     {"type": "onecase.notice", "timestamp": "2026-03-02T18:30:00Z", "data": {"deployment": ...,
 *      "environment": ..., "text": ..., "lines": [{"state", "kind", "mailbox", "level", "text", "since"}]}}
 *
 * webhook-id is the same on every try of one notice, webhook-timestamp the try's, webhook-signature
 * "v1," and the HMAC-SHA-256 of "ID.TIMESTAMP.BODY" in base 64. A secret that begins with "whsec_" is
 * base 64 after it. Without a secret nothing is signed.
 */
#pragma once

#include <onecase/http.h>
#include <onecase/notifier.h>

struct notice_webhook {
    struct http_client *client; /* all borrowed */
    const char *url, *secret;   /* secret: "" is none */
    int64_t timeout_ms;
};

struct notifier notice_webhook_port(struct notice_webhook *webhook);
