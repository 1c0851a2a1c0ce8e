# SPDX-License-Identifier: Apache-2.0
"""S: what a mail server can do to the whole program, row by row; test_smtp_stages.py has each stage of the
courier alone. S20-S25 take hours at real servers: here the back-off is 20 ms to 50 ms, or the clock is moved."""
import os
import signal
import sqlite3

import pytest

from deployment import rig
from mails import plain
from smtp_peer import Script


def answers(deployment):
    return sorted(rig.effects(item, "acknowledgement")[0]["status"] for item in deployment.items())


def states(deployment):
    return sorted(item["state"] for item in deployment.items())


def recipients(deployment):
    return [letter["To"] for letter in deployment.acknowledgements()]


def all_are_told_once(deployment, count):
    deployment.settle()
    assert states(deployment) == ["complete"] * count and answers(deployment) == ["done"] * count
    assert len(set(recipients(deployment))) == len(deployment.acknowledgements()) == count
    assert deployment.uids() == {}
    deployment.check()


def several(count):
    return [plain(f"asks{n}") for n in range(count)]


DEFERRED = {  # row: what the server does twice before it works
    "S03 banner 421": ["on connect reply 421 4.3.2 busy, then close"],
    "S03 banner 554": ["on connect reply 554 5.7.1 no, then close"],
    "S03 EHLO and HELO refused": ["on EHLO reply 502 5.5.1 no", "on HELO reply 502 5.5.1 no"],
    "S06 AUTH 454": ["on AUTH reply 454 4.7.0 later"],
    "S06 AUTH 535": ["on AUTH reply 535 5.7.8 no"],
    "S07 MAIL 451": ["on MAIL reply 451 4.3.0 later"],
    "S07 MAIL 550": ["on MAIL reply 550 5.7.1 not you"],
    "S08 RCPT 450 greylisted": ["on RCPT reply 450 4.7.1 greylisted"],
    "S10 DATA 451": ["on DATA reply 451 4.3.0 later"],
    "S15 4xx after the line": ["after end-of-data reply 451 4.3.0 later"],
}
WELL = {
    "connect": "on connect reply 220 peer ESMTP", "EHLO": "on EHLO reply 250 peer", "HELO": "on HELO reply 250 peer",
    "AUTH": "on AUTH reply 235 2.7.0 welcome", "MAIL": "on MAIL reply 250 2.1.0 ok",
    "RCPT": "on RCPT reply 250 2.1.5 ok", "DATA": "on DATA reply 354 go ahead",
    "end-of-data": "after end-of-data accept",
}


def twice_then_well(trouble):
    return "\n".join(turn for line in trouble for turn in (line, line, WELL[line.split(" ")[1]]))


@pytest.mark.parametrize("trouble", DEFERRED.values(), ids=DEFERRED)
def test_deferred_and_then_told_once(make, trouble):
    deployment = make(twice_then_well(trouble))
    deployment.letters["connections"] = 1
    if "AUTH" in trouble[0]:
        deployment.send_to(deployment.peer.port, username="help", password_file="password")
    deployment.deliver(plain("asks"))
    deployment.run("run", "--once")
    assert answers(deployment) in (["deferred"], ["done"])
    all_are_told_once(deployment, 1)


def test_s11_dropped_in_the_body_is_told_once_later(make):
    """A short body fits into the sockets, so the run is held before the end-of-data line until the server is gone."""
    deployment = make("after 10 octets close\nafter 10 octets wait 0")
    deployment.deliver(plain("asks"))
    run, worker = deployment.stop_at("stop-before courier.release 1")
    assert deployment.peer.interrupted.wait(20)
    os.kill(worker, signal.SIGCONT)
    run.wait(30)
    assert answers(deployment) in (["deferred"], ["done"])
    all_are_told_once(deployment, 1)


@pytest.mark.parametrize("script", ["on RCPT reply 550 5.1.1 unknown", "on DATA reply 554 5.5.1 no",
                                    "after end-of-data reply 550 5.1.1 who"],
                         ids=["S09 RCPT 550", "S10 DATA 554", "S15 5.1.1 after the line"])
