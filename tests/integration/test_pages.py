# SPDX-License-Identifier: Apache-2.0
"""The pages of doc/ are followed to the letter: each command line of their shell blocks is run here, in its order, on a
mailbox with real servers. What would change the machine (systemctl, apt) is done by a stand-in that says so."""
import collections
import os
import re
import shutil
import sqlite3
import subprocess
import sys

import pytest

from mails import plain
from rig import PROGRAM, TOP, assert_invariants, await_

sys.path.insert(0, str(TOP / "tests" / "cli"))
import old_ledger  # noqa: E402

STAND_INS = {
    "onecase": 'exec {program} "$@"',
    "runuser": 'shift 3; exec "$@"',  # -u onecase --
    "systemctl": 'echo "systemctl $*" >>{folder}/asked; case "$1" in start|enable|restart) exec {program} run --once --json;; esac',
    "apt": 'echo "apt $*" >>{folder}/asked',
}


class Page:
    """One page, and a machine to follow it on."""

    def __init__(self, name, rig):
        self.rig, self.name = rig, name
        self.blocks = re.findall(r"^```sh\n(.*?)^```$", (TOP / "doc" / name).read_text(), re.M | re.S)
        self.bin = rig.folder / "bin"
        self.bin.mkdir(exist_ok=True)
        for word, does in STAND_INS.items():
            path = self.bin / word
            path.write_text("#!/bin/bash\n" + does.format(program=PROGRAM, folder=rig.folder) + "\n")
            path.chmod(0o755)

    def follow(self, number, status=0):
        """All lines of a block, by one shell that stops where one fails."""
        self.rig.write()
        block = self.blocks[number]
        for there, here in (("/var/lib/onecase", self.rig.data), ("/var/backups/onecase", self.rig.folder / "backups"),
                            ("/etc/onecase", self.rig.folder)):
            block = block.replace(there, str(here))
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], capture_output=True, text=True, cwd=self.rig.folder,
                              env={**self.rig.environment(), "PATH": f"{self.bin}:{os.environ['PATH']}"})
        self.rig.said += done.stderr
        assert status in (None, done.returncode), f"{self.name}, block {number}:\n{done.stdout}\n{done.stderr}"
        return done

    def asked(self):
        path = self.rig.folder / "asked"
        return path.read_text().splitlines() if path.exists() else []


def test_every_page_with_command_lines_is_followed():
    followed = set(re.findall(r'Page\("([a-z-]+\.md)"', (TOP / "tests/integration/test_pages.py").read_text()))
    for path in sorted((TOP / "doc").glob("*.md")):
        assert ("```sh\n" in path.read_text()) == (path.name in followed), path.name


def told_twice(rig):
    return [name for name, times in collections.Counter(m["Message-ID"] for m in rig.acknowledgements()).items() if times > 1]


def test_an_upgrade_and_the_way_back_lose_nothing_and_tell_nobody_twice(rig):
    """A mailbox in use gets a newer program; after more mail its ledger goes back to the snapshot."""
    page = Page("upgrading.md", rig)
    rig.letters["evidence"] = {"copy_to": rig.address, "wait": "1s"}
    rig.deliver(*(plain(f"before-{n}") for n in range(3)))
    rig.once()
    ledger = rig.data / "ledger.db"
    (newest := rig.folder / "newest.db").write_bytes(ledger.read_bytes())
    for left in rig.data.glob("ledger.db*"):
        left.unlink()
    old_ledger.make(newest, ledger, 12)

    rig.deliver(plain("meanwhile"))
    page.follow(0)
    assert page.asked() == ["systemctl stop onecase", "apt install ./onecase_0.1.0_amd64.deb", "systemctl start onecase"]
    assert "ledger.upgraded" in rig.said and old_ledger.schema_of(ledger) == old_ledger.NEWEST
    assert len(rig.json("cases")) == 4 and len(rig.acknowledgements()) == 4

    rig.deliver(*(plain(f"after-{n}") for n in range(2)))
    rig.once()
    references = {case["key"]: case["reference"] for case in rig.json("cases")}
    (rig.folder / "owner.yaml").write_bytes(rig.config.read_bytes())
    assert "ledger" in page.follow(1).stdout
    said = page.follow(2)
    assert (rig.data / "newer/ledger.db").exists() and "ledger.went-back" in rig.said
    assert said.stdout.count("help") >= 1
    await_(lambda: rig.once() and len(rig.uids("Processed")) == 12, "six mails and our copies of six letters are filed")
    assert {case["key"]: case["reference"] for case in rig.json("cases")} == references
    assert told_twice(rig) == [] and len(rig.acknowledgements()) == 6
    assert_invariants(rig)
    with sqlite3.connect(ledger) as db:
        assert db.execute("SELECT COUNT(*) FROM event WHERE what = 'rewind'").fetchone() == (1,)
    shutil.rmtree(rig.data / "newer")
    rig.run("verify")


def test_a_backup_is_read_by_who_has_the_key_and_by_nobody_else(rig):
    """Made, encrypted to a certificate, the machine lost, brought back where the key is."""
    page = Page("backups.md", rig)
    rig.letters["evidence"] = {"copy_to": rig.address, "wait": "1s"}
    subject = "a subject that stands in every backup"
    rig.deliver(plain("one"), f"From: a@example.net\r\nSubject: {subject}\r\nMessage-ID: <2@example.net>\r\n\r\nt\r\n".encode())
    rig.once()
    made = page.follow(0)
    assert "Backup " in made.stdout and "last backup: " in made.stdout
    assert any(subject.encode() in path.read_bytes() for path in (rig.folder / "backups").rglob("*") if path.is_file())
    page.follow(1)
    rig.settings["backup"] = {"recipient": "recipient.pem"}
    page.follow(2)
    rig.run("backup", str(rig.folder / "backups"), "--keep", "1")
    assert not any(subject.encode() in path.read_bytes() for path in (rig.folder / "backups").rglob("*") if path.is_file())

    key = (rig.folder / "recipient.key").read_bytes()
    shutil.rmtree(rig.data)
    (rig.folder / "recipient.key").write_bytes(b"")
    page.follow(3, status=None)
    assert not rig.data.exists(), "without the key nothing is had"
    (rig.folder / "recipient.key").write_bytes(key)
    rig.deliver(plain("after"))
    page.follow(3)
    page.follow(4)
    assert "/original.eml" in (rig.folder / "backups" / "manifest.txt").read_text()
    rig.once()
    assert len(rig.json("cases")) == 3 and told_twice(rig) == []


