# SPDX-License-Identifier: Apache-2.0
"""L, B: the ledger and the disk fail, are full, locked, damaged, or from another time."""
import os
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import pytest

from deployment import difference, letters_of_scenario, rig
from mails import PDF, part, plain, with_parts


def ended(deployment, *words):
    done = deployment.run("run", "--once", "--json", *words, status=None)
    return done.returncode, done.stdout + done.stderr


def nothing_was_done(deployment):
    return len(deployment.uids()) == len(deployment.delivered) and not deployment.acknowledgements()


# ---- the disk is full ----------------------------------------------------------------------------------------


@pytest.fixture
def disk(deployment):
    """A disk of its own for the data: `disk(octets)` makes it, or makes it larger."""
    deployment.data.mkdir()

    def size(octets):
        words = ["-o", f"size={octets},mode=700"]
        if os.path.ismount(deployment.data):
            words = ["-o", f"remount,size={octets}"]
        subprocess.run(["mount", "-t", "tmpfs", *words, "none", str(deployment.data)], check=True, capture_output=True)

    try:
        size(4096)
    except subprocess.CalledProcessError:
        pytest.skip("no right to mount a tmpfs")
    yield size
    subprocess.run(["umount", "-l", str(deployment.data)], check=True)


@pytest.mark.parametrize("kilobytes", [4, 64, 128, 192, 256, 288, 320, 352, 384, 416, 448, 512])
def test_l01_b01_a_full_disk_stops_the_run_and_nothing_is_lost_or_doubled(deployment, disk, kilobytes):
    """So large is the disk at first: it is full at another write each time. With room it goes on by itself."""
    big = with_parts("big", part('attachment; filename="a.bin"', bytes(range(256)) * 200, "application/octet-stream"))
    deployment.deliver(plain("one"), big, plain("two"))
    disk(kilobytes * 1024)
    status, said = ended(deployment)
    assert status in (0, 69, 74, 75), said
    assert len(deployment.uids()) + len(deployment.uids("Processed")) == 3
    disk("64m")
    deployment.settle()
    deployment.settle_doubts()
    deployment.settle()
    assert deployment.uids() == {}
    assert [rig.effects(i, "acknowledgement")[0]["status"] for i in deployment.items()] == ["done"] * 3
    assert [item["state"] for item in deployment.items()] == ["complete"] * 3
    assert len(deployment.acknowledgements()) == 3
    deployment.check()


def test_l01_the_service_resumes_by_itself_when_there_is_room_again(deployment, disk):
    disk(300 * 1024)
    deployment.deliver(with_parts("big", part('attachment; filename="a.bin"', bytes(range(256)) * 2000)))
    service = deployment.serve()
    rig.await_(lambda: service.log, "the service says that the disk is full")
    disk("64m")
    rig.await_(lambda: deployment.uids("Processed"), "the mail is filed", 60)
    assert service.end() == 0
    deployment.check()


def test_l01_below_the_reserve_nothing_new_is_taken_in(deployment):
    deployment.settings["disk"] = {"reserve": "64TB"}
    deployment.deliver(plain("asks"))
    status, said = ended(deployment)
    assert status == 74 and nothing_was_done(deployment), said
    deployment.settings["disk"] = {"reserve": "0B"}
    deployment.settle()
    assert len(deployment.acknowledgements()) == 1
    deployment.check()


def test_b01_an_attachment_that_had_to_wait_for_room_says_nothing_of_it_once_it_is_stored(deployment):
    deployment.deliver(with_parts("asks", part('attachment; filename="a.pdf"', PDF)))
    deployment.crash("deferred blobs.keep_attachment 1")
    deployment.settle()
    attachment, = deployment.json("cases")[0]["attachments"]
    assert (attachment["status"], attachment["reason"]) == ("stored", None)
    deployment.check()


@pytest.mark.parametrize("point", ["eio disk.write 30", "eio disk.write 120", "eio disk.write 200",
                                   "eio disk.sync 3", "eio disk.sync 9", "eio disk.sync 25"])
def test_l02_an_input_output_error(make, point):
    """A few of them; the matrix of tests/crash/run has every one."""
    calm, shaken = make(), make()
    scenario = letters_of_scenario()
    for one in (calm, shaken):
        one.deliver(*scenario)
    calm.settle()
    shaken.crash(point)
    shaken.settle()
    shaken.settle_doubts()
    shaken.settle()
    shaken.check()
    assert not difference(calm.end_state(), shaken.end_state())


# ---- the ledger cannot be used -------------------------------------------------------------------------------


