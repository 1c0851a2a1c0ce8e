# SPDX-License-Identifier: Apache-2.0
"""Cases that an older system made, and doubled: `import-cases`."""
import json
import signal
import sqlite3
import subprocess

import pytest

from conftest import PROGRAM, TOOLS

WHO = ("--by", "ann", "--reason", "from the old desk")
COLUMNS = "reference,message_id,from,subject,date,state\n"


def write(desk, text, name="cases.csv"):
    path = desk.folder / name
    path.write_text(text)
    return str(path)


def old_desk(cases):
    """A list in which each third case is a double of the one before."""
    lines = [f"OLD-{n},<{n - (n % 3 == 2)}@old.example>,ann@example.com,Matter {n},2026-01-0{n % 9 + 1}T10:00:00Z,open\n"
             for n in range(cases)]
    return COLUMNS + "".join(lines)


def known(desk):
    """What is known of the older system's cases, whenever it was taken in."""
    with sqlite3.connect(f"file:{desk.folder / 'data/ledger.db'}?mode=ro", uri=True) as db:
        return db.execute("SELECT case_record.reference, item.key, item.message_id, item.fingerprint, item.state, item.sent_at"
                          " FROM listed JOIN item ON item.key = listed.key JOIN case_record ON case_record.key = item.case_key"
                          " ORDER BY item.key").fetchall()


def test_a_list_is_taken_in_and_taken_in_again_changes_nothing(new_desk):
    path = write(new_desk, old_desk(9).replace("state\n", "state,Priority\n").replace("open\n", "open,3\n"))
    dry = json.loads(new_desk.run("import-cases", path, "--mailbox", "help", "--dry-run", "--json").stdout)
    assert dry == {"dry_run": True, "cases": 9, "new": 6, "doubled": 3, "more": 0, "there": 0, "refused": 0,
                   "unused_columns": ["Priority"]}
    assert known(new_desk) == [] and json.loads(new_desk.run("cases", "--json").stdout) == []
    said = new_desk.run("import-cases", path, "--mailbox", "help", *WHO).stdout
    assert said == ("Taken in:\n"
                    "       6  cases known from now on\n"
                    "       3  cases known from now on, each a double of another\n"
                    "Columns that are not used: Priority.\n"
                    "'onecase suspects' lists the doubles beside each other.\n")
    before = new_desk.ledger()
    again = json.loads(new_desk.run("import-cases", path, "--mailbox", "help", *WHO, "--json").stdout)
    assert again["there"] == 9 and new_desk.ledger() == before


