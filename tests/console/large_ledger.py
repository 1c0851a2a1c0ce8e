# SPDX-License-Identifier: Apache-2.0
"""Years of mail, written into a ledger by SQL: what the console is measured on."""
import hashlib
import sqlite3
import time

RUN = "b" * 32
DAY = 86_400_000

# n is the number of a mail, from 0, the oldest first. One of 400 waits for a person, of four reasons; one of 300
# was refused, one of 1000 is under way.
FACTS = """
CREATE TEMP TABLE mail AS WITH RECURSIVE count(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM count WHERE n < :items - 1)
SELECT n, digest(n) AS key, CASE n % 3 WHEN 0 THEN 'sales' ELSE 'help' END AS mailbox,
 :start + n * :step AS at,
 CASE WHEN n % 400 = 17 THEN 'needs_reconciliation' WHEN n % :busy = 5 THEN 'in_progress' ELSE 'complete' END AS state,
 CASE WHEN n % 400 <> 17 THEN '' ELSE CASE n / 400 % 4 WHEN 0 THEN 'acknowledgement-unknown' WHEN 1 THEN 'conflict'
  WHEN 2 THEN 'gave-up' ELSE 'unprocessable' END END AS reason,
 'sender' || (n % 5000) || '@example.org' AS sender,
 COALESCE((SELECT MAX(number) FROM item), 0) + n + 1 AS number FROM count;
CREATE UNIQUE INDEX temp.mail_n ON mail (n);
CREATE TEMP TABLE base AS SELECT COALESCE((SELECT MAX(id) FROM effect), 0) AS effect,
 COALESCE((SELECT MAX(id) FROM delivery), 0) AS delivery, COALESCE((SELECT MAX(id) FROM attempt), 0) AS attempt;
INSERT INTO run (id, host, boot_id, pid, version, name, environment, owner, entered_at, beat_at, mailbox)
 VALUES (:run, 'desk', 'x', 1, '1', 'help-desk', 'production', 'service-desk@example.org', :start, :now, 'help');
INSERT OR IGNORE INTO mailbox (id) VALUES ('help'), ('sales');

INSERT INTO item (key, mailbox, key_source, message_id, disposition, arrived_as, state, reason, completion, octets, size,
  source_digest, payload_digest, payload_version, fingerprint, signs, sender, recipient, sender_plain, recipient_plain, tells,
  subject, text, sent_at, internal_ms, case_key, first_key, next_due, original_kept, generation, created_at, completed_at, number)
 SELECT key, mailbox, CASE reason WHEN 'conflict' THEN 'conflict' ELSE 'message-id' END, CAST('<m' || n || '@example.org>' AS BLOB),
  CASE WHEN reason IN ('conflict', 'unprocessable') THEN 'held' ELSE 'case' END,
  CASE WHEN reason IN ('conflict', 'unprocessable') THEN 'held' ELSE 'case' END, state, reason,
  CASE state WHEN 'complete' THEN 'accepted' ELSE '' END, key, 2000 + n % 9000, key, key, 1,
  CASE WHEN n % 1000 < 2 THEN printf('%064x', n / 1000) ELSE key END, 0, sender, sender, sender, sender, 1,
  CASE n % 7 WHEN 0 THEN 'The printer on floor ' || (n % 40) || ' has jammed' WHEN 1 THEN 'Access to folder ' || n
   ELSE 'Invoice ' || n || ' is not right' END,
  'Good morning,' || char(10) || 'please look at this, it is number ' || n || '.' || char(10) || 'Thank you', at, at,
  CASE WHEN reason IN ('conflict', 'unprocessable') THEN NULL ELSE key END,
  CASE reason WHEN 'conflict' THEN (SELECT key FROM mail AS first WHERE first.n = mail.n - 1) END,
  CASE state WHEN 'in_progress' THEN :now END, 1, 0, at, CASE state WHEN 'complete' THEN at + 5000 END, number FROM mail;

INSERT INTO delivery (key, mailbox, folder, uidvalidity, uid, internal_ms, size, octets, class, won, move_to, left_folder, run, seen_at, item_number)
 WITH RECURSIVE arrival(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM arrival WHERE i < :deliveries - 1)
 SELECT mail.key, mail.mailbox, 'INBOX', :uidvalidity, 1000 + i, mail.at, 2000, mail.key,
  CASE WHEN i % :each = 0 THEN CASE mail.reason WHEN 'conflict' THEN 'conflict' ELSE 'first' END
   WHEN i % 11 = 0 THEN 'list_copy' WHEN i % 13 = 0 THEN 'reobserved' ELSE 'redelivered' END,
  i % :each = 0, 'Processed', mail.state = 'complete', :run, mail.at + (i % :each) * 1000, mail.number FROM arrival CROSS JOIN mail ON mail.n = i / :each;

INSERT INTO effect (id, key, kind, target, status, external_id, reason, code, attempts, item_number, ack_id)
 SELECT base.effect + n * 3 + 1, key, 'case', 'ledger', 'done', '', '', 0, 0, number, '' FROM mail, base WHERE reason NOT IN ('conflict', 'unprocessable')
 UNION ALL SELECT base.effect + n * 3 + 2, key, 'acknowledgement', 'accepted',
  CASE reason WHEN 'acknowledgement-unknown' THEN 'unknown' WHEN 'gave-up' THEN 'deferred'
   ELSE CASE WHEN state = 'in_progress' THEN 'planned' WHEN n % 300 = 9 THEN 'refused' ELSE 'done' END END, '', '', 250, 1, number, substr(key, 1, 32)
  FROM mail, base WHERE reason NOT IN ('conflict', 'unprocessable')
 UNION ALL SELECT base.effect + n * 3 + 3, key, 'move', base.delivery + n * :each + 1,
  CASE state WHEN 'complete' THEN 'done' ELSE 'planned' END, '', '', 0, 1, number, '' FROM mail, base
  WHERE reason NOT IN ('conflict', 'unprocessable');

INSERT INTO attempt (id, effect, number, run, phase, outcome, stage, code, started_at, armed_at, ended_at, connection_closed)
 SELECT base.attempt + n * 2 + 1, base.effect + n * 3 + 2, 1, :run, 'ended',
  CASE reason WHEN 'acknowledgement-unknown' THEN 'unknown' WHEN 'gave-up' THEN 'deferred'
   ELSE CASE WHEN n % 300 = 9 THEN 'refused' ELSE 'done' END END, 'end of data', 250, at + 1000, at + 1000, at + 2000, 1
 FROM mail, base WHERE reason NOT IN ('conflict', 'unprocessable') AND state <> 'in_progress'
 UNION ALL SELECT base.attempt + n * 2 + 2, base.effect + n * 3 + 3, 1, :run, 'ended', 'done', '', 0, at + 2000, at + 2000, at + 3000, 1
 FROM mail, base WHERE state = 'complete';

INSERT INTO evidence (key, effect, kind, found, place, run, seen_at)
 SELECT key, base.effect + n * 3 + 2, 'evidence-folder', 0, 'Sent', :run, at + 4000 FROM mail, base
 WHERE reason = 'acknowledgement-unknown' OR n % 200 = 3;

INSERT INTO case_record (key, reference, mailbox, state, created_at)
 SELECT key, printf('HD-Z%07d', n), mailbox, CASE WHEN n % 10 < 8 THEN 'closed' ELSE 'open' END, at FROM mail
 WHERE reason NOT IN ('conflict', 'unprocessable');
INSERT INTO case_message (case_key, key, direction, message_id, sender, reply_to, subject, sent_at, text, created_at, item_number)
 SELECT item.key, item.key, 'in', item.message_id, item.sender, '', item.subject, item.sent_at, item.text, item.created_at, item.number
 FROM mail JOIN item ON item.key = mail.key WHERE item.case_key IS NOT NULL ORDER BY mail.n;
INSERT INTO case_participant (case_key, address, item_number) SELECT key, sender, number FROM mail WHERE reason NOT IN ('conflict', 'unprocessable');
INSERT INTO case_number (key, item_number) SELECT key, number FROM mail WHERE reason NOT IN ('conflict', 'unprocessable') ORDER BY n;
INSERT INTO acceptance (key, name, holds, value, judged_at, item_number)
 SELECT key, name, 1, 'done', at + 4000, number FROM mail CROSS JOIN (SELECT 'case' AS name UNION ALL SELECT 'attachments'
  UNION ALL SELECT 'acknowledgement') WHERE state = 'complete' ORDER BY n;
INSERT INTO case_search (rowid, reference, sender, subject) SELECT case_number.number, case_record.reference, item.sender,
  item.subject FROM mail JOIN case_number ON case_number.item_number = mail.number JOIN case_record ON case_record.key = mail.key
  JOIN item ON item.key = mail.key;
INSERT INTO case_search (case_search) VALUES ('optimize');

INSERT INTO approval (key, decision, from_state, from_reason, person, decided_at)
 SELECT key, 'acknowledgement-sent', 'needs_reconciliation', 'acknowledgement-unknown',
  CASE n % 3 WHEN 0 THEN 'ann (console)' ELSE 'bob' END, at + 600000 FROM mail WHERE n % 200 = 3;
INSERT INTO note (key, about, text, noted_at, item_number) SELECT mail.key, 'approval ' || id, 'seen in the folder', decided_at, mail.number
 FROM approval JOIN mail ON mail.key = approval.key WHERE decision = 'acknowledgement-sent';
INSERT INTO note (key, about, text, noted_at, item_number) SELECT key, 'attempt ' || (base.attempt + n * 2 + 1), '250 2.0.0 Ok: queued',
 at + 2000, number FROM mail, base WHERE state = 'complete';
INSERT INTO event (at, run, mailbox, key, subject, what, from_state, to_state, actor, previous, hash, item_number)
 SELECT at, :run, mailbox, key, 'item', what, '', '', 'service', key, key, number FROM mail
 CROSS JOIN (SELECT 'reserve' AS what UNION ALL SELECT 'claim' UNION ALL SELECT 'plan' UNION ALL SELECT 'arm' UNION ALL SELECT 'settle'
  UNION ALL SELECT 'accept' UNION ALL SELECT 'file' UNION ALL SELECT 'complete')
 ORDER BY n;
INSERT INTO event (at, run, mailbox, key, subject, what, from_state, to_state, actor, previous, hash, item_number)
 SELECT at + 1000, :run, mailbox, key, 'item', 'wait', 'in_progress', 'needs_reconciliation', 'service', key, key, number FROM mail
 WHERE state = 'needs_reconciliation' OR n % 200 = 3;
INSERT INTO look (person, page, key, looked_at) SELECT 'ann', 'mail', key, at FROM mail WHERE n % 5 = 0;
DROP TABLE mail;
DROP TABLE base;
"""


