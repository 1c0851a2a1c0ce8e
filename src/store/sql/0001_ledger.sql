-- SPDX-License-Identifier: Apache-2.0
-- The ledger. Times are integer milliseconds UTC, digests and keys lower-case hex, states text with a
-- CHECK. Message-IDs are octets, not text: senders put anything into them. Columns that hold a
-- person's data (sender, subject, text, names) may be emptied by retention; keys never are.

CREATE TABLE meta (
    name  TEXT NOT NULL PRIMARY KEY,    -- ledger_id, generation, secret, schema_N (digest of migration N)
    value TEXT NOT NULL
) STRICT;

CREATE TABLE run (
    id          TEXT NOT NULL PRIMARY KEY,
    host        TEXT NOT NULL,
    boot_id     TEXT NOT NULL,
    pid         INTEGER NOT NULL,
    version     TEXT NOT NULL,
    name        TEXT NOT NULL,          -- of the deployment
    environment TEXT NOT NULL,
    owner       TEXT NOT NULL,
    entered_at  INTEGER NOT NULL,
    beat_at     INTEGER NOT NULL,       -- last renewal of its leases, wall time
    ended_at    INTEGER,
    ended_how   TEXT CHECK (ended_how IN ('left', 'dead')),
    buried_by   TEXT,                   -- the run that proved it dead
    CHECK ((ended_at IS NULL) = (ended_how IS NULL))
) STRICT;

