# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL of Debian, started for tests: a data folder, a port and a socket of its own, as an
unprivileged user.

    with Postgres() as server:      server.url("desk"), server.sql("desk", "SELECT 1")

Commits do not wait for the disk: what must survive a power cut is not tested here, and a server that is
killed (`crash`) keeps what it was told to keep. `Cutter` is a way to it that is cut at a COMMIT, `Pooler` is
pgbouncer in transaction mode.
"""
import contextlib
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from listening import Listening, hang_up

BIN = Path("/usr/lib/postgresql/15/bin")
USER = "onecase"
AS_SERVER = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
SETTINGS = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{folder}'
fsync = off
full_page_writes = off
autovacuum = off
max_connections = 60
logging_collector = off
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Postgres:
    def __init__(self, more=""):
        self.folder, self.port, self.more, self.process = Path(tempfile.mkdtemp(prefix="postgres.")), free_port(), more, None
        self.data = self.folder / "data"
        if AS_SERVER:
            shutil.chown(self.folder, "nobody", "nogroup")

    def make(self):
        subprocess.run([BIN / "initdb", "-D", self.data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
                        "--no-sync", "--no-instructions"], cwd="/", check=True, stdout=subprocess.DEVNULL, **AS_SERVER)
        with open(self.data / "postgresql.conf", "a") as file:
            file.write(SETTINGS.format(port=self.port, folder=self.folder) + self.more)

    def copy_of(self, primary):
        """A standby, asynchronous unless the primary says otherwise."""
        subprocess.run([BIN / "pg_basebackup", "-h", primary.folder, "-p", str(primary.port), "-U", USER, "-D", self.data, "-R",
                        "--no-sync", "-c", "fast"], cwd="/", check=True, **AS_SERVER)
        with open(self.data / "postgresql.conf", "a") as file:
            file.write(f"port = {self.port}\nunix_socket_directories = '{self.folder}'\n")
        self.start()
        return self

    def start(self):
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen([BIN / "postgres", "-D", self.data], cwd="/", stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, **AS_SERVER)
        until = time.monotonic() + 60
        while subprocess.run([BIN / "pg_isready", "-q", "-h", self.folder, "-p", str(self.port)]).returncode:
            assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
            assert time.monotonic() < until, "PostgreSQL does not answer"
            time.sleep(0.05)

    def end(self, how=signal.SIGINT):
        """SIGINT ends its connections and it; SIGQUIT is a crash."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(60)

    def crash(self):
        self.end(signal.SIGQUIT)

    def __enter__(self):
        self.make()
        self.start()
        return self

    def __exit__(self, *_):
        self.end()
        shutil.rmtree(self.folder)

    def url(self, database, port=None, user=USER, more=""):
        return f"postgresql://{user}@127.0.0.1:{port or self.port}/{database}{more}"

    def sql(self, database, text):
        """The rows, columns parted by |."""
        done = subprocess.run([BIN / "psql", "-h", self.folder, "-p", str(self.port), "-U", USER, "-d", database, "-XAtq",
                               "-v", "ON_ERROR_STOP=1", "-c", text], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    @contextlib.contextmanager
    def session(self, database, text):
        """What it begins by that is open meanwhile."""
        psql = subprocess.Popen([BIN / "psql", "-h", self.folder, "-p", str(self.port), "-U", USER, "-d", database, "-XAtq",
                                 "-v", "ON_ERROR_STOP=1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        psql.stdin.write(text + ";\n\\echo begun\n")
        psql.stdin.flush()
        assert "begun\n" in iter(psql.stdout.readline, ""), "it was refused"
        try:
            yield
        finally:
            psql.communicate("COMMIT;\n", timeout=60)

    def make_database(self, name):
        self.sql("postgres", f'CREATE DATABASE "{name}" TEMPLATE template0')
        return self.url(name)


class Pooler:
    """Every transaction may meet another connection of the few to the server."""

    CONFIGURATION = """
[databases]
* = host=127.0.0.1 port={server} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
logfile = {folder}/log
"""

    def __init__(self, server):
        self.folder, self.port, self.process = Path(tempfile.mkdtemp(prefix="pooler.")), free_port(), None
        (self.folder / "pooler.ini").write_text(self.CONFIGURATION.format(
            server=server.port, user=USER, port=self.port, folder=self.folder))
        if AS_SERVER:
            for path in (self.folder, self.folder / "pooler.ini"):
                shutil.chown(path, "nobody", "nogroup")

    def __enter__(self):
        self.process = subprocess.Popen(["pgbouncer", self.folder / "pooler.ini"], cwd="/", stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **AS_SERVER)
        until = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except OSError:
                assert self.process.poll() is None and time.monotonic() < until, "pgbouncer does not answer"
                time.sleep(0.05)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(60)
        shutil.rmtree(self.folder)


class Cutter(Listening):
    """A way to the server that is cut at one COMMIT, the `number`th of all that pass: before the server
    hears of it ("before"), or after it has answered and before the answer arrives ("after"). `act` is called
    before anything is closed."""

    def __init__(self, port, number, when, act=lambda: None):
        super().__init__()
        self.target, self.number, self.when, self.act = port, number, when, act
        self.commits, self.happened, self.lock, self.answered = 0, False, threading.Lock(), threading.Event()

    def is_it(self, octets):
        """Is this the COMMIT? A message of its own: Q, length, text."""
        if octets != b"Q" + struct.pack("!I", 11) + b"COMMIT\0":
            return False
        with self.lock:
            self.commits += 1
            self.happened |= self.commits == self.number
            return self.commits == self.number

    def talk(self, near):
        try:
            far = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            near.close()
            return
        with near, far:
            held = threading.Event()
            down = threading.Thread(target=self.answers, args=(far, near, held), daemon=True)
            down.start()
            self.requests(near, far, held)
            hang_up(near)
            hang_up(far)
            down.join()

    def requests(self, near, far, held):
        """The client waits for each answer, so that what is read at once is what it sent at once."""
        while octets := self.read(near):
            if self.is_it(octets):
                if self.when == "after":
                    held.set()
                    far.sendall(octets)
                    self.answered.wait(30)
                self.act()
                return
            far.sendall(octets)

    def answers(self, far, near, held):
        while octets := self.read(far):
            if held.is_set():
                self.answered.set()
                return
            try:
                near.sendall(octets)
            except OSError:
                return

    @staticmethod
    def read(s):
        try:
            return s.recv(1 << 20)
        except OSError:
            return b""
