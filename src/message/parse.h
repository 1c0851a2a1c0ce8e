/* SPDX-License-Identifier: Apache-2.0
 *
 * parse - a mail's octets as a struct message. The whole of this folder but its processes.
 *
 * RC_REFUSED: a limit (include/onecase/message_reader.h). RC_BROKEN: the octets could not be read.
 * What the spool says. Nothing else fails: whatever the octets are, there is a message.
 */
#pragma once

#include "octets.h"
#include "spool.h"

#include <onecase/message.h>
#include <onecase/message_reader.h>

/* Once in a process, before parse_message and before the process is locked in: opens and loads what
 * may not be searched later. */
void parse_prepare(void);

/* `out` is MESSAGE_INIT or a former result. */
enum rc parse_message(struct octets *octets,
                      const struct reader_limits *limits,
                      const struct spool *spool,
                      struct message *out,
                      struct err *err) MUST_CHECK;
