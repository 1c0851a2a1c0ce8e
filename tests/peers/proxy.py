# SPDX-License-Identifier: Apache-2.0
"""A way to a server that is cut or stalls after so many octets.

    with Proxy(port, "cut", "down", 300) as proxy: … proxy.port …

"down" is what the server says, "up" what the client says. The octets of all connections are counted
together, in that direction; when so many have passed, both sides are closed ("cut"), reset ("reset"), or
nothing passes any more ("stall") until the client leaves. It happens once: later connections pass.
`octets` says how many have passed: {"down": …, "up": …}.
"""
import selectors
import socket
import struct
import threading

from listening import Listening


class Proxy(Listening):
    def __init__(self, port, how=None, direction="down", at=0):
        super().__init__()
        self.target, self.how, self.direction, self.at = port, how, direction, at
        self.octets, self.happened = {"down": 0, "up": 0}, False
        self.lock, self.stop = threading.Lock(), threading.Event()

    def pass_on(self, octets, direction):
        """What may pass, and whether the fault comes after it."""
        with self.lock:
            left = self.at - self.octets[direction]
            meant = self.how and not self.happened and direction == self.direction
            if meant and len(octets) >= left:
                self.happened, octets = True, octets[:left]
            else:
                meant = False
            self.octets[direction] += len(octets)
            return octets, meant

    def fail(self, near):
        if self.how == "stall":
            while near.recv(65536) and not self.stop.is_set():
                pass
        if self.how == "reset":
            near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def talk(self, near):
        try:
            with near, socket.create_connection(("127.0.0.1", self.target)) as far, selectors.DefaultSelector() as both:
                both.register(near, selectors.EVENT_READ, ("up", far))
                both.register(far, selectors.EVENT_READ, ("down", near))
                while self.step(both, near):
                    pass
        except OSError:
            pass

    def step(self, both, near):
        for key, _ in both.select():
            direction, to = key.data
            octets = key.fileobj.recv(65536)
            if not octets:
                return False
            octets, fault = self.pass_on(octets, direction)
            to.sendall(octets)
            if fault:
                self.fail(near)
                return False
        return True

    def __exit__(self, *_):
        self.stop.set()
        super().__exit__()
