# SPDX-License-Identifier: Apache-2.0
"""Attachments are scanned before they are stored: by the real clamd, and by one that fails in every way."""
import email
import re
import socket
from email.policy import default

import pytest

from clamd import LIMIT, NAME, VIRUS, Clamd, ClamdPeer, free_port
from mails import PDF, part, plain, with_parts
from rig import assert_invariants, await_
from smtp_peer import SmtpPeer


@pytest.fixture(scope="module")
def scanner():
    with Clamd() as running:
        yield running


def scan(rig, where, **more):
    rig.settings["attachments"] = {"scan": {"socket": str(where), "timeout": "1s", **more}}


def attached(name, *files):
    return with_parts(name, *(part(f'attachment; filename="{file}"', octets) for file, octets in files))


def letters(peer):
    return [email.message_from_bytes(octets, policy=default) for octets in peer.accepted]


def stored(rig):
    return sorted(path.split("/")[-1] for path in rig.files() if "/attachments/" in path)


def attachments(rig):
    return [(a["name"], a["status"], a["reason"]) for case in rig.json("cases") for a in case["attachments"]]


@pytest.mark.parametrize("way", ["path", "port"])
def test_what_clamd_finds_is_quarantined_recorded_and_told(rig, scanner, way):
    scan(rig, scanner.path if way == "path" else f"127.0.0.1:{scanner.port}")
    with SmtpPeer("") as peer:
        rig.send_to(peer.port)
        rig.deliver(attached("infected", ("good.pdf", PDF), ("bad.txt", VIRUS), ("last.pdf", PDF + b"2")),
                    attached("clean", ("clean.pdf", PDF)), plain("nothing"))
        assert rig.once()["completed"] == 3
    assert sorted(attachments(rig)) == [("bad.txt", "quarantined", "infected"), ("clean.pdf", "stored", None),
                                        ("good.pdf", "stored", None), ("last.pdf", "stored", None)]
    assert stored(rig) == ["01-clean.pdf", "01-good.pdf", "03-last.pdf"]
    assert not any(VIRUS in (rig.data / path).read_bytes() for path in rig.files() if "original" not in path)
    item = rig.item_of(rig.delivered[0])
    assert item["completion_state"] == "accepted_with_exceptions"
    letter = next(m for m in letters(peer) if item["case"] in m["Subject"])
    assert "- bad.txt\n  (our virus scanner reported it)" in letter.get_content().replace("\r\n", "\n")
    assert "good.pdf" not in letter.get_content() and NAME not in letter.as_string()
    case = next(c for c in rig.json("cases") if c["reference"] == item["case"])
    bad = next(a for a in case["attachments"] if a["name"] == "bad.txt")
    assert not bad["path"] and "a virus was found in it" in rig.run("case", item["case"]).stdout
    assert f"found in it: {NAME}" in " ".join(rig.run("item", item["case"]).stdout.split())
    assert_invariants(rig, letters(peer))
    assert rig.run("verify", status=None).returncode == 0


@pytest.mark.parametrize("too_large, status, told", [("refuse", "refused", True), ("accept", "stored", False)])
def test_what_is_larger_than_clamd_reads_is_refused_or_accepted_as_configured(rig, scanner, too_large, status, told):
    scan(rig, scanner.path, too_large=too_large, timeout="10s")
    with SmtpPeer("") as peer:
        rig.send_to(peer.port)
        rig.deliver(attached("large", ("large.bin", b"\0" * (3 * LIMIT)), ("good.pdf", PDF)))
        assert rig.once()["completed"] == 1
    assert attachments(rig) == [("large.bin", status, "not-scanned"), ("good.pdf", "stored", None)]
    assert ("too large to be checked for viruses" in letters(peer)[0].get_content()) == told
    assert_invariants(rig, letters(peer))


FAULTS = ["refuse", "drop", "reset", "hang up", "stall", "deaf", "garbage", "endless", "half", "error"]


