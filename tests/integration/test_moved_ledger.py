# SPDX-License-Identifier: Apache-2.0
"""The ledger moves from SQLite to PostgreSQL and back: every row, whatever kills it, and a copy of a mail from
before is a duplicate after it."""
import collections
import contextlib
import os
import re
import shutil
import signal
import sqlite3

import pytest

import mails
from mails import plain
from postgres import Cutter, Postgres
from rig import PROGRAM, assert_invariants, await_


@pytest.fixture(scope="module")
def server(scratch):
    with Postgres() as postgres:
        yield postgres


@pytest.fixture
def lived(rig):
    """A ledger in which something has happened, a conflict and a user among it."""
    first = plain("first")
    rig.deliver(*mails.varied()[:2], first, first.replace(b"About first", b"Of another thing"))
    rig.once()
    rig.run("user", "add", "ann", "--role", "owner", typed="correct horse battery\n")
    rig.run("user", "add", "Aaron", "--role", "viewer", typed="correct horse battery\n")
    assert rig.status()["waiting"] == {"conflict": 1}
    return rig


def killed_at(rig, server, number, when, cutter=Cutter):
    """Runs the move, and kills it at a COMMIT of it; whether it came so far."""
    process = []
    with cutter(server.port, number, when, lambda: os.killpg(process[0].pid, signal.SIGKILL)) as cutter:
        process.append(rig.popen("migrate-ledger", "--to", server.url(rig.user, cutter.port)))
        process[0].communicate(timeout=60)
    return cutter.happened


class AtRequest(Cutter):
    """The same at whatever is asked: the way back commits nothing there."""

    def is_it(self, octets):
        with self.lock:
            self.commits += 1
            self.happened |= self.commits == self.number
            return self.commits == self.number


def killed_on_the_way_back(rig, server, number):
    """Runs the move to SQLite, and kills it at a request to PostgreSQL; whether it came so far."""
    process, url = [], rig.settings["ledger"]
    with AtRequest(server.port, number, "after", lambda: os.killpg(process[0].pid, signal.SIGKILL)) as cutter:
        rig.settings["ledger"] = server.url(rig.user, cutter.port)
        process.append(rig.popen("migrate-ledger", "--to", "sqlite"))
        process[0].communicate(timeout=60)
    rig.settings["ledger"] = url
    return cutter.happened


class AtOpening(Cutter):
    """The same when the new ledger is to be opened: the old one is closed already."""

    def is_it(self, octets):
        self.happened |= b"ENABLE TRIGGER" in octets
        return self.happened


class AfterOpening(AtOpening):
    """The new ledger is open, and nobody has heard of it."""

    def is_it(self, octets):
        opens = super().is_it(octets)
        return opens and b"COMMIT" in octets


READS = [["items"], ["deliveries"], ["user", "list"], ["metrics"]]


def reads(rig):
    """What is read of it, but for what only the clock and the disk have changed."""
    said = [rig.run(*words, *(["--json"] if words != ["metrics"] else [])).stdout for words in READS]
    return ["\n".join(line for line in text.splitlines() if not re.match(r"\w+_seconds\b", line) and "disk_free" not in line and '"until"' not in line)
            for text in said]


