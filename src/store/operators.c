/* SPDX-License-Identifier: Apache-2.0 */
#include "case_act.h"
#include "hold.h"
#include "listed.h"
#include "replay.h"
#include "sender_rule.h"

const struct ledger_operators store_operators = {
    .replay_plan = operators_replay_plan,
    .replay = operators_replay,
    .bulk_begin = operators_bulk_begin,
    .bulk_find = operators_bulk_find,
    .bulk_next = operators_bulk_next,
    .case_act = operators_case_act,
    .list_cases = operators_list_cases,
    .original_had = operators_original_had,
    .hold = operators_hold,
    .held = operators_held,
    .hold_moved = operators_hold_moved,
    .hold_over = operators_hold_over,
    .explained = operators_explained,
    .explain = operators_explain,
    .note = operators_note,
    .rule_end = operators_rule_end,
    .refuse = operators_refuse,
    .propose = operators_propose,
};