CREATE TABLE mailbox (
    id                    TEXT NOT NULL PRIMARY KEY,
    version               INTEGER NOT NULL DEFAULT 0,
    uidvalidity           INTEGER NOT NULL DEFAULT 0,
    uidnext               INTEGER NOT NULL DEFAULT 0,
    numbering             INTEGER NOT NULL DEFAULT 0,    -- counts how often the inbox was renumbered
    processed_uidvalidity INTEGER NOT NULL DEFAULT 0,
    processed_uidnext     INTEGER NOT NULL DEFAULT 0,
    import_choice         TEXT NOT NULL DEFAULT ''
                          CHECK (import_choice IN ('', 'waiting', 'cases', 'full', 'adopt')),
    import_uidvalidity    INTEGER NOT NULL DEFAULT 0,
    import_uidnext        INTEGER NOT NULL DEFAULT 0,
    import_before         INTEGER NOT NULL DEFAULT 0,
    awaiting              INTEGER NOT NULL DEFAULT 0,
    backlog               INTEGER NOT NULL DEFAULT 0,
    paused                INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    paused_effects        INTEGER NOT NULL DEFAULT 0,
    generation            INTEGER NOT NULL DEFAULT 0,
    rewind_uidvalidity    INTEGER NOT NULL DEFAULT 0,
    rewind_uidnext        INTEGER NOT NULL DEFAULT 0,
    scanning              INTEGER NOT NULL DEFAULT 0 CHECK (scanning IN (0, 1)),
    claimed               INTEGER NOT NULL DEFAULT 0 CHECK (claimed IN (0, 1)),
    claim_owner           TEXT NOT NULL DEFAULT '',
    marked_event          INTEGER NOT NULL DEFAULT 0,
    streak_code           INTEGER NOT NULL DEFAULT 0,
    streak_length         INTEGER NOT NULL DEFAULT 0,
    streak_recipients     TEXT NOT NULL DEFAULT '',    -- digests, blanks between
    streak_keys           TEXT NOT NULL DEFAULT '',
    last_success          INTEGER NOT NULL DEFAULT 0,
    last_error            TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE circuit (
    mailbox    TEXT NOT NULL REFERENCES mailbox (id),
    service    TEXT NOT NULL CHECK (service IN ('imap', 'smtp', 'destination')),
    state      TEXT NOT NULL CHECK (state IN ('closed', 'open', 'probing')),
    failures   INTEGER NOT NULL,
    since      INTEGER NOT NULL,
    next_probe INTEGER NOT NULL,
    reason     TEXT NOT NULL,
    PRIMARY KEY (mailbox, service)
) STRICT;

-- One business instruction. The key is what makes repeated delivery harmless.
CREATE TABLE item (
    key             TEXT NOT NULL PRIMARY KEY,
    mailbox         TEXT NOT NULL REFERENCES mailbox (id),
    key_source      TEXT NOT NULL
                    CHECK (key_source IN ('reference', 'message-id', 'digest', 'conflict', 'delivery')),
    message_id      BLOB NOT NULL,                -- normalised; empty where there is none
    disposition     TEXT NOT NULL
                    CHECK (disposition IN ('case', 'append', 'report', 'evidence', 'adopted', 'held', 'dismissed')),
    arrived_as      TEXT NOT NULL,                -- the disposition at arrival, for the report's balance
    state           TEXT NOT NULL
                    CHECK (state IN ('received', 'in_progress', 'complete', 'needs_reconciliation')),
    reason          TEXT NOT NULL DEFAULT '',
    completion      TEXT NOT NULL DEFAULT ''
                    CHECK (completion IN ('', 'accepted', 'accepted_with_exceptions', 'appended', 'closed')),
    octets          TEXT NOT NULL,                -- of the original; '' where they could not be had
    size            INTEGER NOT NULL,
    source_digest   TEXT NOT NULL,
    payload_digest  TEXT NOT NULL,                -- '' where it could not be read
    payload_version INTEGER NOT NULL,
    fingerprint     TEXT NOT NULL,
    signs           INTEGER NOT NULL,
    sender          TEXT NOT NULL,
    recipient       TEXT NOT NULL,                -- whom the acknowledgement goes to
    sender_plain    TEXT NOT NULL DEFAULT '',     -- the same two without case and +tag, for the limits
    recipient_plain TEXT NOT NULL DEFAULT '',
    tells           INTEGER NOT NULL DEFAULT 0 CHECK (tells IN (0, 1)),    -- its sender is to be told
    names_ack       TEXT NOT NULL DEFAULT '',     -- EFFECT of our acknowledgement that it names
    subject         TEXT NOT NULL,
    text            TEXT NOT NULL,
    sent_at         INTEGER,                      -- Date, if valid
    internal_ms     INTEGER NOT NULL,             -- INTERNALDATE of the delivery that won
    case_key        TEXT,                         -- the item whose case this belongs to
    first_key       TEXT REFERENCES item (key),   -- of a conflict: what it conflicts with
    lease_run       TEXT REFERENCES run (id),
    lease_boot      INTEGER,                      -- end of the lease, boot time of that run's host
    fence           INTEGER NOT NULL DEFAULT 0,   -- counts leases; every write is guarded by it
    next_due        INTEGER,                      -- wall time; NULL: nothing to do by itself
    original_kept   INTEGER NOT NULL DEFAULT 0 CHECK (original_kept IN (0, 1)),
    letter_date     INTEGER NOT NULL DEFAULT 0,   -- Date of its acknowledgement
    worker_deaths   INTEGER NOT NULL DEFAULT 0,
    generation      INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    completed_at    INTEGER,
    CHECK ((lease_run IS NULL) = (lease_boot IS NULL)),
    -- Work that is not done has its time, and what somebody has in hand is due for whoever takes it
    -- over, should that one die.
    CHECK (next_due IS NOT NULL OR (lease_run IS NULL AND state IN ('complete', 'needs_reconciliation')))
) STRICT;
CREATE INDEX item_due ON item (mailbox, next_due, internal_ms) WHERE next_due IS NOT NULL AND lease_run IS NULL;
CREATE INDEX item_leased ON item (lease_run, mailbox, next_due, internal_ms) WHERE lease_run IS NOT NULL;
CREATE INDEX item_source ON item (mailbox, source_digest, message_id);
CREATE INDEX item_octets ON item (mailbox, octets);
CREATE INDEX item_first ON item (first_key) WHERE first_key IS NOT NULL;
CREATE INDEX item_case ON item (case_key) WHERE case_key IS NOT NULL;
CREATE INDEX item_waiting ON item (mailbox, reason) WHERE state = 'needs_reconciliation';
CREATE INDEX item_fingerprint ON item (fingerprint);
CREATE INDEX item_sender ON item (mailbox, sender_plain, internal_ms) WHERE arrived_as = 'case';
CREATE INDEX item_recipient ON item (mailbox, recipient_plain, internal_ms) WHERE tells = 1;
CREATE INDEX item_names_ack ON item (names_ack) WHERE names_ack <> '';

-- How many senders were to be told, by the minute in which their mail arrived: for the total limit.
CREATE TABLE told (
    mailbox TEXT NOT NULL REFERENCES mailbox (id),
    minute  INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    PRIMARY KEY (mailbox, minute)
) STRICT;

-- One observation of one source message, or one operator replay.
CREATE TABLE delivery (
    id          INTEGER PRIMARY KEY,
    key         TEXT NOT NULL REFERENCES item (key),
    mailbox     TEXT NOT NULL REFERENCES mailbox (id),
    folder      TEXT NOT NULL,                -- '' for a replay
    uidvalidity INTEGER NOT NULL,
    uid         INTEGER NOT NULL,
    internal_ms INTEGER NOT NULL,
    size        INTEGER NOT NULL,
    octets      TEXT NOT NULL,
    class       TEXT NOT NULL CHECK (class IN ('first', 'redelivered', 'reobserved', 'returned',
                                               'list_copy', 'gateway_copy', 'replayed', 'conflict')),
    won         INTEGER NOT NULL CHECK (won IN (0, 1)),    -- it won its item; otherwise it is a copy
    move_to     TEXT NOT NULL,                -- where it is filed; '' stays
    left_folder INTEGER NOT NULL DEFAULT 0 CHECK (left_folder IN (0, 1)),
    stale       INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1)),    -- the folder was renumbered since
    run         TEXT REFERENCES run (id),     -- NULL: a person's command
    seen_at     INTEGER NOT NULL,
    CHECK (run IS NOT NULL OR class = 'replayed')
) STRICT;
CREATE UNIQUE INDEX delivery_source ON delivery (mailbox, folder, uidvalidity, uid)
    WHERE class <> 'replayed' AND stale = 0;
