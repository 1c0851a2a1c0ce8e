-- SPDX-License-Identifier: Apache-2.0
-- In which language a sender is told, the very octets that were, and the virus scanner's circuit.

-- Tags with blanks between, the one wished most first; '' is the mailbox's own.
ALTER TABLE item ADD COLUMN languages TEXT NOT NULL DEFAULT '';

-- An acknowledgement as it was when it was first armed: whatever becomes of templates, settings and
-- program meanwhile, another try is of the same octets. A person's data; may be emptied by retention.
CREATE TABLE letter (
    effect INTEGER PRIMARY KEY REFERENCES effect (id),
    octets BLOB NOT NULL
) STRICT;

CREATE TABLE circuit_of (
    mailbox    TEXT NOT NULL REFERENCES mailbox (id),
    service    TEXT NOT NULL CHECK (service IN ('imap', 'smtp', 'destination', 'scanner')),
    state      TEXT NOT NULL CHECK (state IN ('closed', 'open', 'probing')),
    failures   INTEGER NOT NULL,
    since      INTEGER NOT NULL,
    next_probe INTEGER NOT NULL,
    reason     TEXT NOT NULL,
    PRIMARY KEY (mailbox, service)
) STRICT;
INSERT INTO circuit_of SELECT mailbox, service, state, failures, since, next_probe, reason FROM circuit;
DROP TABLE circuit;
ALTER TABLE circuit_of RENAME TO circuit;
