/* SPDX-License-Identifier: Apache-2.0
 *
 * One mail that arrives twice, two runs that may stop, stall, lose their lease or die anywhere, a mail
 * server that may answer anything or nothing, a person who decides. With -DRESTORE the ledger also
 * goes back in time, once. Every change of an acknowledgement, a move or the item goes through the
 * steps of tables.pml, printed from the program's own tables: a step that they do not have, or have
 * for another actor, is an error like any other.
 *
 * What is asserted, always:
 *     one case; one acceptance of the acknowledgement by the mail server;
 *     what is `done` was accepted; what is complete is settled;
 *     a message is out of the inbox only after its acceptance was recorded;
 *     when everybody has come to an end the item is complete, or waits for a person who is gone.
 * Stuck ends are found by the same search.
 *
 * Each mistake is a switch; tests/model/run says which of them must fall. Two must not: arming, and
 * writing the outcome, are compare-and-set on the acknowledgement's own status, so the lease there
 * only saves work. -DWINDOW shows the one thing that is not promised: a ledger that goes back to before
 * the last mark in the mailbox forgets what was sent after it.
 */
#include "tables.pml"

#ifndef COPIES
#define COPIES 2
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#ifndef LAPSES
#define LAPSES 1
#endif
#ifndef DECISIONS
#define DECISIONS 1
#endif
#ifndef EVERYBODY
#define EVERYBODY 1
#endif

mtype:reply = { taken, later, no_recipient, rejected, silence };    /* 250, 4xx, 5.1.x, another 5xx, no complete reply */

/* ---- the ledger: what a commit makes durable ------------------------------------------------- */

bool exists;               /* the unique key is taken: the case, the plan and the reference stand */
bool accepted;             /* the conditions are stored, as held */
bool by_list;              /* nobody is told because it came by a list; a direct copy changes that, once */
bool can_undo;             /* nothing has happened to the acknowledgement since a person decided about it */
bool seen[COPIES];         /* a delivery is recorded, and its move planned */
byte holder;               /* who has the lease; a run has it only by claiming, so holder == me: this claim stands */
byte cases;
mtype:state item = received;
mtype:status ack = planned;
mtype:status move[COPIES] = planned;

/* ---- the world -------------------------------------------------------------------------------- */

bool inbox[COPIES] = true; /* else it lies in Processed */
byte letters;              /* acknowledgements that the mail server has accepted */
byte in_flight;            /* end-of-data lines that have left and met no answer yet */
bool carrying[3];          /* of a run: it has armed, and its connection is not known to be closed */
byte deaths, lapses, decisions;
bool person_gone, world_gone, everybody_refused;

#define MINE       (holder == me)
#define SETTLED    (ack == done || ack == skipped || ack == refused)
#define OPEN       (ack == planned || ack == deferred)
#define NOT_CARRIED (!carrying[1] && !carrying[2] && in_flight == 0)

/* ---- the ledger goes back in time (with one copy) -------------------------------------------------------------- */

#ifdef RESTORE
bool saved, restored, noticed, copy_gone;
byte at_work;              /* runs in the middle of a turn */
bool marked;               /* a mark that is younger than the copy stands in the mailbox */
bool forgettable;          /* something was written since the copy was made */
bool old_exists, old_accepted, old_seen[COPIES];
mtype:state old_item;
mtype:status old_ack, old_move[COPIES];
#define BEGIN_TURN at_work++
#define END_TURN   at_work--
#define MARK       if :: saved && !restored -> marked = true :: else -> skip fi
#define WRITTEN    forgettable = forgettable || (saved && !restored)
#define IN_DOUBT   noticed
#ifdef RESTORED_LEDGER_IGNORED
#define TO_NOTICE  false
#else
#define TO_NOTICE  (restored && marked && !noticed)
#endif
#define COPY_GONE  copy_gone
#else
#define BEGIN_TURN skip
#define END_TURN   skip
#define MARK       skip
#define WRITTEN    skip
#define IN_DOUBT   false
#define TO_NOTICE  false
#define COPY_GONE  true
#endif

#define IS_NEW(c)     (!seen[c] && (inbox[c] || IN_DOUBT))       /* after a restore Processed is read too */
#define IS_TO_FILE(c) (seen[c] && move[c] != done)
#if COPIES == 2
#define ANY_NEW       (IS_NEW(0) || IS_NEW(1))
#define ANY_TO_FILE   (IS_TO_FILE(0) || IS_TO_FILE(1))
#define ALL_LEFT      (!inbox[0] && !inbox[1])
#else
#define ANY_NEW       IS_NEW(0)
#define ANY_TO_FILE   IS_TO_FILE(0)
#define ALL_LEFT      (!inbox[0])
#endif

