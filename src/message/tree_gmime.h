/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_gmime - the passes of GMime over a view, until nothing in it is left to mend.
 */
#pragma once

#include "tree.h"

#include <gmime/gmime.h>

/* Mends tree->view and sets tree->incomplete. Ends with g_object_unref; NULL where GMime makes
 * nothing of it. */
GMimeMessage *tree_parse(struct tree *tree, const struct reader_limits *limits);
