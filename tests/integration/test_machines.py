# SPDX-License-Identifier: Apache-2.0
"""Several machines on one ledger in PostgreSQL, played by services with a data folder each: who works on which
mailbox, and what becomes of it when one is cut off from the ledger, stands still, or another deployment comes."""
import contextlib
import copy
import os
import shutil
import signal
import sys

import pytest

from apart import Apart
from gate import Gate
from mails import plain
from postgres import Postgres
from smtp_peer import SmtpPeer
from rig import PROGRAM, TOP, assert_invariants, await_

sys.path.insert(0, str(TOP / "tests" / "crash"))
from deployment import stopped_child  # noqa: E402

TRIES_OF_OTHERS = """SELECT COUNT(*) FROM attempt JOIN effect ON effect.id = attempt.effect JOIN item ON item.key = effect.key
    JOIN mailbox_lease AS lease ON lease.mailbox = item.mailbox WHERE attempt.run <> lease.run"""
HELD_UP = """CREATE FUNCTION held_up() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NEW; END $$;
    CREATE TRIGGER held_up BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION held_up()"""
CRASHING = PROGRAM.parent / "tests" / "onecase-crash"


@pytest.fixture(scope="module")
def server(scratch):
    with Postgres() as postgres:
        yield postgres


@pytest.fixture
def desk(make_rig, server):
    rig = make_rig()
    rig.settings["ledger"] = server.make_database(rig.user)
    rig.settings["lease"] = "2s"
    rig.once()  # makes the tables
    return rig


def machine(desk, name, ledger=None, address=None, **program):
    """A service as it runs on a machine of that name: its data folder is its own. `address` is where the mail
    servers are, as it sees them."""
    before, desk.settings = desk.settings, copy.deepcopy(desk.settings)
    for server in (desk.mailbox["imap"], desk.letters["smtp"]) if address else ():
        server.update(host=address, allow_plaintext=True)
    desk.settings.update(data_dir=str(desk.folder / name), ledger=ledger or before["ledger"])
    config, desk.config = desk.config, desk.folder / f"{name}.yaml"
    (desk.folder / name).mkdir(mode=0o700, exist_ok=True)
    service = desk.serve(**program)
    desk.config, desk.settings = config, before
    return service


def stopped_at(desk, name, point, deliver=None, **more):
    """The same, whose worker stops there; gives the service and that worker."""
    if deliver:
        desk.deliver(deliver)
    service = machine(desk, name, program=CRASHING, ONECASE_CRASH=point, **more)
    return service, await_(lambda: stopped_child(service.process.pid), f"its worker stops at {point}")


def arming_of_the_move(desk):
    """Which commit of a machine's that is, by what one does undisturbed, with a mail that is there when it starts."""
    trace = desk.folder / "trace"
    one = machine(desk, "undisturbed", program=CRASHING, ONECASE_CRASH_TRACE=str(trace))
    await_(lambda: desk.counts()["complete"] == 1, "it is complete")
    assert one.end() == 0
    calls = [line.split() for line in trace.read_text().splitlines()]
    moves = calls.index([">", "mailbox.move", "1"])
    return max(int(nth) for word, call, nth, *_ in calls[:moves] if (word, call) == ("<", "work.commit"))


def shares(desk, server):
    """How many mailboxes each machine has."""
    return sorted(int(n) for n in server.sql(desk.user, "SELECT COUNT(*) FROM mailbox_lease WHERE run IS NOT NULL GROUP BY node"))


def holder(desk, server):
    return server.sql(desk.user, "SELECT run FROM mailbox_lease WHERE run IS NOT NULL AND mailbox = 'help'")


def is_told_once(desk, names):
    await_(lambda: desk.counts()["complete"] == len(names), "all are complete")
    assert len(desk.acknowledgements()) == len(desk.json("cases")) == len(names)
    assert desk.uids() == {} and len(desk.uids("Processed")) == len(names)
    assert_told(desk)


