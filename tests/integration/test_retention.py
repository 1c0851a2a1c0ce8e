# SPDX-License-Identifier: Apache-2.0
"""What is let go, by age or on request, and what stays of it. Rows K08 and C19."""
import gzip
import hashlib
import io
import json
import shutil
import sqlite3
import tarfile

import pytest

import mails
from mails import MARKER, PDF, part, plain, sender, with_parts
from rig import assert_invariants, await_, kill_at, sha256

DAY = 86_400_000
PEOPLE = ["--by", "Ann", "--reason", "request 2026-17"]


def mail(name, **more):
    return with_parts(name, part(f'attachment; filename="{name} {MARKER}.pdf"', PDF + name.encode()), **more)


def make_older(rig, days, *keys):
    """As if these, or all, had been complete for so long."""
    with sqlite3.connect(rig.data / "ledger.db") as ledger:
        for key in keys or [item["key"] for item in rig.items()]:
            ledger.execute("UPDATE item SET completed_at = completed_at - ? WHERE key = ?", (days * DAY, key))


def dump(rig):
    with sqlite3.connect(f"file:{rig.data / 'ledger.db'}?mode=ro", uri=True) as ledger:
        return "\n".join(ledger.iterdump())


def octets_of_the_disk(rig):
    return b"".join(path.read_bytes() for path in rig.data.rglob("*") if path.is_file())


def of(rig, name):
    """The item of the mail with this subject."""
    return next(item for item in rig.items() if f"About {name} " in rig.json("case", item["case"])["subject"])


@pytest.fixture
def kept(rig):
    """Three mails, all complete and 40 days old; originals, files and texts go after 30."""
    rig.settings["retention"] = {"originals": "30d", "attachments": "30d", "texts": "30d", "personal": "60d",
                                 "archive": str(rig.folder / "archive")}
    rig.deliver(mail("one"), mail("two"), plain("three"))
    rig.once()
    make_older(rig, 40)
    return rig


def test_what_is_due_is_archived_and_let_go_and_a_dry_run_changes_nothing(kept):
    rig = kept
    young, = [plain("young")]
    rig.deliver(young)
    rig.once()
    before, files = dump(rig), rig.files()
    shown = rig.json("retain", "--dry-run")
    assert sorted((row["contents"] for row in shown), key=len, reverse=True) == ["original attachments text"] * 2 + ["original text"]
    assert dump(rig) == before and rig.files() == files and not (rig.folder / "archive").exists()

    said = rig.run("retain").stdout
    assert "3 mails" in said and "5 files" in said
    left = rig.files()
    assert len(left) == 1 and sha256(rig.delivered[-1]) in left.values(), "the young one stays"
    assert sorted(path.name for path in (rig.data / "items").rglob("*") if path.is_dir() and len(path.name) == 64) == \
        [of(rig, "young")["key"]]
    check_archive(rig, files, left)
    case = rig.json("case", of(rig, "one")["case"])
    assert case["subject"] and case["from"] and case["messages"][0]["text"] == ""
    assert [(a["status"], a["path"]) for a in case["attachments"]] == [("removed", None)]
    assert rig.run("verify").returncode == 0
    assert rig.run("retain", "--dry-run").stdout.startswith("Nothing")
    with sqlite3.connect(rig.data / "ledger.db") as ledger:
        assert ledger.execute("SELECT COUNT(*) FROM event WHERE what = 'retain'").fetchone() == (3,)
        assert ledger.execute("SELECT COUNT(*) FROM leaving").fetchone() == (0,)


