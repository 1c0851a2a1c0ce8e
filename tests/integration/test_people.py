# SPDX-License-Identifier: Apache-2.0
"""What a person decides: conflicts, mail that cannot be taken as it is, and mail from before."""
import re

import pytest

from mails import PDF, multipart, part, plain, head, raw, with_parts
from rig import assert_adds_up, assert_invariants, effects
from smtp_peer import SmtpPeer

HOUR = 3600
BY = ("--by", "Ann Lee", "--reason", "she says so")


def hopeless(name):
    """More parts than any mail may have."""
    return with_parts(name, *[(["Content-Type: text/plain"], b"x")] * 2100)


def waiting(rig):
    return rig.items("--state", "needs_reconciliation")


# ---- conflicts ---------------------------------------------------------------------------------------------


@pytest.fixture
def conflict(rig):
    """Two mails that say different things under one Message-ID; gives the key of the second."""
    rig.first = plain("one", "The first thing.", "<same@senders.example>")
    rig.second = plain("two", "Quite another thing.", "<same@senders.example>")
    rig.deliver(rig.first)
    rig.once()
    rig.deliver(rig.second)
    summary = rig.once()
    assert (summary["conflicts"], summary["needs_reconciliation"]) == (1, 1)
    item, = waiting(rig)
    assert (item["key_source"], item["reason"]) == ("conflict", "conflict")
    assert len(rig.json("cases")) == 1 and len(rig.acknowledgements()) == 1 and len(rig.uids()) == 1
    assert rig.status()["waiting"] == {"conflict": 1}
    assert_invariants(rig)
    return item["key"]


def test_a_conflict_becomes_a_case_of_its_own_where_a_person_says_so(rig, conflict):
    rig.run("resolve", conflict, "--conflict", "new-case", *BY)
    rig.once()
    assert waiting(rig) == [] and rig.uids() == {}
    assert len(rig.json("cases")) == 2 and len(rig.acknowledgements()) == 2
    assert rig.json("report", "duplicates")["totals"]["decided"]["new_case"] == 1
    assert_invariants(rig)


def test_a_sender_who_reuses_one_identifier_is_asked_about_once_where_a_person_says_always(rig, conflict):
    rig.run("resolve", conflict, "--conflict", "new-case", "--always", *BY)
    third = plain("two", "A third thing.", "<same@senders.example>")
    rig.deliver(third)
    assert (summary := rig.once())["conflicts"] == 0 and summary["new"] == 1
    for copy in (third, rig.second, rig.first):
        rig.deliver(copy)
    assert rig.once()["duplicates"] == 3
    assert waiting(rig) == [] and len(rig.json("cases")) == 3 and len(rig.acknowledgements()) == 3
    rule, = rig.json("rules")
    rig.run("rules", "--remove", str(rule["id"]), *BY)
    rig.deliver(plain("two", "A fourth thing.", "<same@senders.example>"))
    assert rig.once()["conflicts"] == 1
    rig.run("resolve", conflict, "--conflict", "append", "--always", *BY, status=64)
    assert_invariants(rig)


def test_the_walk_takes_one_key_for_always_and_offers_no_undo_of_what_is_final(rig, conflict):
    rig.deliver(plain("three", "Not the same either.", "<same@senders.example>"))
    rig.once()
    before, after = rig.run("decide", typed="Ann\nthey number all alike\nwq").stdout.split("2 of 2:")
    assert "its sender is answered; cannot be taken back" in re.sub(r"\s+", " ", before)
    assert "  w  always a case of its own, for this sender" in before and "  w  always" in after
    assert "  u  " not in after, "a case that was made stays"
    rule, = rig.json("rules")
    assert rule["by"].startswith("Ann (") and rule["reason"] == "they number all alike" and rule["key"] == conflict
    rig.deliver(plain("two", "A fourth thing.", "<same@senders.example>"))
    assert rig.once()["conflicts"] == 0 and len(waiting(rig)) == 1


def test_a_conflict_is_added_to_the_first_case_where_a_person_says_so(rig, conflict):
    rig.run("resolve", conflict, "--conflict", "append", *BY)
    rig.once()
    assert waiting(rig) == [] and rig.uids() == {}
    case, = rig.json("cases")
    assert case["messages"] == 2 and len(rig.acknowledgements()) == 1
    assert "Quite another thing." in "".join(m["text"] for m in rig.json("case", case["reference"])["messages"])
    assert_invariants(rig)


def test_a_conflict_is_filed_as_the_same_mail_where_a_person_says_so(rig, conflict):
    rig.run("resolve", conflict, "--conflict", "dismiss", *BY)
    rig.once()
    assert waiting(rig) == [] and rig.uids() == {} and len(rig.uids("Processed")) == 2
    assert len(rig.json("cases")) == 1 and len(rig.acknowledgements()) == 1
    assert rig.json("report", "duplicates")["totals"]["decided"]["dismissed"] == 1
    item = rig.json("item", conflict)
    assert item["disposition"] == "dismissed" and item["approval_list"][0]["by"].startswith("Ann Lee (")
    assert_invariants(rig)


