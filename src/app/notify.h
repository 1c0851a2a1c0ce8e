/* SPDX-License-Identifier: Apache-2.0
 *
 * notify - one datagram to the service manager (sd_notify(3)); nothing where there is none.
 */
#pragma once

void notify_manager(const char *state); /* such as "READY=1" */
