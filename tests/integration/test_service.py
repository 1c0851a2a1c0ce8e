# SPDX-License-Identifier: Apache-2.0
"""The service: it waits for news, takes signals, and outlives its workers."""
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from dovecot import free_port
from gate import Gate
from imap_proxy import ImapProxy
from mails import plain
from receiver import Receiver
from rig import PASSWORD, PROGRAM, TOP, Service, assert_invariants, await_, effects
from smtp_peer import SmtpPeer
from test_troubles import letters_of


def workers(service):
    """The processes right below the supervisor."""
    with open(f"/proc/{service.process.pid}/task/{service.process.pid}/children") as file:
        return [int(word) for word in file.read().split()]


def test_new_mail_is_taken_when_the_server_says_so(rig):
    """Nothing polls for an hour: what wakes it is IDLE."""
    rig.mailbox["poll_interval"] = "1h"
    service = rig.serve()
    await_(lambda: "onecase" in rig.folders(), "the first turn")
    for number in range(3):
        rig.deliver(plain(f"news{number}"))
        await_(lambda: len(rig.uids("Processed")) == number + 1, "the mail is filed")
    assert service.end() == 0
    assert len(rig.acknowledgements()) == 3
    assert_invariants(rig)


def version_of(ledger):
    """Changes with each commit of another connection."""
    return ledger.execute("PRAGMA data_version").fetchone()[0]


def test_an_idle_poll_is_one_round_trip_and_writes_nothing(rig):
    """Without IDLE; what comes all the same, and what a person decides, is seen by the next."""
    rig.settings["lease"] = "5m"
    rig.mailbox["poll_interval"] = "20ms"
    with ImapProxy(rig.box.imap, without={"IDLE"}) as proxy:
        rig.through(proxy)
        service = rig.serve()
        await_(lambda: proxy.said("NOOP") > 2, "nothing is left to do")
        at = len(proxy.commands)
        with closing(sqlite3.connect(f"file:{rig.data}/ledger.db?mode=ro", uri=True)) as ledger:
            before = version_of(ledger)
            await_(lambda: len(proxy.commands) > at + 20, "it polls")
            assert set(proxy.commands[at:]) == {"NOOP"}
            assert version_of(ledger) == before, "it writes"
        rig.deliver(plain("news"))
        await_(lambda: len(rig.uids("Processed")) == 1, "the mail is filed")
        rig.run("pause", "--by", "ada", "--reason", "a test")
        rig.deliver(plain("while paused"))
        await_(lambda: len(rig.items()) == 2, "it is recorded")
        rig.run("resume", "--by", "ada", "--reason", "a test")
        await_(lambda: len(rig.uids("Processed")) == 2, "it is filed")
        at = len(proxy.commands)
        await_(lambda: "NOOP" in proxy.commands[at:], "nothing is left to do")
        assert service.end() == 0
    assert_invariants(rig)


def test_waiting_by_idle_is_no_reason_to_look(rig):
    """A poll that finds the server waiting without news says nothing more to it."""
    rig.settings["lease"] = "5m"
    rig.mailbox["poll_interval"] = "50ms"
    with ImapProxy(rig.box.imap) as proxy:
        rig.through(proxy)
        service = rig.serve()
        waits = {"IDLE", ""}  # which a DONE is, without its tag
        await_(lambda: len(proxy.commands) > 20 and set(proxy.commands[-20:]) == waits, "it says nothing more")
        rig.deliver(plain("news"))
        await_(lambda: len(rig.uids("Processed")) == 1, "the mail is filed")
        assert service.end() == 0


def pages(memory, first, last):
    """What can be read between the two; a page of a file that is shorter than its mapping cannot."""
    for at in range(first, last, 4096):
        memory.seek(at)
        try:
            yield memory.read(4096)
        except OSError:
            yield b""


