# SPDX-License-Identifier: Apache-2.0
"""A ledger in PostgreSQL with as many mails as wanted, within minutes: each has the rows that `ledger_load` leaves of
one, written by the server from a series of numbers, with keys and an event chain that the program takes for its own.

    filled.fill(server, "grown", "help", 100_000)

The first mail is a real one, which ledger_load wrote; the others are its copies but for what is below. Number n is the
mail that ledger_load would write as number n: the program knows it again as a duplicate.
"""
from concurrent.futures import ThreadPoolExecutor

ITEM = "'<{mailbox}.' || n || '@load.example>'"
KEY = f"encode(sha256(convert_to('{{mailbox}}:' || {ITEM}, 'UTF8')), 'hex')"
OTHER = "encode(sha256(convert_to('{what} ' || {key}, 'UTF8')), 'hex')"
REFERENCE = "'HD-' || upper(substr({key}, 1, 12))"
SENDER = "'ann' || n || '@{mailbox}.example'"
SECOND = 1000  # between one mail and the next

MESSAGE_ID = f"convert_to({ITEM}, 'UTF8')"
OCTETS = OTHER.replace("{what}", "octets")

# What of each row is its own: by table and column. {key} is the mail's key, {item} its number, {number} the row's.
OWN = {
    "item": {"key": "{key}", "message_id": MESSAGE_ID, "octets": OCTETS, "source_digest": OTHER.replace("{what}", "source"),
             "payload_digest": OTHER.replace("{what}", "payload"), "fingerprint": OTHER.replace("{what}", "fingerprint"),
             "sender": SENDER, "recipient": SENDER, "sender_plain": SENDER, "recipient_plain": SENDER, "text": ITEM, "case_key": "{key}",
             "number": "{item}"},
    "delivery": {"id": "{number}", "key": "{key}", "uid": "n", "octets": OCTETS},
    "effect": {"id": "{number}", "key": "{key}", "external_id": f"CASE t.kind WHEN 'case' THEN {REFERENCE} ELSE t.external_id END",
               "ack_id": "CASE t.ack_id WHEN '' THEN '' ELSE left(" + OTHER.replace("{what}", "acknowledgement") + ", 32) END"},
    "attempt": {"id": "{number}", "effect": "{effect}"},
    "acceptance": {"id": "{number}", "key": "{key}"},
    "case_record": {"key": "{key}", "reference": REFERENCE},
    "case_message": {"id": "{number}", "case_key": "{key}", "key": "{key}", "message_id": MESSAGE_ID, "sender": SENDER, "text": ITEM},
    "case_number": {"number": "{number}", "key": "{key}"},
    "case_participant": {"id": "{number}", "case_key": "{key}", "address": SENDER},
    "case_search": {"rowid": "{number}", "reference": REFERENCE, "sender": SENDER},
}
NUMBERED = {"item": "number", "delivery": "id", "effect": "id", "attempt": "id", "acceptance": "id", "case_message": "id",
            "case_number": "number", "case_participant": "id", "case_search": "rowid"}
TIMES = {"sent_at", "internal_ms", "letter_date", "created_at", "completed_at", "seen_at", "first_try", "started_at", "armed_at",
         "ended_at", "judged_at"}
OF_MAIL = {"attempt": "effect IN (SELECT id FROM effect WHERE key = '{first}')", "case_participant": "case_key = '{first}'",
           "case_search": "rowid IN (SELECT number FROM case_number WHERE key = '{first}')"}

# A line as the chain hashes it, src/store/chain.h: each field with its length. All of it is ASCII.
LINE = " || ".join(f"length({field}) || ':' || {field} || E'\\n'" for field in (
    "e.number::text", "e.at::text", "e.run", "e.mailbox", "e.key", "e.subject", "e.what", "e.from_state", "e.to_state", "e.actor", "last"))
CHAIN = f"""
CREATE OR REPLACE FUNCTION chained(last text, wanted text) RETURNS SETOF event LANGUAGE plpgsql AS $$
DECLARE e event; BEGIN
    FOR e IN EXECUTE wanted LOOP
        e.previous := last;
        last := encode(sha256(convert_to({LINE}, 'UTF8')), 'hex');
        e.hash := last;
        RETURN NEXT e;
    END LOOP;
END $$;
"""
COUNTS = """
UPDATE item_count SET n = (SELECT COUNT(*) FROM item WHERE item.mailbox = item_count.mailbox AND item.state = item_count.state);
UPDATE delivery_count AS c SET n = (SELECT COUNT(*) FROM delivery AS d WHERE d.mailbox = c.mailbox AND d.class = c.class AND d.won = c.won);
UPDATE attempt_count AS c SET n = (SELECT COUNT(*) FROM attempt AS a JOIN effect AS e ON e.id = a.effect
                                   WHERE e.kind = c.kind AND a.outcome = c.outcome);
"""


