# SPDX-License-Identifier: Apache-2.0
"""What a person decides at the terminal: who and why are asked for, and what does not fit changes nothing."""
import datetime
import json
import re
import sqlite3

import pytest

from conftest import EVENING

BY = ("--by", "Bob", "--reason", "he rang")
DOUBT = "HD-7PP1307J"
EARLY = str(EVENING - 5 * 3600 - 33 * 60)  # 12:57, when the mail server may still take it


@pytest.mark.parametrize("words", [
    f"resolve {DOUBT} --acknowledgement sent", f"resolve {DOUBT} --undo", f"replay {DOUBT} --approve",
    "replay --state complete --approve", "pause", "resume", "case HD-EGGGRWE0 --close", "suspects HD-EGGGRWE0 --different",
])
@pytest.mark.parametrize("given, missing", [
    ([], ["--by NAME", "--reason TEXT"]), (["--by", "Bob"], ["--reason TEXT"]), (["--reason", "r"], ["--by NAME"]),
    (["--by", " ", "--reason", "r"], ["--by NAME"]), (["--by", "Bob", "--reason", ""], ["--reason TEXT"]),
])
def test_without_a_name_and_a_reason_nothing_is_decided(desk, words, given, missing):
    before = desk.ledger()
    said = desk.run(*words.split(), *given, status=64).stderr
    assert all(what in said for what in missing) and "Nothing was changed" in said
    assert desk.ledger() == before


def test_a_decision_is_recorded_with_name_account_and_reason(desk):
    said = desk.run("resolve", DOUBT, "--acknowledgement", "sent", *BY, SUDO_USER="bob").stdout
    assert said == "What follows: nothing is mailed; can be taken back.\n" \
                   f"Recorded: it was sent; nothing is mailed.\n{DOUBT} is in progress now.\n"
    item = json.loads(desk.run("item", DOUBT, "--json").stdout)
    decision, = item["approval_list"]
    assert (decision["decision"], decision["reason"]) == ("acknowledgement-sent", "he rang")
    assert re.fullmatch(r"Bob \(\w+, sudo from bob\)", decision["by"])
    assert "decision: it was sent, by Bob (" in desk.run("item", DOUBT).stdout


def test_a_decision_for_scripts_is_an_object(desk):
    said = json.loads(desk.run("resolve", DOUBT, "--acknowledgement", "none", *BY, "--json").stdout)
    assert said == {"decision": "acknowledgement-none", "state": "in_progress", "case": DOUBT}


@pytest.mark.parametrize("key, decision, said, possible", [
    (DOUBT, "--conflict dismiss", "needs your decision: confirmation in doubt", ["--acknowledgement sent", "--acknowledgement not-sent"]),
    ("HD-WZDVM6YG", "--acknowledgement sent", "is complete", ["nothing"]),
    ("HD-KSGYFP4K", "--acknowledgement sent", "is complete", ["--acknowledgement none", "--resend-acknowledgement"]),
    ("HD-0FEPGNXS", "--acknowledgement not-sent", "'it was sent' was decided at 13:28 by bob (root)", ["--undo"]),
    ("10bedee54427", "--flood mute", "identifier used twice", ["--conflict new-case", "--conflict append", "--conflict dismiss"]),
    ("b4379aab578c", "--conflict append", "cannot be read", ["--unprocessable retry", "--unprocessable dismiss"]),
    ("HD-WZDVM6YG", "--undo", "is complete", ["There is no decision to take back"]),
])
def test_what_does_not_fit_says_how_it_is_and_what_is_possible(desk, key, decision, said, possible):
    before = desk.ledger()
    done = desk.run("resolve", key, *decision.split(), *BY, status=1).stderr
    assert said in done and "Nothing was changed" in done
    assert all(choice in done for choice in possible)
    assert desk.ledger() == before


def test_not_sent_before_its_time_says_from_when_it_is_possible(desk):
    before = desk.ledger()
    said = desk.run("resolve", DOUBT, "--acknowledgement", "not-sent", *BY, status=75, STILL_CLOCK=EARLY).stderr
    assert "not yet" in said and "It is possible from 13:05." in said and desk.ledger() == before
    desk.run("resolve", DOUBT, "--acknowledgement", "not-sent", *BY)


def test_from_when_not_sent_is_possible_is_the_same_wherever_it_is_asked(desk):
    early = {"STILL_CLOCK": EARLY}
    words = ("resolve", DOUBT, "--acknowledgement", "not-sent", *BY)
    when = json.loads(desk.run(*words, "--json", status=75, **early).stdout)["not_sent_from"]
    assert when == "2026-03-02T13:05:08Z"
    item = json.loads(desk.run("item", DOUBT, "--json", **early).stdout)
    listed, = (i for i in json.loads(desk.run("items", "--json", **early).stdout) if i["case"] == DOUBT)
    assert (item["not_sent_from"], item["not_sent_needs"]) == (listed["not_sent_from"], None) == (when, None)
    assert "Sending it again is possible from 13:05." in desk.run("item", DOUBT, **early).stdout
    assert "confirmation in doubt, again possible from 13:05" in desk.run("items", width=200, **early).stdout
    at = str(datetime.datetime.fromisoformat(when.replace("Z", "+00:00")).timestamp())
    assert "possible from" not in desk.run("item", DOUBT, STILL_CLOCK=at).stdout
    desk.run(*words, STILL_CLOCK=at)
    assert json.loads(desk.run("item", DOUBT, "--json").stdout)["not_sent_from"] is None


