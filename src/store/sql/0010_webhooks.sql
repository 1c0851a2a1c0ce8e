-- SPDX-License-Identifier: Apache-2.0
-- Posts to webhooks: made of lines of the event chain, once each, and kept until their receiver has taken
-- them. They hold no text of a mail: what a receiver is told beyond ids and states is read when it is sent.

DROP TABLE webhook_outbox;    -- nothing ever stood in it

CREATE TABLE webhook (
    name          TEXT NOT NULL PRIMARY KEY,
    read_to       INTEGER NOT NULL,             -- the last line of the chain that was looked at for it
    failures      INTEGER NOT NULL DEFAULT 0,   -- in a row
    due           INTEGER,                      -- wall time; NULL: nothing holds it up
    failing_since INTEGER,                      -- NULL: the last post was taken
    last_done     INTEGER,
    why           TEXT NOT NULL DEFAULT ''      -- of the last failure; no address, no secret
) STRICT;

CREATE TABLE webhook_outbox (
    id         INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL UNIQUE,            -- webhook-id, the same on every try
    webhook    TEXT NOT NULL,
    key        TEXT NOT NULL REFERENCES item (key),
    event      INTEGER NOT NULL REFERENCES event (number),
    type       TEXT NOT NULL CHECK (type IN ('created', 'complete', 'duplicate', 'conflict',
                                             'needs_reconciliation', 'closed')),
    reason     TEXT NOT NULL,                   -- why the item waits, where the post is about that
    status     TEXT NOT NULL CHECK (status IN ('planned', 'deferred', 'done', 'refused')),
    attempts   INTEGER NOT NULL DEFAULT 0,
    due        INTEGER,                         -- wall time; NULL: at once
    code       INTEGER NOT NULL DEFAULT 0,      -- HTTP status of the last try; 0: there was none
    why        TEXT NOT NULL DEFAULT '',
    first_try  INTEGER,
    created_at INTEGER NOT NULL,
    ended_at   INTEGER,
    CHECK ((ended_at IS NULL) = (status IN ('planned', 'deferred')))
) STRICT;
CREATE INDEX webhook_open ON webhook_outbox (webhook, status, id) WHERE status IN ('planned', 'deferred');
CREATE INDEX webhook_open_key ON webhook_outbox (webhook, key, id) WHERE status IN ('planned', 'deferred');
CREATE INDEX webhook_dead ON webhook_outbox (webhook, id) WHERE status = 'refused';
CREATE INDEX webhook_of_item ON webhook_outbox (key);
