# SPDX-License-Identifier: Apache-2.0
"""What every peer is that takes connections: a listener, a thread that accepts, a thread for each connection.

    class Echo(Listening):
        def talk(self, sock):
            with sock: sock.sendall(sock.recv(100))

    with Echo() as echo: … echo.port …

`talk` has a thread of its own and closes what it was given. Whoever must note connections in their order, or
turn some away, overrides `taken`, which is called by the accepting thread.

A listener is closed only when its thread has ended: one that still waits in accept(2) on a number that was given
back may take connections of whoever got that number next, in another test. For the same reason nobody closes a
connection on which another thread may be waiting; he ends it (`hang_up`), and its own thread closes it.
"""
import contextlib
import socket
import threading


def hang_up(sock):
    """Ends a connection under whoever waits on it."""
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


class Listener:
    """One socket that listens, and the thread that gives each connection to `taken`."""

    def __init__(self, taken, sock=None, port=0):
        self.taken = taken
        self.sock = sock or socket.create_server(("127.0.0.1", port), backlog=100)
        self.thread = threading.Thread(target=self.serve, daemon=True)

    @property
    def port(self):
        return self.sock.getsockname()[1]

    def start(self):
        self.thread.start()

    def serve(self):
        while True:
            try:
                sock, _ = self.sock.accept()
            except OSError:
                return
            self.taken(sock)

    def end(self):
        hang_up(self.sock)
        if self.thread.ident is not None:
            self.thread.join(60)
            assert not self.thread.is_alive(), "it still accepts"
        self.sock.close()


class Listening:
    """Base of a peer with one port of 127.0.0.1, a free one or `at`."""

    def __init__(self, at=0):
        self.listener = Listener(self.taken, port=at)
        self.port = self.listener.port

    def taken(self, sock):
        threading.Thread(target=self.talk, args=(sock,), daemon=True).start()

    def talk(self, sock):
        raise NotImplementedError

    def __enter__(self):
        self.listener.start()
        return self

    def __exit__(self, *_):
        self.listener.end()
