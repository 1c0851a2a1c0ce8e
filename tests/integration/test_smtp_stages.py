# SPDX-License-Identifier: Apache-2.0
"""S01-S19 and S24: the real courier against servers that fail at each stage.

What is checked is what the ledger will be told: stage, code, whether an octet of the end-of-data line
may have left, whether the connection is closed; and on the other side what the server took.
"""
import socket
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))
from authority import Authority  # noqa: E402
from smtp_peer import SmtpPeer  # noqa: E402
from tool import Tool, eventually  # noqa: E402

BODY = "Subject: x\\r\\n\\r\\nhello\\r\\n"
ROW_FIELDS = ("stage", "code", "enhanced", "line_left", "closed")


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def good(authority):
    return authority.issue("good")


def courier(port, **settings):
    given = dict(host="127.0.0.1", port=port, security="none", sign_in="none", timeout=20000, final_timeout=20000)
    return Tool("courier_tool", **{**given, **settings})


def begin(tool, number=1, sender="help@example.org", recipient="a@example.net", copy_to="-", body=BODY):
    assert tool.ask(f"begin {number} {sender} {recipient} {copy_to} {body}")["rc"] == "ok"


def settle(tool, number=1, ms=8000, interrupted=None):
    """Lets the letters go on, releases what gets ready, and gives the verdict of this one. `interrupted`: the
    server's event that is waited for before the end-of-data line, since a whole body may fit into the sockets."""
    while True:
        event = tool.ask(f"next {ms}")
        assert event["event"] != "nothing", "no verdict in time"
        if event["event"] == "ready":
            assert interrupted is None or interrupted.wait(20)
            tool.tell(f"release {event['id']}")
        elif event["id"] == number:
            return event


def verdict(tool, interrupted=None, **letter):
    begin(tool, **letter)
    return settle(tool, letter.get("number", 1), interrupted=interrupted)


def row(event):
    return tuple(event[field] for field in ROW_FIELDS)


