/* SPDX-License-Identifier: Apache-2.0
 *
 * message_reader_p - the reader with another child: how tests give it one that lies, or hangs.
 */
#pragma once

#include "child.h"

enum rc message_reader_new_with(const char *data_dir,
                                const struct reader_limits *limits,
                                child_fn *child,
                                struct message_reader **out,
                                struct err *err) MUST_CHECK;