def assert_told(desk):
    assert all(effect["status"] == "done" for item in desk.items() for effect in item["effects"])


def test_K01_mailboxes_are_shared_out_among_machines_and_anew_when_one_comes_or_goes(desk, make_rig, server):
    others = [make_rig() for _ in range(3)]
    for other in others:
        desk.settings["mailboxes"].append({**other.mailbox, "id": other.user, "acknowledgement": {"from": other.address}})
    one = machine(desk, "one")
    await_(lambda: shares(desk, server) == [4], "the first has all")
    two = machine(desk, "two")
    await_(lambda: shares(desk, server) == [2, 2], "each has two")
    for rig in [desk, *others]:
        rig.deliver(*(plain(f"{rig.user}-{n}") for n in range(3)))
    await_(lambda: desk.counts()["complete"] == 3 and len(desk.items("--state", "complete")) == 12, "all are complete")
    assert {len(rig.acknowledgements()) for rig in [desk, *others]} == {3}
    assert server.sql(desk.user, TRIES_OF_OTHERS) == ["0"], "each works on its own mailboxes alone"
    assert one.end() == 0
    await_(lambda: shares(desk, server) == [4], "the second has all")
    assert two.end() == 0
    assert shares(desk, server) == []
    assert desk.run("verify", status=None).returncode in (0, 1)


def test_a_persons_word_on_another_machine_is_obeyed_at_once(desk, server):
    """Its mailbox is looked at, and its lease renewed, in ten minutes: by then nobody waits any more."""
    desk.mailbox["poll_interval"] = desk.settings["lease"] = "10m"
    one = machine(desk, "one")
    desk.deliver(plain("before"))
    await_(lambda: desk.counts()["complete"] == 1, "it works")
    desk.run("pause", "--mailbox", "help", "--by", "ann", "--reason", "why")
    desk.deliver(plain("meanwhile"))
    await_(lambda: desk.counts()["received"] == 1, "new mail is recorded")
    desk.run("resume", "--mailbox", "help", "--by", "ann", "--reason", "why")
    is_told_once(desk, ["before", "meanwhile"])
    assert one.end() == 0


def test_a_lease_is_renewed_by_a_machine_that_looks_less_often(desk, server):
    desk.mailbox["poll_interval"] = "10m"
    one = machine(desk, "one")
    await_(lambda: holder(desk, server), "the first has the mailbox")
    first, two = holder(desk, server), machine(desk, "two")
    until = int(server.sql(desk.user, "SELECT until FROM mailbox_lease")[0])
    await_(lambda: int(server.sql(desk.user, "SELECT until FROM mailbox_lease")[0]) > until + 2000, "it is renewed for another lease")
    assert holder(desk, server) == first
    assert one.end() == 0 and two.end() == 0


def test_K03_a_machine_that_is_cut_off_from_the_ledger_does_nothing_until_it_is_back(desk, server):
    with Gate(server.port) as gate:
        one = machine(desk, "one", server.url(desk.user, gate.port))
        await_(lambda: holder(desk, server), "the first has the mailbox")
        first = holder(desk, server)
        desk.deliver(plain("before"))
        await_(lambda: desk.counts()["complete"] == 1, "it works")
        two = machine(desk, "two")
        gate.refuse(3600)
        desk.deliver(plain("meanwhile"))
        await_(lambda: holder(desk, server) not in ([], first), "the second has taken it")
        await_(lambda: desk.counts()["complete"] == 2, "and works")
        gate.pass_on()
        desk.deliver(plain("after"))
        is_told_once(desk, ["before", "meanwhile", "after"])
        assert holder(desk, server) != first
        assert one.end() == 0 and two.end() == 0


