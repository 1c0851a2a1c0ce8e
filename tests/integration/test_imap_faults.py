# SPDX-License-Identifier: Apache-2.0
"""I01-I14, I19-I21: the real mailbox port against servers that answer oddly, or stop in the middle."""
import os
import socket
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))
from authority import Authority  # noqa: E402
from connect_proxy import ConnectProxy  # noqa: E402
from imap_peer import ImapPeer  # noqa: E402
from tool import Tool  # noqa: E402

MAILS = [b"Subject: m%d\r\n\r\nbody %d\r\n" % (n, n) for n in range(3)]
BASIC = "have IMAP4rev1 AUTH=PLAIN"


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


SHORT = 1000  # ms: the time-out where the server is to keep still
SOON = 15  # s: within it whatever does not wait for the 20 s that a server has otherwise, however busy the machine


def mailbox(port, **settings):
    given = dict(host="127.0.0.1", port=port, security="none", sign_in="password", username="help@example.org",
                 secret="s3cret", timeout=20000)
    return Tool("mailbox_tool", **{**given, **settings})


def outcome(answer):
    return answer["rc"]


def uids(answer):
    return [line[0] for line in answer["lines"]]


def fetched(answer):
    return [(m["uid"], m["octets"].encode("latin-1")) for m in answer["messages"]]


def moved(answer):
    return [result[1] for result in answer["moved"]]


ALL = [(11 + n, mail) for n, mail in enumerate(MAILS)]


def test_i11_a_misspelt_folder_is_told_with_those_there_are_the_nearest_first():
    with ImapPeer("", INBOX=MAILS, Archive=[], Processed=[], Zebra=[]) as peer, mailbox(peer.port) as tool:
        answer = tool.ask("open Procesed")
    assert outcome(answer) == "not-found"
    assert "there is no folder 'Procesed'; check `folders`; there are 'Processed', 'Archive', 'Zebra', 'INBOX'" in answer["text"]


# ---- I01: the way there


def test_i01_refused_connection():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with mailbox(port) as tool:
        answer = tool.ask("open INBOX")
    assert outcome(answer) == "deferred"
    assert f"imap 127.0.0.1:{port}" in answer["text"] and "Connection refused" in answer["text"]


@pytest.mark.parametrize("script, words", [
    ("on connect stall", "within"),
    ("on connect raw * BYE too many connections\\r\\n, then close", "too many connections"),
    ("on connect raw hello\\r\\n, then close", "check `port`"),
    ("on connect close", "closed the connection"),
    ("on CAPABILITY no not now", "it offers: no way at all"),
    ("on AUTHENTICATE stall", "within"),
    ("on AUTHENTICATE raw * BYE [UNAVAILABLE] down\\r\\n, then close", "down"),
    ("on AUTHENTICATE no [UNAVAILABLE] down", "down"),
])
def test_i01_no_session(script, words):
    with ImapPeer(script) as peer, mailbox(peer.port, timeout=SHORT) as tool:
        started = time.monotonic()
        answer = tool.ask("open INBOX")
        assert time.monotonic() - started < SOON
    assert outcome(answer) in ("deferred", "refused") and words in answer["text"]
    assert outcome(answer) == "deferred" or script == "on CAPABILITY no not now"


@pytest.mark.parametrize("reply", [
    "no [AUTHENTICATIONFAILED] help@example.org, s3cret is wrong",
    "no [EXPIRED] change it",
    "no LOGIN failed",
    "bad what?",
])
def test_i01_sign_in_refused(reply):
    """Somebody must do something: what the server said, without address and secret."""
    with ImapPeer(f"on AUTHENTICATE {reply}") as peer, mailbox(peer.port) as tool:
        answer = tool.ask("open INBOX")
    assert outcome(answer) == "refused" and "check user name and secret" in answer["text"]
    assert "s3cret" not in answer["text"] and "@" not in answer["text"]
    assert reply.split(" ", 1)[1][:6] in answer["text"]


@pytest.mark.parametrize("security", ["tls", "starttls"])
@pytest.mark.parametrize("name, host, days, words", [
    ("good", "localhost", None, None),
    ("name", "other.example", None, "for another name"),
    ("unknown", "localhost", None, "authority that is not known"),
    ("expired", "localhost", ("20200101000000Z", "20200102000000Z"), "expired"),
])
def test_i01_certificates(authority, tmp_path, security, name, host, days, words):
    pair = (Authority(tmp_path / "other") if name == "unknown" else authority).issue(name, host, days)
    with ImapPeer("", certificate=pair, implicit=security == "tls", INBOX=MAILS) as peer, \
            mailbox(peer.port, host="localhost", security=security, ca_file=authority.file) as tool:
        answer = tool.ask("open INBOX")
        if words is None:
            assert answer["exists"] == 3 and len(peer.secrets) == 1
            assert fetched(tool.ask("fetch INBOX 7 11 12 13")) == ALL
        else:
            assert outcome(answer) == "refused" and words in answer["text"] and peer.secrets == []


