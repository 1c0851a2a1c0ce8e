/* SPDX-License-Identifier: Apache-2.0
 *
 * disk - the system calls that write to a disk and make it durable, with a point at each.
 *
 * They stand in front of the C library's, also for SQLite. Only files below $ONECASE_CRASH_DISK are
 * meant. The points are disk.write and disk.sync, and two more ways belong to them: "eio", this call
 * fails with EIO; "full", this call and every later one with ENOSPC.
 */
#pragma once