CREATE UNIQUE INDEX delivery_won ON delivery (key) WHERE won = 1;
CREATE INDEX delivery_key ON delivery (key);
CREATE INDEX delivery_seen ON delivery (seen_at);
CREATE INDEX delivery_octets ON delivery (mailbox, octets);

-- The plan: what shall happen, and what became of it.
CREATE TABLE effect (
    id            INTEGER PRIMARY KEY,
    key           TEXT NOT NULL REFERENCES item (key),
    kind          TEXT NOT NULL CHECK (kind IN ('case', 'attachment', 'acknowledgement', 'move', 'webhook')),
    target        TEXT NOT NULL,
    status        TEXT NOT NULL CHECK (status IN ('planned', 'attempting', 'done', 'skipped',
                                                  'deferred', 'refused', 'unknown')),
    external_id   TEXT NOT NULL DEFAULT '',
    reason        TEXT NOT NULL DEFAULT '',
    code          INTEGER NOT NULL DEFAULT 0,    -- of the last reply
    attempts      INTEGER NOT NULL DEFAULT 0,
    due           INTEGER,                       -- wall time; NULL: waits for something else
    first_try     INTEGER,                       -- wall time of the first try by the item's own fault
    server_faults INTEGER NOT NULL DEFAULT 0,
    ack_id        TEXT NOT NULL DEFAULT '',      -- EFFECT of an acknowledgement, once its target is fixed
    UNIQUE (key, kind, target)
) STRICT;
CREATE UNIQUE INDEX effect_ack ON effect (ack_id) WHERE ack_id <> '';
CREATE UNIQUE INDEX effect_one_acknowledgement ON effect (key)
    WHERE kind = 'acknowledgement' AND target <> 'closed';
CREATE INDEX effect_filed ON effect (external_id) WHERE kind = 'move' AND external_id <> '';
CREATE INDEX effect_open ON effect (kind, status) WHERE status IN ('attempting', 'unknown', 'deferred', 'refused');