def test_refused_and_recorded_without_a_loop(make, script):
    deployment = make(script)
    deployment.deliver(plain("asks"))
    deployment.settle()
    tries = len([c for c in deployment.peer.commands if c.startswith("MAIL")])
    deployment.settle()
    assert tries == len([c for c in deployment.peer.commands if c.startswith("MAIL")]) == 1
    assert states(deployment) == ["complete"] and answers(deployment) == ["refused"]
    assert len(deployment.items("--not-told")) == deployment.status()["not_told"] == 1
    deployment.check()


@pytest.mark.parametrize("script, taken", [
    ("after end-of-data take, then close", 1), ("after end-of-data close", 0),
    ("after end-of-data take, then stall", 1), ("after end-of-data take, then send hello\\r\\n", 1),
], ids=["S12 the server had accepted", "S13 it had not", "S14 reply later than the time-out", "S18 garbage"])
def test_unknown_and_never_sent_again_without_a_person(make, script, taken):
    deployment = make(script + "\nafter end-of-data accept")
    deployment.deliver(plain("asks"))
    deployment.settle()
    for _ in range(3):
        deployment.run("run", "--once")
    assert answers(deployment) == ["unknown"] and deployment.peer.ended == 1
    assert [i["reason"] for i in deployment.items()] == ["acknowledgement-unknown"]
    assert len(deployment.acknowledgements()) == taken and len(deployment.uids()) == 1
    deployment.check()
    deployment.settle_doubts()
    all_are_told_once(deployment, 1)


def test_s16_250_and_then_the_connection_drops_is_done(make):
    deployment = make("after accepting close")
    deployment.deliver(*several(3))
    all_are_told_once(deployment, 3)


def test_s17_421_between_two_messages_of_one_connection_defers_the_next_and_leaves_none_unknown(make):
    deployment = make("on MAIL reply 250 2.1.0 ok\non MAIL reply 421 4.7.0 too many, then close\n"
                      "on MAIL reply 250 2.1.0 ok")
    deployment.letters["connections"] = 1
    deployment.deliver(*several(3))
    deployment.run("run", "--once", status=None)
    assert "unknown" not in answers(deployment)
    all_are_told_once(deployment, 3)


def test_s20_a_server_that_is_down_keeps_no_case_waiting_and_each_is_told_in_order_after(deployment):
    port = deployment.peer.port
    deployment.send_to(rig.free_port())
    deployment.letters["connections"] = 1
    deployment.deliver(*several(5))
    for _ in range(3):
        deployment.run("run", "--once")
    assert len(deployment.json("cases")) == 5 and len(deployment.uids()) == 5
    assert answers(deployment) == ["planned"] * 5 or "deferred" in answers(deployment)
    status = deployment.status()
    assert status["circuit"] and status["circuit"]["reason"] and status["circuit"]["next_probe"]
    deployment.send_to(port)
    all_are_told_once(deployment, 5)


def test_s21_554_after_the_line_for_everybody_completes_nobody_unanswered(make):
    """Quota, or sending as this address denied: an hour long, shortened. The circuit opens; all are told after."""
    deployment = make("after end-of-data reply 554 5.2.0 quota exceeded")
    deployment.deliver(*several(6))
    for _ in range(5):
        deployment.run("run", "--once")
        assert deployment.status()["circuit"]
        assert "complete" not in states(deployment) and len(deployment.uids()) == 6
    print(states(deployment), answers(deployment), [i["reason"] for i in deployment.items()])
    deployment.peer.script = Script("")
    all_are_told_once(deployment, 6)