# name, script, (stage, code, enhanced, line_left, closed), messages that the server took
STAGES = [
    ("S00 all goes well", "", ("end of data", 250, "2.0.0", True, False), 1),
    ("S03 banner 421", "on connect reply 421 4.3.2 busy, then close", ("connect", 421, "4.3.2", False, True), 0),
    ("S03 banner 554", "on connect reply 554 5.7.1 no, then close", ("connect", 554, "5.7.1", False, True), 0),
    ("S03 banner of several lines", "on connect reply 554 5.7.1 no|really not, then close",
     ("connect", 554, "", False, True), 0),
    ("S03 closed at the banner", "on connect close", ("connect", 0, "", False, True), 0),
    ("S03 EHLO and HELO refused", "on EHLO reply 502 5.5.1 no\non HELO reply 502 5.5.1 no",
     ("connect", 502, "5.5.1", False, True), 0),
    ("S07 MAIL 4xx", "on MAIL reply 451 4.3.0 later", ("MAIL", 451, "4.3.0", False, False), 0),
    ("S07 MAIL 5xx", "on MAIL reply 550 5.7.1 not you", ("MAIL", 550, "5.7.1", False, False), 0),
    ("S07 MAIL 421", "on MAIL reply 421 4.7.0 later, then close", ("MAIL", 421, "4.7.0", False, True), 0),
    ("S07 closed at MAIL", "on MAIL close", ("MAIL", 0, "", False, True), 0),
    ("S08 RCPT 450", "on RCPT reply 450 4.7.1 greylisted", ("RCPT", 450, "4.7.1", False, False), 0),
    ("S09 RCPT 550", "on RCPT reply 550 5.1.1 unknown", ("RCPT", 550, "5.1.1", False, False), 0),
    ("S09 reset at RCPT", "on RCPT reset", ("RCPT", 0, "", False, True), 0),
    ("S10 DATA 4xx", "on DATA reply 451 4.3.0 later", ("DATA", 451, "4.3.0", False, False), 0),
    ("S10 DATA 5xx", "on DATA reply 554 5.5.1 no", ("DATA", 554, "5.5.1", False, False), 0),
    ("S10 DATA answered 250", "on DATA reply 250 weird", ("DATA", 0, "", False, True), 0),
    ("S10 closed at DATA", "on DATA close", ("DATA", 0, "", False, True), 0),
    ("S10 354 without a recipient", "on RCPT reply 550 5.1.1 unknown\non DATA reply 354 go on",
     ("RCPT", 550, "5.1.1", False, True), 0),
    ("S10 closed behind a refusal", "on RCPT reply 550 5.1.1 unknown\non DATA close",
     ("RCPT", 550, "5.1.1", False, True), 0),
    ("S10 421 behind a refusal", "on MAIL reply 451 4.3.0 later\non DATA reply 421 4.3.2 down, then close",
     ("MAIL", 451, "4.3.0", False, True), 0),
    ("S11 closed in the body", "after 10 octets close", ("DATA", 0, "", False, True), 0),
    ("S11 refused in the body", "after 10 octets reply 552 5.3.4 too big, then close",
     ("DATA", 552, "5.3.4", False, True), 0),
    ("S12 taken, then closed", "after end-of-data take, then close", ("end of data", 0, "", True, True), 1),
    ("S12 taken, then reset", "after end-of-data take, then reset", ("end of data", 0, "", True, True), 1),
    ("S13 not taken, then closed", "after end-of-data close", ("end of data", 0, "", True, True), 0),
    ("S12 half a reply", "after end-of-data take, then send 250-tak, then close",
     ("end of data", 0, "", True, True), 1),
    ("S12 half a multi-line reply", "after end-of-data take, then send 250-taken\\r\\n, then close",
     ("end of data", 0, "", True, True), 1),
    ("S15 4xx after the line", "after end-of-data reply 451 4.3.0 later", ("end of data", 451, "4.3.0", True, False), 0),
    ("S15 5xx after the line", "after end-of-data reply 554 5.7.1 spam", ("end of data", 554, "5.7.1", True, False), 0),
    ("S15 5.1.1 after the line", "after end-of-data reply 550 5.1.1 who", ("end of data", 550, "5.1.1", True, False), 0),
    ("S15 421 after the line", "after end-of-data reply 421 4.3.2 down, then close",
     ("end of data", 421, "4.3.2", True, True), 0),
    ("S16 accepted, then closed", "after accepting close", ("end of data", 250, "2.0.0", True, False), 1),
    ("S16 accepted, then 421", "after accepting reply 421 4.4.2 idle, then close",
     ("end of data", 250, "2.0.0", True, False), 1),
    ("S16 251 is acceptance too", "after end-of-data take, then reply 251 2.0.0 forwarded",
     ("end of data", 251, "2.0.0", True, False), 1),
    ("S18 garbage after the line", "after end-of-data take, then send hello there\\r\\n",
     ("end of data", 0, "", True, True), 1),
    ("S18 354 once more", "after end-of-data take, then reply 354 go on", ("end of data", 0, "", True, True), 1),
    ("S18 garbage at MAIL", "on MAIL send \\x00\\xff\\r\\n", ("MAIL", 0, "", False, True), 0),
    ("S18 two codes in one reply", "on MAIL send 250-a\\r\\n251 b\\r\\n", ("MAIL", 0, "", False, True), 0),
    ("S18 a reply of several lines", "on RCPT reply 250 2.1.5 ok|and more|and more", ("end of data", 250, "2.0.0", True, False), 1),
    ("S18 a reply of 200 lines", "on RCPT reply 250 ok" + "|x" * 200, ("RCPT", 0, "", False, True), 0),
    ("S18 a line without end", "on RCPT send " + "2" * 20000, ("RCPT", 0, "", False, True), 0),
    ("S18 a reply octet by octet", "after end-of-data take, then reply slowly 250 ok", ("end of data", 250, "", True, False), 1),
    ("S19 a server that offers nothing", "offer nothing", ("end of data", 250, "2.0.0", True, False), 1),
    ("S24 a slow final reply", "after end-of-data wait 1.5, then accept", ("end of data", 250, "2.0.0", True, False), 1),
]


