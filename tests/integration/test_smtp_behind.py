# SPDX-License-Identifier: Apache-2.0
"""A letter begun behind one that is ready: its MAIL, RCPT and DATA leave with the line of the first (RFC 2920 3.1).

What becomes of the first is its own reply's business; the second is never ready before that, and where the first
takes the connection with it, the second is given back with nothing said about it.
"""
import email
import sys
from email.policy import default
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))
from mails import plain  # noqa: E402
from rig import assert_invariants  # noqa: E402
from smtp_peer import SmtpPeer  # noqa: E402
from test_smtp_stages import ONE_BY_ONE, begin, courier, row, verdict  # noqa: E402

IN_ONE_GROUP = "after end-of-data await DATA, then "
TAKEN, BACK = ("end of data", 250, "2.0.0", True, False), "given back"


def event_of(tool):
    event = tool.ask("next 8000")
    assert event["event"] != "nothing", "no event in time"
    return event


def room(tool):
    return tool.ask("room")["room"]


def begin_two(tool, first=1, **second):
    begin(tool, first)
    event = event_of(tool)
    assert (event["event"], event["id"]) == ("ready", first)
    assert room(tool) == 1
    begin(tool, first + 1, **second)
    assert room(tool) == 0


def settle_both(tool, first=1):
    """What became of both, in the order in which it was told."""
    came = {}
    while len(came) < 2:
        event = event_of(tool)
        if event["event"] == "ready":
            assert first in came, "ready, and the one before it in doubt"
            tool.tell(f"release {event['id']}")
        else:
            came[event["id"]] = BACK if event["event"] == BACK else row(event)
    assert list(came) == [first, first + 1]
    return list(came.values())


def two(tool, first=1, **second):
    begin_two(tool, first, **second)
    tool.tell(f"release {first}")
    return settle_both(tool, first)


# name, script, what becomes of the first and of the second, messages taken, connections
PAIRS = [
    ("S00 in one group", IN_ONE_GROUP + "accept\nafter end-of-data accept", TAKEN, TAKEN, 2, 1),
    ("S15 4xx after the line", IN_ONE_GROUP + "reply 451 4.3.0 later\nafter end-of-data accept",
     ("end of data", 451, "4.3.0", True, False), TAKEN, 1, 1),
    ("S15 5xx after the line", IN_ONE_GROUP + "reply 554 5.7.1 spam\nafter end-of-data accept",
     ("end of data", 554, "5.7.1", True, False), TAKEN, 1, 1),
    ("S15 421 after the line", IN_ONE_GROUP + "reply 421 4.3.2 down, then close",
     ("end of data", 421, "4.3.2", True, True), BACK, 0, 1),
    ("S12 taken, then closed", IN_ONE_GROUP + "take, then close", ("end of data", 0, "", True, True), BACK, 1, 1),
    ("S12 taken, then reset", IN_ONE_GROUP + "take, then reset", ("end of data", 0, "", True, True), BACK, 1, 1),
    ("S13 not taken, then closed", IN_ONE_GROUP + "close", ("end of data", 0, "", True, True), BACK, 0, 1),
    ("S18 garbage after the line", IN_ONE_GROUP + "send hello there\\r\\n", ("end of data", 0, "", True, True), BACK, 0, 1),
    ("S14 no answer to the line", IN_ONE_GROUP + "take, then stall", ("end of data", 0, "", True, True), BACK, 1, 1),
    ("S16 taken, then 421", "after accepting reply 421 4.4.2 enough, then close\nafter accepting wait 0", TAKEN, TAKEN, 2, 2),
    ("S16 taken, then closed", "after accepting close\nafter accepting wait 0", TAKEN, TAKEN, 2, 2),
    ("S17 MAIL behind the line answered 421", "on MAIL reply 250 ok\non MAIL reply 421 4.4.2 enough, then close\non MAIL reply 250 ok",
     TAKEN, TAKEN, 2, 2),
    ("S17 MAIL behind the line not taken", "on MAIL reply 250 ok\non MAIL reply 503 5.5.1 not now\non MAIL reply 250 ok", TAKEN, TAKEN, 2, 2),
    ("S17 MAIL behind the line not answered", "on MAIL reply 250 ok\non MAIL stall\non MAIL reply 250 ok", TAKEN, TAKEN, 2, 2),
    ("S09 RCPT of the second 550", "on RCPT reply 250 ok\non RCPT reply 550 5.1.1 who", TAKEN, ("RCPT", 550, "5.1.1", False, False), 1, 1),
    ("S10 354 without a recipient", "on RCPT reply 250 ok\non RCPT reply 550 5.1.1 who\non DATA reply 354 go on", TAKEN,
     ("RCPT", 550, "5.1.1", False, True), 1, 1),
    ("S10 DATA of the second closed", "on DATA reply 354 go on\non DATA close", TAKEN, ("DATA", 0, "", False, True), 1, 1),
    ("S18 answered in pieces", "on MAIL reply 250 ok\non MAIL reply slowly 250 ok\non RCPT reply 250 ok|and more\n"
     "on DATA reply 354 go on\non DATA reply slowly 354 go on", TAKEN, TAKEN, 2, 1),
]


