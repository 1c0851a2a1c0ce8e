# SPDX-License-Identifier: Apache-2.0
"""A way to a server that can be cut, stalled and closed, again and again, on one port.

    with Gate(port) as gate: … gate.port … gate.cut(); gate.stall(3); gate.refuse(2); gate.pass_on()

cut      every connection ends, in the middle of whatever it carries
stall    for so many seconds nothing passes; connections stay open
refuse   the same, and connections that are there or come meanwhile are closed at once
"""
import selectors
import socket
import threading
import time

from listening import Listening, hang_up


class Gate(Listening):
    def __init__(self, port, at=0):
        super().__init__(at)
        self.target, self.connections, self.refused, self.still_until, self.shut_until = port, 0, 0, 0, 0
        self.pairs, self.lock = set(), threading.Lock()

    def cut(self):
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            for sock in pair:
                hang_up(sock)

    def stall(self, seconds):
        self.still_until = time.monotonic() + seconds

    def refuse(self, seconds):
        self.shut_until = time.monotonic() + seconds
        self.cut()

    def pass_on(self):
        self.still_until = self.shut_until = 0

    def talk(self, near):
        try:
            far = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            near.close()
            return
        pair = (near, far)
        with self.lock:
            self.pairs.add(pair)
        with near, far, selectors.DefaultSelector() as both:
            for one, other in (pair, pair[::-1]):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                both.register(one, selectors.EVENT_READ, other)
            try:
                while all(self.step(key) for key, _ in both.select()):
                    pass
            except OSError:
                pass
        with self.lock:
            self.pairs.discard(pair)

    def step(self, key):
        octets = key.fileobj.recv(65536)
        while (left := self.still_until - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))
        if octets:
            key.data.sendall(octets)
        return bool(octets)

    def taken(self, sock):
        if time.monotonic() < self.shut_until:
            sock.close()
            self.refused += 1
            return
        self.connections += 1
        super().taken(sock)

    def __exit__(self, *_):
        super().__exit__()
        self.cut()