@pytest.mark.parametrize("turn", FAULTS)
def test_a_scanner_that_fails_is_waited_for_and_nothing_is_accepted_unscanned(rig, turn):
    """Whatever it does, the item waits in sight; once it works again, everything goes on."""
    size = 8 << 20 if turn == "deaf" else 300000  # more than the system holds for a server that does not read
    with ClamdPeer(turn) as clamd, SmtpPeer("") as peer:
        scan(rig, f"127.0.0.1:{clamd.port}")
        rig.send_to(peer.port)
        rig.deliver(attached("waits", ("good.pdf", PDF + b"\0" * size)))
        assert rig.once()["deferred"] == 1
        item, = rig.items()
        step, = [e for e in item["effects"] if e["kind"] == "attachment"]
        assert item["state"] == "in_progress" and (step["status"], step["reason"]) == ("deferred", "scanner")
        assert stored(rig) == [] and peer.accepted == [] and len(rig.uids()) == 1
        circuit = rig.status()["circuit"]
        assert (circuit is None) == (turn == "error"), circuit
        if turn == "refuse":
            assert "the virus scanner fails since" in rig.run("status").stdout
            assert "the virus scanner fails" in rig.run("check", status=None).stdout
        clamd.turns[:] = ["ok"]
        await_(lambda: rig.once()["completed"], "the scanner works again")
        assert stored(rig) == ["01-good.pdf"] and len(peer.accepted) == 1 and rig.status()["circuit"] is None
        assert clamd.files[-1] == PDF + b"\0" * size
        assert_invariants(rig, letters(peer))


def test_a_scanner_that_is_down_holds_up_what_has_attachments_and_nothing_else(rig, scanner):
    port = free_port()
    scan(rig, f"127.0.0.1:{port}")
    rig.deliver(attached("one", ("a.pdf", PDF)), attached("two", ("b.pdf", PDF)), plain("three"))
    assert rig.once()["completed"] == 1
    assert stored(rig) == [] and len(rig.uids()) == 2 and len(rig.acknowledgements()) == 1
    assert "the virus scanner fails since" in rig.run("status").stdout
    scan(rig, scanner.path)
    await_(lambda: rig.once()["completed"] and not rig.uids(), "both are scanned")
    assert stored(rig) == ["01-a.pdf", "01-b.pdf"]
    assert_invariants(rig)


def test_a_file_that_ends_the_scanner_keeps_no_other_from_it_and_is_asked_about(rig):
    """The first is dropped at each try; the second passes. At last a person is asked about the first."""
    class Sick(ClamdPeer):
        def answer(self, s, turn):
            head = b""
            while len(head) < 20:
                head = s.recv(400, socket.MSG_PEEK)
            super().answer(s, "drop" if b"POISON" in head else "ok")
    rig.settings["retry"] = {"first_delay": "50ms", "max_delay": "100ms", "give_up_after": "1s"}
    with Sick("ok") as clamd:
        scan(rig, f"127.0.0.1:{clamd.port}")
        rig.deliver(attached("poison", ("poison.bin", b"POISON" + b"\0" * 1000)), attached("fine", ("b.pdf", PDF * 9)))
        await_(lambda: rig.once()["completed"] or stored(rig), "the second passes")
        assert stored(rig) == ["01-b.pdf"]
        await_(lambda: rig.once()["needs_reconciliation"], "a person is asked")
        item, = rig.items("--state", "needs_reconciliation")
        assert item["reason"] == "gave-up" and len(rig.uids()) == 1
    with ClamdPeer("ok") as mended:
        scan(rig, f"127.0.0.1:{mended.port}")
        rig.run("replay", item["key"][:12], "--approve", "--by", "Ann", "--reason", "the scanner was mended")
        await_(lambda: rig.once() and not rig.uids(), "it is stored after all")
        assert stored(rig) == ["01-b.pdf", "01-poison.bin"]
        assert_invariants(rig)


def test_without_a_letter_for_exceptions_nobody_is_told(rig, scanner):
    scan(rig, scanner.path)
    rig.letters["templates"] = {"accepted_with_exceptions": ""}
    rig.deliver(attached("infected", ("bad.txt", VIRUS)))
    assert rig.once()["completed"] == 1
    item, = rig.items()
    step, = [e for e in item["effects"] if e["kind"] == "acknowledgement"]
    assert (step["status"], step["reason"]) == ("skipped", "not-configured") and rig.acknowledgements() == []


def test_the_doctor_tries_the_scanner_with_a_harmless_file_and_a_test_virus(rig, scanner):
    scan(rig, scanner.path)
    said = rig.run("doctor").stdout
    assert re.search(r"ok +virus scanner: ClamAV 1\.", said)
    assert "virus scanner: a harmless file is found clean" in said
    assert "virus scanner: the EICAR test file is found" in said
    with ClamdPeer("ok") as blind:
        scan(rig, f"127.0.0.1:{blind.port}")
    said = rig.run("doctor", status=1).stdout
    assert f"clamd at 127.0.0.1:{blind.port}: Connection refused" in " ".join(said.split())
