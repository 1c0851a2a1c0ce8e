# SPDX-License-Identifier: Apache-2.0
"""The ledger moves from SQLite to PostgreSQL and back: every row, whatever kills it, and a copy of a mail from
before is a duplicate after it."""
import os
import re
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


def killed_at(rig, server, number, when):
    """Runs the move, and kills it at a COMMIT of it; whether it came so far."""
    process = []
    with Cutter(server.port, number, when, lambda: os.killpg(process[0].pid, signal.SIGKILL)) as cutter:
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


READS = [["items"], ["deliveries"], ["user", "list"], ["metrics"]]


def reads(rig):
    """What is read of it, but for what only the clock and the disk have changed."""
    said = [rig.run(*words, *(["--json"] if words != ["metrics"] else [])).stdout for words in READS]
    return ["\n".join(line for line in text.splitlines() if not re.match(r"\w+_seconds\b", line) and "disk_free" not in line and '"until"' not in line)
            for text in said]


def test_a_ledger_moves_to_postgresql_and_back_whatever_kills_it_and_copies_are_duplicates(lived, server):
    rig, url = lived, server.make_database(lived.user)
    before, copies = reads(rig), rig.delivered[:3]
    for number, when in ((4, "before"), (9, "after"), (16, "before")):
        assert killed_at(rig, server, number, when)
    rig.settings["ledger"] = url
    refused = rig.run("run", "--once", status=74).stderr
    assert "half moved" in refused and "migrate-ledger" in refused
    rig.settings["ledger"] = "sqlite"
    said = " ".join(rig.run("migrate-ledger", "--to", url).stdout.split())
    assert "Nothing of the old one is changed" in said and "the event chain is whole" in said and f"Set `ledger: {url}`" in said

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

    there, number = reads(rig), 20
    while killed_on_the_way_back(rig, server, number):  # at opening, at the first tables, at the last, at comparing
        if (rig.data / "ledger.db").exists() and number < 100:
            rig.settings["ledger"] = "sqlite"
            assert "half moved" in rig.run("run", "--once", status=74).stderr
            rig.settings["ledger"] = url
        number = number * 8 // 5
    assert number > 80
    (rig.data / "ledger.db").unlink()  # what was not killed has moved it: once more, in one go
    moved = rig.json("migrate-ledger", "--to", "sqlite")
    assert moved["rows"] == moved["copied"] > 100
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
    service = rig.serve()
    await_(lambda: rig.json("deployments")[0]["active"], "the service runs")
    assert "stop it first" in rig.run("migrate-ledger", "--to", url, status=75).stderr
    assert service.end() == 0
    rig.run("migrate-ledger", "--to", url)
    assert "this one, as it was when it was moved" in rig.run("migrate-ledger", "--to", url, status=1).stderr
    other = make_rig()
    other.once()
    assert "another one" in other.run("migrate-ledger", "--to", url, status=1).stderr
    assert other.popen("status", program=PROGRAM.resolve().parent / "tests" / "onecase_expanded").wait(20) == 0
    newer = other.run("migrate-ledger", "--to", server.make_database(other.user), status=64)
    assert "newer than this program" in newer.stderr
    rig.settings["ledger"] = url
    assert "this one" in rig.run("migrate-ledger", "--to", "sqlite", status=1).stderr, "ledger.db is still there"


def test_a_row_that_is_not_what_it_was_ends_the_move(lived, server):
    rig, url = lived, server.make_database(lived.user)
    assert killed_at(rig, server, 40, "before")
    server.sql(rig.user, "UPDATE item SET subject = 'changed' WHERE key = (SELECT MIN(key) FROM item)")
    assert "its table item is not what it is" in rig.run("migrate-ledger", "--to", url, status=74).stderr
