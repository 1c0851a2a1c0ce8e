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


class Gate:
    def __init__(self, port):
        self.target, self.connections, self.refused, self.still_until, self.shut_until = port, 0, 0, 0, 0
        self.pairs, self.lock = set(), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.port = self.listener.getsockname()[1]

    def cut(self):
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            for sock in pair:
                try:
                    sock.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def stall(self, seconds):
        self.still_until = time.monotonic() + seconds

    def refuse(self, seconds):
        self.shut_until = time.monotonic() + seconds
        self.cut()

    def pass_on(self):
        self.still_until = self.shut_until = 0

    def relay(self, near):
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

    def serve(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            if time.monotonic() < self.shut_until:
                near.close()
                self.refused += 1
                continue
            self.connections += 1
            threading.Thread(target=self.relay, args=(near,), daemon=True).start()

    def __enter__(self):
        self.server = threading.Thread(target=self.serve, daemon=True)
        self.server.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.server.join(20)  # or it accepts for whoever gets its descriptor next
        self.listener.close()
        self.cut()
