# SPDX-License-Identifier: Apache-2.0
"""K: several runs, people and configurations at once."""
import os
import re
import signal
import socket
import subprocess
import threading
import time

import pytest

from deployment import CRASHING, rig
from mails import PDF, part, plain, with_parts
from proxy import Proxy
from smtp_peer import Script



def resume(run, worker):
    os.kill(worker, signal.SIGCONT)
    run.wait(30)


def answer_of(deployment):
    item, = deployment.items()
    effect, = rig.effects(item, "acknowledgement")
    return item, effect["status"]


def first_arm(make):
    """The point where a run of one mail has armed its letter, found by an undisturbed run."""
    one = make()
    one.deliver(plain("asks"))
    trace = one.crash(None, status=0)
    return next(nth for word, call, nth, *note in trace if word == ">" and "arms=1" in note)


def wait_out(seconds):
    """A lease, or the time after which a line may not leave: of the program's own clock, so it is waited for."""
    threading.Event().wait(seconds)


@pytest.fixture
def stopped(make):
    """A deployment whose run is stopped between its intent and the end-of-data line, its lease soon over."""
    deployment = make()
    deployment.settings["lease"] = "1s"
    deployment.deliver(plain("asks"))
    run, worker = deployment.stop_at(f"stop-after work.commit {first_arm(make)}")
    return deployment, run, worker


@pytest.mark.parametrize("longer", [0, 4.5], ids=["within 5 s of its intent", "later"])
def test_k03_a_run_stopped_past_its_lease_sends_nothing_late_and_nothing_twice(stopped, longer):
    """Another run takes over and asks; the line of the first does not leave, whatever is left of its 5 s."""
    deployment, run, worker = stopped
    wait_out(1.2)
    deployment.run("run", "--once")
    assert answer_of(deployment)[1] == "unknown" and deployment.acknowledgements() == []
    wait_out(longer)
    resume(run, worker)
    assert deployment.acknowledgements() == []
    assert answer_of(deployment)[1] == "unknown"
    deployment.settle_doubts()
    deployment.settle()
    assert answer_of(deployment)[1] == "done" and len(deployment.acknowledgements()) == 1
    deployment.check()


def test_k03_a_run_stopped_when_its_line_has_left_keeps_the_late_answer(deployment):
    """Stopped past its lease before it has read the answer: sent once, its late write rejected, its answer evidence."""
    deployment.settings["lease"] = "1s"
    deployment.deliver(plain("asks"))
    run, worker = deployment.stop_at("stop-after courier.release 1")
    wait_out(1.2)
    deployment.run("run", "--once")
    item, status = answer_of(deployment)
    assert status == "unknown"
    resume(run, worker)
    assert len(deployment.acknowledgements()) == 1
    deployment.settle()
    assert answer_of(deployment)[1] in ("done", "unknown")
    whole = deployment.json("item", item["key"])
    assert "late-reply" in [e["evidence"] for e in whole["evidence_list"]], whole["evidence_list"]
    assert len(deployment.acknowledgements()) == 1
    deployment.settle_doubts()
    deployment.settle()
    deployment.check()


def test_k03_not_sent_is_not_taken_while_the_stopped_run_may_still_send(stopped):
    deployment, run, worker = stopped
    wait_out(1.2)
    deployment.run("run", "--once")
    item, _ = answer_of(deployment)
    refused = deployment.run("resolve", item["key"], "--acknowledgement", "not-sent", "--by", "Ada", "--reason", "no",
                             status=75)
    assert refused.stdout + refused.stderr
    resume(run, worker)
    deployment.settle_doubts()
    deployment.settle()
    assert len(deployment.acknowledgements()) == 1
    deployment.check()


def test_k03_a_run_stopped_past_a_person_s_decision_sends_nothing(stopped):
    """A person says that the run is gone, and a second letter is sent; when it wakes up, its line is too late."""
    deployment, run, worker = stopped
    wait_out(1.2)
    deployment.run("run", "--once")
    item, _ = answer_of(deployment)
    deployment.resolve(item["key"], "--acknowledgement", "not-sent", "--run-gone")
    deployment.settle()
    assert answer_of(deployment)[1] == "done" and len(deployment.acknowledgements()) == 1
    wait_out(4)
    resume(run, worker)
    deployment.settle()
    assert len(deployment.acknowledgements()) == 1
    deployment.check()


@pytest.mark.parametrize("call", ["intake.reserve 1", "work.claim 1", "blobs.keep_attachment 1", "mailbox.move 1"])
def test_k03_late_writes_of_a_run_that_lost_its_lease_are_rejected(deployment, call):
    deployment.settings["lease"] = "1s"
    deployment.deliver(with_parts("asks", part('attachment; filename="a.pdf"', PDF)), plain("other"))
    run, worker = deployment.stop_at(f"stop-after {call}")
    wait_out(1.2)
    deployment.run("run", "--once", status=None)
    resume(run, worker)
    deployment.settle()
    assert [i["state"] for i in deployment.items()] == ["complete"] * 2
    assert len(deployment.acknowledgements()) == 2 and len(deployment.uids("Processed")) == 2
    deployment.check()