@pytest.mark.parametrize("script, first, second, taken, connections", [pair[1:] for pair in PAIRS], ids=[pair[0] for pair in PAIRS])
def test_pair(script, first, second, taken, connections):
    patience = 1200 if "stall" in script else 20000
    with SmtpPeer(script) as peer, courier(peer.port, timeout=patience, final_timeout=patience) as tool:
        assert two(tool) == [first, second]
        assert room(tool) == 1
    assert len(peer.accepted) == taken and len(peer.dialogues) == connections


def test_s19_one_that_the_server_cannot_take_is_not_said_behind_the_line():
    with SmtpPeer("offer PIPELINING\noffer SIZE 100") as peer, courier(peer.port) as tool:
        assert two(tool, body="20x20") == [TAKEN, ("MAIL", 0, "", False, False)]
        assert verdict(tool, number=3)["code"] == 250
    assert len(peer.dialogues) == 1 and sum(line.startswith("MAIL") for line in peer.commands) == 2


def test_without_pipelining_nothing_is_begun_behind_a_letter():
    with SmtpPeer(ONE_BY_ONE) as peer, courier(peer.port) as tool:
        begin(tool, 1)
        assert event_of(tool)["event"] == "ready"
        assert room(tool) == 0


def test_the_one_behind_an_abandoned_letter_is_given_back():
    with SmtpPeer("") as peer, courier(peer.port) as tool:
        begin_two(tool)
        tool.tell("abandon 1")
        event = event_of(tool)
        assert (event["event"], event["id"]) == (BACK, 2)
        assert verdict(tool, number=2)["code"] == 250
    assert len(peer.accepted) == 1


@pytest.mark.parametrize("said, expected", [(False, TAKEN), (True, ("end of data", 0, "", True, True))])
def test_one_behind_a_line_may_be_abandoned(said, expected):
    """Before the line left nothing was said of it; afterwards its connection is closed, and the first has no reply."""
    with SmtpPeer("on MAIL reply 250 ok\nafter end-of-data await DATA, then stall" if said else "") as peer, courier(peer.port) as tool:
        begin_two(tool)
        tool.tell("release 1" if said else "abandon 2")
        tool.tell("abandon 2" if said else "release 1")
        event = event_of(tool)
        assert (event["id"], row(event)) == (1, expected)
        assert tool.ask("next 50")["event"] == "nothing" and room(tool) == 1


def test_a_server_that_does_not_answer_behind_a_line_is_told_no_more_there():
    """Twice in a row: then each letter is said in its turn, and nothing is lost by it."""
    good, refusal = "on MAIL reply 250 ok\n", "on MAIL reply 503 5.5.1 one at a time\n"
    with SmtpPeer(good + refusal + good + good + refusal + good) as peer, courier(peer.port) as tool:
        assert two(tool) == [TAKEN, TAKEN]
        assert two(tool, 3) == [TAKEN, TAKEN]
        begin(tool, 5)
        assert event_of(tool)["event"] == "ready"
        assert room(tool) == 0


def test_s18_where_replies_do_not_fit_behind_a_line_nothing_is_said_there_any_more():
    """It is silent about the first, so the replies to the second come one too early: at once each letter is said in its turn."""
    with SmtpPeer("after end-of-data take\nafter end-of-data accept") as peer, courier(peer.port) as tool:
        assert two(tool)[1] == ("RCPT", 0, "", False, True)
        begin(tool, 3)
        assert event_of(tool)["event"] == "ready"
        assert room(tool) == 0
        tool.tell("release 3")
        assert row(event_of(tool)) == TAKEN


def test_s15_what_was_begun_behind_a_letter_that_ends_the_connection_is_tried_once(rig):
    """The server leaves with its answer to the first of three, which is later's; the others have one try each, and are told."""
    with SmtpPeer(IN_ONE_GROUP + "reply 421 4.3.2 down, then close\nafter end-of-data accept") as peer:
        rig.send_to(peer.port)
        rig.letters["connections"] = 1
        rig.settings["retry"] = {"first_delay": "1h", "max_delay": "1h"}
        rig.deliver(plain("one"), plain("two"), plain("three"))
        summary = rig.once()
        assert (summary["completed"], summary["deferred"]) == (2, 1)
        assert len(peer.dialogues) == 2 and peer.ended == 3
        found = [rig.json("item", item["key"])["attempt_list"] for item in rig.items()]
        told = sorted((one["outcome"], one["code"]) for tries in found for one in tries if one["kind"] == "acknowledgement")
        assert told == [("deferred", 421), ("done", 250), ("done", 250)]
        assert_invariants(rig, [email.message_from_bytes(octets, policy=default) for octets in peer.accepted])
