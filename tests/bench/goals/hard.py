# SPDX-License-Identifier: Apache-2.0
"""Goals 2, 6, 7 and 8: kills at any moment, servers that allow little, servers far away."""
import heapq
import re
import socket
import subprocess
import threading
import time

import corpus
from goal import Goal
from listening import Listening
from rig import TOP
from scene import CONNECTIONS, run_once

KILLS = 20


def kills(_scene, _options):
    done = subprocess.run(["/usr/bin/python3", "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider",
                           TOP / "tests/crash/test_recovery.py", "-k", "sigkills"], check=False, capture_output=True, text=True)
    rounds = [int(count) for count in re.findall(r"round \d: (\d+) in doubt, none lost, none doubled", done.stdout)]
    return {"rounds": rounds, "passed": done.returncode == 0}


def kills_goals(found):
    yield Goal(6, "rounds of 20 SIGKILLs in 200 messages with nothing lost or doubled", float(len(found["rounds"]) if found["passed"] else 0), "",
               at_least=3)
    yield Goal(2, "acknowledgements in doubt a kill, the worst round", max(found["rounds"], default=0) / KILLS, "", at_most=2)


def kills_text(found):
    return ["in doubt after 20 kills, a round each: " + ", ".join(map(str, found["rounds"]))]


class Throttled(Listening):
    """Takes `most` messages in each window of `seconds`, of at most three connections; what is more is told 432."""

    def __init__(self, most, seconds, connections=3):
        super().__init__()
        self.most, self.seconds, self.connections = most, seconds, connections
        self.times, self.refused, self.turned_away, self.open, self.lock = [], 0, 0, 0, threading.Lock()

    def take(self):
        with self.lock:
            now = time.monotonic()
            if sum(now - when < self.seconds for when in self.times[-self.most:]) >= self.most:
                self.refused += 1
                return b"432 4.3.2 sending is limited, later\r\n"
            self.times.append(now)
            return b"250 2.0.0 taken\r\n"

    def talk(self, sock):
        answers = {b"EHLO": b"250-limited\r\n250 PIPELINING\r\n", b"DATA": b"354 go on\r\n", b"QUIT": b"221 2.0.0 bye\r\n"}
        with sock, sock.makefile("rb") as lines:
            with self.lock:
                self.open += 1
                many = self.open > self.connections
                self.turned_away += many
            try:
                sock.sendall(b"421 4.3.2 too many connections\r\n" if many else b"220 limited ESMTP\r\n")
                while not many and (line := lines.readline()):
                    verb = line[:4].upper()
                    sock.sendall(answers.get(verb, b"250 2.0.0 ok\r\n"))
                    if verb == b"QUIT":
                        return
                    if verb == b"DATA":
                        while lines.readline() not in (b".\r\n", b""):
                            pass
                        sock.sendall(self.take())
            except OSError:
                pass
            finally:
                with self.lock:
                    self.open -= 1


FASTER = 4  # a minute of the server's is so many times shorter here: what is late by a moment is late by as much more


def throttled(scene, options):
    """Thirty a minute and three connections, in a shorter minute; with the rate that config/microsoft-365.yaml has."""
    window = 60 / FASTER
    with Throttled(30, window) as server:
        rig = scene.rig(server.port)
        rig.letters["rate"] = 25 * FASTER
        scene.fill(rig, corpus.small(options.throttled))
        began = time.monotonic()
        while len(server.times) < options.throttled and time.monotonic() - began < 20 * options.throttled * window / 30:
            run_once(rig)
        took = server.times[-1] - server.times[0]
        waiting = sum(item["state"] == "needs_reconciliation" for item in rig.items())
        rig.end()
    return {"messages": options.throttled, "taken": len(server.times), "seconds": took, "limit": (options.throttled - 1) * window / 30,
            "refused": server.refused, "turned_away": server.turned_away, "asked": waiting}


def throttled_goals(found):
    yield Goal(7, "of the speed that a server of 30 a minute allows (25 are configured)", 100 * found["limit"] / found["seconds"], "%", at_least=80)
    yield Goal(7, "people asked meanwhile", float(found["asked"] + found["messages"] - found["taken"]), "", at_most=0)


def throttled_text(found):
    return [f"{found['messages']} messages, minutes {FASTER} times shorter: {found['seconds']:.1f} s, {found['limit']:.1f} at the limit; "
            f"{found['refused']} refused, {found['turned_away']} connections turned away"]


class Far(Listening):
    """A way to a server on which every octet takes `delay` seconds."""

    def __init__(self, port, delay):
        super().__init__()
        self.target, self.delay, self.due, self.count = port, delay, [], 0
        self.news, self.over = threading.Condition(), False

    def carry(self, source, sink):
        while True:
            try:
                octets = source.recv(262144)
            except OSError:
                octets = b""
            with self.news:
                self.count += 1
                heapq.heappush(self.due, (time.monotonic() + self.delay, self.count, sink, octets))
                self.news.notify()
            if not octets:
                return

    def deliver(self):
        while True:
            with self.news:
                while not self.due or self.due[0][0] > time.monotonic():
                    if self.over:
                        return
                    self.news.wait(max(0, self.due[0][0] - time.monotonic()) if self.due else 1)
                _, _, sink, octets = heapq.heappop(self.due)
            try:
                if octets:
                    sink.sendall(octets)
                else:
                    sink.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def taken(self, sock):
        far = socket.create_connection(("127.0.0.1", self.target))
        for one, other in ((sock, far), (far, sock)):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def __enter__(self):
        threading.Thread(target=self.deliver, daemon=True).start()
        return super().__enter__()

    def __exit__(self, *_):
        self.over = True
        super().__exit__()


ROUND_TRIP = 0.040
ROUND_TRIPS = 1  # a letter: the body at the 354, the line, and with it the next one's MAIL, RCPT and DATA


def far(scene, options):
    """Both servers 40 ms away: against what as many connections allow at one round trip a letter."""
    with Far(scene.dovecot.imap, ROUND_TRIP / 2) as mailbox, Far(scene.sink.port, ROUND_TRIP / 2) as letters:
        rig = scene.rig(letters.port)
        rig.through(mailbox)
        rig.letters["connections"] = options.connections
        scene.fill(rig, corpus.small(1, first=options.far))
        run_once(rig)  # what only the first start does, such as making folders, is not what a backlog waits for
        scene.fill(rig, corpus.small(options.far))
        ran = run_once(rig)
        assert ran.summary["completed"] == options.far, ran.summary
        rig.end()
    limit = options.far * ROUND_TRIPS * ROUND_TRIP / options.connections
    return {"messages": options.far, "connections": options.connections, "seconds": ran.seconds, "limit": limit}


def far_goals(found):
    yield Goal(8, f"of what {found['connections']} connections allow at 40 ms", 100 * found["limit"] / found["seconds"], "%", at_least=80)


def far_text(found):
    return [f"{found['messages']} messages, {found['connections']} connections, 40 ms away: {found['seconds']:.1f} s; {found['limit']:.1f} s are "
            f"{ROUND_TRIPS} round trip a letter"]


assert CONNECTIONS <= 3