ONE_BY_ONE = "offer SIZE 50000000\noffer 8BITMIME\n"  # a server without PIPELINING
STAGES += [(f"{name}, one by one", ONE_BY_ONE + script, *more) for name, script, *more in STAGES
           if name.startswith(("S07", "S08", "S09", "S10")) and "without a recipient" not in name and "behind" not in name]


@pytest.mark.parametrize("script, expected, taken", [stage[1:] for stage in STAGES], ids=[stage[0] for stage in STAGES])
def test_stage(script, expected, taken):
    with SmtpPeer(script) as peer, courier(peer.port) as tool:
        cut = "octets" in script
        event = verdict(tool, peer.interrupted if cut else None, body="50000x70" if cut else BODY)
    assert row(event) == expected, event
    assert len(peer.accepted) == taken


@pytest.mark.parametrize("script, expected, taken", [
    ("on connect stall", ("connect", 0, "", False, True), 0),
    ("on MAIL stall", ("MAIL", 0, "", False, True), 0),
    ("on DATA stall", ("DATA", 0, "", False, True), 0),
    ("after end-of-data stall", ("end of data", 0, "", True, True), 0),
    ("after end-of-data take, then stall", ("end of data", 0, "", True, True), 1),
    ("on RCPT reply slowly 250 " + "x" * 80, ("RCPT", 0, "", False, True), 0),
], ids=["S02 banner", "S07 MAIL", "S10 DATA", "S13 not taken", "S14 taken", "S18 trickle"])
def test_timeout(script, expected, taken):
    """S02, S14: nothing is waited for longer than its step may take, also closing not."""
    with SmtpPeer(script) as peer, courier(peer.port, timeout=1200, final_timeout=1200) as tool:
        event = verdict(tool)
        assert row(event) == expected, event
        assert event["took_ms"] < 15000
        assert "within" in event["reply"]
        tool.tell("rest")
    assert len(peer.accepted) == taken


def test_s01_refused_connection():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with courier(port) as tool:
        event = verdict(tool)
    assert row(event) == ("connect", 0, "", False, True)
    assert f"smtp 127.0.0.1:{port}" in event["reply"] and "Connection refused" in event["reply"]


def test_s02_name_that_is_not_resolved():
    with courier(25, host="nosuch.invalid", allow_plaintext="yes") as tool:
        event = verdict(tool)
    assert row(event) == ("connect", 0, "", False, True)
    assert "cannot be resolved" in event["reply"]


SIGN_IN = dict(sign_in="password", username="help", secret="s3cret", host="localhost")


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_s04_good_certificate(authority, good, security):
    with SmtpPeer("tls" if security == "tls" else "", good) as peer, \
            courier(peer.port, security=security, ca_file=authority.file, **SIGN_IN) as tool:
        assert verdict(tool)["code"] == 250
    assert peer.secrets == ["AUTH PLAIN AGhlbHAAczNjcmV0"]


@pytest.mark.parametrize("security", ["tls", "starttls"])
@pytest.mark.parametrize("name, host, days, text", [
    ("name", "other.example", None, "for another name"),
    ("unknown", "localhost", None, "authority that is not known"),
    ("expired", "localhost", ("20200101000000Z", "20200102000000Z"), "expired"),
    ("future", "localhost", ("20450101000000Z", "20450102000000Z"), "not valid yet"),
])
def test_s04_bad_certificate(authority, tmp_path, security, name, host, days, text):
    certificate = (Authority(tmp_path / "other") if name == "unknown" else authority).issue(name, host, days)
    with SmtpPeer("tls" if security == "tls" else "", certificate) as peer, \
            courier(peer.port, security=security, ca_file=authority.file, **SIGN_IN) as tool:
        event = verdict(tool)
    assert row(event) == ("connect", 0, "", False, True)
    assert text in event["reply"]
    assert peer.secrets == [] and "MAIL" not in " ".join(peer.commands)


