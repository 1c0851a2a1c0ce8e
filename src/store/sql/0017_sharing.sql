-- SPDX-License-Identifier: Apache-2.0
-- Runs on several machines: leases by the clock of the database that they share, and mailboxes leased to runs.

ALTER TABLE run ADD COLUMN lease_clock TEXT NOT NULL DEFAULT '' CHECK (lease_clock IN ('', 'ledger')); -- '': its host's boot time
ALTER TABLE run ADD COLUMN node TEXT NOT NULL DEFAULT '';          -- the process that started it: its siblings share it
ALTER TABLE run ADD COLUMN live_until INTEGER NOT NULL DEFAULT 0;  -- by lease_clock, where it shares its mailbox

CREATE TABLE mailbox_lease (
    mailbox TEXT NOT NULL PRIMARY KEY,
    run     TEXT REFERENCES run (id), -- who works on it; NULL: it was given up for others to take
    node    TEXT NOT NULL,            -- of that run, or of the one that gave it up, and leaves it to others
    until   INTEGER NOT NULL          -- of the lease, or of leaving it
) STRICT;

CREATE INDEX run_alive ON run (mailbox, node) WHERE ended_at IS NULL;
