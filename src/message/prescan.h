/* SPDX-License-Identifier: Apache-2.0
 *
 * prescan - holds a mail to its limits before any MIME parser sees it.
 *
 * One pass over the raw octets in bounded memory. It sees no structure, only lines that could be
 * headers or the beginnings of parts, whatever they belong to; so it refuses a little more than is
 * needed, which no real mail meets.
 */
#pragma once

#include "octets.h"

#include <onecase/message_reader.h>

/* RC_REFUSED names the limit. */
enum rc prescan(struct octets *octets, const struct reader_limits *limits, struct err *err)
    MUST_CHECK;

/* The sentence about a limit, for FAIL: limit_says(LIMIT_parts, limits). */
#define READER_LIMIT_ENUM(limit, ...) LIMIT_##limit,
enum reader_limit { READER_LIMIT_LIST(READER_LIMIT_ENUM) LIMIT_COUNT };
#undef READER_LIMIT_ENUM
enum rc limit_refuse(enum reader_limit limit, const struct reader_limits *limits, struct err *err)
    MUST_CHECK;