# What triggers would have counted.
COUNTS = """
DELETE FROM delivery_count;
INSERT INTO delivery_count SELECT mailbox, class, won, COUNT(*) FROM delivery GROUP BY mailbox, class, won;
DELETE FROM item_count;
INSERT INTO item_count SELECT mailbox, state, COUNT(*) FROM item GROUP BY mailbox, state;
DELETE FROM attempt_count;
INSERT INTO attempt_count SELECT effect.kind, attempt.outcome, COUNT(*) FROM attempt
 JOIN effect ON effect.id = attempt.effect WHERE attempt.outcome <> '' GROUP BY effect.kind, attempt.outcome;
DELETE FROM confirmation_count;
INSERT INTO confirmation_count SELECT within_ms, COUNT(*), SUM(ms) FROM attempt_within GROUP BY within_ms;
INSERT OR IGNORE INTO shared_fingerprint SELECT fingerprint FROM item WHERE fingerprint <> '' GROUP BY fingerprint HAVING COUNT(*) > 1;
"""


def statements(text):
    return [one for one in text.split(";\n") if one.strip()]


def set_aside(db):
    """Takes the triggers away, which would count each row by itself, and gives what brings them back."""
    found = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in found:
        db.execute(f"DROP TRIGGER {name}")
    return [sql for _, sql in found]