def test_K03_a_machine_without_network_is_taken_over_from_and_doubles_nothing_when_it_is_back(desk, server):
    """Its cable is pulled when a letter is armed there and has not left: that is never sent by another."""
    desk.letters["evidence"]["wait"] = "0s"
    desk.mailbox["imap"].update(host="127.0.0.1", port=desk.box.imap, security="none")
    with SmtpPeer("") as peer, Apart(server.port, desk.box.imap, peer.port) as apart:
        desk.send_to(peer.port)
        one, worker = stopped_at(desk, "one", "stop-before courier.release 1", deliver=plain("armed"), before=apart.before,
                                 address=apart.address, ledger=server.url(desk.user).replace("127.0.0.1", apart.database))
        first = holder(desk, server)
        apart.cut_off()
        os.kill(worker, signal.SIGCONT)
        desk.deliver(plain("meanwhile"))
        two = machine(desk, "two")
        await_(lambda: holder(desk, server) not in ([], first), "the second has taken it")
        await_(lambda: desk.counts()["complete"] == 1, "and works")
        await_(lambda: [i["reason"] for i in desk.items("--state", "needs_reconciliation")] == ["acknowledgement-unknown"],
               "whether the letter left is not known")
        assert len(peer.accepted) == 1, "nothing leaves the first"
        apart.back()
        await_(lambda: one.said("mailbox.left"), "the first has found that it is another's")
        desk.deliver(plain("after"))
        await_(lambda: len(desk.items()) == 3 and desk.counts()["complete"] + desk.counts()["needs_reconciliation"] == 3,
               "the second goes on")
        assert len(desk.json("cases")) == 3 and holder(desk, server) != first
        assert one.end() == 0 and two.end() == 0
        told = [letter.split(b"Message-ID: ")[1].split()[0] for letter in peer.accepted]
        assert len(set(told)) == len(told), "nobody is told twice"


def test_K03_a_machine_that_stood_still_past_its_lease_finds_it_taken(desk, server):
    one = machine(desk, "one")
    await_(lambda: holder(desk, server), "the first has the mailbox")
    first = holder(desk, server)
    two = machine(desk, "two")
    os.killpg(one.process.pid, signal.SIGSTOP)
    try:
        desk.deliver(plain("meanwhile"))
        await_(lambda: holder(desk, server) not in ([], first), "the second has taken it")
        await_(lambda: desk.counts()["complete"] == 1, "and works")
    finally:
        os.killpg(one.process.pid, signal.SIGCONT)
    desk.deliver(plain("after"))
    is_told_once(desk, ["meanwhile", "after"])
    assert one.end() == 0 and two.end() == 0


def schema(desk, server):
    return int(server.sql(desk.user, "SELECT COUNT(*) FROM meta WHERE name LIKE 'schema!_%' ESCAPE '!'")[0])


def test_L06_machines_are_upgraded_one_after_another_while_the_others_work(desk, make_rig, server):
    """Programs of two later versions: tests/upgrade."""
    expanded, contracted = (PROGRAM.resolve().parent / "tests" / f"onecase_{name}" for name in ("expanded", "contracted"))
    other, ours = make_rig(), schema(desk, server)
    desk.settings["mailboxes"].append({**other.mailbox, "id": other.user, "acknowledgement": {"from": other.address}})
    one, two = machine(desk, "one"), machine(desk, "two")
    await_(lambda: shares(desk, server) == [1, 1], "each has one")
    for rig in (desk, other):
        rig.deliver(plain("before"))
    await_(lambda: len(desk.items("--state", "complete")) == 2, "both work")
    assert two.end() == 0
    two = machine(desk, "two", program=expanded)
    await_(lambda: shares(desk, server) == [1, 1] and schema(desk, server) == ours + 1, "the newer has one again")
    for rig in (desk, other):
        rig.deliver(plain("meanwhile"))
    await_(lambda: len(desk.items("--state", "complete")) == 4, "the older works beside it")
    assert "works beside this one" in desk.run("doctor", status=None).stdout
    assert one.end() == 0
    one = machine(desk, "one", program=expanded)
    await_(lambda: shares(desk, server) == [1, 1], "all are newer")
    late = machine(desk, "late")
    three = machine(desk, "three", program=contracted)
    await_(lambda: schema(desk, server) == ours + 2, "the one after it")
    for rig in (desk, other):
        rig.deliver(plain("after"))
    await_(lambda: server.sql(desk.user, "SELECT COUNT(*) FROM item WHERE state = 'complete'") == ["6"], "the version before it works")
    await_(lambda: late.said("newer version"), "what is two versions older is told")
    assert "newer version" in desk.run("items", status=74).stderr
    for service in (one, two, three):
        assert service.end() == 0
    late.end()
    assert {len(rig.acknowledgements()) for rig in (desk, other)} == {3}


