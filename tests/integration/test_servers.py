# SPDX-License-Identifier: Apache-2.0
"""The program between a real Postfix and real Dovecot, Cyrus and Courier; and, by a proxy that changes what passes,
servers that can less. Rows I01 to I22 and K07 of the fault matrix, on each."""
import importlib
import os
import re
import signal
import sqlite3
import subprocess
import threading
import time
from contextlib import contextmanager

import pytest

import mails
from imap_proxy import ImapProxy
from mails import plain, with_parts, part, PDF
from proxy import Proxy
from rig import PASSWORD, PROGRAM, assert_invariants, await_, effects
from test_service import held, workers

SERVERS = ["dovecot", "cyrus", "courier"]
BATCH = 200  # messages that the program takes at once


def class_of(name):
    return getattr(importlib.import_module(name), name.capitalize())


@contextmanager
def started(servers, name):
    if name == "dovecot":
        yield servers.dovecot
        return
    certificate, key = servers.authority.issue(name, "localhost")
    box = class_of(name)(certificate=certificate, key=key, **({"prefix": "INBOX.", "separator": "."} if name == "cyrus" else {}))
    box.password = PASSWORD
    with box:
        yield box


@pytest.fixture(scope="module", params=SERVERS)
def box(request, servers):
    with started(servers, request.param) as made:
        yield made


@pytest.fixture
def rig(make_rig, box):
    return make_rig(box)


@pytest.fixture
def proxied(rig):
    """A function that puts a proxy before the rig's mailbox."""
    made = []

    def make(**settings):
        made.append(ImapProxy(rig.box.imap, **settings).__enter__())
        rig.through(made[-1])
        return made[-1]

    yield make
    for proxy in made:
        proxy.__exit__()


