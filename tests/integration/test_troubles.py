# SPDX-License-Identifier: Apache-2.0
"""Servers that fail, refuse or lie, and a process that is killed: nothing is lost, nothing is told twice."""
import email
import random
import signal
import socket
import time

import pytest

import mails
from authority import Authority
from gate import Gate
from imap_peer import ImapPeer
from mails import plain
from postfix import Postfix
from rig import PASSWORD, assert_invariants, await_, effects
from smtp_peer import SmtpPeer


def letters_of(peer):
    """What a scripted server accepted, dots undoubled."""
    return [email.message_from_bytes(octets.replace(b"\r\n..", b"\r\n.")) for octets in peer.accepted]


def step(rig):
    """The acknowledgement of the one case that there is."""
    item, = (item for item in rig.items() if item["disposition"] == "case")
    return effects(item, "acknowledgement")[0]


def only_line(said):
    line, = said.splitlines()
    return line


# ---- the mail server of the acknowledgements ---------------------------------------------------------------


def test_while_smtp_is_down_cases_are_made_and_mail_stays_and_each_is_told_once_it_is_back(rig):
    with Postfix() as postfix:
        rig.postfix = postfix
        rig.send_to(postfix.port)
        postfix.stop()
        varied = mails.varied()[:5]
        rig.deliver(*varied)
        summary = rig.once()
        assert (summary["new"], summary["completed"], summary["deferred"]) == (5, 0, 5)
        assert len(rig.json("cases")) == 5 and len(rig.uids()) == 5 and not rig.uids("Processed")
        status = rig.status()
        assert status["states"]["in_progress"] == 5 and status["circuit"]["reason"]
        assert "confirmations" in rig.run("status").stdout or "SMTP" in rig.run("status").stdout
        rig.once()
        assert postfix.start()
        await_(lambda: rig.once()["deferred"] == 0 and not rig.uids(), "all told")
        assert len(rig.acknowledgements()) == 5
        assert_invariants(rig)


def test_a_recipient_that_is_refused_ends_its_mail_and_is_listed_as_not_told(rig):
    with SmtpPeer("on RCPT reply 550 5.1.1 no such user here") as peer:
        rig.send_to(peer.port)
        rig.deliver(plain("refused"))
        assert rig.once()["completed"] == 1
        assert step(rig)["status"] == "refused"
        assert rig.status()["not_told"] == 1 and len(rig.items("--not-told")) == 1
        assert peer.accepted == []
        assert_invariants(rig, [])


def test_greylisting_is_waited_out(rig):
    with SmtpPeer("on RCPT reply 450 4.7.1 greylisted\non RCPT reply 250 ok") as peer:
        rig.send_to(peer.port)
        rig.settings["retry"] = {"first_delay": "2s", "max_delay": "2s"}  # or a slow run tries twice
        rig.deliver(plain("grey"))
        assert rig.once()["deferred"] == 1
        assert step(rig)["status"] == "deferred" and len(rig.uids()) == 1
        await_(lambda: rig.once()["completed"], "the second try")
        assert len(peer.accepted) == 1
        assert_invariants(rig, letters_of(peer))


def test_a_lost_connection_before_the_dot_is_tried_again(rig):
    with SmtpPeer("on DATA close\non DATA reply 354 go") as peer:
        rig.send_to(peer.port)
        rig.deliver(plain("before"))
        rig.once()
        await_(lambda: rig.once()["completed"] or step(rig)["status"] == "done", "the second try")
        assert len(peer.accepted) == 1
        assert_invariants(rig, letters_of(peer))


@pytest.mark.parametrize("taken", [True, False], ids=["the server had taken it", "the server had not"])
def test_a_connection_cut_after_the_dot_is_unknown_and_a_person_is_asked(rig, taken):
    with SmtpPeer(f"after end-of-data {'take, then ' if taken else ''}close\nafter end-of-data accept") as peer:
        rig.send_to(peer.port)
        rig.letters.update(final_timeout="1s", evidence={"wait": "0s"})
        rig.deliver(plain("doubt"))
        assert rig.once()["needs_reconciliation"] == 1
        for _ in range(3):
            rig.once()
        assert peer.ended == 1, "it was sent again although nobody knows"
        item, = rig.items()
        assert (item["state"], item["reason"]) == ("needs_reconciliation", "acknowledgement-unknown")
        assert step(rig)["status"] == "unknown" and len(rig.uids()) == 1
        assert rig.status()["waiting"] == {"acknowledgement-unknown": 1}
        page = rig.run("item", item["case"]).stdout
        assert "not known whether it was sent" in page and "acknowledgement-not-sent" in page.replace(" ", "-")
        assert_invariants(rig, letters_of(peer))

        decide = ("resolve", item["key"][:12], "--by", "Ann", "--reason", "asked the server's owner")
        if taken:
            rig.run(*decide, "--acknowledgement", "sent")
        else:
            await_(lambda: rig.run(*decide, "--acknowledgement", "not-sent", status=None).returncode == 0,
                   "the time from which it may be sent again")
        rig.once()
        assert rig.items()[0]["state"] == "complete" and rig.uids() == {}
        assert peer.ended == (1 if taken else 2)
        messages = [m["Message-ID"] for m in letters_of(peer)]
        assert len(messages) == 1
        approval, = rig.json("item", item["key"])["approval_list"]
        assert approval["by"].startswith("Ann (") and approval["reason"] == "asked the server's owner"
        assert_invariants(rig, letters_of(peer))