@pytest.mark.parametrize("script, stripped", [
    ("", ("STARTTLS",)),
    ("on STARTTLS no not now", ()),
    ("on STARTTLS raw %T OK go\\r\\n* CAPABILITY IMAP4rev1 AUTH=PLAIN\\r\\n", ()),
    ("on connect raw * PREAUTH welcome\\r\\n", ("STARTTLS",)),
], ids=["stripped", "refused", "injected", "signed in already"])
def test_i01_starttls_is_never_done_without(authority, script, stripped):
    with ImapPeer(script, certificate=authority.issue("good"), stripped=stripped) as peer, \
            mailbox(peer.port, host="localhost", security="starttls", ca_file=authority.file) as tool:
        answer = tool.ask("open INBOX")
    assert outcome(answer) in ("refused", "deferred")
    assert peer.secrets == [] and not any("EXAMINE" in c for c in peer.commands)


@pytest.mark.parametrize("have, kind, expected", [
    ("IMAP4rev1 SASL-IR AUTH=PLAIN", "password", ["PLAIN AGhlbHBAZXhhbXBsZS5vcmcAczNjcmV0"]),
    ("IMAP4rev1 AUTH=PLAIN", "password", ["PLAIN", "AGhlbHBAZXhhbXBsZS5vcmcAczNjcmV0"]),
    ("IMAP4rev1", "password", ["help@example.org s3cret"]),
    ("IMAP4rev1 LOGINDISABLED", "password", []),
    ("IMAP4rev1 AUTH=PLAIN AUTH=CRAM-MD5", "xoauth2", []),
    ("IMAP4rev1 SASL-IR AUTH=XOAUTH2", "xoauth2",
     ["XOAUTH2 dXNlcj1oZWxwQGV4YW1wbGUub3JnAWF1dGg9QmVhcmVyIHMzY3JldAEB"]),
    ("IMAP4rev1 SASL-IR AUTH=XOAUTH2", "password", ["help@example.org s3cret"]),
])
def test_i01_only_the_configured_way(have, kind, expected):
    with ImapPeer(f"have {have}") as peer, mailbox(peer.port, sign_in=kind) as tool:
        answer = tool.ask("open INBOX")
    assert peer.secrets == expected
    assert outcome(answer) == ("ok" if expected else "refused")


@pytest.mark.parametrize("secret", ['pass"word', "back\\slash", "gr\u00fcn", "a b{3}"])
def test_i01_a_secret_goes_as_it_is(secret):
    with ImapPeer("have IMAP4rev1") as peer, mailbox(peer.port, secret=secret) as tool:
        assert outcome(tool.ask("open INBOX")) == "ok"
    assert peer.commands[1].endswith(f'"{secret.encode().decode("latin-1")}"')


@pytest.mark.parametrize("setting", [dict(secret="a\r\nb"), dict(username="a\nb"), dict(host="127.0.0.1\r\n")])
def test_i01_line_breaks_are_refused(setting):
    with ImapPeer("") as peer, mailbox(peer.port, **setting) as tool:
        assert outcome(tool.ask("open INBOX")) == "refused"
    assert peer.secrets == []


def test_i01_by_a_proxy(authority):
    """TLS goes through it, to the server; what is between sees nothing."""
    with ImapPeer("", certificate=authority.issue("good"), implicit=True, INBOX=MAILS) as peer, ConnectProxy() as proxy, \
            mailbox(peer.port, host="localhost", security="tls", ca_file=authority.file,
                    proxy=f"http://127.0.0.1:{proxy.port}") as tool:
        assert tool.ask("open INBOX")["exists"] == 3
    assert proxy.asked == [f"localhost:{peer.port}"]


@pytest.mark.parametrize("answer", ["403 Forbidden", "502 Bad Gateway"])
def test_i01_a_proxy_that_refuses(answer):
    with ImapPeer("") as peer, ConnectProxy(answer) as proxy, \
            mailbox(peer.port, proxy=f"http://127.0.0.1:{proxy.port}") as tool:
        answer = tool.ask("open INBOX")
    assert outcome(answer) == "deferred" and peer.connections == 0


def test_i18_a_server_that_is_down_costs_nothing(monkeypatch):
    """Hundreds of connections that fail at each stage: no descriptor is left, and no memory."""
    def held(tool):
        status = Path(f"/proc/{tool.process.pid}/status").read_text()
        return len(list(Path(f"/proc/{tool.process.pid}/fd").iterdir())), int(status.split("VmRSS:")[1].split()[0])

    monkeypatch.setenv("ASAN_OPTIONS", "quarantine_size_mb=1")  # or it keeps what is freed
    with ImapPeer("on connect close\non connect proceed\non AUTHENTICATE no [UNAVAILABLE] down") as peer, \
            mailbox(peer.port) as tool:
        for round_ in range(300):
            assert outcome(tool.ask("open INBOX")) == "deferred"
            if round_ == 50:
                before = held(tool)
        after = held(tool)
    assert after[0] == before[0] and after[1] < before[1] + 8000