def test_K03_a_machine_that_stood_still_before_its_move_does_not_move_any_more(desk, server):
    """Another has found the message where it was, and a person wants it to stay there."""
    desk.letters["enabled"] = False  # how many commits a letter takes is its server's matter, too
    desk.deliver(plain("undisturbed"))
    point = f"stop-after work.commit {arming_of_the_move(desk)}"
    desk.deliver(plain("asks"))
    one, worker = stopped_at(desk, "one", point)
    first = holder(desk, server)
    desk.run("pause", "--mailbox", "help", "--effect", "move", "--by", "ann", "--reason", "look at it first")
    two = machine(desk, "two")
    moves = "SELECT status FROM effect WHERE kind = 'move' ORDER BY id DESC LIMIT 1"
    await_(lambda: holder(desk, server) not in ([], first), "the second has taken it")
    await_(lambda: server.sql(desk.user, moves) == ["deferred"], "and found that it was not moved")
    os.kill(worker, signal.SIGCONT)
    await_(lambda: one.said("item.lost"), "the first has found that the item is another's")
    assert len(desk.uids()) == 1 and len(desk.uids("Processed")) == 1
    desk.run("resume", "--mailbox", "help", "--by", "ann", "--reason", "seen")
    await_(lambda: desk.counts()["complete"] == 2, "all are complete")
    assert desk.uids() == {} and len(desk.uids("Processed")) == 2
    assert one.end() == 0 and two.end() == 0


def test_K02_the_same_mail_in_two_mailboxes_of_two_machines_in_the_same_second(desk, make_rig, server):
    other, mails = make_rig(), [plain(f"both{n}") for n in range(4)]
    desk.settings["mailboxes"].append({**other.mailbox, "id": other.user, "acknowledgement": {"from": other.address}})
    desk.settings["merge_across"] = ["help", other.user]
    one, two = machine(desk, "one"), machine(desk, "two")
    await_(lambda: shares(desk, server) == [1, 1], "each has one")
    server.sql(desk.user, HELD_UP)
    with server.session(desk.user, "BEGIN; SELECT 1 FROM pg_advisory_xact_lock(4711)"):
        for mail in mails:
            desk.deliver(mail)
            other.deliver(b"Received: from elsewhere\r\n" + mail)
        held_up = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND objid = 4711"
        await_(lambda: server.sql(desk.user, held_up) != ["0"], "one is about to record it")
        with contextlib.suppress(AssertionError):  # the other waits for its turn, or would be held up, too
            await_(lambda: server.sql(desk.user, held_up) == ["2"], "both are", seconds=1)
    await_(lambda: len(desk.uids("Processed")) == len(other.uids("Processed")) == len(mails), "all are filed")
    await_(lambda: len(desk.items("--state", "complete")) == len(desk.items()) == len(mails), "one item each")
    assert len(desk.json("cases")) == len(desk.acknowledgements() + other.acknowledgements()) == len(mails)
    assert {item["deliveries"] for item in desk.items()} == {2}
    assert one.end() == 0 and two.end() == 0


def test_K10_a_machine_with_a_program_of_another_version_takes_an_item_over(desk):
    one, _ = stopped_at(desk, "one", "stop-after work.claim 1", deliver=plain("asks"))
    before = [(item["key"], item["case"]) for item in desk.items()]
    assert one.end(signal.SIGKILL) == -signal.SIGKILL and len(before) == 1
    two = machine(desk, "two", program=PROGRAM.resolve().parent / "tests" / "onecase_expanded")
    is_told_once(desk, ["asks"])
    assert [(item["key"], item["case"]) for item in desk.items()] == before
    assert two.end() == 0


