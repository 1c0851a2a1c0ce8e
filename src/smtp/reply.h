/* SPDX-License-Identifier: Apache-2.0
 *
 * reply - an SMTP reply (RFC 5321 4.2, RFC 3463), put together line by line.
 *
 * What is no reply, or has no end, is garbage: then the dialogue is out of step.
 */
#pragma once

#include <onecase/courier.h>

struct reply {
    int code;
    char enhanced[16];
    char text[COURIER_REPLY_SIZE]; /* of the first line */
    int lines;
};

enum reply_came { REPLY_CAME_PART, REPLY_CAME_WHOLE, REPLY_CAME_GARBAGE };

void reply_begin(struct reply *r);
enum reply_came reply_line(struct reply *r, struct slice line);