#define WORK_LEFT (TO_NOTICE || ANY_NEW || (exists && holder == 0 && (item == received || item == in_progress \
                        || (item == complete && ANY_TO_FILE) \
                        || (item == needs_reconciliation && ack == unknown && letters > 0))))
#define AT_REST    (exists && (item == complete || item == needs_reconciliation) && person_gone && world_gone && COPY_GONE)

/* Evidence is found at any time, also while a person is asked. */
inline settle_by_evidence()
{
    assert(letters > 0);
    can_undo = false;
    acknowledgement_step(ack, on_evidence, by_evidence);
    if
    :: item == needs_reconciliation -> item_step(item, item_on_evidence, by_evidence)
    :: else -> skip
    fi
}

/* A mark ahead of the ledger: the generation rises, and what is not settled is in doubt. */
inline notice()
{
#ifdef RESTORE
    if
    :: TO_NOTICE ->
        noticed = true; marked = false;
        if
        :: exists && !SETTLED && ack != unknown -> acknowledgement_step(ack, on_lose, by_service)
        :: else -> skip
        fi
    :: else -> skip
    fi
#else
    skip
#endif
}

/* One atomic insert on the unique key: the case, the plan, the lease. */
inline reserve()
{
    exists = true;
    cases++;
    assert(cases == 1);
    item = received;
    item_step(item, item_on_claim, by_service);
    holder = me;
    if
    :: IN_DOUBT -> ack = unknown    /* from before: it may have been answered */
    :: !IN_DOUBT -> ack = planned
#if COPIES == 2
    :: !IN_DOUBT -> ack = skipped; by_list = true
#endif
    fi
}

/* The second copy came straight to us. */
inline answer_direct_copy()
{
    if
    :: by_list && ack == skipped ->
        by_list = false;
        acknowledgement_step(ack, on_direct_copy, by_service);
        if
        :: item == complete -> item_step(item, item_on_reopen, by_service)
        :: else -> skip
        fi
    :: else -> skip
    fi
}

inline record_copy(c)
{
    WRITTEN;
    seen[c] = true;
    if
    :: inbox[c] -> move[c] = planned
    :: else -> move[c] = done       /* found in Processed */
    fi
}

inline leave_inbox(c)
{
    if
    :: inbox[c] -> assert(exists && accepted); inbox[c] = false
    :: else -> skip                 /* somebody moved it already: absent */
    fi
}

inline lose_move(k)
{
    if
    :: move[k] == attempting -> move_step(move[k], on_lose, by_service)
    :: else -> skip
    fi
}

/* Takes the lease; what another left armed is unknown from here on. */
inline claim()
{
    holder = me;
    item_step(item, item_on_claim, by_service);
    if
    :: ack == attempting ->
#ifdef SEND_WHAT_ANOTHER_ARMED
        ack = deferred
#else
        acknowledgement_step(ack, on_lose, by_service)
#endif
    :: else -> skip
    fi;
    lose_move(0)
#if COPIES == 2
    ;
    lose_move(1)
#endif
}

/* The end-of-data line leaves, and the server does what it likes with it. */
inline send_line()
{
    if
    :: letters++; reply = taken
    :: reply = later
    :: reply = no_recipient
    :: reply = rejected
    :: in_flight++; reply = silence
    fi;
    assert(letters <= 1)
}

/* The outcome, under the lease and from `attempting` only; a late reply is kept as evidence. */
inline record_outcome()
{
    carrying[me] = false;
    if
#ifdef LATE_REPLY_OVERWRITES
    :: true ->
#else
#ifdef OUTCOME_WITHOUT_FENCE
    :: ack == attempting ->
#else
    :: MINE && ack == attempting ->
#endif
#endif
        if
        :: reply == taken -> acknowledgement_step(ack, on_done, by_peer); assert(letters == 1)
        :: reply == later -> acknowledgement_step(ack, on_defer, by_peer)
        :: reply == no_recipient -> acknowledgement_step(ack, on_refuse, by_peer)
        :: reply == rejected -> acknowledgement_step(ack, on_defer, by_peer); item_step(item, item_on_wait, by_service)
        :: reply == silence -> acknowledgement_step(ack, on_lose, by_service)
        fi
#ifndef LATE_REPLY_OVERWRITES
    :: else ->
        if
        :: reply == taken && exists && ack != done -> settle_by_evidence()
        :: else -> skip
        fi
#endif
    fi
}