def test_s04_no_tls_at_all(good):
    with SmtpPeer("") as peer, courier(peer.port, security="tls", timeout=1500, **SIGN_IN) as tool:
        event = verdict(tool)
    assert row(event) == ("connect", 0, "", False, True)
    assert peer.secrets == []


@pytest.mark.parametrize("script, stripped", [
    ("", ("STARTTLS",)),
    ("on STARTTLS reply 454 4.7.0 not now", ()),
    ("on STARTTLS send 220 go\\r\\n250 injected\\r\\n", ()),
    ("on EHLO reply 250 peer|AUTH PLAIN", ()),
], ids=["stripped", "refused", "injected", "never offered"])
def test_s05_starttls_is_never_done_without(authority, good, script, stripped):
    with SmtpPeer(script, good, stripped) as peer, \
            courier(peer.port, security="starttls", ca_file=authority.file, **SIGN_IN) as tool:
        event = verdict(tool)
    assert event["stage"] == "connect" and event["closed"] and not event["line_left"]
    assert peer.secrets == [] and not any(c.startswith("MAIL") for c in peer.commands)


def test_plaintext_beyond_this_machine_is_refused():
    with courier(25, host="mail.example.org") as tool:
        event = verdict(tool)
    assert event["stage"] == "connect" and "allow_plaintext" in event["reply"]


@pytest.mark.parametrize("script, code, text", [
    ("on AUTH reply 535 5.7.8 bad help@example.org s3cret AGhlbHAAczNjcmV0", 535, "bad"),
    ("on AUTH reply 454 4.7.0 try later", 454, "try later"),
])
def test_s06_sign_in_refused(script, code, text):
    with SmtpPeer(script) as peer, courier(peer.port, **SIGN_IN) as tool:
        event = verdict(tool)
    assert (event["stage"], event["code"], event["closed"]) == ("connect", code, True)
    assert text in event["reply"]
    assert "s3cret" not in event["reply"] and "AGhl" not in event["reply"]


@pytest.mark.parametrize("offer, kind, expected", [
    ("AUTH PLAIN LOGIN", "password", ["AUTH PLAIN AGhlbHAAczNjcmV0"]),
    ("AUTH LOGIN", "password", ["AUTH LOGIN", "aGVscA==", "czNjcmV0"]),
    ("AUTH=LOGIN", "password", ["AUTH LOGIN", "aGVscA==", "czNjcmV0"]),
    ("AUTH PLAIN XOAUTH2", "xoauth2", ["AUTH XOAUTH2 dXNlcj1oZWxwAWF1dGg9QmVhcmVyIHMzY3JldAEB"]),
    ("AUTH PLAIN", "xoauth2", []),
    ("AUTH PLAIN XOAUTH2", "oauthbearer", []),
    ("AUTH XOAUTH2", "password", []),
    ("SIZE", "password", []),
])
def test_s06_only_the_configured_way(offer, kind, expected):
    """A token is never sent as a password, nor is anything sent where nothing is offered."""
    with SmtpPeer(f"offer {offer}") as peer, courier(peer.port, **{**SIGN_IN, "sign_in": kind}) as tool:
        event = verdict(tool)
    assert peer.secrets == expected
    assert (event["code"] == 250) == bool(expected)
    assert bool(expected) or "does not offer to sign in" in event["reply"]


def test_s06_a_refused_token_is_acknowledged():
    """XOAUTH2 tells its error as a challenge that wants an empty answer before the reply."""
    with SmtpPeer("on AUTH reply 334 eyJzdGF0dXMiOiI0MDEifQ==, then reply 535 5.7.8 expired") as peer, \
            courier(peer.port, **{**SIGN_IN, "sign_in": "xoauth2"}) as tool:
        event = verdict(tool)
    assert (event["stage"], event["code"]) == ("connect", 535)


