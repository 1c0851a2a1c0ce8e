/* SPDX-License-Identifier: Apache-2.0
 *
 * child - what runs in the reader's child: one mail after the other, until the socket closes.
 */
#pragma once

#include <onecase/message_reader.h>

/* The longest answer: texts, names and ids of one mail are far below it. */
#define ANSWER_MAX (16U << 20)

/* The body of the process; does not return to what was forked. Only `socket` is used of what it
 * inherited. */
typedef void child_fn(int socket, const struct reader_limits *limits);
void child_main(int socket, const struct reader_limits *limits) NORETURN;
