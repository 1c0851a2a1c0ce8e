# SPDX-License-Identifier: Apache-2.0
"""E, O04: what decides an acknowledgement in doubt, what does not, and a conflict decided by a person."""
import email
import re

import pytest

from deployment import rig
from mails import plain, raw

DROPPED = "after end-of-data take, then close\nafter end-of-data accept"


@pytest.fixture
def doubtful(make):
    """A deployment with one letter that the server took without saying so; `letters` are looked for in Sent."""
    deployment = make(DROPPED)
    deployment.letters["evidence"] = {"folder": "Sent", "wait": "1h"}
    deployment.imap().create("Sent")
    deployment.deliver(plain("asks"))
    return deployment


def first(deployment):
    """What was asked first: `items` has the newest first."""
    return [item for item in deployment.items() if item["disposition"] == "case"][-1]


def answer(deployment):
    return rig.effects(first(deployment), "acknowledgement")[0]["status"]


def told_by(deployment):
    return [e["evidence"] for e in deployment.json("item", first(deployment)["key"])["evidence_list"] if e["found"]]


def is_settled(deployment):
    deployment.settle()
    assert answer(deployment) == "done" and first(deployment)["state"] == "complete"
    assert deployment.peer.ended == 1, "it was not sent again"


def test_e01_a_copy_that_arrives_while_a_person_is_asked_settles_it(doubtful):
    doubtful.letters["evidence"] = {"folder": "Sent", "wait": "0s"}
    doubtful.settle()
    assert first(doubtful)["reason"] == "acknowledgement-unknown"
    doubtful.imap().append("Sent", "", None, doubtful.peer.accepted[0])
    is_settled(doubtful)
    assert told_by(doubtful) == ["evidence-folder"]
    doubtful.check()


def forged(letter):
    return re.sub(rb"X-Onecase-Proof: \S+", b"X-Onecase-Proof: " + b"0" * 64, letter)


def test_e03_a_forged_copy_without_proof_is_ordinary_mail_and_settles_nothing(doubtful):
    doubtful.run("run", "--once")
    copy = forged(doubtful.peer.accepted[0])
    doubtful.imap().append("Sent", "", None, copy)
    doubtful.deliver(copy.replace(b"From: Service Desk <help@box.example.org>", b"From: stranger@senders.example"))
    doubtful.run("run", "--once")
    assert answer(doubtful) == "unknown" and told_by(doubtful) == []
    assert "evidence" not in [item["disposition"] for item in doubtful.items()]


def automatic(letter, sender, **fields):
    named = email.message_from_bytes(letter)
    return raw({"From": sender, "To": "help@box.example.org", "Subject": "Out of office", "Date": named["Date"],
                "Message-ID": "<away@elsewhere.example>", "Auto-Submitted": "auto-replied",
                "In-Reply-To": named["Message-ID"], "References": named["Message-ID"], **fields}, b"I am away.\r\n")


def test_e04_an_out_of_office_from_another_address_is_evidence_and_a_report_and_no_case(doubtful):
    doubtful.run("run", "--once")
    doubtful.deliver(automatic(doubtful.peer.accepted[0], "colleague@elsewhere.example"))
    doubtful.settle()
    assert answer(doubtful) == "done" and doubtful.peer.ended == 1
    assert sorted(item["disposition"] for item in doubtful.items()) == ["case", "report"]
    assert len(doubtful.json("cases")) == 1 and doubtful.json("cases")[0]["state"] == "open"
    doubtful.check()


def test_e04_it_reopens_no_case_that_is_closed(deployment):
    deployment.deliver(plain("asks"))
    deployment.settle()
    case, = deployment.json("cases")
    deployment.run("case", case["reference"], "--close", "--by", "Ada", "--reason", "done")
    deployment.deliver(automatic(deployment.peer.accepted[0], "colleague@elsewhere.example"))
    deployment.settle()
    assert [c["state"] for c in deployment.json("cases")] == ["closed"]
    assert deployment.peer.ended == 1


def report(letter, action):
    named = email.message_from_bytes(letter)
    body = (f"--=_r\r\nContent-Type: text/plain\r\n\r\nReport.\r\n"
            f"--=_r\r\nContent-Type: message/delivery-status\r\n\r\n"
            f"Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; a@senders.example\r\nAction: {action}\r\n"
            f"Status: 2.0.0\r\n\r\n--=_r\r\nContent-Type: text/rfc822-headers\r\n\r\n"
            f"Message-ID: {named['Message-ID']}\r\nSubject: x\r\n\r\n--=_r--\r\n")
    return raw({"From": "mailer-daemon@mx.example", "To": "help@box.example.org", "Subject": "Delivery report",
                "Date": named["Date"], "Message-ID": "<dsn@mx.example>", "Return-Path": "<>", "MIME-Version": "1.0",
                "Auto-Submitted": "auto-replied", "Content-Type":
                'multipart/report; report-type=delivery-status; boundary="=_r"'}, body.encode())


def test_e05_a_positive_delivery_report_settles_it(doubtful):
    doubtful.run("run", "--once")
    doubtful.deliver(report(doubtful.peer.accepted[0], "delivered"))
    doubtful.settle()
    assert answer(doubtful) == "done" and doubtful.peer.ended == 1
    assert sorted(item["disposition"] for item in doubtful.items()) == ["case", "report"]
    assert len(doubtful.acknowledgements()) == len(doubtful.json("cases")) == 1
    doubtful.check()


def test_e06_a_missing_evidence_folder_is_said_and_nothing_is_concluded(make):
    deployment = make(DROPPED)
    deployment.letters["evidence"] = {"folder": "Sent/Missing", "wait": "1h"}
    deployment.deliver(plain("asks"))
    for _ in range(3):
        deployment.run("run", "--once")
    assert answer(deployment) == "unknown" and first(deployment)["state"] == "in_progress"
    assert "evidence" in deployment.said and "Sent/Missing" in deployment.said
    deployment.imap().create("Sent/Missing")
    deployment.imap().append("Sent/Missing", "", None, deployment.peer.accepted[0])
    is_settled(deployment)
    deployment.check()


@pytest.mark.parametrize("choice, cases, letters", [("new-case", 2, 2), ("append", 1, 1), ("dismiss", 1, 1)])
def test_o04_a_conflict_decided_by_a_person_is_recorded_with_who_and_why(deployment, choice, cases, letters):
    deployment.deliver(*(plain("asks", text, "<same@senders.example>") for text in ("one", "another")))
    deployment.settle()
    conflict, = deployment.asked("conflict")
    deployment.resolve(conflict["key"], "--conflict", choice)
    deployment.settle()
    assert (len(deployment.json("cases")), len(deployment.acknowledgements())) == (cases, letters)
    decided, = deployment.json("item", conflict["key"])["approval_list"]
    assert decided["by"].startswith("Ada (") and decided["reason"] == "test", decided
    assert deployment.uids() == {}
    deployment.check()
