/* SPDX-License-Identifier: Apache-2.0
 *
 * inherited - the console's socket, where the service manager has made it (sd_listen_fds(3)).
 *
 * So the pages can be asked for before the service runs, and while it is started anew nobody is refused.
 */
#pragma once

/* At the start, before anything is opened: takes it over, so that no other program gets it. */
void inherited_take(void);
int inherited_socket(void); /* -1: none was handed over */
/* A process that shows no pages lets go of it. */
void inherited_drop(void);
