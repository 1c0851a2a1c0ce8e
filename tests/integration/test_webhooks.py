# SPDX-License-Identifier: Apache-2.0
"""Other programs are told of mails and cases: signed, in order for each mail, at least once, and never at the cost
of a mail."""
import base64
import json
import random
import signal
import sqlite3
import time

import pytest

from mails import MARKER, plain, sender
from receiver import Receiver
from rig import assert_invariants, await_, effects


@pytest.fixture
def told(rig):
    """A rig with a receiver of its own."""
    with Receiver() as receiver:
        rig.settings["webhooks"] = [receiver.settings(rig.folder)]
        yield rig, receiver


def webhooks(rig):
    return rig.json("webhooks")["webhooks"]


def all_told(rig, receiver, count):
    await_(lambda: len(receiver.told()) >= count, f"{count} posts", 40)
    assert len(receiver.told()) == count, [t["type"] for t in receiver.told()]


def test_what_happens_to_a_mail_is_told_in_order_and_signed(told):
    rig, receiver = told
    first, second = plain("first", message_id="<a@senders.example>"), plain("second")
    other = plain("other", "Something else.", message_id="<a@senders.example>")
    rig.deliver(first, second)
    rig.once()
    rig.deliver(first, other)
    rig.once()
    reference = rig.item_of(first)["case"]
    rig.run("case", reference, "--close", "--by", "anna", "--reason", "all is said")
    rig.once()
    receiver.check()
    key, conflict = rig.item_of(first)["key"], rig.item_of(other)
    assert receiver.of(key) == ["case.created", "item.complete", "item.duplicate", "case.closed"]
    assert receiver.of(rig.item_of(second)["key"]) == ["case.created", "item.complete"]
    assert receiver.of(conflict["key"]) == ["item.conflict", "item.needs_reconciliation"]
    rig.run("resolve", conflict["key"], "--conflict", "new-case", "--by", "anna", "--reason", "it is another")
    rig.once()
    assert receiver.of(conflict["key"])[2:] == ["case.created", "item.complete"]
    data = {t["type"]: t["data"] for t in receiver.told() if t["data"]["key"] == key}
    assert data["case.created"]["case"] == reference and data["item.duplicate"]["class"] == "redelivered"
    asks = next(t for t in receiver.told() if t["type"] == "item.needs_reconciliation")
    assert asks["data"]["reason"] == "conflict" and asks["data"]["case"] == reference
    assert [t["data"]["event"] for t in receiver.told()] == sorted(t["data"]["event"] for t in receiver.told())
    said = b"".join(post.body for post in receiver.posts)
    assert MARKER.encode() not in said and b"@" not in said, "something of a mail is told, and nobody asked for it"


def test_sender_and_subject_are_told_where_that_is_configured_and_wishes_are_kept(rig):
    with Receiver() as receiver, Receiver() as other:
        rig.settings["webhooks"] = [receiver.settings(rig.folder, events=["created"], personal_data=True),
                                    other.settings(rig.folder, "other", events=["complete"])]
        mail = plain("printer")
        rig.deliver(mail)
        rig.once()
        (one,) = receiver.told()
        assert one["type"] == "case.created" and one["data"]["subject"] == f"About printer {MARKER}"
        assert one["data"]["from"] == sender("printer")
        (one,) = other.told()
        assert one["type"] == "item.complete" and "subject" not in one["data"]


def test_a_receiver_that_fails_is_left_alone_and_told_later_under_the_same_ids(told):
    rig, receiver = told
    port = receiver.port
    receiver.stop()
    rig.deliver(*(plain(f"down {n}") for n in range(5)))
    service = rig.serve()
    await_(lambda: len(rig.acknowledgements()) == 5, "five acknowledgements")
    await_(lambda: webhooks(rig)[0]["failing_since"], "it fails")
    receiver.start(port)
    receiver.answers = [500, 429, "drop after", 302]
    all_told(rig, receiver, 10)
    service.end()
    receiver.check()
    refused = [post.id for post in receiver.posts if post not in receiver.taken]
    assert len(refused) == 4 and set(refused) < {post.id for post in receiver.taken}
    assert len([line for line in service.log if "webhook.fails" in line]) == 1
    for item in rig.items():
        assert receiver.of(item["key"]) == ["case.created", "item.complete"]
    (state,) = webhooks(rig)
    assert (state["waiting"], state["dead"], state["failing_since"]) == (0, 0, None)


def test_a_post_that_is_never_taken_holds_up_no_other_and_becomes_a_dead_letter(told):
    rig, receiver = told
    rig.settings["webhooks"][0]["give_up_after"] = "1s"
    poison, fine = plain("poison"), [plain(f"fine {n}") for n in range(3)]
    rig.deliver(poison)
    rig.once()
    receiver.taken.clear()
    key = rig.item_of(poison)["key"]
    receiver.answer = lambda said: 500 if said["data"]["key"] == key else None
    rig.deliver(poison, *fine)
    service = rig.serve()
    all_told(rig, receiver, 6)
    await_(lambda: webhooks(rig)[0]["dead"] == 1, "a dead letter")
    assert "1 post" in rig.run("check", status=None).stdout
    assert 'onecase_webhook_dead{webhook="chat"} 1' in rig.run("metrics").stdout
    step, = effects(rig.item_of(poison), "webhook")
    assert (step["target"], step["status"], step["error"]) == ("chat", "refused", "500")
    assert [e["status"] for e in effects(rig.item_of(fine[0]), "webhook")] == ["done"]
    assert "rejected" in rig.run("item", key).stdout
    dead = rig.json("webhooks")["dead"]
    assert [(d["webhook"], d["key"], d["event"], d["code"]) for d in dead] == [("chat", key, "duplicate", 500)]
    assert dead[0]["attempts"] > 1
    receiver.answer = None
    rig.run("webhooks", "--replay", dead[0]["id"], status=64)
    rig.run("webhooks", "--replay", dead[0]["id"], "--by", "anna", "--reason", "the receiver is mended")
    all_told(rig, receiver, 7)
    assert receiver.taken[-1].id == dead[0]["id"]
    await_(lambda: webhooks(rig)[0]["dead"] == 0, "none is left")
    service.end()
    receiver.check()
    rig.run("webhooks", "--replay", "all", "--by", "anna", "--reason", "none is left", status=66)