CREATE TABLE attempt (
    id                    INTEGER PRIMARY KEY,
    effect                INTEGER NOT NULL REFERENCES effect (id),
    number                INTEGER NOT NULL,
    run                   TEXT NOT NULL REFERENCES run (id),
    phase                 TEXT NOT NULL CHECK (phase IN ('armed', 'ended', 'lost')),
    outcome               TEXT NOT NULL DEFAULT ''
                          CHECK (outcome IN ('', 'done', 'refused', 'deferred', 'unknown')),
    stage                 TEXT NOT NULL DEFAULT '',
    code                  INTEGER NOT NULL DEFAULT 0,
    started_at            INTEGER NOT NULL,
    armed_at              INTEGER,
    ended_at              INTEGER,
    connection_closed     INTEGER NOT NULL DEFAULT 0 CHECK (connection_closed IN (0, 1)),
    processed_uidvalidity INTEGER NOT NULL DEFAULT 0,
    processed_uidnext     INTEGER NOT NULL DEFAULT 0,
    UNIQUE (effect, number),
    CHECK ((phase = 'armed') = (outcome = ''))
) STRICT;
CREATE UNIQUE INDEX attempt_armed ON attempt (effect) WHERE phase = 'armed';
CREATE INDEX attempt_run ON attempt (run);
CREATE INDEX attempt_open ON attempt (run) WHERE outcome = 'unknown' AND connection_closed = 0;