def test_a_backup_that_somebody_changed_on_its_way_is_not_brought_back(rig):
    page = Page("backups.md", rig)
    rig.once()
    page.follow(1)
    rig.settings["backup"] = {"recipient": "recipient.pem"}
    page.follow(2)
    for sealed in (rig.folder / "backups" / "files").rglob("*/*"):
        octets = bytearray(sealed.read_bytes())
        octets[len(octets) // 2] ^= 1
        sealed.write_bytes(octets)
    shutil.rmtree(rig.data)
    page.follow(3, status=None)
    assert not (rig.data / "ledger.db").exists()


def test_a_storm_of_duplicates_is_stopped_captured_decided_and_survived(rig):
    page = Page("duplicate-storm.md", rig)
    storm = [plain(f"storm-{n}") for n in range(3)]
    rig.deliver(*storm)
    rig.once()
    rig.deliver(*storm, plain("again", message_id="<other-1@senders.example>"))
    rig.once()
    rig.deliver(*storm)

    page.follow(0)
    rig.once()
    rig.deliver(*storm, plain("new in the storm"))
    rig.once()
    assert len(rig.uids("Held")) > 0 and len(rig.acknowledgements()) == 4, "aside, and nobody is told"
    captured = page.follow(1)
    assert "another copy" in captured.stdout
    assert len((rig.folder / "copies.csv").read_text().splitlines()) > 3 and (rig.folder / "evidence.tar").exists()
    page.follow(2)
    done = page.follow(3)
    assert "arrivals" in done.stdout
    rig.once()
    assert len(rig.json("cases")) == 5 and told_twice(rig) == [] and len(rig.acknowledgements()) == 5
    assert rig.uids("Held") == {}
    assert_invariants(rig)


def test_what_an_older_system_has_doubled_is_brought_into_order(rig):
    """The list of the page is taken in; the mail of its two cases comes once more, and a new one."""
    page = Page("duplicate-storm.md", rig)
    table, = re.findall(r"^```csv\n(.*?)^```$", (TOP / "doc/duplicate-storm.md").read_text(), re.M | re.S)
    (rig.folder / "cases.csv").write_text(table)
    late = (b"From: Ann <ann@example.net>\r\nSubject: Printer on the 2nd floor\r\nDate: Mon, 2 Mar 2026 09:15:00 +0800\r\n"
            b"Message-ID: <CAF7@mail.example.net>\r\n\r\nIt has jammed.\r\n")
    reply = (b"From: Ann <ann@example.net>\r\nSubject: Re: Printer on the 2nd floor\r\nMessage-ID: <more@mail.example.net>\r\n"
             b"In-Reply-To: <CAF7@mail.example.net>\r\n\r\nIt burns.\r\n")
    rig.deliver(late, reply, plain("new"))
    said = page.follow(4).stdout
    assert "OLD-1042" in said and "each a double of another" in said
    rig.once()
    cases = {case["reference"]: case for case in rig.json("cases")}
    assert len(cases) == 3 and {"OLD-1041", "OLD-1042"} < set(cases)
    assert cases["OLD-1042"]["state"] == "closed" and cases["OLD-1041"]["messages"] == 3
    assert len(rig.acknowledgements()) == 1 and rig.uids("INBOX") == {}
    assert [d["class"] for d in rig.json("deliveries") if d["case"] == "OLD-1041"].count("redelivered") == 1
    assert rig.json("report", "duplicates")["totals"]["cases_prevented"] == 1
    rig.run("verify")


def test_a_day_with_it_is_as_the_page_says(rig):
    page = Page("operating.md", rig)
    rig.mailbox["mode"] = "active"
    rig.deliver(plain("one"))
    rig.once()
    page.follow(0)
    assert "onecase_up" in (rig.folder / "onecase.prom").read_text()
    assert page.follow(1).stdout.startswith("help (active)")
    page.follow(2)
    assert page.asked() == ["systemctl reload onecase"]


def test_dovecot_understands_what_the_page_has_it_read(tmp_path):
    said, = re.findall(r"^```text\n(.*?)^```$", (TOP / "doc/dovecot.md").read_text(), re.M | re.S)
    (tmp_path / "dovecot.conf").write_text(said)
    read = subprocess.run(["doveconf", "-n", "-c", tmp_path / "dovecot.conf"], capture_output=True, text=True)
    assert read.returncode == 0 and "driver = passwd-file" in read.stdout, read.stderr
    pw = subprocess.run(["doveadm", "-c", tmp_path / "dovecot.conf", "pw", "-s", "SHA512-CRYPT", "-p", "secret"], capture_output=True, text=True)
    assert pw.returncode == 0 and pw.stdout.startswith("{SHA512-CRYPT}$6$"), pw.stderr


def test_what_the_page_about_dovecot_has_tried_is_well(rig):
    said = Page("dovecot.md", rig).follow(0).stdout
    assert "BAD" not in said and "a trial: folders are made" in said