def memory_has(pid, secret):
    """Does it stand anywhere in the process? Only root may look."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            ends, mode = line.split()[:2]
            if mode[0] == "r" and not line.rstrip().endswith(("[vvar]", "[vsyscall]")):
                if secret in b"".join(pages(memory, *(int(end, 16) for end in ends.split("-")))):
                    return True
    return False


def children_of(pid):
    return [int(word) for word in open(f"/proc/{pid}/task/{pid}/children").read().split()]


def test_the_process_that_reads_mail_holds_no_secret(rig, monkeypatch):
    """What the worker knows, of its file and of its environment, is not in the child that it makes."""
    monkeypatch.setenv("ONECASE_TEST_SECRET", "a-secret-that-stands-in-the-environment")
    rig.mailbox["poll_interval"] = "1h"
    rig.deliver(plain("read"))
    service = rig.serve()
    await_(lambda: len(rig.uids("Processed")) == 1, "the mail is filed")
    worker, = workers(service)
    reader, = children_of(worker)
    assert open(f"/proc/{reader}/cmdline").read().split("\0")[0] == "onecase-reader"
    for secret in PASSWORD.encode(), b"a-secret-that-stands-in-the-environment":
        assert memory_has(worker, secret), "it is not where it is known to be"
        assert not memory_has(reader, secret)
    assert service.end() == 0


def test_sigterm_ends_an_idle_service_at_once(rig):
    service = rig.serve()
    await_(lambda: "onecase" in rig.folders(), "the first turn")
    began = time.monotonic()
    assert service.end() == 0
    assert time.monotonic() - began < 3
    rig.deliver(plain("after"))
    assert rig.once()["completed"] == 1, "the lease of the ended run is in the way"
    assert_invariants(rig)


def with_children(parent, count):
    """A child of `parent` that has so many of its own."""
    for pid in children_of(parent):
        with suppress(FileNotFoundError):  # one of strace's, which is gone
            if len(children_of(pid)) == count:
                return pid
    return None


def test_sigterm_ends_also_who_is_just_being_made(rig):
    """Each process takes its time on the way to listening (strace), and is told to end on it."""
    rig.settings["console"] = {"listen": f"127.0.0.1:{free_port()}"}
    slowly = ["strace", "-f", "-qq", "-e", "trace=epoll_create1", "-e", "inject=epoll_create1:delay_exit=300000", "-o", "/dev/null"]
    with Receiver() as receiver:
        rig.settings["webhooks"] = [receiver.settings(rig.folder)]
        traced = Service(rig.popen("run", before=slowly))
        rig.services.append(traced)
        os.kill(await_(lambda: with_children(traced.process.pid, 3), "the mailbox, the pages, and who tells the receiver are made"), signal.SIGTERM)
        assert traced.process.wait(20) == 0
        traced.reader.join(5)
        assert not traced.said("workers.killed"), traced.log


def test_sigterm_lets_end_what_is_in_flight_and_arms_nothing_new(rig):
    with SmtpPeer("after end-of-data wait 2, then accept\nafter end-of-data accept") as peer:
        rig.send_to(peer.port)
        rig.letters.update(connections=1, final_timeout="20s")
        rig.settings["stop_timeout"] = "20s"
        rig.deliver(*[plain(f"flight{n}") for n in range(3)])
        service = rig.serve()
        await_(lambda: peer.ended == 1, "the first letter is in flight")
        assert service.end() == 0
        assert peer.ended == 1 and len(peer.accepted) == 1
        statuses = sorted(effects(item, "acknowledgement")[0]["status"] for item in rig.items())
        assert statuses[0] in ("deferred", "done") and statuses.count("done") == 1 and "unknown" not in statuses
        rig.once()
        assert len(peer.accepted) == 3 and rig.uids() == {}
        assert_invariants(rig, letters_of(peer))


def test_stop_timeout_bounds_the_end_and_what_was_armed_is_unknown(rig):
    with SmtpPeer("after end-of-data stall") as peer:
        rig.send_to(peer.port)
        rig.letters.update(connections=1, final_timeout="1m")
        rig.settings["stop_timeout"] = "1s"
        rig.deliver(plain("stalled"))
        service = rig.serve()
        await_(lambda: peer.ended == 1, "the letter is in flight")
        began = time.monotonic()
        service.end()
        assert time.monotonic() - began < 5
        rig.once()
        assert effects(rig.items()[0], "acknowledgement")[0]["status"] == "unknown"
        assert peer.ended == 1
        assert_invariants(rig, letters_of(peer), killed=True)


def test_sighup_takes_up_a_new_configuration(rig):
    service = rig.serve()
    rig.deliver(plain("old"))
    await_(lambda: len(rig.uids("Processed")) == 1, "the first mail")
    rig.mailbox["folders"] = {"processed": "Done"}
    rig.write()
    service.process.send_signal(signal.SIGHUP)
    await_(lambda: service.said("configuration.read"), "it says that it has read it")
    rig.deliver(plain("new"))
    await_(lambda: len(rig.uids("Done")) == 1, "the second mail")
    assert service.end() == 0
    assert len(rig.uids("Processed")) == 1 and len(rig.acknowledgements()) == 2


def test_sighup_with_a_broken_file_keeps_the_old_configuration_and_says_so(rig):
    service = rig.serve()
    await_(lambda: "onecase" in rig.folders(), "the first turn")
    good = rig.config.read_text()
    rig.config.write_text(good + "colour: blue\n")
    service.process.send_signal(signal.SIGHUP)
    await_(lambda: service.said("configuration.refused"), "it refuses it")
    line, = (line for line in service.log if "configuration.refused" in line)
    assert re.search(rf"{re.escape(str(rig.config))}:{len(good.splitlines()) + 1}:1: ", line)
    rig.config.write_text(good)
    rig.deliver(plain("still"))
    await_(lambda: len(rig.uids("Processed")) == 1, "the mail is filed as before")
    assert service.end() == 0
    assert_invariants(rig)


def test_a_worker_that_is_killed_is_started_again(rig):
    service = rig.serve()
    await_(lambda: "onecase" in rig.folders(), "the first turn")
    first = await_(lambda: workers(service), "a worker")[0]
    os.kill(first, signal.SIGKILL)
    await_(lambda: [pid for pid in workers(service) if pid != first], "another worker")
    rig.deliver(plain("goes on"))
    await_(lambda: len(rig.uids("Processed")) == 1, "the mail is filed")
    assert service.end() == 0
    assert_invariants(rig, killed=True)


def test_workers_do_not_outlive_their_supervisor(rig):
    service = rig.serve()
    await_(lambda: "onecase" in rig.folders(), "the first turn")
    left = workers(service)
    assert left
    service.process.kill()
    await_(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in left), "the workers end")


def test_the_system_manager_is_told(rig, monkeypatch):
    path = str(rig.folder / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path)
        manager.settimeout(10)
        monkeypatch.setenv("NOTIFY_SOCKET", path)
        service = rig.serve()
        assert manager.recv(1000) == b"READY=1"
        service.process.send_signal(signal.SIGHUP)
        assert manager.recv(1000).startswith(b"RELOADING=1")
        assert manager.recv(1000) == b"READY=1"
        assert service.end() == 0
        assert manager.recv(1000) == b"STOPPING=1"


def test_the_system_manager_hears_that_it_lives_and_a_supervisor_that_stands_still_is_not_heard(rig, monkeypatch):
    path = str(rig.folder / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path)
        manager.settimeout(20)
        monkeypatch.setenv("NOTIFY_SOCKET", path)
        monkeypatch.setenv("WATCHDOG_USEC", "400000")
        service = rig.serve()
        assert [manager.recv(100) for _ in range(4)] == [b"READY=1"] + [b"WATCHDOG=1"] * 3
        service.process.send_signal(signal.SIGSTOP)
        manager.settimeout(1)
        with pytest.raises(TimeoutError):
            while True:
                manager.recv(100)
        service.process.send_signal(signal.SIGCONT)
        manager.settimeout(20)
        assert manager.recv(100) == b"WATCHDOG=1"
        assert service.end() == 0


def third(pid):
    try:
        return os.readlink(f"/proc/{pid}/fd/3")
    except OSError:
        return None


def handed_over(rig, listener):
    """As a service manager hands a socket over: descriptor 3, and LISTEN_PID of who gets it."""
    rig.write()
    hand_over = (f"import os; os.dup2({listener.fileno()}, 3); os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid()));"
                 f"os.execv({str(PROGRAM)!r}, ['onecase', 'run'])")
    process = subprocess.Popen([sys.executable, "-c", hand_over], env=rig.environment(), text=True, start_new_session=True,
                               pass_fds=(listener.fileno(),), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    rig.services.append(Service(process))
    return rig.services[-1]


def test_the_console_serves_on_the_socket_that_was_made_before_it(rig):
    """A browser that came before the service waits, and is answered; also while the pages are started anew."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        at = listener.getsockname()
        rig.settings["console"] = {"listen": f"127.0.0.1:{at[1]}"}
        early = socket.create_connection(at)
        early.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        early.settimeout(20)
        service = handed_over(rig, listener)
        assert early.recv(100).startswith(b"HTTP/1.1 ")
        assert await_(lambda: service.said("handed_over=yes"), "it says whose socket it is")
        service.process.send_signal(signal.SIGHUP)
        await_(lambda: sum("console.listening" in line for line in service.log) == 2, "the pages again, on the same socket")
        with socket.create_connection(at) as late:
            late.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            late.settimeout(20)
            assert late.recv(100).startswith(b"HTTP/1.1 ")
        socket_of_ours = os.readlink(f"/proc/{os.getpid()}/fd/{listener.fileno()}")
        await_(lambda: [third(pid) for pid in [service.process.pid, *workers(service)]].count(socket_of_ours) == 2,
               "the supervisor and the new pages have it, no worker, and the old pages have ended")
        assert service.end() == 0