def test_s21_those_that_wait_already_return_as_it_was_not_their_fault(make):
    """One after the other: the third shows that everybody is refused, and what the first two wait for is withdrawn by
    the service, not found by evidence."""
    deployment = make("after end-of-data reply 554 5.2.0 quota exceeded")
    for mail in several(3):
        deployment.deliver(mail)
        deployment.run("run", "--once")
    assert states(deployment) == ["in_progress"] * 3
    with sqlite3.connect(f"file:{deployment.data / 'ledger.db'}?mode=ro", uri=True) as ledger:
        left = ledger.execute("SELECT what, actor FROM event WHERE from_state = 'needs_reconciliation'").fetchall()
    assert left == [("reopen", "service")] * 2
    deployment.peer.script = Script("")
    all_are_told_once(deployment, 3)


def test_s22_a_server_that_replaces_the_message_id_the_copy_is_found_by_our_header(make):
    deployment = make("after end-of-data take, then close\nafter end-of-data accept")
    deployment.letters["evidence"] = {"folder": "Sent", "wait": "1s"}
    deployment.imap().create("Sent")
    deployment.deliver(plain("asks"))
    deployment.run("run", "--once")
    letter, = deployment.peer.accepted
    old = deployment.acknowledgements()[0]["Message-ID"].encode()
    deployment.imap().append("Sent", "", None, letter.replace(old, b"<other@server.example>"))
    all_are_told_once(deployment, 1)
    assert deployment.peer.ended == 1


def test_s23_432_after_the_line_with_many_waiting_asks_no_person(make):
    """Throttled: each third letter goes through. The rate is found by being put off, in turn, until all are told."""
    put_off = ["after end-of-data reply 432 4.3.2 STOREDRV; concurrent connections exceeded"] * 2
    deployment = make("\n".join((put_off + ["after end-of-data accept"]) * 30 + ["after end-of-data accept"]))
    deployment.deliver(*several(30))
    asked = 0
    for _ in range(60):
        deployment.run("run", "--once")
        asked += len(deployment.items("--state", "needs_reconciliation"))
        if len(deployment.acknowledgements()) == 30:
            break
    assert asked == 0
    all_are_told_once(deployment, 30)


def test_s24_a_final_reply_slower_than_the_lease_is_waited_for_and_the_lease_renewed(make):
    deployment = make("after end-of-data wait 3, then accept\nafter end-of-data accept")
    deployment.settings["lease"] = "1s"
    deployment.letters["final_timeout"] = "30s"
    deployment.deliver(plain("asks"))
    slow = deployment.popen("run", "--once")
    rig.await_(lambda: deployment.peer.ended == 1, "the letter is with the server")
    while slow.poll() is None:
        deployment.run("run", "--once")
        assert answers(deployment) in (["attempting"], ["done"])
    slow.communicate()
    assert deployment.peer.ended == 1
    all_are_told_once(deployment, 1)


def test_s25_greylisting_for_six_hours_by_the_clock(make):
    """It is put off until the clock is six hours on: within `give_up_after`, so no person is asked."""
    deployment = make("\n".join(["on RCPT reply 450 4.7.1 greylisted"] * 3 + ["on RCPT reply 250 2.1.5 ok"]))
    deployment.settings["retry"] = {"first_delay": "30m", "max_delay": "2h", "give_up_after": "48h"}
    deployment.deliver(plain("asks"))
    deployment.run("run", "--once")
    assert answers(deployment) == ["deferred"]
    for hours in (2, 4, 6, 8):
        deployment.set_clock(f"+{hours}h")
        deployment.run("run", "--once")
    assert answers(deployment) == ["done"] and states(deployment) == ["complete"]
    assert len(deployment.acknowledgements()) == 1


def test_a_rate_is_waited_for_and_puts_nobody_off(make):
    """What a rate of our own holds up for a moment was not tried: it needs no try later."""
    deployment = make()
    deployment.letters["rate"] = 1200
    deployment.settings["retry"] = {"first_delay": "5m", "max_delay": "1h"}
    deployment.deliver(*[plain(f"asks{number}") for number in range(10)])
    summary = deployment.once()
    assert (summary["completed"], summary["deferred"]) == (10, 0)
    assert len(deployment.acknowledgements()) == 10
