# SPDX-License-Identifier: Apache-2.0
"""A backup beside a service that goes on, the machine lost, and what a restored ledger does. Rows L09 and C19."""
import collections
import os
import shutil
import signal
import sqlite3

import pytest

import mails
from mails import plain
from rig import assert_invariants, await_, effects, kill_at, sha256


def store(rig):
    return rig.folder / "backups"


def backup(rig, *words, **more):
    return rig.json("backup", str(store(rig)), *words, **more)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def lose_the_machine(rig):
    """Nothing of its disk is left; its runs are never proven dead."""
    for service in rig.services:
        if service.process.poll() is None:
            os.killpg(service.process.pid, signal.SIGKILL)
            service.process.wait()
            service.reader.join(5)
    shutil.rmtree(rig.data)


def nobody_was_told_twice(rig):
    told = collections.Counter(letter["Message-ID"] for letter in rig.acknowledgements())
    assert max(told.values(), default=0) <= 1, f"told twice: {told}"
    return told


def settled(rig):
    states = rig.counts()
    return states["received"] + states["in_progress"] == 0


@pytest.mark.parametrize("evidence", [True, False], ids=["with-evidence", "without-evidence"])
def test_L09_a_machine_lost_50_mails_after_its_backup_tells_nobody_twice_and_forgets_nothing(rig, evidence):
    rig.letters["evidence"] = {"copy_to": rig.address, "wait": "1s"} if evidence else {"wait": "1s"}
    before = [mail.octets for mail in mails.varied()[:10]]
    rig.deliver(*before)
    service = rig.serve()
    await_(lambda: rig.counts()["complete"] >= 10, "the first ten are complete", 60)
    rig.deliver(*(plain(f"meanwhile-{n}") for n in range(5)))  # some of them are under way
    made = backup(rig)
    assert made["missing"] == [] and made["mails"] >= 10
    rig.deliver(*(plain(f"after-{n}") for n in range(50)))
    answered = 60 if evidence else 65
    await_(lambda: len(nobody_was_told_twice(rig)) >= answered, "most are answered", 60)
    cases = {case["key"]: case["reference"] for case in rig.json("cases")}
    assert service.process.poll() is None
    lose_the_machine(rig)

    restored = rig.json("restore", str(store(rig)))
    assert restored["generation"] == 2 and restored["backup"] == made["backup"]
    assert len(rig.items()) == made["mails"]
    rig.serve()
    told = len(nobody_was_told_twice(rig))
    await_(lambda: settled(rig) and len(rig.json("cases")) == 65, "everything has its case again", 90)
    if evidence:  # also while a person is asked
        await_(lambda: collections.Counter(letters(rig)) == {"done": 65}, "what was sent is found", 60)
        await_(lambda: len(rig.uids("Processed")) == 65 + len(nobody_was_told_twice(rig)), "our copies have come, too", 60)
    assert len(nobody_was_told_twice(rig)) >= told
    for service in rig.services:
        service.end() if service.process.poll() is None else None
    now = {case["key"]: case["reference"] for case in rig.json("cases")}
    assert cases.items() <= now.items(), "references stay"
    if not evidence:
        decide_what_is_shown(rig)
    assert_invariants(rig)
    rig.run("verify")


def letters(rig):
    return [e["status"] for item in rig.items() if item["disposition"] == "case" for e in effects(item, "acknowledgement")]


def decide_what_is_shown(rig):
    """Nothing could be looked for: all of it is one question, which a person who has asked the mail server answers."""
    doubts = letters(rig).count("unknown")
    assert doubts >= 50 and rig.status()["waiting"] == {"acknowledgement-unknown": doubts}
    while waiting := rig.items("--state", "needs_reconciliation"):
        rig.run("resolve", waiting[0]["key"], "--acknowledgement", "sent", "--all-like", "--by", "Ann",
                "--reason", "the mail server's log says so")
        rig.once()
    assert collections.Counter(letters(rig)) == {"done": 65}


def test_a_restored_ledger_is_one_that_went_back_also_where_nothing_has_happened_since(rig):
    """The mark in the mailbox agrees with it; that it was restored is enough."""
    rig.deliver(plain("first"))
    rig.once()
    backup(rig)
    lose_the_machine(rig)
    for generation in (2, 3):
        assert rig.json("restore", str(store(rig)))["generation"] == 2
        rig.once()
        assert "ledger.went-back" in rig.said
        with sqlite3.connect(rig.data / "ledger.db") as ledger:
            assert ledger.execute("SELECT value FROM meta WHERE name = 'generation'").fetchone() == (str(generation),)
            assert [row for row, in ledger.execute("SELECT what FROM event WHERE what IN ('restore', 'rewind')")] == \
                ["restore", "rewind"]
        lose_the_machine(rig)
    assert len(nobody_was_told_twice(rig)) == 1