def read_archive(file):
    """By what doc/backups.md says alone: the originals by KEY, and all files; whatever is not as it says fails."""
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(file.read_bytes()))) as tar:
        assert all(entry.isreg() for entry in tar) and len({name.split("/", 1)[0] for name in tar.getnames()}) == 1
        inside = {name.split("/", 1)[1]: tar.extractfile(name).read() for name in tar.getnames()}
    sums = dict(reversed(line.split("  ", 1)) for line in inside.pop("SHA256SUMS").decode().splitlines())
    assert sums == {name: hashlib.sha256(octets).hexdigest() for name, octets in inside.items()}
    originals = {}
    for key in {name.split("/")[1] for name in inside if name.startswith("items/")}:
        assert json.loads(inside[f"items/{key}/item.json"])["key"] == key
        for line in json.loads(inside[f"items/{key}/events.json"]):
            fields = [str(line[name] or "").encode() for name in ("number", "at_ms", "run", "mailbox", "key", "subject", "what",
                                                                  "from", "to", "actor", "previous")]
            said = b"".join(b"%d:%b\n" % (len(field), field) for field in fields)
            assert hashlib.sha256(said).hexdigest() == line["hash"], line
        if f"items/{key}/original.eml" in inside:
            originals[key] = inside[f"items/{key}/original.eml"]
    return originals, inside