class Filling:
    def __init__(self, server, database, mailbox):
        self.ask = lambda text: server.sql(database, "SET session_replication_role = replica; " + text)
        self.mailbox = mailbox
        self.first = self.ask(f"SELECT key FROM item WHERE mailbox = '{mailbox}' ORDER BY created_at, key LIMIT 1")[0]

    def rows_of(self, table):
        return OF_MAIL.get(table, "key = '{first}'").format(first=self.first)

    def columns(self, table):
        return self.ask("SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND is_generated = 'NEVER'"
                        f" AND table_name = '{table}' ORDER BY ordinal_position")

    def start(self, table):
        """The number before the next, and the rows a mail has."""
        column = NUMBERED[table]
        highest, each = self.ask(f"SELECT MAX({column}), COUNT(*) FILTER (WHERE {self.rows_of(table)}) FROM {table}")[0].split("|")
        return int(highest), int(each)

    def before(self):
        return self.start("item"), self.start("effect")

    def table(self, table, first, last, before):
        """Rows of one table for the mails `first` to `last`; `before` is what before() said."""
        items, effects = before
        of_effect = f"{effects[0]} + (n - {first}) * {effects[1]} + t.effect - (SELECT MIN(id) FROM effect WHERE key = '{self.first}') + 1"
        number, place = "", "0"
        if table in NUMBERED:
            highest, each = {"item": items, "effect": effects}.get(table) or self.start(table)
            place, number = f"ROW_NUMBER() OVER (ORDER BY {NUMBERED[table]})", f"{highest} + (n - {first}) * {each} + t.place"
        values, names = [], self.columns(table)
        for name in names:
            own = "{item}" if name == "item_number" else OWN[table].get(name) or (f"t.{name} + n * {SECOND}" if name in TIMES else f't."{name}"')
            values.append(own.replace("{key}", "n_key").replace("{number}", number).replace("{effect}", of_effect)
                          .replace("{item}", f"{items[0]} + n - {first} + 1")
                          .replace("{mailbox}", self.mailbox))
        quoted = ", ".join(f'"{name}"' for name in names)
        self.ask(f"INSERT INTO {table} ({quoted}) SELECT {', '.join(values)} FROM"
                 f" (SELECT n, {KEY.format(mailbox=self.mailbox)} AS n_key FROM generate_series({first}::bigint, {last}) AS n) AS s,"
                 f" (SELECT *, {place} AS place FROM {table} WHERE {self.rows_of(table)}) AS t ORDER BY n, place")

    def events(self, first, last, before):
        items, effects = before
        lines = (f"SELECT (SELECT MAX(number) FROM event) + ROW_NUMBER() OVER (ORDER BY n, t.number), t.at + n * {SECOND}, run, mailbox,"
                 f" n_key, CASE WHEN t.subject LIKE 'effect %' THEN 'effect ' || {effects[0]} + (n - {first}) * {effects[1]} + substr(t.subject, 8)::bigint"
                 f" - (SELECT MIN(id) FROM effect WHERE key = '{self.first}') + 1 ELSE t.subject END, what, from_state, to_state, actor, '', '', {items[0]} + n - {first} + 1"
                 f" FROM (SELECT n, {KEY.format(mailbox=self.mailbox)} AS n_key FROM generate_series({first}::bigint, {last}) AS n) AS s,"
                 f" (SELECT * FROM event WHERE key = '{self.first}') AS t ORDER BY n, t.number")
        self.ask(CHAIN + f"INSERT INTO event SELECT * FROM chained((SELECT hash FROM event ORDER BY number DESC LIMIT 1), $q${lines}$q$)")


SECONDARY = """SELECT indexrelid::regclass, pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON oid = indrelid
               WHERE relnamespace = current_schema()::regnamespace
               AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)"""


def all_at_once(*tasks):
    with ThreadPoolExecutor(len(tasks)) as pool:
        for done in [pool.submit(task) for task in tasks]:
            done.result()


def fill(server, database, mailbox, last, first=2, at_once=100_000, indices_after=False):
    """The mails from `first` to `last` of a mailbox; the one before them is there. With `indices_after` those that no key needs are
    made anew at the end, which is faster, and leaves them denser than mail after mail does."""
    filling = Filling(server, database, mailbox)
    secondary = [row.split("|", 1) for row in filling.ask(SECONDARY)] if indices_after else []
    for name, _ in secondary:
        filling.ask(f"DROP INDEX {name}")
    for begin in range(first, last + 1, at_once):
        end = min(begin + at_once - 1, last)
        before = filling.before()
        all_at_once(lambda: [filling.table(table, begin, end, before) for table in OWN],
                    lambda: filling.events(begin, end, before))
    for _, definition in secondary:
        filling.ask(f"SET maintenance_work_mem = '256MB'; {definition}")
    filling.ask(COUNTS)
    filling.ask("SELECT setval(pg_get_serial_sequence(t, c), m) FROM (" + " UNION ALL ".join(
        f"SELECT '{table}' AS t, '{column}' AS c, MAX({column}) AS m FROM {table}" for table, column in NUMBERED.items()
        if table != "case_search") + ") AS highest WHERE pg_get_serial_sequence(t, c) IS NOT NULL")