def test_not_sent_is_not_taken_before_its_time(rig):
    with SmtpPeer("after end-of-data close") as peer:
        rig.send_to(peer.port)
        rig.letters.update(final_timeout="5m", evidence={"wait": "0s"})
        rig.deliver(plain("early"))
        rig.once()
        key = rig.items()[0]["key"]
        said = rig.run("resolve", key, "--acknowledgement", "not-sent", "--by", "Ann", "--reason", "r", status=75)
        assert "possible from" in said.stderr
        rig.once()
        assert peer.ended == 1 and rig.items()[0]["state"] == "needs_reconciliation"
        rig.run("resolve", key, "--acknowledgement", "none", "--by", "Ann", "--reason", "r")
        rig.once()
        assert rig.items()[0]["state"] == "complete" and peer.ended == 1


def test_a_blind_copy_settles_what_was_unknown(rig):
    """The copy comes by LMTP into the watched inbox; it carries the proof, so nobody is asked."""
    rig.letters["evidence"] = {"copy_to": rig.address, "wait": "1h"}
    with SmtpPeer("after end-of-data take, then close") as peer:
        rig.send_to(peer.port)
        rig.deliver(plain("copied"))
        rig.once()
        assert step(rig)["status"] == "unknown"
        letter, = letters_of(peer)
        copy = peer.accepted[0]
        delivered = list(rig.delivered)
        rig.deliver(copy)
        rig.delivered = delivered
        await_(lambda: not rig.uids() or rig.once()["deferred"] < 0, "the copy is taken as evidence")
        assert step(rig)["status"] == "done"
        dispositions = sorted(item["disposition"] for item in rig.items())
        assert dispositions == ["case", "evidence"]
        assert len(rig.json("cases")) == 1 and peer.ended == 1
        assert_invariants(rig, [letter])


def test_a_copy_without_proof_settles_nothing(rig):
    rig.letters["evidence"] = {"copy_to": rig.address, "wait": "1h"}
    with SmtpPeer("after end-of-data take, then close\nafter end-of-data accept") as peer:
        rig.send_to(peer.port)
        rig.deliver(plain("forged"))
        rig.once()
        forged = email.message_from_bytes(peer.accepted[0])
        del forged["X-Onecase-Proof"]
        forged["X-Onecase-Proof"] = "0" * 64
        rig.deliver(forged.as_bytes().replace(b"\n", b"\r\n").replace(b"\r\r", b"\r"))
        rig.once()
        unknown = [item for item in rig.items() if item["disposition"] == "case"
                   and effects(item, "acknowledgement")[0]["status"] == "unknown"]
        assert len(unknown) == 1


# ---- who is on the other side? -----------------------------------------------------------------------------


def bad_certificate(kind, authority, folder):
    if kind == "another name":
        return authority.issue(f"other{time.time_ns()}", "other.example")
    return Authority(folder / "unknown").issue("good")


@pytest.mark.parametrize("security", ["tls", "starttls"])
@pytest.mark.parametrize("kind", ["another name", "unknown authority"])
def test_a_wrong_certificate_of_the_imap_server_is_refused_before_any_secret_leaves(rig, tmp_path, kind, security):
    certificate = bad_certificate(kind, rig.servers.authority, tmp_path)
    with ImapPeer("", certificate, implicit=security == "tls") as peer:
        rig.mailbox["imap"].update(port=peer.port, security=security, timeout="2s")
        said = rig.run("run", "--once", status=69).stderr
        assert peer.secrets == []
    assert f"localhost:{peer.port}" in only_line(said)
    assert ("for another name" if kind == "another name" else "authority that is not known") in said


def test_an_imap_server_whose_starttls_was_stripped_is_refused_before_any_secret_leaves(rig):
    certificate = rig.servers.authority.issue(f"s{time.time_ns()}")
    with ImapPeer("", certificate, stripped=("STARTTLS",)) as peer:
        rig.mailbox["imap"].update(port=peer.port, security="starttls", timeout="2s")
        assert "STARTTLS" in rig.run("run", "--once", status=69).stderr
        assert peer.secrets == []


@pytest.mark.parametrize("kind", ["another name", "unknown authority", "stripped"])
def test_a_wrong_smtp_server_is_refused_before_any_secret_leaves(rig, tmp_path, kind):
    certificate = rig.servers.authority.issue(f"s{time.time_ns()}") if kind == "stripped" else \
        bad_certificate(kind, rig.servers.authority, tmp_path)
    with SmtpPeer("", certificate, ("STARTTLS",) if kind == "stripped" else ()) as peer:
        rig.letters["smtp"]["port"] = peer.port
        rig.letters["timeout"] = "2s"
        rig.deliver(plain("wrong"))
        assert rig.once()["deferred"] == 1
        assert peer.secrets == [] and not any("MAIL" in command for command in peer.commands)
    assert len(rig.json("cases")) == 1 and len(rig.uids()) == 1
    assert rig.status()["circuit"]["reason"]
    assert_invariants(rig, [])


