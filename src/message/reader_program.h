/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_program - this program started anew as a reader's child.
 *
 * A fork has our memory, and with it what the configuration and the environment say in confidence;
 * a program that begins has none of it. It is told its limits as an argument.
 */
#pragma once

#include "child.h"

/* In what was forked, with its socket at its place. Returns only where it cannot be started. */
void reader_program_start(const struct reader_limits *limits);

bool reader_program_is_possible(void); /* main has called message_reader_main */
