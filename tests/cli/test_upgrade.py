# SPDX-License-Identifier: Apache-2.0
"""A ledger of each older schema, opened by this program: every row stays, the chain stays whole, and a snapshot from
before stands beside it."""
import json
import shutil
import sqlite3
import subprocess

import pytest

import old_ledger
from conftest import PROGRAM, TOOLS

VERSIONS = range(1, old_ledger.NEWEST)
THERE = [f"2026030{day}T010203Z" for day in range(1, 6)]


@pytest.fixture
def old_desk(ledger, new_desk):
    def make(schema):
        (new_desk.folder / "data").mkdir(mode=0o700)
        old_ledger.make(ledger / "ledger.db", new_desk.folder / "data/ledger.db", schema)
        return new_desk
    return make


def snapshots(desk):
    return sorted(path.name for path in (desk.folder / "data").glob("*.schema-*"))


def new_name(schema):
    return f"ledger.db.schema-{schema}.20260302T183000Z"


@pytest.mark.parametrize("schema", VERSIONS)
def test_a_ledger_of_an_older_schema_keeps_every_row_and_its_chain(old_desk, schema):
    desk = old_desk(schema)
    before = old_ledger.everything(desk.folder / "data/ledger.db")
    said = desk.run("verify", status=None)
    after = old_ledger.everything(desk.folder / "data/ledger.db")
    assert old_ledger.schema_of(desk.folder / "data/ledger.db") == old_ledger.NEWEST
    for table, (names, rows) in before.items():
        if table == old_ledger.OUTBOX and schema < 10:
            assert rows == []
            continue
        now, held = after[table]
        place = [now.index(name) for name in names]
        assert sorted((tuple(row[i] for i in place) for row in held), key=repr) == rows, table
    assert sum(len(rows) for _, rows in before.values()) > 150, "a ledger with next to nothing in it proves nothing"

    assert not [line for line in said.stdout.splitlines() if line.startswith(("ledger", "events", "mail "))], said.stdout
    desk.run("report", "duplicates", "--json")

    assert snapshots(desk) == [new_name(schema)] and f"snapshot={desk.folder}/data/{new_name(schema)}" in said.stderr
    kept = desk.folder / "data" / new_name(schema)
    assert old_ledger.everything(kept) == before and old_ledger.schema_of(kept) == schema
    assert kept.stat().st_mode & 0o777 == 0o600


def test_mail_from_before_numbers_is_found_by_its_key(old_desk, ledger):
    """Of each mail the same is shown and exported, with its events, whether the ledger gave it a number or was upgraded."""
    desk = old_desk(21)
    path = desk.folder / "data/ledger.db"
    keys = [key for (key,) in sqlite3.connect(ledger / "ledger.db").execute("SELECT key FROM item ORDER BY key")]

    def shown(numbered):
        desk.run("status")
        with sqlite3.connect(path) as db:
            assert db.execute("SELECT COUNT(number), COUNT(*) FROM item").fetchall() == [(numbered, len(keys))]
        exported = [desk.folder / f"{numbered}.{key}.tar" for key in keys]
        for key, to in zip(keys, exported):
            desk.run("export", key, "--to", to, status=None)  # their originals are not there
        return [desk.run("item", key, "--json").stdout for key in keys], [to.read_bytes() for to in exported]

    upgraded = shown(0)
    path.unlink()
    shutil.copy(ledger / "ledger.db", path)
    assert shown(len(keys)) == upgraded
    assert len(keys) > 5 and all(b"events" in octets for octets in upgraded[1])


NOTING = """CREATE TABLE moving_note (number INTEGER PRIMARY KEY, name TEXT NOT NULL, k1, k2 NOT NULL DEFAULT '', k3 NOT NULL DEFAULT '');
CREATE TRIGGER moving_case_search_changes AFTER UPDATE OF sender, subject ON item BEGIN
    INSERT INTO moving_note (name, k1) SELECT 'case_search', number FROM case_number WHERE key = NEW.key; END;
CREATE TRIGGER moving_item_goes AFTER DELETE ON item BEGIN INSERT INTO moving_note (name, k1) VALUES ('item', OLD.key); END;
INSERT INTO meta VALUES ('noting', 'a move 21 1');"""


def test_an_upgrade_gives_up_a_move_that_is_under_way(old_desk):
    """What notes for it names tables that a migration makes anew, and could not be gone on with after it."""
    desk = old_desk(21)
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        db.executescript(NOTING)
    desk.run("status")
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        assert not db.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'moving%'").fetchall()
        assert not db.execute("SELECT value FROM meta WHERE name = 'noting'").fetchall()


def test_what_has_another_number_than_its_mail_is_told(new_desk, ledger):
    """It would not be found by its mail."""
    desk, says = new_desk, "something that belongs to it has another number"
    path = desk.folder / "data/ledger.db"
    path.parent.mkdir(mode=0o700)
    shutil.copy(ledger / "ledger.db", path)
    assert says not in desk.run("verify", status=None).stdout
    tables = {"delivery": "key", "effect": "key", "note": "key", "acceptance": "key", "case_message": "key", "case_number": "key",
              "case_participant": "case_key"}
    for table, at in tables.items():
        for wrong in ("NULL", "item_number + 1000"):
            with sqlite3.connect(path) as db:
                row, key, number = db.execute(f"SELECT rowid, {at}, item_number FROM {table} WHERE {at} IN (SELECT key FROM item)").fetchone()
                db.execute(f"UPDATE {table} SET item_number = {wrong} WHERE rowid = ?", [row])
            said = desk.run("verify", "--json", status=None).stdout
            assert f"mail {key[:12]}: {says}" in said, table
            with sqlite3.connect(path) as db:
                db.execute(f"UPDATE {table} SET item_number = ? WHERE rowid = ?", [number, row])
    assert says not in desk.run("verify", status=None).stdout


