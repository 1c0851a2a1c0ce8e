-- SPDX-License-Identifier: Apache-2.0
-- What keeps pages and metrics fast on a ledger of years: an index for each order in which a list is
-- read, and counts of what only grows, kept by the ledger itself so that no writer can forget them.

DROP INDEX item_counted;
CREATE INDEX item_listed ON item (mailbox, state, created_at, key);
CREATE INDEX item_of_mailbox ON item (mailbox, created_at, key);
CREATE INDEX item_of_state ON item (state, created_at, key);
CREATE INDEX item_gave_up ON item (mailbox, created_at, key)
    WHERE reason IN ('gave-up', 'acknowledgement-refused');
CREATE INDEX effect_refused ON effect (key) WHERE kind = 'acknowledgement' AND status = 'refused';
CREATE INDEX bounce_failed ON bounce (key) WHERE action = 'failed';
CREATE INDEX case_of_mailbox ON case_record (mailbox, created_at, key);
CREATE INDEX case_of_state ON case_record (state, created_at, key);
CREATE INDEX case_listed ON case_record (mailbox, state, created_at, key);
CREATE INDEX delivery_of_mailbox ON delivery (mailbox, id);
CREATE INDEX delivery_copies ON delivery (mailbox, id) WHERE won = 0;
DROP INDEX delivery_seen;
CREATE INDEX delivery_seen ON delivery (seen_at, mailbox, class, won, key);
CREATE INDEX evidence_effect ON evidence (effect, kind, found);
CREATE INDEX attempt_doubted ON attempt (ended_at) WHERE outcome = 'unknown';
CREATE INDEX evidence_found ON evidence (effect) WHERE found = 1;

DROP INDEX delivery_counted;
CREATE TABLE delivery_count (
    mailbox TEXT NOT NULL REFERENCES mailbox (id),
    class   TEXT NOT NULL,
    won     INTEGER NOT NULL,
    n       INTEGER NOT NULL,
    PRIMARY KEY (mailbox, class, won)
) STRICT;
INSERT INTO delivery_count SELECT mailbox, class, won, COUNT(*) FROM delivery GROUP BY mailbox, class, won;
CREATE TRIGGER delivery_counts AFTER INSERT ON delivery BEGIN
    INSERT INTO delivery_count VALUES (NEW.mailbox, NEW.class, NEW.won, 1)
        ON CONFLICT (mailbox, class, won) DO UPDATE SET n = delivery_count.n + 1;
END;
CREATE TRIGGER delivery_class_stays BEFORE UPDATE OF mailbox, class, won ON delivery
    BEGIN SELECT RAISE (ABORT, 'what a delivery is never changes'); END;

DROP INDEX attempt_counted;
CREATE TABLE attempt_count (
    kind    TEXT NOT NULL,
    outcome TEXT NOT NULL,
    n       INTEGER NOT NULL,
    PRIMARY KEY (kind, outcome)
) STRICT;
INSERT INTO attempt_count SELECT effect.kind, attempt.outcome, COUNT(*) FROM attempt
    JOIN effect ON effect.id = attempt.effect WHERE attempt.outcome <> '' GROUP BY effect.kind, attempt.outcome;

-- Of each try: from its mail's arrival to the mail server's yes, where that is a confirmation's.
CREATE VIEW attempt_confirms AS
    SELECT attempt.id, CASE WHEN attempt.ended_at > item.internal_ms
        THEN attempt.ended_at - item.internal_ms ELSE 0 END AS ms FROM attempt
    JOIN effect ON effect.id = attempt.effect JOIN item ON item.key = effect.key
    WHERE attempt.outcome = 'done' AND attempt.ended_at IS NOT NULL
    AND effect.kind = 'acknowledgement' AND effect.target <> 'closed';
CREATE VIEW attempt_within AS
    SELECT id, ms, CASE WHEN ms <= 5000 THEN 5000 WHEN ms <= 15000 THEN 15000 WHEN ms <= 30000 THEN 30000
        WHEN ms <= 60000 THEN 60000 WHEN ms <= 120000 THEN 120000 WHEN ms <= 300000 THEN 300000
        WHEN ms <= 900000 THEN 900000 WHEN ms <= 3600000 THEN 3600000 WHEN ms <= 14400000 THEN 14400000
        WHEN ms <= 86400000 THEN 86400000 ELSE 9223372036854775807 END AS within_ms FROM attempt_confirms;