CREATE TABLE evidence (
    id       INTEGER PRIMARY KEY,
    key      TEXT NOT NULL REFERENCES item (key),
    effect   INTEGER NOT NULL REFERENCES effect (id),
    kind     TEXT NOT NULL,
    found    INTEGER NOT NULL CHECK (found IN (0, 1)),
    place    TEXT NOT NULL,
    run      TEXT NOT NULL,
    seen_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX evidence_key ON evidence (key);

CREATE TABLE acceptance (
    key       TEXT NOT NULL REFERENCES item (key),
    name      TEXT NOT NULL,
    holds     INTEGER NOT NULL CHECK (holds IN (0, 1)),
    value     TEXT NOT NULL,
    judged_at INTEGER NOT NULL,
    PRIMARY KEY (key, name)
) STRICT;

CREATE TABLE approval (
    id          INTEGER PRIMARY KEY,
    key         TEXT NOT NULL REFERENCES item (key),
    decision    TEXT NOT NULL,
    effect      INTEGER REFERENCES effect (id),
    from_status TEXT NOT NULL DEFAULT '',
    from_state  TEXT NOT NULL,
    from_reason TEXT NOT NULL DEFAULT '',
    attempts    INTEGER NOT NULL DEFAULT 0,    -- tries that had been made; more since: something has left
    person      TEXT NOT NULL,
    second      TEXT NOT NULL DEFAULT '',
    plan_hash   TEXT NOT NULL DEFAULT '',
    decided_at  INTEGER NOT NULL,
    undone_at   INTEGER
) STRICT;
CREATE INDEX approval_key ON approval (key);

CREATE TABLE case_record (
    key         TEXT NOT NULL PRIMARY KEY REFERENCES item (key),    -- the item that made it
    reference   TEXT NOT NULL UNIQUE,
    mailbox     TEXT NOT NULL REFERENCES mailbox (id),
    state       TEXT NOT NULL CHECK (state IN ('open', 'closed')),
    merged_into TEXT REFERENCES case_record (key),
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE case_message (
    id         INTEGER PRIMARY KEY,
    case_key   TEXT NOT NULL REFERENCES case_record (key),
    key        TEXT NOT NULL REFERENCES item (key),
    direction  TEXT NOT NULL CHECK (direction IN ('in', 'out')),
    message_id BLOB NOT NULL,
    sender     TEXT NOT NULL,
    reply_to   TEXT NOT NULL,
    subject    TEXT NOT NULL,
    sent_at    INTEGER,
    text       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (key, direction)
) STRICT;
CREATE INDEX case_message_id ON case_message (message_id);
CREATE INDEX case_message_case ON case_message (case_key);

CREATE TABLE case_participant (
    case_key TEXT NOT NULL REFERENCES case_record (key),
    address  TEXT NOT NULL,                      -- canonical: without case and +tag
    PRIMARY KEY (case_key, address)
) STRICT;

CREATE TABLE case_link (
    id         INTEGER PRIMARY KEY,
    from_key   TEXT NOT NULL REFERENCES item (key),
    to_key     TEXT NOT NULL REFERENCES item (key),
    kind       TEXT NOT NULL CHECK (kind IN ('stranger', 'closed', 'conflict', 'merge', 'authoritative', 'different')),
    made_at    INTEGER NOT NULL,
    UNIQUE (from_key, to_key, kind)
) STRICT;

CREATE TABLE attachment (
    key         TEXT NOT NULL REFERENCES item (key),
    number      INTEGER NOT NULL,
    part        INTEGER NOT NULL,                -- its place among the message's leaves
    name        TEXT NOT NULL,                   -- as the sender wrote it
    stored_name TEXT NOT NULL,
    type        TEXT NOT NULL,
    size        INTEGER NOT NULL,
    sha256      TEXT NOT NULL,
    status      TEXT NOT NULL CHECK (status IN ('planned', 'stored', 'refused', 'quarantined')),
    reason      TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (key, number)
) STRICT;

CREATE TABLE bounce (
    id          INTEGER PRIMARY KEY,
    key         TEXT NOT NULL REFERENCES item (key),    -- whose acknowledgement it is about
    report_key  TEXT NOT NULL REFERENCES item (key),
    action      TEXT NOT NULL,
    recorded_at INTEGER NOT NULL
) STRICT;
CREATE INDEX bounce_key ON bounce (key);
CREATE INDEX bounce_report ON bounce (report_key);

-- What happened, in order; ids and codes only. Each line carries the hash of the one before.
CREATE TABLE event (
    number     INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    run        TEXT NOT NULL,
    mailbox    TEXT NOT NULL,
    key        TEXT NOT NULL,
    subject    TEXT NOT NULL,                    -- item, effect ID, attempt ID, mailbox, run, ledger
    what       TEXT NOT NULL,                    -- the event's word in its table
    from_state TEXT NOT NULL,
    to_state   TEXT NOT NULL,
    actor      TEXT NOT NULL,
    previous   TEXT NOT NULL,
    hash       TEXT NOT NULL
) STRICT;
CREATE INDEX event_key ON event (key);
CREATE TRIGGER event_never_changes BEFORE UPDATE ON event
    BEGIN SELECT RAISE (ABORT, 'the event chain is append-only'); END;
CREATE TRIGGER event_never_replaced BEFORE INSERT ON event
    WHEN EXISTS (SELECT 1 FROM event WHERE number = NEW.number)
    BEGIN SELECT RAISE (ABORT, 'the event chain is append-only'); END;
CREATE TRIGGER event_never_goes BEFORE DELETE ON event
    BEGIN SELECT RAISE (ABORT, 'the event chain is append-only'); END;

-- Free text: reasons that people gave, what servers said with addresses masked. Erasable.
CREATE TABLE note (
    id       INTEGER PRIMARY KEY,
    key      TEXT NOT NULL,
    about    TEXT NOT NULL,                      -- approval ID, attempt ID, item
    text     TEXT NOT NULL,
    noted_at INTEGER NOT NULL,
    erased   INTEGER NOT NULL DEFAULT 0 CHECK (erased IN (0, 1))
) STRICT;
CREATE INDEX note_key ON note (key);

-- Octets that a worker is reading: one that dies of them leaves its mark here.
CREATE TABLE reading (
    mailbox TEXT NOT NULL,
    octets  TEXT NOT NULL,
    run     TEXT NOT NULL,
    deaths  INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (mailbox, octets)
) STRICT;

CREATE TABLE "user" (
    name       TEXT NOT NULL PRIMARY KEY,
    role       TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'owner', 'admin')),
    secret     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    removed_at INTEGER
) STRICT;

CREATE TABLE session (
    id         TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL REFERENCES "user" (name),
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    ended_at   INTEGER
) STRICT;

CREATE TABLE token (
    digest     TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'owner', 'admin')),
    created_at INTEGER NOT NULL,
    ended_at   INTEGER
) STRICT;

CREATE TABLE webhook_outbox (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    key        TEXT NOT NULL,
    event      INTEGER NOT NULL REFERENCES event (number),
    status     TEXT NOT NULL CHECK (status IN ('planned', 'attempting', 'done', 'deferred', 'refused')),
    attempts   INTEGER NOT NULL DEFAULT 0,
    due        INTEGER,
    created_at INTEGER NOT NULL
) STRICT;

-- A person's hold: retention leaves these alone.
CREATE TABLE hold (
    key     TEXT NOT NULL PRIMARY KEY,
    person  TEXT NOT NULL,
    held_at INTEGER NOT NULL
) STRICT;