def test_another_copy_of_a_conflict_is_its_duplicate(rig, conflict):
    rig.deliver(rig.second)
    assert rig.once()["duplicates"] == 1
    assert len(waiting(rig)) == 1
    rig.run("resolve", conflict, "--conflict", "new-case", *BY)
    rig.once()
    assert rig.uids() == {} and len(rig.json("cases")) == 2
    assert_invariants(rig)


def test_a_decision_is_taken_once(rig, conflict):
    rig.run("resolve", conflict, "--conflict", "dismiss", *BY)
    rig.run("resolve", conflict, "--conflict", "new-case", *BY, status=1)
    rig.once()
    assert len(rig.json("cases")) == 1


def test_a_decision_that_nothing_came_of_is_taken_back(rig, conflict):
    rig.run("resolve", conflict, "--conflict", "dismiss", *BY)
    rig.run("resolve", conflict, "--undo", *BY)
    assert [item["key"] for item in waiting(rig)] == [conflict]
    rig.run("resolve", conflict, "--conflict", "new-case", *BY)
    rig.once()
    assert len(rig.json("cases")) == 2
    assert_invariants(rig)


# ---- mail that cannot be taken as it is --------------------------------------------------------------------


def test_an_unprocessable_mail_is_kept_and_shown_and_not_in_the_way_of_the_next(rig):
    bad = hopeless("bad")
    rig.deliver(plain("before"), bad, plain("after"))
    summary = rig.once()
    assert (summary["completed"], summary["needs_reconciliation"]) == (2, 1)
    item, = waiting(rig)
    assert (item["reason"], item["disposition"], item["case"]) == ("unprocessable", "held", None)
    assert rig.item_of(bad)["key"] == item["key"], "the original is not kept"
    assert len(rig.uids()) == 1
    assert rig.once()["deliveries"] == 0
    assert_invariants(rig)
    rig.run("resolve", item["key"], "--unprocessable", "dismiss", *BY)
    rig.once()
    assert rig.uids() == {} and len(rig.json("cases")) == 2
    assert_invariants(rig)


def test_an_unprocessable_mail_that_is_dismissed_goes_to_the_folder_for_such(rig):
    rig.mailbox["folders"] = {"unprocessable": "Unreadable"}
    rig.deliver(hopeless("bad"))
    rig.once()
    assert len(rig.uids()) == 1
    rig.run("resolve", waiting(rig)[0]["key"], "--unprocessable", "dismiss", *BY)
    rig.once()
    assert len(rig.uids("Unreadable")) == 1 and rig.uids() == {}


def test_an_empty_mail_is_held(rig):
    rig.deliver(raw(head("fine"), b"x\r\n"))
    rig.imap().append("INBOX", "", None, b"\r\n")
    rig.delivered.append(b"\r\n")
    rig.once()
    assert_invariants(rig)


def test_an_oversize_mail_is_held_and_not_fetched(rig):
    rig.mailbox["max_message_size"] = "20KB"
    big = with_parts("big", part('attachment; filename="big.pdf"', PDF * 500))
    rig.deliver(big, plain("small"))
    summary = rig.once()
    assert (summary["completed"], summary["needs_reconciliation"]) == (1, 1)
    item, = waiting(rig)
    assert (item["reason"], item["key_source"]) == ("oversize", "message-id")
    assert not list(rig.data.glob(f"items/*/{item['key']}/*"))
    assert len(rig.uids()) == 1 and len(rig.json("cases")) == 1
    rig.run("resolve", item["key"], "--unprocessable", "dismiss", *BY)
    rig.once()
    assert rig.uids() == {} and len(rig.json("cases")) == 1


def test_one_sender_with_too_many_mails_is_held(rig):
    rig.settings["case"] = {"per_sender_limit": "3/1h"}
    rig.deliver(*[plain("many", f"thing {n}") for n in range(5)])
    assert rig.once()["completed"] == 3
    assert [item["reason"] for item in waiting(rig)] == ["case-flood"] * 2
    rig.run("resolve", waiting(rig)[0]["key"], "--flood", "let-through", *BY)
    rig.run("resolve", waiting(rig)[0]["key"], "--flood", "mute", *BY)
    rig.once()
    assert waiting(rig) == [] and rig.uids() == {}
    assert len(rig.json("cases")) == 4 and len(rig.acknowledgements()) == 4
    assert_invariants(rig)


# ---- mail from before --------------------------------------------------------------------------------------


