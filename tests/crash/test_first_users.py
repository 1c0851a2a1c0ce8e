# SPDX-License-Identifier: Apache-2.0
"""The negative cases that the first users asked for, one test each."""
import json
import threading

from deployment import rig
from mails import MARKER, PDF, part, plain, with_parts
from test_concurrency import put


def told(deployment):
    return len(deployment.acknowledgements())


def test_one_ordinary_message(deployment):
    deployment.deliver(with_parts("asks", part('attachment; filename="a.pdf"', PDF)))
    deployment.settle()
    item, = deployment.items()
    assert (item["state"], item["completion_state"], item["deliveries"]) == ("complete", "accepted", 1)
    assert len(deployment.json("cases")) == told(deployment) == len(deployment.uids("Processed")) == 1
    deployment.check()


def test_the_same_identifier_delivered_twice_simultaneously(deployment):
    """Two deliveries in the same second, seen by two processes that run at once."""
    deployment.settle()
    mail = plain("asks")
    threads = [threading.Thread(target=put, args=(deployment, mail)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    deployment.delivered += [mail, mail]
    for run in [deployment.popen("run", "--once") for _ in range(2)]:
        _, said = run.communicate(timeout=60)
        assert run.returncode == 0, said
    deployment.settle()
    assert len(deployment.json("cases")) == told(deployment) == 1
    assert (deployment.items()[0]["deliveries"], deployment.items()[0]["duplicates"]) == (2, 1)
    deployment.check()


def test_a_time_out_after_case_creation_then_retry_then_manual_replay(make):
    """The answer to the letter never comes; the run is tried again, a person decides, then replays by hand."""
    deployment = make("after end-of-data take, then stall")
    deployment.deliver(plain("asks"))
    deployment.run("run", "--once")
    case, = deployment.json("cases")
    deployment.run("run", "--once")
    item, = deployment.items()
    assert item["reason"] == "acknowledgement-unknown" and told(deployment) == 1
    shown = deployment.run("replay", item["key"])
    assert shown.stdout
    deployment.run("replay", item["key"], "--approve", "--by", "Ada", "--reason", "try again")
    deployment.run("run", "--once")
    assert told(deployment) == 1, "what is unknown is never sent by a replay"
    deployment.resolve(item["key"], "--acknowledgement", "sent")
    deployment.settle()
    deployment.run("replay", item["key"], "--approve", "--by", "Ada", "--reason", "once more")
    deployment.settle()
    assert told(deployment) == 1 and [c["reference"] for c in deployment.json("cases")] == [case["reference"]]
    assert len(deployment.uids("Processed")) == 1
    deployment.check()


def test_same_sender_and_subject_twice(deployment):
    deployment.deliver(plain("same", Subject="Printer"), plain("same", "Again.", Subject="Printer"))
    deployment.settle()
    assert len({case["reference"] for case in deployment.json("cases")}) == told(deployment) == 2
    deployment.check()


def test_a_large_and_an_unsupported_attachment(deployment):
    deployment.settings["attachments"] = {"max_size": "10KB", "refuse_types": ["application/x-msdownload"]}
    deployment.deliver(with_parts("files", part('attachment; filename="large.pdf"', PDF * 1000),
                                  part('attachment; filename="setup.exe"', b"MZ", "application/x-msdownload"),
                                  part('attachment; filename="small.pdf"', PDF)))
    deployment.settle()
    item, = deployment.items()
    assert (item["state"], item["completion_state"]) == ("complete", "accepted_with_exceptions")
    case, = deployment.json("cases")
    assert [(a["name"], a["status"], bool(a["reason"])) for a in case["attachments"]] == \
        [("large.pdf", "refused", True), ("setup.exe", "refused", True), ("small.pdf", "stored", False)]
    text = deployment.acknowledgements()[0].get_payload(decode=True).decode()
    assert "large.pdf" in text and "setup.exe" in text and "small.pdf" not in text
    deployment.check()


def test_a_message_that_was_moved_by_a_person_meanwhile(deployment):
    """Between the answer and the filing somebody puts it elsewhere: it stays there, and is complete."""
    deployment.deliver(plain("asks"))
    deployment.crash("before mailbox.move 1")
    deployment.imap().create("Mine")
    deployment.imap().select("INBOX")
    assert deployment.imap().uid("MOVE", "1", "Mine")[0] == "OK"
    deployment.settle()
    item, = deployment.items()
    assert item["state"] == "complete"
    step, = rig.effects(item, "move")
    assert (step["status"], step["reason"]) == ("done", "absent")
    assert len(deployment.uids("Mine")) == told(deployment) == 1 and deployment.uids("Processed") == {}


def test_a_throttled_server(make):
    """Two in three are put off: nobody is forgotten, nobody told twice, no person asked."""
    busy = ["after end-of-data reply 451 4.7.1 too many messages"] * 2 + ["after end-of-data accept"]
    deployment = make("\n".join(busy * 12 + ["after end-of-data accept"]))
    deployment.deliver(*(plain(f"asks{n}") for n in range(12)))
    deployment.settle(60)
    assert [item["state"] for item in deployment.items()] == ["complete"] * 12
    assert len({letter["To"] for letter in deployment.acknowledgements()}) == told(deployment) == 12
    deployment.check()


def test_a_failure_after_the_acknowledgement(deployment):
    """The run dies with the answer recorded and the message not moved: it is moved, and not answered again."""
    deployment.deliver(plain("asks"))
    deployment.crash("before mailbox.move 1")
    assert told(deployment) == 1 and len(deployment.uids()) == 1
    deployment.settle()
    assert told(deployment) == 1 and deployment.uids() == {} and len(deployment.uids("Processed")) == 1
    deployment.check()


def test_operators_see_all_five_states_without_payloads(make):
    deployment = make("on RCPT reply 250 ok\non RCPT reply 450 4.7.1 later")
    deployment.letters["connections"] = 1
    deployment.settings["retry"] = {"first_delay": "1h", "max_delay": "1h"}
    done = plain("done")
    deployment.deliver(done)
    deployment.settle()
    deployment.deliver(done, plain("done", "The lamp flickers.", email_id(done)), plain("waits"))
    deployment.run("run", "--once")
    deployment.deliver(plain("new"))
    deployment.crash("after intake.reserve 1")
    status = deployment.status()["states"]
    assert all(status[state] == 1 for state in ("received", "in_progress", "complete", "needs_reconciliation",
                                                "duplicate")), status
    seen = [deployment.json("status"), deployment.items(), deployment.json("deliveries"),
            *(deployment.json("items", "--state", state) for state in status if state != "duplicate"),
            *(deployment.json("item", item["key"]) for item in deployment.items())]
    shown = "".join(deployment.run(command).stdout for command in ("status", "items", "deliveries"))
    text = json.dumps(seen, ensure_ascii=False) + deployment.said
    assert MARKER not in text, "no subject, no address, no text"
    assert "It does not work" not in shown and "lamp" not in shown


def email_id(octets):
    import email
    return email.message_from_bytes(octets)["Message-ID"]