proctype Run(byte me)
{
    byte c;
    mtype:reply reply;

again:
    atomic {
        c = 0; reply = silence;
        if
        :: WORK_LEFT -> BEGIN_TURN; notice()
        :: !WORK_LEFT && AT_REST -> goto end
        fi;

        /* observe and reserve: mine, held by another, or settled */
        if
        :: IS_NEW(0) -> c = 0
#if COPIES == 2
        :: IS_NEW(1) -> c = 1
#endif
        :: !ANY_NEW -> goto work
        fi;
        if
        :: !exists ->
#ifdef CHECK_THEN_INSERT
            goto check_then_insert;
insert:
#endif
            reserve(); record_copy(c); goto perform
        :: exists -> record_copy(c); answer_direct_copy()
        fi;
#ifdef HELD_IS_SETTLED
        if
        :: holder != 0 -> leave_inbox(c)
        :: else -> skip
        fi;
#endif
work:
        if
        :: exists && holder == 0 -> claim()
        :: else -> goto turn_ends
        fi
    };

perform:
#ifdef MOVE_EARLY
    atomic { leave_inbox(0) };
#endif
    if
    :: atomic { deaths < DEATHS -> goto dead }
    :: !MINE -> goto turn_ends
    :: MINE && SETTLED -> goto accept
#ifdef ARM_WITHOUT_LEASE
    :: atomic { MINE && ack == attempting -> acknowledgement_step(ack, on_lose, by_service); goto release }
#endif
    :: MINE && OPEN && item == needs_reconciliation -> goto release      /* a person is asked */
    :: atomic { MINE && OPEN && item != needs_reconciliation -> can_undo = false; acknowledgement_step(ack, on_defer, by_peer); goto release }  /* failed before the dot */
    :: atomic { MINE && OPEN && item != needs_reconciliation -> can_undo = false; acknowledgement_step(ack, on_refuse, by_peer); goto accept }  /* the recipient is refused */
    :: MINE && OPEN && item != needs_reconciliation -> goto send
    :: atomic { MINE && ack == unknown && letters > 0 -> settle_by_evidence(); goto accept }
#ifdef RESEND_ON_UNKNOWN
    :: atomic { MINE && ack == unknown -> ack = deferred; goto send }
#endif
    :: atomic { MINE && ack == unknown && item == in_progress -> item_step(item, item_on_wait, by_service); goto release }
    :: MINE && ack == unknown && item == needs_reconciliation -> goto release
    fi;

send:                               /* everything but the end-of-data line is with the server */
#ifdef ARM_AFTER_LINE
    atomic { send_line() };
    if
    :: true
    :: atomic { deaths < DEATHS -> goto dead }
    fi;
#endif
    if
#ifdef ARM_WITHOUT_LEASE
    :: atomic { OPEN ->
#else
    :: atomic { MINE && OPEN ->
#endif
        can_undo = false; acknowledgement_step(ack, on_arm, by_service); carrying[me] = true; WRITTEN }
    :: else -> goto release
    fi;
#ifdef RECORD_BEFORE_ACT
    atomic {
        if
        :: MINE && ack == attempting -> acknowledgement_step(ack, on_done, by_peer)
        :: else -> skip
        fi
    };
#endif
#ifndef ARM_AFTER_LINE
    if
    :: atomic { true -> send_line() }
    :: atomic { deaths < DEATHS -> goto dead }
    fi;
#endif
    if
    :: atomic { true -> record_outcome() }
    :: atomic { deaths < DEATHS -> goto dead }
    fi;
    if
    :: MINE && SETTLED -> skip
    :: else -> goto release
    fi;

accept:                             /* the conditions are stored with the first move that they allow */
    c = 0;
file:                               /* every copy that is recorded */
    if
    :: atomic { !MINE || !SETTLED -> goto release }
    :: atomic { MINE && SETTLED && c < COPIES && !IS_TO_FILE(c) -> accepted = true; WRITTEN; c++; goto file }
    :: atomic { MINE && SETTLED && c < COPIES && IS_TO_FILE(c) && (move[c] == planned || move[c] == deferred) ->
        accepted = true; WRITTEN; move_step(move[c], on_arm, by_service) }
    :: atomic { MINE && c < COPIES && IS_TO_FILE(c) && move[c] == unknown ->
        if
        :: !inbox[c] -> move_step(move[c], on_evidence, by_evidence)
        :: else -> move_step(move[c], on_absence, by_evidence)
        fi; goto file }
    :: atomic { MINE && SETTLED && c == COPIES ->
        if
        :: item == in_progress && !ANY_TO_FILE && !ANY_NEW -> item_step(item, item_on_complete, by_service)
        :: else -> skip
        fi; goto release }
    fi;
    if
    :: atomic { true -> leave_inbox(c) }
    :: atomic { deaths < DEATHS -> goto dead }
    fi;
    if
    :: atomic { MINE && move[c] == attempting -> move_step(move[c], on_done, by_peer) }
    :: atomic { !MINE -> goto turn_ends }
    :: atomic { deaths < DEATHS -> goto dead }
    fi;
    goto file;

#ifdef CHECK_THEN_INSERT
check_then_insert:
    atomic { true -> goto insert };
#endif

release:
    atomic {
        if
        :: MINE -> holder = 0
        :: else -> skip
        fi;
        MARK
    };
turn_ends:
    END_TURN;
    goto again;

dead:                               /* its connection closes, its lease is void, another life begins */
    atomic {
        deaths++;
        carrying[me] = false;
        if
        :: MINE -> holder = 0
        :: else -> skip
        fi
    };
    goto turn_ends;

end:
    skip
}

/* Leases lapse; lines that met no answer arrive, or not; a server turns out to refuse everybody. */
proctype World()
{
    do
    :: atomic { holder != 0 && lapses < LAPSES -> holder = 0; lapses++ }
    :: atomic { in_flight > 0 -> in_flight--;
        if
        :: letters++; assert(letters <= 1)
        :: skip
        fi }
    :: atomic { EVERYBODY && !everybody_refused && exists && (ack == refused || ack == deferred && item == needs_reconciliation) ->
        everybody_refused = true; can_undo = false;
        acknowledgement_step(ack, on_everybody, by_peer);
        if
        :: item == complete || item == needs_reconciliation -> item_step(item, item_on_reopen, by_service)
        :: else -> skip
        fi }
    :: in_flight == 0 -> break
    od;
    world_gone = true
}

/* Decides truthfully by what the receiver has; `not sent` only when nothing can carry it any more. */
proctype Person()
{
    do
    :: atomic { decisions < DECISIONS && exists && item == needs_reconciliation && ack == unknown ->
        decisions++;
        if
        :: letters > 0 -> acknowledgement_step(ack, on_said_done, by_person)
#ifdef DECIDE_EARLY
        :: letters == 0 -> acknowledgement_step(ack, on_said_not_done, by_person)
#else
        :: letters == 0 && NOT_CARRIED -> acknowledgement_step(ack, on_said_not_done, by_person)
#endif
        :: true -> acknowledgement_step(ack, on_said_none, by_person)
        fi;
        can_undo = true;
        item_step(item, item_on_decide, by_person) }
    :: atomic { decisions < DECISIONS && can_undo ->
        decisions++;
        can_undo = false;
        acknowledgement_step(ack, on_undo, by_person);
        item_step(item, item_on_undo, by_person) }
    :: atomic { decisions < DECISIONS && exists && item == needs_reconciliation && ack == deferred ->
        decisions++;
        if
        :: true -> acknowledgement_step(ack, on_resend, by_person)
        :: true -> acknowledgement_step(ack, on_said_none, by_person)
        fi;
        item_step(item, item_on_decide, by_person) }
    :: atomic { decisions < DECISIONS && exists && ack == refused ->
        decisions++;
        acknowledgement_step(ack, on_resend, by_person);
        item_step(item, item_on_decide, by_person) }
    :: break
    od;
    person_gone = true
}

#ifdef RESTORE
inline go_back()
{
    restored = true; holder = 0; can_undo = false;
    exists = old_exists; cases = (old_exists -> 1 : 0); accepted = old_accepted; item = old_item;
    ack = old_ack; seen[0] = old_seen[0]; move[0] = old_move[0]
}

/* What has no meaning any more is cleared, so that states that differ in it only are one. */
inline forget_copy()
{
    saved = false; forgettable = false;
    old_exists = false; old_accepted = false; old_item = received; old_ack = planned;
    old_seen[0] = false; old_move[0] = planned
}

/* A copy of the ledger, and a time when it takes the ledger's place. Whoever was in the middle of a
 * turn has lost its connection to it, so nobody is. */
proctype Backup()
{
    if
    :: atomic { saved = true; old_exists = exists; old_accepted = accepted; old_item = item; old_ack = ack;
        old_seen[0] = seen[0]; old_move[0] = move[0] }
#ifdef WINDOW
        if
        :: atomic { at_work == 0 -> go_back() }
#else
        if
        :: atomic { at_work == 0 && (marked || !forgettable) -> go_back() }
#endif
        :: true
        fi
    :: true
    fi;
    atomic { forget_copy(); copy_gone = true }
}
#endif

init
{
    atomic {
        run Run(1);
        run Run(2);
        run World();
        run Person();
#ifdef RESTORE
        run Backup();
#endif
    }
    (_nr_pr == 1);
    assert(exists && cases == 1 && letters <= 1);
    assert(item == complete || item == needs_reconciliation);
    assert(item != complete || SETTLED && ALL_LEFT);
    assert(ack != done || letters == 1)
}