@pytest.mark.parametrize("what, words", [
    ("nobody listens", "refused"), ("no such name", "cannot be resolved"), ("a wrong password", "sign"),
])
def test_an_imap_server_that_cannot_be_reached_is_told_in_one_line(rig, what, words):
    imap = rig.mailbox["imap"]
    if what == "nobody listens":
        with socket.create_server(("127.0.0.1", 0)) as free:
            imap["port"] = free.getsockname()[1]
    elif what == "no such name":
        imap["host"] = "nosuch.invalid"
    else:
        with ImapPeer("on LOGIN no [AUTHENTICATIONFAILED] no\non AUTHENTICATE no [AUTHENTICATIONFAILED] no") as peer:
            imap.update(port=peer.port, security="none")
            said = rig.run("run", "--once", status=69).stderr
    if what != "a wrong password":
        said = rig.run("run", "--once", status=69).stderr
    assert words in only_line(said) and imap["host"] in said and "check" in said
    assert PASSWORD not in said


def test_the_service_keeps_trying_until_the_imap_server_is_there(rig):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    imap = rig.mailbox["imap"]
    imap["port"] = port
    service = rig.serve()
    await_(lambda: service.said("refused"), "the service says that nobody is there")
    assert service.process.poll() is None
    with Gate(rig.servers.dovecot.imaps, port):
        rig.deliver(plain("late"))
        await_(lambda: rig.uids("Processed"), "the mail is filed")
        assert service.end() == 0
    assert_invariants(rig)


# ---- the process dies --------------------------------------------------------------------------------------


def ends(rig):
    """What has come of it all, without times, numbers and runs."""
    items = sorted((i["key"], i["key_source"], i["state"], i["disposition"], i["case"], i["completion_state"])
                   for i in rig.items() if i["disposition"] != "evidence")
    ours = sorted(i["state"] for i in rig.items() if i["disposition"] == "evidence")
    files = {path: digest for path, digest in rig.files().items() if any(path.split("/")[2] == i[0] for i in items)}
    return {"items": items, "ours": set(ours), "files": files, "inbox": len(rig.uids()),
            "letters": sorted(m["Message-ID"] for m in rig.acknowledgements())}


def settle(rig):
    """Runs again until nothing moves any more, and decides as a person would where nobody can know."""
    def quiet():
        rig.servers.postfix.accepted()  # copies to the own mailbox have arrived
        rig.once()
        for item in rig.items("--state", "needs_reconciliation"):
            assert item["reason"] == "acknowledgement-unknown"
            rig.run("resolve", item["key"], "--acknowledgement", "not-sent", "--by", "Ann", "--reason", "no copy came",
                    status=None)
        counts = rig.status()["states"]
        rig.servers.postfix.accepted()
        return counts["in_progress"] + counts["received"] + counts["needs_reconciliation"] == 0 and not rig.uids()
    await_(quiet, "all complete", 60)


MOMENTS = 8


def test_a_run_killed_at_any_moment_ends_as_the_undisturbed_one_after_a_second(make_rig):
    """The whole process group, by SIGKILL, at moments spread over the length of an undisturbed run."""
    batch = [mail.octets for mail in mails.varied()[:12]]
    batch.append(batch[0])

    def rigged():
        rig = make_rig()
        rig.letters["evidence"] = {"copy_to": rig.address, "wait": "1s"}
        rig.letters["final_timeout"] = "1s"
        rig.deliver(*batch)
        return rig

    calm = rigged()
    began = time.monotonic()
    calm.once()
    length = time.monotonic() - began
    settle(calm)
    assert_invariants(calm)
    expected = ends(calm)
    assert len(expected["letters"]) == 12
    dice = random.Random(4711)
    for number in range(MOMENTS):
        rig = rigged()
        moment = length * (number + dice.random()) / MOMENTS
        run = rig.popen("run", "--once", "--json")
        time.sleep(moment)
        kill_group(run)
        settle(rig)
        assert_invariants(rig, killed=True)
        assert ends(rig) == expected, f"killed after {moment:.3f} s of {length:.3f} s"


def kill_group(process):
    import os
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()


def test_a_run_killed_while_the_server_thinks_leaves_one_acknowledgement_unknown(rig):
    """The dot has left, the answer has not come: the next run must not send again by itself."""
    with SmtpPeer("after end-of-data take, then stall\nafter end-of-data accept") as peer:
        rig.send_to(peer.port)
        rig.letters.update(final_timeout="1m", connections=1)
        rig.deliver(plain("think"), plain("later"))
        run = rig.popen("run", "--once")
        await_(lambda: peer.ended == 1, "the end of the first letter")
        kill_group(run)
        rig.once()
        statuses = sorted(effects(item, "acknowledgement")[0]["status"] for item in rig.items())
        assert statuses == ["done", "unknown"]
        rig.once()
        assert peer.ended == 2
        assert_invariants(rig, letters_of(peer), killed=True)
