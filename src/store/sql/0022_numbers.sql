-- SPDX-License-Identifier: Apache-2.0
-- Each item has a number, in the order in which mail arrives, and what belongs to an item is found by that: its
-- entries come to the end of an index, where the last ones were, and not each to a page of its own, as by key.
-- Mail from before has none: it is found by its key, as ever (numbers.h).

ALTER TABLE item ADD COLUMN number INTEGER;
CREATE UNIQUE INDEX item_number ON item (number) WHERE number IS NOT NULL;

ALTER TABLE event ADD COLUMN item_number INTEGER;
DROP INDEX event_key;
CREATE INDEX event_key ON event (key) WHERE item_number IS NULL;
CREATE INDEX event_of_item ON event (item_number) WHERE item_number IS NOT NULL;

ALTER TABLE note ADD COLUMN item_number INTEGER;
DROP INDEX note_key;
CREATE INDEX note_key ON note (key) WHERE item_number IS NULL;
CREATE INDEX note_of_item ON note (item_number) WHERE item_number IS NOT NULL;

-- One index for finding them, and for that only one has won: all others are told apart by their ids.
ALTER TABLE delivery ADD COLUMN item_number INTEGER;
DROP INDEX delivery_won;
DROP INDEX delivery_key;
CREATE UNIQUE INDEX delivery_key ON delivery (key, (CASE won WHEN 1 THEN 0 ELSE id END)) WHERE item_number IS NULL;
CREATE UNIQUE INDEX delivery_of_item ON delivery (item_number, (CASE won WHEN 1 THEN 0 ELSE id END))
    WHERE item_number IS NOT NULL;

PRAGMA legacy_alter_table = ON;    -- views and triggers name what is away for a moment
CREATE TABLE effect_numbered (
    id            INTEGER PRIMARY KEY,
    key           TEXT NOT NULL REFERENCES item (key),
    kind          TEXT NOT NULL CHECK (kind IN ('case', 'attachment', 'acknowledgement', 'move', 'webhook')),
    target        TEXT NOT NULL,
    status        TEXT NOT NULL CHECK (status IN ('planned', 'attempting', 'done', 'skipped',
                                                  'deferred', 'refused', 'unknown')),
    external_id   TEXT NOT NULL DEFAULT '',
    reason        TEXT NOT NULL DEFAULT '',
    code          INTEGER NOT NULL DEFAULT 0,
    attempts      INTEGER NOT NULL DEFAULT 0,
    due           INTEGER,
    first_try     INTEGER,
    server_faults INTEGER NOT NULL DEFAULT 0,
    ack_id        TEXT NOT NULL DEFAULT '',
    elsewhere     TEXT NOT NULL DEFAULT '',
    item_number   INTEGER
) STRICT;
INSERT INTO effect_numbered SELECT id, key, kind, target, status, external_id, reason, code, attempts, due, first_try,
    server_faults, ack_id, elsewhere, NULL FROM effect ORDER BY id;
DROP TABLE effect;
ALTER TABLE effect_numbered RENAME TO effect;
CREATE UNIQUE INDEX effect_ack ON effect (ack_id) WHERE ack_id <> '';
CREATE INDEX effect_filed ON effect (external_id) WHERE kind = 'move' AND external_id <> '';
CREATE INDEX effect_open ON effect (kind, status) WHERE status IN ('attempting', 'unknown', 'deferred', 'refused');
CREATE INDEX effect_elsewhere ON effect (elsewhere, due)
    WHERE elsewhere <> '' AND status IN ('planned', 'deferred', 'attempting', 'unknown');
CREATE INDEX effect_refused ON effect (key) WHERE kind = 'acknowledgement' AND status = 'refused';
CREATE INDEX effect_found_there ON effect (key) WHERE reason = 'adopted';
-- End of what is made anew.
PRAGMA legacy_alter_table = OFF;
CREATE UNIQUE INDEX effect_key ON effect (key, kind, target) WHERE item_number IS NULL;
CREATE UNIQUE INDEX effect_of_item ON effect (item_number, kind, target) WHERE item_number IS NOT NULL;
CREATE UNIQUE INDEX effect_one_acknowledgement ON effect (key)
    WHERE item_number IS NULL AND kind = 'acknowledgement' AND target <> 'closed';
CREATE UNIQUE INDEX effect_one_acknowledgement_of_item ON effect (item_number)
    WHERE item_number IS NOT NULL AND kind = 'acknowledgement' AND target <> 'closed';