def test_a_ledger_moves_to_postgresql_and_back_whatever_kills_it_and_copies_are_duplicates(lived, server):
    rig, url = lived, server.make_database(lived.user)
    before, copies = reads(rig), rig.delivered[:3]
    for number, when, at in ((4, "before", Cutter), (9, "after", Cutter), (0, "before", AtOpening)):
        assert killed_at(rig, server, number, when, at)
    rig.settings["ledger"] = url
    refused = rig.run("run", "--once", status=74).stderr
    assert "half moved" in refused and "migrate-ledger" in refused
    rig.settings["ledger"] = "sqlite"
    assert killed_at(rig, server, 0, "after", AfterOpening)
    said = " ".join(rig.run("migrate-ledger", "--to", url).stdout.split())
    assert "The ledger is moved" in said and "its event chain whole" in said and f"Set `ledger: {url}`" in said
    for words in (["run", "--once"], ["run"]):
        assert rig.run(*words, status=74).stderr.count("it was moved") == 1, "said once, and the service ends"
    assert rig.items() and "it was moved" in rig.run("doctor", status=1).stdout, "it can be read, and not written to"

    rig.settings["ledger"] = url
    (rig.data / "ledger.db").rename(rig.data / "old.db")
    assert reads(rig) == before
    rig.deliver(*copies, plain("new"))
    second = rig.once()
    assert (second["duplicates"], second["new"]) == (3, 1)
    rig.run("user", "add", "bob", "--role", "viewer", typed="correct horse battery\n")
    item, = rig.items("--state", "needs_reconciliation")
    rig.run("resolve", item["key"], "--conflict", "new-case", "--by", "Ann", "--reason", "another thing")
    rig.once()
    assert_invariants(rig)
    assert rig.run("verify").returncode == 0

    there, number = reads(rig), 40
    while killed_on_the_way_back(rig, server, number):  # at opening, at the first tables, at the last, at comparing
        if (rig.data / "ledger.db").exists() and number < 100:
            rig.settings["ledger"] = "sqlite"
            assert "half moved" in rig.run("run", "--once", status=74).stderr
            rig.settings["ledger"] = url
        number = number * 8 // 5
    assert number > 80
    assert "it was moved" in rig.run("run", "--once", status=74).stderr, "the old one is closed on the way back, too"
    rig.settings["ledger"] = "sqlite"
    assert reads(rig) == there
    with sqlite3.connect(rig.data / "ledger.db") as ledger:
        assert ledger.execute("PRAGMA integrity_check").fetchall() == [("ok",)] and not ledger.execute("PRAGMA foreign_key_check").fetchall()
    rig.deliver(*copies, plain("newer"))
    third = rig.once()
    assert (third["duplicates"], third["new"]) == (3, 1)
    with sqlite3.connect(rig.data / "ledger.db") as ledger:
        assert ledger.execute("SELECT COUNT(*) FROM case_search WHERE case_search MATCH 'first OR newer'").fetchone() == (3,), "cases are found"
    assert_invariants(rig)


def test_a_move_says_what_is_wrong_and_touches_no_ledger_that_is_there(lived, server, make_rig):
    rig, url = lived, server.make_database(lived.user)
    for place, status, says in (("sqlite", 64, "already"), ("mysql://x", 64, "expected sqlite, or"),
                                (url.replace("onecase@", "onecase:secret@"), 64, "passfile"),
                                (server.url("no-such"), 74, "CREATE DATABASE"), ("postgresql://onecase@127.0.0.1:1/x", 75, "does not answer")):
        done = rig.run("migrate-ledger", "--to", place, status=None)
        assert says in done.stderr and done.returncode == status and "secret" not in done.stderr, done.stderr
    assert "no move" in rig.run("migrate-ledger", "--abandon", status=66).stderr
    for words in ((), ("--to", url, "--abandon")):
        assert "one of --to PLACE and --abandon" in rig.run("migrate-ledger", *words, status=64).stderr
    with contextlib.closing(sqlite3.connect(rig.data / "ledger.db")) as ledger, ledger:
        ledger.execute("INSERT INTO look (person, page, key, looked_at) VALUES (CAST(X'61FF0062' AS TEXT), '', '', 1)")
    rig.run("migrate-ledger", "--to", url)
    assert server.sql(rig.user, "SELECT person FROM look") == ["a\ufffd\ufffdb"], "as every text that PostgreSQL does not take"
    assert "The ledger is moved" in rig.run("migrate-ledger", "--to", url).stdout, "whoever asks once more has not heard it"
    elsewhere = server.make_database(rig.user + "-2")
    assert "not to there" in rig.run("migrate-ledger", "--to", elsewhere, status=1).stderr
    other = make_rig()
    other.once()
    assert "another one" in other.run("migrate-ledger", "--to", url, status=1).stderr
    assert other.popen("status", program=PROGRAM.resolve().parent / "tests" / "onecase_expanded").wait(20) == 0
    newer = other.run("migrate-ledger", "--to", server.make_database(other.user), status=64)
    assert "newer than this program" in newer.stderr
    rig.settings["ledger"] = url
    assert "this one" in rig.run("migrate-ledger", "--to", "sqlite", status=1).stderr, "ledger.db is still there"
    (rig.data / "ledger.db").unlink()
    service = rig.serve()
    await_(lambda: any(run["active"] == "yes" for run in rig.json("deployments")), "the service runs")
    assert "with the service stopped" in rig.run("migrate-ledger", "--to", "sqlite", status=75).stderr
    assert service.end() == 0


