-- SPDX-License-Identifier: Apache-2.0
-- What people do in several steps: a replay of many items, a proposal that another is to approve, a
-- mailbox whose new mail is kept aside, and disagreements that somebody has explained.

CREATE TABLE bulk (
    id         INTEGER PRIMARY KEY,
    selection  TEXT NOT NULL,                -- what was typed to choose the items
    resend     INTEGER NOT NULL CHECK (resend IN (0, 1)),
    person     TEXT NOT NULL,
    second     TEXT NOT NULL DEFAULT '',
    begun_at   INTEGER NOT NULL,
    ended_at   INTEGER
) STRICT;
CREATE UNIQUE INDEX bulk_open ON bulk (selection) WHERE ended_at IS NULL;

CREATE TABLE bulk_item (
    bulk    INTEGER NOT NULL REFERENCES bulk (id),
    key     TEXT NOT NULL REFERENCES item (key),
    done_at INTEGER,
    PRIMARY KEY (bulk, key)
) STRICT;
CREATE INDEX bulk_item_left ON bulk_item (bulk, key) WHERE done_at IS NULL;

CREATE TABLE proposal (
    id          INTEGER PRIMARY KEY,
    subject     TEXT NOT NULL,               -- all that is proposed, as one text
    key         TEXT NOT NULL,
    person      TEXT NOT NULL,
    account     TEXT NOT NULL,
    proposed_at INTEGER NOT NULL,
    ended_at    INTEGER
) STRICT;
CREATE UNIQUE INDEX proposal_open ON proposal (subject) WHERE ended_at IS NULL;

CREATE TABLE explained (
    disagreement TEXT NOT NULL PRIMARY KEY,  -- its digest
    person       TEXT NOT NULL,
    explained_at INTEGER NOT NULL
) STRICT;

ALTER TABLE mailbox ADD COLUMN hold_folder TEXT NOT NULL DEFAULT '';
ALTER TABLE mailbox ADD COLUMN hold_since INTEGER NOT NULL DEFAULT 0;
CREATE INDEX approval_at ON approval (decided_at);
CREATE INDEX run_entered ON run (entered_at);
CREATE INDEX delivery_run ON delivery (run, mailbox) WHERE run IS NOT NULL;
CREATE INDEX case_merged ON case_record (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX attempt_started ON attempt (started_at);