def test_s08_after_a_refusal_the_connection_serves_the_next():
    with SmtpPeer("on RCPT reply 450 4.7.1 greylisted\non RCPT reply 250 ok") as peer, courier(peer.port) as tool:
        assert verdict(tool)["code"] == 450
        assert verdict(tool, number=2)["code"] == 250
    assert len(peer.dialogues) == 1 and "RSET" in peer.commands


@pytest.mark.parametrize("script, anew", [
    ("after accepting reply 421 4.4.2 idle, then close\nafter accepting stall", True),
    ("after accepting close", True),
    ("on MAIL reply 250 ok\non MAIL reply 421 4.4.2 idle, then close\non MAIL reply 250 ok", True),
    ("on MAIL reply 250 ok\non MAIL close\non MAIL reply 250 ok", True),
    ("on MAIL reply 250 ok\non MAIL reply 421 4.4.2 idle, then close", False),
    ("on MAIL reply 250 ok\non MAIL close", False),
], ids=["421 said", "closed", "421 at MAIL", "closed at MAIL", "421 at MAIL twice", "closed at MAIL twice"])
def test_s17_a_kept_connection_that_is_gone(script, anew):
    """Made anew once before MAIL was answered; then deferred. None is unknown, none is sent twice."""
    with SmtpPeer(script) as peer, courier(peer.port) as tool:
        assert verdict(tool)["code"] == 250
        event = verdict(tool, number=2)
    assert event["line_left"] is anew
    assert (event["stage"], event["code"]) in ([("end of data", 250)] if anew else [("MAIL", 421), ("MAIL", 0)])
    assert len(peer.accepted) == (2 if anew else 1)
    assert len(peer.dialogues) == 2


@pytest.mark.parametrize("script", ["on MAIL await DATA, then reply 250 ok", ONE_BY_ONE], ids=["at once", "one by one"])
def test_the_envelope_is_said_at_once_where_the_server_takes_it(script):
    with SmtpPeer(script) as peer, courier(peer.port) as tool:
        assert verdict(tool)["code"] == 250
    assert [c.split(" ")[0] for c in peer.commands if c != "QUIT"] == ["EHLO", "MAIL", "RCPT", "DATA"]
    assert (peer.waiting > 0) is (script != ONE_BY_ONE), "what had come behind MAIL when it was answered"


def test_s17_connections_are_kept():
    with SmtpPeer("") as peer, courier(peer.port) as tool:
        for number in range(1, 6):
            assert verdict(tool, number=number)["code"] == 250
    assert len(peer.dialogues) == 1 and len(peer.accepted) == 5
    assert eventually(lambda: peer.commands[-1] == "QUIT")


@pytest.mark.parametrize("offer, letter, words", [
    ("nothing", dict(body="Subject: x\\r\\n\\r\\n\\xc3\\xa4\\r\\n"), "8BITMIME"),
    ("8BITMIME", dict(recipient="\u00e4@example.net"), "SMTPUTF8"),
    ("8BITMIME", dict(body="Subject: \\xc3\\xa4\\r\\n\\r\\nx\\r\\n"), "SMTPUTF8"),
    ("SIZE 20", dict(), "SIZE"),
])
def test_s19_what_the_server_lacks_meets_the_item(offer, letter, words):
    with SmtpPeer(f"offer {offer}") as peer, courier(peer.port) as tool:
        event = verdict(tool, **letter)
        assert (event["stage"], event["code"], event["meets_item"], event["line_left"]) == ("MAIL", 0, True, False)
        assert words in event["reply"]
        letter = dict(number=2, body="x: y\\r\\n")
        assert verdict(tool, **letter)["code"] == 250
    assert not any("8BITMIME" in c for c in peer.commands)