CREATE TABLE confirmation_count (
    within_ms INTEGER NOT NULL PRIMARY KEY,    -- and above the next smaller one
    n         INTEGER NOT NULL,
    sum_ms    INTEGER NOT NULL
) STRICT;
INSERT INTO confirmation_count SELECT within_ms, COUNT(*), SUM(ms) FROM attempt_within GROUP BY within_ms;

CREATE TRIGGER attempt_counts AFTER INSERT ON attempt WHEN NEW.outcome <> '' BEGIN
    INSERT INTO attempt_count SELECT kind, NEW.outcome, 1 FROM effect WHERE id = NEW.effect
        ON CONFLICT (kind, outcome) DO UPDATE SET n = attempt_count.n + 1;
    INSERT INTO confirmation_count SELECT within_ms, 1, ms FROM attempt_within WHERE id = NEW.id
        ON CONFLICT (within_ms) DO UPDATE SET n = confirmation_count.n + 1, sum_ms = confirmation_count.sum_ms + excluded.sum_ms;
END;
CREATE TRIGGER attempt_counts_ended AFTER UPDATE OF outcome ON attempt WHEN OLD.outcome = '' AND NEW.outcome <> '' BEGIN
    INSERT INTO attempt_count SELECT kind, NEW.outcome, 1 FROM effect WHERE id = NEW.effect
        ON CONFLICT (kind, outcome) DO UPDATE SET n = attempt_count.n + 1;
    INSERT INTO confirmation_count SELECT within_ms, 1, ms FROM attempt_within WHERE id = NEW.id
        ON CONFLICT (within_ms) DO UPDATE SET n = confirmation_count.n + 1, sum_ms = confirmation_count.sum_ms + excluded.sum_ms;
END;
CREATE TRIGGER attempt_outcome_stays BEFORE UPDATE OF outcome ON attempt WHEN OLD.outcome <> '' AND NEW.outcome <> OLD.outcome
    BEGIN SELECT RAISE (ABORT, 'the outcome of a try never changes'); END;

CREATE TABLE item_count (
    mailbox TEXT NOT NULL REFERENCES mailbox (id),
    state   TEXT NOT NULL,
    n       INTEGER NOT NULL,
    PRIMARY KEY (mailbox, state)
) STRICT;
INSERT INTO item_count SELECT mailbox, state, COUNT(*) FROM item GROUP BY mailbox, state;
CREATE TRIGGER item_counts AFTER INSERT ON item BEGIN
    INSERT INTO item_count VALUES (NEW.mailbox, NEW.state, 1) ON CONFLICT (mailbox, state) DO UPDATE SET n = item_count.n + 1;
END;
CREATE TRIGGER item_counts_anew AFTER UPDATE OF state ON item WHEN NEW.state <> OLD.state BEGIN
    UPDATE item_count SET n = n - 1 WHERE mailbox = OLD.mailbox AND state = OLD.state;
    INSERT INTO item_count VALUES (NEW.mailbox, NEW.state, 1) ON CONFLICT (mailbox, state) DO UPDATE SET n = item_count.n + 1;
END;

-- Fingerprints that more than one mail had: what suspects are looked for among.
CREATE TABLE shared_fingerprint (
    fingerprint TEXT NOT NULL PRIMARY KEY
) STRICT;
INSERT INTO shared_fingerprint SELECT fingerprint FROM item WHERE fingerprint <> '' GROUP BY fingerprint HAVING COUNT(*) > 1;
CREATE TRIGGER item_shares AFTER INSERT ON item
    WHEN EXISTS (SELECT 1 FROM item WHERE fingerprint = NEW.fingerprint AND key <> NEW.key) BEGIN
    INSERT INTO shared_fingerprint VALUES (NEW.fingerprint) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER item_shares_anew AFTER UPDATE OF fingerprint ON item
    WHEN EXISTS (SELECT 1 FROM item WHERE fingerprint = NEW.fingerprint AND key <> NEW.key) BEGIN
    INSERT INTO shared_fingerprint VALUES (NEW.fingerprint) ON CONFLICT DO NOTHING;
END;
