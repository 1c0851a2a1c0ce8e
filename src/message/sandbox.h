/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox - gives up what a process that parses hostile octets does not need.
 *
 * From then on it can compute, read and write the descriptors it holds, receive further ones, and
 * end. Opening a path fails with EACCES, since libraries try that and go on without; anything else
 * (sockets, other processes, other programs, memory that is both written and run) ends the process
 * by SIGSYS. There is no way back.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/message_reader.h>

/* Leaves only `socket` open, moved to SANDBOX_SOCKET, and /dev/null as 0, 1 and 2. */
#define SANDBOX_SOCKET 3
enum rc sandbox_descriptors(int socket, struct err *err) MUST_CHECK;

/* Limits, then the filter. RC_BROKEN: this kernel or this environment does not let us. */
enum rc sandbox_enter(const struct reader_limits *limits, struct err *err) MUST_CHECK;

/* Lets the process use `seconds` of processor time from now on; more ends it by SIGXCPU. */
void sandbox_allow_cpu(int64_t seconds);