def test_s19_what_is_offered_and_needed_is_said():
    with SmtpPeer("") as peer, courier(peer.port) as tool:
        assert verdict(tool)["code"] == 250
        assert verdict(tool, number=2, body="Subject: x\\r\\n\\r\\n\\xc3\\xa4\\r\\n")["code"] == 250
        assert verdict(tool, number=3, recipient="\u00e4@example.net", sender="-")["code"] == 250
    mails = [c for c in peer.commands if c.startswith("MAIL")]
    assert mails == ["MAIL FROM:<help@example.org> SIZE=21",
                     "MAIL FROM:<help@example.org> SIZE=18 BODY=8BITMIME",
                     "MAIL FROM:<> SIZE=21 SMTPUTF8"]


@pytest.mark.parametrize("reply", ["250 ok", "550 5.7.1 no", "450 4.7.1 later"])
def test_copy_to_is_only_noted(reply):
    with SmtpPeer(f"on RCPT reply 250 ok\non RCPT reply {reply}") as peer, courier(peer.port) as tool:
        assert row(verdict(tool, copy_to="copy@example.org")) == ("end of data", 250, "2.0.0", True, False)
    assert [c for c in peer.commands if c.startswith("RCPT")] == ["RCPT TO:<a@example.net>", "RCPT TO:<copy@example.org>"]


@pytest.mark.parametrize("letter, words", [
    (dict(body="a: b\\n"), "bare LF"),
    (dict(body="a: b\\r\\n.\\n.\\r\\n"), "bare LF"),
    (dict(body="a: b\\rc\\r\\n"), "bare CR"),
    (dict(body="a: b\\r\\n\\0\\r\\n"), "NUL"),
    (dict(body="1x999"), "998"),
    (dict(recipient="a>\u000bRCPT"), "recipient"),
    (dict(recipient="a@example.net><b@example.net"), "recipient"),
    (dict(sender="<a@example.net>"), "envelope_from"),
    (dict(copy_to="a\u007f@example.net"), "copy_to"),
])
def test_what_may_not_be_sent_is_refused_at_once(letter, words):
    letter = {**dict(sender="-", recipient="a@example.net", copy_to="-", body=BODY), **letter}
    with SmtpPeer("") as peer, courier(peer.port) as tool:
        event = tool.ask("begin 1 {sender} {recipient} {copy_to} {body}".format(**letter))
    assert event["rc"] == "refused" and words in event["text"] and "example.net" not in event["text"]
    assert peer.dialogues == []


def test_dots_are_doubled_and_a_last_line_is_ended():
    with SmtpPeer("") as peer, courier(peer.port) as tool:
        assert verdict(tool, body=".\\r\\n..a\\r\\nb.\\r\\n.\\r\\nend")["code"] == 250
    assert peer.accepted == [b"..\r\n...a\r\nb.\r\n..\r\nend\r\n"]


@pytest.mark.parametrize("security", ["none", "tls"])
def test_a_large_letter_arrives_whole(authority, good, security):
    with SmtpPeer("tls" if security == "tls" else "", good) as peer, \
            courier(peer.port, host="localhost", security=security, ca_file=authority.file) as tool:
        assert verdict(tool, body="50000x70")["code"] == 250
    expected = b"Subject: test\r\n\r\n" + b"".join(b"%070d\r\n" % n for n in range(50000))
    assert peer.accepted == [expected]


def test_s11_a_server_that_stops_reading_is_deferred():
    with SmtpPeer("after 1 octets stall") as peer, courier(peer.port, timeout=1200) as tool:
        event = verdict(tool, body="200000x70")
    assert row(event) == ("DATA", 0, "", False, True)
    assert peer.ended == 0


def test_s18_a_line_without_end_is_given_up():
    with SmtpPeer("on RCPT send " + "2" * 9000 + ", then stall") as peer, courier(peer.port) as tool:
        event = verdict(tool)
    assert row(event) == ("RCPT", 0, "", False, True) and "more than 8192 octets" in event["reply"]


def test_nothing_of_the_line_leaves_before_release():
    with SmtpPeer("") as peer, courier(peer.port) as tool:
        begin(tool)
        assert tool.ask("next 5000")["event"] == "ready"
        assert tool.ask("next 300")["event"] == "nothing"
        assert peer.ended == 0
        tool.tell("release 1")
        assert tool.ask("next 5000")["code"] == 250
    assert peer.ended == 1


