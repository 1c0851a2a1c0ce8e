-- SPDX-License-Identifier: Apache-2.0
-- What monitoring counts and what notices remember.

CREATE TABLE notice (
    channel TEXT NOT NULL CHECK (channel IN ('mail', 'webhook')),
    trouble TEXT NOT NULL,
    mailbox TEXT NOT NULL,               -- '' is the installation
    since   INTEGER NOT NULL,
    told    TEXT NOT NULL CHECK (told IN ('', 'warning', 'critical')),    -- as bad as it was told last
    stage   INTEGER NOT NULL,            -- how many of the ages were told
    PRIMARY KEY (channel, trouble, mailbox)
) STRICT;

-- Each try of a notice, for the rate and for what is said of channels that fail.
CREATE TABLE notice_try (
    id      INTEGER PRIMARY KEY,
    channel TEXT NOT NULL CHECK (channel IN ('mail', 'webhook')),
    tried_at INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('done', 'deferred', 'refused', 'unknown')),
    subject TEXT NOT NULL,               -- 'troubles', or 'report 2026-02'
    why     TEXT NOT NULL DEFAULT ''     -- no address, no secret
) STRICT;
CREATE INDEX notice_try_at ON notice_try (channel, tried_at);
CREATE INDEX notice_try_report ON notice_try (subject) WHERE subject <> 'troubles';

-- How many messages are still to be filed that the inbox had no more at the last look.
ALTER TABLE mailbox ADD COLUMN difference INTEGER NOT NULL DEFAULT 0;

CREATE INDEX delivery_counted ON delivery (mailbox, class);
CREATE INDEX delivery_standing ON delivery (mailbox, folder, uidvalidity)
    WHERE left_folder = 0 AND stale = 0 AND class <> 'replayed' AND move_to <> '';
CREATE INDEX item_counted ON item (mailbox, state);
CREATE INDEX attempt_counted ON attempt (effect, outcome);
CREATE INDEX event_waited ON event (key, at) WHERE what = 'wait';
