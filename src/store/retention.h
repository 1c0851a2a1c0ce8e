/* SPDX-License-Identifier: Apache-2.0
 *
 * retention - when an item's content may go, as conditions on `item` and its `case_record` (retention.h
 * of the shared headers says the rule).
 */
#pragma once

#include "store_p.h"

#define ITEM_IS_HELD                                                                               \
    "EXISTS (SELECT 1 FROM hold WHERE hold.key = item.key OR hold.key = item.case_key"             \
    " OR hold.key = (SELECT c.merged_into FROM case_record AS c WHERE c.key = item.case_key))"
/* Nothing is done with it again: what that would rest on is not there. */
#define ITEM_HAS_LET_GO                                                                            \
    "(item.original_gone IS NOT NULL OR item.text_gone IS NOT NULL OR EXISTS (SELECT 1"            \
    " FROM attachment WHERE attachment.key = item.key AND attachment.gone IS NOT NULL))"
#define ITEM_IS_OVER                                                                               \
    "(item.state = 'complete' AND NOT EXISTS (SELECT 1 FROM item AS other"                         \
    " WHERE (other.key = item.case_key"                                                            \
    " OR (other.case_key <> other.key AND other.case_key = item.case_key))"                        \
    " AND other.case_key = item.case_key AND other.state <> 'complete')"                           \
    " AND NOT EXISTS (SELECT 1 FROM item AS other"                                                 \
    " WHERE other.first_key = item.key AND other.state <> 'complete'))"