def test_a_dry_run_waits_for_nobody_and_holds_nobody_up(new_desk):
    path = write(new_desk, old_desk(9))
    new_desk.run("import-cases", write(new_desk, old_desk(1), "first.csv"), "--mailbox", "help", *WHO)
    with sqlite3.connect(new_desk.folder / "data/ledger.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        dry = json.loads(new_desk.run("import-cases", path, "--mailbox", "help", "--dry-run", "--json").stdout)
        other.execute("ROLLBACK")
    done = json.loads(new_desk.run("import-cases", path, "--mailbox", "help", *WHO, "--json").stdout)
    assert dry == {**done, "dry_run": True} and done["doubled"] == 3 and done["there"] == 1


def test_a_reference_that_a_list_gives_to_two_mailboxes_is_told_before_anything_is_taken_in(new_desk):
    rows = [f"OLD-{n},,ann@example.com,Matter {n},2026-01-01T10:00:00Z,open,help\n" for n in range(201)]
    path = write(new_desk, COLUMNS.replace("\n", ",mailbox\n") + "".join(rows) + rows[0].replace("help", "sales"))
    assert "nothing was taken in" in new_desk.run("import-cases", path, *WHO, status=1).stderr
    assert known(new_desk) == []


def test_doubles_stand_beside_each_other_and_one_is_chosen(new_desk):
    new_desk.run("import-cases", write(new_desk, old_desk(3)), "--mailbox", "help", *WHO)
    beside = json.loads(new_desk.run("suspects", "--json").stdout)
    assert [row["reference"] for row in beside] == ["OLD-1", "OLD-2"]
    new_desk.run("case", "OLD-2", "--merge-into", "OLD-1", *WHO)
    assert json.loads(new_desk.run("suspects", "--json").stdout) == []
    assert json.loads(new_desk.run("case", "OLD-1", "--json").stdout)["messages"][1]["subject"] == "Matter 2"
    decisions = json.loads(new_desk.run("report", "decisions", "--json").stdout)
    assert sorted(row["decision"] for row in decisions) == ["case-merge", "import-cases"]
    assert all("ann (" in json.dumps(row) and "from the old desk" in json.dumps(row) for row in decisions)


def test_every_line_that_is_wrong_is_named_and_nothing_is_taken_in(new_desk):
    path = write(new_desk, COLUMNS + "OLD-1,<1@x>,ann@example.com,Printer,2026-01-01T10:00:00Z,open\n"
                                     "#2,<2@x>,ann@example.com,Printer,2026-01-01T10:00:00Z,resolved\n"
                                     "OLD-3,,ann@example.com,Printer,,\n"
                                     'OLD-4,<4@x>,ann@example.com,"a "quote",,\n'
                                     "OLD-5,<5@x>,nobody,Printer,yesterday,\n")
    done = new_desk.run("import-cases", path, "--mailbox", "help", *WHO, status=1)
    places = [line.removeprefix(path).split(": ")[0] for line in done.stderr.splitlines()[:-1]]
    assert places == [":3:1", ":3:55", ":4:1", ":5:29", ":6:13", ":6:28"]
    assert done.stderr.splitlines()[-1] == "onecase: 6 things are wrong; nothing was taken in"
    assert "nobody" not in done.stderr and "yesterday" not in done.stderr and known(new_desk) == []


def test_a_reference_that_is_anothers_is_refused_before_anything_is_written(new_desk):
    path = write(new_desk, COLUMNS + "OLD-1,<1@x>,,,,\n")
    new_desk.run("import-cases", path, "--mailbox", "help", *WHO)
    before = new_desk.ledger()
    write(new_desk, COLUMNS + "OLD-0,<0@x>,,,,\nOLD-1,<1@x>,,,,\n")
    done = new_desk.run("import-cases", path, "--mailbox", "sales", *WHO, status=1)
    assert f"{path}:3:1: reference: " in done.stderr and new_desk.ledger() == before


@pytest.mark.parametrize("words,status,says", [
    (("nothing.csv", "--dry-run", "--mailbox", "help"), 66, "'nothing.csv' cannot be read"),
    (("cases.csv", "--mailbox", "help"), 64, "a decision needs --by NAME and --reason TEXT"),
    (("cases.csv", "--dry-run"), 1, ":2:1: mailbox: which one?"),
    (("cases.csv", "--dry-run", "--mailbox", "desk"), 64, "there is no mailbox 'desk'"),
])
def test_what_is_asked_wrongly_is_told(new_desk, monkeypatch, words, status, says):
    monkeypatch.chdir(new_desk.folder)
    write(new_desk, old_desk(1))
    assert says in new_desk.run("import-cases", *words, status=status).stderr


def test_one_that_is_killed_at_a_commit_goes_on_and_ends_as_if_it_had_not_been(new_desk):
    """Three transactions; killed before and after the database makes the first durable, and after the second."""
    path = write(new_desk, old_desk(401))
    words = ("import-cases", path, "--mailbox", "help", *WHO)
    new_desk.run(*words, "--dry-run")
    ledger = new_desk.folder / "data/ledger.db"
    empty = ledger.read_bytes()
    new_desk.run(*words)
    whole, counts = known(new_desk), []
    assert len(whole) == 401
    for number in (4, 5, 8):
        for left in ledger.parent.glob("ledger.db*"):
            left.unlink()
        ledger.write_bytes(empty)
        preload = {"LD_PRELOAD": f"{TOOLS / 'still_clock.so'}:{TOOLS / 'die_at.so'}", "DIE_AT_SYNC": str(number)}
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, env=new_desk.environment(**preload))
        assert done.returncode == -signal.SIGKILL, done.stderr
        counts.append(len(known(new_desk)))
        new_desk.run(*words)
        assert known(new_desk) == whole, number
    assert counts == [0, 200, 400]