def test_K07_a_deployment_with_another_database_is_noticed_before_it_does_anything(desk, server):
    desk.deliver(plain("first"))
    desk.once()
    desk.settings.update(name="another", ledger=server.make_database("another"))
    desk.deliver(plain("second"))
    done = desk.run("run", "--once", status=77)
    assert desk.user in done.stdout + done.stderr
    assert len(desk.acknowledgements()) == 1 and len(desk.uids()) == 1
    desk.settings.update(name=desk.user, ledger=server.url(desk.user))
    desk.once()
    assert_invariants(desk)
    assert desk.counts()["complete"] == 2


def test_L10_a_standby_promoted_without_the_last_commits_is_a_ledger_that_went_back(make_rig):
    """What it forgot is not told twice, and what was filed meanwhile gets its case again, by the same reference."""
    desk = make_rig()
    with Postgres() as primary:
        name = primary.make_database("desk").rsplit("/", 1)[1]
        standby = Postgres()
        try:
            desk.settings["ledger"] = primary.url(name)
            desk.deliver(plain("before"))
            service = desk.serve()
            await_(lambda: desk.counts()["complete"] == 1, "it works")
            desk.settings["lease"] = "2s"
            other = desk.serve()
            await_(lambda: sum(run["active"] == "yes" for run in desk.json("deployments")) > 1, "another stands by")
            del desk.settings["lease"]
            standby.copy_of(primary)
            await_(lambda: primary.sql("postgres", "SELECT COUNT(*) FROM pg_stat_replication WHERE state = 'streaming'") == ["1"],
                   "the standby follows")
            await_(lambda: other.said("may take over without the last commits"), "it is looked for while a connection lasts")
            assert other.end() == 0 and not service.said("may take over")
            primary.sql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'onecase'")
            await_(lambda: service.said("may take over without the last commits"), "it is looked for on each new connection")
            assert service.end() == 0
            refused = desk.run("run", "--once", status=None)
            assert refused.returncode == 74 and "async_failover: accepted" in refused.stderr, refused.stderr
            assert "synchronous_standby_names" in desk.run("doctor", status=1).stdout
            desk.settings["async_failover"] = "accepted"
            desk.once()
            await_(lambda: standby.sql(name, "SELECT COUNT(*) FROM event") == primary.sql(name, "SELECT COUNT(*) FROM event"), "it has all")
            standby.sql("postgres", "ALTER SYSTEM SET primary_conninfo = ''")
            standby.sql("postgres", "SELECT pg_reload_conf()")
            await_(lambda: primary.sql("postgres", "SELECT COUNT(*) FROM pg_stat_replication") == ["0"], "it no longer follows")
            desk.deliver(plain("forgotten"))
            desk.once()
            references = {case["reference"] for case in desk.json("cases")}
            assert desk.counts()["complete"] == 2 and len(references) == 2
            primary.crash()
            standby.sql("postgres", "SELECT pg_promote()")
            desk.settings["ledger"] = standby.url(name)
            assert desk.counts()["complete"] == 1
            await_(lambda: not desk.once()["deferred"], "nothing is deferred")
            assert standby.sql(name, "SELECT value FROM meta WHERE name IN ('generation', 'timeline') ORDER BY name") == ["2", "2"]
            assert {case["reference"] for case in desk.json("cases")} == references
            assert len(desk.acknowledgements()) == 2, "nobody is told twice"
            assert [item["reason"] for item in desk.items("--state", "needs_reconciliation")] == ["acknowledgement-unknown"]
            assert desk.uids() == {} and len(desk.uids("Processed")) == 2
        finally:
            standby.end()
            shutil.rmtree(standby.folder)