@pytest.fixture
def before(rig):
    """Two mails of today, one of yesterday and one of last month, at the first start."""
    rig.deliver(plain("now"), plain("just now"))
    rig.deliver(plain("yesterday"), age=30 * HOUR)
    rig.deliver(plain("last month"), age=30 * 24 * HOUR)
    summary = rig.once()
    assert (summary["new"], summary["completed"], summary["awaiting_choice"]) == (2, 2, 2)
    assert rig.status()["awaiting_choice"] == 2 and "first-import help" in rig.run("status").stdout
    assert len(rig.uids()) == 2 and len(rig.json("cases")) == 2 and len(rig.json("deliveries")) == 2
    assert_invariants(rig)
    assert rig.once()["awaiting_choice"] == 2
    return rig


@pytest.mark.parametrize("choice, cases, letters", [("cases", 4, 2), ("full", 4, 3), ("adopt", 2, 2)])
def test_mail_from_before_waits_for_the_choice(before, choice, cases, letters):
    """`full` tells the sender of yesterday, too; that of last month is too old in any case."""
    rig = before
    rig.run("first-import", "help", choice, "--by", "Ann")
    rig.once()
    assert rig.status()["awaiting_choice"] == 0
    assert len(rig.json("cases")) == cases and len(rig.acknowledgements()) == letters
    assert len(rig.uids()) == (2 if choice == "adopt" else 0)
    assert_invariants(rig)
    rig.deliver(plain("later"))
    assert rig.once()["completed"] == 1
    assert_invariants(rig)


def test_the_choice_is_one_of_three(before):
    before.run("first-import", "help", "some", status=64)
    before.run("first-import", "nobody", "cases", status=64)
    assert before.status()["awaiting_choice"] == 2


# ---- looking only ------------------------------------------------------------------------------------------


def test_look_only_records_and_changes_nothing_anywhere(rig):
    rig.mailbox["mode"] = "look-only"
    mail = plain("look")
    rig.deliver(mail, mail, with_parts("file", part('attachment; filename="a.pdf"', PDF)))
    seen = rig.snapshot()
    summary = rig.once()
    assert summary["deliveries"] == 3
    rig.once()
    assert rig.snapshot() == seen, "the account was changed"
    assert rig.acknowledgements() == [] and rig.json("cases") == []
    assert rig.status()["mode"] == "look-only"
    totals = rig.json("report", "duplicates")
    assert_adds_up(totals)
    assert totals["totals"]["adopted"] == totals["totals"]["first"] == 2
    # active: what it saw is from before
    rig.mailbox["mode"] = "active"
    rig.deliver(plain("new"))
    rig.once()
    assert len(rig.json("cases")) == 1 and len(rig.acknowledgements()) == 1
    assert len(rig.uids()) == 3


def test_a_dry_run_says_what_would_be_done_and_does_nothing(rig):
    mail = plain("dry")
    rig.deliver(mail, mail, plain("quiet", Auto_Submitted="auto-replied"))
    seen = rig.snapshot()
    said = rig.run("run", "--once", "--dry-run").stdout
    assert len(said.splitlines()) >= 3
    assert rig.snapshot() == seen and rig.acknowledgements() == []
    assert rig.json("cases") == [] and rig.json("items") == [] and rig.files() == {}
    assert rig.once()["new"] == 2


# ---- pause, replay -----------------------------------------------------------------------------------------


def test_a_pause_lets_intake_go_on_and_nothing_else(rig):
    rig.deliver(plain("first"))
    rig.once()
    rig.run("pause", *BY)
    rig.deliver(plain("second"))
    assert rig.once()["new"] == 1
    assert rig.status()["paused"] is True and len(rig.acknowledgements()) == 1 and len(rig.uids()) == 1
    rig.run("resume", *BY)
    rig.once()
    assert rig.uids() == {} and len(rig.acknowledgements()) == 2
    assert_invariants(rig)


def test_a_replay_of_a_complete_mail_runs_nothing_again(rig):
    rig.deliver(plain("again"))
    rig.once()
    item, = rig.items()
    plan = rig.run("replay", item["case"]).stdout
    assert "Nothing was done" in plan
    rig.run("replay", item["case"], "--approve", status=64)
    rig.run("replay", item["case"], "--approve", *BY)
    rig.once()
    assert len(rig.acknowledgements()) == 1 and len(rig.json("cases")) == 1
    assert {d["class"] for d in rig.json("deliveries")} == {"first", "replayed"}
    assert_adds_up(rig.json("report", "duplicates"))


def test_an_acknowledgement_that_was_refused_is_sent_after_all_where_a_person_says_so(rig):
    with SmtpPeer("on RCPT reply 550 5.1.1 unknown\non RCPT reply 250 ok") as peer:
        rig.send_to(peer.port)
        rig.deliver(plain("mended"))
        rig.once()
        item, = rig.items("--not-told")
        rig.run("resolve", item["key"], "--resend-acknowledgement", *BY)
        rig.once()
        assert len(peer.accepted) == 1
        assert effects(rig.items()[0], "acknowledgement")[0]["status"] == "done"
        assert rig.items("--not-told") == [] and rig.status()["not_told"] == 0