def check_archive(rig, files, left):
    """What is gone is had again, octet for octet, from the archive and its description."""
    file, = (rig.folder / "archive").iterdir()
    assert file.stat().st_mode & 0o77 == 0
    originals, inside = read_archive(file)
    gone = {digest for path, digest in files.items() if path not in left}
    assert gone <= {hashlib.sha256(octets).hexdigest() for octets in inside.values()}
    assert originals and set(originals.values()) <= {octets.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") for octets in rig.delivered}


def test_K08_a_late_copy_of_what_was_let_go_is_still_known(kept):
    rig = kept
    rig.settings["retention"]["personal"] = "30d"
    first = rig.delivered[0]
    rig.run("retain")
    assert rig.files() == {}
    told = len(rig.acknowledgements())
    again = b"Received: by another.relay\r\n" + first
    rig.deliver(again, first)
    rig.once()
    rig.once()
    assert len(rig.json("cases")) == 3 and len(rig.acknowledgements()) == told
    assert rig.json("report", "duplicates")["totals"]["redelivered"] == 2 and not rig.uids()
    assert rig.files() == {}, "nothing of it is made again"
    assert rig.run("verify").returncode == 0


def test_personal_fields_are_nowhere_any_more(kept):
    rig = kept
    rig.settings["retention"].update(personal="30d", archive="")
    rig.run("retain")
    assert MARKER not in dump(rig) and "senders.example" not in dump(rig).replace("@senders.example>", "")
    assert MARKER.lower().encode() not in octets_of_the_disk(rig).lower(), "nor in pages that are free, nor in the log"
    assert len(rig.items()) == 3 and all(item["state"] == "complete" for item in rig.items())
    assert rig.run("verify").returncode == 0
    rig.run("items")
    rig.run("cases")
    rig.run("report", "duplicates")
    reference = rig.json("cases")[0]["reference"]
    rig.letters["templates"] = {"closed": "acknowledgement.txt"}
    told = len(rig.acknowledgements())
    rig.run("case", reference, "--close", *PEOPLE)
    rig.once()
    assert len(rig.acknowledgements()) == told, "who is closed after that is told nothing"
    key = rig.items()[0]["key"]
    assert "let go" in rig.run("resolve", reference, "--resend-acknowledgement", *PEOPLE, status=1).stderr
    rig.run("replay", key, "--resend-acknowledgement", "--approve", *PEOPLE)
    rig.once()
    assert len(rig.acknowledgements()) == told
    assert {item["state"] for item in rig.items()} == {"complete"}


def test_a_case_that_is_held_stays_and_so_does_what_is_not_complete(kept):
    rig = kept
    one, two, three = (of(rig, name) for name in ("one", "two", "three"))
    rig.run("case", one["case"], "--hold", *PEOPLE)
    assert "held already" in rig.run("case", one["case"], "--hold", *PEOPLE, status=1).stderr
    with sqlite3.connect(rig.data / "ledger.db") as ledger:  # another mail of the second case waits for a person
        ledger.execute("UPDATE item SET case_key = ?, state = 'needs_reconciliation', reason = 'gave-up' WHERE key = ?",
                       (two["key"], three["key"]))
    assert rig.json("retain", "--dry-run") == []
    rig.run("retain")
    assert len(rig.files()) == 5
    for name in ("one", "two"):
        done = rig.run("erase", sender(name), *PEOPLE, status=1)
        assert "1 mail is not complete or held" in done.stderr
    assert len(rig.files()) == 5
    with sqlite3.connect(rig.data / "ledger.db") as ledger:
        ledger.execute("UPDATE item SET case_key = key, state = 'complete', reason = '' WHERE key = ?", (three["key"],))
    rig.run("case", one["case"], "--release", *PEOPLE)
    rig.run("retain")
    assert rig.files() == {}
    decided = [row["decision"] for row in rig.json("report", "decisions")]
    assert decided == ["case-hold", "case-release"]


def test_only_closed_cases_where_that_is_configured(kept):
    rig = kept
    rig.settings["retention"]["only_closed"] = True
    rig.run("case", of(rig, "two")["case"], "--close", *PEOPLE)
    rig.once()
    make_older(rig, 40)
    assert [row["case"] for row in rig.json("retain", "--dry-run")] == [of(rig, "two")["case"]]


def test_one_sender_is_erased_and_nobody_else_and_the_record_says_it_and_names_nobody(kept):
    rig = kept
    del rig.settings["retention"]
    first = rig.delivered[0]
    shown = rig.json("erase", sender("one").upper(), "--dry-run")
    assert len(shown) == 1 and shown[0]["case"] == of(rig, "one")["case"]
    rig.run("erase", sender("one"), status=64)
    with sqlite3.connect(rig.data / "ledger.db") as ledger:
        ledger.execute("INSERT INTO sender_rule (mailbox, sender, key, person, made_at) VALUES ('help', ?, ?, 'Ann', 1)",
                       (sender("one").lower(), of(rig, "one")["key"]))
    rig.run("erase", sender("one"), *PEOPLE)
    everything = dump(rig)
    assert f"one.{MARKER}".lower() not in everything.lower() and "About one" not in everything and f"one {MARKER}" not in everything
    disk = octets_of_the_disk(rig)
    assert f"one.{MARKER}".lower().encode() not in disk.lower() and b"About one" not in disk
    assert f"two.{MARKER}" in everything and len(rig.files()) == 3
    record, = rig.json("erase", sender("one"), "--list")
    assert (record["mails"], record["by"].split()[0], record["reason"]) == (1, "Ann", "request 2026-17")
    assert rig.json("erase", "--list") == [record]
    assert rig.json("erase", sender("two"), "--list", status=1) == []
    assert rig.run("verify").returncode == 0, "the event chain is whole"
    rig.deliver(first)
    rig.once()
    assert len(rig.json("cases")) == 3 and not rig.uids(), "and a late copy is known"


def test_C19_letting_go_killed_at_any_moment_goes_on_at_the_next(kept):
    rig = kept
    for point in (1, 4, 2, 5):
        kill_at(rig, point, "retain")
        assert not [line for line in rig.run("verify", status=None).stdout.splitlines()
                    if "it is not there" in line], "no file goes before the ledger counts on it no more"
    rig.run("retain")
    assert rig.files() == {} and rig.run("verify").returncode == 0
    copies = list((rig.folder / "archive").glob("*.tar.gz"))
    assert copies


def test_a_backup_and_retention_do_not_meet(kept):
    """A file that a backup is about to copy is not removed under it."""
    import fcntl
    rig = kept
    with open(rig.data / "upkeep.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "under way" in rig.run("retain", status=75).stderr
        assert "under way" in rig.run("backup", str(rig.folder / "backups"), status=75).stderr
    rig.run("retain")