def test_of_the_snapshots_three_stay_the_newest_and_this_one_also_where_the_clock_went_back(old_desk):
    desk = old_desk(9)
    for stamp in THERE:
        (desk.folder / f"data/ledger.db.schema-12.{stamp}").touch()
    (desk.folder / "data/ledger.db.schema-.new").write_text("of an upgrade that was cut off")
    desk.run("status")
    assert snapshots(desk) == ["ledger.db.schema-12.20260304T010203Z", "ledger.db.schema-12.20260305T010203Z",
                               new_name(9)]
    assert "ledger.upgraded" not in desk.run("status").stderr and len(snapshots(desk)) == 3, "new enough by now"


def test_several_programs_that_open_it_at_once_upgrade_it_once(old_desk):
    desk = old_desk(3)
    running = [subprocess.Popen([PROGRAM, "status"], env=desk.environment(), stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True) for _ in range(6)]
    said = [one.communicate()[1] for one in running]
    assert [one.returncode for one in running] == [0] * 6, said
    assert snapshots(desk) == [new_name(3)] and sum("ledger.upgraded" in text for text in said) == 1


def test_a_disk_without_room_for_both_changes_nothing_and_says_how_much_is_missing(old_desk):
    desk = old_desk(7)
    small = {"LD_PRELOAD": f"{TOOLS / 'still_clock.so'}:{TOOLS / 'small_disk.so'}", "SMALL_DISK": str(1 << 19)}
    done = desk.run("status", status=74, **small)
    assert "no room for the snapshot" in done.stderr and "0 MiB are free, 1 are needed" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert old_ledger.schema_of(desk.folder / "data/ledger.db") == 7 and snapshots(desk) == []


def test_an_upgrade_that_fails_half_way_leaves_the_schema_that_was(old_desk):
    """The last migration but one meets an index of its name, which somebody made by hand."""
    desk = old_desk(5)
    path = desk.folder / "data/ledger.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE INDEX effect_found_there ON effect (key)")
    before = old_ledger.everything(path)
    desk.run("status", status=None)
    assert old_ledger.schema_of(path) == 5 and old_ledger.everything(path) == before


def test_L06_an_older_program_says_in_one_line_that_the_ledger_is_newer_and_changes_nothing(desk):
    path = desk.folder / "data/ledger.db"
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO meta VALUES (?, 'of a later version')", (f"schema_{old_ledger.NEWEST + 1}",))
    before = old_ledger.everything(path)
    for words in (["status"], ["check"], ["run", "--once"], ["items"]):
        done = desk.run(*words, status=None)
        assert done.returncode not in (0, 1), words
        lines = (done.stderr + done.stdout).splitlines()
        assert len(lines) == 1 and "newer version" in lines[0] and "doc/upgrading.md" in lines[0], lines
    assert old_ledger.everything(path) == before


def later(desk, program, *words, status=0):
    """A command of a later version: tests/upgrade."""
    done = subprocess.run([TOOLS / program, *words], capture_output=True, text=True, env=desk.environment())
    assert done.returncode == status, done.stdout + done.stderr
    return done


def test_L06_the_version_before_goes_on_with_an_expanded_ledger_and_writes_what_the_newer_one_reads(desk):
    path = desk.folder / "data/ledger.db"
    later(desk, "onecase_expanded", "status")
    assert old_ledger.schema_of(path) == old_ledger.NEWEST + 1
    item = next(item for item in json.loads(desk.run("items", "--state", "needs_reconciliation", "--json").stdout) if item["reason"] == "conflict")
    desk.run("resolve", item["key"], "--conflict", "dismiss", "--by", "Ann", "--reason", "the same mail")
    desk.run("user", "add", "older", "--role", "viewer", said="correct horse battery\n")
    assert "ledger" not in desk.run("verify", status=None).stdout.split("mail ")[0]
    assert "older" in later(desk, "onecase_expanded", "user", "list").stdout
    assert old_ledger.schema_of(path) == old_ledger.NEWEST + 1 and snapshots(desk) == [new_name(old_ledger.NEWEST)]


def test_L06_what_was_contracted_is_for_the_version_before_and_refused_by_older_ones(desk):
    path = desk.folder / "data/ledger.db"
    later(desk, "onecase_expanded", "status")
    later(desk, "onecase_contracted", "status")
    later(desk, "onecase_expanded", "items")
    before = old_ledger.everything(path)
    done = desk.run("items", status=74)
    assert "newer version" in done.stderr and "doc/upgrading.md" in done.stderr and len(done.stderr.splitlines()) == 1
    assert old_ledger.everything(path) == before


def test_a_ledger_of_an_older_schema_says_after_it_which_programs_work_with_it(old_desk):
    desk = old_desk(old_ledger.NEWEST - 1)
    desk.run("status")
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        oldest = int(db.execute("SELECT value FROM meta WHERE name = 'oldest_schema'").fetchone()[0])
    assert 1 <= oldest <= old_ledger.NEWEST
