/* SPDX-License-Identifier: Apache-2.0
 *
 * notify - one datagram to the service manager (sd_notify(3)); nothing where there is none.
 */
#pragma once

#include <stdint.h>

void notify_manager(const char *state); /* such as "READY=1" */
/* How often at least the manager wants to hear that this process lives; 0: it does not ask. */
int64_t notify_watched_ms(void);
void notify_alive(void);
