/* Printed from the tables of src/core by tests/check_spec --fix; not for editing.
 * A step that the table does not have, or has for another actor, is an error. */
mtype:status = { planned, attempting, done, skipped, deferred, refused, unknown };
mtype:event = { on_arm, on_done, on_defer, on_refuse, on_lose, on_evidence, on_absence, on_skip, on_direct_copy, on_everybody, on_said_done, on_said_not_done, on_said_none, on_resend, on_undo };
mtype:actor = { by_service, by_peer, by_evidence, by_person };
mtype:state = { received, in_progress, complete, needs_reconciliation };
mtype:item_event = { item_on_claim, item_on_complete, item_on_wait, item_on_evidence, item_on_decide, item_on_reopen, item_on_undo };

inline acknowledgement_step(state, event, actor)
{
    if
    :: state == planned && event == on_arm && actor == by_service -> state = attempting
    :: state == deferred && event == on_arm && actor == by_service -> state = attempting
    :: state == planned && event == on_defer && actor == by_peer -> state = deferred
    :: state == deferred && event == on_defer && actor == by_peer -> state = deferred
    :: state == planned && event == on_refuse && actor == by_peer -> state = refused
    :: state == deferred && event == on_refuse && actor == by_peer -> state = refused
    :: state == planned && event == on_skip && actor == by_service -> state = skipped
    :: state == deferred && event == on_skip && actor == by_service -> state = skipped
    :: state == attempting && event == on_done && actor == by_peer -> state = done
    :: state == attempting && event == on_defer && actor == by_peer -> state = deferred
    :: state == attempting && event == on_refuse && actor == by_peer -> state = refused
    :: state == attempting && event == on_lose && actor == by_service -> state = unknown
    :: state == planned && event == on_lose && actor == by_service -> state = unknown
    :: state == deferred && event == on_lose && actor == by_service -> state = unknown
    :: state == unknown && event == on_evidence && actor == by_evidence -> state = done
    :: state == planned && event == on_evidence && actor == by_evidence -> state = done
    :: state == deferred && event == on_evidence && actor == by_evidence -> state = done
    :: state == attempting && event == on_evidence && actor == by_evidence -> state = done
    :: state == refused && event == on_evidence && actor == by_evidence -> state = done
    :: state == skipped && event == on_evidence && actor == by_evidence -> state = done
    :: state == unknown && event == on_said_done && actor == by_person -> state = done
    :: state == unknown && event == on_said_not_done && actor == by_person -> state = deferred
    :: state == unknown && event == on_said_none && actor == by_person -> state = skipped
    :: state == planned && event == on_said_none && actor == by_person -> state = skipped
    :: state == deferred && event == on_said_none && actor == by_person -> state = skipped
    :: state == refused && event == on_said_none && actor == by_person -> state = skipped
    :: state == skipped && event == on_direct_copy && actor == by_service -> state = planned
    :: state == refused && event == on_everybody && actor == by_peer -> state = deferred
    :: state == deferred && event == on_everybody && actor == by_peer -> state = deferred
    :: state == refused && event == on_resend && actor == by_person -> state = planned
    :: state == skipped && event == on_resend && actor == by_person -> state = planned
    :: state == deferred && event == on_resend && actor == by_person -> state = planned
    :: state == done && event == on_undo && actor == by_person -> state = unknown
    :: state == skipped && event == on_undo && actor == by_person -> state = unknown
    :: state == deferred && event == on_undo && actor == by_person -> state = unknown
    :: else -> assert(false) /* no such row */
    fi
}

inline move_step(state, event, actor)
{
    if
    :: state == planned && event == on_arm && actor == by_service -> state = attempting
    :: state == deferred && event == on_arm && actor == by_service -> state = attempting
    :: state == planned && event == on_defer && actor == by_peer -> state = deferred
    :: state == deferred && event == on_defer && actor == by_peer -> state = deferred
    :: state == planned && event == on_refuse && actor == by_peer -> state = refused
    :: state == deferred && event == on_refuse && actor == by_peer -> state = refused
    :: state == planned && event == on_skip && actor == by_service -> state = skipped
    :: state == deferred && event == on_skip && actor == by_service -> state = skipped
    :: state == attempting && event == on_done && actor == by_peer -> state = done
    :: state == attempting && event == on_defer && actor == by_peer -> state = deferred
    :: state == attempting && event == on_refuse && actor == by_peer -> state = refused
    :: state == attempting && event == on_lose && actor == by_service -> state = unknown
    :: state == unknown && event == on_evidence && actor == by_evidence -> state = done
    :: state == unknown && event == on_absence && actor == by_evidence -> state = deferred
    :: state == refused && event == on_resend && actor == by_person -> state = planned
    :: state == skipped && event == on_resend && actor == by_person -> state = planned
    :: state == deferred && event == on_resend && actor == by_person -> state = planned
    :: state == planned && event == on_undo && actor == by_person -> state = skipped
    :: else -> assert(false) /* no such row */
    fi
}

inline item_step(state, event, actor)
{
    if
    :: state == received && event == item_on_claim && actor == by_service -> state = in_progress
    :: state == received && event == item_on_wait && actor == by_service -> state = needs_reconciliation
    :: state == received && event == item_on_decide && actor == by_person -> state = received
    :: state == received && event == item_on_undo && actor == by_person -> state = received
    :: state == in_progress && event == item_on_claim && actor == by_service -> state = in_progress
    :: state == in_progress && event == item_on_complete && actor == by_service -> state = complete
    :: state == in_progress && event == item_on_wait && actor == by_service -> state = needs_reconciliation
    :: state == in_progress && event == item_on_decide && actor == by_person -> state = in_progress
    :: state == in_progress && event == item_on_undo && actor == by_person -> state = needs_reconciliation
    :: state == needs_reconciliation && event == item_on_evidence && actor == by_evidence -> state = in_progress
    :: state == needs_reconciliation && event == item_on_decide && actor == by_person -> state = in_progress
    :: state == needs_reconciliation && event == item_on_reopen && actor == by_service -> state = in_progress
    :: state == needs_reconciliation && event == item_on_wait && actor == by_service -> state = needs_reconciliation
    :: state == needs_reconciliation && event == item_on_undo && actor == by_person -> state = needs_reconciliation
    :: state == needs_reconciliation && event == item_on_claim && actor == by_service -> state = needs_reconciliation
    :: state == complete && event == item_on_claim && actor == by_service -> state = complete
    :: state == complete && event == item_on_reopen && actor == by_service -> state = in_progress
    :: state == complete && event == item_on_decide && actor == by_person -> state = in_progress
    :: state == complete && event == item_on_undo && actor == by_person -> state = needs_reconciliation
    :: state == complete && event == item_on_wait && actor == by_service -> state = needs_reconciliation
    :: else -> assert(false) /* no such row */
    fi
}
