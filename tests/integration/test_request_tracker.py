# SPDX-License-Identifier: Apache-2.0
"""The real Request Tracker behind config/destinations/request-tracker.yaml as it is shipped, and a gate between:
rows D02, D03 and C05 where the destination promises nothing. ONECASE_RT_MAILS says how many mails."""
import json
import os
import re
import signal

import pytest

from mails import plain
from request_tracker import Gate, RequestTracker
from rig import TOP, assert_invariants, await_, effects, yaml

MAILS, KILLS = int(os.environ.get("ONECASE_RT_MAILS", "200")), 20
PRESET = (TOP / "config/destinations/request-tracker.yaml").read_text()


@pytest.fixture(scope="module")
def tracker(scratch):
    with RequestTracker() as made:
        yield made


@pytest.fixture
def at_tracker(rig, tracker):
    """A rig that uses the preset: only where RT is, who signs in and how long a look-up is repeated are its own."""
    with Gate(tracker.port) as gate:
        token = rig.folder / "rt.authorization"
        token.write_text(tracker.authorization + "\n")
        token.chmod(0o600)
        preset = PRESET
        for ours, theirs in (("https://rt.example.org", f"http://127.0.0.1:{gate.port}"),
                             ("/etc/onecase/request-tracker.authorization", str(token)), ("settle: 5m", "settle: 3s")):
            assert ours in preset
            preset = preset.replace(ours, theirs)
        rig.settings["case"] = {"destination": "request-tracker", "per_sender_limit": 0}
        rig.write = lambda: rig.config.write_text(yaml(rig.settings) + "\n" + preset)
        rig.before = tracker.count()
        yield rig, gate


def tickets_of(tracker, rig):
    """Those of this rig's mails: key -> ids."""
    found = {}
    for number, key in tracker.tickets()[rig.before:]:
        found.setdefault(key, []).append(str(number))
    return found


def step_of(item):
    return next(e for e in effects(item, "case") if e["target"] == "request-tracker")


def person_answers(rig, tracker, gate):
    """Who is asked whether a ticket was made looks at RT, once that has nothing in hand, and says what is so."""
    asked = [i for i in rig.items("--state", "needs_reconciliation") if i["reason"] == "case-unknown"]
    await_(lambda: gate.busy == 0, "RT has nothing in hand")
    there = tickets_of(tracker, rig)
    for item in asked:
        answer = ["made", there[item["key"]][0]] if item["key"] in there else ["not-made"]
        rig.run("resolve", item["key"], "--case", *answer, "--by", "anna", "--reason", "looked at RT")
    return len(asked)


def assert_one_ticket_each(rig, tracker, count):
    items, there = rig.items(), tickets_of(tracker, rig)
    assert len(items) == count and {i["state"] for i in items} == {"complete"}
    assert sorted(there) == sorted(i["key"] for i in items)
    assert all(len(ids) == 1 for ids in there.values()), "a mail has more than one ticket"
    for item in items:
        step = step_of(item)
        assert (step["status"], step["external_id"]) == ("done", there[item["key"]][0])
    assert len(rig.acknowledgements()) == count


def test_a_mail_is_one_ticket_with_its_sender_subject_and_text(at_tracker, tracker):
    rig, _ = at_tracker
    mail = plain("printer", 'It says "PC LOAD LETTER" \\ {{key}}.')
    rig.deliver(mail, mail)
    rig.once()
    assert_one_ticket_each(rig, tracker, 1)
    item = rig.items()[0]
    ticket = json.loads(tracker.get(f"ticket/{step_of(item)['external_id']}"))
    subject = re.search(rb"^Subject: (.*)\r$", mail, re.M)[1].decode()
    assert ticket["Subject"] == f"{subject} [{item['case']}]"
    assert [r["id"] for r in ticket["Requestor"]] == [re.search(rb"<(printer[^>]*)>", mail)[1].decode()]
    text = tracker.sql(f"SELECT Content FROM Attachments JOIN Transactions ON Transactions.id = TransactionId"
                       f" WHERE ObjectType = 'RT::Ticket' AND ObjectId = {ticket['id']} AND Type = 'Create'")[0][0]
    assert 'It says "PC LOAD LETTER" \\ {{key}}.' in text


@pytest.mark.parametrize("how", ["working", "answered"], ids=["D02 no answer", "D03 the answer is lost"])
def test_what_is_not_known_is_looked_up_by_the_custom_field(at_tracker, tracker, how):
    rig, gate = at_tracker
    rig.deliver(plain("not known"))
    gate.arm(how)
    service = rig.serve()
    assert gate.happened.wait(60)
    service.end(signal.SIGKILL)
    await_(lambda: len(tickets_of(tracker, rig)) == 1, "RT has made it")
    rig.once()
    assert_one_ticket_each(rig, tracker, 1)
    assert step_of(rig.items()[0])["attempts"] == 1
    assert_invariants(rig, killed=True)


def test_C05_killed_in_mid_request_twenty_times_each_mail_is_one_ticket(at_tracker, tracker):
    rig, gate = at_tracker
    rig.deliver(*(plain(f"ticket {n}") for n in range(MAILS)))
    for n in range(KILLS):
        gate.arm(("answered", "working", "half")[n % 3], after=MAILS // (KILLS + 5))
        service = rig.serve()
        assert gate.happened.wait(120), f"kill {n}"
        service.end(signal.SIGKILL)
    service, asked = rig.serve(), 0

    def settled():
        nonlocal asked
        states = rig.status()["states"]
        asked += person_answers(rig, tracker, gate) if states["needs_reconciliation"] else 0
        return rig.status()["states"]["complete"] == MAILS
    await_(settled, "all are settled", 300)
    service.end()
    assert_one_ticket_each(rig, tracker, MAILS)
    assert asked >= KILLS // 3, "where half a request was cut off, and RT can have nothing, a person is asked"
    assert_invariants(rig, killed=True)