def watched(ledger):
    """What notes the changes of that ledger."""
    with contextlib.closing(sqlite3.connect(ledger)) as it:
        return it.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'moving%' UNION SELECT name FROM meta WHERE name = 'noting'").fetchall()


def test_a_row_that_is_not_what_it_was_ends_the_move_and_so_does_a_ledger_that_is_not(lived, server):
    rig, url, ledger = lived, server.make_database(lived.user), lived.data / "ledger.db"
    assert killed_at(rig, server, 40, "before")
    rig.status()  # whoever closes it last leaves one file
    before = ledger.read_bytes()
    rig.once()
    assert killed_at(rig, server, 4, "before")  # what has happened since was brought over by the first step
    rig.status()
    now = ledger.read_bytes()
    ledger.write_bytes(before)
    assert "went back in time" in rig.run("migrate-ledger", "--to", url, status=1).stderr
    ledger.write_bytes(now)
    server.sql(rig.user, "UPDATE item SET subject = 'changed' WHERE key = (SELECT MIN(key) FROM item)")
    assert "its table item is not what it is" in rig.run("migrate-ledger", "--to", url, status=74).stderr
    assert watched(ledger)
    rig.run("backup", str(rig.data.parent / "backups"))
    assert "Given up" in rig.run("migrate-ledger", "--abandon").stdout
    assert "have not been noted" in rig.run("migrate-ledger", "--to", url, status=1).stderr
    assert not watched(ledger), "nothing of it stays behind"
    shutil.rmtree(rig.data)
    rig.data.mkdir(mode=0o700)
    rig.run("restore", str(rig.data.parent / "backups"))
    assert not watched(ledger), "nor in a ledger that went back in time"


def test_whoever_lets_go_of_mail_meanwhile_does_not_search_all_cases_for_each(lived, server):
    server.make_database(lived.user)
    assert killed_at(lived, server, 4, "before")
    with contextlib.closing(sqlite3.connect(lived.data / "ledger.db")) as ledger:
        (text,), = ledger.execute("SELECT sql FROM sqlite_schema WHERE name = 'moving_case_search_changes'")
        search = re.search(r"SELECT.*(?=; END)", text)[0].replace("NEW.number", "1").replace("NEW.key", "'x'")
        assert not [step for *_, step in ledger.execute(f"EXPLAIN QUERY PLAN {search}") if step.startswith("SCAN")]


MANY = 20_000


def add_rows(rig):
    """What people have looked at, many times."""
    with contextlib.closing(sqlite3.connect(rig.data / "ledger.db")) as ledger, ledger:
        ledger.execute(f"""INSERT INTO look (person, page, key, looked_at) WITH RECURSIVE n (n) AS
                           (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < {MANY}) SELECT 'ann', 'mail', n, n FROM n""")


def swap_rows(rig):
    """Two rows change their numbers with each other, and what is no two rows' at once."""
    with contextlib.closing(sqlite3.connect(rig.data / "ledger.db", timeout=20)) as ledger, ledger:
        one, other = (number for number, in ledger.execute("SELECT id FROM acceptance ORDER BY id LIMIT 2"))
        for before, after in ((one, -1), (other, one), (-1, other)):
            ledger.execute("UPDATE acceptance SET id = ? WHERE id = ?", (after, before))