@pytest.mark.parametrize("count", [2, 4, 8])
def test_k01_so_many_processes_on_one_mailbox_and_ledger(deployment, count):
    copied = plain("copied")
    deployment.deliver(*(plain(f"asks{n}") for n in range(6)), copied, copied,
                       with_parts("file", part('attachment; filename="a.pdf"', PDF)))
    runs = [deployment.popen("run", "--once", "--json") for _ in range(count)]
    for run in runs:
        _, said = run.communicate(timeout=120)
        deployment.said += said
        assert run.returncode == 0, said
    deployment.settle()
    assert deployment.uids() == {} and len(deployment.uids("Processed")) == 9
    assert len(deployment.json("cases")) == 8 and len(deployment.acknowledgements()) == 8
    deployment.check()


def test_k02_the_same_message_id_delivered_twice_in_the_same_second_while_the_service_runs(deployment):
    service = deployment.serve()
    rig.await_(lambda: "onecase" in deployment.folders(), "the service claims the mailbox")
    mail = plain("twice")
    threads = [threading.Thread(target=put, args=(deployment, mail)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    deployment.delivered += [mail, mail]
    rig.await_(lambda: len(deployment.uids("Processed")) == 2, "both are filed")
    assert service.end() == 0
    assert len(deployment.json("cases")) == 1 and len(deployment.acknowledgements()) == 1
    classes = sorted(d["class"] for d in deployment.json("deliveries"))
    assert classes in (["first", "redelivered"], ["first", "returned"]), "the first may be filed when the second comes"
    deployment.check()


def put(deployment, mail):
    """By a connection of its own, with one and the same INTERNALDATE."""
    import imaplib
    connection = imaplib.IMAP4("127.0.0.1", deployment.servers.dovecot.imap)
    connection.login(deployment.user, rig.PASSWORD)
    connection.append("INBOX", "", imaplib.Time2Internaldate(int(time.time())), mail)
    connection.logout()


def deferred(make):
    """A mail whose recipient is put off, so that there is something to replay."""
    deployment = make("on RCPT reply 450 4.7.1 later\non RCPT reply 250 2.1.5 ok")
    deployment.settings["retry"] = {"first_delay": "1h", "max_delay": "1h"}
    deployment.deliver(plain("asks"))
    deployment.run("run", "--once")
    item, = deployment.items()
    assert answer_of(deployment)[1] == "deferred"
    return deployment, item["key"]


def test_k04_a_replay_by_an_operator_while_the_service_runs(make):
    deployment, key = deferred(make)
    service = deployment.serve()
    deployment.run("replay", key, "--approve", "--by", "Ada", "--reason", "try now")
    again = deployment.run("replay", key, "--approve", "--by", "Ada", "--reason", "try now", status=None)
    assert again.returncode == 0 or (again.returncode == 77 and "look at it again" in again.stderr)
    rig.await_(lambda: deployment.status()["states"]["complete"] == 1, "it is complete")
    deployment.run("replay", key, "--approve", "--by", "Ada", "--reason", "once more")
    assert service.end() == 0
    deployment.settle()
    assert len(deployment.acknowledgements()) == 1 and len(deployment.json("cases")) == 1
    assert len(deployment.uids("Processed")) == 1
    deployment.check()


def test_k05_two_operators_approve_the_same_replay_at_once(make):
    deployment, key = deferred(make)
    both = [deployment.popen("replay", key, "--approve", "--by", name, "--reason", "now") for name in ("Ada", "Ben")]
    for one in both:
        out, said = one.communicate(timeout=30)
        assert one.returncode in (0, 1, 77), out + said
    assert 0 in [one.returncode for one in both]
    deployment.settings["retry"] = {"first_delay": "20ms", "max_delay": "50ms"}
    deployment.settle()
    assert len(deployment.acknowledgements()) == 1
    deployment.check()


def test_of_two_operators_who_decide_at_once_one_wins_and_the_other_is_told_what_and_when(make):
    """Each time: one decision stands, and whoever came second learns of it by name and time."""
    deployment = make("\n".join(["after end-of-data close"] * 3))
    deployment.deliver(*(plain(f"asks{n}") for n in range(3)))
    deployment.settle()
    for item in deployment.asked("acknowledgement-unknown"):
        both = {name: deployment.popen("resolve", item["key"], "--acknowledgement", "none", "--by", name, "--reason", "rang")
                for name in ("Ada", "Ben")}
        said = {name: one.communicate(timeout=30)[1] for name, one in both.items()}
        assert sorted(one.returncode for one in both.values()) == [0, 1], said
        first, second = sorted(both, key=lambda name: both[name].returncode)
        assert re.search(rf"was decided at .*\d\d:\d\d.* by {first} ", said[second]), said[second]
        assert "Nothing was changed" in said[second]
        decided, = deployment.json("item", item["key"])["approval_list"]
        assert decided["by"].startswith(first)
    deployment.settle()
    deployment.check()


def test_k06_a_pause_while_effects_are_in_flight(deployment):
    """What was armed ends, nothing new begins; after `resume` all is done once."""
    deployment.letters["connections"] = 1
    deployment.deliver(plain("one"), plain("two"))
    run, worker = deployment.stop_at("stop-before courier.release 1")
    deployment.run("pause", "--by", "Ada", "--reason", "maintenance")
    resume(run, worker)
    sent = len(deployment.acknowledgements())
    assert sent in (1, 2)  # the turn in which the pause came may end
    deployment.deliver(plain("three"))
    deployment.run("run", "--once")
    assert len(deployment.acknowledgements()) == sent
    assert deployment.status()["paused"]
    assert len(deployment.items()) == 3, "intake goes on being recorded"
    deployment.run("resume", "--by", "Ada", "--reason", "done")
    deployment.settle()
    assert len(deployment.acknowledgements()) == 3 and deployment.uids() == {}
    deployment.check()


def test_k09_the_configuration_changes_with_items_open_and_the_plan_stands(deployment):
    """Another folder, another prefix, other types refused, another template set: what was planned is done."""
    deployment.deliver(with_parts("asks", part('attachment; filename="a.pdf"', PDF)))
    deployment.crash("after intake.reserve 1")
    before, = deployment.items()
    deployment.mailbox["folders"] = {"processed": "Elsewhere", "duplicates": "Elsewhere"}
    deployment.settings["case"] = {"reference_prefix": "IT-"}
    deployment.settings["attachments"] = {"refuse_types": ["application/pdf"]}
    deployment.settle()
    after, = deployment.items()
    assert (after["key"], after["case"], after["state"]) == (before["key"], before["case"], "complete")
    assert len(deployment.uids("Processed")) == 1 and deployment.uids("Elsewhere") == {}
    assert [p for p in deployment.files() if p.endswith("attachments/01-a.pdf")]
    deployment.deliver(plain("later"))
    deployment.settle()
    assert len(deployment.uids("Elsewhere")) == 1
    assert [i["case"][:3] for i in deployment.items()] == ["IT-", "HD-"]


@pytest.mark.parametrize("call", ["intake.reserve 1", "work.claim 1", "courier.release 1", "mailbox.move 1"])
def test_k10_a_program_of_another_version_takes_an_item_over(deployment, call):
    deployment.deliver(with_parts("asks", part('attachment; filename="a.pdf"', PDF)))
    deployment.write()
    killed = subprocess.run([CRASHING, "run", "--once"], capture_output=True, text=True, timeout=60, check=False,
                            env={**deployment.environment(), "ONECASE_CRASH": f"after {call}",
                                 "ONECASE_CRASH_VERSION": "9.9-other"})
    deployment.said += killed.stderr
    assert killed.returncode != 0
    before = {i["key"]: i["case"] for i in deployment.items()}
    deployment.settle()
    deployment.settle_doubts()
    deployment.settle()
    assert {i["key"]: i["case"] for i in deployment.items()} == before
    assert [i["state"] for i in deployment.items()] == ["complete"]
    assert len(deployment.acknowledgements()) == 1
    deployment.check()


def test_k07_a_run_whose_mailbox_was_taken_over_sends_nothing_while_its_mail_server_is_away(make):
    """Whose it is was seen last, and holds until somebody can look again."""
    one, two = make("on RCPT reply 450 4.7.1 later"), make()
    two.user, two.settings["name"] = one.user, "second"
    two.mailbox["imap"]["username"] = one.user
    with Proxy(one.servers.dovecot.imap) as way, socket.create_server(("127.0.0.1", 0)) as away:
        one.mailbox["imap"]["port"] = way.port
        one.deliver(plain("asks"))
        service = one.serve()
        rig.await_(lambda: one.items() and rig.effects(one.items()[0], "acknowledgement")[0]["attempts"], "it is put off")
        two.run("run", "--once", "--take-over", "help-desk", status=None)
        rig.await_(lambda: service.said("claim.lost"), "it has lost the mailbox")
        one.peer.script = Script("")
        way.target, way.at, way.happened, way.how = away.getsockname()[1], 0, False, "cut"
        away.settimeout(20)
        for _ in range(3):
            away.accept()[0].close()
        assert one.peer.accepted == [], "sent by one who no longer owns the mailbox"
        service.end()
