-- SPDX-License-Identifier: Apache-2.0
-- What the console needs: failed sign-ins (of digests, no names), who looked at whose data, and the
-- order in which its lists are read.

CREATE TABLE login_failure (
    subject   TEXT NOT NULL,                 -- digest of an account, an address, or both
    failed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX login_failure_subject ON login_failure (subject, failed_at);
CREATE INDEX login_failure_at ON login_failure (failed_at);

CREATE TABLE look (
    id        INTEGER PRIMARY KEY,
    person    TEXT NOT NULL,
    page      TEXT NOT NULL,
    key       TEXT NOT NULL,                 -- of the mail; '' is a list
    looked_at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER look_never_changes BEFORE UPDATE ON look
    BEGIN SELECT RAISE (ABORT, 'who looked at what is append-only'); END;
CREATE TRIGGER look_never_goes BEFORE DELETE ON look
    BEGIN SELECT RAISE (ABORT, 'who looked at what is append-only'); END;

CREATE INDEX session_open ON session (name) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX token_open ON token (name) WHERE ended_at IS NULL;
CREATE INDEX item_created ON item (created_at, key);
CREATE INDEX item_asks ON item (created_at, key) WHERE state = 'needs_reconciliation';
CREATE INDEX case_created ON case_record (created_at, key);

-- What cases are found by. Whoever erases a mail's sender and subject erases them here too. (No trigger
-- does: a schema that is not trusted may not write to virtual tables.)
CREATE TABLE case_number (
    number INTEGER PRIMARY KEY,              -- what rowid would be, were it kept
    key    TEXT NOT NULL UNIQUE REFERENCES case_record (key)
) STRICT;
CREATE VIRTUAL TABLE case_search USING fts5 (reference, sender, subject, tokenize = 'unicode61 remove_diacritics 2');

INSERT INTO case_number (key) SELECT key FROM case_record ORDER BY created_at, key;
INSERT INTO case_search (rowid, reference, sender, subject)
    SELECT case_number.number, case_record.reference, item.sender, item.subject FROM case_number
    JOIN case_record ON case_record.key = case_number.key JOIN item ON item.key = case_number.key;
