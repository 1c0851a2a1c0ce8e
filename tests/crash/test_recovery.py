# SPDX-License-Identifier: Apache-2.0
"""C14, C15: it dies while it files on a server without MOVE; C17: in its recovery, twice in a row; and 20
SIGKILLs in a run of 200 mails."""
import itertools
import os
import signal
import time

import pytest

from deployment import Deployment, MailServer, difference, letters_of_scenario, rig, servers_of
from mails import PDF, part, plain, with_parts

FIRST = ["after intake.reserve 1", "after blobs.keep_attachment 1", "after courier.release 1", "before mailbox.move 1",
         "after mailbox.move 1"]
SECOND = ["after runs.others 1", "before runs.bury 1", "after runs.bury 1", "after work.claim 1",
          "before work.commit 1"]


@pytest.fixture(scope="module")
def scenario():
    return letters_of_scenario()


@pytest.fixture(scope="module")
def expected(servers, tmp_path_factory, scenario):
    """The end of an undisturbed run."""
    with Deployment(servers, tmp_path_factory.mktemp("calm"), "calm") as calm:
        calm.deliver(*scenario)
        calm.settle()
        return calm.end_state()


@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("first", FIRST)
def test_c17_it_dies_in_its_recovery_twice_in_a_row(make, scenario, expected, first, second):
    killed = make()
    killed.deliver(*scenario)
    killed.crash(first)
    for _ in range(2):
        killed.trace.unlink()
        trace = killed.crash(second)
        assert trace[-1][1:3] == second.split()[1:], "it did not come there"
    killed.settle()
    killed.settle_doubts()
    killed.settle()
    killed.check()
    assert not difference(expected, killed.end_state())


numbers = itertools.count(1)


class WithoutMove(MailServer):
    more = "imap_capability = IMAP4rev1 UIDPLUS LITERAL+ IDLE NAMESPACE\n"


@pytest.fixture(scope="module")
def without_move():
    with WithoutMove() as dovecot:
        yield servers_of(dovecot)


def end_without_move(servers, top, scenario, point):
    folder = top / f"user{next(numbers)}"
    folder.mkdir()
    with Deployment(servers, folder, folder.name) as one:
        one.deliver(*scenario)
        trace = one.crash(point)
        left = {uid: flags for uid, flags in one.uids().items() if r"\Deleted" in flags}
        one.settle()
        assert not left.keys() & one.uids().keys(), "what is marked and filed is not expunged"
        one.check()
        return one.end_state(), trace, left


@pytest.mark.parametrize("point", ["before imap.delete 1", "after imap.delete 1", "before imap.expunge 1",
                                   "after imap.expunge 1"])
def test_c14_c15_it_dies_between_copy_deleted_and_expunge(without_move, tmp_path, scenario, expected, point):
    """C14 before the first of them, C15 between the two: what is marked and filed is expunged after all."""
    found, trace, marked = end_without_move(without_move, tmp_path, scenario, point)
    assert trace[-1][1:3] == point.split()[1:], "it did not come there"
    assert not difference(expected, found)
    assert bool(marked) == (point in ("after imap.delete 1", "before imap.expunge 1")), marked


MAILS, KILLS, CONNECTIONS = 200, 20, 2


def two_hundred():
    mails = [plain(f"asks{n}") for n in range(MAILS - 20)]
    return mails + [with_parts(f"file{n}", part('attachment; filename="a.pdf"', PDF)) for n in range(20)]


def moments(kills, length):
    """How many letters are with the server when each kill comes: evenly spread."""
    return [length * (n + 1) // (kills + 1) for n in range(kills)]


def kill_when(deployment, count):
    service = deployment.serve()
    rig.await_(lambda: deployment.peer.ended >= count or service.process.poll() is not None, f"{count} letters", 120)
    assert service.process.poll() is None, "".join(service.log)[-2000:]
    os.killpg(service.process.pid, signal.SIGKILL)
    service.process.wait()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_20_sigkills_in_a_run_of_200_mails(make, number):
    """Nothing lost, nothing doubled, at most one letter in doubt for each connection and kill."""
    deployment = make()
    deployment.letters["connections"] = CONNECTIONS
    deployment.deliver(*two_hundred())
    for count in moments(KILLS, MAILS):
        kill_when(deployment, count + number)
    deployment.settle(120)
    doubts = len(deployment.asked("acknowledgement-unknown"))
    assert doubts <= KILLS * CONNECTIONS
    told = [letter["Message-ID"] for letter in deployment.acknowledgements()]
    assert len(told) == len(set(told)), "somebody was told twice"
    assert len(deployment.json("cases")) == len(deployment.items()) == MAILS
    deployment.settle_doubts()
    deployment.settle(120)
    told = [letter["Message-ID"] for letter in deployment.acknowledgements()]
    assert len(told) == len(set(told)) == MAILS
    assert deployment.uids() == {} and len(deployment.uids("Processed")) == MAILS
    print(f"20 SIGKILLs in a run of {MAILS}, round {number}: {doubts} in doubt, none lost, none doubled")


def test_what_lies_under_incoming_and_belongs_to_no_open_work_is_swept(make):
    """A removal that failed, a run that was overtaken or killed; never what a run may still need."""
    deployment = make()
    deployment.deliver(plain("done"), plain("begun"))
    deployment.crash("after intake.reserve 1")
    incoming = deployment.data / "incoming"
    begun = {path.name for path in incoming.iterdir()}
    assert begun == {rig.sha256(octets) for octets in deployment.delivered}
    for uid in deployment.uids():  # from now on only incoming/ has them
        deployment.remove("INBOX", uid)
    young, old = rig.sha256(b"young"), rig.sha256(b"old")
    for name in (young, old):
        (incoming / name).write_bytes(b"x")
    os.utime(incoming / old, (time.time() - 2 * 86400,) * 2)
    deployment.settle()
    assert {item["state"] for item in deployment.items()} == {"complete"} and len(deployment.json("cases")) == 2
    assert {path.name for path in incoming.iterdir()} == {young}
    for name in begun:
        (incoming / name).write_bytes(b"left by a removal that failed")
    deployment.settle()
    assert {path.name for path in incoming.iterdir()} == {young}
