-- SPDX-License-Identifier: Apache-2.0
-- What a person said of all later mail of a sender: its Message-IDs name nothing, as that sender uses one
-- again and again; each mail is told apart by what it says.

CREATE TABLE sender_rule (
    id       INTEGER PRIMARY KEY,
    mailbox  TEXT NOT NULL REFERENCES mailbox (id),
    sender   TEXT NOT NULL,                          -- without case and +tag; a person's data
    key      TEXT NOT NULL REFERENCES item (key),    -- the mail it was said of
    person   TEXT NOT NULL,
    made_at  INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX sender_rule_open ON sender_rule (mailbox, sender) WHERE ended_at IS NULL;