def enlarge(path, items, deliveries, years=5, now_ms=None, uidvalidity=77, busy=1000):
    """Adds so many to the ledger at `path`, the last of them from now, and one of `busy` (0: none) under way. Nobody else has it open; a machine that fails
    meanwhile leaves it damaged. Indexes grow row by row: made afterwards they would be full to the brim, and
    what comes next would split each of their pages."""
    now = now_ms or int(time.time() * 1000)
    span = years * 365 * DAY
    facts = {"items": items, "deliveries": deliveries, "each": max(1, deliveries // items), "run": RUN, "now": now,
             "uidvalidity": uidvalidity, "busy": busy, "start": now - span, "step": max(1, span // items)}
    db = sqlite3.connect(path, isolation_level=None)
    for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -400000", "temp_store = MEMORY"):
        db.execute(f"PRAGMA {setting}")
    db.create_function("digest", 1, lambda n: hashlib.sha256(f"mail {n}".encode()).hexdigest(), deterministic=True)
    db.execute("BEGIN")
    again = set_aside(db)
    for statement in statements(FACTS):
        db.execute(statement, facts if ":" in statement else {})
    for statement in again + statements(COUNTS):
        db.execute(statement)
    db.execute("COMMIT")
    db.execute("PRAGMA journal_mode = WAL")
    db.close()


def link(path):
    """Makes the lines that were written so a true chain, as whoever walks it wants one, and ends their runs."""
    db = sqlite3.connect(path, isolation_level=None)
    again = set_aside(db)
    rows = db.execute("SELECT number, at, run, mailbox, key, subject, what, from_state, to_state, actor FROM event ORDER BY number").fetchall()
    (previous,), = db.execute("SELECT value FROM meta WHERE name = 'ledger_id'").fetchall()
    db.execute("BEGIN")
    for row in rows:
        fields = [str(field).encode() for field in (*row, previous)]
        line = hashlib.sha256(b"".join(b"%d:%s\n" % (len(field), field) for field in fields)).hexdigest()
        db.execute("UPDATE event SET previous = ?, hash = ? WHERE number = ?", (previous, line, row[0]))
        previous = line
    db.execute("UPDATE run SET ended_at = beat_at, ended_how = 'left' WHERE ended_at IS NULL")
    for statement in again:
        db.execute(statement)
    db.execute("COMMIT")
    db.close()