def test_a_socket_at_another_place_than_the_configuration_names_is_not_served(rig):
    with socket.create_server(("0.0.0.0", 0)) as listener:
        rig.settings["console"] = {"listen": f"127.0.0.1:{listener.getsockname()[1]}"}
        service = handed_over(rig, listener)
        await_(lambda: service.said("onecase.socket and console.listen must be the same"), "it is refused")
        rig.deliver(plain("goes on"))
        await_(lambda: len(rig.uids("Processed")) == 1, "mail is handled all the same")
        assert service.end() == 0


def test_it_works_under_the_filter_of_its_unit(rig, monkeypatch):
    """Mail, letters, the reader in its sandbox and the pages, with what the unit forbids refused."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    rig.settings["console"] = {"listen": f"127.0.0.1:{port}"}
    rig.write()
    confined = [str(TOP / "tests/peers/confined.py"), str(PROGRAM), "run"]
    service = Service(subprocess.Popen(confined, env=rig.environment(), text=True, start_new_session=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    rig.services.append(service)
    rig.deliver(plain("confined"))
    await_(lambda: len(rig.uids("Processed")) == 1, "the mail is filed")
    await_(lambda: service.said("console.listening"), "the pages are there")
    assert service.end() == 0 and len(rig.acknowledgements()) == 1
    assert not [line for line in service.log if "failed" in line or "refused" in line], service.log
    assert_invariants(rig)


def test_two_mailboxes_are_watched_by_one_service(rig, make_rig):
    """Each by a worker of its own; the same Message-ID in both is two mails."""
    other = make_rig()
    box = {**other.mailbox, "id": "sales", "acknowledgement": {"from": other.address}}
    rig.settings["mailboxes"].append(box)
    rig.deliver(plain("both", message_id="<both@senders.example>"))
    other.deliver(plain("both", message_id="<both@senders.example>"))
    service = rig.serve()
    await_(lambda: len(rig.uids("Processed")) == len(other.uids("Processed")) == 1, "both are filed")
    assert len(workers(service)) >= 2
    assert service.end() == 0
    items = rig.items()
    assert {item["mailbox"] for item in items} == {"help", "sales"} and len({item["key"] for item in items}) == 2
    assert len(rig.acknowledgements()) == 1 and len(other.acknowledgements()) == 1
    assert [item["mailbox"] for item in rig.items("--mailbox", "sales")] == ["sales"]


def second_mailbox(rig, other, port):
    """Mailboxes of two accounts in one service; the second by way of a port of its own."""
    imap = {**other.mailbox["imap"], "host": "127.0.0.1", "port": port, "security": "none", "timeout": "1m"}
    return {**other.mailbox, "id": "sales", "imap": imap, "acknowledgement": {"from": other.address}}


def test_a_mailbox_whose_server_hangs_delays_no_other(rig, make_rig):
    """It hangs in the middle of a command; the other goes on, and SIGHUP adds and removes beside it, though a
    worker may take its time to end."""
    other, third = make_rig(), make_rig()
    rig.settings["stop_timeout"] = "20s"
    with ImapProxy(other.box.imap) as proxy:
        proxy.on("UID SEARCH", "stall")
        rig.settings["mailboxes"].append(second_mailbox(rig, other, proxy.port))
        other.deliver(plain("waits"))
        service = rig.serve()
        await_(lambda: proxy.acts[0][1] == [], "the second hangs")
        rig.deliver(plain("one"))
        await_(lambda: len(rig.uids("Processed")) == 1, "the first is served", 10)
        rig.settings["mailboxes"].append({**third.mailbox, "id": "third", "acknowledgement": {"from": third.address}})
        rig.write()
        service.process.send_signal(signal.SIGHUP)
        began = time.monotonic()
        third.deliver(plain("two"))
        rig.deliver(plain("three"))
        await_(lambda: third.uids("Processed") and len(rig.uids("Processed")) == 2, "what is configured is served", 15)
        assert time.monotonic() - began < 15
        del rig.settings["mailboxes"][1]
        rig.write()
        service.process.send_signal(signal.SIGHUP)
        await_(lambda: sum("configuration.read mailboxes=2" in line for line in service.log), "it is removed")
    rig.deliver(plain("four"))
    await_(lambda: len(rig.uids("Processed")) == 3, "the first is still served", 10)
    assert service.end() == 0
    assert len(other.uids()) == 1 and other.uids("Processed") == {}


@pytest.mark.parametrize("signals", [1, 2])
def test_once_ends_early_where_it_is_told_to(rig, signals):
    with SmtpPeer("after end-of-data wait 1, then accept\nafter end-of-data accept") as peer:
        rig.send_to(peer.port)
        rig.letters["connections"] = 1
        rig.deliver(*[plain(f"early{n}") for n in range(5)])
        run = rig.popen("run", "--once")
        await_(lambda: peer.ended == 1, "the first letter is in flight")
        for _ in range(signals):
            run.send_signal(signal.SIGTERM)
        run.communicate(timeout=20)
        assert len(peer.accepted) <= 2
        rig.once()
        assert rig.uids() == {} and len(peer.accepted) == 5
        assert_invariants(rig, letters_of(peer))


def held(pid):
    """Descriptors and resident kB of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return len(os.listdir(f"/proc/{pid}/fd")), int(status.split("VmRSS:")[1].split()[0])