def rows_of_both(rig, server):
    """Of each table what it holds, in the old ledger and in the new one, by texts that both can make."""
    old, new = {}, {}
    with contextlib.closing(sqlite3.connect(f"file:{rig.data}/ledger.db?mode=ro", uri=True)) as ledger:
        tables = [name for name, in ledger.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
                                                   " AND name NOT LIKE 'case_search_%' AND name NOT IN ('meta', 'login_failure')")]
        for table in tables:
            columns = ledger.execute("SELECT name, type FROM pragma_table_info(?)", [table]).fetchall()
            old[table] = sorted(row for row, in ledger.execute("SELECT " + " || '|' || ".join(
                f"COALESCE(hex(\"{name}\"), '-')" if kind == "BLOB" else f"COALESCE(CAST(\"{name}\" AS TEXT), '-')"
                for name, kind in columns) + f' FROM "{table}"'))
            text = " || '|' || ".join(f"COALESCE(upper(encode(\"{name}\", 'hex')), '-')" if kind == "BLOB" else f"COALESCE(\"{name}\"::text, '-')"
                                      for name, kind in columns)
            new[table] = (text, table)
    query = " UNION ALL ".join(f"SELECT '{table}', replace({text}, E'\\n', '^') FROM \"{table}\"" for text, table in new.values())
    there = {table: [] for table in tables}
    for line in server.sql(rig.user, query):
        table, row = line.split("|", 1)
        there[table].append(row)
    return {table: [row.replace("\n", "^") for row in rows] for table, rows in old.items()}, {table: sorted(rows) for table, rows in there.items()}


def test_the_service_goes_on_while_its_ledger_moves_and_what_it_changes_is_moved_too(lived, server):
    rig, url, sent = lived, server.make_database(lived.user), list(lived.delivered[:3])
    add_rows(rig)
    service = rig.serve()
    await_(lambda: any(run["active"] == "yes" for run in rig.json("deployments")), "the service runs")
    told, last = rig.item_of(rig.delivered[2]), plain("last")
    for n, number in enumerate((8, 20, 40, 60)):  # at the first tables, in the midst of `look`, behind it, while all is compared
        sent += [plain(f"during {n}")]
        rig.deliver(sent[-1], sent[n])
        rig.run("case", told["case"], *(["--hold"] if n % 2 == 0 else ["--release"]), "--by", "Ann", "--reason", "a question")
        assert killed_at(rig, server, number, "before" if n % 2 else "after")
    swap_rows(rig)
    rig.run("erase", mails.sender(mails.varied()[0].name), "--by", "Ann", "--reason", "she asked")
    await_(lambda: rig.counts()["complete"] == 7, "the service goes on")
    first = rig.json("migrate-ledger", "--to", url)
    assert (first["moved"], first["rows"] > MANY) == (False, True)
    rig.deliver(last)
    await_(lambda: rig.counts()["complete"] == 8, "it goes on after all is copied")
    assert service.end() == 0
    end = rig.json("migrate-ledger", "--to", url)
    assert end["moved"] and end["copied"] == 0 and 10 < end["followed"] == end["rows"] < MANY / 50, "what changed since, however much there is"

    old, new = rows_of_both(rig, server)
    for table, rows in old.items():
        assert new[table] == rows, table
    assert sum(map(len, old.values())) > MANY and "moving_note" not in old
    rig.settings["ledger"] = url
    (rig.data / "ledger.db").rename(rig.data / "old.db")
    rig.deliver(*sent, last, plain("new"))
    again = rig.once()
    assert (again["duplicates"], again["new"]) == (len(sent) + 1, 1)
    letters = collections.Counter(letter["To"] for letter in rig.acknowledgements())
    assert len(letters) == 9 and set(letters.values()) == {1}, "nobody is told twice"
    assert rig.run("verify").returncode == 0
