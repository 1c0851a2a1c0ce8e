-- SPDX-License-Identifier: Apache-2.0
-- What retention has let go, and what was erased on somebody's request. Keys, digests, references, states and
-- events stay; so a late copy is still known.

ALTER TABLE item ADD COLUMN original_gone INTEGER;    -- since when; NULL: as original_kept says
ALTER TABLE item ADD COLUMN text_gone INTEGER;
ALTER TABLE item ADD COLUMN personal_gone INTEGER;
ALTER TABLE attachment ADD COLUMN gone INTEGER;
CREATE INDEX item_ended ON item (completed_at, key) WHERE state = 'complete' AND personal_gone IS NULL;

-- Files that no row counts on any more, until they are removed.
CREATE TABLE leaving (
    key  TEXT NOT NULL,
    name TEXT NOT NULL,                      -- of an attachment, as it is stored; '' is the original
    PRIMARY KEY (key, name)
) STRICT;

-- That somebody's data was erased, and not whose: the address under the ledger's secret.
CREATE TABLE erasure (
    id        INTEGER PRIMARY KEY,
    subject   TEXT NOT NULL,
    person    TEXT NOT NULL,
    why       TEXT NOT NULL,
    mails     INTEGER NOT NULL,
    erased_at INTEGER NOT NULL
) STRICT;