# ---- I02-I04: in the middle of something


FIRST = "raw * 1 FETCH (UID 11 BODY[] {23}\\r\\nSubject: m0\\r\\n\\r\\nbody 0\\r\\n)\\r\\n"


@pytest.mark.parametrize("how, words, whole", [
    ("cut 130", "closed the connection", ([11, 12],)),
    ("hold 130", "within", ([11, 12],)),
    ("drip 130", "within", ([11, 12],)),
    ("cut 20", "closed the connection", ([],)),
    (FIRST + "* BYE going down\\r\\n, then close", "going down", ([11],)),
    (FIRST + "* BYE going down\\r\\n, then stall", "going down", ([11],)),
    (FIRST + "@@\\xff garbage\\r\\n, then close", "no IMAP", ([11],)),
    (FIRST + "99 OK done\\r\\n", "not understand", ([11],)),
    (FIRST + "* 1 FETCH (UID 11 BODYSTRUCTURE " + "(" * 2000 + "\\r\\n", "parentheses", ([], [11])),
    (FIRST + "* OK " + "x" * 70000 + "\\r\\n", "without end", ([], [11])),
], ids=["I02 closed in a literal", "I03 stalled in a literal", "I03 octet by octet", "I02 closed in a line", "I04 BYE",
        "I04 BYE and stall", "garbage", "wrong tag", "nested", "long line"])
def test_i02_only_whole_messages_are_given(how, words, whole):
    """What came whole before counts; the connection is not used again; the next call makes a new one."""
    with ImapPeer(f"on BODIES {how}\non BODIES proceed", INBOX=MAILS) as peer, mailbox(peer.port, timeout=SHORT) as tool:
        assert outcome(tool.ask("open INBOX")) == "ok"
        started = time.monotonic()
        answer = tool.ask("fetch INBOX 7 11 12 13")
        assert time.monotonic() - started < SOON
        assert outcome(answer) == "deferred" and words in answer["text"]
        assert [uid for uid, _ in fetched(answer)] in whole
        assert all(pair in ALL for pair in fetched(answer))
        assert fetched(tool.ask("fetch INBOX 7 11 12 13")) == ALL
    assert peer.connections == 2


def test_i03_a_stall_after_much_is_as_long_as_any():
    """What came fast gives no credit for silence."""
    with ImapPeer("on BODIES hold 3000000\non BODIES proceed", INBOX=[b"x" * 5000000]) as peer, \
            mailbox(peer.port, timeout=SHORT) as tool:
        assert outcome(tool.ask("open INBOX")) == "ok"
        started = time.monotonic()
        answer = tool.ask("fetch INBOX 7 11")
        assert time.monotonic() - started < SOON
        assert outcome(answer) == "deferred" and "did not get on within 1 s" in answer["text"]
        assert tool.ask("fetch INBOX 7 11")["messages"][0]["len"] == 5000000


def test_i09_a_flood_is_given_up():
    with ImapPeer("on EXAMINE raw " + "* 1 EXISTS\\r\\n" * 100000 + "\non EXAMINE proceed") as peer, mailbox(peer.port) as tool:
        answer = tool.ask("open INBOX")
        assert outcome(answer) == "deferred" and "more than" in answer["text"]
        assert outcome(tool.ask("open INBOX")) == "ok"


@pytest.mark.parametrize("event", ["CAPABILITY", "NAMESPACE", "EXAMINE", "SEARCH", "LINES", "BODIES", "IDLE"])
@pytest.mark.parametrize("how", ["raw * BYE [UNAVAILABLE] going down\\r\\n, then close", "close", "reset", "stall",
                                 "bad what?", "raw @@\\r\\n, then close"])
def test_i04_at_any_point(event, how):
    """The failure is told as one, nothing hangs, and the next call works."""
    turn = "proceed\non CAPABILITY " if event == "CAPABILITY" else ""
    with ImapPeer(f"on {event} {turn}{how}\non {event} proceed", INBOX=MAILS) as peer, mailbox(peer.port, timeout=SHORT) as tool:
        answers = [tool.ask(line) for line in ("open INBOX", "list INBOX 7 1", "fetch INBOX 7 11 12 13", "wait INBOX 100")]
        failed = [outcome(answer) for answer in answers if outcome(answer) != "ok"]
        assert failed == ["deferred"]
        assert fetched(tool.ask("fetch INBOX 7 11 12 13")) == ALL
        assert outcome(tool.ask("wait INBOX 100")) == "ok"
    assert peer.connections == 2