def test_abandoned_means_no_line_and_no_event():
    with SmtpPeer("") as peer, courier(peer.port) as tool:
        begin(tool)
        assert tool.ask("next 5000")["event"] == "ready"
        tool.tell("abandon 1")
        tool.tell("release 1")
        assert tool.ask("next 300")["event"] == "nothing"
        assert verdict(tool, number=2)["code"] == 250
    assert peer.ended == 1 and len(peer.dialogues) == 2


@pytest.mark.parametrize("script, code", [
    ("after 1 octets wait 0.3, then close", 0),
    ("after 1 octets wait 0.3, then reply 421 4.3.2 down, then close", 421),
])
def test_a_server_that_leaves_while_the_intent_is_written(script, code):
    """Between ready and release: surely not sent, and release does not send."""
    with SmtpPeer(script) as peer, courier(peer.port) as tool:
        begin(tool)
        assert tool.ask("next 5000")["event"] == "ready"
        event = tool.ask("next 5000")
        tool.tell("release 1")
        assert row(event)[:2] == ("DATA", code) and not event["line_left"]
    assert peer.ended == 0


def test_letters_are_under_way_at_once():
    with SmtpPeer("after end-of-data wait 0.6, then accept") as peer, courier(peer.port, connections=4) as tool:
        assert tool.ask("room") == {"event": "room", "room": 4}
        for number in range(1, 5):
            begin(tool, number=number)
        assert tool.ask("room")["room"] == 0
        assert tool.ask(f"begin 9 - a@example.net - {BODY}")["rc"] == "deferred"
        settled, took = set(), 0
        while len(settled) < 4:
            event = tool.ask("next 5000")
            took += event["took_ms"]
            if event["event"] == "ready":
                tool.tell(f"release {event['id']}")
            else:
                settled.add((event["id"], event["code"]))
    assert settled == {(number, 250) for number in range(1, 5)}
    assert took < 1800, "they waited for each other"
    assert len(peer.dialogues) == 4


def test_a_slow_connect_does_not_hold_up_the_others():
    with SmtpPeer("on connect reply 220 hi\non connect stall") as peer, courier(peer.port, connections=2) as tool:
        assert verdict(tool)["code"] == 250
        begin(tool, number=2)
        begin(tool, number=3)
        event = settle(tool, 2)
        assert event["code"] == 250 and event["took_ms"] < 15000


def test_the_rate_is_kept():
    with SmtpPeer("") as peer, courier(peer.port, rate=120, connections=4) as tool:
        took = 0
        for number in range(1, 5):
            while tool.ask("room")["room"] == 0:
                event = tool.ask("next 5000")
                assert event["event"] == "nothing"
                took += event["took_ms"]
            event = verdict(tool, number=number)
            took += event["took_ms"]
    assert 1300 < took < 3000 and len(peer.accepted) == 4


def test_try_asks_for_nothing_but_leave_to_send():
    with SmtpPeer("") as peer, courier(peer.port) as tool:
        assert tool.ask("try help@example.org") == {"event": "tried", "rc": "ok", "text": "250 2.1.0 ok"}
    assert eventually(lambda: [c.split(" ")[0] for c in peer.commands][1:] == ["MAIL", "RSET", "QUIT"])
    with SmtpPeer("on MAIL reply 553 5.7.1 not you help@example.org") as peer, courier(peer.port) as tool:
        event = tool.ask("try help@example.org")
    assert event["rc"] == "refused" and "553" in event["text"] and "@" not in event["text"]


def test_a_line_break_in_a_secret_is_refused():
    with SmtpPeer("") as peer, courier(peer.port, **{**SIGN_IN, "secret": "a\r\nRCPT TO:<x>"}) as tool:
        event = verdict(tool)
    assert event["stage"] == "connect" and "line break" in event["reply"] and peer.secrets == []
