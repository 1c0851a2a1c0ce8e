# SPDX-License-Identifier: Apache-2.0
"""Loops by the whole program: two desks that mail each other, a desk that answers everything, a flood."""
import email
import re

from mails import plain
from rig import assert_adds_up, assert_invariants, await_, effects

BY = ("--by", "Ann", "--reason", "a loop")


def ours(rig):
    """Confirmations that have come to this account, as messages."""
    mails = [email.message_from_bytes(octets) for folder in ("INBOX", "Processed") for octets in rig.mails(folder).values()]
    return [mail for mail in mails if mail["X-Onecase-Acknowledgement"]]


def test_two_desks_that_mail_each_other_end_after_one_confirmation_each(make_rig):
    """It begins with a mail to the one that wants to be answered at the other; all else is theirs, over SMTP."""
    a, b = make_rig(), make_rig()
    a.deliver(plain("start", Reply_To=b.address))
    a.once()
    await_(lambda: b.uids(), "the confirmation comes to the other desk")
    for _ in range(2):
        b.once()
        a.once()
    assert [mail["To"] for mail in ours(b)] == [b.address] and ours(a) == []
    for desk, other in ((a, b), (b, a)):
        assert len(desk.json("cases")) == 1, "one case each"
        assert_invariants(desk, letters=ours(other))


def at(rig, address):
    """Makes it a desk elsewhere, whose mail is carried by hand: a gateway is between them."""
    rig.address = address
    rig.mailbox["addresses"] = [address]
    rig.letters["from"] = f"Desk <{address}>"
    return rig


def test_two_desks_behind_gateways_that_strip_what_a_program_says_of_itself_end_too(make_rig):
    a, b = at(make_rig(), "desk@a.example"), at(make_rig(), "desk@b.example")
    a.deliver(plain("start", From="Desk <desk@b.example>"))
    carried = set()
    for _ in range(4):
        for here, there in ((a, b), (b, a)):
            here.once()
            for letter in here.acknowledgements():
                if letter["Message-ID"] in carried or there.address not in letter["To"]:
                    continue
                carried.add(letter["Message-ID"])
                for field in ("Auto-Submitted", "X-Auto-Response-Suppress", "X-Onecase-Acknowledgement", "X-Onecase-Proof"):
                    del letter[field]
                there.deliver(letter.as_bytes())
    for desk in (a, b):
        assert len(desk.json("cases")) == 1, "one case each"
        assert len(desk.acknowledgements()) == 1, "one confirmation each"


def bare_answer(letter, number, desk):
    """What an old program answers: no sign of being one, but In-Reply-To."""
    subject = str(email.header.make_header(email.header.decode_header(letter["Subject"])))
    return plain(f"robot{number}", "Your mail has been received.", From="Robot <robot@senders.example>",
                 Subject=f"Re: {subject}", In_Reply_To=letter["Message-ID"], To=desk.address)


def test_a_desk_that_answers_each_confirmation_ends_in_one_case(rig):
    rig.deliver(plain("first", From="Robot <robot@senders.example>"))
    answered = 0
    for _ in range(4):
        rig.once()
        letters = rig.acknowledgements()
        for letter in letters[answered:]:
            rig.deliver(bare_answer(letter, answered, rig))
        answered = len(letters)
    assert len(rig.json("cases")) == 1 and len(rig.acknowledgements()) == 1
    assert rig.json("cases")[0]["messages"] == 2
    assert_invariants(rig)


def test_a_program_that_answers_without_a_name_meets_the_recipients_limit(rig):
    rig.letters["per_recipient_limit"] = "3/1h"
    for number in range(6):
        rig.deliver(plain(f"again {number}", From="Robot <robot@senders.example>"))
    rig.once()
    assert len(rig.acknowledgements()) == 3 and len(rig.json("cases")) == 6
    skipped = [e["reason"] for item in rig.items() for e in effects(item, "acknowledgement") if e["status"] == "skipped"]
    assert skipped == ["recipient-limit"] * 3
    assert_invariants(rig)


