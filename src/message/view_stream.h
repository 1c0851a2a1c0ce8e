/* SPDX-License-Identifier: Apache-2.0
 *
 * view_stream - a view as the stream that GMime reads from. Reading only.
 */
#pragma once

#include "octets.h"

#include <gmime/gmime.h>

/* Borrows the view, which must outlive it. Ends with g_object_unref. */
GMimeStream *view_stream_new(const struct octet_view *view);
