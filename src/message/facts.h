/* SPDX-License-Identifier: Apache-2.0
 *
 * facts - what a mail's own header says: who, to whom, about what, and the signs against an answer.
 */
#pragma once

#include "fields.h"

#include <onecase/message.h>
#include <onecase/message_reader.h>

/* `head` are the octets that `fields` were read from, from the mail's first octet on. */
void facts_read(struct slice head,
                const struct fields *fields,
                const struct reader_limits *limits,
                struct message *out);

/* Does it look like a report of a server, whatever its structure? */
bool facts_suspect_report(const struct message *m);