def test_l03_another_process_holds_the_write_lock_for_longer_than_the_busy_timeout(deployment):
    deployment.settle()
    deployment.deliver(plain("asks"))
    holder = sqlite3.connect(deployment.data / "ledger.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    status, said = ended(deployment)
    assert status in (69, 75) and nothing_was_done(deployment), (status, said)
    assert "lock" in said or "busy" in said, said
    holder.execute("ROLLBACK")
    holder.close()
    deployment.settle()
    assert len(deployment.acknowledgements()) == 1
    deployment.check()


def as_nobody(deployment):
    """`run --once` by an account that owns the data folder, and not what is in it."""
    deployment.folder.chmod(0o755)
    (deployment.folder / "password").chmod(0o644)
    for above in deployment.folder.parents:
        if Path(tempfile.gettempdir()) in above.parents:
            above.chmod(above.stat().st_mode | 0o011)
    done = subprocess.run([rig.PROGRAM, "run", "--once"], env=deployment.environment(), text=True, user="nobody",
                          group="nogroup", extra_groups=[], capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    deployment.said += done.stderr
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("what", ["the ledger belongs to somebody else", "the folder belongs to somebody else",
                                  "the ledger may only be read"])
def test_l04_b04_permission_denied(deployment, what):
    deployment.settle()
    deployment.deliver(plain("asks"))
    for path in [deployment.data, *deployment.data.rglob("*")]:
        shutil.chown(path, "nobody", "nogroup")
    ledger = deployment.data / "ledger.db"
    if "folder" in what:
        shutil.chown(deployment.data, "root", "root")
    else:
        shutil.chown(ledger, "root", "root")
        ledger.chmod(0o644 if "read" in what else 0o600)
    status, said = as_nobody(deployment)
    assert status in (69, 74, 78) and nothing_was_done(deployment), (status, said)
    assert str(deployment.data) in said or "ledger" in said, said
    for path in [deployment.data, *deployment.data.rglob("*")]:
        shutil.chown(path, "root", "root")
    deployment.settle()
    assert len(deployment.acknowledgements()) == 1
    deployment.check()


def test_l04_the_data_folder_is_missing_and_cannot_be_made(deployment):
    deployment.settings["data_dir"] = str(deployment.folder / "none" / "data")
    deployment.deliver(plain("asks"))
    status, said = ended(deployment)
    assert status in (69, 74, 78) and "none/data" in said, (status, said)
    assert nothing_was_done(deployment)


def test_b04_the_folder_of_originals_cannot_be_written(deployment):
    """A file stands where the folder should be; once it is away all goes on."""
    deployment.settle()
    items = deployment.data / "items"
    if items.exists():
        items.rmdir()
    items.write_text("in the way")
    deployment.deliver(plain("asks"))
    status, said = ended(deployment)
    assert status in (0, 69, 74), (status, said)
    assert not deployment.acknowledgements() or deployment.uids()
    items.unlink()
    deployment.settle()
    assert len(deployment.acknowledgements()) == 1 and deployment.uids() == {}
    deployment.check()


def test_l05_a_corrupt_page_is_refused_and_the_way_back_is_said(deployment):
    deployment.deliver(plain("asks"))
    deployment.settle()
    ledger = deployment.data / "ledger.db"
    sqlite3.connect(ledger).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    octets = bytearray(ledger.read_bytes())
    for page in range(1, len(octets) // 4096):
        octets[page * 4096:page * 4096 + 64] = b"\xa5" * 64
    ledger.write_bytes(octets)
    deployment.deliver(plain("later"))
    status, said = ended(deployment)
    assert status not in (0, 75), said
    assert "restore" in said and "ledger" in said, said
    assert len(deployment.uids()) == 1 and len(deployment.acknowledgements()) == 1


def test_l05_what_is_no_database_is_refused(deployment):
    deployment.settle()
    for left in deployment.data.glob("ledger.db*"):
        left.unlink()
    (deployment.data / "ledger.db").write_bytes(b"no database\n" * 1000)
    deployment.deliver(plain("asks"))
    status, said = ended(deployment)
    assert status not in (0, 75) and "ledger" in said, said
    assert nothing_was_done(deployment)


def newer_schema(ledger):
    with sqlite3.connect(ledger) as database:
        database.execute("INSERT INTO meta (name, value) VALUES ('schema_99', 'of a later version')")


def test_l06_a_newer_schema_than_the_program_is_refused(deployment):
    deployment.settle()
    newer_schema(deployment.data / "ledger.db")
    deployment.deliver(plain("asks"))
    status, said = ended(deployment)
    assert status not in (0, 75) and ("newer" in said or "version" in said), said
    assert nothing_was_done(deployment)


# ---- the clock jumps -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("jumps", [["-1h", "+0"], ["+1d", "+0"], ["-1h", "+1d", "-1h"]], ids=" ".join)
def test_l07_the_clock_jumps_between_two_runs_with_a_letter_deferred(deployment, jumps):
    deployment.peer.script.read("on RCPT reply 450 4.7.1 later")
    deployment.peer.script.read("on RCPT reply 450 4.7.1 later")
    deployment.peer.script.read("on RCPT reply 250 2.1.5 ok")
    deployment.deliver(plain("one"), with_parts("two", part('attachment; filename="a.pdf"', PDF)))
    deployment.run("run", "--once", status=None)
    for jump in jumps:
        deployment.set_clock(jump)
        deployment.run("run", "--once", status=None)
    deployment.set_clock("+0")
    deployment.settle()
    assert len(deployment.acknowledgements()) == 2 and deployment.uids() == {}
    deployment.check()


@pytest.mark.parametrize("jump", ["-1h", "+1d"])
@pytest.mark.parametrize("call", ["after work.claim 1", "after courier.release 1", "before mailbox.move 1"])
def test_l07_the_clock_jumps_with_an_item_held_by_a_dead_run(deployment, jump, call):
    deployment.deliver(plain("one"))
    deployment.crash(call)
    deployment.set_clock(jump)
    deployment.run("run", "--once")
    deployment.set_clock("+0")
    deployment.settle()
    deployment.settle_doubts()
    deployment.settle()
    assert len(deployment.acknowledgements()) == 1 and deployment.uids() == {}
    deployment.check()


# ---- the ledger is from yesterday ----------------------------------------------------------------------------


def copied(deployment, to):
    """The ledger as a file copy would have it, with nothing running."""
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir()
    for path in deployment.data.glob("ledger.db*"):
        shutil.copy2(path, to / path.name)


def put_back(deployment, from_):
    for path in deployment.data.glob("ledger.db*"):
        path.unlink()
    for path in from_.glob("ledger.db*"):
        shutil.copy2(path, deployment.data / path.name)


@pytest.mark.parametrize("moment", ["before the mails came", "after reserve", "after the answer", "after all"])
def test_l09_a_ledger_copied_back_from_an_earlier_moment(deployment, moment):
    """Nobody is told twice, nothing filed is forgotten, references stay."""
    saved = deployment.folder / "saved"
    deployment.deliver(plain("early"))
    deployment.settle()
    if "before" in moment:
        copied(deployment, saved)
    deployment.deliver(plain("one"), with_parts("two", part('attachment; filename="a.pdf"', PDF)))
    if "reserve" in moment:
        deployment.crash("after intake.reserve 1")
        copied(deployment, saved)
    if "answer" in moment:
        deployment.crash("before mailbox.move 1")
        copied(deployment, saved)
    deployment.settle()
    references = {item["key"]: item["case"] for item in deployment.items()}
    told = sorted(letter["Message-ID"] for letter in deployment.acknowledgements())
    assert len(told) == 3
    if "all" in moment:
        copied(deployment, saved)
        deployment.deliver(plain("last"))
        deployment.settle()
        told = sorted(letter["Message-ID"] for letter in deployment.acknowledgements())
        references = {item["key"]: item["case"] for item in deployment.items()}
    put_back(deployment, saved)
    deployment.settle()
    assert sorted(letter["Message-ID"] for letter in deployment.acknowledgements()) == told
    assert {item["key"]: item["case"] for item in deployment.items()} == references
    deployment.settle_doubts()
    deployment.settle()
    assert sorted(letter["Message-ID"] for letter in deployment.acknowledgements()) == told
    assert len(deployment.uids("Processed")) == len(references) and deployment.uids() == {}
    assert {item["state"] for item in deployment.items()} == {"complete"}
    deployment.check()


# ---- files behind the program's back -------------------------------------------------------------------------


def stored_attachment(deployment):
    path, = (p for p in deployment.files() if "/attachments/" in p)
    return deployment.data / path


def test_b02_an_existing_file_with_other_content_is_never_overwritten(deployment):
    deployment.deliver(with_parts("asks", part('attachment; filename="a.pdf"', PDF)))
    deployment.crash("before blobs.keep_attachment 1")
    item, = deployment.items()
    path = deployment.data / "items" / item["key"][:2] / item["key"] / "attachments" / "01-a.pdf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"somebody else's")
    deployment.settle()
    assert path.read_bytes() == b"somebody else's"
    assert [i["reason"] for i in deployment.items()] == ["file-differs"]
    assert not deployment.acknowledgements() and len(deployment.uids()) == 1


def test_b02_of_a_set_only_the_mail_whose_name_in_incoming_is_taken_does_not_come(deployment):
    """Somebody's file stands there; the mail waits in the inbox, and is looked for again."""
    deployment.deliver(*[plain(f"asks{number}") for number in range(3)])
    incoming = deployment.data / "incoming" / rig.sha256(deployment.delivered[1])
    incoming.parent.mkdir(mode=0o700, parents=True)
    deployment.data.chmod(0o700)
    incoming.write_bytes(b"of another")
    deployment.run("run", "--once", status=None)
    assert len(deployment.acknowledgements()) == 2 and "message.not-kept" in deployment.said
    assert list(deployment.mails().values()) == [deployment.delivered[1]]
    incoming.unlink()
    deployment.settle()
    assert len(deployment.acknowledgements()) == 3
    deployment.check()


@pytest.mark.parametrize("how", ["changed", "deleted"])
def test_b03_a_file_changed_behind_our_back_keeps_acceptance_from_holding(deployment, how):
    deployment.deliver(with_parts("asks", part('attachment; filename="a.pdf"', PDF)))
    deployment.crash("before work.case_stands 1")
    path = stored_attachment(deployment)
    path.unlink()
    if how == "changed":
        path.write_bytes(b"changed")
    deployment.settle()
    deployment.settle_doubts()
    deployment.settle()
    item, = deployment.items()
    assert (item["state"], item["reason"]) == ("needs_reconciliation", "file-differs")
    assert len(deployment.uids()) == 1, "its mail stays"