CREATE TABLE acceptance_numbered (
    id          INTEGER PRIMARY KEY,
    key         TEXT NOT NULL REFERENCES item (key),
    name        TEXT NOT NULL,
    holds       INTEGER NOT NULL CHECK (holds IN (0, 1)),
    value       TEXT NOT NULL,
    judged_at   INTEGER NOT NULL,
    item_number INTEGER
) STRICT;
INSERT INTO acceptance_numbered (key, name, holds, value, judged_at) SELECT key, name, holds, value, judged_at
    FROM acceptance;
DROP TABLE acceptance;
ALTER TABLE acceptance_numbered RENAME TO acceptance;
-- End of what is made anew.
CREATE UNIQUE INDEX acceptance_key ON acceptance (key, name) WHERE item_number IS NULL;
CREATE UNIQUE INDEX acceptance_of_item ON acceptance (item_number, name) WHERE item_number IS NOT NULL;

CREATE TABLE case_message_numbered (
    id          INTEGER PRIMARY KEY,
    case_key    TEXT NOT NULL REFERENCES case_record (key),
    key         TEXT NOT NULL REFERENCES item (key),
    direction   TEXT NOT NULL CHECK (direction IN ('in', 'out')),
    message_id  BLOB NOT NULL,
    sender      TEXT NOT NULL,
    reply_to    TEXT NOT NULL,
    subject     TEXT NOT NULL,
    sent_at     INTEGER,
    text        TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    item_number INTEGER
) STRICT;
INSERT INTO case_message_numbered SELECT id, case_key, key, direction, message_id, sender, reply_to, subject, sent_at,
    text, created_at, NULL FROM case_message ORDER BY id;
DROP TABLE case_message;
ALTER TABLE case_message_numbered RENAME TO case_message;
CREATE INDEX case_message_id ON case_message (message_id);
-- End of what is made anew.
CREATE UNIQUE INDEX case_message_key ON case_message (key, direction) WHERE item_number IS NULL;
CREATE UNIQUE INDEX case_message_of_item ON case_message (item_number, direction) WHERE item_number IS NOT NULL;
CREATE INDEX case_message_case ON case_message (case_key) WHERE case_key <> key;

-- By the number of the item that made the case.
CREATE TABLE case_participant_numbered (
    id          INTEGER PRIMARY KEY,
    case_key    TEXT NOT NULL REFERENCES case_record (key),
    address     TEXT NOT NULL,
    item_number INTEGER
) STRICT;
INSERT INTO case_participant_numbered (case_key, address) SELECT case_key, address FROM case_participant;
DROP TABLE case_participant;
ALTER TABLE case_participant_numbered RENAME TO case_participant;
-- End of what is made anew.
CREATE UNIQUE INDEX case_participant_key ON case_participant (case_key, address) WHERE item_number IS NULL;
CREATE UNIQUE INDEX case_participant_of_item ON case_participant (item_number, address) WHERE item_number IS NOT NULL;

CREATE TABLE case_numbered (
    number      INTEGER PRIMARY KEY,
    key         TEXT NOT NULL REFERENCES case_record (key),
    item_number INTEGER
) STRICT;
INSERT INTO case_numbered SELECT number, key, NULL FROM case_number ORDER BY number;
DROP TABLE case_number;
ALTER TABLE case_numbered RENAME TO case_number;
-- End of what is made anew.
CREATE UNIQUE INDEX case_number_key ON case_number (key) WHERE item_number IS NULL;
CREATE UNIQUE INDEX case_number_of_item ON case_number (item_number) WHERE item_number IS NOT NULL;

-- A mail that made its case is found as that.
DROP INDEX item_case;
CREATE INDEX item_case ON item (case_key) WHERE case_key <> key;

-- All rows of an item have its number, or none: what is unique among them is unique in one index.
CREATE TRIGGER delivery_has_number BEFORE INSERT ON delivery
    WHEN NEW.item_number IS NOT (SELECT number FROM item WHERE key = NEW.key)
    BEGIN SELECT RAISE (ABORT, 'what belongs to an item has its number'); END;
CREATE TRIGGER effect_has_number BEFORE INSERT ON effect
    WHEN NEW.item_number IS NOT (SELECT number FROM item WHERE key = NEW.key)
    BEGIN SELECT RAISE (ABORT, 'what belongs to an item has its number'); END;