def test_a_flood_is_one_question_and_mute_ends_it(rig):
    rig.settings["case"] = {"per_sender_limit": "3/1h"}
    rig.deliver(*[plain("flood", f"thing {n}") for n in range(12)])
    assert rig.once()["completed"] == 3
    page = rig.run("items", "--state", "needs_reconciliation").stdout
    assert page.count("too many of one sender") == 1 and "too many of one sender: 9" in page
    assert len(rig.items("--state", "needs_reconciliation")) == 9
    key = rig.items("--state", "needs_reconciliation")[0]["key"]
    assert "9 mails of this sender wait; --all-like" in rig.run("item", key).stdout
    rig.run("resolve", key, "--flood", "mute", "--all-like", *BY)
    rig.deliver(plain("flood", "yet another"), plain("other", "A case like any other."))
    assert rig.once()["new"] == 2
    assert rig.items("--state", "needs_reconciliation") == [] and rig.uids() == {}
    assert len(rig.json("cases")) == 4 and len(rig.acknowledgements()) == 4
    report = rig.json("report", "duplicates")
    assert_adds_up(report)
    assert report["totals"]["held"] == report["totals"]["decided"]["dismissed"] == 10, report["totals"]
    assert_invariants(rig)


def results(octets, says, server="MX.Example.org", above=True):
    """As the own server hands it on: its word above its Received field, or a sender's below."""
    field = f"Authentication-Results: {server};\r\n\tspf=pass; dmarc={says} (p=none) header.from=senders.example\r\n".encode()
    hop = b"Received: from a by mx.example.org; Mon, 2 Mar 2026 01:02:03 +0000\r\n"
    return (field + hop if above else hop + field) + octets


def test_a_sender_that_the_own_server_says_is_forged_is_not_told(rig, tmp_path):
    """A fail skips, also after a person let it through; one that a stranger wrote changes nothing, and a key rule
    that requires pass is for no other."""
    rig.settings["authentication"] = {"authserv_id": "mx.example.org", "skip_on_fail": True}
    rig.settings["case"] = {"per_sender_limit": "1/1h"}
    rig.settings["key_rules"] = [{"namespace": "portal", "from": "*@senders.example", "header": "X-Request-Id",
                                  "require": "dmarc-pass"}]
    mails = {name: results(plain(name, X_Request_Id=name), *how) for name, how in {
        "passed": ("pass",), "failed": ("fail",), "other": ("fail", "mx.example.com"),
        "below": ("fail", "mx.example.org", False), "claimed": ("pass", "mx.example.org", False)}.items()}
    mails["flood"] = results(plain("failed", "Once more.", X_Request_Id="f"), "fail")
    rig.deliver(*mails.values())
    rig.once()
    key = rig.item_of(mails["flood"])["key"]
    assert [item["key"] for item in rig.items("--state", "needs_reconciliation")] == [key]
    rig.run("resolve", key, "--flood", "let-through", *BY)
    rig.once()
    found = {name: rig.item_of(octets) for name, octets in mails.items()}
    told = {name: [(e["status"], e["reason"]) for e in effects(item, "acknowledgement")] for name, item in found.items()}
    skipped = [("skipped", "dmarc-fail")]
    assert {name for name, tried in told.items() if tried == skipped} == {"failed", "flood"}, told
    assert len(rig.acknowledgements()) == len(rig.json("cases")) - 2 == 4
    assert {name for name, item in found.items() if item["key_source"] == "reference"} == {"passed"}
    page = rig.run("item", found["failed"]["key"]).stdout
    assert "its sender may be forged (DMARC fail)" in page
    file = tmp_path / "failed.eml"
    file.write_bytes(mails["failed"])
    assert rig.json("identify", str(file))["dmarc"] == "fail"
    page = rig.run("identify", str(file)).stdout
    assert re.search(r"^DMARC +fail$", page, re.M)
    assert "1, portal: dmarc-pass is missing" in page and "none: its sender may be forged (DMARC fail)" in page
    assert_invariants(rig)