@contextmanager
def on_terminal(rig, *words):
    """Runs a command whose error output is a terminal; gives it and what was read there."""
    rig.write()
    ours, theirs = os.openpty()
    run = subprocess.Popen([PROGRAM, *words], env=rig.environment(), start_new_session=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    said = []

    def read():
        try:
            while octets := os.read(ours, 4096):
                said.append(octets.decode())
        except OSError:  # nobody writes there any more
            pass

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    yield run, said
    run.wait()
    reader.join(10)
    os.close(ours)


def filed(rig, count):
    assert rig.uids() == {} and len(rig.uids("Processed")) == count
    assert_invariants(rig)


def at_last(rig, completed):
    """Runs until so many are complete: what failed is left alone for a moment."""
    await_(lambda: rig.run("run", "--once", status=None) and rig.status()["states"]["complete"] >= completed, "all complete")


def restore(backup, folder):
    """Puts the mail of a server back, with what it remembers of it."""
    for name in ("mail", "config"):
        if (backup / name).exists():
            subprocess.run(["cp", "-a", f"{backup / name}/.", folder / name], check=True)
            known = {p.relative_to(backup / name) for p in (backup / name).rglob("*")}
            for path in sorted((folder / name).rglob("*"), reverse=True):
                if path.is_file() and path.relative_to(folder / name) not in known:
                    path.unlink()


# ---- the story


def test_one_case_and_one_acknowledgement_each(rig):
    """Varied mails, a copy, a conflict, an answer, one that is dragged back; a second run changes nothing."""
    varied = mails.varied()[:6]
    twice = plain("clash", message_id="<clash@senders.example>")
    rig.deliver(*varied, varied[0].octets, twice, plain("clash", "other words", message_id="<clash@senders.example>"))
    said = rig.once()
    assert (said["new"], said["duplicates"], said["conflicts"], said["completed"]) == (7, 1, 1, 7)
    assert len(rig.json("cases")) == 7 and len(rig.acknowledgements()) == 7
    assert len(rig.uids()) == 1 and len(rig.uids("Processed")) == 8
    assert not any(r"\Seen" in flags for flags in rig.uids("Processed").values()), "it was marked as read"
    assert_invariants(rig)
    held, = rig.items("--state", "needs_reconciliation")
    rig.run("resolve", held["key"], "--conflict", "dismiss", "--by", "Ann", "--reason", "the same")
    told = next(m for m in rig.acknowledgements() if m["In-Reply-To"] == "<clash@senders.example>")
    rig.deliver(plain("clash", "More.", Subject=f"Re: {told['Subject']}", In_Reply_To=told["Message-ID"]))
    assert rig.once()["completed"] == 2
    rig.imap().select(rig.wire("Processed"))
    first = min(rig.uids("Processed"))
    rig.imap().select(rig.wire("Processed"))
    rig.imap().uid("COPY", str(first), "INBOX")
    rig.remove("Processed", first)
    assert rig.once()["duplicates"] == 1
    assert rig.once()["deliveries"] == 0
    assert len(rig.json("cases")) == 7 and len(rig.acknowledgements()) == 7
    assert rig.uids() == {} and len(rig.uids("Processed")) == 10


def test_i11_folders_are_made_where_the_server_keeps_its_own(rig):
    """Missing, below another, with letters beyond ASCII; and subscribed, so that people see them."""
    rig.mailbox["folders"] = {"processed": "Erledigt/für später & mehr", "duplicates": "Erledigt/Doppelte – 重複"}
    mail = plain("accents")
    rig.deliver(mail, mail)
    assert rig.once()["completed"] == 1
    assert rig.uids() == {}
    assert len(rig.uids("Erledigt/für später & mehr")) == 1 and len(rig.uids("Erledigt/Doppelte – 重複")) == 1
    _, lines = rig.imap().lsub()
    subscribed = b" ".join(filter(None, lines))
    assert rig.wire("Erledigt/für später & mehr").strip('"').encode() in subscribed


def test_i11_a_folder_that_is_missing_is_told_with_those_there_are(rig):
    rig.imap().create(rig.wire("Requests"))
    rig.mailbox["folders"] = {"inbox": "Reqests"}
    said = rig.run("run", "--once", status=69).stderr
    assert "'Reqests'" in said and "Requests" in said and "INBOX" in said


def test_i11_a_server_that_has_names_in_utf8_alone(rig, proxied):
    """UTF8=ONLY (RFC 6855): nothing is done before ENABLE UTF8=ACCEPT, and then no name is in modified UTF-7."""
    proxy = proxied(utf8_only=True)
    rig.mailbox["folders"] = {"processed": "Erledigt/Übergröße & mehr 日本", "claim": "onecase"}
    rig.deliver(plain("accents"))
    rig.once()
    assert rig.uids() == {} and list(rig.uids("Erledigt/Übergröße & mehr 日本")) == [1]
    assert proxy.said("ENABLE UTF8=ACCEPT") and not any("&-" in words or "&A" in words for words in proxy.commands)
    rig.mailbox["folders"]["inbox"] = "Übergrosse"
    said = rig.run("run", "--once", status=69).stderr
    assert "there is no folder 'Übergrosse'" in said and "Erledigt/Übergröße & mehr 日本" in said


def test_mail_is_taken_within_a_moment_of_its_arrival(rig):
    """Nothing polls: the server says that it came (Courier looks once a second)."""
    rig.mailbox["poll_interval"] = "1h"
    service = rig.serve()
    await_(lambda: service.process.poll() is None and rig.uids("onecase"), "the first turn")
    for number in range(2):
        began = time.monotonic()
        rig.deliver(plain(f"news{number}"))
        await_(lambda: len(rig.uids("Processed")) == number + 1, "the mail is filed")
        assert time.monotonic() - began < (1 if rig.box.name != "courier" else 3)
    assert service.end() == 0
    filed(rig, 2)


def test_i08_waiting_for_news_is_begun_anew_by_its_interval(rig, proxied):
    """Before a router forgets the connection; and it is one connection that waits and works."""
    rig.mailbox.update(poll_interval="1h", idle_interval="1s")
    proxy = proxied()
    service = rig.serve()
    await_(lambda: proxy.said("IDLE") >= 3, "it is renewed")
    assert proxy.connections == 1
    assert service.end() == 0


# ---- I01 to I05: the way there, and in the middle of something


def test_i01_refused_and_stopped_servers_are_waited_for(rig):
    """A wrong name in the certificate and a wrong password are refused, each in a line that says what to change."""
    rig.deliver(plain("late"))
    rig.mailbox["imap"]["host"] = "127.0.0.1"
    assert "another name" in rig.run("run", "--once", status=69).stderr
    rig.mailbox["imap"]["host"] = "localhost"
    (rig.folder / "password").write_text("wrong\n")
    await_(lambda: "check user name and secret" in rig.run("run", "--once", status=69).stderr, "it is refused", 5)
    (rig.folder / "password").write_text(PASSWORD + "\n")
    at_last(rig, 1)
    filed(rig, 1)


@pytest.mark.parametrize("how", ["cut", "stall"])
def test_i02_i03_a_literal_that_does_not_end_is_fetched_again(rig, how):
    big = with_parts("long", part('attachment; filename="a.pdf"', PDF * 3000))
    rig.deliver(big, plain("short"))
    rig.mailbox["imap"]["timeout"] = "1s"
    with Proxy(rig.box.imap, how, "down", 30000) as proxy:
        rig.through(proxy)
        rig.run("run", "--once", status=69)
        assert proxy.happened
        at_last(rig, 2)
    filed(rig, 2)


@pytest.mark.parametrize("at", ["(UID )?(MOVE|COPY)", "UID FETCH .*BODY", "EXAMINE", "UID SEARCH"])
def test_i04_bye_at_any_point(rig, proxied, at):
    rig.deliver(plain("bye"), plain("bye again"))
    proxy = proxied().on(at, "bye [UNAVAILABLE] going down")
    said = rig.run("run", "--once", status=None)
    assert proxy.acts[0][1] == [], "it was not reached"
    assert said.returncode in (0, 69)
    at_last(rig, 2)
    filed(rig, 2)


def test_i05_a_folder_that_is_made_anew_is_read_anew_and_nothing_runs_again(rig):
    """The same mails under another UIDVALIDITY: every one is seen, none is a case or an answer again, and the
    report says why they came twice."""
    rig.imap().create(rig.wire("Requests"))
    rig.mailbox["folders"] = {"inbox": "Requests"}
    rig.once()
    rig.run("pause", "--mailbox", "help", "--effect", "move", "--by", "Ann", "--reason", "the folder is made anew")
    batch = [plain(f"again{n}") for n in range(3)]
    rig.deliver(*batch, folder="Requests")
    assert rig.once()["new"] == 3
    before = rig.uidvalidity("Requests")
    rig.imap().select("INBOX", readonly=True)
    rig.imap().rename(rig.wire("Requests"), rig.wire("Old"))
    time.sleep(1.1)  # Courier takes the second for its UIDVALIDITY
    rig.imap().create(rig.wire("Requests"))
    rig.imap().select(rig.wire("Old"))
    assert rig.imap().uid("COPY", "1:*", rig.wire("Requests"))[0] == "OK"  # with their INTERNALDATE
    assert rig.uidvalidity("Requests") != before
    said = rig.once()
    assert (said["deliveries"], said["new"]) == (3, 0)
    assert len(rig.json("cases")) == 3 and len(rig.acknowledgements()) == 3
    assert rig.json("report", "duplicates")["totals"]["reobserved"] == 3
    rig.run("resume", "--mailbox", "help", "--by", "Ann", "--reason", "it is there")
    rig.once()
    assert rig.uids("Requests") == {} and len(rig.uids("Processed")) == 3


# ---- I06 to I08: what a server may lack


@pytest.mark.parametrize("without", [
    {"MOVE"}, {"MOVE", "UIDPLUS"}, {"IDLE"}, {"LITERAL+", "LITERAL-"}, {"NAMESPACE"}, {"SPECIAL-USE"},
    {"MOVE", "UIDPLUS", "IDLE", "LITERAL+", "NAMESPACE", "SPECIAL-USE", "CHILDREN", "SASL-IR", "ENABLE", "ESEARCH"},
], ids=" ".join)
def test_i06_i07_i08_a_server_that_can_less(rig, proxied, without):
    """Without MOVE and UIDPLUS what is filed stays behind as \\Deleted, and what others marked is never expunged."""
    if "NAMESPACE" in without and rig.box.prefix:
        rig.mailbox["folders"] = {"processed": "INBOX/Processed", "claim": "INBOX/onecase"}
    proxy = proxied(without=without, no_keywords=True)
    rig.deliver(plain("marked by somebody"), flags=r"(\Deleted)")
    rig.delivered.clear()
    rig.deliver(plain("less"), plain("less again"))
    assert rig.once()["completed"] == 2
    assert rig.once()["deliveries"] == 0
    left = rig.uids()
    assert len(rig.uids("Processed")) == 2 and len(rig.acknowledgements()) == 2
    assert all(r"\Deleted" in flags for flags in left.values())
    assert len(left) == (3 if "UIDPLUS" in without else 1)
    assert proxy.said("EXPUNGE") == proxy.said("CLOSE") == 0


def test_i08_a_router_that_forgot_the_connection_is_noticed(rig, proxied):
    """Nothing passes any more and nobody says so: the poll finds it out, by its deadline."""
    proxy = proxied()
    rig.mailbox["imap"]["timeout"] = "1s"
    rig.mailbox["poll_interval"] = "1s"
    service = rig.serve()
    await_(lambda: proxy.said("IDLE"), "it waits for news")
    proxy.silence()
    rig.deliver(plain("in the hole"))
    await_(lambda: rig.uids("Processed"), "the mail is filed", 10)
    assert service.end() == 0
    assert proxy.connections <= 4
    filed(rig, 1)


# ---- I09 to I14: odd answers


def test_i09_what_nobody_asked_for_is_no_answer(rig, proxied):
    """EXISTS, EXPUNGE and FETCH lines anywhere."""
    rig.deliver(plain("a"), plain("b"))

    def answers(line):
        odd = [b"* 2 FETCH (FLAGS (\\Flagged))", b"* 2 EXISTS", b"* OK still here"]
        return [*odd, line] if b" OK " in line and line[:1] not in b"*+" and seen else [line]

    seen = []
    proxied(answers=answers).on("EXAMINE", lambda: seen.append(1))
    assert rig.once()["completed"] == 2
    filed(rig, 2)


def test_i10_taken_by_somebody_else_between_look_and_move(rig, proxied):
    rig.deliver(plain("taken"), plain("left"))

    def take():
        uid = min(rig.uids())
        rig.imap().select("INBOX")
        rig.imap().uid("COPY", str(uid), rig.wire("Elsewhere"))
        rig.remove("INBOX", uid)

    rig.imap().create(rig.wire("Elsewhere"))
    proxied().on("(UID )?(MOVE|COPY)", take)
    rig.run("run", "--once", status=None)
    at_last(rig, 2)
    assert rig.uids() == {} and len(rig.uids("Processed")) == 1 and len(rig.uids("Elsewhere")) == 1
    assert {i["state"] for i in rig.items()} == {"complete"} and len(rig.acknowledgements()) == 2


@pytest.mark.parametrize("at, code", [
    ("(UID )?(MOVE|COPY)", "OVERQUOTA"), ("(UID )?(MOVE|COPY)", "THROTTLED"), ("SELECT", "LIMIT"),
    ("EXAMINE", "UNAVAILABLE"), ("SELECT", "INUSE"), ("EXAMINE", "EXPIRED"),
])
def test_i12_a_no_for_now_is_waited_out(rig, proxied, at, code):
    rig.deliver(plain("later"))
    proxy = proxied().on(at, *[f"no [{code}] not now"] * 2)
    service = rig.serve()
    await_(lambda: rig.uids("Processed"), "the mail is filed")
    assert proxy.acts[0][1] == []
    assert service.end() == 0
    filed(rig, 1)


def test_i13_sizes_that_are_wrong(rig, proxied):
    """The size is only a hint."""
    rig.deliver(plain("wrong size"))

    def wrong(line):
        return re.sub(rb"RFC822.SIZE \d+", b"RFC822.SIZE 3", line)

    proxied(answers=wrong)
    assert rig.once()["completed"] == 1
    filed(rig, 1)


def test_i14_a_message_without_octets_is_held_and_kept(rig, proxied):
    """An empty body in place of its octets: no case is made of nothing, and somebody is told."""
    rig.deliver(plain("empty"))
    empty = re.compile(rb"(BODY\[\]) \{\d+\}$")
    proxied(answers=lambda line: line, empty=empty)
    assert rig.once()["needs_reconciliation"] == 1
    held, = rig.items("--state", "needs_reconciliation")
    assert (held["reason"], held["key_source"]) == ("unprocessable", "delivery")
    assert len(rig.uids()) == 1 and rig.acknowledgements() == []


# ---- I15 to I20


def test_i16_two_runs_at_once(rig):
    rig.deliver(*[plain(f"both{n}") for n in range(8)])
    runs = [rig.popen("run", "--once", "--json") for _ in range(2)]
    for run in runs:
        _, said = run.communicate(timeout=60)
        # Of a folder that the other is just making, Dovecot says that it is there and that it is not, and Courier neither.
        assert run.returncode == 0 or (run.returncode == 69 and re.search("Mailbox doesn't exist|Cannot create this folder", said)), said
    rig.once()
    filed(rig, 8)


def test_i17_a_mailbox_that_may_only_be_read(rig, proxied):
    """Cases are made and answered; what cannot be filed stays, and it is said why."""
    rig.deliver(plain("read only"))
    proxied(answers=lambda line: line.replace(b"[READ-WRITE]", b"[READ-ONLY]"))
    rig.run("run", "--once", status=None)
    assert "may only read" in rig.said + str(rig.status())
    assert len(rig.uids()) == 1


def test_i18_a_session_that_is_lost_again_and_again_floods_nothing(rig, proxied):
    """Each is signed in and cut at its first folder; the first of them when it waits or asks for news. (A thousand
    times without a server: test_service.py.)"""
    rig.settings["retry"] = {"first_delay": "10ms", "max_delay": "10ms"}
    rig.mailbox["poll_interval"] = "10ms"
    proxy = proxied()
    rig.deliver(plain("at first"))
    service = rig.serve()
    await_(lambda: len(rig.uids("Processed")) == 1, "the first mail is filed")
    worker, = workers(service)
    fds, kb = held(worker)
    lost = proxy.on("EXAMINE|IDLE|NOOP", *["close"] * 30).acts[0][1]
    await_(lambda: not lost, "it tries again and again", 60)
    rig.deliver(plain("at last"))
    await_(lambda: len(rig.uids("Processed")) == 2, "the second mail is filed")
    await_(lambda: held(worker)[0] <= fds + 1, "what was open for a moment is closed")
    assert workers(service) == [worker] and held(worker)[1] < kb + 3000
    assert service.end() == 0 and sum("mailbox.failed" in line for line in service.log) == 1
    filed(rig, 2)


def test_i21_octets_that_came_under_another_uidvalidity_are_nobodys(rig, proxied):
    """In the middle of a fetch the server says that its UIDs mean other messages now."""
    rig.deliver(plain("whose"))
    proxy = proxied().on("UID FETCH .*BODY.PEEK\\[\\]", "say * OK [UIDVALIDITY 4000000000] renumbered")
    first = rig.run("run", "--once", "--json", status=None)
    assert proxy.acts[0][1] == [], "nothing was fetched"
    at_last(rig, 1)
    assert len(rig.json("cases")) == 1, first.stderr
    filed(rig, 1)


def test_i19_a_mail_above_the_limit_is_kept_and_not_fetched(rig, proxied):
    rig.mailbox["max_message_size"] = "20KB"
    rig.deliver(with_parts("large", part('attachment; filename="a.pdf"', PDF * 3000)), plain("small"))
    proxy = proxied()
    said = rig.once()
    assert (said["completed"], said["needs_reconciliation"]) == (1, 1)
    assert len(rig.uids()) == 1
    held, = rig.items("--state", "needs_reconciliation")
    assert held["reason"] == "oversize"
    assert not any("BODY.PEEK[]" in c and " 1 " in c for c in proxy.commands)


def test_i22_a_second_copy_whose_run_died_before_its_move_is_not_taken_for_moved(rig, proxied):
    """Two equal mails, one of them filed; the run dies when it is about to file the other."""
    mail = plain("equal")
    rig.deliver(mail)
    rig.once()
    rig.deliver(mail)
    proxy = proxied().on("(UID )?(MOVE|COPY)", "stall")
    run = rig.popen("run", "--once")
    await_(lambda: proxy.acts[0][1] == [], "it is about to file the second")
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    assert len(rig.uids()) == 1
    await_(lambda: rig.run("run", "--once", status=None) and not rig.uids(), "it is filed")
    assert len(rig.uids("Processed")) == 2
    assert len(rig.acknowledgements()) == 1
    assert_invariants(rig, killed=True)


@pytest.mark.parametrize("before", [BATCH + 6])
def test_i15_mail_from_before_is_adopted_in_batches_and_goes_on_after_a_kill(rig, before):
    """(At full size by tests/integration/history.)"""
    batch = [plain(f"old{n}") for n in range(before)]
    for octets in batch:
        rig.deliver(octets, age=7200)
    assert rig.once()["awaiting_choice"] == before
    rig.run("first-import", "help", "adopt", "--by", "Ann")
    with on_terminal(rig, "run", "--once") as (run, said):
        await_(lambda: rig.status()["states"]["complete"] > 0, "some are adopted")
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    states = rig.status()
    assert states["backlog"] == before - states["states"]["complete"], "status does not say how far it came"
    rig.run("run", "--once", status=None)
    states = rig.status()
    assert states["awaiting_choice"] == 0 and states["backlog"] == 0
    assert states["states"]["complete"] == before and len(rig.uids()) == before and rig.acknowledgements() == []


def test_a_first_start_tells_on_the_terminal_how_far_it_is(make_rig, servers):
    """One line, written over and over; nothing of it where nobody looks."""
    rig = make_rig(servers.dovecot)
    for number in range(BATCH + 6):
        rig.deliver(plain(f"old{number}"), age=7200)
    rig.once()
    rig.run("first-import", "help", "adopt", "--by", "Ann")
    with on_terminal(rig, "run", "--once") as (run, said):
        assert run.wait(60) == 0
        await_(lambda: f"help: {BATCH + 6} of {BATCH + 6} messages taken in" in "".join(said), "it says how far it is")
    text = "".join(said)
    assert f"help: {BATCH} of {BATCH + 6} messages taken in" in text and "\n" not in text
    assert rig.run("run", "--once").stderr == ""


@pytest.mark.parametrize("looked", [True, False])
def test_i20_a_mailbox_that_was_restored_is_seen_anew(rig, servers, make_rig, looked):
    """Its server is put back to what it was: UIDNEXT falls back under the same UIDVALIDITY. What comes now on old
    UIDs is a case of its own, and nothing of before runs again."""
    certificate, key = servers.authority.issue("restored", "localhost")
    kind = type(rig.box) if rig.box is not servers.dovecot else class_of("dovecot")
    more = {"prefix": rig.box.prefix, "separator": rig.box.separator} if rig.box.name == "cyrus" else {}
    box = kind(certificate=certificate, key=key, **more)
    box.password = PASSWORD
    with box:
        rig = make_rig(box)
        rig.deliver(plain("before"))
        rig.once()
        rig.forget()
        box.stop()
        subprocess.run(["cp", "-a", box.folder, rig.folder / "backup"], check=True)
        assert box.begin(), box.told()
        rig.deliver(plain("lost with the disk"))
        rig.once()
        rig.forget()
        box.stop()
        restore(rig.folder / "backup", box.folder)
        assert box.begin(), box.told()
        assert list(rig.uids("Processed")) == [1], "it was not put back"
        if looked:
            rig.run("run", "--once", status=None)
        rig.deliver(plain("after"))  # on the UID of the lost one; UIDNEXT is what it was
        at_last(rig, 3)
        assert len(rig.json("cases")) == 3 and len(rig.acknowledgements()) == 3
        assert rig.uids() == {}


# ---- K07


def test_k07_a_second_deployment_stops_before_any_effect(rig, make_rig, proxied):
    """On each server, without keywords: the claim is a message. A take-over ends it, and is recorded."""
    proxied(no_keywords=True)
    rig.deliver(plain("ours"))
    rig.once()
    other = make_rig(rig.box)
    other.user = rig.user
    other.mailbox["imap"].update(username=rig.user)
    other.settings["name"] = "copy"
    rig.deliver(plain("whose"))
    said = other.run("run", "--once", status=77).stderr
    assert rig.settings["name"] in said
    assert len(rig.uids()) == 1 and other.acknowledgements() == [] and len(rig.uids("Processed")) == 1
    assert other.status()["claim"] == {"owner": f"{rig.settings['name']} (test)", "ours": False}
    other.run("deployments", "--take-over", rig.settings["name"])
    assert other.status()["claim"]["ours"] and other.acknowledgements() == [], "what the other may have sent is sent again"
    with sqlite3.connect(other.data / "ledger.db") as ledger:
        assert ledger.execute("SELECT from_state, actor FROM event WHERE what = 'take-over'").fetchall() == \
            [(rig.settings["name"], "person")]
    rig.deliver(plain("not ours any more"))
    assert "copy" in rig.run("run", "--once", status=77).stderr
    assert len(rig.uids()) == 2


def test_k07_a_deed_that_a_server_does_not_give_at_once_counts(rig, make_rig, proxied):
    """Listed, and gone when it is fetched: the folder is read again. It was taken for nobody's, and the mailbox with it."""
    hiding, hidden = set(), []

    def answers(line):
        about = re.match(rb"\* \d+ FETCH \(.*UID (\d+)", line)
        if about and about[1].decode() in hiding:
            return None
        if hiding and line.startswith(b"* SEARCH"):
            hidden.append(hiding.pop())
            return b"* SEARCH"
        return line

    proxy = proxied(answers=answers)
    rig.deliver(plain("ours"))
    rig.once()
    other = make_rig(rig.box)
    other.user = rig.user
    other.mailbox["imap"].update(username=rig.user)
    other.settings["name"] = "copy"
    other.run("run", "--once", status=77)
    deed = str(max(rig.uids("onecase")))
    other.run("deployments", "--take-over", rig.settings["name"])
    rig.deliver(plain("not ours any more"))
    proxy.on(rf"UID FETCH {deed} \(", lambda: hiding.add(deed))
    assert "copy" in rig.run("run", "--once", status=77).stderr
    assert hidden == [deed] and len(rig.uids()) == 1


def test_deployments_lists_every_run_with_its_mailbox(rig):
    """Also one that found nothing to do, and one that is still there."""
    rig.once()
    service = rig.serve()
    await_(lambda: sum(run["active"] == "yes" for run in rig.json("deployments")) == 1, "the service is listed")
    assert service.end() == 0
    runs = rig.json("deployments")
    assert [(run["mailboxes"], run["active"]) for run in runs] == [("help", "no")] * 2
