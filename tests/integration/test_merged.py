# SPDX-License-Identifier: Apache-2.0
"""Mailboxes whose same mail is one (merge_across): two accounts on a real server, one service."""
import hashlib
import os
import signal

import pytest

from imap_proxy import ImapProxy
from mails import plain
from rig import assert_adds_up, await_, effects

BOTH = "<both@senders.example>"


def key_in(mailbox, message_id=BOTH):
    return hashlib.sha256(f"{mailbox}:{message_id}".encode()).hexdigest()


@pytest.fixture(name="pair")
def pair_(rig, make_rig):
    """Two mailboxes, help and sales, of one installation."""
    other = make_rig()
    rig.settings["mailboxes"].append({**other.mailbox, "id": "sales", "acknowledgement": {"from": other.address}})
    return rig, other


def merge(rig):
    rig.settings["merge_across"] = ["help", "sales"]


def letters(rig, other):
    return rig.acknowledgements() + other.acknowledgements()


def assert_one_case(rig, other, copies=2):
    """One item, one case, one letter; each mailbox has filed what is its own, and the report adds up."""
    item, = rig.items()
    assert item["state"] == "complete" and item["deliveries"] == copies and item["duplicates"] == copies - 1
    assert all(effect["status"] in ("done", "skipped") for effect in item["effects"])
    assert len(effects(item, "move")) == copies and len(effects(item, "acknowledgement")) == 1
    assert len(rig.json("cases")) == 1 and len(letters(rig, other)) == 1
    assert rig.uids() == other.uids() == {}
    report = rig.json("report", "duplicates")
    assert_adds_up(report)
    assert report["totals"]["cases_prevented"] == copies - 1 and report["boundaries"]["delivery"] == copies - 1
    assert rig.run("verify").returncode == 0
    return item


def test_the_same_mail_to_two_mailboxes_is_one_case(pair):
    """Both workers see it in the same second; whoever is first makes the case, and each moves its own."""
    rig, other = pair
    merge(rig)
    mail = plain("both", message_id=BOTH)
    rig.deliver(mail)
    other.deliver(b"Received: from elsewhere\r\n" + mail)
    service = rig.serve()
    await_(lambda: len(rig.uids("Processed")) == len(other.uids("Processed")) == 1, "both are filed")
    for number in range(4):
        mail = plain(f"both{number}")
        rig.deliver(mail)
        other.deliver(mail)
    await_(lambda: len(rig.uids("Processed")) == len(other.uids("Processed")) == 5, "all are filed")
    assert service.end() == 0
    assert len(rig.items()) == len(rig.json("cases")) == len(letters(rig, other)) == 5
    assert key_in("help") in [item["key"] for item in rig.items()]
    assert_adds_up(rig.json("report", "duplicates"))


def test_run_once_files_both_copies(pair):
    rig, other = pair
    merge(rig)
    mail = plain("both", message_id=BOTH)
    rig.deliver(mail)
    other.deliver(mail)
    sum_ = rig.once()
    assert (sum_["new"], sum_["duplicates"], sum_["completed"]) == (1, 1, 1)
    assert assert_one_case(rig, other)["key"] == key_in("help")
    assert len(rig.uids("Processed")) == len(other.uids("Processed")) == 1


def test_mail_seen_before_the_group_keeps_its_key(pair):
    """Seen by sales alone; then the two are made one, and its copy comes to help."""
    rig, other = pair
    mail = plain("both", message_id=BOTH)
    other.deliver(mail)
    rig.once()
    merge(rig)
    rig.deliver(mail)
    rig.once()
    item = assert_one_case(rig, other)
    assert item["key"] == key_in("sales") and item["mailbox"] == "sales"
    mail = plain("new", message_id="<new@senders.example>")
    rig.deliver(mail)
    other.deliver(mail)
    rig.once()
    assert key_in("help", "<new@senders.example>") in [item["key"] for item in rig.items()]
    assert len(rig.items()) == len(letters(rig, other)) == 2


def test_the_mailbox_whose_server_is_away_holds_up_only_its_own_copy(pair):
    """Sales has recorded its copy when its server goes; help completes without it, and sales files it later."""
    rig, other = pair
    merge(rig)
    with ImapProxy(other.box.imap) as proxy:
        rig.settings["mailboxes"][1]["imap"] = {**other.mailbox["imap"], "host": "127.0.0.1", "port": proxy.port,
                                                "security": "none"}
        proxy.on("UID MOVE", *["close"] * 9)
        mail = plain("both", message_id=BOTH)
        rig.deliver(mail)
        rig.once()
        other.deliver(mail)
        rig.once(status=None)
        item, = rig.items()
        assert item["state"] == "complete" and len(other.uids()) == 1 and rig.uids() == {}
        proxy.acts.clear()
        await_(lambda: rig.once(status=None) and other.uids() == {}, "its server is tried again")
        rig.settings["mailboxes"][1]["imap"] = other.mailbox["imap"]
        assert_one_case(rig, other)


def test_c16_a_run_that_dies_in_the_move_of_a_copy_files_it_once(pair):
    """Killed with the move under way: the next run looks for it where it was to go."""
    rig, other = pair
    merge(rig)
    rig.settings["lease"] = "1s"
    mail = plain("both", message_id=BOTH)
    rig.deliver(mail)
    rig.once()
    other.deliver(mail)
    with ImapProxy(other.box.imap) as proxy:
        mailbox = rig.settings["mailboxes"][1]
        direct, mailbox["imap"] = mailbox["imap"], {**other.mailbox["imap"], "host": "127.0.0.1", "port": proxy.port,
                                                    "security": "none"}
        proxy.on("UID MOVE", "stall")
        service = rig.serve()
        await_(lambda: proxy.acts[0][1] == [], "the move is under way")
        os.killpg(service.process.pid, signal.SIGKILL)
        service.end()
        mailbox["imap"] = direct
    await_(lambda: rig.once(status=None) and other.uids() == {}, "its server is tried again")
    assert_one_case(rig, other)
    assert len(other.uids("Processed")) == 1


def test_a_group_is_of_known_and_active_mailboxes(pair):
    rig, _ = pair
    rig.settings["mailboxes"][1]["mode"] = "look-only"
    rig.settings["merge_across"] = ["help", "sales", "hr", "help"]
    said = rig.run("status", status=78).stderr
    assert 'merge_across: the mailbox "sales" is look-only' in said
    assert 'merge_across: there is no mailbox "hr"' in said
    assert 'merge_across: "help" stands in it twice' in said
    rig.settings["merge_across"] = ["help"]
    assert "merge_across: expected two mailboxes or more" in rig.run("status", status=78).stderr