def test_i04_a_kept_session_that_ended_meanwhile_is_made_anew():
    with ImapPeer("on LINES proceed, then wait 0.1, then raw * BYE autologout\\r\\n, then close\non LINES proceed",
                  INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert outcome(tool.ask("open INBOX")) == "ok"
        assert uids(tool.ask("list INBOX 7 1")) == [11, 12, 13]
        time.sleep(0.4)
        assert uids(tool.ask("list INBOX 7 1")) == [11, 12, 13]
    assert peer.connections == 2


# ---- I05, I20, I21: which message a UID means


def test_i05_uidvalidity_changed_between_calls():
    with ImapPeer("", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert tool.ask("open INBOX")["uidvalidity"] == 7
        peer.folders["INBOX"].uidvalidity = 8
        assert tool.ask("open INBOX")["uidvalidity"] == 8
        for line in ("list INBOX 7 1", "fetch INBOX 7 11", "header INBOX 7 11", "move INBOX 7 Processed 11", "remove INBOX 7 11"):
            assert outcome(tool.ask(line)) == "conflict", line
        assert len(peer.folders["INBOX"].messages) == 3
    assert not any("BODY" in c or "MOVE" in c or "STORE" in c for c in peer.commands)


@pytest.mark.parametrize("event, line", [("SEARCH", "list INBOX 7 1"), ("LINES", "list INBOX 7 1"), ("BODIES", "fetch INBOX 7 11")])
def test_i05_uidvalidity_changed_within_the_session(event, line):
    """I21 too: octets that came under another UIDVALIDITY are given to nobody."""
    with ImapPeer(f"on {event} say * OK [UIDVALIDITY 9] renumbered, then proceed", INBOX=MAILS) as peer, \
            mailbox(peer.port) as tool:
        assert outcome(tool.ask("open INBOX")) == "ok"
        answer = tool.ask(line)
    assert outcome(answer) == "conflict"
    assert answer.get("messages", []) == [] and answer.get("lines", []) == []


def test_i21_uidvalidity_changed_with_the_connection():
    with ImapPeer("on BODIES close\non BODIES proceed", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert outcome(tool.ask("open INBOX")) == "ok"
        assert outcome(tool.ask("fetch INBOX 7 11")) == "deferred"
        peer.folders["INBOX"].uidvalidity = 8
        assert outcome(tool.ask("fetch INBOX 7 11")) == "conflict"
    assert sum("BODY" in c for c in peer.commands) == 1


def test_i20_uidnext_fell_back():
    with ImapPeer("", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert tool.ask("open INBOX")["uidnext"] == 14
        inbox = peer.folders["INBOX"]
        inbox.messages, inbox.next = inbox.messages[:1], 12
        assert tool.ask("open INBOX")["uidnext"] == 12
        inbox.add(b"Subject: other\r\n\r\nx\r\n")
        assert tool.ask("open INBOX")["uidnext"] == 13
        assert uids(tool.ask("list INBOX 7 1")) == [11, 12]
        assert fetched(tool.ask("fetch INBOX 7 12")) == [(12, b"Subject: other\r\n\r\nx\r\n")]


def test_list_begins_where_it_is_told_to():
    with ImapPeer("", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        peer.folders["INBOX"].messages[1].flags.add("\\Deleted")
        assert uids(tool.ask("list INBOX 7 1")) == [11, 13]
        assert uids(tool.ask("list INBOX 7 12")) == [13]
        assert uids(tool.ask("list INBOX 7 14")) == []


# ---- I06, I07, I10-I12: moving


def test_i06_without_move():
    with ImapPeer(BASIC + " UIDPLUS", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        peer.folders["INBOX"].messages[2].flags.add("\\Deleted")
        answer = tool.ask("move INBOX 7 Processed 11 12 13 99")
        processed = peer.folders["Processed"]
        assert answer["moved"] == [[11, "yes", processed.uidvalidity, 1], [12, "yes", processed.uidvalidity, 2],
                                   [13, "absent", 0, 0], [99, "absent", 0, 0]]
        assert outcome(answer) == "ok"
    assert [m.uid for m in peer.folders["INBOX"].messages] == [13]
    assert [m.octets for m in processed.messages] == MAILS[:2]
    assert peer.plain_expunges == 0


def test_i07_without_move_and_uidplus():
    """Nothing is expunged: what others marked \\Deleted stays, and so does what we filed, marked."""
    with ImapPeer(BASIC, INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        peer.folders["INBOX"].messages[2].flags.add("\\Deleted")
        answer = tool.ask("move INBOX 7 Processed 11 12 99")
        assert answer["moved"] == [[11, "yes", 0, 0], [12, "yes", 0, 0], [99, "absent", 0, 0]]
        assert uids(tool.ask("list INBOX 7 1")) == []
        assert outcome(tool.ask("append Claim a:~b\\r\\n\\r\\n")) == "ok"
        assert outcome(tool.ask("remove Claim %d 1" % tool.ask("open Claim")["uidvalidity"])) == "ok"
    assert [(m.uid, m.flags) for m in peer.folders["INBOX"].messages] == [(uid, {"\\Deleted"}) for uid in (11, 12, 13)]
    assert [m.octets for m in peer.folders["Processed"].messages] == MAILS[:2]
    assert peer.plain_expunges == 0 and not any("EXPUNGE" in c for c in peer.commands)


def test_i07_move_without_uidplus_is_judged_by_a_look():
    with ImapPeer(BASIC + " MOVE", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert tool.ask("move INBOX 7 Processed 11 99")["moved"] == [[11, "yes", 0, 0], [99, "absent", 0, 0]]


def test_i10_a_move_that_moved_nothing():
    with ImapPeer("on MOVE raw %T OK done\\r\\n", Processed=[], INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert moved(tool.ask("move INBOX 7 Processed 11 12")) == ["not", "not"]


def test_i10_taken_by_somebody_else_between_look_and_move():
    with ImapPeer("on SEARCH proceed, then wait 0.6\non SEARCH proceed", Processed=[], INBOX=MAILS) as peer, \
            mailbox(peer.port) as tool:
        tool.tell("move INBOX 7 Processed 11 12")
        while not any("SEARCH" in c for c in peer.commands):
            time.sleep(0.01)
        time.sleep(0.2)  # the answer is out: its message goes before MOVE comes
        del peer.folders["INBOX"].messages[0]
        assert moved(tool.hear()) == ["absent", "yes"]
        assert [m.octets for m in peer.folders["Processed"].messages] == [MAILS[1]]


@pytest.mark.parametrize("event, how, result, rc", [
    ("MOVE", "perform, then close", "unknown", "unknown"),
    ("MOVE", "close", "unknown", "unknown"),
    ("MOVE", "stall", "unknown", "unknown"),
    ("MOVE", "no [OVERQUOTA] full", "not", "deferred"),
    ("MOVE", "no [NOPERM] not you", "not", "refused"),
    ("MOVE", "no [INUSE] later", "not", "deferred"),
    ("MOVE", "no [LIMIT] slower", "not", "deferred"),
    ("MOVE", "no [UNAVAILABLE] down", "not", "deferred"),
    ("MOVE", "no [EXPIRED] sign in", "not", "deferred"),
    ("MOVE", "no just no", "not", "deferred"),
    ("COPY", "perform, then close", "unknown", "unknown"),
    ("COPY", "no [OVERQUOTA] full", "not", "deferred"),
    ("STORE", "close", "unknown", "unknown"),
    ("STORE", "no [NOPERM] not you", "unknown", "unknown"),
    ("EXPUNGE", "close", "yes", "ok"),
    ("EXPUNGE", "no [NOPERM] not you", "yes", "ok"),
    ("CREATE", "no [NOPERM] not you", "not", "refused"),
])
def test_i12_what_became_of_a_move(event, how, result, rc):
    have = BASIC + " UIDPLUS" if event in ("COPY", "STORE", "EXPUNGE") else ""
    folders = {} if event == "CREATE" else {"Processed": []}
    with ImapPeer(f"{have}\non {event} {how}\non {event} proceed", INBOX=MAILS, **folders) as peer, \
            mailbox(peer.port, timeout=SHORT) as tool:
        answer = tool.ask("move INBOX 7 Processed 11")
        assert (moved(answer), outcome(answer)) == ([result], rc), answer["text"]
        assert outcome(tool.ask("open INBOX")) == "ok"


@pytest.mark.parametrize("reply, rc, words", [
    ("no [NONEXISTENT] none", "not-found", "check `folders`"),
    ("no [NOPERM] not you", "refused", "right"),
    ("no [UNAVAILABLE] down", "deferred", "down"),
    ("no [INUSE] locked", "deferred", "locked"),
    ("no [EXPIRED] sign in", "deferred", "anew"),
    ("no [AUTHORIZATIONFAILED] not you", "refused", "secret"),
    ("no [ODD-CODE] hm", "deferred", "hm"),
    ("no hm", "deferred", "hm"),
])
def test_i12_opening_refused(reply, rc, words):
    with ImapPeer(f"on EXAMINE {reply}\non EXAMINE proceed", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        answer = tool.ask("open INBOX")
        assert outcome(answer) == rc and words in answer["text"]
        assert outcome(tool.ask("open INBOX")) == "ok"


def test_i17_a_folder_that_may_only_be_read():
    with ImapPeer("read-only", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert outcome(tool.ask("open INBOX")) == "ok"
        assert fetched(tool.ask("fetch INBOX 7 11")) == ALL[:1]
        answer = tool.ask("move INBOX 7 Processed 11")
        assert outcome(answer) == "refused" and moved(answer) == ["not"] and "only read" in answer["text"]


@pytest.mark.parametrize("script, name, wire", [
    ("", "Processed", "Processed"),
    ("", "Erledigt/Gr\\xc3\\xbcn", "Erledigt/Gr&APw-n"),
    ("separator .\nprefix INBOX.", "Processed", "INBOX.Processed"),
    ("separator .\nprefix INBOX.", "INBOX/Processed", "INBOX.Processed"),
    ("separator .\nprefix INBOX.", "Inbox/Done/This~&~that", "INBOX.Done.This &- that"),
    (BASIC + " MOVE UIDPLUS\nseparator .", "Done/\\xe2\\x82\\xac", "Done.&IKw-"),
    ("", "\\xf0\\x9f\\x93\\xa8", "&2D3c6A-"),
    ("missing says no", "Processed", "Processed"),
])
def test_i11_folders_and_their_names(script, name, wire):
    """A missing folder is made where the account's own are, under its name on the wire."""
    with ImapPeer(script, INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert outcome(tool.ask(f"open {name}")) == "not-found"
        assert moved(tool.ask(f"move INBOX 7 {name} 11")) == ["yes"]
        assert tool.ask(f"open {name}")["exists"] == 1
        assert outcome(tool.ask("append Claim a:~b\\r\\n\\r\\n")) == "ok"
    assert wire in peer.folders and wire in peer.subscribed


@pytest.mark.parametrize("name", ["Inbox", "INBOX", "inbox"])
def test_i11_inbox_in_any_case(name):
    with ImapPeer("separator .\nprefix INBOX.", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert tool.ask(f"open {name}")["exists"] == 3


@pytest.mark.parametrize("name", ["a\\r\\nb", "\\xff", "\\xc0\\xaf", "\\xed\\xa0\\x80", "a\\x01"])
def test_i11_names_that_are_none(name):
    with ImapPeer("") as peer, mailbox(peer.port) as tool:
        assert outcome(tool.ask(f"open {name}")) == "refused"
    assert not any("EXAMINE" in c for c in peer.commands)


# ---- I08: waiting for news


def wait_while(tool, peer, act, ms=4000):
    tool.tell(f"wait INBOX {ms}")
    time.sleep(0.3)
    act(peer)
    return tool.hear()


@pytest.mark.parametrize("script, soon", [
    ("on IDLE say * 4 EXISTS, then proceed", True),
    ("on IDLE raw + idling\\r\\n* 4 EXISTS\\r\\n", False),
    ("on IDLE raw + idling\\r\\n* 1 FETCH (FLAGS (\\\\Seen))\\r\\n, then wait 0.2, then raw %T OK done\\r\\n", True),
    ("on IDLE raw * 4 EXISTS\\r\\n* 4 RECENT\\r\\n+ idling\\r\\n, then wait 0.2, then raw %T OK done\\r\\n", True),
], ids=["before the +", "never ends", "FLAGS", "two before the +"])
def test_i08_news_wakes(script, soon):
    with ImapPeer(script, INBOX=MAILS) as peer, mailbox(peer.port, timeout=20000 if soon else SHORT) as tool:
        answer = tool.ask("wait INBOX 30000")
    assert answer["took_ms"] < 1000 * SOON
    assert outcome(answer) == ("ok" if soon else "deferred")


def test_i08_still_here_is_no_news():
    with ImapPeer("on IDLE raw + idling\\r\\n* OK Still here\\r\\n, then wait 0.9, then raw %T OK done\\r\\n",
                  INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        answer = tool.ask("wait INBOX 600")
    assert outcome(answer) == "ok" and 550 < answer["took_ms"] < 1000 * SOON


@pytest.mark.parametrize("script", ["", BASIC], ids=["quiet IDLE", "no IDLE"])
def test_i08_quiet_ends_in_time(script):
    with ImapPeer(script, INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        answer = tool.ask("wait INBOX 400")
        assert outcome(answer) == "ok" and 350 < answer["took_ms"] < 1000 * SOON
        assert uids(tool.ask("list INBOX 7 1")) == [11, 12, 13]


def test_i08_what_came_before_anybody_listened_is_news_once():
    with ImapPeer("", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        tool.ask("open INBOX")
        peer.folders["INBOX"].add(MAILS[0])
        assert tool.ask("wait INBOX 20000")["took_ms"] < 1000 * SOON
        assert not any("IDLE" in c for c in peer.commands)
        assert tool.ask("wait INBOX 400")["took_ms"] > 350
        tool.ask("open INBOX")
        assert tool.ask("wait INBOX 400")["took_ms"] > 350


@pytest.mark.parametrize("script", [
    "on IDLE no not here", "on IDLE raw + ok\\r\\n* BYE bye\\r\\n, then close", "on IDLE raw + ok\\r\\n, then close",
    "on IDLE raw + ok\\r\\n* 1 FETCH (X {3}\\r\\n",
])
def test_i08_idle_that_fails(script):
    with ImapPeer(script + "\non IDLE proceed", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert outcome(tool.ask("wait INBOX 2000")) == "deferred"
        assert uids(tool.ask("list INBOX 7 1")) == [11, 12, 13]
        assert outcome(tool.ask("wait INBOX 200")) == "ok"


def test_i08_waiting_ends_when_it_is_told_to():
    reading, writing = os.pipe()
    with ImapPeer("", INBOX=MAILS) as peer, mailbox(peer.port, wake_fd=reading) as tool:
        assert outcome(tool.ask("open INBOX")) == "ok"
        tool.tell("wait INBOX 30000")
        while not any("IDLE" in c for c in peer.commands):
            time.sleep(0.01)
        os.write(writing, b"x")
        answer = tool.hear()
        assert outcome(answer) == "ok" and answer["took_ms"] < 1000 * SOON
    os.close(reading)
    os.close(writing)


# ---- I09, I13, I14, I19: what stands in answers


@pytest.mark.parametrize("event, line, rc", [
    ("SEARCH", "list INBOX 7 1", "ok"),
    ("SEARCH", "search INBOX Subject x", "ok"),
    ("SEARCH", "move INBOX 7 Processed 11", "ok"),
    ("LINES", "list INBOX 7 1", "deferred"),
    ("BODIES", "fetch INBOX 7 11", "deferred"),
    ("EXAMINE", "open INBOX", "refused"),
    ("CAPABILITY", "open INBOX", "deferred"),
    ("NAMESPACE", "open INBOX", "deferred"),
    ("LIST", "open INBOX", "ok"),
])
def test_answers_that_say_nothing(event, line, rc):
    """A tagged OK and not a word before it; a server that tells not what it can do is not taken for one
    that can do nothing."""
    script = "on CAPABILITY proceed\n" if event == "CAPABILITY" else BASIC + "\n" if event == "LIST" else ""
    with ImapPeer(f"{script}on {event} raw %T OK done\\r\\n", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        answer = tool.ask(line)
        assert outcome(answer) == rc, answer
        assert answer.get("lines", []) == [] and answer.get("uids", []) == []
        assert answer.get("moved") in (None, [[11, "absent", 0, 0]])


UNASKED = ("say * 5 EXISTS, then say * 1 RECENT, then say * 1 FETCH (FLAGS (\\Seen)), then say * 2 FETCH (UID 12 FLAGS (\\Seen)), "
           "then say * OK [ALERT] hi, then say * FLAGS (\\Seen), then say * 9 EXPUNGE, then proceed")


@pytest.mark.parametrize("event", ["SEARCH", "LINES", "BODIES", "MOVE", "EXAMINE", "SELECT"])
def test_i09_unasked_for_answers(event):
    with ImapPeer(f"on {event} {UNASKED}", Processed=[], INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert outcome(tool.ask("open INBOX")) == "ok"
        assert uids(tool.ask("list INBOX 7 1")) == [11, 12, 13]
        assert fetched(tool.ask("fetch INBOX 7 11 12 13")) == ALL
        assert moved(tool.ask("move INBOX 7 Processed 11 12 13")) == ["yes"] * 3


@pytest.mark.parametrize("size", [0, 5, 4000000000])
def test_i13_wrong_size(size):
    with ImapPeer(f"sizes {size}", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert [line[2] for line in tool.ask("list INBOX 7 1")["lines"]] == [size] * 3
        assert fetched(tool.ask("fetch INBOX 7 11 12 13")) == ALL


@pytest.mark.parametrize("how", ["nil", "empty"])
def test_i14_no_octets(how):
    with ImapPeer(f"bodies {how}", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        answer = tool.ask("fetch INBOX 7 11 12 13")
    assert outcome(answer) == "ok" and fetched(answer) == [(11, b""), (12, b""), (13, b"")]


@pytest.mark.parametrize("how", ["uid last", "without uid", "quoted"])
def test_i14_other_shapes_of_a_body(how):
    expected = ALL if how != "quoted" else [(uid, mail.replace(b"\r\n", b" ")) for uid, mail in ALL]
    with ImapPeer(f"bodies {how}", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        answer = tool.ask("fetch INBOX 7 11 12 13")
    assert outcome(answer) == "ok" and fetched(answer) == expected


def test_octets_are_given_as_they_are():
    mails = [b"a: b\r\n\r\nNUL \0 8-bit \xff LF only\n) \r\n* BYE\r\nA1 OK done\r\n", b"x" * 150, b"\r\n"]
    with ImapPeer("", INBOX=mails) as peer, mailbox(peer.port) as tool:
        assert [octets for _, octets in fetched(tool.ask("fetch INBOX 7 11 12 13"))] == mails


def test_a_message_that_is_gone_is_passed_over():
    with ImapPeer("", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert fetched(tool.ask("fetch INBOX 7 10 11 13 99")) == [ALL[0], ALL[2]]


@pytest.mark.parametrize("event", ["LINES", "BODIES"])
def test_a_no_after_some_is_no_success(event):
    """libetpan calls it one; the messages that were not seen are still there."""
    text = "UID 11 FLAGS () INTERNALDATE \" 1-Mar-2026 10:00:00 +0100\" RFC822.SIZE 23" if event == "LINES" else \
        "UID 11 BODY[] {23}\\r\\nSubject: m0\\r\\n\\r\\nbody 0\\r\\n"
    with ImapPeer(f"on {event} raw * 1 FETCH ({text})\\r\\n%T NO [SERVERBUG] half\\r\\n", INBOX=MAILS) as peer, \
            mailbox(peer.port) as tool:
        answer = tool.ask("fetch INBOX 7 11 12 13")
    assert outcome(answer) == "deferred"
    assert fetched(answer) in ([], ALL[:1])


def test_i19_a_sink_that_refuses_ends_the_fetch():
    with ImapPeer("", INBOX=[b"x" * 5000000] + MAILS) as peer, mailbox(peer.port) as tool:
        answer = tool.ask("fetch INBOX 7 ONLY=100000 11 12")
        assert outcome(answer) == "broken" and answer["text"] == "sink: enough" and fetched(answer) == []
        assert fetched(tool.ask("header INBOX 7 12")) == [(12, b"Subject: m0\r\n\r\n")]
    assert peer.connections == 2


def test_many_messages_come_by_few_commands():
    mails = [b"Subject: %d\r\n\r\n%s\r\n" % (n, b"y" * (n % 400)) for n in range(390)]
    with ImapPeer("", INBOX=mails) as peer, mailbox(peer.port) as tool:
        lines = tool.ask("list INBOX 7 1")["lines"]
        assert [line[0] for line in lines] == list(range(11, 401)) and [line[2] for line in lines] == list(map(len, mails))
        answer = tool.ask("fetch INBOX 7 " + " ".join(str(line[0]) for line in lines))
        assert [(m["uid"], m["len"]) for m in answer["messages"]] == [(line[0], line[2]) for line in lines]
        assert moved(tool.ask("move INBOX 7 Processed " + " ".join(str(line[0]) for line in lines))) == ["yes"] * 390
    assert sum("BODY" in c for c in peer.commands) == 2
    assert [m.octets for m in peer.folders["Processed"].messages] == mails


def test_searching_a_header():
    with ImapPeer("", Sent=[b"Message-ID: <ack.1@x>\r\n\r\n", b"a: b\r\n\r\n"]) as peer, mailbox(peer.port) as tool:
        answer = tool.ask("search Sent Message-ID <ack.1@x>")
        assert (answer["uidvalidity"], answer["uids"], outcome(answer)) == (50, [1], "ok")
        assert outcome(tool.ask("search Nowhere Message-ID x")) == "not-found"
        for value in ('a"b', "a\\x5cb", "gr\\xc3\\xbcn", "a\\r\\nb"):
            assert outcome(tool.ask(f"search Sent Subject {value}")) == "usage"
        assert outcome(tool.ask("search Sent Sub{ject x")) == "usage"


@pytest.mark.parametrize("how, rc", [
    ("proceed", "ok"), ("no [OVERQUOTA] full", "deferred"), ("no [NOPERM] not you", "refused"),
    ("perform, then close", "unknown"), ("close", "unknown"), ("stall", "unknown"),
])
def test_what_became_of_an_append(how, rc):
    with ImapPeer(f"on APPEND {how}\non APPEND proceed", Claim=[]) as peer, mailbox(peer.port, timeout=SHORT) as tool:
        assert outcome(tool.ask("append Claim a:~b\\r\\n\\r\\nx\\r\\n")) == rc
        assert outcome(tool.ask("append Claim a:~b\\r\\n\\r\\n")) == "ok"
        assert peer.folders["Claim"].messages[-1].octets == b"a: b\r\n\r\n"


def test_removing_what_is_gone_is_done():
    with ImapPeer("", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        assert outcome(tool.ask("remove INBOX 7 12")) == "ok"
        assert outcome(tool.ask("remove INBOX 7 12")) == "ok"
        assert [m.uid for m in peer.folders["INBOX"].messages] == [11, 13]


def test_what_the_server_lacks_is_described():
    with ImapPeer(BASIC + " IDLE") as peer, mailbox(peer.port) as tool:
        said = tool.ask("describe")["said"].splitlines()
    assert [line.split(":")[:2] for line in said] == [["MOVE", " no"], ["UIDPLUS", " no"], ["IDLE", " yes"], ["NAMESPACE", " no"],
                                                         ["QUOTA", " no"], ["UTF8=ONLY", " no"]]


def test_reading_never_selects_and_never_marks():
    with ImapPeer("", INBOX=MAILS) as peer, mailbox(peer.port) as tool:
        for line in ("open INBOX", "list INBOX 7 1", "fetch INBOX 7 11", "header INBOX 7 11", "search INBOX Subject m1", "wait INBOX 100"):
            assert outcome(tool.ask(line)) == "ok"
    assert not any("SELECT" in c or "STORE" in c or "BODY[" in c for c in peer.commands)
