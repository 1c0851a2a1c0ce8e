-- SPDX-License-Identifier: Apache-2.0
-- What makes the millionth mail cost what the first one did: no turn walks through what has ended, and what is
-- entered anew with each mail is no more than it has to be.
-- Works with programs from schema 19 on.

-- Runs that may still hold something: all others have given it back.
CREATE INDEX run_may_hold ON run (id) WHERE ended_how IS NULL OR ended_how = 'dead';
CREATE INDEX run_open ON run (entered_at) WHERE ended_at IS NULL;

-- Only of mail whose original still lies where it was fetched to.
DROP INDEX item_octets;
CREATE INDEX item_fetched ON item (octets) WHERE original_kept = 0 AND disposition <> 'adopted';

-- What should still stand in a folder, in the order in which it is listed.
DROP INDEX delivery_standing;
CREATE INDEX delivery_standing ON delivery (mailbox, folder, uidvalidity, uid)
    WHERE left_folder = 0 AND stale = 0 AND class <> 'replayed' AND move_to <> '';

-- Mail whose confirmation is in doubt, for looking for evidence in turn.
CREATE INDEX item_doubted ON item (mailbox, key)
    WHERE state = 'needs_reconciliation' AND reason = 'acknowledgement-unknown';
