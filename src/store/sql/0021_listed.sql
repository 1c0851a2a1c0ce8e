-- SPDX-License-Identifier: Apache-2.0
--
-- Mails of which nothing is known but what an older system's list says (listed.h).

CREATE TABLE listed (
    key      TEXT NOT NULL PRIMARY KEY REFERENCES item (key),
    mailbox  TEXT NOT NULL REFERENCES mailbox (id),
    known_by TEXT NOT NULL,    -- digest of what a late copy is found by; '' nothing
    words    TEXT NOT NULL     -- digest of sender and subject, until they are let go; '' not said
) STRICT;
CREATE INDEX listed_known_by ON listed (mailbox, known_by);
CREATE INDEX listed_words ON listed (mailbox, words) WHERE words <> '';
