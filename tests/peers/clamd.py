# SPDX-License-Identifier: Apache-2.0
"""The virus scanner: the real clamd with two signatures of our own, and one that does what a script says.

    with Clamd() as scanner:      scanner.path, scanner.port
    with ClamdPeer("drop", "ok") as peer:      peer.port, peer.files
"""
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from listening import Listening, hang_up

VIRUS = b"This file has the ONECASE-TEST-VIRUS in it, which nobody need fear.\r\n"
NAME = "Onecase.Test.Virus.UNOFFICIAL"
LIMIT = 1 << 20

CONFIGURATION = """\
Foreground yes
DatabaseDirectory {folder}/signatures
LocalSocket {folder}/socket
LocalSocketMode 666
TCPAddr 127.0.0.1
TCPSocket {port}
StreamMaxLength 1M
TemporaryDirectory {folder}
LogFile {folder}/log
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def signatures():
    """Each is hex text of what is found anywhere in any file."""
    eicar = b"EICAR-STANDARD-" + b"ANTIVIRUS-TEST-FILE"
    return f"Onecase.Test.Virus:0:*:{b'ONECASE-TEST-VIRUS'.hex()}\nEicar.Test:0:*:{eicar.hex()}\n"


class Clamd:
    """Runs as nobody, in a folder that is its own; knows no network but its port of this machine."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="clamd."))
        self.path, self.port, self.process = str(self.folder / "socket"), free_port(), None
        (self.folder / "signatures").mkdir()
        (self.folder / "signatures" / "onecase.ndb").write_text(signatures())
        (self.folder / "clamd.conf").write_text(CONFIGURATION.format(folder=self.folder, port=self.port))
        for path in (self.folder, *self.folder.rglob("*")):
            shutil.chown(path, "nobody")

    def start(self):
        self.process = subprocess.Popen(["clamd", "--config-file", self.folder / "clamd.conf"], user="nobody",
                                        group="nogroup", extra_groups=[], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 20
        while not self.answers():
            assert self.process.poll() is None and time.monotonic() < until, (self.folder / "log").read_text()
            time.sleep(0.02)
        return self

    def answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), 2) as s:
                s.sendall(b"zPING\0")
                return s.recv(16) == b"PONG\0"
        except OSError:
            return False

    def end(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait(20)
            self.process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.end()
        shutil.rmtree(self.folder)


class ClamdPeer(Listening):
    """Takes what it is sent and does the next of its turns with each connection; the last one stays.

    ok  found NAME  error  limit       reads the file, then says so
    early limit                        says so at the first chunk and closes
    refuse                             closes at once
    drop  reset                        in the middle of the file
    hang up                            reads the file and closes without an answer
    stall                              reads the file and says nothing
    deaf                               reads nothing
    garbage  endless  half             an answer that is none
    """

    ANSWERS = {"ok": b"stream: OK\0", "error": b"stream: Can't allocate memory ERROR\0",
               "limit": b"INSTREAM size limit exceeded. ERROR\0", "garbage": b"220 mail.example.org ESMTP\r\n",
               "endless": b"x" * 100000, "half": b"stream: O", "hang up": b""}

    def __init__(self, *turns):
        super().__init__()
        self.turns, self.files, self.connections = list(turns), [], 0
        self.open = []

    def __exit__(self, *_):
        super().__exit__()
        for s in self.open:
            hang_up(s)

    def taken(self, sock):
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        self.connections += 1
        self.open.append(sock)
        threading.Thread(target=self.serve, args=(sock, turn), daemon=True).start()

    def serve(self, s, turn):
        try:
            if turn == "deaf":
                return
            if turn != "refuse":
                self.answer(s, turn)
            if turn != "stall":
                s.close()
        except OSError:
            pass

    def take(self, s, count):
        octets = b""
        while len(octets) < count:
            more = s.recv(count - len(octets))
            if not more:
                raise OSError("the client hung up")
            octets += more
        return octets

    def answer(self, s, turn):
        assert self.take(s, 10) == b"zINSTREAM\0"
        file = b""
        while length := struct.unpack(">I", self.take(s, 4))[0]:
            if turn == "early limit":
                s.sendall(self.ANSWERS["limit"])
                return
            if turn == "drop":
                return
            if turn == "reset":
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            file += self.take(s, length)
        self.files.append(file)
        if turn.startswith("found "):
            s.sendall(f"stream: {turn.removeprefix('found ')} FOUND\0".encode())
        elif turn != "stall":
            s.sendall(self.ANSWERS[turn])