def test_a_backup_copies_each_content_once_and_only_what_is_new(rig):
    pair = [mails.with_parts(f"copy-{n}", mails.part('attachment; filename="same.pdf"', mails.PDF)) for n in range(2)]
    rig.deliver(pair[0])
    rig.once()
    assert rig.json("status")["last_backup"] is None
    first = backup(rig)
    assert 0 <= rig.json("status")["last_backup_age_seconds"] < 3600
    rig.deliver(pair[1])
    rig.once()
    second = backup(rig)
    assert (first["new_files"], second["new_files"]) == (3, 2), "the attachment of the second was there already"
    assert second["files"] == 5
    pool = {path.split("/")[-1]: octets for path, octets in contents(store(rig)).items() if path.startswith("files/")}
    assert all(sha256(octets) == name for name, octets in pool.items())
    assert all(sha256(octets.read_bytes()) in pool for octets in (rig.data / "items").rglob("*") if octets.is_file())
    assert oct(store(rig).stat().st_mode & 0o777) == "0o700"
    listed = rig.json("restore", str(store(rig)), "--list")
    assert [row["backup"] for row in listed] == [second["backup"], first["backup"]]

    third = backup(rig, "--keep", "1")
    assert third["backups_removed"] == 2 and third["files_removed"] == 2, "their ledgers, and nothing that the last one has"
    lose_the_machine(rig)
    assert rig.json("restore", str(store(rig)))["mails"] == 2
    assert rig.run("verify").returncode == 0


def test_a_damaged_backup_is_not_restored_and_read_all_mends_it(rig):
    rig.deliver(plain("only"))
    rig.once()
    backup(rig)
    kept = {path.name: path for path in store(rig).rglob("*") if path.is_file()}
    original = next((rig.data / "items").rglob("original.eml"))
    damaged = kept[sha256(original.read_bytes())]
    damaged.write_bytes(b"rot" + damaged.read_bytes()[3:])
    assert backup(rig, "--read-all")["new_files"] == 2, "its ledger, and the file that was damaged"
    assert sha256(damaged.read_bytes()) == damaged.name
    damaged.write_bytes(b"rot" + damaged.read_bytes()[3:])
    saved = rig.data.rename(rig.folder / "saved")
    said = rig.run("restore", str(store(rig)), status=74).stderr
    assert "damaged" in said and damaged.name in said
    assert "being restored" in rig.run("status", status=74).stderr, "what is half restored is opened by nobody"
    damaged.write_bytes(original_of(saved).read_bytes())
    rig.run("restore", str(store(rig)))
    assert rig.run("verify").returncode == 0 and not (rig.data / "restoring").exists()
    shutil.rmtree(saved)


def original_of(data):
    return next((data / "items").rglob("original.eml"))


def test_a_file_that_is_gone_is_said_and_the_rest_is_saved(rig):
    rig.deliver(plain("one"), plain("two"))
    rig.once()
    path = original_of(rig.data)
    path.unlink()
    made = rig.run("backup", str(store(rig)), "--json", status=1)
    assert f"{path.relative_to(rig.data)} is not there" in made.stderr and '"files": 2' in made.stdout


def test_neither_is_a_folder_with_something_in_it_overwritten_nor_another_ledger_mixed_in(rig, make_rig):
    rig.once()
    backup(rig)
    assert "is not empty" in rig.run("restore", str(store(rig)), status=1).stderr
    other = make_rig()
    other.once()
    assert "another ledger" in other.run("backup", str(store(rig)), status=64).stderr
    rig.run("restore", str(store(rig)), "--backup", "20200101T000000Z", status=66)
    assert "no folder with backups" in rig.run("restore", str(rig.folder / "nowhere"), status=64).stderr
    (empty := rig.folder / "empty").mkdir(mode=0o700)
    shutil.rmtree(rig.data)
    assert "there is no backup" in rig.run("restore", str(empty), status=66).stderr
    assert not rig.data.exists()


def test_C19_a_backup_or_restore_killed_at_any_moment_is_as_if_it_had_not_begun(rig):
    """Killed where a file gets or loses its name; then one that is not killed."""
    rig.deliver(*(mail.octets for mail in mails.varied()[:8]))
    rig.once()
    backup(rig)
    rig.deliver(*(mail.octets for mail in mails.varied()[8:16]))
    rig.once()
    for point in (3, 7, 11, 2, 5, 9):
        kill_at(rig, point, "backup", str(store(rig)))
        assert len(rig.json("restore", str(store(rig)), "--list")) == 1, "one that was killed has no name"
    made = backup(rig)
    assert made["missing"] == []
    lose_the_machine(rig)
    for point in (3, 18, 33, 48, 64, 82):
        kill_at(rig, point, "restore", str(store(rig)))
        assert not (rig.data / "ledger.db").exists(), "the ledger comes last"
    rig.run("restore", str(store(rig)))
    assert rig.run("verify").returncode == 0 and len(rig.items()) == 16
