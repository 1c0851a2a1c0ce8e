-- SPDX-License-Identifier: Apache-2.0
-- Floods of cases by one sender, and what a person said about each. A flood is over, and its row means
-- nothing any more, when nothing has come of it for the window of case.per_sender_limit.

CREATE TABLE flood (
    mailbox TEXT NOT NULL REFERENCES mailbox (id),
    sender  TEXT NOT NULL,               -- SHA-256 of the address, without case and +tag
    said    TEXT NOT NULL CHECK (said IN ('', 'mute', 'let-through')),
    last    INTEGER NOT NULL,            -- INTERNALDATE of the last mail of it
    PRIMARY KEY (mailbox, sender)
) STRICT;
CREATE INDEX item_flood ON item (mailbox, sender_plain, created_at, key) WHERE reason = 'case-flood';