def test_i18_a_server_that_is_lost_a_thousand_times_floods_nothing(rig):
    """Each connection is cut at once, a thousand times: descriptors, memory and log stay as they are."""
    rig.settings["retry"] = {"first_delay": "10ms", "max_delay": "10ms"}
    rig.mailbox["poll_interval"] = "10ms"
    with Gate(rig.box.imap) as gate:
        rig.through(gate)
        service = rig.serve()
        await_(lambda: rig.uids("onecase"), "the first turn")
        gate.refuse(1000)
        await_(lambda: gate.refused > 100, "it tries again and again", 30)
        before = [held(workers(service)[0]) for _ in range(20)]
        await_(lambda: gate.refused > 1000, "it tries again and again", 60)
        fds, kb = (max(column) for column in zip(*before))
        await_(lambda: held(workers(service)[0])[0] <= fds, "what was open for a moment is closed")
        assert held(workers(service)[0])[1] < kb + 3000 and len(service.log) < 20
        gate.pass_on()
        rig.deliver(plain("at last"))
        await_(lambda: rig.uids("Processed"), "the mail is filed")
        assert service.end() == 0
    assert_invariants(rig)


def test_i18_a_day_without_a_network_leaves_nothing_behind(rig, monkeypatch):
    """Nothing answers, a day passes, and the network is back: what came meanwhile is filed within a moment. The log
    has a line for each change and none for a try, and the pauses stay below their ceiling."""
    clock = rig.folder / "clock"
    clock.write_text("+0\n")
    monkeypatch.setenv("LD_PRELOAD", str(next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))))
    monkeypatch.setenv("FAKETIME_TIMESTAMP_FILE", str(clock))
    monkeypatch.setenv("FAKETIME_NO_CACHE", "1")
    with Gate(rig.box.imap) as gate:
        rig.through(gate)
        service = rig.serve()
        await_(lambda: (rig.status() if rig.json("status")["mailboxes"] else {}).get("last_success"), "the first turn")
        before = held(workers(service)[0])
        gate.refuse(1000)
        await_(lambda: service.said("mailbox.failed"), "it says so")
        (rig.folder / "later").write_text("+1d\n")
        (rig.folder / "later").replace(clock)  # whoever looks sees one or the other
        rig.deliver(plain("meanwhile"))
        tried = gate.refused
        await_(lambda: gate.refused > tried + 4, "it goes on trying")
        assert rig.status()["circuit"]["reason"] and held(workers(service)[0])[0] <= before[0]
        gate.pass_on()
        await_(lambda: rig.uids("Processed"), "the mail is filed")
        await_(lambda: rig.status()["circuit"] is None, "all is well")
        assert service.end() == 0
    assert [sum(word in line for line in service.log) for word in ("mailbox.failed", "mailbox.back")] == [1, 1]
    assert len(rig.acknowledgements()) == 1
    assert_invariants(rig)