def test_not_sent_waits_for_a_run_that_may_still_live_and_says_so(desk):
    with sqlite3.connect(desk.folder / "data" / "ledger.db") as ledger:
        ledger.execute("UPDATE run SET ended_at = NULL, host = 'elsewhere'")
        ledger.execute("UPDATE attempt SET connection_closed = 0")
    item = json.loads(desk.run("item", DOUBT, "--json").stdout)
    assert (item["not_sent_from"], item["not_sent_needs"]) == (None, "run-gone")
    assert "possible once the run that sent it has ended" in " ".join(desk.run("item", DOUBT).stdout.split())
    assert "again possible once the run" in desk.run("items", width=200).stdout
    words = ("resolve", DOUBT, "--acknowledgement", "not-sent", *BY)
    assert "--run-gone" in desk.run(*words, status=75).stderr
    desk.run(*words, "--run-gone")


def test_the_choice_about_mail_from_before_is_recorded(desk):
    assert "onecase first-import sales cases|full|adopt" in desk.run("status", width=100).stdout
    assert json.loads(desk.run("first-import", "sales", "adopt", "--by", "Bob", "--json").stdout) == \
        {"mailbox": "sales", "choice": "adopt"}
    assert "'adopt' was chosen" in desk.run("first-import", "sales", "cases", status=1).stderr


def test_a_decision_is_taken_back_once(desk):
    desk.run("resolve", DOUBT, "--acknowledgement", "sent", *BY)
    assert "--undo" in desk.run("resolve", DOUBT, "--conflict", "dismiss", *BY, status=1).stderr
    later = str(EVENING + 60)
    assert f"{DOUBT} needs your decision now" in desk.run("resolve", DOUBT, "--undo", *BY, STILL_CLOCK=later).stdout
    said = desk.run("resolve", DOUBT, "--undo", *BY, status=1, STILL_CLOCK=later).stderr
    assert "There is no decision to take back" in said


def test_a_mailbox_is_paused_even_before_its_first_run_and_goes_on(new_desk):
    assert new_desk.run("pause", "--mailbox", "help", *BY).stdout.startswith("help")
    assert "onecase resume --mailbox help" in new_desk.run("status").stdout
    paused = {m["id"]: m["paused"] for m in json.loads(new_desk.run("status", "--json").stdout)["mailboxes"]}
    assert paused["help"]
    new_desk.run("resume", *BY)
    assert "paused" not in new_desk.run("status").stdout


def test_a_replay_shows_its_plan_and_does_it_only_when_told(desk):
    before = desk.ledger()
    plan = desk.run("replay", DOUBT).stdout
    assert "Nothing was done" in plan and desk.ledger() == before
    done = desk.run("replay", DOUBT, "--approve", *BY)
    assert "1" in done.stdout
    assert json.loads(desk.run("item", DOUBT, "--json").stdout)["deliveries"] == 2


def test_what_is_proposed_is_listed_and_refused_with_a_reason(desk):
    desk.config.write_text(desk.config.read_text() + "approval: two-person\n")
    assert desk.run("proposals").stdout == "There are none.\n"
    desk.run("resolve", DOUBT, "--acknowledgement", "none", *BY, status=77, SUDO_USER="bob")
    desk.run("replay", "--state", "complete", "--where", "mailbox=help", "--approve", *BY, status=77, SUDO_USER="bob")
    decision, replay = json.loads(desk.run("proposals", "--json").stdout)
    assert (decision["what"], decision["case"], decision["reason"]) == ("no confirmation", DOUBT, "he rang")
    assert replay["what"] == "replay of mails with the state 'complete', to help" and replay["case"] is None
    listed = desk.run("proposals").stdout
    assert DOUBT in listed and "replay of mails with the state 'complete'" in listed
    assert "sudo from bob" in desk.run("proposals", "--wide").stdout
    refuse = ("proposals", "--refuse", str(decision["id"]))
    before = desk.ledger()
    for given, status in ((["--by", "Ann"], 64), (["--reason", "no"], 64), (["--by", "Ann", "--reason", " "], 64)):
        desk.run(*refuse, *given, status=status)
    assert "takes the ID of the list" in desk.run("proposals", "--refuse", "all", *BY, status=64).stderr
    assert desk.ledger() == before
    assert desk.run(*refuse, "--by", "Ann", "--reason", "it was sent", SUDO_USER="ann").stdout == "Refused: nothing comes of it.\n"
    assert [p["id"] for p in json.loads(desk.run("proposals", "--json").stdout)] == [replay["id"]]
    assert "no such proposal" in desk.run(*refuse, "--by", "Ann", "--reason", "again", status=66).stderr
    late = desk.run("resolve", DOUBT, "--acknowledgement", "none", "--approve", "--by", "Ann", "--reason", "yes", status=77, SUDO_USER="ann")
    assert "Recorded as proposed" in late.stdout, "what was refused is not there to be approved"
    assert json.loads(desk.run("item", DOUBT, "--json").stdout)["approval_list"] == []