def test_what_a_receiver_cannot_read_is_a_dead_letter_at_once(told):
    rig, receiver = told
    receiver.answers = [422]
    rig.deliver(plain("unreadable"))
    rig.once()
    (state,) = webhooks(rig)
    assert (state["dead"], state["waiting"]) == (1, 0) and len(receiver.taken) == 1
    rig.run("webhooks", "--replay", "chat", "--by", "anna", "--reason", "it reads it now")
    rig.once()
    assert len(receiver.taken) == 2 and webhooks(rig)[0]["dead"] == 0


def test_a_receiver_that_hangs_holds_up_no_mail_and_no_other_receiver(rig):
    with Receiver() as hangs, Receiver() as works:
        hangs.answer = lambda said: "hang"
        rig.settings["webhooks"] = [hangs.settings(rig.folder, "hangs", timeout="1m"),
                                    works.settings(rig.folder, "works")]
        rig.settings["case"] = {"per_sender_limit": 0}
        rig.deliver(*(plain(f"beside {n}") for n in range(200)))
        service = rig.serve()
        await_(lambda: len(hangs.posts) == 1, "it hangs")
        await_(lambda: len(rig.acknowledgements()) == 200, "200 acknowledgements", 60)
        all_told(rig, works, 400)
        assert len(hangs.posts) == 1, "it was asked again while it hung"
        hangs.answer = None
        hangs.let_go.set()
        all_told(rig, hangs, 400)
        service.end()
        assert [(w["name"], w["waiting"], w["done"]) for w in webhooks(rig)] == [("hangs", 0, 400), ("works", 0, 400)]


def test_killed_again_and_again_nothing_is_lost_and_each_mail_is_told_in_order(told):
    """At each kill a post may be on its way: told twice under its id, and never not at all."""
    rig, receiver = told
    dice = random.Random(8)
    rig.settings["case"] = {"per_sender_limit": 0}
    rig.deliver(*(plain(f"killed {n}") for n in range(40)))
    for round_ in range(8):
        service = rig.serve()
        await_(lambda n=round_: len(receiver.told()) >= 8 * n + 1 or len(receiver.told()) == 80, "some posts", 30)
        time.sleep(dice.random() * 0.2)
        service.end(signal.SIGKILL)
    receiver.answers = []
    service = rig.serve()
    all_told(rig, receiver, 80)
    service.end()
    receiver.check()
    assert {tuple(receiver.of(item["key"])) for item in rig.items()} == {("case.created", "item.complete")}
    with sqlite3.connect(rig.data / "ledger.db") as ledger:
        assert ledger.execute("SELECT COUNT(*), COUNT(DISTINCT message_id) FROM webhook_outbox").fetchone() == (80, 80)
    assert_invariants(rig, killed=True)


def test_what_waits_for_a_webhook_that_is_configured_no_longer_is_a_dead_letter(told):
    rig, receiver = told
    receiver.stop()
    rig.deliver(plain("nobody there"))
    rig.once()
    before = rig.settings["webhooks"]
    rig.settings["webhooks"] = []
    rig.once()
    assert len(rig.json("webhooks")["dead"]) == 2
    rig.run("webhooks", "--replay", "all", "--by", "anna", "--reason", "nobody would send them", status=66)
    receiver.start(receiver.port)
    rig.settings["webhooks"] = before
    rig.deliver(plain("there again"))
    rig.once()
    assert len(receiver.told()) == 2
    rig.run("webhooks", "--replay", "chat", "--by", "anna", "--reason", "it is there again")
    rig.once()
    assert len(receiver.told()) == 4


def test_settings_that_cannot_be_are_told_where_they_stand(told):
    rig, _ = told
    rig.settings["webhooks"][0].update(events=["created", "opened"], mailboxes=["desk"], url="http://example.org/hook")
    said = rig.run("run", "--once", status=78).stderr
    for word in ('there is no "opened"', 'there is no "desk"', "http:// is for this machine alone"):
        assert word in said, said


def test_the_secret_may_be_any_text(rig):
    with Receiver(secret="whsec_" + base64.b64encode(b"plain words").decode()) as receiver:
        rig.settings["webhooks"] = [receiver.settings(rig.folder)]
        (rig.folder / "chat.secret").write_text("plain words\n")
        rig.deliver(plain("signed"))
        rig.once()
        receiver.check()
        assert len(receiver.taken) == 2
        assert "plain words" not in rig.said and json.dumps(webhooks(rig)).find("127.0.0.1") < 0
